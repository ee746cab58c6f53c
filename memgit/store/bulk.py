"""Large writes: one commit and one pack, streamed to `git fast-import` while the records are still being made.

The import goes to a ref of its own beside the authority, so that `gc` keeps the pack until the authority has moved.
"""

from __future__ import annotations

import os
import subprocess
from types import TracebackType
from typing import IO

from memgit.errors import StoreCorrupt
from memgit.store.backend import Backend
from memgit.store.git_command import git_environment
from memgit.store.objects import ObjectId, Signature

SCRATCH_PREFIX = "refs/memgit/import/"


class FastImport:
    """A `FileSink` that streams. Use as a context manager; on an error nothing stays but unreachable objects."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.ref = f"{SCRATCH_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"
        self._files: list[tuple[str, int]] = []
        # Objects go into one pack however few they are: that is the point of the bulk path.
        command = ["git", "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--done", "--date-format=raw"]
        self._process = subprocess.Popen(
            command,
            cwd=backend.repository.root,
            env=git_environment(backend.repository),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> FastImport:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stderr):
            if stream is not None:
                stream.close()

    def add(self, path: str, data: bytes) -> None:
        """Stream one file's content; its place in the tree follows with the commit."""
        mark = len(self._files) + 1
        self._files.append((path, mark))
        self._write(b"blob\nmark :%d\ndata %d\n%s\n" % (mark, len(data), data))

    def commit(self, parent: ObjectId | None, author: Signature, message: str) -> ObjectId:
        """Finish with one commit on `parent` that adds the files, and return its id. Raises OSError if Git refuses."""
        text = message.encode()
        self._write(b"commit %s\n" % self.ref.encode())
        for role in (b"author", b"committer"):
            self._write(b"%s %s\n" % (role, author.line().encode()))
        self._write(b"data %d\n%s\n" % (len(text), text))
        if parent is not None:
            self._write(b"from %s\n" % parent.encode())
        for path, mark in self._files:
            self._write(b"M 100644 :%d %s\n" % (mark, path.encode()))
        self._write(b"\ndone\n")
        self._stdin.close()
        if self._process.wait() != 0:
            raise OSError(f"git fast-import failed: {self._reason()}")
        self._backend.refresh()
        oid = self._backend.read_ref(self.ref)
        if oid is None:
            raise StoreCorrupt(f"git fast-import did not make {self.ref}")
        return oid

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def _write(self, data: bytes) -> None:
        try:
            self._stdin.write(data)
        except BrokenPipeError:
            self._process.wait()
            raise OSError(f"git fast-import failed: {self._reason()}") from None

    def _reason(self) -> str:
        assert self._process.stderr is not None
        lines = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()
        return next((line for line in lines if line.startswith("fatal")), lines[0] if lines else "no reason given")
