"""What the store may expect of a back end, whichever it is: one suite, run on both, in every kind of repository."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memgit.errors import StoreCorrupt
from memgit.store.backend import ObjectMissing, RefDamaged, RefLocked, RefMoved
from memgit.store.objects import ObjectId, encode_commit
from memgit.store.plumbing_backend import encode_pack
from tests.conftest import MakeRepository
from tests.store.conftest import WHO, Place
from tests.store.scenario import REF, git, new_store, open_store, write

SIZES = [0, 1, 15, 16, 127, 15_990, 16_001, 70_000, 300_000]


def test_what_is_written_is_read(place: Place) -> None:
    """An object comes back byte for byte, and Git itself reads the same, whatever its size."""
    for size in SIZES:
        blob = place.make("blob", os.urandom(size))
        place.backend.write([blob])
        assert place.backend.read(blob.oid) == ("blob", blob.data)
        assert place.backend.contains(blob.oid)
        assert git(place.path, "cat-file", "-s", blob.oid) == str(size)
    commit = place.commit()
    assert place.backend.read(commit.oid) == ("commit", commit.data)
    git(place.path, "fsck", "--strict", commit.oid)


def test_writing_again_changes_nothing(place: Place) -> None:
    """What exists, loose or packed, may be written again."""
    commit = place.commit()
    place.backend.write([commit])
    git(place.path, "update-ref", REF, commit.oid)
    git(place.path, "repack", "-ad", "-q")

    place.backend.write([commit])

    assert place.backend.read(commit.oid) == ("commit", commit.data)


def test_what_is_missing_is_missing(place: Place) -> None:
    """An absent object is ObjectMissing, not an error of another kind and not a guess."""
    absent = place.make("blob", b"never written")

    assert not place.backend.contains(absent.oid)
    with pytest.raises(ObjectMissing):
        place.backend.read(absent.oid)


@pytest.mark.parametrize("damage", ["empty", "half", "flipped", "other"])
def test_what_is_damaged_is_missing(place: Place, damage: str) -> None:
    """A loose object that was cut off or altered is ObjectMissing, never other bytes under its name."""
    blob, other = place.make("blob", bytes(range(256)) * 40), place.make("blob", b"other")
    place.backend.write([blob, other])
    path = place.loose(blob.oid)
    data = path.read_bytes()
    middle = len(data) // 2
    path.chmod(0o644)
    path.write_bytes(
        {
            "empty": b"",
            "half": data[:middle],
            "flipped": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
            "other": place.loose(other.oid).read_bytes(),
        }[damage]
    )
    place.backend.refresh()

    with pytest.raises(ObjectMissing):
        place.backend.read(blob.oid)
    path.unlink()
    place.backend.refresh()
    place.backend.write([blob])
    assert place.backend.read(blob.oid) == ("blob", blob.data)


def test_a_loose_object_is_private_to_no_one(place: Place) -> None:
    """Loose objects have the permissions that Git gives them, so that whoever reads the repository reads the store."""
    blob = place.make("blob", b"for everybody who may read the repository")
    place.backend.write([blob])
    expected = git(place.path, "hash-object", "-w", "--stdin", stdin=b"by Git")

    assert place.loose(blob.oid).stat().st_mode == place.loose(expected).stat().st_mode


def test_a_ref_is_made_and_moved_by_comparison(place: Place) -> None:
    """A ref is made where it is absent and moved where it has the expected value; else RefMoved, and it stays."""
    one, two = place.commit("one").oid, place.commit("two").oid
    backend = place.backend

    assert backend.read_ref(REF) is None
    with pytest.raises(RefMoved):
        backend.move_ref(REF, two, one)
    backend.move_ref(REF, one, None)
    with pytest.raises(RefMoved):
        backend.move_ref(REF, two, None)
    with pytest.raises(RefMoved):
        backend.move_ref(REF, two, two)
    assert backend.read_ref(REF) == one == git(place.path, "rev-parse", REF)
    backend.move_ref(REF, two, one)
    assert backend.read_ref(REF) == two == git(place.path, "rev-parse", REF)


def test_a_ref_that_git_has_packed(place: Place) -> None:
    """`git pack-refs` moves a ref's value elsewhere; it is read and compared there."""
    one, two = place.commit("one").oid, place.commit("two").oid
    place.backend.move_ref(REF, one, None)
    git(place.path, "pack-refs", "--all")
    assert not place.ref_file().exists()

    assert place.backend.read_ref(REF) == one
    with pytest.raises(RefMoved):
        place.backend.move_ref(REF, two, None)
    place.backend.move_ref(REF, two, one)
    git(place.path, "pack-refs", "--all")

    assert place.backend.read_ref(REF) == two


def test_another_program_moves_the_ref(place: Place) -> None:
    """What another process does to a ref is seen at once, and not overwritten."""
    one, two, three = (place.commit(text).oid for text in ("one", "two", "three"))
    place.backend.move_ref(REF, one, None)
    git(place.path, "update-ref", REF, two)

    assert place.backend.read_ref(REF) == two
    with pytest.raises(RefMoved):
        place.backend.move_ref(REF, three, one)
    git(place.path, "update-ref", "-d", REF)
    with pytest.raises(RefMoved):
        place.backend.move_ref(REF, three, two)

    assert place.backend.read_ref(REF) is None


def test_a_ref_is_deleted_by_comparison(place: Place) -> None:
    """A ref is deleted where it has the expected value, and nowhere else."""
    one, two = place.commit("one").oid, place.commit("two").oid
    place.backend.move_ref(REF, one, None)

    with pytest.raises(RefMoved):
        place.backend.delete_ref(REF, two)
    assert place.backend.read_ref(REF) == one
    place.backend.delete_ref(REF, one)
    assert place.backend.read_ref(REF) is None
    with pytest.raises(RefMoved):
        place.backend.delete_ref(REF, one)


def test_a_locked_ref(place: Place) -> None:
    """Git's lock on a ref is respected: RefLocked names the file, the ref stays, and so does the lock."""
    one, two = place.commit("one").oid, place.commit("two").oid
    place.backend.move_ref(REF, one, None)
    lock = place.ref_file().with_name("store.lock")
    lock.write_text("somebody's")

    with pytest.raises(RefLocked, match=r"store\.lock"):
        place.backend.move_ref(REF, two, one)
    with pytest.raises(RefLocked):
        place.backend.delete_ref(REF, one)

    assert lock.read_text() == "somebody's"
    assert place.backend.read_ref(REF) == one


def test_a_ref_may_not_name_what_is_gone(place: Place) -> None:
    """A commit that `gc --prune=now` took before the ref moved is ObjectMissing; the ref stays."""
    one = place.commit("one").oid
    gone = place.make("commit", encode_commit(ObjectId(one), [], WHO, WHO, "never written\n")).oid

    with pytest.raises(ObjectMissing):
        place.backend.move_ref(REF, gone, None)
    place.backend.move_ref(REF, one, None)
    with pytest.raises(ObjectMissing):
        place.backend.move_ref(REF, gone, one)

    assert place.backend.read_ref(REF) == one


@pytest.mark.parametrize("content", [b"", b"\n", b"nonsense\n", b"0123456789abcdef\n", b"\0" * 41])
def test_a_damaged_ref(place: Place, content: bytes) -> None:
    """A ref file that holds no id is RefDamaged, and is not touched by a look at it."""
    place.backend.move_ref(REF, place.commit().oid, None)
    place.ref_file().write_bytes(content)

    with pytest.raises(RefDamaged):
        place.backend.read_ref(REF)

    assert place.ref_file().read_bytes() == content


def test_a_symbolic_ref_is_refused(place: Place) -> None:
    """A symbolic ref is not taken for damage, which would be repaired, nor followed: it is StoreCorrupt."""
    git(place.path, "symbolic-ref", REF, "refs/heads/elsewhere")

    with pytest.raises(StoreCorrupt, match="symbolic"):
        place.backend.read_ref(REF)


def test_a_ref_that_cannot_be_read_is_not_damaged(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system refuses to read the file, that is reported: the ref may be sound, and must not be put back."""
    place.backend.move_ref(REF, place.commit().oid, None)
    place.ref_file().write_bytes(b"")

    def refuse(path: Path) -> bytes:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(StoreCorrupt, match="Too many open files"):
        place.backend.read_ref(REF)


def test_packs_that_come_and_go(place: Place) -> None:
    """Objects stay readable while another process packs them and removes the packs that this one has open."""
    commits = []
    for number in range(6):
        commit = place.commit(f"commit {number}")
        git(place.path, "update-ref", f"refs/memgit/keep/{number}", commit.oid)
        git(place.path, "repack", "-ad", "-q")
        commits.append(commit)
        for known in commits:
            assert place.backend.read(known.oid) == ("commit", known.data)
            assert place.backend.contains(known.oid)


def test_the_head_of_the_users_own_work(place: Place) -> None:
    """HEAD's commit and branch are those that Git names."""
    head = git(place.path, "rev-parse", "--verify", "--quiet", "HEAD", check=False)
    branch = git(place.path, "symbolic-ref", "HEAD")

    assert place.backend.head() == (head or None, branch)


def test_the_configuration(place: Place) -> None:
    """Configuration is read by its prefix, lower-case, the last value of a key."""
    git(place.path, "config", "--add", "memgit.oneThing", "first")
    git(place.path, "config", "--add", "memgit.oneThing", "last=value\nwith a line")
    git(place.path, "config", "other.memgit", "no")
    place.backend.refresh()

    assert dict(place.backend.config("memgit.")) == {"memgit.onething": "last=value\nwith a line"}


def test_durable_writes(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `sync_writes` objects and refs still arrive, and every loose file that memgit writes is synced."""
    synced: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (synced.append(descriptor), fsync(descriptor))[1])
    place.backend.sync_writes()

    commit = place.commit("durable")
    place.backend.move_ref(REF, commit.oid, None)

    assert git(place.path, "rev-parse", REF) == commit.oid
    shared = git(place.path, "config", "core.sharedRepository", check=False) == "group"
    assert shared or len(synced) >= 3


def test_a_pack_made_by_hand(place: Place) -> None:
    """Packs that memgit encodes itself are packs to Git: every type, and sizes around each length of their header."""
    objects = [place.make("blob", bytes(size)) for size in SIZES]
    commit = place.commit()
    tree = place.backend.read(ObjectId(git(place.path, "rev-parse", f"{commit.oid}^{{tree}}")))
    pack = encode_pack([*objects, commit, place.make(*tree)], place.backend.object_format)

    git(place.path, "unpack-objects", "-q", "--strict", stdin=pack)

    assert all(place.backend.read(item.oid) == (item.type, item.data) for item in objects)


def test_a_partial_clone_never_fetches(
    repository: MakeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A blob that a partial clone lacks is reported as missing, and no transport is started to get it.

    The trap is tried first: plain Git, asked for the same object, walks into it.
    """
    path = repository("partial")
    origin = path.with_name(f"{path.name}-origin")
    store = new_store(origin)
    write(store, "only at the origin")
    git(path, "fetch", "--quiet", "origin", f"{REF}:{REF}")
    trap, log = tmp_path / "trap", tmp_path / "trace"
    git(path, "config", "core.sshCommand", f"touch {trap}; false")
    git(path, "config", "remote.origin.url", "ssh://nowhere.invalid/x")
    blob = next(oid for name, oid in store.snapshot().files("claims"))
    git(path, "cat-file", "-p", blob, check=False)
    assert trap.exists(), "the trap does not work"
    trap.unlink()
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(log))

    clone = open_store(path)
    assert not clone.backend.contains(blob)
    with pytest.raises(ObjectMissing):
        clone.backend.read(blob)
    with pytest.raises(StoreCorrupt, match="missing"):
        clone.database.read(blob, "blob")
    write(clone, "written here")

    assert not trap.exists()
    events = [json.loads(line) for line in log.read_text().splitlines()]
    started = [event["argv"] for event in events if event["event"] == "child_start"]
    transports = [argv for argv in started if any(word in " ".join(argv) for word in ("ssh", "upload-pack", "remote-"))]
    assert events and not transports
