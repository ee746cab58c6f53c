"""Dates as people and Git write them: one reading for `as_of`, for the states of a `diff`, and for the span of a `log`.

What names a calendar date is read here. What is relative to now (`yesterday`, `2.weeks.ago`, `last monday at noon`) is
Git's to say: one `git rev-parse --since=…`. Git takes nonsense for "now", so only forms that are known here reach it.
"""

from __future__ import annotations

import re
from datetime import datetime

from memgit import clock
from memgit.errors import InvalidRequest
from memgit.operations.invocation import Invocation
from memgit.store.git_command import run_git
from memgit.store.repository import Repository

FORMS = "2026-05-01, 2026-05-01T12:00:00Z, '2026-05-01 12:00' (local time), yesterday, 2.weeks.ago, 'last monday'"
"""What a date may look like, for hints."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = r"(?P<time>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)"
_ZONE = r"(?: ?(?P<zone>Z|[+-]\d\d:?\d\d))?"
_NUMBERED = re.compile(rf"(?P<year>\d{{4}})(?P<sign>[-/.])(?P<month>\d\d)(?P=sign)(?P<day>\d\d)(?:[T ]{_TIME}{_ZONE})?")
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_NAMED = tuple(
    re.compile(rf"(?:{_WEEKDAY},? )?{form}", re.IGNORECASE)
    for form in (
        rf"(?P<day>\d{{1,2}}) {_MONTH},? (?P<year>\d{{4}})(?: {_TIME}{_ZONE})?",  # as mail has it
        rf"{_MONTH} (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})(?: {_TIME}{_ZONE})?",
        rf"{_MONTH} (?P<day>\d{{1,2}}) {_TIME} (?P<year>\d{{4}}){_ZONE}",  # as `git log` has it
    )
)
_SECONDS = re.compile(r"@(\d{1,11})")

_COUNT = r"(?:\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten)"
_UNIT = r"(?:second|minute|hour|day|week|month|year)s?"
_GAP = r"[ .]+"
_AGO = rf"{_COUNT}{_GAP}{_UNIT}(?:{_GAP}{_COUNT}{_GAP}{_UNIT})*{_GAP}ago"
_DAY = rf"{_AGO}|last{_GAP}(?:{_UNIT}|{_WEEKDAY})|yesterday|today|{_WEEKDAY}"
_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?|(?:1[0-2]|0?[1-9]) ?[ap]m|noon|midnight|tea"
_RELATIVE = re.compile(rf"(?:{_DAY})(?:{_GAP}(?:at{_GAP})?(?:{_CLOCK}))?|(?:{_CLOCK})", re.IGNORECASE)
_COUNTED_UNIT = re.compile(rf"(\d+){_GAP}(second|minute|hour|day|week|month|year)", re.IGNORECASE)
_UNIT_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800, "month": 2_678_400}
_YEAR_SECONDS = 31_622_400  # the longest, as the month above
_GIT_SECONDS = 10.0


def moment_of(repository: Repository, text: str) -> str | None:
    """Return the moment that a text names, in the form of `clock.now`, or None where it names none.

    A date alone is its first moment in UTC; a time without a zone is local time.
    """
    wanted = text.strip()
    return clock.parse_time(wanted) or _calendar(wanted) or _counted(wanted) or _relative(repository, wanted)


def instant(invocation: Invocation, value: str | None, field: str) -> str | None:
    """Return the moment that a request's field names, or None for None. Raises InvalidRequest for what is no date."""
    if value is None:
        return None
    moment = moment_of(invocation.repository, value)
    if moment is None:
        raise InvalidRequest(
            f"`{field}` is not a date: {value[:60]!r}", hint=f"A date is one of: {FORMS}.", details={"field": field}
        )
    return moment


def _calendar(text: str) -> str | None:
    """Return the moment of a calendar date, with or without a time and a zone."""
    found = _NUMBERED.fullmatch(text) or next((match for form in _NAMED if (match := form.fullmatch(text))), None)
    if found is None:
        return None
    part = found.groupdict()
    month = part["month"] if part["month"].isdigit() else f"{_MONTHS.index(part['month'].lower()) + 1:02}"
    date = f"{part['year']}-{month}-{int(part['day']):02}"
    if part["time"] is None:
        return clock.parse_time(date)
    try:
        moment = datetime.fromisoformat(f"{date}T{part['time']}{part['zone'] or ''}")
        return clock.parse_time(moment.astimezone().isoformat())
    except (OverflowError, OSError, ValueError):
        return None


def _counted(text: str) -> str | None:
    """Return the moment of `@` and the seconds since 1970, as Git writes them."""
    found = _SECONDS.fullmatch(text)
    return clock.format_time(int(found[1])) if found is not None else None


def _relative(repository: Repository, text: str) -> str | None:
    """Return the moment that Git sees in a text which counts from now."""
    if text.lower() == "now":
        return clock.now()  # Git would cut it down to the second
    if not _RELATIVE.fullmatch(text) or _is_before_1970(text):
        return None
    wanted = re.sub(rf"^today(?:{_GAP}(?:at{_GAP})?)?", "", text, flags=re.IGNORECASE) or "midnight"
    answer = run_git(repository, ["rev-parse", f"--since={wanted}"], timeout=_GIT_SECONDS)
    seconds = answer.stdout.decode("ascii", "replace").strip().removeprefix("--max-age=")
    return clock.format_time(int(seconds)) if answer.returncode == 0 and seconds.isdecimal() else None


def _is_before_1970(text: str) -> bool:
    """Tell whether a text counts back to a time that Git does not know; it would say "now"."""
    counted = ((int(count), unit.lower()) for count, unit in _COUNTED_UNIT.findall(text))
    return sum(count * _UNIT_SECONDS.get(unit, _YEAR_SECONDS) for count, unit in counted) > clock.timestamp()
