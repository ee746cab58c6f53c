"""`git memory blame`: who gave each part of a claim or a document its present form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.ids import whole_id
from memgit.cli.options import layer_options
from memgit.cli.people import person
from memgit.cli.terminal import Part, moment, one_line

if TYPE_CHECKING:
    from memgit.operations.blame import Blamed, BlameRevision


@verb("blame")
@click.argument("id", metavar="ID")
@click.option("--revision", "revision_id", metavar="REVISION", help="One of its revisions; default: the current one.")
@layer_options
@click.pass_obj
def command(front: Front, /, id: str, revision_id: str | None) -> Blamed | None:
    """Show who set each field of a claim or artifact, and when.

    Of a text document it shows who wrote each line, as `git blame` does. One line a field: number of the revision,
    commit, author, time, and where their code stood. Of a statement that several revisions wrote, the pieces follow.

    \b
    Examples:
      git memory blame clm_01jb3h
      git memory blame art_01jb2x --revision arev_01jb2y
    """
    from memgit.operations.blame import Blamed

    fields = {"entity_id": whole_id(front, id), **given(revision_id=revision_id)}
    return front.perform("blame", fields, Blamed, lambda result: _show(front, result))


def _show(front: Front, result: Blamed) -> None:
    out = front.out
    out.line(("id", result.entity_id), "  ", result.revision_id)
    width = max((len(field.name) for field in result.fields), default=0)
    for field in result.fields:
        if result.lines and field.name in ("digest", "size"):
            continue
        out.line(*_origin(result.revisions[field.revision]), f"  {field.name:<{width}}  ", one_line(field.value, 200))
    if result.statement:
        out.line()
        for piece in result.statement:
            out.line(*_origin(result.revisions[piece.revision]), "  ", one_line(piece.text))
    if result.lines:
        out.line()
    digits = len(str(len(result.lines)))
    for number, line in enumerate(result.lines, start=1):
        out.line(*_origin(result.revisions[line.revision]), ("dim", f" {number:>{digits}}) "), line.text)
    if result.note is not None:
        out.note(result.note)


def _origin(revision: BlameRevision) -> list[Part]:
    """Return the columns in front of a part: revision, commit, author, time, code."""
    commit = (revision.commit or "-")[:10]
    code = (revision.head or "")[:8] + (f" {_branch(revision.branch)}" if revision.branch else "")
    return [
        ("dim", f"{revision.number:>3} "),
        ("id", f"{commit:<10}"),
        f" {person(revision.author, 24):<24} ",
        ("dim", f"{moment(revision.at)} {one_line(code, 24):<24}"),
    ]


def _branch(name: str) -> str:
    return name.removeprefix("refs/heads/")
