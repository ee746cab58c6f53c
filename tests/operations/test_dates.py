"""Dates are read as Git reads them, by every operation that takes one, and what is no date is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memgit import clock
from memgit.operations.dates import moment_of
from memgit.store.repository import discover
from tests.operations.conftest import Memory

DAY = 86_400


@pytest.fixture
def vienna(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the local time be one hour ahead of UTC in winter."""
    monkeypatch.setenv("TZ", "CET-1")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-30", "2026-11-30T00:00:00"),
        ("2026/11/30", "2026-11-30T00:00:00"),
        ("30 Nov 2026", "2026-11-30T00:00:00"),
        ("2026-11-30T20:06:00Z", "2026-11-30T20:06:00"),
        ("2026-11-30 20:06:00", "2026-11-30T19:06:00"),
        ("2026-11-30T20:06:00", "2026-11-30T19:06:00"),
        ("2026-11-30 20:06", "2026-11-30T19:06:00"),
        ("2026-11-30 20:06:00 +0200", "2026-11-30T18:06:00"),
        ("Mon, 30 Nov 2026 20:06:00 +0100", "2026-11-30T19:06:00"),
        ("Mon Nov 30 20:06:00 2026 +0100", "2026-11-30T19:06:00"),
        ("november 30, 2026", "2026-11-30T00:00:00"),
        ("@1796065560", "2026-11-30T19:06:00"),
    ],
)
@pytest.mark.usefixtures("vienna")
def test_a_calendar_date(memory: Memory, text: str, moment: str) -> None:
    """In each form that Git prints or people type; a time without a zone is local, a bare date begins in UTC."""
    assert moment_of(discover(memory.directory), text) == f"{moment}.000000Z"


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("yesterday", 1),
        ("2.weeks.ago", 14),
        ("2 weeks ago", 14),
        ("last week", 7),
        ("three days ago", 3),
        ("1 week 2 days ago", 9),
        ("now", 0),
    ],
)
def test_a_date_that_counts_from_now(memory: Memory, text: str, days: int) -> None:
    """Is what `git log --since` makes of it, to the second or two that the test takes."""
    found = moment_of(discover(memory.directory), text)
    wanted = time.time() - days * DAY
    assert found is not None
    assert clock.format_time(wanted - 5) <= found <= clock.format_time(wanted + 5)


def test_a_time_of_a_day(memory: Memory) -> None:
    """`yesterday at 17:30`, `last monday noon` and `today` are what they say."""
    repository = discover(memory.directory)
    assert "17:30:00" in str(moment_of(repository, "yesterday at 17:30"))
    assert "12:00:00" in str(moment_of(repository, "last monday noon"))
    assert "00:00:00" in str(moment_of(repository, "today"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "a week ago",
        "yesterday-ish",
        "2026-13-01",
        "2026-02-30 10:00",
        "25:00",
        "9999 years ago",
        "30 Xyz 2026",
    ],
)
def test_nothing_is_guessed(memory: Memory, text: str) -> None:
    """Git takes nonsense for "now"; here it names no moment."""
    assert moment_of(discover(memory.directory), text) is None


@pytest.mark.parametrize(
    "date", ["yesterday", "last week", "2.weeks.ago", "2026-01-30 20:06:00", "2026-01-30T20:06:00"]
)
def test_every_operation_reads_dates_alike(memory: Memory, date: str) -> None:
    """`as_of`, `diff`, and `log`, also in a program's request."""
    memory.claim("The port is 8080.")
    assert memory.run("memory.recall", query="port", as_of=date)["presence"] == "none"
    assert memory.run("diff", range=f"{date}..@")["counts"]["claims.new"] == 1
    assert len(memory.run("log", since=date)["items"]) == 2
    assert memory.run("log", until=date)["items"] == []


def test_a_refused_date_names_the_forms(memory: Memory) -> None:
    """The hint shows dates that are taken."""
    memory.claim("The port is 8080.")
    for asked in ({"op": "log", "since": "soon"}, {"op": "memory.recall", "query": "port", "as_of": "soon"}):
        fields: dict[str, Any] = {name: value for name, value in asked.items() if name != "op"}
        hint = memory.refused(asked["op"], **fields)["hint"]
        assert "2026-05-01" in hint and "2.weeks.ago" in hint


def test_before_the_beginning_is_said(memory: Memory) -> None:
    """An `as_of` before the memory began says when it began."""
    memory.claim("The port is 8080.")
    before, after = (memory.envelope("memory.recall", query="port", as_of=date) for date in ("2.weeks.ago", "now"))
    began = clock.now()[:10]
    assert any(f"began on {began}" in warning for warning in before["warnings"])
    assert not any("began" in warning for warning in after["warnings"])


def test_dates_need_no_working_tree(memory: Memory, tmp_path: Path) -> None:
    """A date that Git reads works in a bare repository too."""
    memory.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    assert moment_of(discover(tmp_path / "bare.git"), "yesterday") is not None
