"""Dates that a question names, and how well a moment fits them. Pure; it knows the calendar and English month names.

`on 8 May, 2023`, `August 11`, `in May 2023`, `2023-05-08`, `in 2022`. What was said on a day is mostly about that day
or the days before it, so a date fits the days that follow it as well, less so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from memgit.index.documents import date_name

_NAMES = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
)
_MONTHS = {name: number for names in _NAMES for number, name in enumerate(names.split(), 1)} | {"sept": 9}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>(?:19|20)\d\d)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_YEAR}-(?P<number>\d\d)-(?P<day>\d\d)\b",
        rf"\b{_YEAR}-(?P<number>\d\d)\b(?!-)",
        rf"\b{_DAY}\s+(?:of\s+)?(?P<month>{_MONTH})\b\.?(?:,?\s+(?:of\s+)?{_YEAR}\b)?",
        rf"\b(?P<month>{_MONTH})\b\.?\s+{_DAY}\b(?!\d)(?:,?\s+(?:of\s+)?{_YEAR}\b)?",
        rf"\b(?P<month>{_MONTH})\b\.?,?\s+(?:of\s+)?{_YEAR}\b",
        rf"\b(?:in|of|during|since|until|before|after|by)\s+(?P<month>{_MONTH})\b",
        rf"\b(?:in|of|during|since|until|before|after|by)\s+{_YEAR}\b",
    )
)
"""A month alone counts only after a preposition: `may` and `march` are verbs as well."""

_FITS = ((0, 1.0), (1, 0.7), (7, 0.5), (14, 0.25))
"""Up to so many days after the day that is asked for, and how well that fits: what happened is told soon. Steps chosen
by hand; what the part as a whole gives is measured (decision 0028)."""
_DAY_BEFORE = 0.7  # clocks and time zones differ by as much
_WEEK_AFTER_MONTH = 0.5


@dataclass(frozen=True, slots=True)
class AskedDate:
    """A year, a month of any or one year, or a day of one."""

    year: int | None
    month: int | None = None
    day: int | None = None


def asked_dates(text: str) -> tuple[AskedDate, ...]:
    """Return the dates that a text names, most exact form first, each place of the text once."""
    found: list[AskedDate] = []
    for form in _FORMS:
        found += (asked for match in form.finditer(text) if (asked := _asked(match)))
        text = form.sub(" ", text)
    return tuple(dict.fromkeys(found))


def asked_names(asked: Iterable[AskedDate]) -> tuple[str, ...]:
    """Return the names under which an index has what was said on these dates (`documents.moment_names`)."""
    return tuple(dict.fromkeys(_name(each) for each in asked))


def _name(asked: AskedDate) -> str:
    month, day = (f"{part:02}" if part is not None else "" for part in (asked.month, asked.day))
    return date_name(f"{asked.year:04}" if asked.year is not None else "", month, day)


def date_fit(asked: Iterable[AskedDate], moment: str) -> float:
    """Return from 0 to 1 how well a moment, in RFC 3339, fits the date that it fits best; 0 for what is no moment."""
    try:
        day = datetime.fromisoformat(moment).astimezone(UTC).date()
    except (ValueError, OverflowError):
        return 0.0
    return max((_fit(each, day) for each in asked), default=0.0)


def _asked(match: re.Match[str]) -> AskedDate | None:
    parts = match.groupdict()
    month = _MONTHS[parts["month"].lower()] if parts.get("month") else int(parts.get("number") or 0) or None
    day, year = int(parts.get("day") or 0) or None, int(parts["year"]) if parts.get("year") else None
    if month is not None and not 1 <= month <= 12:
        return None
    return AskedDate(year, month, day) if day is None or day <= 31 else None


def _fit(asked: AskedDate, day: date) -> float:
    if asked.month is None:
        return 1.0 if day.year == asked.year else 0.0
    years = (asked.year,) if asked.year is not None else (day.year, day.year - 1)
    return max((_fit_in(year, asked.month, asked.day, day) for year in years), default=0.0)


def _fit_in(year: int, month: int, asked_day: int | None, day: date) -> float:
    try:
        first = date(year, month, asked_day or 1)
    except ValueError:  # 30 February
        return 0.0
    if asked_day is None:
        after = (first + timedelta(days=31)).replace(day=1)
        return 1.0 if first <= day < after else _WEEK_AFTER_MONTH if 0 <= (day - after).days < 7 else 0.0
    return max(_fits_of((day - first).days), default=0.0)


def _fits_of(days: int) -> Iterator[float]:
    """Yield how well a day fits that lies so many days after the one that is asked for."""
    if days == -1:
        yield _DAY_BEFORE
    yield from (fit for most, fit in _FITS if 0 <= days <= most)
