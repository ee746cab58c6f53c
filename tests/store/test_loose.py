"""Loose objects that memgit writes itself: whole or absent, in Git's own form, beside a Git that tidies up."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.store import loose
from memgit.store.loose import DamagedLoose, encode_loose, is_loose, loose_path, read_loose, write_loose
from memgit.store.objects import ObjectId, RawObject, hash_object


def blob(data: bytes) -> RawObject:
    """Return a blob."""
    return hash_object("blob", data, "sha1")


@pytest.fixture
def objects(tmp_path: Path) -> str:
    """An empty `objects` directory."""
    directory = tmp_path / "objects"
    directory.mkdir()
    return str(directory)


def files(objects: str) -> list[Path]:
    """Return every file below an `objects` directory."""
    return [path for path in Path(objects).rglob("*") if path.is_file()]


@pytest.mark.parametrize("size", [0, 1, 15_900, 15_990, 15_991, 16_000, 70_000])
def test_round_trip_around_the_bound_of_compression(objects: str, size: int) -> None:
    """Small objects are stored, large ones compressed, and nobody can tell from reading."""
    item = blob(os.urandom(size))
    write_loose(objects, [item])

    assert read_loose(objects, item.oid) == ("blob", item.data)
    assert len(encode_loose(item)) <= size + 100


@given(data=st.binary(max_size=300), position=st.integers(min_value=0), flip=st.integers(1, 255))
def test_no_altered_byte_goes_unseen(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, position: int, flip: int
) -> None:
    """Whichever byte of a loose file is altered, or wherever it is cut, it is damaged or still says the same."""
    item = blob(data)
    packed = bytearray(encode_loose(item))
    position %= len(packed)
    packed[position] ^= flip
    directory = tmp_path_factory.getbasetemp() / "altered" / item.oid[:2]
    directory.mkdir(parents=True, exist_ok=True)
    for content in (bytes(packed), encode_loose(item)[:position]):
        (directory / item.oid[2:]).write_bytes(content)
        with suppress(DamagedLoose):
            assert read_loose(str(directory.parent), item.oid) == ("blob", data)


def test_an_absent_object(objects: str) -> None:
    """No file, no object, and no error."""
    assert read_loose(objects, blob(b"x").oid) is None
    assert not is_loose(objects, blob(b"x").oid)
    assert read_loose(f"{objects}/nowhere", blob(b"x").oid) is None


def test_writing_mends(objects: str) -> None:
    """Writing an object over its own truncated file makes it whole."""
    item = blob(b"content")
    write_loose(objects, [item])
    path = Path(loose_path(objects, item.oid))
    path.chmod(0o644)
    path.write_bytes(b"")

    write_loose(objects, [item])

    assert read_loose(objects, item.oid) == ("blob", b"content")


def test_a_namesake_of_a_dead_process(objects: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A temporary file that a killed process left does not stop a later one that has the same process id."""
    monkeypatch.setattr(os, "getpid", lambda: 7)
    item = blob(b"content")
    directory = Path(objects) / item.oid[:2]
    directory.mkdir()
    for number in range(50):
        (directory / f"tmp_obj_memgit_7_{number}").touch()

    write_loose(objects, [item])

    assert is_loose(objects, item.oid)


def test_beside_a_prune(objects: str) -> None:
    """`git prune` removes empty directories and temporary files; what is written beside it arrives all the same."""
    stop = threading.Event()

    def prune() -> None:
        while not stop.is_set():
            for entry in Path(objects).iterdir():
                for path in entry.glob("tmp_obj_*"):
                    path.unlink(missing_ok=True)
                try:
                    entry.rmdir()
                except OSError:
                    continue

    tidier = threading.Thread(target=prune)
    tidier.start()
    try:
        items = [blob(os.urandom(64)) for _ in range(500)]
        for item in items:
            write_loose(objects, [item])
    finally:
        stop.set()
        tidier.join()

    assert all(read_loose(objects, item.oid) == ("blob", item.data) for item in items)


def test_a_repository_that_is_gone(objects: str) -> None:
    """Where the repository itself was removed, the write fails; it does not make a new one."""
    shutil.rmtree(objects)

    with pytest.raises(FileNotFoundError):
        write_loose(objects, [blob(b"x")])

    assert not Path(objects).exists()


@pytest.mark.parametrize("call", ["write", "replace", "open", "close"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_what_the_system_refuses(objects: str, monkeypatch: pytest.MonkeyPatch, call: str, code: int) -> None:
    """A refused write raises what the system said, and leaves neither an object nor a temporary file."""
    original = getattr(os, call)

    def refuse(*arguments: object, **keywords: object) -> object:
        if call == "close":
            original(*arguments, **keywords)
        raise OSError(code, os.strerror(code))

    item = blob(b"x")
    write_loose(objects, [blob(b"before")])
    with monkeypatch.context() as patched, pytest.raises(OSError) as refused:
        patched.setattr(loose.os, call, refuse)
        write_loose(objects, [item])

    assert refused.value.errno == code
    assert not is_loose(objects, item.oid)
    assert len(files(objects)) == 1


def test_a_short_write_is_finished(objects: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may write less than it was asked to; the rest follows."""
    write = os.write
    monkeypatch.setattr(loose.os, "write", lambda descriptor, data: write(descriptor, bytes(data[:7])))

    item = blob(bytes(range(256)))
    write_loose(objects, [item])

    assert read_loose(objects, item.oid) == ("blob", item.data)


def test_synced_writes_sync_every_name(objects: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `sync`, each file and each directory that got a new name is synced, the top one included."""
    synced: list[str] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    monkeypatch.setattr(os, "fsync", note)
    item = blob(b"x")

    write_loose(objects, [item], sync=True)

    assert any("tmp_obj_memgit" in name for name in synced)
    assert {objects, f"{objects}/{item.oid[:2]}"} <= set(synced)


def test_paths() -> None:
    """A loose object lies where Git looks for it."""
    assert loose_path("/o", ObjectId("ab" + "c" * 38)) == "/o/ab/" + "c" * 38
