"""Which context a request has: the first of five sources that says anything, whole.

The order is data (`PRECEDENCE`). A source that speaks and is malformed stops the search with its error; a source below
the one that answers is not even read, so a broken marker cannot disturb a request that brings its own context.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import get_args

from msgspec import Struct

from memgit.environment import SESSION_VARIABLE, Environment
from memgit.errors import NoAmbientContext
from memgit.scope.context import Context, ContextSource, build_context, context_from_request
from memgit.scope.marker import MARKER_NAME, nearest_marker
from memgit.scope.session import read_session

PRECEDENCE: tuple[ContextSource, ...] = get_args(ContextSource)
"""Strongest first: request, session, marker, store, personal."""


class Place(Struct, frozen=True):
    """Where the request is made. `common_dir` and `work_tree` are the repository's; a bare one has no `work_tree`."""

    start: Path
    common_dir: Path | None = None
    work_tree: Path | None = None


class Identity(Struct, frozen=True):
    """A workspace and a project that come from elsewhere: from the store, or from the user's configuration."""

    workspace_id: str
    project_id: str
    where: str | None = None


class Resolution(Struct, frozen=True):
    """The context, and what a person should hear about the source that gave it."""

    context: Context
    warnings: tuple[str, ...] = ()


def ambient_context(
    place: Place,
    environment: Environment,
    *,
    request: object = None,
    store: Callable[[], Identity | None] | None = None,
    personal: Callable[[], Identity | None] | None = None,
) -> Resolution:
    """Return the context of a request made at `place`; each source is read only when those before it say nothing.

    `request` is the untrusted `context` field. `store` gives the identity that the repository's store holds, which is
    what `init --no-marker` leaves; `personal` the configured fallback. Raises NoAmbientContext, or the error of the
    source that is malformed.
    """
    warnings: list[str] = []

    def marker() -> Context | None:
        start = marker_start(place)
        found = None if start is None else nearest_marker(start, environment.ceilings)
        if found is None:
            return None
        warnings.extend(found.warnings)
        return found.context

    def session() -> Context | None:
        return None if environment.session_document is None else read_session(environment.session_document)

    context = first_context(
        {
            "request": lambda: None if request is None else context_from_request(request),
            "session": session,
            "marker": marker,
            "store": lambda: _from_identity(store, "store"),
            "personal": lambda: _from_identity(personal, "personal"),
        }
    )
    if context is None:
        raise _nothing_said(place)
    return Resolution(context, tuple(warnings))


def first_context(sources: Mapping[ContextSource, Callable[[], Context | None]]) -> Context | None:
    """Return the context of the strongest source that has one, asking no source below it; None where none has."""
    for name in PRECEDENCE:
        context = sources[name]() if name in sources else None
        if context is not None:
            return context
    return None


def marker_start(place: Place) -> Path | None:
    """Return the directory from which a marker is looked for, or None where there is none to look for.

    From inside a Git directory (a server's hook, say) it is the working tree's top; a bare repository has none, and the
    directories around it are the server's, not the project's.
    """
    if place.common_dir is None:
        return place.start
    start, common_dir = place.start.resolve(), place.common_dir.resolve()
    if not start.is_relative_to(common_dir):
        return place.start
    work_tree = None if place.work_tree is None else place.work_tree.resolve()
    if work_tree is not None and work_tree.is_relative_to(common_dir) and start.is_relative_to(work_tree):
        return place.start  # some people keep the working trees of a bare repository inside it
    return place.work_tree


def _from_identity(identity: Callable[[], Identity | None] | None, source: ContextSource) -> Context | None:
    found = None if identity is None else identity()
    if found is None:
        return None
    fields: dict[str, object] = {"workspace_id": found.workspace_id, "project_id": found.project_id}
    title = found.where or {"store": "the store's identity", "personal": "the personal fallback"}[source]
    return build_context(fields, source, title=title, where=found.where)


def _nothing_said(place: Place) -> NoAmbientContext:
    start = marker_start(place)
    looked = f"no {MARKER_NAME} at or above {start}" if start else "a bare repository has no marker"
    return NoAmbientContext(
        f"there is no memory here yet: no store, {looked}, {SESSION_VARIABLE} is not set, no personal fallback",
        details={"looked_from": None if start is None else str(start)},
    )
