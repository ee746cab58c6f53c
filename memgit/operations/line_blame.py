"""Which commits last changed lines of a file: `git blame`, bounded, offline, and remembered by the file's bytes."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass

from memgit.errors import StoreBusy
from memgit.index.blame_cache import BlameCache, Kept, Run
from memgit.operations.code_states import CodeStates
from memgit.store.backend import ObjectMissing
from memgit.store.objects import ObjectId, hash_object

_SECONDS = 10.0
_BYTES = 4 << 20
_ROW = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) \d+ (\d+) (\d+)")


@dataclass(frozen=True, slots=True)
class LineBlame:
    """Who changed which lines last; `note` says why nothing is known where that is so."""

    runs: tuple[Run, ...] = ()
    note: str | None = None

    def commits(self, start: int | None, end: int | None) -> dict[str, list[int]]:
        """Return the commits of lines `start` to `end` (of all, for None) with the lines that each changed last."""
        found: dict[str, list[int]] = {}
        for run in self.runs:
            first, last = max(run.first, start or 1), min(run.last, end or run.last)
            if run.commit is not None and first <= last:
                found.setdefault(run.commit, []).extend(range(first, last + 1))
        return found


def line_blame(states: CodeStates, path: str, at: str | None) -> LineBlame:
    """Return the blame of a file as the working tree or a revision has it. Raises NotFound for an unknown revision."""
    tracer = states.tracer()
    history, commit = tracer.history, tracer.commit(at)
    if commit is None:
        return LineBlame(note="the repository has no commit yet")
    in_work_tree = at is None and history.repository.work_tree is not None
    try:
        blob = _working_blob(states, path) if in_work_tree else history.file(commit, path)
    except ObjectMissing:
        return LineBlame(note="the file is not in this clone, so blame cannot be asked")
    if blob is None:
        return LineBlame(note="there is no such file now" if at is None else f"there is no such file in {commit[:10]}")
    cache, name = BlameCache(history.repository.cache_dir), os.fsencode(path)
    kept = cache.read(name, blob)
    if kept is not None and states.reach().of([kept.head]).get(kept.head) == "in":
        return LineBlame(kept.runs)
    found = _ask(states, path, None if in_work_tree else commit)
    if found.note is None:
        cache.write(name, blob, Kept(commit, found.runs))
    return found


def _ask(states: CodeStates, path: str, commit: ObjectId | None) -> LineBlame:
    history = states.tracer().history
    has_work_tree = history.repository.work_tree is not None  # `blame.ignoreRevsFile` counts from its top
    revision = [commit] if commit is not None else []
    command = ["blame", "--incremental", *revision, "--", path]
    try:
        answer = history.git(command, timeout=_SECONDS, in_work_tree=has_work_tree)
    except StoreBusy:
        return LineBlame(note=f"blame took more than {_SECONDS:.0f} s and was left out")
    if answer.returncode != 0:
        return LineBlame(note=_failure(answer.stderr))
    return LineBlame(_runs(answer.stdout))


def _runs(output: bytes) -> tuple[Run, ...]:
    """Return what `--incremental` printed, by line. A row of zeros is what is not committed."""
    runs = []
    for line in output.split(b"\n"):
        match = _ROW.fullmatch(line)
        if match is not None:
            commit = match[1].decode("ascii")
            first = int(match[2])
            runs.append(Run(commit if commit.strip("0") else None, first, first + int(match[3]) - 1))
    return tuple(sorted(runs, key=lambda run: run.first))


def _failure(complaint: bytes) -> str:
    """Return why blame said nothing."""
    text = complaint.decode("utf-8", "replace").strip().splitlines()
    last = text[-1].removeprefix("fatal: ") if text else "it did not say why"
    if "no such path" in last:
        return "the file is not committed, so blame knows nothing of it"
    if "promisor" in complaint.decode("utf-8", "replace") or "could not fetch" in last or "cannot read" in last:
        return "older versions of the file are not in this clone, so blame cannot be asked; nothing is fetched unasked"
    if "could not open object name list" in last:  # Git offers no way to go on without it
        name = last.rpartition(": ")[2][:200]
        return f"blame cannot be asked: `blame.ignoreRevsFile` names a file that is not here: {name}"
    return f"blame cannot be asked: {last[:200]}"


def _working_blob(states: CodeStates, path: str) -> str | None:
    """Return the name of a working file's bytes; None where there is no regular file, or a very large one."""
    history = states.tracer().history
    name = os.fsencode(history.repository.root) + b"/" + os.fsencode(path)
    try:
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _BYTES:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return hash_object("blob", file.read(), history.backend.object_format).oid
    finally:
        os.close(descriptor)
