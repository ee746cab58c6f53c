"""A session: the context that one process and its children inherit through MEMOREE_CONTEXT.

It is how a task is chosen. Nothing is written to a disk, so two agents on one machine cannot change each other's task.
A malformed document is an error, never a reason to fall back to a marker: the parent meant something by it.
"""

from __future__ import annotations

import re

from memgit.environment import SESSION_VARIABLE
from memgit.errors import InvalidRequest, UnsupportedVersion
from memgit.limits import DEFAULT
from memgit.records.ids import ULID, new_scope_id
from memgit.scope.context import REQUEST_FIELDS, Context, build_context, excerpt, refuse_unknown, short_text

SESSION_VERSION = 1
SESSION_BYTES = 32 * 1024  # what Windows gives one variable; a full document with 64 pins has 4 KiB

SESSION_FIELDS = ("v", *REQUEST_FIELDS, "task")
"""What the document may hold: the version, a whole context, and the task's name for people."""

_HINT = f"Unset {SESSION_VARIABLE}, or start the program with `git memory session exec --task NAME -- COMMAND`."
_TASK_ID = re.compile(rf"tsk_{ULID}")


def read_session(document: str) -> Context:
    """Return the context that the text of MEMOREE_CONTEXT describes.

    Raises InvalidRequest where it is malformed and UnsupportedVersion for another version.
    """
    fields = _parse(document)
    version = fields.get("v")
    if type(version) is not int:
        raise InvalidRequest(f"{SESSION_VARIABLE} has no version `v`", hint=_HINT, details={"field": "v"})
    if version != SESSION_VERSION:
        raise UnsupportedVersion(f"{SESSION_VARIABLE} has version {excerpt(version)}; this is 1", hint=_HINT)
    refuse_unknown(fields, SESSION_FIELDS, SESSION_VARIABLE)
    return build_context(fields, "session", title=SESSION_VARIABLE, where=SESSION_VARIABLE, hint=_HINT)


def session_environment(context: Context, task: str, task_id: str | None = None) -> dict[str, str]:
    """Return the variables that put a child process into a task of the context's project.

    `task` is the name that people use. The task's id is `task_id`, else `task` itself where it is a `tsk_` id, else a
    new one: a name does not identify a task, because two people may use the same. Raises InvalidRequest for a wrong
    name or id.
    """
    import json

    name = short_text({"task": task}, "task", "the session", DEFAULT.title_bytes)
    if name is None:
        raise InvalidRequest("the task has no name", hint="Pass `--task NAME`.")
    chosen = task_id or (name if _TASK_ID.fullmatch(name) else new_scope_id("tsk"))
    fields: dict[str, object] = {
        "v": SESSION_VERSION,
        "workspace_id": context.workspace_id,
        "project_id": context.project_id,
        "task_id": chosen,
        "task": name,
        "component": context.component,
        "pins": list(context.pins),
    }
    build_context(fields, "session", title="the session", hint=_HINT)  # refuse now rather than in the child
    said = {name: value for name, value in fields.items() if value not in (None, [])}
    return {SESSION_VARIABLE: json.dumps(said, separators=(",", ":"))}


def _parse(document: str) -> dict[str, object]:
    import json

    if len(document) > SESSION_BYTES:
        raise InvalidRequest(f"{SESSION_VARIABLE} is longer than {SESSION_BYTES} characters", hint=_HINT)
    try:
        fields = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{SESSION_VARIABLE} is not JSON: {excerpt(str(error))[1:-1]}", hint=_HINT) from None
    if not isinstance(fields, dict):
        raise InvalidRequest(f"{SESSION_VARIABLE} is not a JSON object", hint=_HINT)
    return fields
