"""The difference of two states, as Git shows the difference of two trees: bounded, without a program of the user's."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from memgit.checkpoints import plumbing
from memgit.checkpoints.archive import Archive
from memgit.checkpoints.record import ChangedPath, shown_path
from memgit.errors import NotFound, StoreCorrupt
from memgit.store.git_command import git_environment

_PATHS_KEPT = 10_000
_COMPLAINTS_BYTES = 64 * 1024
_OID = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b")
_OF_COMMITS = "A checkpoint that a hook made names commits and keeps no files; one with a snapshot keeps them."


@dataclass(frozen=True, slots=True)
class Difference:
    """The paths that differ, the patch, and whether either was cut."""

    paths: tuple[ChangedPath, ...]
    patch: str
    cut: bool


def difference(archive: Archive, old: str, new: str, paths: Sequence[bytes], most: int) -> Difference:
    """Return how two trees differ at some paths, or everywhere; at most `most` bytes of the patch.

    Trees may be the archive's or the user's. Raises NotFound where one is gone, or an object of the user's that it
    needs; StoreCorrupt where the archive lacks one. Never a part for the whole, unless it says that it was cut.
    """
    lent = plumbing.lending(archive.owner)
    gone = plumbing.missing(archive.repository, [old, new], lent)
    if gone:
        raise NotFound(
            f"the tree {sorted(gone)[0]} is gone: Git has collected it",
            hint=_OF_COMMITS,
        )
    trees = _Trees(archive, (old, new), lent)
    names = trees.compared([b"-z", b"--name-status", b"--no-renames"], paths, most)
    patch = trees.compared([b"-p", b"-M", b"--no-ext-diff", b"--no-textconv", b"--no-color"], paths, most)
    fields = names[:most].split(b"\0")[:-1]
    pairs = list(zip(fields[0::2], fields[1::2], strict=False))
    shown = tuple(ChangedPath(letter.decode("ascii"), shown_path(path)) for letter, path in pairs[:_PATHS_KEPT])
    cut = len(patch) > most or len(names) > most or len(pairs) > _PATHS_KEPT
    return Difference(shown, _whole_lines(patch, most), cut)


@dataclass(frozen=True, slots=True)
class _Trees:
    """Two trees, and the variables with which a command in the archive sees both."""

    archive: Archive
    names: tuple[str, str]
    lent: dict[str, str]

    def compared(self, options: list[bytes], paths: Sequence[bytes], most: int) -> bytes:
        """Return what `git diff-tree` prints, one byte more than is wanted where there is more.

        Raises StoreCorrupt or NotFound where Git could not print all of it.
        """
        names = [name.encode() for name in self.names]
        with tempfile.TemporaryFile() as complaints:  # a pipe that nobody reads would fill up
            process = subprocess.Popen(
                [b"git", b"--literal-pathspecs", b"diff-tree", *options, b"-r", *names, b"--", *paths],
                cwd=self.archive.repository.git_dir,
                env=git_environment(self.archive.repository) | self.lent,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
            )
            with process:  # closes the pipe and waits
                assert process.stdout is not None
                try:
                    found = process.stdout.read(most + 1)
                except BaseException:
                    process.kill()
                    raise
                if len(found) > most:
                    process.kill()
                    return found
            if process.returncode != 0:
                complaints.seek(0)
                raise self._failure(process.returncode, complaints.read(_COMPLAINTS_BYTES).decode("utf-8", "replace"))
        return found

    def _failure(self, status: int, complaints: str) -> NotFound | StoreCorrupt:
        """Return the error for a difference of which Git printed a part."""
        lines = complaints.strip().splitlines()
        reason = lines[-1].removeprefix("fatal: ")[:300] if lines else f"exit status {status}"
        named = _OID.search(reason) or _OID.search(complaints)
        oids = [named[0]] if named else []
        if plumbing.missing(self.archive.repository, oids, self.lent):
            if plumbing.missing(self.archive.repository, self.names):  # not a snapshot: the files are the user's
                return NotFound(
                    f"the object {oids[0]} is gone, so there is no whole difference",
                    hint=f"{_OF_COMMITS} In a partial clone it may never have been here.",
                )
            reason = f"{self.archive.repository.common_dir} lacks the object {oids[0]}"
        return StoreCorrupt(
            f"there is no whole difference: {reason}",
            hint="`--paths` shows that of other files. Drop the checkpoint if nobody can bring the object back.",
        )


def _whole_lines(patch: bytes, most: int) -> str:
    if len(patch) > most:
        patch = patch[: patch.rfind(b"\n", 0, most) + 1]
    return patch.decode("utf-8", "backslashreplace")
