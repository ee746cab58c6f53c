"""`git memory import`: documents that exist already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.options import write_options
from memgit.cli.terminal import counted

if TYPE_CHECKING:
    from memgit.operations.import_markdown import Imported


@noun("import")
def command() -> None:
    """Keep documents that exist already."""


@command.command("markdown")
@click.argument("directory", metavar="DIR")
@click.option(
    "--as", "prefix", metavar="PREFIX", help="Name the documents PREFIX/...; needed outside the working tree."
)
@click.option("-n", "--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--readmit", is_flag=True, help="Take in again what somebody forgot.")
@write_options
@click.pass_obj
def markdown(front: Front, /, directory: str, prefix: str | None, dry_run: bool, readmit: bool) -> Imported | None:
    """Import the Markdown files below a directory, each as an artifact.

    Title, headings and front matter are kept with the exact bytes. Importing again writes only what changed. Files
    of other formats are counted and left out (`git memory artifact put FILE` keeps one), and so are hidden directories,
    symbolic links, what looks as if it held a secret, and what somebody forgot; files that are gone are named and kept.

    \b
    Examples:
      git memory import markdown docs
      git memory import markdown . --dry-run
      git memory import markdown ../handbook --as handbook
    """
    from memgit.operations.import_markdown import Imported

    fields = {"directory": directory, **given(prefix=prefix, dry_run=dry_run, readmit=readmit)}
    return front.perform("import.markdown", fields, Imported, lambda result: show(front, result, dry_run))


def show(front: Front, result: Imported, dry_run: bool) -> None:
    """Print what changed, one path a line, then the counts."""
    out = front.out
    if not out.quiet:
        for path in result.added_paths:
            out.line(("good", "  new      "), path)
        for path in result.revised_paths:
            out.line(("id", "  changed  "), path)
        unlisted = result.added + result.revised - len(result.added_paths) - len(result.revised_paths)
        if unlisted:
            out.line(f"  and {unlisted} more")
    for path in result.missing_paths:
        out.note(f"gone, kept as it was: {path}")
    for skipped in result.skipped:
        out.note(f"left out: {skipped.path}: {skipped.reason}")
    if result.flagged == 1:
        out.note("1 document seems to hold a secret; what was kept of it before is as it was")
        out.note("hint: take the secret out and import again; or look at it, then pass --allow-flagged")
    elif result.flagged:
        out.note(f"{result.flagged} documents seem to hold secrets; what was kept of them before is as it was")
        out.note("hint: take the secrets out and import again; or look at each, then pass --allow-flagged")
    if result.others:
        out.note(f"{counted(result.others, 'other file')} left out ({_kinds(result)}): only Markdown is imported")
    would = "would be " if dry_run else ""
    out.line(f"{result.added} {would}new, {result.revised} {would}changed, {result.unchanged} unchanged")


def _kinds(result: Imported) -> str:
    """Return the most frequent ends of the names of what is no Markdown."""
    named = ", ".join(f"{count} {suffix or 'without an end'}" for suffix, count in result.other_kinds.items())
    return named if sum(result.other_kinds.values()) == result.others else f"{named}, …"
