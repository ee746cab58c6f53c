"""What one action that Git's hooks saw was, as a value.

The spool (`spool.py`) reads the runs of hooks from the lines that they append; `coalesce.py` unites those that a person
sees as one action.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

EventKind = Literal["pre-commit", "commit", "checkout", "merge", "rewrite", "push"]


@dataclass(frozen=True, slots=True)
class HookEvent:
    """One action that Git's hooks saw.

    `worktree` is the Git directory of the working tree relative to the common one (`.` or `worktrees/<name>`).
    `before` and `after` are commits, None where the hook was not told or there was none. `branch` is the full ref that
    HEAD named afterwards, None where it named a commit. `rewritten` pairs old and new commits in the order that Git
    gave. `runs` is how many runs of hooks this unites; `cause` is what Git was doing (`rebase`, `amend`, `cherry-pick`,
    `bisect`, …), None for an action of its own. `through` are the commits that HEAD was at in between, in order.
    `key` names the event for ever: an event that is given again, because a process died before it said that it was
    done, has the same one.
    """

    kind: EventKind
    at: datetime  # of the last run, UTC
    worktree: str
    before: str | None = None
    after: str | None = None
    branch: str | None = None
    rewritten: tuple[tuple[str, str], ...] = ()
    cause: str | None = None
    remote: str | None = None  # the name that a push was given
    task: str | None = None  # from the environment of the hook
    session: str | None = None
    agent: str | None = None
    runs: int = 1
    through: tuple[str, ...] = ()
    key: str = ""
