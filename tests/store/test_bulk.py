"""Large writes: one commit and one pack, safe beside Git's own repacking, and nothing left of one that fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.errors import StoreReadOnly
from memgit.store import bulk, packing
from memgit.store.bulk import FastImport, ImportFailed, remove_leftovers
from memgit.store.objects import ObjectId, Signature
from memgit.store.store import Store
from memgit.store.transaction import Transaction
from memgit.store.writer import Result
from tests.conftest import MakeRepository
from tests.store.scenario import (
    REF,
    claim,
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

WHO = Signature("Test Person", "test@example.org", 1_700_000_000)
MANY = [f"claim {number}" for number in range(300)]


@pytest.fixture(params=["plain", "sha256"])
def store(request: pytest.FixtureRequest, repository: MakeRepository) -> Store:
    """A store without claims, in both object formats."""
    return new_store(repository(request.param))


def pack_directory(store: Store) -> Path:
    """Return where packs are."""
    return store.repository.common_dir / "objects" / "pack"


def test_one_commit_and_one_pack(store: Store) -> None:
    """However many records, a bulk transaction is one commit and one pack; only what the log holds is loose too."""
    before, loose = packs(store.repository), loose_count(store.repository)

    written = store.write_bulk(claims(*MANY))

    assert statements(store.repository.root) == MANY
    assert git(store.repository.root, "rev-list", "--count", REF) == "2"
    assert len(packs(store.repository) - before) == 1
    assert loose_count(store.repository) == loose + 2
    assert written.seq == 301
    fsck(store.repository.root)


def test_nothing_of_the_import_is_left(store: Store) -> None:
    """No ref but the authority, no `.keep`, no file of the preparation remains."""
    refs = git(store.repository.root, "for-each-ref", "--format=%(refname)")
    store.write_bulk(claims(*MANY))

    assert git(store.repository.root, "for-each-ref", "--format=%(refname)") == refs
    assert {path.suffix for path in pack_directory(store).iterdir()} <= {".pack", ".idx", ".rev"}
    assert not list(packing.imports_dir(store.repository).iterdir())


def test_blobs_and_records_of_any_size(store: Store) -> None:
    """Bytes go through the stream as they are."""
    contents = [b"", b"\n", b"blob\nmark :1\ndata 0\n", bytes(range(256)) * 500]

    def build(transaction: Transaction) -> Result:
        digests = [transaction.put_blob(content) for content in contents]
        transaction.stage(claim("with blobs"), "with blobs")
        return {"digests": digests}

    digests = store.write_bulk(build).result["digests"]

    assert [store.snapshot().blob(digest) for digest in digests] == contents


def test_the_repository_sees_nothing_before_it_is_published(store: Store) -> None:
    """While a bulk transaction is being made, no object, pack or ref of it is in the repository."""
    before = packs(store.repository), git(store.repository.root, "for-each-ref")

    def build(transaction: Transaction) -> Result:
        for statement in MANY:
            transaction.stage(claim(statement), statement)
        assert (packs(store.repository), git(store.repository.root, "for-each-ref")) == before
        return {}

    store.write_bulk(build)


def test_others_write_while_an_import_is_made(store: Store) -> None:
    """An import does not hold the lock while it is made: others write meanwhile, and it is made again on their tip."""
    other = open_store(store.repository.root)
    runs = []

    def build(transaction: Transaction) -> Result:
        runs.append(transaction.last_seq)
        if len(runs) == 1:
            write(other, "in between")
        return claims("bulk one", "bulk two")(transaction)

    written = store.write_bulk(build)

    assert runs == [1, 2]
    assert written.seq == 4
    assert statements(store.repository.root) == ["in between", "bulk one", "bulk two"]


def test_an_import_that_is_overtaken_again_takes_the_lock(store: Store) -> None:
    """After two imports in vain the third is made under the lock, so it comes to an end."""
    other = open_store(store.repository.root, lock_wait_ms=50)
    runs = []

    def build(transaction: Transaction) -> Result:
        runs.append(transaction.last_seq)
        try:
            write(other, f"other {len(runs)}")
        except Exception as error:
            assert len(runs) == 3, error
        return claims("bulk")(transaction)

    store.write_bulk(build)

    assert len(runs) == 3
    assert statements(store.repository.root) == ["other 1", "other 2", "bulk"]


@pytest.mark.parametrize("moment", ["before the ref", "after the ref"])
def test_a_repack_at_the_worst_moment(store: Store, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """`git repack -ad` removes every pack that no ref reaches. An import outlasts one that lists the packs before the
    authority moves and removes them afterwards, and one that runs at any other moment."""
    publish = type(store._publisher).publish

    def beside(publisher: object, *arguments: object) -> None:
        repack = Repack(store)
        if moment == "before the ref":
            repack.finish()
            publish(publisher, *arguments)  # type: ignore[arg-type]
        else:
            publish(publisher, *arguments)  # type: ignore[arg-type]
            repack.finish()

    monkeypatch.setattr(type(store._publisher), "publish", beside)
    store.write_bulk(claims(*MANY))
    git(store.repository.root, "repack", "-ad", "-q")
    git(store.repository.root, "prune", "--expire=now")

    assert statements(store.repository.root) == MANY
    fsck(store.repository.root)


class Repack:
    """What `git repack -ad` does, in its two halves: list packs and refs, then keep what was reachable."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.directory = pack_directory(store)
        self.listed = [path for path in self.directory.glob("*.pack") if not path.with_suffix(".keep").exists()]
        self.reachable = git(store.repository.root, "rev-list", "--objects", "--all")

    def finish(self) -> None:
        """Pack what was reachable, and remove the packs that were listed."""
        oids = "".join(f"{line.split()[0]}\n" for line in self.reachable.splitlines())
        root = self.store.repository.root
        name = git(root, "pack-objects", "-q", str(self.directory / "pack"), stdin=oids.encode())
        for pack in self.listed:
            if name not in pack.name:
                for path in self.directory.glob(f"{pack.stem}.*"):
                    path.unlink()


def test_a_missing_tree_is_put_back_before_the_import(store: Store) -> None:
    """`git fast-import` reads no log: a tree that Git has lost is healed, and the import made again."""
    write(store, "one")
    tree = store.snapshot().commit.tree
    lost = [tree, *(item.oid for item in store.database.tree(tree).values() if item.is_tree)]
    for oid in lost:
        loose_path(store, oid).unlink()

    open_store(store.repository.root).write_bulk(claims("two"))

    assert statements(store.repository.root) == ["one", "two"]
    fsck(store.repository.root)


def test_an_import_that_git_refuses(store: Store) -> None:
    """What `git fast-import` says reaches the caller, in one line; nothing is left."""
    imports = packing.imports_dir(store.repository)

    with pytest.raises(ImportFailed, match="fatal") as refused, FastImport(store.backend, imports) as sink:
        sink.add("a", b"1")
        sink.commit(ObjectId("1" * 40), WHO, "on a commit that does not exist")

    assert "\n" not in str(refused.value)
    assert not list(imports.iterdir())


def test_an_import_without_git(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a `git` on the PATH the error is one of memgit's, and nothing is left."""
    open_store(store.repository.root)
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(StoreReadOnly):
        store.write_bulk(claims("never"))

    assert not list(packing.imports_dir(store.repository).glob("*"))


def test_an_import_whose_git_is_killed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """If `git fast-import` dies, that is an error, not a hang and not a write."""

    def build(transaction: Transaction) -> Result:
        sink = transaction._sink
        assert isinstance(sink, FastImport)
        sink._process.kill()
        sink._process.wait()
        for _ in range(2000):
            transaction.stage(claim("x" * 1000), "x")
        return {}

    with pytest.raises(StoreReadOnly, match="fast-import failed"):
        store.write_bulk(build)

    write(store, "next")
    assert statements(store.repository.root) == ["next"]


DEAD_IMPORTER = """
import sys, os, signal
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.store.scenario import open_store, claims
from memgit.store.publication import Publisher
if sys.argv[3] == "published":
    publish = Publisher.publish
    Publisher.publish = lambda *arguments: (publish(*arguments), os._exit(137))
elif sys.argv[3] == "adopted":
    Publisher.publish = lambda *arguments: os._exit(137)
store = open_store(Path(sys.argv[1]))
def build(transaction):
    result = claims("bulk")(transaction)
    if sys.argv[3] == "building":
        os.kill(os.getpid(), signal.SIGKILL)
    return result
store.write_bulk(build)
"""


@pytest.mark.parametrize(("moment", "there"), [("building", False), ("adopted", False), ("published", True)])
def test_what_a_dead_import_leaves_is_removed(store: Store, moment: str, there: bool) -> None:
    """Whenever an importer is killed, the next packing removes its directory and the `.keep` of its pack."""
    root = store.repository.root
    project = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", DEAD_IMPORTER, str(root), str(project), moment], check=False)
    leftovers = [*packing.imports_dir(store.repository).iterdir(), *pack_directory(store).glob("*.keep")]
    assert leftovers

    write(store, "next")
    assert packing.pack_log(store.database, store.repository, store.tip() or "")  # type: ignore[arg-type]

    assert not any(path.exists() for path in leftovers)
    assert statements(root) == (["bulk", "next"] if there else ["next"])
    fsck(root)


def test_what_a_living_import_has_is_left_alone(store: Store) -> None:
    """The directory of an import under way, and anybody else's `.keep`, stay."""
    imports, objects = packing.imports_dir(store.repository), Path(store.backend.objects_dir)
    store.write_bulk(claims(*MANY))
    pack = next(pack_directory(store).glob("*.pack"))
    keep = pack.with_suffix(".keep")
    for text in ("", "somebody's", f"{bulk._KEEP_TEXT}: {os.getpid()}-0\n"):
        keep.write_text(text)
        with FastImport(store.backend, imports):
            remove_leftovers(imports, objects)
            assert len(list(imports.iterdir())) == 1
        assert keep.read_text() == text


def test_a_pack_that_somebody_keeps_stays_kept(store: Store, tmp_path: Path) -> None:
    """If a pack of the same name is kept by somebody already, their `.keep` is not ours to remove."""
    imports = packing.imports_dir(store.repository)
    with FastImport(store.backend, imports) as sink:
        sink.add("a", b"1")
        sink.commit(None, WHO, "first")
        name = next((sink._directory / "pack").glob("*.idx")).stem
        keep = pack_directory(store) / f"{name}.keep"
        keep.write_text("theirs")
        with sink.adopted():
            pass

    assert keep.read_text() == "theirs"


def test_objects_on_another_file_system(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `objects` is a link to another file system, the pack is copied."""
    moved: list[str] = []
    copyfile = shutil.copyfile
    monkeypatch.setattr(shutil, "copyfile", lambda *arguments: (moved.append(str(arguments[1])), copyfile(*arguments)))
    replace = Path.replace

    def refuse(path: Path, target: Path) -> Path:
        if "imports" in str(path):
            raise OSError(18, "Invalid cross-device link")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    store.write_bulk(claims("one"))

    assert len(moved) >= 2
    assert statements(store.repository.root) == ["one"]
    fsck(store.repository.root)


def test_paths_with_every_separator(repository: MakeRepository) -> None:
    """A repository's own path may hold what separates alternates, quotes and spaces."""
    path = repository(name='odd: "name" é')
    store = new_store(path)
    store.write_bulk(claims("one"))
    store.write_bulk(claims("two"))

    assert statements(path) == ["one", "two"]
