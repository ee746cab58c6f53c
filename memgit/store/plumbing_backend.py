"""The second back end: Git's own plumbing, for what libgit2 cannot open.

Reads go through long-lived `cat-file` processes, refs through `update-ref`. No command here may touch the network: a
partial clone that lacks an object says so instead of fetching.
"""

from __future__ import annotations

import hashlib
import re
import struct
import subprocess
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import IO

from memgit.errors import NotARepository
from memgit.store.backend import ObjectMissing, RefDamaged, RefLocked, RefMoved
from memgit.store.git_command import GIT_TIMEOUT_SECONDS, git_config, git_environment, run_git
from memgit.store.identity import USER_PREFIXES, identity
from memgit.store.loose import is_loose, write_loose
from memgit.store.objects import ObjectFormat, ObjectId, ObjectType, RawObject, Signature, hash_object
from memgit.store.ref_file import REFTABLE_HEAD, is_damaged, read_head
from memgit.store.repository import Repository

_PACK_TYPES: dict[str, int] = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
_OBJECT_TYPES: dict[bytes, ObjectType] = {b"commit": "commit", b"tree": "tree", b"blob": "blob", b"tag": "tag"}
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class PlumbingBackend:
    """`Backend` on the `git` command."""

    name = "plumbing"

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.objects_dir = str(repository.common_dir / "objects")
        self._batches: dict[str, subprocess.Popen[bytes]] = {}
        self._options: list[str] = []
        self.object_format: ObjectFormat = self._ask_object_format()
        self._shared = bool(self.config("core.sharedrepository"))

    def read(self, oid: ObjectId) -> tuple[ObjectType, bytes]:
        fields = self._ask("--batch", oid)
        if len(fields) != 3:
            raise ObjectMissing(oid)
        size = int(fields[2])
        data = self._stdout("--batch").read(size + 1)
        if len(data) != size + 1:
            self.refresh()
            raise ObjectMissing(oid)
        found = hash_object(_OBJECT_TYPES[fields[1]], data[:-1], self.object_format)
        if found.oid != oid:  # Git leaves this check to `fsck`
            raise ObjectMissing(oid)
        return found.type, found.data

    def contains(self, oid: ObjectId) -> bool:
        try:
            return is_loose(self.objects_dir, oid) or len(self._ask("--batch-check", oid)) == 3
        except ObjectMissing:
            return False

    def write(self, objects: Iterable[RawObject]) -> None:
        if not self._shared:
            write_loose(self.objects_dir, objects, sync=bool(self._options))
            return
        answer = self._git(["unpack-objects", "-q"], stdin=encode_pack(list(objects), self.object_format))
        if answer.returncode != 0:
            raise OSError(f"Git objects cannot be written: {_last_line(answer.stderr)}")

    def read_ref(self, name: str) -> ObjectId | None:
        if is_damaged(self.repository.common_dir, name):
            raise RefDamaged(name)
        with suppress(ObjectMissing):
            fields = self._ask("--batch-check", name)
            if len(fields) == 3:
                return ObjectId(fields[0].decode())
        # The object may be missing while the ref is sound.
        answer = self._git(["rev-parse", "--verify", "--quiet", name])
        oid = answer.stdout.decode().strip()
        return ObjectId(oid) if answer.returncode == 0 and _ID.fullmatch(oid) else None

    def move_ref(self, name: str, new: ObjectId, old: ObjectId | None) -> None:
        self._update_ref([name, new, old or "0" * len(new)], name)

    def delete_ref(self, name: str, old: ObjectId) -> None:
        self._update_ref(["-d", name, old], name)

    def head(self) -> tuple[ObjectId | None, str | None]:
        _, branch = read_head(self.repository.git_dir)
        if branch == REFTABLE_HEAD:
            answer = self._git(["symbolic-ref", "--quiet", "HEAD"])
            branch = answer.stdout.decode("utf-8", "replace").strip() or None
        commit = self._ask("--batch-check", "HEAD^{commit}")
        return ObjectId(commit[0].decode()) if len(commit) == 3 else None, branch

    def identity(self) -> tuple[Signature, bool]:
        return identity(self.user_config())

    def user_config(self) -> Mapping[str, str]:
        return git_config(self.repository, *USER_PREFIXES)

    def config(self, prefix: str) -> Mapping[str, str]:
        return git_config(self.repository, prefix.lower())

    def sync_writes(self) -> None:
        self._options = ["-c", "core.fsync=all", "-c", "core.fsyncMethod=fsync"]

    def refresh(self) -> None:
        self.close()

    def close(self) -> None:
        for process in self._batches.values():
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):  # what was not sent yet
                        stream.close()
        self._batches.clear()

    def __del__(self) -> None:
        self.close()

    def _ask(self, mode: str, name: str) -> list[bytes]:
        """Return the fields that a batch process answers: id, type and size, or others where the object is missing.

        Raises ObjectMissing where the process dies of the question: the object is damaged, or Git wanted to fetch it.
        """
        for _ in range(2):
            process = self._batch(mode)
            assert process.stdin is not None
            try:
                process.stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
                process.stdin.flush()
                line = self._stdout(mode).readline()
            except BrokenPipeError:
                line = b""
            if line:
                return line.rstrip(b"\n").split(b" ")
            self.refresh()
        raise ObjectMissing(name)

    def _batch(self, mode: str) -> subprocess.Popen[bytes]:
        process = self._batches.get(mode)
        if process is None or process.poll() is not None:
            process = subprocess.Popen(
                ["git", "cat-file", mode],
                cwd=self.repository.git_dir,
                env=git_environment(self.repository),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._batches[mode] = process
        return process

    def _stdout(self, mode: str) -> IO[bytes]:
        stdout = self._batches[mode].stdout
        assert stdout is not None
        return stdout

    def _ask_object_format(self) -> ObjectFormat:
        answer = self._git(["rev-parse", "--show-object-format"])
        if answer.returncode != 0:
            raise NotARepository(f"{self.repository.root}: {_last_line(answer.stderr)}")
        return "sha256" if answer.stdout.strip() == b"sha256" else "sha1"

    def _update_ref(self, arguments: list[str], name: str) -> None:
        answer = self._git(["update-ref", "--no-deref", *arguments])
        if answer.returncode == 0:
            return
        text = answer.stderr.decode("utf-8", "replace")
        if "File exists" in text:
            raise RefLocked(str(self.repository.common_dir / f"{name}.lock"))
        if "nonexistent object" in text:
            raise ObjectMissing(name)
        if "but expected" in text or "already exists" in text or "unable to resolve reference" in text:
            raise RefMoved(name)
        raise OSError(f"the ref {name} cannot be moved: {_last_line(answer.stderr)}")

    def _git(self, arguments: list[str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return run_git(self.repository, [*self._options, *arguments], stdin=stdin, timeout=GIT_TIMEOUT_SECONDS)


def encode_pack(objects: list[RawObject], object_format: ObjectFormat) -> bytes:
    """Return a pack of the objects without deltas (gitformat-pack, version 2)."""
    parts = [b"PACK" + struct.pack(">II", 2, len(objects))]
    for item in objects:
        size = len(item.data)
        byte = (_PACK_TYPES[item.type] << 4) | (size & 15)
        size >>= 4
        header = bytearray()
        while size:
            header.append(byte | 0x80)
            byte = size & 0x7F
            size >>= 7
        header.append(byte)
        parts += [bytes(header), zlib.compress(item.data, 1)]
    body = b"".join(parts)
    return body + hashlib.new(object_format, body, usedforsecurity=False).digest()


def _last_line(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ") if lines else "Git gave no reason"
