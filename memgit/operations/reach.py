"""What a request may look at: this repository's store, and with a broad horizon the others of this machine.

Each store answers for itself, from its own state and index; answers are put together afterwards. A store that cannot
be read is left out and named.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from memgit.environment import git_child_environment
from memgit.errors import MemgitError, StoreCorrupt, StoreReadOnly
from memgit.index.kept_indexes import kept_index
from memgit.index.lexical import IndexDamaged, LexicalIndex, ScopeFilter, open_index
from memgit.index.refresh import refresh_index
from memgit.operations.code_states import CodeChoice, CodeStates, choice_at, merged_only
from memgit.operations.invocation import Invocation
from memgit.operations.nearness import nearness_in
from memgit.operations.reading import ReadRequest
from memgit.operations.reranking import reranker_in
from memgit.records.ids import BlobDigest, EntityId
from memgit.retrieval.view import View
from memgit.scope.registry import known_stores
from memgit.store.private import combination
from memgit.store.repository import discover

if TYPE_CHECKING:
    from memgit.operations.as_of import Past

_BLOBS_KEPT = 8  # for one request: claims that stand together often cite the same; at most 64 MiB

T = TypeVar("T")


WithStates = Callable[[T, Invocation, CodeStates], T]
"""Returns a store's answer whose items say what became of their code."""


def answers(
    invocation: Invocation,
    ask: Callable[[View], T],
    as_of: str | None = None,
    code: CodeChoice | None = None,
    with_states: WithStates[T] | None = None,
) -> Iterator[tuple[str | None, T]]:
    """Yield each store's answer to a retrieval with the path of its repository, None for this one, which is first.

    With `as_of`, a date or a commit, each answers from what it knew then. `with_states` adds how the code stands, as
    `code` chooses.
    """

    def one(place: Invocation) -> T:
        scope = scope_filter(invocation, place)
        choice = choice_at(invocation, place, code or CodeChoice())
        with CodeStates(place, choice, invocation.warnings.append) as states:
            seen = states if choice.merged_only else None
            found = _answer(invocation, place, scope, ask, as_of, seen)
            return with_states(found, place, states) if with_states is not None else found

    return ask_stores(invocation, one)


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


def lexical_directory(place: Invocation) -> Path:
    """Return where the lexical index of the layers in sight lives; a new one begins as a copy of the shared layer's."""
    plain = place.repository.cache_dir / "lexical"
    wanted = plain.with_name(plain.name + combination(place.sight))
    if wanted != plain and not wanted.exists() and plain.exists():
        _copy(plain, wanted)
    return wanted


def _copy(plain: Path, wanted: Path) -> None:
    """Copy an index as it is. What is copied while it changes is found to be damaged, and made anew."""
    fresh = wanted.with_name(f"{wanted.name}.{os.getpid()}")
    with suppress(OSError, shutil.Error):
        shutil.copytree(plain, fresh)
        fresh.rename(wanted)
    shutil.rmtree(fresh, ignore_errors=True)


def scope_filter(invocation: Invocation, place: Invocation) -> ScopeFilter:
    """Return what the request's context and horizon admit of a store, under what its workspaces and projects mean.

    `scope.horizon.visible` says the same of one entity.
    """
    context = invocation.context
    workspace, project = place.state.aliases.place(context.workspace_id, context.project_id)
    pins: frozenset[EntityId] = frozenset(context.pins)
    if invocation.reach.horizon == "personal":
        return ScopeFilter()
    if invocation.reach.horizon == "workspace":
        return ScopeFilter(workspace=workspace, pins=pins)
    return ScopeFilter(
        workspace=workspace,
        project=project,
        tasks=frozenset({None, context.task_id}),
        pins=pins,
    )


def _answer(
    request: Invocation,
    place: Invocation,
    scope: ScopeFilter,
    ask: Callable[[View], T],
    as_of: str | None,
    merged: CodeStates | None,
) -> T:
    """Ask one store, with its index brought to its tip."""
    directory, implementation = lexical_directory(place), request.config.text("lexicalIndex")
    try:
        return _ask_index(request, place, scope, ask, kept_index(directory, implementation), as_of, merged)
    except (StoreReadOnly, IndexDamaged) as error:
        why = error.message if isinstance(error, StoreReadOnly) else f"the index cannot be rebuilt: {error}"
        request.warnings.append(f"{why}; this answer was computed without a lasting index")
        with TemporaryDirectory(prefix="memgit-") as temporary:
            index = open_index(Path(temporary), implementation)
            try:
                return _ask_index(request, place, scope, ask, index, as_of, merged)
            finally:
                index.close()


def _ask_index(
    request: Invocation,
    place: Invocation,
    scope: ScopeFilter,
    ask: Callable[[View], T],
    index: LexicalIndex,
    as_of: str | None,
    merged: CodeStates | None,
) -> T:
    """Ask one store with an index; a damaged one is rebuilt once."""
    view = _view(request, place, scope, index, _past(request, place, as_of), merged)
    _bring_up(request, place, index)
    with suppress(IndexDamaged):
        answer = ask(view)
        if index.watermark() is not None:  # what was deleted meanwhile had nothing more to find
            return answer
    index.reset()
    _bring_up(request, place, index)
    request.warnings.append("the lexical index was damaged and has been rebuilt")
    return ask(view)


def _view(
    request: Invocation,
    place: Invocation,
    scope: ScopeFilter,
    index: LexicalIndex,
    past: Past | None,
    merged: CodeStates | None,
) -> View:
    """Return what a request sees of one store, now or in the past."""
    state = (past or place).state
    look = state.entity if merged is None else merged_only(merged, state.entity)
    return View(
        entity=cache(look),  # one moment's, and looked at by each part of an answer
        case=state.case,
        read_blob=lru_cache(_BLOBS_KEPT)(lambda digest: _read_blob(request, place, digest)),
        index=index,
        instant=past.instant if past is not None else request.instant,
        scope=scope,
        horizon=request.reach.horizon,
        layer_of=place.state.layer_of,
        trusts=request.trusts_in(place),
        aliases=place.state.aliases,
        session=place.state.session,
        projection=state.projection,
        nearness=nearness_in(request, place) if past is None else lambda: None,
        reranker=reranker_in(request),
        past=past.reach if past is not None else None,
        alone=_is_alone(request, place),
    )


def _is_alone(request: Invocation, place: Invocation) -> bool:
    """Tell whether a store holds nothing beside what an ambient request may look at."""
    return request.reach.horizon == "ambient" and not place.state.holds_more_than(request.context.scope)


def _past(request: Invocation, place: Invocation, as_of: str | None) -> Past | None:
    if as_of is None:
        return None
    from memgit.operations.as_of import past_of

    return past_of(place, as_of, request)


def _read_blob(request: Invocation, place: Invocation, digest: BlobDigest) -> bytes | None:
    """Return stored bytes; what is lost is left out of the answer, and said."""
    try:
        return place.snapshot().blob(digest)
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
    if refresh_index(index, place.snapshot_at(state.watermark.commit_id), state):
        request.warnings.append("the lexical index was damaged and has been rebuilt")


def _other(invocation: Invocation, directory: Path) -> Invocation:
    """Return the reach into another repository, whatever `GIT_DIR` says of this one."""
    repository = discover(directory, git_child_environment())
    other = Invocation(directory, invocation.environment, context=_requested(invocation), repository=repository)
    other.ambient_draft = None  # a draft of this repository is no draft of another
    other.take(ReadRequest(layer="shared" if invocation.sees_shared_only else None))
    return other


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
