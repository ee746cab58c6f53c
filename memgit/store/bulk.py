"""Large writes: one commit and one pack, streamed to `git fast-import` while the records are still being made.

The pack is made in a directory of its own, as Git's own `receive-pack` does it: until it is published the repository
holds nothing of it, no ref names it, and an error leaves nothing behind. It comes in with a `.keep` file beside it,
which stays until the authority has moved. That is what makes it safe beside `git repack -ad`, which lists the packs,
then reads the refs, then removes the packs that it listed without `.keep`: whatever it listed while the `.keep` was
there it leaves alone, and whatever it lists afterwards the authority reaches. (A scratch ref that is deleted once the
authority has moved does not do: Git reads `refs/memgit/store` before `refs/memgit/import/`, and misses both.)
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

from memgit.store.backend import Backend
from memgit.store.git_command import git_environment
from memgit.store.loose import sync_directory
from memgit.store.objects import ObjectId, Signature, encode_commit
from memgit.store.process import is_running, process_start

_BRANCH = b"refs/memgit/import"  # known to `fast-import` alone, which resets it before it would write it
_KEEP_TEXT = "memgit import"
_BUFFER_BYTES = 1 << 20


class ImportFailed(OSError):
    """`git fast-import` refused or died. The message is its reason."""


class Imported(NamedTuple):
    """The commit of an import, with its tree, and its bytes for whoever signs them: then it is another commit."""

    commit: ObjectId
    tree: ObjectId
    data: bytes


class FastImport:
    """A `FileSink` that streams. Use as a context manager; nothing stays but what was published."""

    def __init__(self, backend: Backend, imports_dir: Path) -> None:
        self._backend = backend
        self._directory = imports_dir / f"{_process_name()}-{os.urandom(4).hex()}"
        self._files: list[tuple[str, int]] = []
        (self._directory / "pack").mkdir(parents=True)
        try:
            self._process = self._start()
        except OSError as error:
            self._remove_directory()
            raise ImportFailed(error.errno, f"git fast-import cannot be started: {error.strerror}") from None

    def __enter__(self) -> FastImport:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):  # what was not sent yet
                    stream.close()
        self._remove_directory()

    def add(self, path: str, data: bytes) -> None:
        """Stream one file's content; its place in the tree follows with the commit. Raises ImportFailed."""
        mark = len(self._files) + 1
        self._files.append((path, mark))
        self._write(b"blob\nmark :%d\ndata %d\n%s\n" % (mark, len(data), data))

    def commit(self, parent: ObjectId | None, author: Signature, message: str) -> Imported:
        """Finish with one commit on `parent` that adds the files, and return it. Raises ImportFailed."""
        text = message.encode("utf-8", "replace")
        mark = len(self._files) + 1
        self._write(b"commit %s\nmark :%d\n" % (_BRANCH, mark))
        for role in (b"author", b"committer"):
            self._write(b"%s %s\n" % (role, author.line().encode("utf-8", "replace")))
        self._write(b"data %d\n%s\n" % (len(text), text))
        if parent is not None:
            self._write(b"from %s\n" % parent.encode())
        for path, number in self._files:
            self._write(b"M 100644 :%d %s\n" % (number, path.encode()))
        self._write(b"\nget-mark :%d\nls :%d \nreset %s\n\ndone\n" % (mark, mark, _BRANCH))
        commit, root = self._finish().decode().splitlines()
        tree = ObjectId(root.split()[2])
        data = encode_commit(tree, [parent] if parent else [], author, author, message)
        return Imported(ObjectId(commit), tree, data)

    @contextmanager
    def adopted(self) -> Iterator[list[str]]:
        """Move the pack into the repository, guarded from `git repack` until the block ends; yield the packs' names.

        The block moves the ref. Raises OSError as the file system does.
        """
        target = Path(self._backend.objects_dir) / "pack"
        names = [path.stem for path in (self._directory / "pack").glob("pack-*.idx")]
        keeps = [keep for name in names if _make_keep(keep := target / f"{name}.keep")]
        try:
            for name in names:
                for suffix in ("pack", "rev", "idx"):  # the index last: it is what makes Git see the pack
                    _move(self._directory / "pack" / f"{name}.{suffix}", target / f"{name}.{suffix}")
            sync_directory(str(target))
            self._backend.refresh()
            yield [name.removeprefix("pack-") for name in names]
        finally:
            for keep in keeps:
                with suppress(OSError):  # a later `remove_leftovers` does it
                    keep.unlink()

    def _start(self) -> subprocess.Popen[bytes]:
        backend = self._backend
        environment = git_environment(backend.repository)
        environment |= {
            "GIT_OBJECT_DIRECTORY": str(self._directory),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(backend.objects_dir),
        }
        # Objects go into one pack however few they are: that is the point of the bulk path.
        command = ["git", "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--done", "--date-format=raw"]
        return subprocess.Popen(
            command,
            cwd=backend.repository.git_dir,
            env=environment,
            bufsize=_BUFFER_BYTES,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def _remove_directory(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def _finish(self) -> bytes:
        with suppress(BrokenPipeError):
            self._stdin.close()
        assert self._process.stdout is not None
        answer = self._process.stdout.read()
        if self._process.wait() != 0 or not answer.strip():
            raise ImportFailed(errno.EIO, f"git fast-import failed: {self._reason()}")
        return answer

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def _write(self, data: bytes) -> None:
        try:
            self._stdin.write(data)
        except BrokenPipeError:
            self._process.wait()
            raise ImportFailed(errno.EIO, f"git fast-import failed: {self._reason()}") from None

    def _reason(self) -> str:
        assert self._process.stderr is not None
        lines = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()
        return next((line for line in lines if line.startswith("fatal")), lines[0] if lines else "no reason given")


def remove_leftovers(imports_dir: Path, objects_dir: Path) -> None:
    """Remove what imports of dead processes left: their directories, and the `.keep` files of their packs."""
    with suppress(OSError):
        for directory in imports_dir.iterdir():
            if _is_dead(directory.name):
                shutil.rmtree(directory, ignore_errors=True)
        for keep in (objects_dir / "pack").glob("pack-*.keep"):
            text, _, name = keep.read_text("utf-8", "replace").partition(": ")
            if text == _KEEP_TEXT and _is_dead(name):
                keep.unlink()


def _process_name() -> str:
    pid = os.getpid()
    return f"{pid}-{process_start(pid) or 0}"


def _is_dead(name: str) -> bool:
    """Tell whether the process in a name that `_process_name` began is gone."""
    pid, _, started = name.partition("-")
    started = started.partition("-")[0].strip()
    return pid.isdecimal() and not is_running(int(pid), started if started != "0" else "")


def _make_keep(path: Path) -> bool:
    """Make a pack's `.keep` file; False where somebody else keeps the pack."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(f"{_KEEP_TEXT}: {_process_name()}\n")
    except FileExistsError:
        return False
    return True


def _move(source: Path, target: Path) -> None:
    """Rename, also across file systems, as an `objects` directory behind a symbolic link needs it."""
    if not source.exists():
        return  # no reverse index before git 2.41
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        between = target.with_name(f"tmp_{target.name}")
        shutil.copyfile(source, between)
        between.replace(target)


def _quoted(path: str) -> str:
    """Return a path as one element of GIT_ALTERNATE_OBJECT_DIRECTORIES, which are separated by colons."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if os.pathsep in path or path.startswith('"') else path
