"""Runs of hooks united to what a person sees as one action. Pure.

A commit is what `pre-commit` and `post-commit` saw, and `post-rewrite` where it amends. A rebase, a cherry-pick of
several commits and a bisect are one action from their first step to their last; checkouts right after each other are
one. Each commit that HEAD was at and each rewritten pair is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memgit.checkpoints.events import EventKind, HookEvent
from memgit.checkpoints.spool_lines import Run

CHECKOUT_SECONDS = 60.0  # checkouts that follow each other within this are one action
LONG_ACTIONS = frozenset(("rebase", "am", "cherry-pick", "revert", "bisect"))

_KINDS: dict[str, EventKind] = {
    "pre-commit": "pre-commit",
    "post-commit": "commit",
    "post-checkout": "checkout",
    "post-merge": "merge",
    "post-rewrite": "rewrite",
    "pre-push": "push",
}


@dataclass(slots=True)
class Action:
    """Runs of one working tree that belong together, in their order."""

    runs: list[Run] = field(default_factory=list)
    end: int = 0  # the place of its last run among all

    @property
    def last(self) -> Run:
        """The run that came last."""
        return self.runs[-1]

    @property
    def hooks(self) -> set[str]:
        """The names of the hooks that ran."""
        return {run.hook for run in self.runs}

    def takes(self, run: Run) -> bool:
        """Tell whether the next run of the same working tree belongs to this action."""
        last = self.last
        if _is_repeat(last, run):
            return True
        if last.hook == run.hook == "post-rewrite" and (last.argument, last.after) == (run.argument, run.after):
            return True  # many pairs are several lines
        if last.cause in LONG_ACTIONS or run.cause in LONG_ACTIONS:
            return self._continues(run)
        if last.hook == "pre-commit":
            return run.hook in ("pre-commit", "post-commit")
        if last.hook == "post-commit" and run.hook == "post-rewrite":
            return any(new == last.after for _, new in run.pairs) or (not run.pairs and run.after == last.after)
        both = last.hook == run.hook == "post-checkout"
        return both and run.seconds - last.seconds <= CHECKOUT_SECONDS and last.after == run.before

    def _continues(self, run: Run) -> bool:
        """Tell whether a run is the next step of the same rebase, bisect, …"""
        last = self.last
        if last.hook == "pre-commit" and run.hook == "post-commit":
            return True  # what the last step's own marks say may be gone by then
        if last.cause != run.cause or (last.hook == "post-rewrite" and last.argument == last.cause):
            return False
        if run.cause == "bisect":
            return len(self.runs) == 1 or self.runs[0].before != last.after  # back at its beginning, a bisect is over
        return run.before is not None and run.before == last.before  # each step says where the whole began

    def give_up_step(self, run: Run) -> list[Run]:
        """Return and lose the checkout with which `rebase --apply` begins, before it says what it is; else nothing."""
        last = self.last
        is_end = run.hook == "post-rewrite" and run.argument == "rebase" and run.before is None
        if is_end and last.hook == "post-checkout" and last.branch is None and last.cause is None:
            return [self.runs.pop()]
        return []

    def event(self) -> HookEvent:
        """Return what happened, as one event."""
        first, last = self.runs[0], self.last
        after = next((run.after for run in reversed(self.runs) if run.after is not None), None)
        pairs = self._pairs(after)
        cause = next((run.cause for run in reversed(self.runs) if run.cause is not None), None)
        return HookEvent(
            kind=self._kind(),
            at=last.at,
            worktree=last.worktree,
            before=self._before(pairs, after),
            after=after,
            branch=last.branch,
            rewritten=pairs,
            cause=cause,
            remote=last.argument if last.hook == "pre-push" else None,
            task=_last_said([run.task for run in self.runs]),
            session=_last_said([run.session for run in self.runs]),
            agent=_last_said([run.agent for run in self.runs]),
            runs=len(self.runs),
            through=self._through(after),
            key=first.key,
        )

    def _kind(self) -> EventKind:
        hooks = self.hooks
        is_amended = "post-rewrite" in hooks and "post-commit" in hooks and self.last.cause not in LONG_ACTIONS
        if is_amended:
            return "commit"
        names = ("post-rewrite", "post-commit", "post-merge", "post-checkout", "pre-push", "pre-commit")
        return _KINDS[next(name for name in names if name in hooks)]

    def _before(self, pairs: Sequence[tuple[str, str]], after: str | None) -> str | None:
        amended = [old for old, new in pairs if new == after] if self._kind() == "commit" else []
        return amended[0] if amended else next((run.before for run in self.runs if run.before is not None), None)

    def _pairs(self, after: str | None) -> tuple[tuple[str, str], ...]:
        """Return all pairs; of an amend whose hook was not told, what the check before it saw."""
        pairs = tuple(dict.fromkeys(pair for run in self.runs for pair in run.pairs))
        first, last = self.runs[0], self.last
        is_amend = last.hook == "post-rewrite" and last.argument == "amend"
        if not pairs and is_amend and first.hook == "pre-commit" and first.before and after:
            return ((first.before, after),)
        return pairs

    def _through(self, after: str | None) -> tuple[str, ...]:
        seen = [run.after for run in self.runs if run.after is not None]
        return tuple(oid for oid in dict.fromkeys(seen) if oid != after)


def actions(runs: Iterable[Run]) -> list[Action]:
    """Return runs as actions, in the order of each one's last run."""
    current: dict[str, Action] = {}
    found: list[Action] = []
    for place, run in enumerate(runs):
        if run.hook == "pre-push":
            found.append(Action([run], place))  # whatever else is under way goes on around it
            continue
        action = current.get(run.worktree)
        if action is None or not action.takes(run):
            action = current[run.worktree] = Action([] if action is None else action.give_up_step(run))
            found.append(action)
        action.runs.append(run)
        action.end = place
    return sorted((action for action in found if action.runs), key=lambda one: one.end)


def _is_repeat(last: Run, run: Run) -> bool:
    """Tell whether two blocks told of one run of Git, as where a tool and Git itself both call us."""
    same = (last.hook, last.before, last.after, last.branch) == (run.hook, run.before, run.after, run.branch)
    return same and last.hook in ("post-commit", "post-merge") and run.seconds - last.seconds < 5.0


def _last_said(values: Sequence[str | None]) -> str | None:
    return next((value for value in reversed(values) if value is not None), None)
