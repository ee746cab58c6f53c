"""`context.resolve`: which workspace, project and task this place belongs to, and who says so."""

from __future__ import annotations

from msgspec import Struct

from memgit.operations.invocation import Invocation


class ContextResolve(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Resolve the ambient context. Takes no input."""


class ResolvedContext(Struct, frozen=True, kw_only=True):
    """The context and its origin. `where` names the file, variable or setting for people."""

    workspace_id: str
    project_id: str
    task_id: str | None
    task: str | None
    component: str | None
    pins: tuple[str, ...]
    resolved_from: str
    where: str | None


def resolve(invocation: Invocation, request: ContextResolve) -> ResolvedContext:
    """Return the context that every other request from here would have."""
    context = invocation.context
    return ResolvedContext(
        workspace_id=context.workspace_id,
        project_id=context.project_id,
        task_id=context.task_id,
        task=context.task_name,
        component=context.component,
        pins=context.pins,
        resolved_from=context.resolved_from,
        where=context.where,
    )
