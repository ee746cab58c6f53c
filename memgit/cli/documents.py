"""Files and standard input on their way into a request: bounded, with a media type, named from the working tree's top.

Nothing is read past the limit for artifacts. A path outside the working tree is not recorded: it would mean something
on this machine only.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO

from memgit.cli.front import Front
from memgit.environment import printable
from memgit.errors import InvalidRequest, LimitExceeded, NotARepository
from memgit.limits import DEFAULT

_TEXT = "text/plain; charset=utf-8"
_MORE_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".toml": "application/toml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_TEXTUAL = ("application/json", "application/xml", "application/toml", "application/yaml", "image/svg+xml")


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes and what is known of them. `path` counts from the working tree's top; None outside it."""

    data: bytes
    title: str
    media_type: str
    path: str | None = None

    @property
    def content(self) -> dict[str, object]:
        """The bytes as the protocol carries them."""
        return content(self.data)


def read_document(front: Front, typed: str) -> Document:
    """Return what a person names: a file, or standard input for `-`. Raises InvalidRequest, LimitExceeded."""
    if typed == "-":
        data = read_input()
        return Document(data, "standard input", media_type("", data))
    place = front.path(typed)
    data = read_file(place, typed)
    path = _recorded_path(front, place)
    if path is not None and not _stays_inside(place, path):
        raise InvalidRequest(
            f"{typed} is a link to a file outside the working tree",
            hint="Name that file itself, if it is what you mean to keep.",
        )
    name = path or printable(front.path(typed).name)
    return Document(data, name, media_type(name, data), path)


def read_text(typed: str) -> str:
    """Return a text as typed, or standard input for `-`, without the line end that a shell adds."""
    if typed != "-":
        return typed
    data = read_input()
    try:
        return data.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"standard input is not UTF-8 at byte {error.start}", hint="Convert it, or keep it with `artifact put`."
        ) from None


def read_file(path: Path, typed: str) -> bytes:
    """Return a file's bytes. Raises InvalidRequest where it cannot be read, LimitExceeded where it is too large."""
    try:
        if path.is_dir():
            raise InvalidRequest(f"{typed} is a directory", hint="Name a file; `import markdown` takes directories.")
        with path.open("rb") as file:
            return _bounded(file, typed)
    except OSError as error:
        raise InvalidRequest(f"{typed} cannot be read: {error.strerror or error}", hint="Check the path.") from None
    except ValueError:  # a NUL in a name
        raise InvalidRequest(f"{typed!r} is not a file name", hint="Check the path.") from None


def read_input() -> bytes:
    """Return standard input up to the limit of an artifact. Raises LimitExceeded."""
    if sys.stdin is None:
        raise InvalidRequest("standard input is closed", hint="Pipe the text in, or name a file.")
    return _bounded(sys.stdin.buffer, "standard input")


def content(data: bytes) -> dict[str, object]:
    """Return bytes as a request carries them: as text where they are UTF-8, else as base64."""
    try:
        return {"type": "text", "data": data.decode()}
    except UnicodeDecodeError:
        import base64

        return {"type": "base64", "data": base64.b64encode(data).decode()}


def media_type(name: str, data: bytes) -> str:
    """Return a media type from the name's ending, as far as the bytes agree; text of an unknown kind is plain."""
    import mimetypes

    known = mimetypes.MimeTypes(filenames=())  # Python's own table: the machine's would give each clone another answer
    suffix = PurePath(name).suffix.lower()
    guess = _MORE_TYPES.get(suffix) or known.guess_type(name)[0] or ""
    if _is_text(data):
        if guess.startswith("text/") and "." not in guess:  # `.ts` is a vendor's file of another kind
            return f"{guess}; charset=utf-8"
        return guess if guess in _TEXTUAL else _TEXT
    return "application/octet-stream" if guess.startswith("text/") or not guess else guess


def _bounded(file: IO[bytes], name: str) -> bytes:
    most = DEFAULT.artifact_bytes
    data = file.read(most + 1)
    if len(data) > most:
        raise LimitExceeded(
            f"{name} has more than {most} bytes",
            hint="Keep the part that matters, or a document that says where the rest is.",
            details={"limit": "artifact_bytes", "value": most},
        )
    return data


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def _recorded_path(front: Front, path: Path) -> str | None:
    """Return the path from the working tree's top, with forward slashes; None outside it, or where it is not UTF-8."""
    invocation = front.invocation()
    try:
        top = invocation.repository.work_tree
    except NotARepository:
        return None  # the operation says so
    finally:
        invocation.close()
    real = path.parent.resolve() / path.name  # a link inside the tree keeps its own name
    if top is None or not real.is_relative_to(top.resolve()):
        return None
    relative = real.relative_to(top.resolve()).as_posix()
    return relative if relative.isascii() or _is_encodable(relative) else None


def _stays_inside(place: Path, recorded: str) -> bool:
    """Tell whether what a path of the working tree leads to is in the tree too."""
    top = (place.parent.resolve() / place.name).parents[len(PurePath(recorded).parts) - 1]
    return place.resolve().is_relative_to(top)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
