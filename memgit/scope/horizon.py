"""How far one request may look, and what it may write.

Ambient, the default, is the current project's own items, those of the current task, and the pinned artifacts. An item
of another task is out of sight until that task is current: what one agent noted halfway must not steer another. Without
a current task that leaves the items that belong to no task.

`workspace` and `personal` hold for one request, with a reason; nothing can store them. Write authority is what is
ambient without the pins, at every horizon. An exact lookup by id is not a search and asks nothing here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from msgspec import Struct

from memgit.errors import InvalidRequest, JsonValue, LimitExceeded, ScopeViolation
from memgit.limits import DEFAULT
from memgit.scope.aliases import NO_ALIASES, Aliases
from memgit.scope.context import Context, excerpt

if TYPE_CHECKING:
    from memgit.records.op import Scope

Horizon = Literal["ambient", "workspace", "personal"]
HORIZONS: tuple[Horizon, ...] = get_args(Horizon)


class Reach(Struct, frozen=True):
    """The horizon of one request, and the reason where it is broad."""

    horizon: Horizon = "ambient"
    reason: str | None = None

    @property
    def broadened(self) -> bool:
        """Whether the request looks further than its own context."""
        return self.horizon != "ambient"


def reach(horizon: object = None, reason: object = None) -> Reach:
    """Return the reach that a request's untrusted `horizon` and `reason` ask for; ambient where they say nothing.

    A reason without a broad horizon is kept out: nothing was broadened. Raises InvalidRequest for an unknown horizon or
    a broad one without a reason, and LimitExceeded for a reason that is too long.
    """
    if horizon is None or horizon == "ambient":
        return Reach()
    if horizon not in HORIZONS:
        raise InvalidRequest(
            f"`horizon` is {excerpt(horizon)}", hint=f"It takes {', '.join(HORIZONS)}.", details={"field": "horizon"}
        )
    if not isinstance(reason, str) or not reason.strip():
        raise InvalidRequest(
            f"the horizon {horizon!r} needs a reason", hint="Say why in `reason`.", details={"field": "reason"}
        )
    size = len(reason.encode(errors="replace"))
    if size > DEFAULT.reason_bytes:
        raise LimitExceeded(
            f"the reason has {size} bytes; {DEFAULT.reason_bytes} are allowed",
            hint="Shorten the reason.",
            details={"limit": "reason", "value": DEFAULT.reason_bytes, "size": size},
        )
    return Reach("workspace" if horizon == "workspace" else "personal", reason.strip())


def visible(
    scope: Scope,
    context: Context,
    horizon: Horizon = "ambient",
    entity: str | None = None,
    aliases: Aliases = NO_ALIASES,
) -> bool:
    """Tell whether a search from `context` may show an item that lives in `scope`.

    `entity` is the item's id: a pinned artifact is visible wherever it lives. Relations and claims are judged by their
    own scope, so a pin shows an artifact and none of the foreign graph around it. `aliases` are those of the tree that
    holds the item.
    """
    if entity is not None and entity in context.pins:
        return True
    if horizon == "personal":
        return True
    if horizon == "workspace":
        return aliases.canonical(scope).workspace == aliases.canonical(context.scope).workspace
    return belongs(scope, context, aliases)


def belongs(scope: Scope, context: Context, aliases: Aliases = NO_ALIASES) -> bool:
    """Tell whether `scope` is the context's own: its project by any of its names, and no task or the current one."""
    item, here = aliases.canonical(scope), aliases.canonical(context.scope)
    same_project = (item.workspace, item.project) == (here.workspace, here.project)
    return same_project and (scope.task is None or scope.task == context.task_id)


def check_write(scope: Scope, context: Context, entity: str | None = None, aliases: Aliases = NO_ALIASES) -> None:
    """Return where an item of `scope` may be revised, ended or related from `context`; call it before any writing.

    Both endpoints of a new relation are checked so. `entity` is the item's id, for the message. Raises ScopeViolation,
    whose details hold `entity`, `entity_scope` and `ambient_scope`.
    """
    if belongs(scope, context, aliases):
        return
    name = entity or "the item"
    pinned = " A pin lets it be read, not written." if entity in context.pins else ""
    raise ScopeViolation(
        f"{name} belongs to {_describe(scope)}; this request belongs to {_describe(context.scope)}.{pinned}",
        hint=_hint(scope, context, aliases),
        details={"entity": entity, "entity_scope": _fields(scope), "ambient_scope": _fields(context.scope)},
    )


def _hint(scope: Scope, context: Context, aliases: Aliases) -> str:
    if aliases.place(scope.workspace, scope.project) == aliases.place(context.workspace_id, context.project_id):
        return f"Run it in that task: `git memory session exec --task {scope.task} -- COMMAND`."
    return "Run it in the project that owns the item, or write a new item here that refers to it."


def _describe(scope: Scope) -> str:
    task = "" if scope.task is None else f", task {scope.task}"
    return f"project {scope.project} of workspace {scope.workspace}{task}"


def _fields(scope: Scope) -> dict[str, JsonValue]:
    return {"workspace_id": scope.workspace, "project_id": scope.project, "task_id": scope.task}
