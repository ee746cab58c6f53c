"""`diff`: what a sync, a branch or a span of the history brings, in words for whoever decides."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from memgit.errors import InvalidRequest
from memgit.index.state_cache import StateCache
from memgit.limits import DEFAULT
from memgit.operations.invocation import Invocation, Observed
from memgit.operations.positions import Position, elected_remote, merge_base, resolve_state
from memgit.review.bounds import bounded
from memgit.review.changes import Diff
from memgit.review.markdown import COMMENT_BYTES, markdown
from memgit.review.parts import diff_trees
from memgit.review.sides import Trees

_RANGE = re.compile(r"(?P<before>.*?)(?P<dots>\.{2,3})(?P<after>.*)", re.DOTALL)


class DiffStates(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Compare two states of the store: what `after` has and `before` has not.

    `range` is `A..B`, `A...B` (B since they went apart) or `B` (since our tip); default: what a sync would bring. As a
    merge is a union, B is looked at together with A: nothing that only A has shows up, and conflicts are those that
    would open. Of a new document the first lines are shown, with `full` all of each. `max_bytes` bounds the answer;
    what does not fit is counted.
    """

    range: str | None = None
    format: Literal["data", "markdown"] = "data"
    max_bytes: int = COMMENT_BYTES
    full: bool = False


class DiffAnswer(Struct, frozen=True, kw_only=True):
    """The two states by name and commits, and what differs: as data, or as one Markdown text."""

    before: str
    after: str
    before_commits: tuple[str, ...]
    after_commits: tuple[str, ...]
    is_empty: bool
    counts: dict[str, int]
    diff: Diff | None = None
    markdown: str | None = None


def diff(invocation: Invocation, request: DiffStates) -> DiffAnswer:
    """Return the difference of two states. Raises NotFound, InvalidRequest for a name that means none."""
    if not 1_000 <= request.max_bytes <= DEFAULT.diff_bytes:
        raise InvalidRequest(f"`max_bytes` is 1000 to {DEFAULT.diff_bytes}", details={"field": "max_bytes"})
    before, after = range_of(invocation, request.range)
    found = diff_positions(invocation, before, after, full=request.full)
    title = f"{before.name}..{after.name}"
    as_text = request.format == "markdown"
    return DiffAnswer(
        before=before.name,
        after=after.name,
        before_commits=before.commits,
        after_commits=after.commits,
        is_empty=found.is_empty,
        counts=found.counts,
        diff=None if as_text else bounded(found, request.max_bytes),
        markdown=markdown(found, title, request.max_bytes) if as_text else None,
    )


def diff_positions(invocation: Invocation, before: Position, after: Position, *, full: bool = False) -> Diff:
    """Return what one state would bring to another, whole. Where they are equal the difference is empty."""
    tip, state = own_state(invocation)
    return diff_trees(before.trees(), after.trees(), tip, state, full=full)


def own_state(invocation: Invocation) -> tuple[Trees, StateCache | None]:
    """Return our tip and the folded state of it, which knows who is joined to whom; nothing where there is no store."""
    store = invocation.store
    if store.tip() is None:
        return Trees([], store.database), None
    snapshot = store.snapshot()
    invocation.observed = Observed(snapshot.seq, snapshot.commit_id)
    return Trees([snapshot], store.database), invocation.state_of(snapshot)


def range_of(invocation: Invocation, text: str | None) -> tuple[Position, Position]:
    """Return the two states of a range: of `A...B` the first is where they went apart."""
    match = _RANGE.fullmatch(text) if text is not None else None
    if match is None:
        name = text or f"@{{{elected_remote(invocation)}}}"
        return resolve_state(invocation, "@"), resolve_state(invocation, name)
    before = resolve_state(invocation, match["before"] or "@")
    after = resolve_state(invocation, match["after"] or "@")
    if match["dots"] == "...":
        before = merge_base(before, after)
    return before, after
