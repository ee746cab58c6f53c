"""How the rules of the table are looked for: long runs first, then literals inside them, then a pattern at a literal.

A key is a long run of characters without a blank, and most text has few: one pass finds the runs, one pass over the
runs finds the literals of all rules, and a pattern is tried only where its own literal stands. The few rules whose
literal holds a blank are looked for by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from memgit.screening.clouds import CLOUDS
from memgit.screening.code_hosts import CODE_HOSTS
from memgit.screening.finding import Span
from memgit.screening.patterns import compiled
from memgit.screening.private_keys import ARMOURED, KEYS
from memgit.screening.rule import Rule, match_at
from memgit.screening.services import SERVICES
from memgit.screening.shapes import SHAPES, shaped_keys
from memgit.screening.structures import ADDRESSES, HEADERS

FORMATS: tuple[Rule, ...] = KEYS + CODE_HOSTS + CLOUDS + SERVICES + ADDRESSES
"""Rules whose match holds a run of 16 characters or more, the literal included. Earlier rows are more telling."""

SPACED: tuple[Rule, ...] = ARMOURED + HEADERS
"""Rules whose literal holds a blank, or whose match is a short word."""

RULES: tuple[Rule, ...] = SPACED + FORMATS

_RUN = r"[0-9A-Za-z_~+/=.:@%&?$#!*-]{16,}+"


def known_formats(text: str, folded: str) -> Iterator[Span]:
    """Yield what the rules of the table find, `folded` being the text in lower case, of the same length."""
    for rule in SPACED:
        haystack = folded if rule.folded else text
        for anchor in rule.anchors:
            if anchor in haystack:
                yield from _everywhere(rule, anchor, text, haystack)
    yield from sorted(_in_runs(text), key=lambda span: _RANK[span.rule])


def _everywhere(rule: Rule, anchor: str, text: str, haystack: str) -> Iterator[Span]:
    at = haystack.find(anchor)
    while at >= 0:
        span, after = match_at(rule, text, haystack, at)
        if span is not None:
            yield span
        at = haystack.find(anchor, after)


def _in_runs(text: str) -> Iterator[Span]:
    done: dict[str, int] = {}
    for run in compiled(_RUN).finditer(text):
        yield from shaped_keys(text, *run.span())
        pattern, rules = _literals()
        for literal in pattern.finditer(text, *run.span()):
            at = literal.start()
            for rule in rules[literal[0]]:
                if at >= done.get(rule.name, 0):
                    span, done[rule.name] = match_at(rule, text, text, at)
                    if span is not None:
                        yield span


_RANK = {name: rank for rank, name in enumerate([*(rule.name for rule in FORMATS), *(shape.name for shape in SHAPES)])}


@cache
def _literals() -> tuple[re.Pattern[str], dict[str, tuple[Rule, ...]]]:
    """Return one pattern for all literals of FORMATS, and the rules to try where each was found.

    Of literals that begin alike the shortest stands for all of them.
    """
    literals = {anchor for rule in FORMATS for anchor in rule.anchors}
    rules: dict[str, tuple[Rule, ...]] = {}
    for rule in FORMATS:
        shortest = {
            next(anchor[:size] for size in range(1, len(anchor) + 1) if anchor[:size] in literals)
            for anchor in rule.anchors
        }
        for literal in sorted(shortest):
            rules[literal] = (*rules.get(literal, ()), rule)
    return re.compile(_prefix_tree(sorted(rules))), rules


def _prefix_tree(words: Sequence[str]) -> str:
    """Return a pattern for any of the words, none of which begins another: one branch a character, not one a word."""
    branches: dict[str, list[str]] = {}
    for word in words:
        branches.setdefault(word[:1], []).append(word[1:])
    parts = [
        re.escape(first) + (re.escape(rests[0]) if len(rests) == 1 else _prefix_tree(rests))
        for first, rests in branches.items()
    ]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def rule_names() -> tuple[str, ...]:
    """Return the names of the rules and of the shapes, in the order of the table."""
    return (*(rule.name for rule in RULES), *(shape.name for shape in SHAPES))
