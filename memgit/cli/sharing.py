"""What the verbs that talk to a remote print: one line on what came, what went, and what deserves a look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front
from memgit.cli.options import together
from memgit.cli.terminal import one_line

if TYPE_CHECKING:
    from memgit.operations.exchanging import SyncReport

elect_option = click.option("--elect", is_flag=True, help="Make REMOTE the one that memory goes to from now on.")

incoming_options = together(
    click.option("--accept-purge", is_flag=True, help="Remove here, for good, what was purged there."),
    click.option("--join", is_flag=True, help="Make one of two memories that were begun apart, for good."),
)

flagged_option = click.option(
    "--allow-flagged", is_flag=True, help="Push text that looks like a secret, once you looked at it."
)


_NAMED = 3  # of what looks like a secret, in one line


def show_report(front: Front, report: SyncReport, done: str) -> None:
    """Print what an exchange did; `done` is the first word."""
    if report.elected:
        front.out.note(f"memory goes to {report.remote} from now on (Git config memgit.remote)")
    for text in report.notes:
        front.out.note(f"note: {text}")
    came = "nothing came"
    if report.came and done == "fetched from":
        came = f"{counted(report.came)} to come (`git memory sync` brings it in)"
    elif report.came:
        came = f"came {counted(report.came)}"
    parts = [came] if done != "pushed to" else []
    if done in ("synced with", "pushed to"):
        parts.append(f"went {counted(report.went)}" if report.went else "nothing went")
    if report.conflicts_opened:
        number = len(report.conflicts_opened)
        parts.append(f"{number} {'conflict' if number == 1 else 'conflicts'} opened (`git memory conflict list`)")
    if report.ignored:
        more = ", …" if report.ignored > len(report.ignored_first) else ""
        names = ", ".join(one_line(path.rpartition("/")[2], 60) for path in report.ignored_first)
        parts.append(f"{report.ignored} ignored: {names}{more} (`git memory verify`)")
    if report.flagged:
        parts.append(f"with {flagged(report.flagged)}")
    front.out.line(f"{done} {one_line(report.remote, 60)}: {'; '.join(parts)}")


def flagged(names: Sequence[str]) -> str:
    """Return what went although it looks like a secret, for people."""
    shown = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    if len(names) == 1:
        return f"1 record that looks like a secret and was allowed here ({shown})"
    return f"{len(names)} records that look like secrets and were allowed here ({shown})"


def counted(operations: Mapping[str, int]) -> str:
    """Return numbers of operations for people: the sum, and each kind."""
    return f"{sum(operations.values())} ({', '.join(f'{name} {number}' for name, number in operations.items())})"
