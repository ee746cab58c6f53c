"""Keys without a literal of their own, which their shape alone gives away: lengths and marks that nothing else has.

Owns rows and the one pass that looks for all of them at once. It is made on long runs only, of which text has few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memgit.screening.checksums import is_discord_token
from memgit.screening.finding import Span
from memgit.screening.patterns import compiled
from memgit.screening.placeholders import is_filler, is_written
from memgit.screening.randomness import looks_drawn, looks_random

SHORTEST_SHAPE = 42  # characters: a bot token of Telegram with nine digits
_BEGIN = r"(?:(?<![0-9A-Za-z])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
_END = r"(?![0-9A-Za-z]|[_.-]{1,3}[0-9A-Za-z])"


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape. `source` says where it is documented; `check` tells whether a match can be real."""

    name: str
    pattern: str
    source: str
    check: Callable[[str], bool]


def _is_discord(token: str) -> bool:
    parts = token.split(".")
    return is_discord_token(token) or (looks_random(token) and not is_written(parts[0]) and not is_written(parts[2]))


SHAPES = (
    Shape(
        "telegram-bot-token",
        r"(?:(?<=bot)|" + _BEGIN + r")(?<![.:])[0-9]{8,10}:[0-9A-Za-z_-]{34,36}" + _END,
        "Telegram: bot API, tokens",
        looks_random,
    ),
    Shape(
        "discord-token",
        _BEGIN + r"[MNO][0-9A-Za-z_-]{22,28}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,45}" + _END,
        "Discord: bot tokens; the first part is the user's id",
        _is_discord,
    ),
    Shape(
        "mailgun-api-key",
        _BEGIN + r"[0-9a-f]{31,33}-[0-9a-f]{7,9}-[0-9a-f]{7,9}" + _END,
        "Mailgun: API keys",
        looks_drawn,
    ),
)


def shaped_keys(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the keys in one run of characters without a blank, `start` to `end` of the text."""
    if end - start < SHORTEST_SHAPE or all(text.find(mark, start, end) < 0 for mark in "-:."):
        return  # base 64 has none of the marks
    for match in compiled(_ANY).finditer(text, start, end):
        shape = SHAPES[(match.lastindex or 1) - 1]
        if shape.check(match[0]) and not is_filler(match[0]):
            yield Span(*match.span(), shape.name)


_ANY = "|".join(f"({shape.pattern})" for shape in SHAPES)
