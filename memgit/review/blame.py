"""Whose each part of a revision is: each field, each word of a statement, each line of a document.

A part is its parent's where the parent says the same, and so on back; where two parents do, the first one's. What was
undone is passed over: its children count as children of its parents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memgit.records.ids import RevisionId
from memgit.records.state import Lineage, Revision
from memgit.review.fields import Field, fields_of
from memgit.review.words import attribute, runs, words

Parents = dict[RevisionId, tuple[RevisionId, ...]]
Owned = tuple[RevisionId, str]
"""A piece of text, and the revision that it comes from."""

_LINES = 4  # a statement of as many lines is told apart line by line, a shorter one word by word


def ancestry(lineage: Lineage, target: RevisionId) -> tuple[list[Revision], Parents]:
    """Return the effective revisions that lead to one, itself last, in the fold's order, and the parents of each."""
    known = {revision.id: revision for revision in lineage.revisions}
    parents: Parents = {}
    for revision in lineage.revisions:  # parents stand before their children
        found: dict[RevisionId, None] = {}
        for name in revision.parents:
            found.update(dict.fromkeys((name,) if not known[name].void else parents[name]))
        parents[revision.id] = tuple(found)
    wanted = {target}
    for revision in reversed(lineage.revisions):
        if revision.id in wanted:
            wanted.update(parents[revision.id])
    return [revision for revision in lineage.revisions if revision.id in wanted], parents


def field_owners(revisions: Sequence[Revision], parents: Parents) -> list[tuple[Field, RevisionId]]:
    """Return each field of the last revision with the one that gave it its value."""
    owners: dict[RevisionId, dict[Field, RevisionId]] = {}
    for revision in revisions:
        inherited = [owners[name] for name in parents[revision.id] if name in owners]
        owners[revision.id] = {
            field: next((theirs[field] for theirs in inherited if field in theirs), revision.id)
            for field in fields_of(revision.payload)
        }
    return list(owners[revisions[-1].id].items())


def statement_owners(texts: Mapping[RevisionId, str], parents: Parents, order: Sequence[RevisionId]) -> list[Owned]:
    """Return the last text in pieces of one owner each: of lines where there are several, else of words."""
    by_line = texts[order[-1]].count("\n") + 1 >= _LINES
    tokens = {name: text.splitlines(keepends=True) if by_line else words(text) for name, text in texts.items()}
    owners = attribute(tokens, lambda name: parents[name], order)
    return runs(tokens[order[-1]], owners[order[-1]])


def line_owners(texts: Mapping[RevisionId, str], parents: Parents, order: Sequence[RevisionId]) -> list[Owned]:
    """Return each line of the last text, without its end, and the revision that it comes from."""
    lines = {name: lines_of(text) for name, text in texts.items()}
    owners = attribute(lines, lambda name: parents[name], order)
    return list(zip(owners[order[-1]], lines[order[-1]], strict=True))


def lines_of(text: str) -> list[str]:
    """Return a document's lines as Git counts them: a line ends with a line feed, and the last may lack it."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
