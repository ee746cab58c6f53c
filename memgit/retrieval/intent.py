"""What a query seems to want, by its words alone: hints for a caller that routes it. They never qualify anything.

No language profile changes what qualifies; nothing is translated; a hint that is absent says nothing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from msgspec import Struct

from memgit.index.analysis import tokens

IntentHint = Literal["question", "current_state", "after_change", "history", "code", "reason", "procedure"]

_WORDS: tuple[tuple[IntentHint, str], ...] = (
    (
        "current_state",
        r"current(?:ly)?|present(?:ly)?|right now|as of (?:now|today)|today|nowadays|at the moment|latest",
    ),
    (
        "after_change",
        r"(?:after|since|following|post)[ -](?:the |our |this )?"
        r"(?:migration|rewrite|refactor(?:ing)?|upgrade|switch|cut-?over|move|change|release)",
    ),
    ("history", r"used to|previously|formerly|originally|in the past|back then|earlier|history of|before the"),
    ("reason", r"why|reason|rationale|motivation|because"),
    ("procedure", r"how (?:do|can|should|to)|steps?|procedure|run ?book|instructions?"),
    ("code", r"function|method|class|module|file|line|implemented|call(?:s|ed|er)|import(?:s|ed)?|defined"),
)
"""English alone, chosen by hand: a hint that is absent says nothing, so a missed one costs a hint."""

_PATTERNS = tuple((hint, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for hint, words in _WORDS)


class QueryAnalysis(Struct, frozen=True, kw_only=True):
    """`identifier_density`: share of identifiers and codes among the tokens, 0 to 1. `scripts`: share of letters."""

    intents: tuple[IntentHint, ...]
    identifier_density: float
    scripts: dict[str, float]

    @property
    def wants_present_source(self) -> bool:
        """Whether it asks about a present state that dated notes may no longer describe."""
        return bool({"current_state", "after_change"} & set(self.intents)) and "history" not in self.intents


def analyse_intent(text: str, *, is_question: bool) -> QueryAnalysis:
    """Return what the words of a query hint at; `is_question` is `retrieval.query`'s judgement."""
    found: list[IntentHint] = ["question"] if is_question else []
    found += [hint for hint, pattern in _PATTERNS if pattern.search(text)]
    shapes = [token.chunk.shape for token in tokens(text)]
    exact = sum(shape != "word" for shape in shapes)
    return QueryAnalysis(
        intents=tuple(found),
        identifier_density=round(exact / len(shapes), 3) if shapes else 0.0,
        scripts=_scripts(text),
    )


def _scripts(text: str) -> dict[str, float]:
    """Return the share of each script among the letters, as the names of Unicode's characters tell it."""
    counts: dict[str, int] = {}
    for character in text:
        if character.isalpha():
            script = unicodedata.name(character, "UNKNOWN").split(" ", 1)[0].split("-", 1)[0].lower()
            counts[script] = counts.get(script, 0) + 1
    total = sum(counts.values())
    return {script: round(count / total, 3) for script, count in sorted(counts.items())}
