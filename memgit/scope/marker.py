"""The project marker `.memoree.toml`: the context of everything below the directory that holds it.

The nearest one counts, whole. It may lie above the repository, for a folder of repositories that share one project; the
search ends at the file system's root or at one of GIT_CEILING_DIRECTORIES, as Git's own does. A marker that cannot be
read or understood is an error, never a reason to look further up: the ancestor's project would be a silent wrong guess.

A marker is committed, so it arrives with a clone: it names a project and nothing that changes how memgit works. It
cannot choose a task (that is process-local) or a broad horizon.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from memgit.errors import FormatTooNew, InvalidRequest, MemgitError, StoreReadOnly
from memgit.scope.context import Context, build_context, excerpt, refuse_horizon

MARKER_NAME = ".memoree.toml"
MARKER_BYTES = 64 * 1024  # a marker is a few lines; more is another file under this name
MARKER_VERSION = 1

MARKER_KEYS: dict[str, object] = {
    "v": MARKER_VERSION,
    "workspace_id": None,
    "project_id": None,
    "component": None,
    "pins": [],
}
"""Every key, with what holds where it is absent; None means that there is no default."""

_TASK_KEYS = ("task_id", "task", "default_task")
_TOML_LINE = re.compile(r"\(at line (\d+), column \d+\)")


class Marker(Struct, frozen=True):
    """A marker as read. `warnings` are for people and do not change what it means."""

    path: Path
    context: Context
    warnings: tuple[str, ...] = ()


def nearest_marker(start: Path, ceilings: Sequence[Path] = ()) -> Marker | None:
    """Return the marker of `start` or of its nearest ancestor that has one, or None.

    `start` itself is always looked at; a ceiling directory and what lies above it is not. Errors as `read_marker`.
    """
    for directory in _upwards(start, ceilings):
        path = directory / MARKER_NAME
        if _exists(path):
            return read_marker(path)
    return None


def read_marker(path: Path) -> Marker:
    """Return the marker at `path`. Symbolic links are followed to a regular file.

    Raises InvalidRequest naming the file and, where there is one, the line; FormatTooNew for a later version.
    """
    text = _decode(path, _read_bounded(path))
    fields = _parse(path, text)
    _check_version(path, fields)
    try:
        _refuse_task(path, fields)
        refuse_horizon(fields, str(path))
        context = build_context(fields, "marker", title=str(path), where=str(path), hint=_HINT)
    except MemgitError as error:
        raise _with_line(error, path, text) from None
    return Marker(path, context, _warnings(fields, path))


_HINT = f"Correct the file; `{MARKER_NAME}.example` in memgit's sources shows every key."


def write_marker(
    directory: Path,
    *,
    workspace_id: str,
    project_id: str,
    component: str | None = None,
    pins: Sequence[str] = (),
) -> Path:
    """Write a new marker into `directory` and return its path.

    Raises InvalidRequest where one is there already (a dangling link counts) or a value is wrong, and StoreReadOnly
    where the directory cannot be written.
    """
    path = directory / MARKER_NAME
    fields: dict[str, object] = {
        "workspace_id": workspace_id,
        "project_id": project_id,
        "component": component,
        "pins": list(pins),
    }
    text = _render(build_context(fields, "marker", title=str(path)))
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise InvalidRequest(f"{path} exists already", hint="Edit it, or remove it first.") from None
    except OSError as error:
        raise StoreReadOnly(f"{path} cannot be written: {error.strerror or error}") from None
    return path


def _upwards(start: Path, ceilings: Sequence[Path]) -> Iterator[Path]:
    # Git sees the physical directory, so a symbolic link into a project belongs to that project.
    real_start = Path(os.path.realpath(start))
    real_ceilings = {Path(os.path.realpath(ceiling)) for ceiling in ceilings}
    yield real_start
    for directory in real_start.parents:
        if directory in real_ceilings:
            return
        yield directory


def _exists(path: Path) -> bool:
    """Tell whether there is anything of this name, a dangling link included."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be looked at: {error.strerror or error}", hint=_HINT) from None
    return True


def _read_bounded(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # before opening: a named pipe would block
            raise InvalidRequest(f"{path} is not a regular file", hint="Remove it, or make it a file.")
        with path.open("rb") as file:
            data = file.read(MARKER_BYTES + 1)
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read: {error.strerror or error}", hint=_HINT) from None
    if len(data) > MARKER_BYTES:
        raise InvalidRequest(f"{path} is larger than {MARKER_BYTES} bytes", hint=_HINT, details={"value": MARKER_BYTES})
    return data


def _decode(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")  # some editors on Windows write a byte order mark, which TOML refuses
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _malformed(path, line, "not UTF-8 text", "Save the file as UTF-8.") from None


def _parse(path: Path, text: str) -> Mapping[str, object]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_LINE.search(str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        reason = _TOML_LINE.sub("", str(error)).replace("(at end of document)", "").strip()
        raise _malformed(path, line, f"not TOML: {excerpt(reason)[1:-1]}") from None
    except (RecursionError, ValueError) as error:  # nested beyond reason; a number of thousands of digits
        raise _malformed(path, 1, f"not a marker: {type(error).__name__}") from None


def _check_version(path: Path, fields: Mapping[str, object]) -> None:
    version = fields.get("v", MARKER_VERSION)
    if type(version) is not int or version < 1:
        raise InvalidRequest(f"{path}: `v` is {excerpt(version)}", hint=f"Write `v = {MARKER_VERSION}`.")
    if version > MARKER_VERSION:
        raise FormatTooNew(f"{path} is a marker of version {version}; this program reads {MARKER_VERSION}")


def _refuse_task(path: Path, fields: Mapping[str, object]) -> None:
    for name in _TASK_KEYS:
        if name in fields:
            raise InvalidRequest(
                f"{path} names a task in `{name}`; a task belongs to one process, not to a directory",
                hint="Remove it, and start the work with `git memory session exec --task NAME -- COMMAND`.",
                details={"field": name},
            )


def _with_line(error: MemgitError, path: Path, text: str) -> InvalidRequest:
    """Return the error as one about a line of the file, where the key that it names stands on one."""
    field = error.details.get("field")
    pattern = re.compile(rf"""\s*(?:\[\s*)?["']?{re.escape(str(field))}["']?\s*[=.\]]""")
    line = next((number for number, row in enumerate(text.splitlines(), 1) if pattern.match(row)), None)
    message = error.message if line is None else error.message.replace(str(path), f"{path}, line {line}", 1)
    details = dict(error.details) | {"path": str(path)} | ({} if line is None else {"line": line})
    return InvalidRequest(message, hint=error.hint, details=details)


def _malformed(path: Path, line: int, reason: str, hint: str = _HINT) -> InvalidRequest:
    return InvalidRequest(f"{path}, line {line}: {reason}", hint=hint, details={"path": str(path), "line": line})


def _warnings(fields: Mapping[str, object], path: Path) -> tuple[str, ...]:
    unknown = [excerpt(name) for name in fields if name not in MARKER_KEYS and not str(name).endswith("horizon")]
    return (f"{path}: unknown keys are ignored: {', '.join(unknown[:5])}",) if unknown else ()


def _render(context: Context) -> str:
    import json

    lines = [
        "# Which workspace and project the memory of this directory belongs to. Commit it.",
        f"v = {MARKER_VERSION}",
        f'workspace_id = "{context.workspace_id}"',
        f'project_id = "{context.project_id}"',
    ]
    if context.component is not None:
        # A JSON string of printable text is a TOML basic string.
        lines.append(f"component = {json.dumps(context.component, ensure_ascii=False)}")
    if context.pins:
        lines.append(f"pins = {json.dumps(list(context.pins))}")
    return "\n".join(lines) + "\n"
