"""`git memory check`: a gate for CI."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import layer_options
from memgit.cli.terminal import counted, one_line, write
from memgit.records.visible import visible

if TYPE_CHECKING:
    from memgit.operations.check import CheckFinding, CheckReport
    from memgit.operations.known_items import KnownItem
    from memgit.retrieval.code_state import AnchorState


@verb("check")
@click.option("--since", required=True, metavar="REV", help="Where the change began: a branch, a tag, a commit.")
@click.option("--at", metavar="REV", help="Where it ends; default: the working tree.")
@click.option("--differences", is_flag=True, help="Show what has changed in the code, bounded.")
@click.option(
    "--format", "form", type=click.Choice(("text", "github")), default="text", help="`github`: annotations of a file."
)
@layer_options
@click.pass_obj
def command(front: Front, /, since: str, at: str | None, differences: bool, form: str) -> CheckReport | None:
    """Find what a change may have made untrue: a gate for CI.

    Named is what is tied to code that the change touches, and that nobody looked at since.

    The change is what lies between the last common commit with REV and the working tree. Exits with 1 until each claim
    is confirmed, revised, retracted or superseded. It writes nothing and needs no network; what a shallow clone cannot
    see it says.

    \b
    Examples:
      git memory check --since origin/main
      git memory check --since "$BASE" --format github
    """
    from memgit.operations.check import CheckReport

    fields = {"since": since, **given(at=at, differences=differences)}
    shown = show_github if form == "github" else show
    return front.perform("check", fields, CheckReport, lambda result: shown(front, result))


def show(front: Front, result: CheckReport) -> None:
    """Print the findings; exit with 1 where there are any."""
    from memgit.cli.code import show_anchor, show_known

    out = front.out
    for found in result.findings:
        show_known(out, _obeyed_by_nobody(found.item), indent="    | ")
        for anchor in found.anchors:
            show_anchor(out, anchor, "    code      ")
        out.line()
    _say(front, result)


def _obeyed_by_nobody(item: KnownItem) -> KnownItem:
    """Return an item whose text a CI runner takes for none of its commands.

    GitHub's runner finds `::` at the beginning of a line after any blanks, and `##[` anywhere in it.
    """
    return replace(item, text=item.text.replace("##[", "# #["))


def show_github(front: Front, result: CheckReport) -> None:
    """Print one annotation a finding, as GitHub's workflow commands have it; exit with 1 where there are any."""
    for found in result.findings:
        for line in _annotations(found):
            write(sys.stdout, line + "\n")
    for note in result.notes:
        write(sys.stdout, f"::warning title=git memory check::{_data(one_line(note))}\n")
    _say(front, result, with_notes=False)


def _say(front: Front, result: CheckReport, *, with_notes: bool = True) -> None:
    for note in result.notes if with_notes else ():
        front.out.note(note)
    settled = f", {result.settled} settled" if result.settled else ""
    verdict = f"{counted(len(result.findings), 'claim')} to look at{settled}" if result.findings else f"ok{settled}"
    front.out.note(
        f"{counted(result.changed_files, 'file')} changed since {result.base[:10]}; "
        f"{counted(result.checked, 'claim')} tied to code: {verdict}"
    )
    if not result.ok:
        front.out.note("`git memory confirm ID` where it still holds; else `git memory claim revise` or `retract`")
        raise click.exceptions.Exit(1)


def _annotations(found: CheckFinding) -> Iterator[str]:
    """Yield the annotations of one finding. Commands and their escapes are those of GitHub's toolkit."""
    title = f"{found.item.type} {found.item.entity_id}: {found.anchors[0].state}"
    do = f"`git memory confirm {found.item.entity_id}` if it holds"
    text = f"{found.item.text}\nIts code: {found.anchors[0].said}. {do}."
    for anchor in found.anchors:
        place = ",".join(f"{name}={_property(value)}" for name, value in _place(anchor))
        yield f"::error {place + ',' if place else ''}title={_property(title)}::{_data(text)}"


def _place(anchor: AnchorState) -> list[tuple[str, str]]:
    """Return where an annotation belongs: where the code is now, else the file where it was, if that is a name."""
    now = anchor.now or anchor.was
    if now is None or now.path_encoded:
        return []
    place = [("file", now.path)]
    if anchor.now is not None and now.start_line is not None:
        place += [("line", str(now.start_line)), ("endLine", str(now.end_line))]
    return place


def _data(text: str) -> str:
    """Return a command's message: see `escapeData` in actions/toolkit."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return a property of a command: see `escapeProperty` in actions/toolkit."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
