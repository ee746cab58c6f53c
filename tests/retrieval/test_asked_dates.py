"""Dates in a question, and the moments that fit them."""

from __future__ import annotations

import pytest

from memgit.retrieval.asked_dates import AskedDate, asked_dates, date_fit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What was said on 8 May, 2023?", AskedDate(2023, 5, 8)),
        ("what was said on the 8th of May 2023", AskedDate(2023, 5, 8)),
        ("What happened on August 11?", AskedDate(None, 8, 11)),
        ("What happened on Aug. 3rd, 2024?", AskedDate(2024, 8, 3)),
        ("the meeting of 2023-05-08", AskedDate(2023, 5, 8)),
        ("in May 2023", AskedDate(2023, 5)),
        ("in may", AskedDate(None, 5)),
        ("the plan of 2023-05", AskedDate(2023, 5)),
        ("What did we decide in 2022?", AskedDate(2022)),
    ],
)
def test_a_date_is_found(text: str, expected: AskedDate) -> None:
    """In the ways in which it is written, once."""
    assert asked_dates(text) == (expected,)


@pytest.mark.parametrize("text", ["may we march?", "error 2023", "May I?", "version 2023-99-99", "in 31 days", "", "🗓"])
def test_what_is_no_date_is_none(text: str) -> None:
    """Verbs, numbers and days that no calendar has."""
    assert asked_dates(text) == ()


def test_several_dates_are_found() -> None:
    """Each of them."""
    assert set(asked_dates("between August 11 and 15 August 2023")) == {AskedDate(None, 8, 11), AskedDate(2023, 8, 15)}


@pytest.mark.parametrize(
    ("moment", "fit"),
    [
        ("2023-05-08T23:00:00Z", 1.0),
        ("2023-05-07T00:00:00Z", 0.7),
        ("2023-05-09T00:00:00Z", 0.7),
        ("2023-05-15T00:00:00Z", 0.5),
        ("2023-05-20T00:00:00Z", 0.25),
        ("2023-05-06T00:00:00Z", 0.0),
        ("2024-05-08T00:00:00Z", 0.0),
        ("yesterday", 0.0),
    ],
)
def test_the_days_after_a_day_fit_less(moment: str, fit: float) -> None:
    """What was said is about that day or the days before."""
    assert date_fit((AskedDate(2023, 5, 8),), moment) == fit


def test_months_and_years_fit_as_a_whole() -> None:
    """Every day of them, and the week after a month; a year that nobody named may be any."""
    assert date_fit((AskedDate(None, 12),), "2022-12-31T10:00:00Z") == 1.0
    assert date_fit((AskedDate(None, 12),), "2023-01-03T10:00:00Z") == 0.5
    assert date_fit((AskedDate(2022),), "2022-02-03T10:00:00Z") == 1.0
    assert date_fit((AskedDate(2023, 2, 30),), "2023-03-02T10:00:00Z") == 0.0
