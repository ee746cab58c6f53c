"""`git memory status`: what the memory holds, and what deserves a look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, layer_name
from memgit.cli.grammar import verb
from memgit.cli.options import layer_options
from memgit.cli.terminal import counted, moment, one_line
from memgit.errors import NoAmbientContext, NotARepository, StoreNotInitialized

if TYPE_CHECKING:
    from memgit.operations.code_trust import CodeTrust
    from memgit.operations.pending_status import PendingNotes
    from memgit.operations.status import StoreStatus

BEGINNING = """\
This repository has no memory yet. To begin:

  git memory init                          once; creates a ref, changes no branch
  git memory sync                          instead, where a remote has a memory already: brings it
  git memory import markdown docs          keep documents that exist
  git memory remember "TEXT" --type decision
  git memory recall WORDS

`git memory -h` lists all verbs; `git memory demo` shows them at work in a scratch repository.
"""


@verb("status")
@layer_options
@click.pass_obj
def command(front: Front, /) -> StoreStatus | None:
    """Summarise the memory: counts, open conflicts, the latest claims.

    Counts of this project (and task) come first; the store may hold others. Open conflicts and operations
    that had to be ignored are named, with the verb that shows them.

    \b
    Examples:
      git memory status
      git memory status --json
    """
    from memgit.operations.status import StoreStatus

    return front.perform("status", {}, StoreStatus, lambda result: show(front, result))


def greet(front: Front) -> None:
    """Print the status where there is a store, else how to begin."""
    from memgit.operations.status import StoreStatus

    try:
        front.perform("status", {}, StoreStatus, lambda result: show(front, result))
    except (NoAmbientContext, StoreNotInitialized):
        front.out.block(BEGINNING.rstrip(), indent="")
    except NotARepository as error:
        front.out.line(f"{error.message}.")
        front.out.line("git memory gives a Git repository a memory: change into one, or run `git memory demo`.")


def show(front: Front, result: StoreStatus) -> None:
    """Print the summary."""
    out = front.out
    out.line("memory ", ("id", result.store_id), f" in {result.ref}")
    out.line("  this project  ", "; ".join(f"{name}: {number} active" for name, number in result.here.items()))
    out.line(
        f"  all projects  claims: {_count(result.claims)}; artifacts: {_count(result.artifacts)}; "
        f"relations: {result.relations}"
    )
    for layer, count in result.layers.items():
        out.line(f"  {layer_name(layer)}: {counted(count, 'operation')}, {_whose(layer, result)}")
    apart = result.unsynced
    if apart is not None and apart.ahead:
        ahead = f"{counted(apart.ahead, 'operation')} not synced with {one_line(apart.remote, 60)}"
        out.line(f"  {ahead}: `git memory sync`")
    if apart is not None and apart.behind:
        out.line(f"  {counted(apart.behind, 'operation')} fetched and not united: `git memory diff`, `git memory sync`")
    if result.pending is not None:
        out.line(f"  {_waiting(result.pending)}: `git memory pending list`")
    if result.code is not None:
        out.line(f"  tied to code: {_code(result.code)}")
    if result.open_conflicts:
        cases = counted(result.open_conflicts, "open conflict case")
        out.line("  ", ("bad", cases), ": `git memory conflict list`")
    if result.ignored_operations:
        ignored = counted(result.ignored_operations, "operation is", "operations are")
        out.line("  ", ("bad", f"{ignored} ignored"), ": `git memory verify`")
    if result.latest:
        out.line("latest claims:")
    for claim_id, statement in result.latest:
        disputed = ("bad", "  disputed") if claim_id in result.disputed else ""
        ended = ("dim", "  not valid now") if claim_id in result.not_valid_now else ""
        out.line("  ", ("id", claim_id), "  ", one_line(statement, 90), disputed, ended)
    if not result.claims and not result.artifacts:
        front.out.note("nothing is remembered yet: `git memory remember TEXT`, `git memory import markdown DIR`")


def _code(code: CodeTrust) -> str:
    """Say how what is tied to code stands at HEAD, and what to do about it."""
    from memgit.cli.commands.stale import said

    stands = said(code.fresh, code.drifted, code.gone, code.unmerged)
    return f"{stands}: `git memory stale`" if code.drifted or code.gone else stands


def _waiting(pending: PendingNotes) -> str:
    """Say how many notes nobody has looked at, and which of them expires next."""
    said = [f"{counted(pending.waiting, 'note')} for review"] if pending.waiting else []
    said += [f"{counted(pending.expired, 'note')} expired"] if pending.expired else []
    said += [f"{counted(pending.damaged, 'note is', 'notes are')} damaged"] if pending.damaged else []
    if pending.next is not None and pending.next_expires_at is not None:
        said.append(f"{one_line(pending.next, 40)} expires next, {moment(pending.next_expires_at)}")
    return ", ".join(said)


def _whose(layer: str, result: StoreStatus) -> str:
    """Say who has a private layer, and what to do about it."""
    if layer == "local":
        return "in this clone alone: `git memory log --layer local`"
    name = layer.removeprefix("draft:")
    if layer in result.merged_drafts:
        return f"merged already: `git memory draft merge {name}` takes it away"
    remotes = result.shared_drafts.get(layer, ())
    place = f"shared with {' and '.join(remotes)}" if remotes else "in this clone alone"
    return f"{place}: `git memory draft diff {name}`"


def _count(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items()) or "none"
