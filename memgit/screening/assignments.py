"""Values that are given to a name that says secret. The less the name says, the more the value must.

Owns the few formats that only a name makes known. Names are `names.py`, what joins them to a value is `joints.py`, what
a password or a key looks like is `passwords.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memgit.screening.finding import Span
from memgit.screening.joints import end_of, values_of
from memgit.screening.names import LEAD_LENGTH, NameKind, kind_of
from memgit.screening.passwords import is_hinted_key, is_key, is_password, is_strong_password
from memgit.screening.patterns import compiled
from memgit.screening.placeholders import is_filler


@dataclass(frozen=True, slots=True)
class NamedFormat:
    """A format without a literal of its own: `words` must stand in the name, and the value is `pattern` whole."""

    rule: str
    words: str
    pattern: str
    source: str


NAMED_FORMATS = (
    NamedFormat(
        "aws-secret-access-key",
        r"aws.{0,24}(?:secret|access_?key)|secret_?access_?key",
        r"[A-Za-z0-9+/]{40}",
        "AWS IAM user guide: access keys",
    ),
    NamedFormat(
        "heroku-api-key",
        r"heroku.{0,16}(?:key|token|secret|auth)",
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "Heroku: platform API, direct authorization",
    ),
    NamedFormat(
        "kubernetes-bootstrap-token",
        r"token",
        r"[a-z0-9]{6}\.(?=[a-z]{0,15}[0-9])[a-z0-9]{16}",
        "Kubernetes: authenticating with bootstrap tokens",
    ),
    NamedFormat(
        "twilio-auth-token",
        r"twilio.{0,16}(?:token|secret|key)",
        r"[0-9a-f]{32}|[0-9A-Za-z]{32}",
        "Twilio: auth tokens and API keys",
    ),
)

_SHORTEST = 6  # characters of a value
_NAMES_PER_VALUE = 4  # `secret: token: password: x`: more names for one value would make the time quadratic


def assigned_secrets(text: str, folded: str, names: Iterable[re.Match[str]]) -> Iterator[Span]:
    """Yield the values that a name calls a secret, `folded` being the text in lower case, of the same length."""
    found = tried = tries = 0
    for name in names:
        if name.start() >= tried:
            tries = 0
        elif tries >= _NAMES_PER_VALUE or name.start() < found:
            continue
        for value in values_of(text, folded, name):
            if value.end - value.start < _SHORTEST:
                continue
            tries, tried = tries + 1, max(tried, value.end)
            rule = _rule_for(name, folded, text[value.start : value.end], value.is_literal)
            if rule is not None:
                found = end_of(text, value)
                yield Span(value.start, found, rule)


def _rule_for(name: re.Match[str], folded: str, value: str, is_literal: bool) -> str | None:
    if not _is_worth_a_look(value):
        return None
    whole = folded[max(0, name.start() - LEAD_LENGTH) : name.end()]
    for named in NAMED_FORMATS:
        if compiled(named.pattern).fullmatch(value) and compiled(named.words).search(whole):
            return None if is_filler(value) else named.rule
    kind = kind_of(folded, name)
    if kind is NameKind.PASSWORD:
        accepted = is_key(value) or (is_password(value) if is_literal else is_strong_password(value))
        return "assigned-password" if accepted else None
    if kind is NameKind.KEY:
        return "assigned-secret" if is_key(value) else None
    return "assigned-key" if kind is NameKind.HINT and is_hinted_key(value, is_literal) else None


def _is_worth_a_look(value: str) -> bool:
    """Tell whether a value is more than one word: most values in code and documents are, and this is cheap."""
    return not value.isalpha() or len(value) >= 10
