"""Where lines really went, by `git blame -C -C -M` (also with `-w`), `git blame --reverse` and `git log -L`.

None of it is memgit's code.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

Line = tuple[str, int]  # a path and a line, from 1
Origin = tuple[str, str, int, str]  # the commit, path and line where a line was first written, and blame's option

_HEADER = re.compile(r"([0-9a-f]{40,64}) (\d+) (\d+)(?: \d+)?")
_AROUND = 10  # lines on each side
_RENAMES = 3  # that are followed where `git log -L` ends
_LARGEST = 400_000  # bytes of a file that is blamed


class Truth:
    """What Git itself says of the lines of one target commit."""

    def __init__(self, repository: Path, target: str, names: Collection[str] = ()) -> None:
        """Blame the files of a target; with `names`, only those with such a file name."""
        self.repository = repository
        self.target = target
        self._names = names
        self._by_origin: dict[Origin, set[Line]] = defaultdict(set)
        with ThreadPoolExecutor(2) as pool:
            for path, origins in pool.map(self._of_file, self._files()):
                for number, each in enumerate(origins, 1):
                    for origin in each:
                        self._by_origin[origin].add((path, number))

    def survivors(self, commit: str, path: str, start: int, end: int) -> dict[int, set[Line]]:
        """Return, for each line of a range that survived, where it is in the target now (copies included)."""
        origins = self._blame(commit, path, start, end)
        found: dict[int, set[Line]] = {}
        for line, each in enumerate(origins, start):
            found[line] = set().union(*(self._by_origin.get(origin, set()) for origin in each))
        for line, place in self._reverse(commit, path, start, end).items():
            found[line].add(place)
        return {line: places for line, places in found.items() if places}

    def descends(self, commit: str, text: list[str], path: str, start: int, end: int) -> bool:
        """Tell by `git log -L` whether lines of the target were made from the anchored text by editing."""
        wanted = {line.strip() for line in text if sum(map(str.isalnum, line)) >= 3}
        return self._descends(commit, wanted, self.target, (path, start, end), _RENAMES)

    def _descends(self, commit: str, wanted: set[str], tip: str, place: tuple[str, int, int], renames: int) -> bool:
        path, start, end = place
        log = self._git("log", f"-L{start},{end}:{path}", "--format=%x01%H", f"{commit}..{tip}").split("\x01")
        if len(log) == 1:  # nothing touched the lines since
            lines = self._git("show", f"{tip}:{path}").split("\n")[start - 1 : end]
            return any(line.strip() in wanted for line in lines)
        oldest = log[-1].splitlines()
        before = {line[1:].strip() for line in oldest if line[:1] in ("-", " ") and not line.startswith("---")}
        if before & wanted:
            return True
        made = {line[1:].strip() for line in oldest if line.startswith("+") and not line.startswith("+++")}
        if "--- /dev/null" not in oldest or not renames or not made:
            return False
        # `git log -L` takes a rename with many changes for a new file: go on in the file that Git pairs with it.
        return any(
            self._descends(commit, wanted, f"{oldest[0]}^", (old, number, number), renames - 1)
            for old in self._renamed_from(oldest[0], path)
            for number, line in enumerate(self._git("show", f"{oldest[0]}^:{old}").split("\n"), 1)
            if line.strip() in made and sum(map(str.isalnum, line)) >= 3
        )

    def _renamed_from(self, commit: str, path: str) -> list[str]:
        rows = self._git("diff-tree", "-r", "-M30%", "-C30%", "--name-status", f"{commit}^", commit).splitlines()
        parts = [row.split("\t") for row in rows]
        return [part[1] for part in parts if len(part) == 3 and part[2] == path]

    def is_the_only_one(self, commit: str, text: list[str], path: str, start: int, end: int) -> bool:
        """Tell whether a line of the anchored text is only once in all of its commit and of the target, and there."""
        present = {line.strip() for line in self._git("show", f"{self.target}:{path}").split("\n")[start - 1 : end]}
        telling = {line.strip() for line in text if sum(map(str.isalnum, line)) >= 8} & present
        return any(self._count(commit, line) == 1 == self._count(self.target, line) for line in telling)

    def surroundings(self, commit: str, path: str, lines: list[int], place: str, there: list[int]) -> float:
        """Return how much of what stands around lines of a commit stands around lines of the target, 0 to 1."""
        old, new = self._around(commit, path, lines), self._around(self.target, place, there)
        return len(old & new) / max(1, len(old))

    def _around(self, commit: str, path: str, lines: list[int]) -> set[str]:
        text = self._git("show", f"{commit}:{path}").split("\n")
        window = text[max(0, min(lines) - 1 - _AROUND) : max(lines) + _AROUND]
        return {line.strip() for line in window if sum(map(str.isalnum, line)) >= 3}

    def _count(self, commit: str, line: str) -> int:
        found = self._git("grep", "-F", "-h", "-e", line, commit).split("\n")
        return sum(item.strip() == line for item in found)

    def _files(self) -> list[str]:
        rows = self._git("ls-tree", "-r", "-l", "-z", self.target).split("\0")
        parts = [row.partition("\t") for row in rows if row]
        small = [(meta.split(), path) for meta, _, path in parts]
        files = [path for meta, path in small if meta[0].startswith("100") and int(meta[3]) < _LARGEST]
        return [path for path in files if not self._names or path.split("/")[-1] in self._names]

    def _of_file(self, path: str) -> tuple[str, list[list[Origin]]]:
        return path, self._blame(self.target, path)

    def _blame(self, commit: str, path: str, start: int | None = None, end: int | None = None) -> list[list[Origin]]:
        """Return the origins of each line: with blanks, and without (a reindented line keeps its origin)."""
        both = [self._blame_by(option, commit, path, start, end) for option in ("-C", "-w")]
        return [list(pair) for pair in zip(*both, strict=True)]

    def _blame_by(self, option: str, commit: str, path: str, start: int | None, end: int | None) -> list[Origin]:
        lines = [] if start is None else ["-L", f"{start},{end}"]
        text = self._git("blame", option, "-C", "-C", "-M", "--line-porcelain", *lines, commit, "--", path)
        origins: list[Origin] = []
        at = ("", 0)
        for line in text.split("\n"):
            if match := _HEADER.fullmatch(line):
                at = (match[1], int(match[2]))
            elif line.startswith("filename "):
                origins.append((at[0], line.removeprefix("filename "), at[1], option))
        return origins

    def _reverse(self, commit: str, path: str, start: int, end: int) -> dict[int, Line]:
        """Return the lines that `git blame --reverse` still finds in the target."""
        command = ["blame", "--reverse", "--line-porcelain", "-L", f"{start},{end}", f"{commit}..{self.target}"]
        text = self._git(*command, "--", path)
        found: dict[int, Line] = {}
        header = None
        for line in text.split("\n"):
            if match := _HEADER.fullmatch(line):
                header = match
            elif line.startswith("filename ") and header is not None and header[1] == self.target:
                found[int(header[3])] = (line.removeprefix("filename "), int(header[2]))
        return found

    def _git(self, *arguments: str) -> str:
        command = ["git", "-c", "core.quotePath=false", *arguments]
        done = subprocess.run(command, cwd=self.repository, capture_output=True)
        return done.stdout.decode("utf-8", "surrogateescape")
