"""What arrives is judged before anything counts: a structural fault refuses the whole tip, and nothing here changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.limits import DEFAULT
from tests.sync.by_hand import BLOB, CLAIM, DIGEST, RECORD, ULID, Hand
from tests.sync.conftest import STORE, TRACKING, Clone, git

FILE = "100644"
STORE_RECORD = f"stores/sto_{ULID}/{DIGEST}.yaml"

Make = Callable[[Clone, Hand], tuple[str, int]]
"""Makes a tree, and the seq of the commit that gets it."""


def at(path: str, data: bytes = b"x", mode: str = FILE) -> Make:
    """A tree with one more file."""
    return lambda clone, hand: (hand.tree({path: (mode, hand.blob(data))}), 9)


def beside_root(mode: bytes, name: bytes, data: bytes = b"x") -> Make:
    """A tree with one more entry at its root, in place of nothing, as raw bytes."""

    def make(clone: Clone, hand: Hand) -> tuple[str, int]:
        entries = [(m, n, oid) for n, (m, oid) in hand.entries(STORE).items()]
        return hand.raw_tree(sorted([*entries, (mode, name, hand.blob(data))], key=lambda one: one[1])), 9

    return make


def twice(clone: Clone, hand: Hand) -> tuple[str, int]:
    """A tree that names one entry twice."""
    entries = [(m, n, oid) for n, (m, oid) in sorted(hand.entries(STORE).items())]
    return hand.raw_tree([entries[0], *entries]), 9


def unsorted(clone: Clone, hand: Hand) -> tuple[str, int]:
    """A tree whose entries are in another order than Git's."""
    entries = [(m, n, oid) for n, (m, oid) in sorted(hand.entries(STORE).items())]
    return hand.raw_tree(entries[::-1]), 9


def padded(clone: Clone, hand: Hand) -> tuple[str, int]:
    """A tree whose modes have a zero in front, so that equal content has another id."""
    entries = [(m.rjust(6, b"0"), n, oid) for n, (m, oid) in sorted(hand.entries(STORE).items())]
    return hand.raw_tree(entries), 9


def hollow(clone: Clone, hand: Hand) -> tuple[str, int]:
    """A tree with an empty directory."""
    entries = [(m, n, oid) for n, (m, oid) in hand.entries(STORE).items()]
    return hand.raw_tree(sorted([*entries, (b"40000", b"relations", hand.raw_tree([]))], key=lambda one: one[1])), 9


def wide(clone: Clone, hand: Hand) -> tuple[str, int]:
    """A directory with an absurd number of entries."""
    blob = hand.blob(b"x")
    names = [(b"100644", b"%064x.yaml" % number, blob) for number in range(100_000)]
    entries = [(m, n, oid) for n, (m, oid) in hand.entries(STORE).items()]
    return hand.raw_tree(sorted([*entries, (b"40000", b"purges", hand.raw_tree(names))], key=lambda one: one[1])), 9


def deep(clone: Clone, hand: Hand) -> tuple[str, int]:
    """Directories nested without end."""
    return hand.tree({"claims/" + "a/" * 40 + "x": (FILE, hand.blob(b"x"))}), 9


def submodule(clone: Clone, hand: Hand) -> tuple[str, int]:
    """A submodule where a file belongs."""
    return hand.tree({CLAIM: ("160000", clone.tip())}), 9


def seq(number: int) -> Make:
    """A commit whose sequence is this one."""
    return lambda clone, hand: (clone.tree(), number)


FAULTS: dict[str, tuple[Make, str]] = {
    "a path outside the grammar": (at("README.md"), "README.md"),
    "a path in another shard": (at(CLAIM.replace("/9/", "/8/")), "claims/8"),
    "another kind's id": (at(CLAIM.replace("claims/", "relations/")), "relations/"),
    "a name that is not UTF-8": (beside_root(b"100644", b"\xff\xfe"), "xff"),
    "a name that moves a cursor": (beside_root(b"100644", b"\x1b[2J"), "x1b"),
    "a symbolic link": (at(CLAIM, mode="120000"), "120000"),
    "an executable file": (at(CLAIM, mode="100755"), "100755"),
    "a submodule": (submodule, "160000"),
    "a file as a directory": (beside_root(b"100644", b"relations"), "relations"),
    "a directory as a file": (at(f"{CLAIM}/x"), CLAIM[:20]),
    "a record that is too large": (at(CLAIM, b"x" * (DEFAULT.record_bytes + 1)), str(DEFAULT.record_bytes)),
    "a receipt that is too large": (at(RECORD, b"x" * (DEFAULT.record_bytes + 1)), str(DEFAULT.record_bytes)),
    "an artifact of other bytes": (at(BLOB, b"planted"), "other bytes"),
    "a store record of other bytes": (at(STORE_RECORD, b"planted"), "other bytes"),
    "an operation above its commit": (at(CLAIM.replace(".7-", f".{2**53 - 1}-")), "above its commit's"),
    "a store that nobody began": (lambda c, h: (h.tree({}, removed=("stores",)), 9), "who began it"),
    "an artifact that is too large": (at(BLOB, b"x" * (DEFAULT.artifact_bytes + 1)), str(DEFAULT.artifact_bytes)),
    "an entry twice": (twice, "twice"),
    "entries in another order": (unsorted, "order"),
    "modes in another spelling": (padded, "mode"),
    "an empty directory": (hollow, "empty directory"),
    "a directory with too many entries": (wide, "more than"),
    "directories nested too deeply": (deep, "directory that no store has"),
    "another format constant": (lambda c, h: (h.tree({"format/1": (FILE, h.blob(b"other\n"))}), 9), "format/1"),
    "no format": (lambda c, h: (h.tree({}, removed=("format",)), 9), "not a store"),
    "a falling sequence": (seq(1), "sequence 1"),
    "a sequence without room": (seq(DEFAULT.sequence - 10), "no room"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_structural_fault_refuses_the_whole_tip(one: Clone, two: Clone, fault: str) -> None:
    """Neither a pull nor a sync takes anything of a malformed tip: the error says what, in which commit and where."""
    make, said = FAULTS[fault]
    hand = Hand(one)
    tree, number = make(one, hand)
    bad = hand.publish(one.commit(tree, one.tip(), seq=number))

    for operation in ("sync.fetch", "sync.pull", "sync.run"):
        error = two.refused(operation, "INCOMING_REFUSED")
        assert said in error["message"], error["message"]
        assert bad[:12] in error["message"] and error["details"]["remote"] == "origin"
        assert error["message"].isprintable()

    assert two.statements() == ["first"]
    status = two.run("sync.status")
    assert status["obstacle"] and said in status["obstacle"]


COMMITS: dict[str, tuple[Callable[[Clone], str], str]] = {
    "no trailer": (lambda one: one.commit(one.tree(), one.tip(), message="by hand"), "Memgit-Seq"),
    "a trailer that is no number": (
        lambda one: one.commit(one.tree(), one.tip(), message="x\n\nMemgit-Seq: x\n"),
        "Seq",
    ),
    "three parents": (
        lambda one: one.commit(
            one.tree(), one.tip(), one.commit(one.tree(), seq=1), one.commit(one.tree(), seq=2), seq=9
        ),
        "3 parents",
    ),
    "a huge message": (
        lambda one: one.commit(one.tree(), one.tip(), message="x" * 99_999 + "\n\nMemgit-Seq: 9\n"),
        "bytes",
    ),
    "a fault that a later commit hides": (
        lambda one: one.commit(one.tree(), one.commit(one.tree(), one.tip(), message="no trailer"), seq=9),
        "Memgit-Seq",
    ),
}


@pytest.mark.parametrize("fault", COMMITS)
def test_a_commit_of_another_form_refuses_the_whole_tip(one: Clone, two: Clone, fault: str) -> None:
    """Each new commit's header is checked, not the tip's alone."""
    make, said = COMMITS[fault]
    Hand(one).publish(make(one))

    assert said in two.refused("sync.run", "INCOMING_REFUSED")["message"]


@pytest.mark.parametrize("kind", ["tag", "tree", "blob"])
def test_a_ref_that_names_no_commit(one: Clone, two: Clone, hub: Path, kind: str) -> None:
    """A remote whose ref names a tag, a tree or a file has no memory that could be taken."""
    one.git("tag", "-a", "v1", one.tip(), "-m", "v1")
    named = {"tag": one.git("rev-parse", "v1"), "tree": one.tree(), "blob": one.git("hash-object", "-w", "code.txt")}
    one.git("push", "-q", "origin", f"{named[kind]}:refs/memgit/odd")
    (hub / STORE).write_text(f"{named[kind]}\n")

    assert f"is a {kind}" in two.refused("sync.run", "INCOMING_REFUSED")["message"]


def test_a_later_format_asks_for_an_upgrade(one: Clone, two: Clone) -> None:
    """A memory of a later format is no fault of anybody's: the answer is to upgrade."""
    hand = Hand(one)
    tree = hand.tree({"format/2": (FILE, hand.blob(b"memgit store\n")), "novel/path": (FILE, hand.blob(b"x"))})
    hand.publish(one.commit(tree, one.tip(), seq=9))

    assert "upgrade" in two.refused("sync.run", "FORMAT_TOO_NEW")["hint"].lower()


def test_a_first_clone_is_judged_too(one: Clone, clone: Callable[..., Clone]) -> None:
    """Where there is no memory yet, a malformed one does not become it."""
    hand = Hand(one)
    hand.publish(one.commit(hand.tree({"README.md": (FILE, hand.blob(b"x"))}), one.tip(), seq=9))

    fresh = clone("fresh")
    fresh.refused("sync.run", "INCOMING_REFUSED")
    assert fresh.tip() == ""


def test_one_path_with_other_bytes(one: Clone, two: Clone) -> None:
    """A file that another has replaced is refused: a path always holds the same bytes."""
    path = one.git("ls-tree", "-r", "--name-only", STORE, "claims/").splitlines()[0]
    hand = Hand(one)
    hand.publish(one.commit(hand.tree({path: (FILE, hand.blob(b"other"))}), one.tip(), seq=9))

    assert "other bytes" in two.refused("sync.run", "INCOMING_REFUSED")["message"]


def test_a_good_tip_after_a_bad_one_is_taken(one: Clone, two: Clone, hub: Path) -> None:
    """A refusal lasts as long as its cause: once the remote's ref is set right, the next sync goes through."""
    good = one.tip()
    hand = Hand(one)
    hand.publish(one.commit(hand.tree({"README.md": (FILE, hand.blob(b"x"))}), good, seq=9))
    two.claim("of two")
    two.refused("sync.run", "INCOMING_REFUSED")
    git(hub, "update-ref", STORE, good)

    two.sync()
    one.sync()

    assert one.statements() == ["first", "of two"]


def test_what_a_commit_deleted_comes_back(one: Clone, two: Clone, hub: Path) -> None:
    """Nothing vanishes without a purge: a commit that drops files is taken, and the files stay."""
    one.claim("second")
    one.sync()
    two.sync()
    path = one.git("ls-tree", "-r", "--name-only", STORE, "claims/").splitlines()[0]
    hand = Hand(one)
    hand.publish(one.commit(hand.tree({}, removed=(path,)), one.tip(), seq=9))

    two.sync()

    assert two.statements() == ["first", "second"]
    assert path in git(hub, "ls-tree", "-r", "--name-only", STORE)


def test_what_a_commit_added_and_the_next_deleted_comes_back(one: Clone, two: Clone) -> None:
    """A file that was in the history that arrives and is not in its tip is kept: its commit is adopted too."""
    before = one.tip()
    one.claim("added and deleted")
    after = one.tip()
    hand = Hand(one)
    hand.publish(one.commit(git(one.directory, "rev-parse", f"{before}^{{tree}}"), after, seq=9))

    two.sync()

    assert two.statements() == ["added and deleted", "first"]


def test_objects_that_are_missing_on_the_remote(one: Clone, two: Clone, hub: Path) -> None:
    """A remote that lost objects is no reason to lose anything here."""
    one.claim("second")
    one.sync()
    for path in (hub / "objects").rglob("*"):
        if path.is_file() and path.suffix != ".idx" and len(path.name) == 38:
            path.chmod(0o644)
            path.unlink()
    before = two.tip()

    envelope = two.envelope("sync.run")

    assert not envelope["ok"] and envelope["error"]["code"] in ("REMOTE_UNAVAILABLE", "INCOMING_REFUSED")
    assert two.tip() == before and two.statements() == ["first"]


def test_the_check_reads_only_what_is_new(one: Clone, two: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees that this clone has are not read again: the cost is that of the difference."""
    from memgit.store.database import Database

    for number in range(40):
        one.claim(f"claim {number}")
    one.sync()
    two.sync()
    one.claim("one more")
    one.sync()
    read: list[str] = []
    whole = Database.tree

    def counted(self: Database, oid: str) -> object:
        read.append(oid)
        return whole(self, oid)  # type: ignore[arg-type]

    from memgit.store.repository import discover
    from memgit.store.store import Store
    from memgit.store.validate import validate

    two.git("fetch", "-q", "origin", f"+{STORE}:{TRACKING}")
    store = Store(discover(two.directory))
    monkeypatch.setattr(Database, "tree", counted)
    validate(store.repository, store.database, two.tip(TRACKING), [two.tip()])  # type: ignore[arg-type, list-item]
    store.close()

    assert 0 < len(read) < 20


def test_a_few_trees_that_name_millions_of_paths(one: Clone, two: Clone) -> None:
    """What a tip makes this clone read is bounded by its own size: no directory is entered that no store has."""
    hand = Hand(one)
    tree = hand.blob(b"x")
    for mode in (b"100644", b"40000", b"40000", b"40000"):
        tree = hand.raw_tree([(mode, b"%07d" % number, tree) for number in range(300)])
    entries = [(m, n, oid) for n, (m, oid) in hand.entries(STORE).items()]
    root = hand.raw_tree(sorted([*entries, (b"40000", b"receipts", tree)], key=lambda one: one[1]))
    bomb = one.commit(root, one.tip(), seq=9)
    for bad in (bomb, one.commit(one.tree(), bomb, seq=9)):  # and one in the history, hidden by the next commit
        hand.publish(bad)
        started = time.monotonic()
        assert "receipts/0" in two.refused("sync.run", "INCOMING_REFUSED")["message"]
        assert time.monotonic() - started < 20


def test_a_store_that_nobody_began_is_taken_by_nobody(one: Clone, two: Clone, clone: Callable[..., Clone]) -> None:
    """A tip without a founding record is refused, whether or not somebody would join it, and by a new clone too."""
    hand = Hand(one)
    hand.publish(one.commit(hand.tree({}, removed=("stores",)), one.tip(), seq=9))

    for name, fields in ((two, {}), (two, {"join": True}), (clone("fresh"), {})):
        assert "who began it" in name.refused("sync.run", "INCOMING_REFUSED", **fields)["message"]
