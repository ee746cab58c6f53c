"""What goes by count, by age, and when a clock is wrong; and who pays for collecting it."""

from __future__ import annotations

import time

import pytest

from memgit import clock
from memgit.checkpoints import archive, recording
from memgit.checkpoints.archive import Archive, Kept
from memgit.checkpoints.recording import note_garbage
from memgit.checkpoints.retention import Retention, expired, moment
from memgit.errors import StoreBusy
from tests.checkpoints.workplace import Place, hook_line

DAY = 24 * 3600.0


def at(day: int, has_snapshot: bool) -> Kept:
    """Return a checkpoint of so many days after 1970."""
    number = day * 24 * 3600 * 1000
    digits = "0123456789abcdefghjkmnpqrstvwxyz"
    return Kept("chk_" + "".join(digits[(number >> 5 * n) & 31] for n in range(9, -1, -1)) + "0" * 16, has_snapshot)


EVENTS, SNAPSHOTS = [at(day, False) for day in range(1, 8)], [at(day, True) for day in range(1, 4)]
EVERYTHING = [*EVENTS, *SNAPSHOTS]


def drained(place: Place, number: int, seconds: float) -> None:
    """Run a command at a moment, with a line of a hook waiting."""
    hook_line(place, "post-merge", before=f"{number:040x}", after=f"{number + 1:040x}", seconds=seconds)
    with clock.pinned(seconds):
        place.run("status")


def test_by_count_of_each_sort() -> None:
    """Events do not push out snapshots; 0 means without end."""
    assert moment(EVENTS[2].id) == 3 * DAY
    assert set(expired(EVERYTHING, Retention(keep=5, days=0), 10 * DAY, {}).gone) == set(EVENTS[:2])
    assert expired(EVERYTHING, Retention(keep=0, days=0), 10 * DAY, {}).gone == []


@pytest.mark.parametrize(("days", "wait"), [(8, 8), (30, 14)])
def test_by_age_once_it_was_seen_for_a_while(days: int, wait: int) -> None:
    """First it is seen that one is too old; as many days later, at most two weeks, it goes."""
    retention, now = Retention(keep=0, days=days), (days + 2) * DAY
    first = expired(EVERYTHING, retention, now, {})
    assert (first.gone, first.seen) == ([], {EVENTS[0].id: now, SNAPSHOTS[0].id: now})
    assert expired(EVERYTHING, retention, now + wait * DAY - 1, first.seen).gone == []
    assert set(expired(EVERYTHING, retention, now + wait * DAY, first.seen).gone) == {EVENTS[0], SNAPSHOTS[0]}


def test_what_was_seen_by_a_wrong_clock_begins_anew() -> None:
    """A moment that lies ahead counts from now on, and what is young again is forgotten."""
    retention = Retention(keep=0, days=30)
    wrong = expired(EVERYTHING, retention, 100 * DAY, {})
    assert wrong.seen.keys() == {one.id for one in EVERYTHING}
    assert expired(EVERYTHING, retention, 10 * DAY, wrong.seen).seen == {}
    later = expired(EVERYTHING, retention, 40 * DAY, wrong.seen)
    assert later.gone == [] and set(later.seen.values()) == {40 * DAY}


def test_a_clock_that_is_ahead_for_once_removes_nothing(place: Place) -> None:
    """A drain 40 days ahead; days later by the right clock all snapshots are there, and restore."""
    now = time.time()
    saved = [place.checkpoint(f"number {number}") for number in range(3)]
    place.write("kept.txt", "later\n")
    for number, days in enumerate((40, 0, 1, 41, 2)):
        drained(place, number, now + days * DAY)
    assert {one.id for one in place.archive.kept() if one.has_snapshot} == set(saved)
    place.restore(saved[0])
    assert place.files()["kept.txt"][1] == b"kept\n"


def test_what_is_too_old_goes_in_the_end(place: Place) -> None:
    """By drains alone, after the age and two weeks more."""
    now = time.time()
    saved = place.checkpoint()
    for number, days in enumerate((31, 44)):
        drained(place, number, now + days * DAY)
        assert Kept(saved, True) in place.archive.kept()
    drained(place, 3, now + 46 * DAY)
    assert not [one for one in place.archive.kept() if one.has_snapshot]


def test_only_commands_on_checkpoints_collect(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that drains leaves the garbage to `checkpoint`, however much it is."""
    monkeypatch.setattr(recording, "_COLLECT_AFTER", 1)
    collected: list[int] = []
    monkeypatch.setattr(Archive, "collect", lambda _: not collected.append(1))
    place.git("config", "memgit.checkpointKeep", "1")
    place.checkpoint("first")
    with place.archive.held():
        note_garbage(place.archive, 3)
    drained(place, 1, time.time())
    drained(place, 2, time.time() + 100)
    assert collected == []
    place.checkpoint("second")
    assert collected == [1]


def test_a_collection_that_takes_too_long_fails_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkpoint is made, and the next one does not try it again at once."""
    monkeypatch.setattr(recording, "_COLLECT_AFTER", 2)
    real = archive.run_git
    tried: list[list[str]] = []

    def slow(repository: object, arguments: list[str], **named: object) -> object:
        if arguments[0] == "gc":
            tried.append(arguments)
            raise StoreBusy("`git gc` did not answer within 300 s")
        return real(repository, arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(archive, "run_git", slow)
    place.checkpoint("first")
    with place.archive.held():
        note_garbage(place.archive, 2)
    made = [place.checkpoint("second"), place.checkpoint("third")]
    assert set(made) <= set(place.ids()) and len(tried) == 1
    assert place.run("checkpoint.drop", ids=made[:1])["collected"] is False
