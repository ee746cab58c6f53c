"""What a claim's markers say of the conversation that it was said in."""

from __future__ import annotations

import pytest

from memgit.records.conversation import Turns, parse_turns, saying, session_path, session_range
from memgit.records.op import Scope

SCOPE = Scope("w", "p")


def test_markers_say_where_something_was_said() -> None:
    """Session, turns, speakers and time, in whatever order the markers stand."""
    said = saying(
        ("turn:3-5", "tag:x", "time:2026-01-02T00:00:00.000000Z", "speaker:Ben", "session:a.b-1", "speaker:Ada")
    )
    assert said is not None
    assert (said.session, said.turns, set(said.speakers)) == ("a.b-1", Turns(3, 5), {"Ada", "Ben"})
    assert said.moments == ("2026-01-02T00:00:00.000000Z",)


@pytest.mark.parametrize(
    "markers", [(), ("turn:1",), ("session:a b",), ("session:a", "session:b"), ("session:" + "x" * 129,)]
)
def test_what_belongs_to_no_one_session_is_no_saying(markers: tuple[str, ...]) -> None:
    """No session, a name that cannot be one, or two of them."""
    assert saying(markers) is None


@pytest.mark.parametrize("turns", [Turns(1, 1), Turns(17, 24), Turns(17, 17, 2)])
def test_a_marker_of_turns_is_read_as_it_was_written(turns: Turns) -> None:
    """One turn, several, and a part of one."""
    assert parse_turns(turns.marker.partition(":")[2]) == turns


@pytest.mark.parametrize("text", ["0", "-1", "5-3", "1-", "1.0", "x", "1.2.3", "99999999", ""])
def test_what_names_no_turns_is_none(text: str) -> None:
    """Anybody may write a marker."""
    assert parse_turns(text) is None


def test_paths_sort_as_turns_do() -> None:
    """By number and not by digit, parts in their order; a range holds what begins in it, and no other session."""
    turns = [Turns(2, 9), Turns(10, 10, 1), Turns(10, 10, 2), Turns(10, 10, 11), Turns(100, 100)]
    paths = [session_path(SCOPE, "s", each) for each in turns]
    assert paths == sorted(paths)
    low, high = session_range(SCOPE, "s", 3, 10)
    assert [low <= path < high for path in paths] == [False, True, True, True, False]
    strange = [
        session_path(SCOPE, "s1", Turns(5, 5)),
        session_path(Scope("w", "p", "t"), "s", Turns(5, 5)),
        session_path(Scope("w", "other"), "s", Turns(5, 5)),
    ]
    assert not any(low <= path < high for path in strange)
