"""What was said on a date is found by the date alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.index.documents import moment_names
from memgit.index.lexical import open_index
from memgit.retrieval.asked_dates import asked_dates, asked_names
from memgit.retrieval.recall import RecallRequest, recall
from memgit.retrieval.search import SearchRequest, search
from memgit.retrieval.view import View

from .memory import Memory

MOMENTS = ("2025-07-06T10:00:00.000000Z", "2026-07-06T23:30:00.000000Z", "2026-09-01T08:00:00.000000Z")


@pytest.fixture(params=["whoosh", "tantivy"])
def view(request: pytest.FixtureRequest, tmp_path: Path) -> View:
    """A session with a turn at each of the moments, none of which says when."""
    memory = Memory(tmp_path, opened=open_index(tmp_path, request.param))
    turns = [
        memory.claim(
            f"Turn number {number}.",
            claim_type="observation",
            markers=("session:standup", f"turn:{number}", "speaker:Ada", f"time:{moment}"),
        )
        for number, moment in enumerate(MOMENTS, 1)
    ]
    memory.claim("Nobody said this in a session.")
    return memory.view(session=lambda scope, session, first, last: turns if first <= len(turns) else ())


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("what happened on 2026-07-06", 2),
        ("what did Ada say on July 6, 2026", 2),
        ("anything from 6 July 2025?", 1),
        ("in September 2026", 3),
        ("what came up in 2025", 1),
    ],
)
def test_a_date_alone_finds_what_was_said_then(view: View, query: str, first: int) -> None:
    """A day, a month, a year, in whichever words."""
    hits = search(SearchRequest(query=query, kinds=frozenset({"claim"})), view).hits
    assert hits and hits[0].claim is not None
    assert hits[0].claim.statement == f"Turn number {first}."
    assert hits[0].claim.why.tier is None


def test_a_date_without_a_year_finds_each(view: View) -> None:
    """Both years' sixth of July, and nothing else."""
    hits = search(SearchRequest(query="what came up on July 6"), view).hits
    assert {hit.claim.statement for hit in hits if hit.claim is not None} == {"Turn number 1.", "Turn number 2."}


def test_a_date_qualifies_nothing(view: View) -> None:
    """That something was said on a day does not answer what is asked about it."""
    assert recall(RecallRequest(query="what happened on 2026-07-06"), view).presence == "none"
    artifacts = SearchRequest(query="what happened on 2026-07-06", kinds=frozenset({"artifact"}))
    assert search(artifacts, view).hits == ()


def test_names_of_moments() -> None:
    """Both sides call a date the same; what is no moment has no name."""
    names = moment_names("2026-07-06T23:30:00-02:00")
    assert names == ("time:2026-07-07", "time:2026-07", "time:2026", "time:--07-07", "time:--07")
    for asked in ("on 2026-07-07", "in July 2026", "in 2026", "on July 7", "in July"):
        assert set(asked_names(asked_dates(asked))) <= set(names), asked
    assert moment_names("yesterday") == ()
