"""What another program put into our ref is judged before it is counted, written on, or pushed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sync.by_hand import CLAIM, Hand
from tests.sync.conftest import STORE, Clone, git

EVIL = "evil/path.txt"


def evil(clone: Clone, *, parent: str | None = None) -> str:
    """Make a commit that no memgit writes, with a file outside the grammar that may be run."""
    hand = Hand(clone)
    tree = hand.tree({EVIL: ("100755", hand.blob(b"x"))})
    return clone.commit(tree, parent or clone.tip(), seq=9)


def obey(clone: Clone, hint: str) -> None:
    """Run the first `git` command that a hint names."""
    words = next(part for part in hint.split("`") if part.startswith("git ") and not part.startswith("git memory"))
    clone.git(*words.split()[1:])


def test_a_forced_fetch_of_what_is_no_memory_is_not_pushed(one: Clone, two: Clone, hub: Path) -> None:
    """A wild fetch that moves our ref to a malformed tip makes it neither good nor ours: nothing of it is sent on."""
    good = two.tip()
    bad = Hand(one).publish(evil(one))
    two.git("fetch", "-q", "origin", f"+{STORE}:{STORE}")
    assert two.tip() == bad

    assert "at evil" in two.refused("sync.run", "INCOMING_REFUSED")["message"]
    git(hub, "update-ref", STORE, good)
    for operation in ("sync.push", "sync.run", "sync.pull"):
        error = two.refused(operation, "STORE_CORRUPT")
        assert "at evil" in error["message"] and good in error["hint"]

    assert git(hub, "rev-parse", STORE) == good
    obey(two, error["hint"])
    two.claim("goes on")
    assert two.sync()["went"] == {"claim.assert": 1}
    assert EVIL not in git(hub, "ls-tree", "-r", "--name-only", STORE)


def test_nothing_is_written_on_top_of_what_is_no_memory(one: Clone, two: Clone) -> None:
    """A write finds out too: it is refused with the way back, instead of making the fault part of this clone's work."""
    bad = Hand(one).publish(evil(one))
    good = two.tip()
    two.git("fetch", "-q", "origin", f"+{STORE}:{STORE}")

    error = two.refused("claim.assert", "STORE_CORRUPT", claim_type="fact", statement="never")

    assert bad in error["message"] and good in error["hint"]
    obey(two, error["hint"])
    two.claim("after")
    assert two.statements() == ["after", "first"]


def test_a_mirror_of_what_is_no_memory_sends_nothing(one: Clone, clone: Callable[..., Clone], hub: Path) -> None:
    """A clone that got the ref with `--mirror` has no log to go by: its whole history is judged before a push."""
    good = one.tip()
    Hand(one).publish(evil(one))
    mirror = clone("mirror.git", "--mirror")
    git(hub, "update-ref", STORE, good)

    for operation in ("sync.push", "sync.run"):
        error = mirror.refused(operation, "INCOMING_REFUSED")
        assert "at evil" in error["message"] and "git memory sync" in error["hint"]
        assert git(hub, "rev-parse", STORE) == good

    obey(mirror, error["hint"])  # keeps it for a look
    mirror.git("update-ref", *error["hint"].split(f"git update-ref {STORE} ")[1].split("`")[0].split(), check=False)
    mirror.git("update-ref", STORE, good)
    mirror.claim("of the mirror")
    assert mirror.sync()["went"] == {"claim.assert": 1}


def test_what_a_wild_fetch_dropped_comes_back(one: Clone, two: Clone) -> None:
    """A tip that descends from ours and left out files of ours is united with what it left out, at the next write."""
    path = one.git("ls-tree", "-r", "--name-only", STORE, "claims/").splitlines()[0]
    hand = Hand(one)
    hand.publish(one.commit(hand.tree({}, removed=(path,)), one.tip(), seq=9))
    two.git("fetch", "-q", "origin", f"+{STORE}:{STORE}")

    two.claim("second")
    two.sync()

    assert two.statements() == ["first", "second"]


def test_a_good_tip_that_was_fetched_by_force_is_taken(one: Clone, two: Clone) -> None:
    """What another clone wrote is memory, however it came: it is judged once, and the sync goes on."""
    one.claim("second")
    one.sync()
    two.git("fetch", "-q", "origin", f"+{STORE}:{STORE}")

    two.claim("third")

    assert two.sync()["went"] == {"claim.assert": 1}
    assert two.statements() == ["first", "second", "third"]


@pytest.mark.parametrize("mode", ["100755", "120000"])
def test_a_fault_of_another_program_in_our_own_ref(one: Clone, hub: Path, mode: str) -> None:
    """A commit that a program of the user's put on top of our ref is judged like one that arrives."""
    hand = Hand(one)
    before = one.tip()
    one.git("update-ref", STORE, one.commit(hand.tree({CLAIM: (mode, hand.blob(b"x"))}), before, seq=9))

    assert mode in one.refused("sync.push", "STORE_CORRUPT")["message"]
    assert git(hub, "rev-parse", STORE) == before


def test_our_own_history_is_judged_once(one: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was judged is remembered: a sync with nothing new judges nothing, one with a new claim judges that."""
    from memgit.sync import own_history

    judged: list[str] = []
    whole = own_history.validate

    def counted(*given: object) -> list[str]:
        judged.append(str(given[2]))
        return whole(*given)  # type: ignore[arg-type, return-value]

    monkeypatch.setattr(own_history, "validate", counted)
    one.sync()
    one.sync()
    assert judged == []
    one.claim("second")
    one.sync()
    assert judged == [one.tip()]
