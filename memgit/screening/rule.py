"""What a rule of the table is: a literal to look for, a pattern to try there, a check of what it matched.

Owns the row and how one is tried; where to try it is `table.py`. A check never sees anything but what was matched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memgit.screening.finding import Span
from memgit.screening.patterns import compiled
from memgit.screening.placeholders import is_filler

END_OF_WORD = r"(?![0-9A-Za-z])"
END_OF_RUN = r"(?![0-9A-Za-z]|[_-]{1,3}[0-9A-Za-z])"  # `_token_` is a token in italics

_TAIL = 100  # characters from a literal on that a rule with a lead may look at
_JOINERS = "-_"
_ESCAPE_LENGTH = 8
_ESCAPE = r"(?:%[0-9A-Fa-f]{2}|\\[nrt]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|=3D|\x1b\[[0-9;]{0,5}m)\Z"


@dataclass(frozen=True, slots=True)
class Rule:
    """One format. `source` says where it is documented.

    `anchors` are literals, one of which every match holds; `lead` is how many characters of a match may precede it.
    The secret is the group `secret` of the pattern, or the whole match. `check` tells whether it can be real; `proof`,
    a checksum, tells that it is. No rule asks for proof: a token that was mistyped or cut is close to the real one.
    """

    name: str
    anchors: tuple[str, ...]
    pattern: str
    source: str
    check: Callable[[str], bool] | None = None
    proof: Callable[[str], bool] | None = None
    lead: int = 0
    folded: bool = False  # the anchors and the pattern are for text in lower case
    embedded: bool = False  # may follow a letter or a digit
    strict: bool = False  # may not follow `-` or `_` either: for patterns that reach far before they fail
    fillers: bool = False  # fillers count: nobody makes up the armour of a private key


def match_at(rule: Rule, text: str, haystack: str, at: int) -> tuple[Span | None, int]:
    """Return what the rule finds around its literal at `at`, and where to go on looking.

    `haystack` is the text, or the text in lower case. What a pattern has matched is not looked at again by its rule, be
    it real or not: that is what keeps the time linear on a text that is nothing but literals.
    """
    pattern, after = compiled(rule.pattern), at + 1
    match = pattern.search(haystack, max(0, at - rule.lead), at + _TAIL) if rule.lead else None
    if match is not None:
        at = match.start()
    if not (rule.embedded or is_boundary(haystack, at, _JOINERS if rule.strict else "")):
        return None, after
    if not rule.lead:
        match = pattern.match(haystack, at)
    if match is None:
        return None, after
    start, end = match.span("secret" if "secret" in pattern.groupindex else 0)
    secret = text[start:end]
    return Span(start, end, rule.name) if _is_real(rule, secret) else None, max(end, after)


def _is_real(rule: Rule, secret: str) -> bool:
    if rule.proof is not None and rule.proof(secret):
        return True
    return (rule.fillers or not is_filler(secret)) and (rule.check is None or rule.check(secret))


def is_boundary(text: str, at: int, forbidden: str = "") -> bool:
    """Tell whether a token can begin at `at`: not after a letter or digit, save one that ends an escape, as `\\n`."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in forbidden):
        return True
    if text[at - 1] == "_" and (at == 1 or text[at - 2].isspace()):
        return True  # in italics
    return compiled(_ESCAPE).search(text[max(0, at - _ESCAPE_LENGTH) : at]) is not None
