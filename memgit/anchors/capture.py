"""From a place that somebody names to an anchor: what is there now, and enough of a copy to find it again.

The text is taken from a commit, or from the working tree. Where a working file is not as it is committed, the anchor
names the committed lines if they are the same, and else holds the text alone, and says so.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from msgspec.structs import replace

from memgit.anchors.files import Files, OldTextMissing, compared
from memgit.anchors.line_map import carry
from memgit.anchors.symbols import definition, definitions
from memgit.anchors.text import Text, bounded_copy
from memgit.anchors.wanted import Wanted, parse_place
from memgit.anchors.way import written_path
from memgit.anchors.work_tree import WorkTree
from memgit.errors import InvalidRequest, NotFound
from memgit.records.codec import digest_of
from memgit.records.op import Anchor
from memgit.store.backend import ObjectMissing
from memgit.store.code_history import GITLINK, SYMLINK, CodeHistory
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository

__all__ = ["Captured", "Wanted", "capture", "parse_place"]

_CANDIDATES = 200  # files that a symbol is looked for in
_FILE_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Captured:
    """An anchor, and what its maker should know about it (one sentence each)."""

    anchor: Anchor
    notes: tuple[str, ...] = ()


def capture(repository: Repository, wanted: Wanted, *, at: str | None = None, prefix: str = "") -> Captured:
    """Return the anchor to a place, as it is in a revision or (None) in the working tree; in a bare one, at HEAD.

    `prefix` is the directory, below the root, that a relative path counts from. A commit that is wanted together with
    a path is where the path is looked up. Raises InvalidRequest for what cannot be anchored (a directory, a submodule,
    a symbolic link, a binary file, lines past the end, a symbol that is defined twice), NotFound for what is not there.
    """
    history = CodeHistory(repository)
    try:
        return _Capture(history, at, prefix).of(wanted)
    finally:
        history.close()


class _Capture:
    def __init__(self, history: CodeHistory, at: str | None, prefix: str) -> None:
        self._history = history
        self._files = Files(history)
        self._at = at
        self._prefix = prefix

    def of(self, wanted: Wanted) -> Captured:
        if wanted.path is None and wanted.symbol is None:
            if wanted.commit is None:
                raise InvalidRequest("an anchor needs a path, a symbol or a commit")
            return Captured(self._stamped(self._resolved(wanted.commit)))
        at = wanted.commit if wanted.commit is not None else self._at
        if at is None and self._history.repository.work_tree is None:
            at = "HEAD"
        commit = self._history.head() if at is None else self._resolved(at)
        path = self._path(wanted.path) if wanted.path is not None else self._defining(wanted.symbol or "", commit, at)
        text = self._working(path) if at is None else self._committed(path, commit)
        if text.is_binary:
            raise InvalidRequest(f"{path} is a binary file, which has no lines to anchor")
        start, end = self._lines(text, path, wanted)
        return self._anchor(path, text, start, end, wanted.symbol, commit, is_committed=at is not None)

    # What is meant

    def _resolved(self, revision: str) -> ObjectId:
        commit = self._history.resolve(revision)
        if commit is None:
            raise NotFound(f"no commit is called {revision}", hint="`git log` lists the commits that are here.")
        return commit

    def _path(self, given: str) -> str:
        if posixpath.isabs(given):
            raise InvalidRequest(f"{given} is not a path inside the repository", hint="Name it from the root.")
        path = posixpath.normpath(posixpath.join(self._prefix, given))
        if path == "." or path.startswith("../") or path == ".." or ".git" in path.split("/"):
            raise InvalidRequest(f"{given} is not a file of the repository")
        return path

    def _lines(self, text: Text, path: str, wanted: Wanted) -> tuple[int | None, int | None]:
        if wanted.symbol is not None and wanted.start_line is None:
            found = definition(text, path, wanted.symbol)
            return found.start, found.end
        if wanted.start_line is None:
            return None, None
        start, end = wanted.start_line, wanted.end_line if wanted.end_line is not None else wanted.start_line
        if not 1 <= start <= end:
            raise InvalidRequest(f"{start}-{end} are not lines: they count from 1, and the first one comes first")
        if end > len(text.lines):
            raise InvalidRequest(
                f"{path} has {len(text.lines)} lines, so there is no line {end}",
                hint="Name lines that the file has, or the whole file without lines.",
            )
        return start - 1, end

    def _defining(self, symbol: str, commit: ObjectId | None, at: str | None) -> str:
        """Return the one file that defines a symbol."""
        name = symbol.rpartition(".")[2] or symbol
        where = [] if at is None else [commit or ""]
        command = ["grep", "-l", "-z", "-I", "-w", "-F", "--full-name", *([] if where else ["--untracked"])]
        command += ["-e", name, *where, "--"]
        answer = self._history.git(command, in_work_tree=at is None)
        names = [item.decode("utf-8", "surrogateescape") for item in answer.stdout.split(b"\0") if item]
        paths = [item.partition(":")[2] if where else item for item in names]
        if len(paths) > _CANDIDATES:
            raise InvalidRequest(
                f"{len(paths)} files name {name}, which is too many to look for the one that defines {symbol}",
                hint="Name the file as well, or the lines: `--anchor PATH:LINE-LINE`.",
            )
        defining = [path for path in paths if self._defines(path, symbol, commit, at)]
        if not defining:
            raise NotFound(f"no file here defines {symbol}", hint="Name its file: `--anchor PATH:LINE-LINE`.")
        if len(defining) > 1:
            raise InvalidRequest(
                f"{symbol} is defined in {len(defining)} files: {', '.join(defining[:8])}",
                hint="Name the file as well, or the lines: `--anchor PATH:LINE-LINE`.",
            )
        return defining[0]

    def _defines(self, path: str, symbol: str, commit: ObjectId | None, at: str | None) -> bool:
        try:
            text = self._working(path) if at is None else self._committed(path, commit)
        except (InvalidRequest, NotFound):
            return False
        found = definitions(text, path, symbol)
        return any(item.name == symbol or item.name.endswith(f".{symbol}") for item in found)

    # What is there

    def _committed(self, path: str, commit: ObjectId | None) -> Text:
        if commit is None:
            raise NotFound("the repository has no commit yet", hint="Anchor the working tree's file, or commit first.")
        try:
            entry = self._history.entry(self._history.tree_of(commit), path)
            if entry is None:
                raise NotFound(f"{path} is not in {commit[:10]}", hint="`git ls-files` lists what is there.")
            _refuse_mode(path, entry.mode, entry.is_tree)
            return self._files.text(entry.oid)
        except (ObjectMissing, OldTextMissing):
            raise NotFound(
                f"the text of {path} in {commit[:10]} is not in this clone",
                hint="`git fetch` or `git checkout` brings it; nothing is fetched unasked.",
            ) from None

    def _working(self, path: str) -> Text:
        root = self._history.repository.root
        file = root / path
        if any((root / parent).is_symlink() for parent in posix_parents(path)):
            raise InvalidRequest(f"{path} lies beyond a symbolic link", hint="Name it where it really is.")
        if self._is_submodule(path):
            raise InvalidRequest(f"{path} is in a submodule", hint="Run the command inside the submodule.")
        if file.is_symlink():
            _refuse_mode(path, SYMLINK, False)
        if file.is_dir():
            _refuse_mode(path, b"40000", True)
        if not file.exists():
            raise NotFound(f"{path} is not in the working tree", hint="`git ls-files` lists what is there.")
        if not file.is_file():
            raise InvalidRequest(f"{path} is not a regular file")
        if file.stat().st_size > _FILE_BYTES:
            raise InvalidRequest(f"{path} has more than {_FILE_BYTES >> 20} MiB")
        return Text(file.read_bytes())

    def _is_submodule(self, path: str) -> bool:
        root = self._history.repository.root
        return any((root / directory / ".git").exists() for directory in [*posix_parents(path), path])

    # The anchor

    def _anchor(
        self,
        path: str,
        text: Text,
        start: int | None,
        end: int | None,
        symbol: str | None,
        commit: ObjectId | None,
        *,
        is_committed: bool,
    ) -> Captured:
        first, last = (0, len(text.lines)) if start is None or end is None else (start, end)
        part = text.part(first, last)
        name, encoded = written_path(path)
        anchor = Anchor(path=name, path_encoded=encoded, symbol=symbol, text=bounded_copy(part) or None)
        anchor = replace(anchor, text_digest=digest_of(part))
        if start is not None and end is not None:
            anchor = replace(
                anchor,
                start_line=start + 1,
                end_line=end,
                before_digest=text.before(start),
                after_digest=text.after(end),
            )
        if commit is None:
            return Captured(anchor, (f"{path} is not committed: the anchor holds the text alone",))
        return self._committed_lines(anchor, path, text, commit, is_committed)

    def _committed_lines(self, anchor: Anchor, path: str, text: Text, commit: ObjectId, is_committed: bool) -> Captured:
        """Name the committed file, where the anchored lines are in it."""
        anchor = self._stamped(commit, anchor)
        blob = self._history.file(commit, path)
        if is_committed:
            return Captured(replace(anchor, blob=blob))
        if blob is None:
            return Captured(anchor, (f"{path} is not committed: the anchor holds the text alone",))
        working = WorkTree(self._history, self._files, commit).present(path)
        committed = self._files.text(blob)
        if working is not None and committed.data == working.data:
            return Captured(replace(anchor, blob=blob))
        if anchor.start_line is None or anchor.end_line is None:
            return Captured(anchor, (f"{path} has changes that are not committed: the anchor holds its text alone",))
        start, end = anchor.start_line - 1, anchor.end_line
        carried = carry(text, committed, start, end, compared(text, committed))
        if carried is None or not carried.is_same:
            note = f"the lines of {path} are not committed as they are: the anchor holds the text alone"
            return Captured(anchor, (note,))
        anchor = replace(anchor, blob=blob, start_line=carried.start + 1, end_line=carried.end)
        return Captured(anchor, _renumbered(path, start, anchor))

    def _stamped(self, commit: ObjectId, anchor: Anchor | None = None) -> Anchor:
        patch, tree = None, None
        try:
            tree = self._history.tree_of(commit)
            if len(self._history.parents_of(commit)) == 1:
                patch = self._history.patch_ids([commit]).get(commit)
        except ObjectMissing:
            if tree is None:
                raise NotFound(f"the commit {commit[:10]} is not whole in this clone") from None
        return replace(anchor or Anchor(), commit=commit, tree=tree, patch_id=patch)


def posix_parents(path: str) -> list[str]:
    """Return the directories above a path, without the root."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _renumbered(path: str, start: int, anchor: Anchor) -> tuple[str, ...]:
    if anchor.start_line == start + 1:
        return ()
    return (f"the lines are {anchor.start_line}-{anchor.end_line} of {path} as it is committed",)


def _refuse_mode(path: str, mode: bytes, is_tree: bool) -> None:
    if is_tree:
        raise InvalidRequest(f"{path} is a directory", hint="Anchor a file in it.")
    if mode == GITLINK:
        raise InvalidRequest(f"{path} is a submodule", hint="Run the command inside the submodule.")
    if mode == SYMLINK:
        raise InvalidRequest(f"{path} is a symbolic link", hint="Anchor the file that it points to.")
