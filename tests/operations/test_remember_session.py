"""`session.ingest`: turns to observations, in their order, exactly, and only once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.operations.remember_session import remember_session
from memgit.operations.session_parts import missing_parts
from memgit.operations.session_text import pieces, split
from tests.operations.conftest import SCOPE, Memory
from tests.operations.divided import copied, united

SECRET = "password: hunter2Xk99!aa_Z"


def turn(text: str, speaker: str | None = None, **fields: Any) -> dict[str, Any]:
    """Return a turn of a request."""
    return {"text": text, **fields} | ({"speaker": speaker} if speaker else {})


def ingest(memory: Memory, *turns: dict[str, Any], session: str = "talk-1", **fields: Any) -> dict[str, Any]:
    """Return what ingesting turns says."""
    return memory.run("session.ingest", session=session, turns=turns, **fields)


def claims(memory: Memory, written: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the claims that were written."""
    return [memory.run("claim.get", claim_id=name) for name in written["claim_ids"]]


def statements(memory: Memory, written: dict[str, Any]) -> list[str]:
    """Return their statements."""
    return [claim["statement"] for claim in claims(memory, written)]


def test_turns_become_observations_in_one_commit(memory: Memory) -> None:
    """Markers say which session, turns, who and when; the subject is who said it; seqs follow each other."""
    before = memory.git("rev-list", "--count", "refs/memgit/store")
    written = ingest(
        memory,
        turn("Where were you?", "Ada", role="user", time="2026-05-08T10:00:00+02:00"),
        turn("  At the lake.\n", "Ben"),
        turns_per_claim=1,
    )
    assert (written["claims"], written["turns"], written["known"]) == (2, 2, 0)
    assert int(memory.git("rev-list", "--count", "refs/memgit/store")) == int(before) + 1
    first, second = claims(memory, written)
    assert first["claim_type"] == "observation" and first["subject"] == "Ada"
    assert first["markers"] == [
        "role:user",
        "session:talk-1",
        "speaker:Ada",
        "time:2026-05-08T08:00:00.000000Z",
        "turn:1",
    ]
    assert second["statement"] == "  At the lake.\n" and second["markers"][-1] == "turn:2"
    assert second["seq"] == first["seq"] + 1


def test_several_turns_share_a_claim(memory: Memory) -> None:
    """Up to the bounds; each says who said it, and no turn stands in two claims."""
    turns = [turn(f"Sentence {number}.", "Ada" if number % 2 else "Ben") for number in range(1, 11)]
    first, second = claims(memory, ingest(memory, *turns))
    assert first["statement"].splitlines()[:2] == ["Ada: Sentence 1.", "Ben: Sentence 2."]
    assert "turn:1-8" in first["markers"] and "turn:9-10" in second["markers"]
    assert {"speaker:Ada", "speaker:Ben"} <= set(first["markers"]) and first["subject"] is None
    small = ingest(memory, *turns, session="small", max_bytes=64)
    assert all(len(text.encode()) <= 64 for text in statements(memory, small))
    assert small["claims"] == 4


def test_a_long_turn_is_split_where_sentences_end(memory: Memory) -> None:
    """The parts joined are the very text; each says which part it is; neighbours are not drawn in."""
    text = "One sentence here. Another one there! 漢字の文。And a third?\nA line. " * 4 + "\U0001f600" * 40
    written = ingest(memory, turn("Before."), turn(text), turn("After."), max_bytes=100)
    found = claims(memory, written)
    parts = [claim for claim in found if any(marker.startswith("turn:2.") for marker in claim["markers"])]
    assert "".join(part["statement"] for part in parts) == text
    assert [part["markers"][-1] for part in parts] == [f"turn:2.{number}" for number in range(1, len(parts) + 1)]
    assert all(len(part["statement"].encode()) <= 100 for part in parts)
    assert parts[0]["statement"].endswith((". ", "! ", "。", "\n"))


def test_the_same_session_again_changes_nothing(memory: Memory) -> None:
    """Whatever the bounds of the second time; a part of the turns is known as well."""
    turns = [turn(f"Sentence {number}. " * 9, "Ada") for number in range(1, 6)]
    ingest(memory, *turns, max_bytes=100)
    ingest(memory, turn("Other."), session="other")
    tip = memory.tip()
    for again in ({"max_bytes": 100}, {}, {"turns_per_claim": 1}):
        assert ingest(memory, *turns, **again)["known"] == 5
    assert ingest(memory, *turns[:2])["known"] == 2
    assert memory.tip() == tip


def test_a_longer_session_appends(memory: Memory) -> None:
    """Only what is new is written, and its numbers go on."""
    turns = [turn(f"Sentence {number}.") for number in range(1, 4)]
    ingest(memory, *turns[:2])
    written = ingest(memory, *turns)
    assert (written["claims"], written["turns"], written["known"]) == (1, 1, 2)
    (claim,) = claims(memory, written)
    assert claim["statement"] == "Sentence 3." and "turn:3" in claim["markers"]


def test_a_session_with_other_words_is_refused(memory: Memory) -> None:
    """Nothing is written, and the turn is named: alone, of several, of a part. A correction is no other word."""
    ingest(memory, turn("One."), turn("Two."), turns_per_claim=1)
    refused = memory.refused("session.ingest", session="talk-1", turns=[turn("One."), turn("2.")])
    assert refused["code"] == "INVALID_REQUEST" and refused["details"]["first"] == 2
    long = "A sentence. " * 20
    ingest(memory, turn(long), session="long", max_bytes=100)
    assert memory.refused("session.ingest", session="long", turns=[turn(long + "!")])["details"]["first"] == 1
    written = ingest(memory, turn("Three."), session="edited")
    claim = memory.run("claim.get", claim_id=written["claim_ids"][0])
    memory.run("claim.revise", claim_id=claim["claim_id"], if_revision=claim["revision_id"], statement="Corrected.")
    assert ingest(memory, turn("Three."), session="edited")["known"] == 1


def test_sessions_of_two_projects_are_two(memory: Memory) -> None:
    """The same name elsewhere is another session."""
    ingest(memory, turn("One."))
    elsewhere = SCOPE | {"project_id": "prj-other"}
    assert ingest(memory, turn("Another."), context=elsewhere)["known"] == 0


def test_a_secret_is_left_out_and_named(memory: Memory) -> None:
    """The turn alone, not its neighbours; the number stays free; with leave it goes where it belongs."""
    turns = [turn("One."), turn(SECRET), turn(" \n"), turn("Four.")]
    written = ingest(memory, *turns)
    assert [item["turn"] for item in written["left_out"]] == [2, 3]
    assert statements(memory, written) == ["One.", "Four."]
    assert SECRET not in str(written)
    allowed = ingest(memory, *turns, allow_flagged=True)
    assert (allowed["turns"], allowed["known"]) == (1, 2)
    assert claims(memory, allowed)[0]["markers"][-1] == "turn:2"


def test_what_was_undone_is_written_again(memory: Memory) -> None:
    """An undone claim is as if it had never been."""
    written = ingest(memory, turn("One."))
    memory.run("undo", targets=[written["claim_ids"][0]])
    assert ingest(memory, turn("One."))["turns"] == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"session": "a b"}, "session"),
        ({"session": "x" * 129}, "session"),
        ({"turns_per_claim": 0}, "turns_per_claim"),
        ({"max_bytes": 9000}, "max_bytes"),
        ({"turns": [turn("One.", time="yesterday")]}, "turns[0].time"),
        ({"turns": [turn("One."), turn("Two.", "a\nb")]}, "turns[1].speaker"),
        ({"turns": [turn("One.", speeker="Ada")]}, "turns[0]"),
    ],
)
def test_what_is_wrong_is_named(memory: Memory, fields: dict[str, Any], field: str) -> None:
    """The field, and the turn."""
    refused = memory.refused("session.ingest", **({"session": "s", "turns": [turn("One.")]} | fields))
    assert refused["details"]["field"].startswith(field)


def test_python_can_call_it(memory: Memory) -> None:
    """With plain dictionaries."""
    written = remember_session(memory.directory, "py", [turn("One.", "Ada")], context=SCOPE)
    assert (written.claims, written.known) == (1, 0)


def test_python_can_say_all_that_a_request_can(memory: Memory) -> None:
    """Markers, the layer, and that somebody looked at what seems to be a secret."""
    kept = remember_session(
        memory.directory, "py", [turn(SECRET)], markers=["team:a"], layer="local", allow_flagged=True, context=SCOPE
    )
    claim = memory.run("claim.get", claim_id=kept.claim_ids[0])
    assert "team:a" in claim["markers"] and claim["layer"] == "local" and claim["statement"] == SECRET


LONG = "The tide is noted each day. " * 40


@pytest.mark.parametrize("sizes", [(256, 256), (256, 512)])
def test_what_two_clones_took_in_is_known(memory: Memory, sizes: tuple[int, int]) -> None:
    """Each part is there twice, cut alike or otherwise. The session is known, and it grows."""
    other = copied(memory)
    turns = [turn("Where?", "Ada"), turn(LONG, "Ben"), turn("Good.", "Ada")]
    for one, size in zip((memory, other), sizes, strict=True):
        ingest(one, *turns, max_bytes=size)
    united(memory, other)
    for size in (*sizes, 1024):
        again = ingest(memory, *turns, max_bytes=size)
        assert (again["claims"], again["known"]) == (0, 3)
    assert ingest(memory, *turns, turn("And then?"), max_bytes=256)["turns"] == 1
    refused = memory.refused("session.ingest", session="talk-1", turns=[turns[0], turn(LONG + "Or not."), turns[2]])
    assert refused["details"] == {"field": "turns", "first": 2, "last": 2}


@pytest.mark.parametrize("places", [[0], [2], [-1], [0, 1], [1, -1]])
def test_parts_that_were_undone_are_written_again(memory: Memory, places: list[int]) -> None:
    """Only those, wherever they were; the turn is whole again then."""
    written = ingest(memory, turn("Where?", "Ada"), turn(LONG, "Ben"), max_bytes=256)
    parts = claims(memory, written)[1:]
    memory.run("undo", targets=[parts[place]["claim_id"] for place in places])
    again = ingest(memory, turn("Where?", "Ada"), turn(LONG, "Ben"), max_bytes=256)
    assert (again["turns"], again["known"]) == (1, 1)
    assert statements(memory, again) == [parts[place]["statement"] for place in sorted(places, key=lambda n: n % 100)]
    assert ingest(memory, turn("Where?", "Ada"), turn(LONG, "Ben"), max_bytes=256)["claims"] == 0


@given(st.text(min_size=70, max_size=300), st.lists(st.integers(64, 120), min_size=1, max_size=3), st.data())
def test_missing_parts_complete_the_text(text: str, sizes: list[int], data: st.DataObject) -> None:
    """Whatever was undone, what is known and what is missing are the text; parts of another text are of other words."""
    whole: dict[int, set[str]] = {}
    for size in sizes:
        for number, part in enumerate(split(text, size), 1):
            whole.setdefault(number, set()).add(part)
    assert missing_parts(text, 64, whole) == set()
    expected = split(text, sizes[0])
    left = data.draw(st.sets(st.integers(1, len(expected))))
    known = {number: {expected[number - 1]} for number in left}
    missing = missing_parts(text, sizes[0], known)
    assert missing == set(range(1, len(expected) + 1)) - left
    assert missing_parts(text, sizes[0], {**known, 1: {"\x00 other words"}}) is None


@given(st.text(max_size=400), st.integers(64, 120))
def test_any_text_is_split_exactly(text: str, size: int) -> None:
    """The parts are the text, and none is longer unless it ends in blanks."""
    parts = split(text, size)
    assert "".join(parts) == text
    assert all(len(part.strip().encode()) <= size for part in parts)
    assert all(part.strip() for part in parts) or not text.strip()


@given(st.dictionaries(st.integers(1, 40), st.text(min_size=1, max_size=90)), st.integers(1, 5), st.integers(64, 200))
def test_any_turns_keep_their_order_and_bounds(turns: dict[int, str], most: int, size: int) -> None:
    """Each turn stands in one piece; pieces have neighbours only, in order."""
    found = list(pieces({number: (text, f"Ada: {text}") for number, text in turns.items()}, most, size))
    covered = [
        number for piece in found if piece.turns.part < 2 for number in range(piece.turns.first, piece.turns.last + 1)
    ]
    assert covered == sorted(turns)
    assert all(piece.turns.last - piece.turns.first < most for piece in found)
    assert [piece.turns for piece in found] == sorted(piece.turns for piece in found)
