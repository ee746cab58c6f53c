"""`why`: what is known about a file, or about lines of it, and why each thing is in the answer.

Three ways lead from lines to memory: an anchor that is on them now; a commit that changed them last, at which something
was written; and a document that came from the very file, with what cites it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from memgit.errors import InvalidRequest
from memgit.operations import checks
from memgit.operations.code_memory import CodeMemory, Here
from memgit.operations.code_paths import from_top, line_range
from memgit.operations.code_states import WORK_TREE, anchor_state
from memgit.operations.invocation import Invocation
from memgit.operations.known_items import KnownItem, known_item
from memgit.operations.line_blame import line_blame
from memgit.operations.reading import ReadRequest
from memgit.records.ids import EntityId
from memgit.records.state import Entity
from memgit.retrieval.code_state import AnchorState, CodeState
from memgit.store.backend import ObjectMissing
from memgit.store.objects import ObjectId

if TYPE_CHECKING:
    from memgit.anchors.located import Located

# How close a reason is, the closest first. What somebody tied to the code on purpose outweighs what only came with it.
_LINES, _WHOLE, _CHANGED, _BEFORE, _EVIDENCE, _CITES = range(6)
_COMMITS = 500  # of one file's blame that are followed, those with most lines first
_NAMED_LINES = 8


class Why(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask what is known about a file, or `lines` of it (`12`, `12-20`), in the working tree or `at` a revision.

    The path counts from the request's directory.
    """

    path: str
    lines: str | None = None
    at: str | None = None
    limit: int = 20


class WhyReason(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Why something is in the answer. `anchor`: what became of the anchor. `commit`: the one that changed the lines."""

    kind: Literal["anchor", "blame", "evidence"]
    said: str
    anchor: AnchorState | None = None
    commit: str | None = None


class WhyItem(Struct, frozen=True, kw_only=True):
    """Something that is known, with the reasons, the closest first.

    `branch` is where it comes from while the history does not have that; `merged` says so: `unknown` where this clone
    lacks the commit. Both are None of what is part of the history.
    """

    item: KnownItem
    reasons: tuple[WhyReason, ...]
    branch: str | None = None
    merged: Literal["no", "unknown"] | None = None


class WhyAnswer(Struct, frozen=True, kw_only=True):
    """What is known, the closest first; `more` counts what the limit left out. `path` counts from the top.

    `notes` say what could not be looked at.
    """

    path: str
    start_line: int | None
    end_line: int | None
    against: str
    items: tuple[WhyItem, ...]
    more: int
    notes: tuple[str, ...]


@dataclass
class _Found:
    entity: Entity
    reasons: list[tuple[tuple[int, int], WhyReason]] = field(default_factory=list)

    @property
    def closeness(self) -> tuple[tuple[int, int], int]:
        return (min(key for key, _ in self.reasons), -self.entity.current.seq)


class _Gathered:
    """What was found so far, by entity. Only live entities that the context shows are taken."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self.found: dict[EntityId, _Found] = {}

    def add(self, entity: Entity, closeness: int, distance: int, reason: WhyReason) -> None:
        item = self.found.setdefault(entity.lineage.id, _Found(entity))
        item.reasons.append(((closeness, distance), reason))

    def add_named(self, name: EntityId, closeness: int, distance: int, reason: WhyReason) -> None:
        known = self.found.get(name)
        entity = known.entity if known is not None else self._invocation.state.entity(name)
        if entity is not None and entity.status == "active" and self._invocation.sees(entity.lineage.scope, name):
            self.add(entity, closeness, distance, reason)


def why(invocation: Invocation, request: Why) -> WhyAnswer:
    """Return what is known about lines, the closest first. Raises InvalidRequest, NotFound for an unknown revision."""
    checks.page_limit(request.limit)
    path, (start, end) = from_top(invocation, request.path), line_range(request.lines)
    _refuse_directory(invocation, path, request)
    gathered = _Gathered(invocation)
    notes: list[str] = []
    with CodeMemory(invocation, request.at) as code:
        code.states.tracer().commit(request.at)  # an unknown revision is the first thing said
        others = _add_anchors(gathered, code, path, start, end, request.limit)
        note = _add_blame(gathered, code, path, start, end, request.limit)
        notes += [note] if note is not None else []
        _add_evidence(gathered, code, invocation, path)
        against = WORK_TREE if request.at is None and invocation.repository.work_tree is not None else None
        against = against or code.states.tracer().commit(request.at) or "nothing: there is no commit yet"
        ordered = sorted(gathered.found.values(), key=lambda found: found.closeness)
        shown = ordered[: request.limit]
        states = code.states.of([found.entity.current for found in shown])
    return WhyAnswer(
        path=path.encode("utf-8", "replace").decode(),
        start_line=start,
        end_line=end,
        against=against,
        items=tuple(_item(invocation, found, state) for found, state in zip(shown, states, strict=True)),
        more=len(others | gathered.found.keys()) - len(shown),
        notes=tuple(notes),
    )


def _refuse_directory(invocation: Invocation, path: str, request: Why) -> None:
    top = invocation.repository.work_tree
    if not path or (request.at is None and top is not None and (top / path).is_dir()):
        raise InvalidRequest(
            f"{request.path[:200]} is a directory",
            hint="Name a file; `git memory for DIRECTORY/` says what is known about a directory.",
            details={"field": "path"},
        )


def _add_anchors(
    gathered: _Gathered, code: CodeMemory, path: str, start: int | None, end: int | None, limit: int
) -> set[EntityId]:
    """Add what is tied to the lines, the closest first, until the limit; return what the limit left out."""
    tied = code.tied(path, start, end)
    closeness = {(item.tie.owner, item.tie.position): _closeness(item.located, start, end) for item in tied}
    ordered = sorted(tied, key=lambda item: closeness[item.tie.owner, item.tie.position])
    left_out: set[EntityId] = set()
    for here in code.here(ordered):
        name = here.entity.lineage.id
        if name not in gathered.found and len(gathered.found) == limit:
            left_out.add(name)
        else:
            gathered.add(here.entity, *_closeness(here.located, start, end), _anchor_reason(here))
    return left_out


def _closeness(located: Located, start: int | None, end: int | None) -> tuple[int, int]:
    """Return how close an anchor is to the lines: by how many it has beside them; to a whole file, by its place."""
    place = located.place
    if place is None or place.start_line is None or place.end_line is None:
        return _WHOLE, 0
    if start is None:
        return _LINES, place.start_line
    common = max(0, min(place.end_line, end or start) - max(place.start_line, start) + 1)
    return _LINES, place.end_line - place.start_line + 1 - common


def _anchor_reason(here: Here) -> WhyReason:
    state, place = anchor_state(here.anchor, here.located), here.located.place
    if place is None or place.start_line is None or place.end_line is None:
        return WhyReason(kind="anchor", said="it is about the whole file", anchor=state)
    symbol = f" ({here.anchor.symbol})" if here.anchor.symbol else ""
    lines = _lines(range(place.start_line, place.end_line + 1))
    return WhyReason(kind="anchor", said=f"it is about {lines}{symbol}", anchor=state)


def _add_blame(
    gathered: _Gathered, code: CodeMemory, path: str, start: int | None, end: int | None, limit: int
) -> str | None:
    """Add what was written at the commits that changed the lines last, or just before them; return what to note."""
    blame = line_blame(code.states, path, code.at)
    commits = sorted(blame.commits(start, end).items(), key=lambda item: -len(item[1]))[:_COMMITS]
    history = code.states.tracer().history
    earlier = _rewritten_from(code)
    names = {commit: [commit, *earlier.get(commit, ())] for commit, _ in commits}
    before = {commit: _parents(code, commit) for commit, _ in commits}
    written = code.index.written_at((name for many in (*names.values(), *before.values()) for name in many), limit)
    for commit, lines in commits:
        exact = dict.fromkeys(owner for name in names[commit] for owner in written.get(name, ()))
        near = dict.fromkeys(owner for name in before[commit] for owner in written.get(name, ()))
        if not exact and not near:
            continue
        what = f"{commit[:10]} ({history.subject(ObjectId(commit))[:80]}), which last changed {_lines(lines)}"
        for owner in exact:
            reason = WhyReason(kind="blame", said=f"written at {what}", commit=commit)
            gathered.add_named(owner, _CHANGED, -len(lines), reason)
        for owner in near:
            if owner not in exact:
                reason = WhyReason(kind="blame", said=f"written just before {what}", commit=commit)
                gathered.add_named(owner, _BEFORE, -len(lines), reason)
    return blame.note


def _parents(code: CodeMemory, commit: str) -> tuple[str, ...]:
    try:
        return code.states.tracer().history.parents_of(ObjectId(commit))
    except ObjectMissing:
        return ()


def _rewritten_from(code: CodeMemory) -> dict[str, list[str]]:
    """Return the commits that each commit replaced, as Git's hooks told."""
    from memgit.checkpoints.rewrites import rewrites, rewritten_to

    pairs = rewrites(code.states.tracer().history.repository)
    found: dict[str, list[str]] = {}
    for old in pairs:
        found.setdefault(rewritten_to(pairs, old), []).append(old)
    return found


def _add_evidence(gathered: _Gathered, code: CodeMemory, invocation: Invocation, path: str) -> None:
    """Add the document that came from the file, and what cites it."""
    is_text = path.encode("utf-8", "replace").decode() == path  # a provenance holds no other
    artifact = invocation.state.artifact_by_path(invocation.context.scope, path) if is_text else None
    if artifact is None:
        return
    reason = WhyReason(kind="evidence", said="it is this file, as it was kept as evidence")
    gathered.add_named(artifact, _EVIDENCE, 0, reason)
    for owner in code.index.citing([artifact]).get(artifact, ()):
        reason = WhyReason(kind="evidence", said=f"it rests on this file, as it was kept: {artifact}")
        gathered.add_named(owner, _CITES, 0, reason)


def _item(invocation: Invocation, found: _Found, state: CodeState | None) -> WhyItem:
    ordered = sorted(found.reasons, key=lambda reason: reason[0])
    return WhyItem(
        item=known_item(invocation, found.entity),
        reasons=tuple(reason for _, reason in ordered),
        branch=state.branch if state is not None else None,
        merged=state.merged if state is not None else None,
    )


def _lines(lines: Iterable[int]) -> str:
    """Return line numbers in words: `line 3`, `lines 3-5, 9`."""
    runs: list[tuple[int, int]] = []
    for line in lines:
        if runs and runs[-1][1] == line - 1:
            runs[-1] = (runs[-1][0], line)
        else:
            runs.append((line, line))
    named = ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in runs[:_NAMED_LINES])
    more = f" and {len(runs) - _NAMED_LINES} more places" if len(runs) > _NAMED_LINES else ""
    return f"{'line' if len(runs) == 1 and runs[0][0] == runs[0][1] else 'lines'} {named}{more}"
