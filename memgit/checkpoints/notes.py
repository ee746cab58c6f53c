"""A continuity note: what one session leaves for the next, before anybody has looked at it.

Owns the value, its bounds and its windows of time. It is no record of the memory: nothing folds, indexes, exchanges or
recalls one. `quarantine.py` keeps the files.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec
from blake3 import blake3
from msgspec import Struct

from memgit import clock
from memgit.errors import InvalidRequest, LimitExceeded
from memgit.index.passages import boundary_before
from memgit.limits import DEFAULT
from memgit.records.ids import is_scope_id
from memgit.records.op import Scope

NOTE_FORMAT = 1
REVIEW_DAYS = 14  # a note is applied within two weeks, or only by whoever says so
KEPT_DAYS = 14  # more, from when a command first saw that it had expired; then it is removed

State = Literal["waiting", "expired"]

_MARK = "\n[truncated: the note had {size} bytes]"
_FILE_BYTES = 64 * 1024  # 4 KiB of text, each byte escaped in JSON, and the rest
_LINE_END = re.compile(r"\r\n?|\n")


class DamagedNote(Exception):
    """What lies where a note should is none. The text says why."""


class Note(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a session left, and where it stood. `text` is at most `note_bytes` bytes, the truncation mark included.

    `cut` is the byte at which the mark begins, None for a text that is whole; `given` is how many bytes were put.
    `worktree` is the Git directory of the working tree relative to the common one. `digest` is over the text.
    `seen_expired` is when a command that writes here first saw that it had expired: a clock that was wrong for once
    must not remove what was put under it.
    """

    format: int
    session: str
    text: str
    digest: str
    given: int
    at: str
    workspace: str
    project: str
    worktree: str
    cut: int | None = None
    task: str | None = None
    component: str | None = None
    head: str | None = None
    branch: str | None = None
    agent: str | None = None
    seen_expired: str | None = None

    @property
    def scope(self) -> Scope:
        """Where it was written, and where it is applied."""
        return Scope(workspace=self.workspace, project=self.project, task=self.task)

    @property
    def identity(self) -> str:
        """A digest that this note has and no later one of the session."""
        return _digest("\0".join((self.session, self.at, self.digest)))

    @property
    def first_line(self) -> str:
        """The first line that is not blank."""
        return next((line.strip() for line in _LINE_END.split(self.text) if line.strip()), "")

    def state(self, now: str) -> State:
        """Return what may be done with it. A clock that went back makes it no older than it is."""
        return "waiting" if now < self.expires_at else "expired"

    def is_overdue(self, now: str) -> bool:
        """Tell whether it may be removed."""
        return self.state(now) == "expired" and self.removed_at is not None and self.removed_at <= now

    @property
    def expires_at(self) -> str:
        """When its review window ends."""
        return later(self.at, REVIEW_DAYS)

    @property
    def removed_at(self) -> str | None:
        """From when on the next note that is put removes it; None where that is not known yet."""
        return later(self.seen_expired, KEPT_DAYS) if self.seen_expired is not None else None


def kept_text(text: str) -> tuple[str, int | None]:
    """Return as much of a text as is kept, and the byte at which the truncation mark begins, None where it is whole."""
    data = text.encode()
    if len(data) <= DEFAULT.note_bytes:
        return text, None
    mark = _MARK.format(size=len(data))
    cut = boundary_before(data, DEFAULT.note_bytes - len(mark))
    return data[:cut].decode() + mark, cut


def checked_text(text: str) -> str:
    """Return a text that can be a note. Raises InvalidRequest, LimitExceeded for over `note_input_bytes`."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidRequest("the note is not valid Unicode text", details={"field": "text"}) from None
    if size > DEFAULT.note_input_bytes:
        raise too_large(size)
    if "\0" in text:
        raise InvalidRequest("the note holds a NUL", hint="A note is text.", details={"field": "text"})
    if not text.strip():
        raise InvalidRequest(
            "the note is blank", hint="Say what the next session must know.", details={"field": "text"}
        )
    return text


def too_large(size: int | None = None) -> LimitExceeded:
    """Return the refusal of an input; `size` is None where it was not read to its end."""
    most = DEFAULT.note_input_bytes
    said = f"has {size} bytes, more than {most}" if size is not None else f"has more than {most} bytes"
    return LimitExceeded(
        f"the note {said}",
        hint=f"Say in {DEFAULT.note_bytes} bytes what the next session must know; keep a document with `artifact put`.",
        details={"limit": "note_input_bytes", "value": most, "size": size},
    )


def checked_session(name: str, where: str = "the session") -> str:
    """Return a session's name. Raises InvalidRequest for what could be taken for a path, or is no name."""
    if not is_scope_id(name):
        raise InvalidRequest(
            f"{name[:80]!a} cannot be the name of {where}",
            hint="It has 1 to 128 letters, digits, `.`, `_` or `-`, starts with a letter or digit, and has no `..`.",
            details={"field": "session"},
        )
    return name


def later(at: str, days: int) -> str:
    """Return a time that many days after another, both in the form of `clock.now`."""
    moment = datetime.fromisoformat(at) + timedelta(days=days)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def new_note(text: str, **described: str | None) -> Note:
    """Return the note of a checked text; `described` are the fields that do not follow from it."""
    kept, cut = kept_text(text)
    fields = {"format": NOTE_FORMAT, "text": kept, "digest": _digest(kept), "given": len(text.encode()), "cut": cut}
    return msgspec.convert({"at": clock.now(), **fields, **described}, Note)


def encode_note(note: Note) -> bytes:
    """Return a note as its file holds it."""
    return msgspec.json.encode(note) + b"\n"


def decode_note(data: bytes) -> Note:
    """Return the note of a file's bytes. Raises DamagedNote for anything that `encode_note` did not make."""
    if len(data) > _FILE_BYTES:
        raise DamagedNote(f"it has more than {_FILE_BYTES} bytes")
    try:
        version = msgspec.json.decode(data, type=_Version).format
        if version != NOTE_FORMAT:
            raise DamagedNote(f"it has format {version}; this memgit knows {NOTE_FORMAT}")
        note = msgspec.json.decode(data, type=Note)
    except (msgspec.MsgspecError, RecursionError):
        raise DamagedNote("it is not a note in JSON") from None
    times = [at for at in (note.at, note.seen_expired) if at is not None]
    named = (note.session, note.workspace, note.project, note.task or "none")
    if not all(map(is_scope_id, named)) or not all(clock.parse_time(at) == at for at in times):
        raise DamagedNote("it names a session, a scope or a time that cannot be")
    if _digest(note.text) != note.digest or not _is_cut_well(note):
        raise DamagedNote("its text is not what was written")
    return note


class _Version(Struct):
    format: int


def _is_cut_well(note: Note) -> bool:
    size = len(note.text.encode())
    return size <= DEFAULT.note_bytes and (note.cut is None or 0 <= note.cut < size)


def _digest(text: str) -> str:
    return blake3(text.encode()).hexdigest()
