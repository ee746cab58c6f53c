"""The lines of the spool: what a hook appends, as a value. Pure.

A line is fields between tabs, `-` where there is nothing to say: version, hook, moment, worktree, cause, before, after,
branch, argument, agent, session, context, pairs. Empty lines mean nothing; what is not of this form is counted, never
guessed at. Values come from the environment of a hook and from Git: anybody's text, made safe to show here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

VERSION = b"1"
PROBE = "probe"
HOOKS = ("pre-commit", "post-commit", "post-checkout", "post-merge", "post-rewrite", "pre-push")

_FIELDS = 13
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_WORKTREE = re.compile(r"\.|worktrees/[^/\x00-\x1f\x7f]{1,255}")
_TASK = re.compile(r"[!-~]{1,200}")
_MOMENT = re.compile(r"(u?)(\d{1,12})(?:[.,](\d{1,9}))?")
_LAST_SECOND = 253_402_300_799.0  # of the year 9999


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a hook. `moment` is None where the hook had no clock; `up` says that it counts from a system's start.

    `seconds` is since 1970, once `with_times` has found it. `argument` is a push's remote, a rewrite's command, or a
    probe's word.
    """

    key: str
    line: bytes
    hook: str
    moment: float | None
    up: bool
    worktree: str
    cause: str | None
    before: str | None
    after: str | None
    branch: str | None
    argument: str | None
    agent: str | None
    session: str | None
    task: str | None
    pairs: tuple[tuple[str, str], ...]
    seconds: float = 0.0

    @property
    def at(self) -> datetime:
        """When it was, UTC."""
        return datetime.fromtimestamp(min(max(self.seconds, 0.0), _LAST_SECOND), UTC)


def parse_line(key: str, line: bytes) -> Run | None:
    """Return the run that a line tells of, or None where the line is not of the form."""
    fields = line.decode("utf-8", "backslashreplace").split("\t")
    if len(fields) != _FIELDS or fields[0].encode() != VERSION:
        return None
    said = [None if field == "-" else field for field in fields[1:]]
    hook, moment, worktree, cause, before, after, branch, argument, agent, session, context, pairs = said
    clock = _MOMENT.fullmatch(moment or "")
    if hook not in (*HOOKS, PROBE) or worktree is None or not _WORKTREE.fullmatch(worktree):
        return None
    if moment is not None and clock is None:
        return None
    return Run(
        key=key,
        line=line,
        hook=hook,
        moment=None if clock is None else float(f"{clock[2]}.{clock[3] or 0}"),
        up=clock is not None and clock[1] == "u",
        worktree=worktree,
        cause=_printable(cause),
        before=_oid(before),
        after=_oid(after),
        branch=_printable(branch),
        argument=_printable(argument),
        agent=_printable(agent, 64),
        session=_printable(session),
        task=_task(context),
        pairs=tuple(_pairs(pairs or "")),
    )


def with_times(runs: Iterable[Run], changed: float) -> list[Run]:
    """Return the runs of one file with their times, which was last written `changed` seconds after 1970.

    A time since the system's start is counted back from the file's own time, that of its last line. Where the system
    was started in between, and where a hook had no clock, the time of what follows is the nearest that is known.
    """
    found: list[Run] = []
    known, up = changed, None
    for run in reversed(list(runs)):
        if run.moment is not None and not run.up:
            known = run.moment
        elif run.moment is not None:
            if up is None or run.moment > up[0]:
                up = (run.moment, known)
            known = up[1] - (up[0] - run.moment)
        found.append(replace(run, seconds=known))
    found.reverse()
    return found


def _oid(text: str | None) -> str | None:
    """Return a commit's id; the id of nothing, as Git has it for a branch that begins, is none."""
    return text if text is not None and _OID.fullmatch(text) and text.strip("0") else None


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for pair in text.split(",") if text else ():
        old, _, new = pair.partition(":")
        if _oid(old) and _oid(new):
            yield old, new


def _task(context: str | None) -> str | None:
    """Return the task that the text of MEMOREE_CONTEXT names; what cannot be read names none."""
    if context is None:
        return None
    try:
        fields = json.loads(context)
    except (ValueError, RecursionError):
        return None
    task = fields.get("task_id") if isinstance(fields, dict) else None
    return task if isinstance(task, str) and _TASK.fullmatch(task) else None


def _printable(text: str | None, most: int = 500) -> str | None:
    if text is None:
        return None
    shown = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(shown.split())[:most].rstrip() or None
