"""Scripted rewrites of a real repository's newest commits: amend, rebase, squash merge, rename of a directory.

For each, `target` is what came out, and `joined` a commit with the same tree on top of the history that was rewritten
away, so that blame can tell where its lines went.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.report import git

_COMMITS = 10
_FILES = 12


@dataclass
class Scenario:
    """One rewrite. `commits` are those that anchors are made in; `paths` the files that were edited there."""

    name: str
    branch: str
    commits: list[str]
    paths: list[str]
    target: str
    joined: str
    rewrites: dict[str, str] = field(default_factory=dict)


class _Script:
    def __init__(self, clone: Path, chance: random.Random) -> None:
        self.clone = clone
        self.chance = chance
        self.base = self.git("rev-parse", "HEAD")
        names = self.git("ls-files", "-z").split("\0")
        self.files = [name for name in names if name.endswith((".py", ".rst", ".md")) and self.lines(name) > 40]
        self.edited = chance.sample(self.files, min(_FILES, len(self.files)))
        self.number = 0
        git("config", "user.name", "Benchmark", directory=clone)
        git("config", "user.email", "benchmark@example.invalid", directory=clone)

    def git(self, *arguments: str) -> str:
        return git(*arguments, directory=self.clone)

    def lines(self, name: str) -> int:
        file = self.clone / name
        return file.read_bytes().count(b"\n") if file.is_file() and not file.is_symlink() else 0

    def edit(self, name: str, *, low: float = 0.0, high: float = 1.0) -> None:
        """Change, remove and add a few lines of a file, somewhere between two parts of it."""
        file = self.clone / name
        lines = file.read_bytes().decode("utf-8", "surrogateescape").split("\n")
        for _ in range(4):
            self.number += 1
            at = self.chance.randrange(
                int(len(lines) * low), max(int(len(lines) * low) + 1, int(len(lines) * high) - 1)
            )
            kind = self.chance.choice(("add", "add", "change", "remove"))
            if kind == "add":
                lines[at:at] = [
                    f"# scripted note {self.number}.{n} of {name}" for n in range(self.chance.randrange(1, 6))
                ]
            elif kind == "change":
                lines[at] = f"{lines[at]}  # scripted change {self.number}"
            else:
                del lines[at]
        file.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))

    def commit(self, text: str, *options: str) -> str:
        self.git("commit", "-q", "-a", "--no-verify", "-m", text, *options)
        return self.git("rev-parse", "HEAD")

    def work(self, branch: str) -> list[str]:
        """Make a branch of ten commits, each of which edits the first half of some files."""
        self.git("checkout", "-q", "-B", branch, self.base)
        made = []
        for number in range(_COMMITS):
            for name in self.chance.sample(self.edited, 3):
                self.edit(name, high=0.5)
            made.append(self.commit(f"scripted work {number}"))
        return made

    def others(self, branch: str) -> None:
        """Make a branch on which others edited the second half of the same files."""
        self.git("checkout", "-q", "-B", branch, self.base)
        for number in range(5):
            for name in self.chance.sample(self.edited, 3):
                self.edit(name, low=0.6)
            self.commit(f"others' work {number}")

    def joined(self, old: str, new: str) -> str:
        return self.git("commit-tree", f"{new}^{{tree}}", "-p", old, "-m", "joined")


def scenarios(clone: Path, chance: random.Random) -> Iterator[Scenario]:
    """Make each rewrite in a clone and yield it."""
    script = _Script(clone, chance)
    yield _amend(script)
    yield _rebase(script)
    yield _squash(script)
    yield _directory(script)


def _amend(script: _Script) -> Scenario:
    commits = script.work("amend")
    old = commits[-1]
    for name in script.chance.sample(script.edited, 4):
        script.edit(name)
    new = script.commit("scripted work, amended", "--amend")
    return Scenario("amend", "amend", [old], script.edited, new, script.joined(old, new), {old: new})


def _rebase(script: _Script) -> Scenario:
    script.others("others")
    commits = script.work("rebase")
    script.git("rebase", "-q", "others")
    new = script.git("rev-list", "--reverse", "others..HEAD").split()
    pairs = dict(zip(commits, new, strict=True))
    joined = script.joined(commits[-1], new[-1])
    return Scenario("rebase", "rebase", commits, script.edited, new[-1], joined, pairs)


def _squash(script: _Script) -> Scenario:
    commits = script.work("squash-work")
    script.git("checkout", "-q", "-B", "squash", "others")
    script.git("merge", "-q", "--squash", "squash-work")
    script.commit("squashed work")
    for name in script.chance.sample(script.edited, 3):
        script.edit(name)
    new = script.commit("after the squash")
    return Scenario("squash merge", "squash", commits, script.edited, new, script.joined(commits[-1], new))


def _directory(script: _Script) -> Scenario:
    script.git("checkout", "-q", "-B", "directory", "squash")
    old = script.git("rev-parse", "HEAD")
    directories = sorted({name.split("/")[0] for name in script.edited if "/" in name})
    for name in directories:
        script.git("mv", name, f"renamed-{name}")
    paths = [f"renamed-{name}" if "/" in name else name for name in script.edited]
    for name in script.chance.sample(paths, 3):
        script.edit(name)
    new = script.commit("directories renamed")
    return Scenario("directory rename", "directory", [old], script.edited, new, new)
