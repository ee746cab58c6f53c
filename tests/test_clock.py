"""Times that cannot be are shown as the nearest that can."""

from __future__ import annotations

import pytest

from memgit import clock


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (-1, "1969-12-31T23:59:59.000000Z"),
        (9_999_999_999_999, "9999-12-31T23:59:59.000000Z"),
        (10**300, "9999-12-31T23:59:59.000000Z"),
        (-(10**15), "1000-01-01T00:00:00.000000Z"),
    ],
)
def test_any_number_of_seconds_is_a_time(seconds: float, shown: str) -> None:
    """A forged commit date is no reason to fail, and what is shown parses."""
    assert clock.format_time(seconds) == shown
    assert clock.parse_time(shown) == shown
