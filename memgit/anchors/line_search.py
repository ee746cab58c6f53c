"""The files of a commit that hold a line, for many lines with one `git grep`."""

from __future__ import annotations

from collections.abc import Iterable

from memgit.anchors.text import weight
from memgit.records.op import Anchor
from memgit.store.code_history import CodeHistory
from memgit.store.objects import ObjectId

_FILES = 50  # that are named for one line
_SECONDS = 60


class LineSearch:
    """Where the heaviest lines of anchors are, kept while an answer is worked out."""

    def __init__(self, history: CodeHistory) -> None:
        self._history = history
        self._paths: dict[tuple[ObjectId, bytes], list[str]] = {}
        self._part: set[ObjectId] = set()

    def paths(self, anchor: Anchor, commit: ObjectId) -> list[str]:
        """Return the first files of a commit that hold the heaviest line of an anchor's copy."""
        line = heaviest_line(anchor)
        if line and (commit, line) not in self._paths:
            self.look_for([anchor], commit)
        return self._paths.get((commit, line), [])

    def is_whole(self, commit: ObjectId) -> bool:
        """Tell whether all files of a commit could be looked into so far; in a partial clone some cannot."""
        return commit not in self._part

    def look_for(self, anchors: Iterable[Anchor], commit: ObjectId) -> None:
        """Look for the lines of many anchors at once."""
        lines = sorted({line for anchor in anchors if (line := heaviest_line(anchor))})
        lines = [line for line in lines if (commit, line) not in self._paths]
        if not lines:
            return
        command = ["grep", "-z", "-I", "-F", "--no-color", "--full-name", "-f", "-", commit, "--"]
        answer = self._history.git(command, stdin=b"\n".join(lines) + b"\n", timeout=_SECONDS)
        if answer.returncode > 1 or answer.stderr:
            self._part.add(commit)
        self._paths |= {(commit, line): paths for line, paths in _by_line(answer.stdout, lines).items()}


def heaviest_line(anchor: Anchor) -> bytes:
    """Return the line of an anchor's copy that says most, without the blanks around it; nothing where it has none."""
    return max((anchor.text or "").encode().split(b"\n"), key=weight).strip()


def _by_line(output: bytes, wanted: list[bytes]) -> dict[bytes, list[str]]:
    """Return the paths that `grep -z` printed, by the line that each holds."""
    found: dict[bytes, dict[str, None]] = {line: {} for line in wanted}
    holding: dict[bytes, list[bytes]] = {}
    begun = b""
    for row in output.split(b"\n"):
        name, separator, line = (begun + row).partition(b"\0")
        begun = b"" if separator else begun + row + b"\n"  # the name itself has a line end
        if not separator:
            continue
        if line not in holding:
            holding[line] = [item for item in wanted if item in line]
        path = name.partition(b":")[2].decode("utf-8", "surrogateescape")
        for item in holding[line]:
            if len(found[item]) < _FILES:
                found[item][path] = None
    return {line: list(paths) for line, paths in found.items()}
