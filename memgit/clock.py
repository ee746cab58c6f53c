"""Time and new ids: the one place that asks the system for either, so that tests can pin both."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from ulid_transform import ulid_now

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?")
_FIRST_SECOND = datetime(1000, 1, 1, tzinfo=UTC).timestamp()
_LAST_SECOND = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
_now: Callable[[], float] = time.time
_ulid: Callable[[], str] = ulid_now


def now() -> str:
    """Return the present as RFC 3339 in UTC with microseconds, e.g. `2026-01-02T03:04:05.000006Z`."""
    return format_time(_now())


def timestamp() -> float:
    """Return the present as seconds since 1970."""
    return _now()


def new_ulid() -> str:
    """Return a new ULID, 26 characters of lower-case Crockford base32."""
    return _ulid().lower()


def format_time(seconds: float) -> str:
    """Return seconds since 1970 in the form of `now`; text order is time order.

    What lies before the year 1000 or after 9999, as only a forged commit has it, is shown as the nearest such moment.
    """
    moment = datetime.fromtimestamp(min(max(seconds, _FIRST_SECOND), _LAST_SECOND), UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_time(text: str) -> str | None:
    """Return an RFC 3339 date or date-time in the form of `now`, or None where it is not one.

    A date alone means its first instant; a time without a zone is refused, because it names no instant.
    """
    if not _RFC_3339.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
        utc = (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment).astimezone(UTC)
    except (OverflowError, ValueError):
        return None
    return utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if utc.year >= 1000 else None


@contextmanager
def pinned(start: float, step: float = 0.0, first_ulid: int | None = None) -> Iterator[None]:
    """Pin the clock at `start` seconds, advancing by `step` a call, and number the ids from `first_ulid`."""
    global _now, _ulid
    saved = (_now, _ulid)
    moments = itertools.count()
    numbers = itertools.count((first_ulid or 0) + 1)

    def tick() -> float:
        return start + step * next(moments)

    def count() -> str:
        return _encode_base32(next(numbers))

    _now = tick
    if first_ulid is not None:
        _ulid = count
    try:
        yield
    finally:
        _now, _ulid = saved


def _encode_base32(number: int) -> str:
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    digits = [alphabet[(number >> (5 * place)) & 31] for place in range(26)]
    return "".join(reversed(digits))
