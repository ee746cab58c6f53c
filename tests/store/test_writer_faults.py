"""A disk that is full, read-only or failing: clear errors, nothing lost, nothing half done, and on it goes."""

from __future__ import annotations

import errno
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memgit.errors import StoreReadOnly
from memgit.store import loose, packing
from memgit.store.store import Store
from memgit.store.transaction import Transaction
from memgit.store.writer import Result
from tests.conftest import MakeRepository
from tests.store.scenario import claims, everything, fsck, git, new_store, open_store, statements, write


@pytest.fixture(params=["pygit2", "plumbing"])
def store(request: pytest.FixtureRequest, repository: MakeRepository) -> Store:
    """A store without claims, on each back end."""
    return new_store(repository(), backend=request.param)


CALLS = ["open", "write", "replace", "mkdir", "ftruncate", "truncate", "close", "stat", "fstat", "unlink", "rename"]


@pytest.mark.parametrize(
    ("way", "code", "stride"),
    [
        ("write", errno.ENOSPC, 1),
        ("init", errno.ENOSPC, 1),
        ("write", errno.EIO, 3),
        ("pack", errno.ENOSPC, 3),
        ("write_bulk", errno.ENOSPC, 2),
        *(
            pytest.param(way, code, 1, marks=pytest.mark.slow)
            for way, code in itertools.product(("write", "pack", "write_bulk"), (errno.EIO, errno.EROFS))
        ),
    ],
)
def test_a_fault_at_every_step(
    repository: MakeRepository, monkeypatch: pytest.MonkeyPatch, way: str, code: int, stride: int
) -> None:
    """Whichever call of the system fails first: what is acknowledged is there, an error left a sound store, and the
    next write works. (With a stride, every second or third call; the slow tests take each.)"""
    for step in range(1, 500, stride):
        path = repository("bare", f"{way}-{code}-{step}")
        store = open_store(path, pack_every=2 if way == "pack" else 150)
        expected: list[str] = []
        if way != "init":
            store.initialize("wsp_test", "prj_test")
            expected.append("before")
            write(store, "before")
        fault = Fault(step, code)
        with monkeypatch.context() as patched:
            fault.install(patched)
            try:
                if way == "init":
                    store.initialize("wsp_test", "prj_test")
                elif way == "write_bulk":
                    store.write_bulk(claims("now"))
                else:
                    write(store, "now")
                expected.append("now")
            except StoreReadOnly as error:
                assert error.details.get("errno", code) in (code, None), error
        if way != "init":
            assert statements(path) == expected, f"step {step}: {fault.where}"
            write(open_store(path), "after")
            write(store, "last")
            assert statements(path) == [*expected, "after", "last"], f"step {step}: {fault.where}"
        else:
            assert new_store(path).tip() == open_store(path).tip()
        fsck(path)
        if not fault.where:
            assert step > 5
            return
    pytest.fail("the write never came to its end")


class Fault:
    """Makes the Nth call of the system, counted over all of `CALLS`, fail."""

    def __init__(self, step: int, code: int) -> None:
        self.left = step
        self.code = code
        self.where = ""

    def install(self, patched: pytest.MonkeyPatch) -> None:
        """Count calls from here on."""
        for name in CALLS:
            patched.setattr(os, name, self._failing(name, getattr(os, name)))

    def _failing(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            if self.where or "/memgit" not in _caller():
                return original(*arguments, **keywords)
            self.left -= 1
            if self.left:
                return original(*arguments, **keywords)
            self.where = f"{name}{arguments[:2]!r:.120}"
            if name == "close":
                original(*arguments, **keywords)
            raise OSError(self.code, os.strerror(self.code))

        return call


def _caller() -> str:
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.endswith("pathlib.py"):
        frame = frame.f_back
    return frame.f_code.co_filename if frame is not None else ""


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A function that mounts an empty file system of that size in memory; skips where that is not allowed."""
    mounted: list[Path] = []

    def make(size: str) -> Path:
        path = tmp_path / f"mount-{len(mounted)}"
        path.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)], capture_output=True, check=False
        )
        if done.returncode != 0:
            pytest.skip("may not mount here")
        mounted.append(path)
        return path

    yield make
    for path in mounted:
        subprocess.run(["umount", "-l", str(path)], check=True)


@pytest.mark.parametrize("backend", ["pygit2", "plumbing"])
def test_a_read_only_file_system(mount: Callable[[str], Path], backend: str) -> None:
    """On a read-only file system reads work, and a write is STORE_READ_ONLY with a hint, not a traceback."""
    path = mount("20m")
    git(path, "init")
    write(new_store(path), "one")
    subprocess.run(["mount", "-o", "remount,ro", str(path)], check=True)

    store = open_store(path, backend=backend)
    for act in (lambda: write(store, "never"), lambda: store.write_bulk(claims("never"))):
        with pytest.raises(StoreReadOnly, match="Read-only") as refused:
            act()
        assert refused.value.hint and not refused.value.retryable

    assert statements(path, backend=backend) == ["one"]
    subprocess.run(["mount", "-o", "remount,rw", str(path)], check=True)
    write(store, "two")
    assert statements(path) == ["one", "two"]


@pytest.mark.parametrize("backend", ["pygit2", "plumbing"])
def test_a_disk_that_fills_up(mount: Callable[[str], Path], backend: str) -> None:
    """Writes until the disk is full, and on: every acknowledged one stays, each other is STORE_READ_ONLY; with space
    again, writing goes on."""
    path = mount("1500k")
    git(path, "init", "--template=")
    store = new_store(path, backend=backend)
    acknowledged: list[str] = []
    refused = 0
    for number in range(400):
        statement = f"claim {number} {'x' * (number * 37 % 3000)}"
        try:
            write(store, statement, key=str(number))
            acknowledged.append(statement)
        except StoreReadOnly:
            refused += 1
            if refused > 40:
                break

    assert refused > 40 and len(acknowledged) > 10
    assert statements(path, backend=backend) == acknowledged
    subprocess.run(["mount", "-o", "remount,size=30m", str(path)], check=True)
    write(store, "after")
    store.write_bulk(claims("bulk after"))
    assert statements(path) == [*acknowledged, "after", "bulk after"]
    fsck(path)


def test_a_bulk_that_fills_the_disk(mount: Callable[[str], Path]) -> None:
    """A bulk transaction that does not fit is STORE_READ_ONLY, leaves no part of itself, and the store works on."""
    path = mount("3m")
    git(path, "init", "--template=")
    store = new_store(path)
    write(store, "one")

    def large(transaction: Transaction) -> Result:
        for _ in range(100):
            transaction.put_blob(os.urandom(100_000))
        return claims("never")(transaction)

    with pytest.raises(StoreReadOnly):
        store.write_bulk(large)

    assert not list(packing.imports_dir(store.repository).glob("*"))
    write(store, "two")
    assert statements(path) == ["one", "two"]
    fsck(path)


def test_a_refusal_without_a_mount(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where nothing can be mounted: the system's reason and number reach the caller, nothing is written."""
    before = everything(store)

    def refuse(*arguments: object, **keywords: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patched, pytest.raises(StoreReadOnly) as refused:
        patched.setattr(loose, "_write_file", refuse)
        write(store, "never")

    assert refused.value.details == {"reason": "Read-only file system", "errno": errno.EROFS}
    assert everything(store) == before
