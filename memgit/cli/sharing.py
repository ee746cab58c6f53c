"""What the verbs that talk to a remote print: one line on what came, what went, and what deserves a look."""

from __future__ import annotations

from collections.abc import Mapping
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


def show_report(front: Front, report: SyncReport, done: str) -> None:
    """Print what an exchange did; `done` is the first word."""
    if report.elected:
        front.out.note(f"memory goes to {report.remote} from now on (Git config memgit.remote)")
    for text in report.notes:
        front.out.note(f"note: {text}")
    parts = [f"came {counted(report.came)}" if report.came else "nothing came"] if done != "pushed to" else []
    if done in ("synced with", "pushed to"):
        parts.append(f"went {counted(report.went)}" if report.went else "nothing went")
    if report.conflicts_opened:
        number = len(report.conflicts_opened)
        parts.append(f"{number} {'conflict' if number == 1 else 'conflicts'} opened (`git memory conflict list`)")
    if report.ignored:
        parts.append(f"{report.ignored} ignored (`git memory verify`)")
    front.out.line(f"{done} {one_line(report.remote, 60)}: {'; '.join(parts)}")


def counted(operations: Mapping[str, int]) -> str:
    """Return numbers of operations for people: the sum, and each kind."""
    return f"{sum(operations.values())} ({', '.join(f'{name} {number}' for name, number in operations.items())})"
