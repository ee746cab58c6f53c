"""Packing: our loose objects and packs stay few, nobody else's are touched, and nothing is lost on the way."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.store import packing
from memgit.store.objects import ObjectId
from memgit.store.packing import PackList, pack_log, smallest
from memgit.store.store import Store
from tests.conftest import MakeRepository
from tests.store.scenario import (
    REF,
    claims,
    fsck,
    git,
    loose_count,
    loose_path,
    new_store,
    open_store,
    packs,
    statements,
    write,
)


@pytest.fixture(params=["plain", pytest.param("sha256", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, repository: MakeRepository) -> Store:
    """A store that packs every ten writes, in both object formats."""
    return new_store(repository(request.param), pack_every=10)


def pack(store: Store) -> bool:
    """Pack what the log holds."""
    with store._lock.held():
        store.database.log.repair()
        return pack_log(store.database, store.repository, ObjectId(store.tip() or ""))


def test_a_thousand_writes_leave_few_files(repository: MakeRepository) -> None:
    """Over a thousand writes loose objects stay below 1,800 and packs below a dozen, at every moment."""
    store = new_store(repository("bare"))
    most_loose = most_packs = 0
    for number in range(1000):
        write(store, f"claim {number}", key=str(number))
        if number % 50 == 48:  # packed at 149, 298, …
            most_loose = max(most_loose, loose_count(store.repository))
            most_packs = max(most_packs, len(packs(store.repository)))

    assert 1000 < most_loose < 1800
    assert 1 < most_packs < 12
    assert store.database.log.count() < 160
    assert len(statements(store.repository.root)) == 1000
    fsck(store.repository.root)


def test_packs_stay_few(store: Store) -> None:
    """However often the log is packed, the packs are united before they are many."""
    sizes = []
    for number in range(150):
        write(store, f"claim {number}")
        sizes.append(len(packs(store.repository)))

    assert max(sizes) <= packing._MOST_PACKS + 1
    assert statements(store.repository.root) == [f"claim {number}" for number in range(150)]
    noted = set(json.loads((store.repository.state_dir / "packs.json").read_text()))
    assert {f"pack-{name}" for name in noted} == packs(store.repository)
    fsck(store.repository.root)


def test_a_bulks_pack_is_united_too(repository: MakeRepository) -> None:
    """Packs of bulk transactions are ours, and do not pile up either."""
    store = new_store(repository("bare"), pack_every=4)
    for number in range(30):
        store.write_bulk(claims(f"bulk {number}"))
        write(store, f"claim {number}")

    assert len(packs(store.repository)) <= 13
    assert len(statements(store.repository.root)) == 60
    fsck(store.repository.root)


def test_other_peoples_objects_are_not_touched(store: Store) -> None:
    """Loose objects and packs that memgit did not make are there afterwards, byte for byte."""
    root = store.repository.root
    (root / "file.txt").write_text("a user's file")
    git(root, "add", "file.txt")
    git(root, "commit", "-m", "the user's work", "--quiet")
    objects = git(root, "rev-list", "--objects", "HEAD").splitlines()
    listing = "".join(f"{line.split()[0]}\n" for line in objects).encode()
    directory = store.repository.common_dir / "objects"
    theirs = git(root, "pack-objects", "-q", str(directory / "pack" / "pack"), stdin=listing)
    before = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    ours = {loose_path(store, oid) for oid in store.database.log.objects()}

    for number in range(150):
        write(store, f"claim {number}")

    after = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    assert all(after[path] == data for path, data in before.items() if path not in ours)
    assert f"pack-{theirs}" in packs(store.repository)


def test_a_pack_that_somebody_keeps_is_not_removed(store: Store) -> None:
    """A `.keep` beside one of our packs makes it somebody else's."""
    for number in range(10):
        write(store, f"claim {number}")
    kept = next(iter(packs(store.repository)))
    (Path(store.backend.objects_dir) / "pack" / f"{kept}.keep").touch()

    for number in range(150):
        write(store, f"more {number}")

    assert kept in packs(store.repository)


def test_packs_of_a_multi_pack_index_are_left_to_git(store: Store) -> None:
    """Where `git maintenance` keeps a multi-pack index, no pack that it names is removed under it."""
    root = store.repository.root
    for number in range(30):
        write(store, f"claim {number}")
    git(root, "multi-pack-index", "write")
    indexed = packs(store.repository)

    for number in range(150):
        write(store, f"more {number}")

    assert indexed <= packs(store.repository)
    git(root, "multi-pack-index", "verify")
    fsck(root)
    git(root, "multi-pack-index", "repack")
    git(root, "multi-pack-index", "expire")
    assert len(statements(root)) == 180


@pytest.mark.parametrize("damage", ["gone", "empty", "half"])
@pytest.mark.parametrize("what", ["commit", "tree", "blob"])
def test_what_git_lost_is_packed_from_the_log(store: Store, damage: str, what: str) -> None:
    """A missing or truncated loose object of any kind does not stop packing, and is whole in the pack."""
    for number in range(5):
        write(store, f"claim {number}")
    for item in store.database.log.objects().values():
        path = loose_path(store, item.oid)
        if item.type == what and path.exists():
            data = path.read_bytes()
            path.unlink()
            if damage != "gone":
                path.write_bytes(b"" if damage == "empty" else data[: len(data) // 2])

    assert pack(open_store(store.repository.root))

    assert statements(store.repository.root) == [f"claim {number}" for number in range(5)]
    fsck(store.repository.root)


def test_a_packing_that_git_cannot_do(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Git cannot pack, loose objects and log stay, writes go on, and it is not tried at every one of them."""
    tries = []
    monkeypatch.setattr(PackList, "_pack", lambda packs, lines, window: tries.append(len(list(lines))))
    for number in range(60):
        write(store, f"claim {number}")

    assert 1 <= len(tries) <= 4
    assert len(statements(store.repository.root)) == 60
    assert len(list(store.database.log.entries())) == 61
    monkeypatch.undo()
    for number in range(60):
        write(store, f"more {number}")
    assert store.database.log.count() < 20
    fsck(store.repository.root)


def test_a_list_of_packs_that_is_lost_or_damaged(store: Store) -> None:
    """The list may vanish or be garbage: our packs are then simply Git's."""
    for content in (None, b"", b"{}", b'[1, null, "../../x"]', b"\xff"):
        path = store.repository.state_dir / "packs.json"
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        for number in range(12):
            write(store, f"claim {number}")

    assert len(statements(store.repository.root)) == 60
    fsck(store.repository.root)


def test_an_index_that_cannot_be_read_stops_the_uniting(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pack whose content is not known is never removed."""
    monkeypatch.setattr(packing, "_MOST_PACKS", 1000)
    for number in range(100):
        write(store, f"claim {number}")
    monkeypatch.undo()
    damaged = sorted((Path(store.backend.objects_dir) / "pack").glob("*.idx"))[0]
    data = damaged.read_bytes()
    damaged.chmod(0o644)
    damaged.write_bytes(b"")
    before = packs(store.repository)

    with pytest.raises(OSError):
        PackList(store.repository, store.backend).consolidate()

    assert packs(store.repository) == before
    damaged.write_bytes(data)
    PackList(store.repository, store.backend).consolidate()
    assert len(packs(store.repository)) < len(before)
    assert len(statements(store.repository.root)) == 100
    fsck(store.repository.root)


@given(sizes=st.lists(st.integers(1, 10**9), min_size=9, max_size=60))
def test_which_packs_are_united(sizes: list[int]) -> None:
    """The smallest ones, at least five, and no pack that is more than twice as large as those before it together."""
    named = {f"p{number}": size for number, size in enumerate(sizes)}

    chosen = smallest(named)

    united = sorted(named[name] for name in chosen)
    rest = sorted(size for name, size in named.items() if name not in chosen)
    assert len(chosen) >= packing._FEWEST_UNITED
    assert united + rest == sorted(sizes)
    assert not rest or rest[0] > 2 * sum(united)


def test_an_object_is_rewritten_few_times() -> None:
    """Over ten thousand packings of one unit each, a unit is rewritten about a dozen times, not once per uniting."""
    sizes: dict[str, int] = {}
    rewritten = 0
    for number in range(10_000):
        sizes[f"p{number}"] = 1
        if len(sizes) > packing._MOST_PACKS:
            small = smallest(sizes)
            total = sum(sizes.pop(name) for name in small)
            rewritten += total
            sizes[f"u{number}"] = total

    assert sum(sizes.values()) == 10_000
    assert rewritten / 10_000 < 14
    assert len(sizes) <= packing._MOST_PACKS


def test_reads_beside_packing(store: Store) -> None:
    """A process that only reads never misses an object while another packs, unites and removes."""
    write(store, "first")
    root = store.repository.root
    reader = open_store(root)
    stop = threading.Event()
    faults: list[BaseException] = []
    counts: list[int] = []

    def read() -> None:
        while not stop.is_set() and not faults:
            try:
                snapshot = reader.snapshot()
                counts.append(sum(len(snapshot.read_file(oid)) > 0 for _, oid in snapshot.files("claims")))
            except BaseException as error:
                faults.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    for number in range(120):
        write(store, f"claim {number}")
    stop.set()
    thread.join()

    assert not faults
    assert counts == sorted(counts) and counts[-1] >= 1
    assert reader.database.healed == 0


def test_one_log_is_packed_at_a_time_with_those_of_the_dead(store: Store) -> None:
    """An entry whose writer died over the ref is finished before anything is packed, so the pack is reachable."""
    write(store, "one")
    with store._lock.held():
        store.database.log.repair()
        parent = store.tip()
        assert parent is not None
    tree = git(store.repository.root, "rev-parse", f"{parent}^{{tree}}")
    dead = git(store.repository.root, "commit-tree", "-p", parent, "-m", "dead\n\nMemgit-Seq: 3\n", tree)
    data = store.backend.read(ObjectId(dead))[1]
    with store._lock.held():
        store.database.log.repair()
        store.database.log.append(parent, ObjectId(dead), [store.database.make("commit", data)])

    for number in range(12):
        write(store, f"claim {number}")

    git(store.repository.root, "merge-base", "--is-ancestor", dead, REF)
    git(store.repository.root, "repack", "-ad", "-q")
    git(store.repository.root, "prune", "--expire=now")
    assert len(statements(store.repository.root)) == 13
    fsck(store.repository.root)


def test_a_users_own_copy_of_an_artifact(store: Store) -> None:
    """A blob that is also a file of the user's stays readable to them when our copy is packed."""
    root = store.repository.root
    content = os.urandom(500)
    (root / "shared.bin").write_bytes(content)
    git(root, "add", "shared.bin")
    oid = git(root, "rev-parse", ":shared.bin")

    def build(transaction: object) -> dict[str, object]:
        transaction.put_blob(content)  # type: ignore[attr-defined]
        return claims("about the file")(transaction)  # type: ignore[arg-type]

    store.write(build)
    for number in range(12):
        write(store, f"claim {number}")

    assert git(root, "cat-file", "-s", oid) == "500"
    git(root, "commit", "-m", "with the file", "--quiet")
    fsck(root)
