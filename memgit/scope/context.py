"""The context of a request: which workspace, project and task it belongs to, and which artifacts are pinned.

A context is always whole: it comes from one source, and nothing is filled in from another, so that nobody works in a
mixture that no one wrote down. Ids are never made from directory names. A horizon is not part of a context, which is
why no source of contexts can make a broad one the default.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from memgit.errors import InvalidRequest, JsonValue, LimitExceeded
from memgit.limits import DEFAULT
from memgit.records.ids import ArtifactId, is_entity_id, is_scope_id

if TYPE_CHECKING:
    from memgit.records.op import Scope

ContextSource = Literal["request", "session", "marker", "store", "personal"]

REQUEST_FIELDS = ("workspace_id", "project_id", "task_id", "component", "pins")
"""What a request may say about its context; the first two are needed."""

_EXCERPT_CHARACTERS = 60  # of a wrong value in a message: enough to recognise, too little to flood a terminal


class Context(Struct, frozen=True):
    """Where a request belongs. `where` names the source for people: a path, a variable, or nothing."""

    workspace_id: str
    project_id: str
    resolved_from: ContextSource
    task_id: str | None = None
    component: str | None = None
    pins: tuple[ArtifactId, ...] = ()
    where: str | None = None
    task_name: str | None = None  # what a person calls the task, where the source says

    @property
    def scope(self) -> Scope:
        """The scope of what is written in this context."""
        from memgit.records.op import Scope

        return Scope(workspace=self.workspace_id, project=self.project_id, task=self.task_id)

    def echo(self, horizon: str = "ambient") -> dict[str, JsonValue]:
        """Return the context as answers of the protocol repeat it."""
        return {
            "workspace_id": self.workspace_id,
            "project_id": self.project_id,
            "task_id": self.task_id,
            "pins": list(self.pins),
            "resolved_from": self.resolved_from,
            "horizon": horizon,
            "broadened": horizon != "ambient",
        }


def context_from_request(fields: object) -> Context:
    """Return the explicit context of a request, which must name at least workspace_id and project_id.

    Raises InvalidRequest, for an unknown field too.
    """
    if not isinstance(fields, Mapping):
        raise InvalidRequest("`context` is not an object", hint=_REQUEST_HINT)
    refuse_unknown(fields, REQUEST_FIELDS, "`context`")
    return build_context(fields, "request", title="`context`", hint=_REQUEST_HINT)


_REQUEST_HINT = 'Leave `context` out, or give {"workspace_id": …, "project_id": …} whole.'


def build_context(
    fields: Mapping[str, object],
    source: ContextSource,
    *,
    title: str,
    where: str | None = None,
    hint: str | None = None,
) -> Context:
    """Return the context that untrusted `fields` describe; `title` names their origin in messages.

    Absent and null optional fields are the same. Fields that are not of a context are not looked at. Raises
    InvalidRequest whose details name the `field`, or LimitExceeded.
    """
    return Context(
        workspace_id=_scope_id(fields, "workspace_id", title, hint),
        project_id=_scope_id(fields, "project_id", title, hint),
        resolved_from=source,
        task_id=None if fields.get("task_id") is None else _scope_id(fields, "task_id", title, hint),
        component=short_text(fields, "component", title, DEFAULT.component_bytes),
        pins=_pins(fields, title),
        where=where,
        task_name=short_text(fields, "task", title, DEFAULT.title_bytes),
    )


def refuse_unknown(fields: Mapping[str, object], known: tuple[str, ...], title: str) -> None:
    """Raise InvalidRequest where a field is not among `known`; a horizon gets its own explanation."""
    refuse_horizon(fields, title)
    unknown = [excerpt(name) for name in fields if name not in known]
    if unknown:
        raise InvalidRequest(
            f"{title} has unknown fields: {', '.join(unknown[:5])}",
            hint=f"It may have {', '.join(known)}.",
            details={"field": unknown[0]},
        )


def refuse_horizon(fields: Mapping[str, object], title: str) -> None:
    """Raise InvalidRequest where `fields` would make a horizon other than `ambient` the default."""
    for name in ("horizon", "default_horizon"):
        if name in fields and fields[name] != "ambient":
            raise InvalidRequest(
                f"{title} sets `{name}` to {excerpt(fields[name])}; a broad horizon is never a default",
                hint="Remove it, and pass `--horizon workspace --reason WHY` with the one request that needs it.",
                details={"field": name},
            )


def short_text(fields: Mapping[str, object], name: str, title: str, limit: int) -> str | None:
    """Return an optional one-line text of at most `limit` bytes. Raises InvalidRequest or LimitExceeded."""
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or not _is_one_line(value):
        raise _wrong(title, name, value, "one line of printable text")
    size = len(value.encode())
    if size > limit:
        raise LimitExceeded(
            f"{title}: `{name}` has {size} bytes; {limit} are allowed",
            hint=f"Shorten `{name}`.",
            details={"limit": name, "value": limit, "size": size},
        )
    return value


def excerpt(value: object) -> str:
    """Return a value from outside, quoted, without control characters, and short enough for a message."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= _EXCERPT_CHARACTERS else text[:_EXCERPT_CHARACTERS] + "…"


def _is_one_line(text: str) -> bool:
    """Tell whether `text` is without line ends, controls, bidirectional overrides and lone surrogates.

    Spaces of other scripts count as printable here; Python's `isprintable` knows only the ASCII one.
    """
    return all(character.isprintable() or unicodedata.category(character) == "Zs" for character in text)


def _scope_id(fields: Mapping[str, object], name: str, title: str, hint: str | None) -> str:
    value = fields.get(name)
    if value is None:
        raise InvalidRequest(f"{title} does not name `{name}`", hint=hint, details={"field": name})
    if not isinstance(value, str) or not is_scope_id(value):
        raise _wrong(title, name, value, "1 to 128 letters, digits, `.`, `_` or `-`, starting with a letter or digit")
    return value


def _pins(fields: Mapping[str, object], title: str) -> tuple[ArtifactId, ...]:
    """Return the pinned artifacts, each once, in the order given."""
    value = fields.get("pins")
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise _wrong(title, "pins", value, "a list of artifact ids")
    if len(value) > DEFAULT.pins:
        raise LimitExceeded(
            f"{title}: {len(value)} pins; {DEFAULT.pins} are allowed",
            hint="Pin fewer artifacts.",
            details={"limit": "pins", "value": DEFAULT.pins, "size": len(value)},
        )
    for pin in value:
        if not isinstance(pin, str) or not pin.startswith("art_") or not is_entity_id(pin):
            raise _wrong(title, "pins", pin, "artifact ids (`art_…`); only artifacts can be pinned")
    return tuple(dict.fromkeys(ArtifactId(pin) for pin in value))


def _wrong(title: str, name: str, value: object, wanted: str) -> InvalidRequest:
    return InvalidRequest(
        f"{title}: `{name}` is {excerpt(value)}", hint=f"`{name}` takes {wanted}.", details={"field": name}
    )
