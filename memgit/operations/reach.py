"""What a request may look at: this repository's store, and with a broad horizon the others of this machine.

Each store answers for itself, from its own state and index; answers are put together afterwards. A store that cannot
be read is left out and named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from memgit.environment import git_child_environment
from memgit.errors import MemgitError, StoreCorrupt, StoreReadOnly
from memgit.index.lexical import IndexDamaged, LexicalIndex, ScopeFilter, open_index
from memgit.index.refresh import refresh_index
from memgit.operations.invocation import Invocation
from memgit.records.ids import BlobDigest, EntityId
from memgit.retrieval.view import View
from memgit.scope.registry import known_stores
from memgit.store.objects import ObjectId
from memgit.store.repository import discover

T = TypeVar("T")


def answers(invocation: Invocation, ask: Callable[[View], T]) -> Iterator[tuple[str | None, T]]:
    """Yield each store's answer to a retrieval with the path of its repository, None for this one, which is first."""
    scope = scope_filter(invocation)
    return ask_stores(invocation, lambda place: _answer(invocation, place, scope, ask))


def ask_stores(invocation: Invocation, ask: Callable[[Invocation], T]) -> Iterator[tuple[str | None, T]]:
    """Yield what each store within the horizon answers, with the path of its repository, None for this one."""
    yield None, ask(invocation)
    if not invocation.reach.broadened:
        return
    for directory in _others(invocation):
        try:
            other = _other(invocation, directory)
            try:
                answer = ask(other)
            finally:
                other.close()
        except Exception as error:  # noqa: BLE001 - one store's fault is not the others'
            reason = error.message if isinstance(error, MemgitError) else type(error).__name__
            invocation.warnings.append(f"the memory of {directory} was left out: {reason}")
        else:
            yield str(directory), answer


def scope_filter(invocation: Invocation) -> ScopeFilter:
    """Return what the request's context and horizon admit; `scope.horizon.visible` says the same of one entity."""
    context = invocation.context
    pins: frozenset[EntityId] = frozenset(context.pins)
    if invocation.reach.horizon == "personal":
        return ScopeFilter()
    if invocation.reach.horizon == "workspace":
        return ScopeFilter(workspace=context.workspace_id, pins=pins)
    return ScopeFilter(
        workspace=context.workspace_id,
        project=context.project_id,
        tasks=frozenset({None, context.task_id}),
        pins=pins,
    )


def _answer(request: Invocation, place: Invocation, scope: ScopeFilter, ask: Callable[[View], T]) -> T:
    """Ask one store, with its index brought to its tip."""
    directory = place.repository.cache_dir / "lexical"
    try:
        return _ask_index(request, place, scope, ask, directory)
    except StoreReadOnly as error:
        request.warnings.append(f"{error.message}; this answer was computed without a lasting index")
        with TemporaryDirectory(prefix="memgit-") as temporary:
            return _ask_index(request, place, scope, ask, Path(temporary))


def _ask_index(
    request: Invocation, place: Invocation, scope: ScopeFilter, ask: Callable[[View], T], directory: Path
) -> T:
    """Ask one store with the index in a directory; a damaged index is rebuilt once."""
    index = open_index(directory)
    view = View(
        entity=place.state.entity,
        case=place.state.case,
        read_blob=lambda digest: _read_blob(request, place, digest),
        index=index,
        instant=request.instant,
        scope=scope,
        horizon=request.reach.horizon,
    )
    try:
        _bring_up(request, place, index)
        try:
            return ask(view)
        except IndexDamaged:
            index.reset()
            _bring_up(request, place, index)
            request.warnings.append("the lexical index was damaged and has been rebuilt")
            return ask(view)
    finally:
        index.close()


def _read_blob(request: Invocation, place: Invocation, digest: BlobDigest) -> bytes | None:
    """Return stored bytes; what is lost is left out of the answer, and said."""
    try:
        return place.store.snapshot().blob(digest)
    except StoreCorrupt as error:
        request.warnings.append(error.message)
        return None


def _bring_up(request: Invocation, place: Invocation, index: LexicalIndex) -> None:
    state = place.state
    assert state.watermark is not None
    with suppress(IndexDamaged):
        seen = index.watermark()
        if seen is not None and seen.commit == state.watermark.commit_id:
            return
    # The index must follow the very commit that the state is of: a newer tip's entities would be missing from it.
    if refresh_index(index, place.store.snapshot(ObjectId(state.watermark.commit_id)), state):
        request.warnings.append("the lexical index was damaged and has been rebuilt")


def _other(invocation: Invocation, directory: Path) -> Invocation:
    """Return the reach into another repository, whatever `GIT_DIR` says of this one."""
    repository = discover(directory, git_child_environment())
    return Invocation(directory, invocation.environment, context=_requested(invocation), repository=repository)


def _others(invocation: Invocation) -> Iterator[Path]:
    """Yield the repositories of this machine's other stores that the horizon reaches."""
    known = known_stores(invocation.environment.data_dir)
    invocation.warnings.extend(known.warnings)
    here = invocation.repository.common_dir.resolve()
    for entry in known.stores:
        directory = Path(entry.path)
        in_reach = invocation.reach.horizon == "personal" or entry.workspace_id == invocation.context.workspace_id
        if in_reach and directory.resolve() != here:
            yield directory


def _requested(invocation: Invocation) -> dict[str, object]:
    """Return the request's context for a store elsewhere: it is the asker's place that counts, not the store's."""
    context = invocation.context
    return {"workspace_id": context.workspace_id, "project_id": context.project_id}
