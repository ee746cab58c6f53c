"""Claims that say the same in the same words, shown once. Never two that could differ in what they say.

The same is: the same words in the same order, whatever the case, the articles and the punctuation that only separates.
Every other word counts, function words most of all: `before` and `after`, `may` and `must`, `more` and `less` are all
the difference. So does each inflection, number, name and sign of code. What is disputed, has a value of its own or
other validity is never collapsed, and an author whom nobody trusts does not stand for one who is trusted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload
from memgit.retrieval.candidates import Candidate

_SENTENCE_ENDS = ".!?。！？"
_SEPARATORS = ",、，،"
_BREAKS = ";:…；：؛"
_QUOTES = "\"'`“”‘’«»„‚‹›"
_FEET_AND_INCHES = "'\""  # behind a digit
_ARTICLES = frozenset({"a", "an", "the"})
_COUNTS_WITH_ARTICLE = frozenset({"few", "little", "lot", "number", "couple"})
"""`a few` is some, `few` is hardly any: here the article counts."""

_COUNTS_WITH_COMMA = frozenset({"no", "not", "never", "yes"})
"""`No, caching is on` is not `No caching is on`: beside these a comma counts."""

_NAMES_IN_CAPITALS = frozenset({"US", "IT", "WHO"})
"""Names that are function words in lower case."""

_BREAK = "\n"  # what stands for the end of a sentence, or of a part of one, within a statement
_COMMA = "\n,"  # counts only beside a negation
_FIELDS = ("claim_type", "subject", "component", "valid_from", "valid_until", "value", "sensitivity")


def collapsed(claims: Sequence[Candidate]) -> list[tuple[Candidate, tuple[EntityId, ...]]]:
    """Return the claims in their order without repetitions, each with the ids of those that say the same."""
    kept: list[tuple[Candidate, list[EntityId]]] = []
    by_identity: dict[object, list[tuple[Candidate, list[EntityId]]]] = {}
    for claim in claims:
        alike = by_identity.setdefault(_identity(claim), [])
        first = next((each for each in alike if each[0].is_trusted == claim.is_trusted), None)
        if first is None:
            alike.append((claim, []))
            kept.append(alike[-1])
        elif claim.id != first[0].id and claim.id not in first[1]:
            first[1].append(claim.id)
    return [(claim, tuple(same)) for claim, same in kept]


def _identity(claim: Candidate) -> object:
    """Return what two claims that say the same have in common."""
    payload = claim.revision.payload
    if not isinstance(payload, ClaimPayload) or claim.entity.disputed or payload.statement is None:
        return claim.id, claim.revision.id
    said = said_words(payload.statement)
    if not said:
        return claim.id, claim.revision.id
    described = tuple(getattr(payload, field) for field in _FIELDS)
    return said, described, claim.entity.lineage.scope, bool(claim.reasons)


@lru_cache(maxsize=2048)  # what is asked for often is recalled often
def said_words(statement: str) -> tuple[str, ...]:
    """Return the words of a statement as they are compared: in their order, without what only separates them."""
    words: list[str] = []
    for run in unicodedata.normalize("NFC", statement).split():
        for word in _words(run, is_first=not words or words[-1] == _BREAK):
            if words and words[-1] in _ARTICLES:  # kept only for what follows: see _COUNTS_WITH_ARTICLE
                article = words.pop()
                words += [article, word] if word in _COUNTS_WITH_ARTICLE else [word]
            else:
                words.append(word)
    while words and words[-1] in (_BREAK, _COMMA, *_ARTICLES):
        words.pop()
    return tuple(word for place, word in enumerate(words) if word != _COMMA or _counts(words, place))


def _counts(words: list[str], place: int) -> bool:
    """Tell whether the comma at a place stands beside a word that it may turn to another."""
    return not _COUNTS_WITH_COMMA.isdisjoint(words[max(0, place - 1) : place + 2])


def _words(run: str, *, is_first: bool) -> Iterator[str]:
    """Yield what a run of text without blanks says: its word, and a mark where it ends a sentence that goes on."""
    core, ending = _divided(run)
    yield _folded(core, is_first=is_first) if core else run  # a sign by itself: split at `,`, or at `;`
    if not core:
        return
    if any(mark in ending for mark in "?？؟"):
        yield "?"
    elif any(mark in ending for mark in _SENTENCE_ENDS + _BREAKS):
        yield _BREAK
    elif any(mark in ending for mark in _SEPARATORS):
        yield _COMMA


def _divided(run: str) -> tuple[str, str]:
    """Return a run without the quotes, brackets and punctuation around it, and the punctuation behind it."""
    core, ending = run.lstrip(_QUOTES + "("), ""
    is_quoted = core[:1] != run[:1]
    while core and (core[-1] in _SENTENCE_ENDS + _SEPARATORS + _BREAKS + _QUOTES or _closes(core)):
        if core[-1] in _FEET_AND_INCHES and core[-2:-1].isdigit() and not is_quoted:
            break
        core, ending = core[:-1], ending + core[-1]
    return core, ending


def _closes(core: str) -> bool:
    """Tell whether the last character closes a bracket that stands before the run: `call()` is a name."""
    return core[-1] == ")" and core.count(")") > core.count("(")


def _folded(core: str, *, is_first: bool) -> str:
    """Return a word as it is compared: in lower case, but for what is another thing in another case.

    `-c` is another option than `-C`, `plan A` has no article, and `US` is not `us`.
    """
    if core in _NAMES_IN_CAPITALS or core.startswith(("-", "$")) or (core == "A" and not is_first):
        return core
    return core.casefold()
