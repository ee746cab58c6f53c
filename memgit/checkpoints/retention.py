"""Which checkpoints are kept: the newest ones of each sort, for so many days. Pure.

Those with a snapshot and those without are counted apart, so that a busy day of commits does not push out what somebody
saved on purpose. What is too old goes only when it has been seen to be so for a while: a clock that is wrong for once
removes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memgit.checkpoints.archive import Kept

_BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"
_DAY = 24 * 3600.0
_SEEN_DAYS = 14  # between seeing that one is too old and removing it; no longer than it is kept at all


@dataclass(frozen=True, slots=True)
class Retention:
    """How many of each sort, and for how many days; 0 means without end."""

    keep: int = 200
    days: int = 30


@dataclass(frozen=True, slots=True)
class Expired:
    """The checkpoints that may go, and the ids of those that are too old, with the time since when that is known."""

    gone: list[Kept]
    seen: dict[str, float]


def expired(kept: Iterable[Kept], retention: Retention, now: float, seen: Mapping[str, float]) -> Expired:
    """Return what may go, given all checkpoints and the present in seconds since 1970.

    `seen` is what the last call returned. A time in it that lies ahead is of a clock that was wrong, and begins anew.
    """
    found = Expired([], {})
    for has_snapshot in (True, False):
        sort = sorted((one for one in kept if one.has_snapshot == has_snapshot), reverse=True)
        if retention.keep:
            found.gone.extend(sort[retention.keep :])
            sort = sort[: retention.keep]
        if retention.days:
            _by_age(sort, retention.days, now, seen, found)
    return found


def _by_age(sort: Iterable[Kept], days: int, now: float, seen: Mapping[str, float], found: Expired) -> None:
    """Add those that are too old to `found`."""
    for one in sort:
        if moment(one.id) >= now - days * _DAY:
            continue
        since = seen.get(one.id, now)
        found.seen[one.id] = since if since <= now else now
        if now - found.seen[one.id] >= min(days, _SEEN_DAYS) * _DAY:
            found.gone.append(one)


def moment(checkpoint_id: str) -> float:
    """Return when an id was made, in seconds since 1970."""
    number = 0
    for character in checkpoint_id.partition("_")[2][:10]:
        number = number * 32 + _BASE32.index(character)
    return number / 1000
