"""Where continuity notes wait: one file a session in `state/pending`, for its owner alone.

It owns the files: a note is there whole or not at all, the last write of a session wins, and working trees of one
repository share the place. It is outside every layer, index and ref; it refuses to judge what a note says.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3
from msgspec.structs import replace

from memgit.checkpoints.notes import (
    REVIEW_DAYS,
    DamagedNote,
    Note,
    decode_note,
    encode_note,
)
from memgit.errors import LimitExceeded, NotFound, StoreBusy, StoreCorrupt, StoreReadOnly
from memgit.limits import DEFAULT

DIRECTORY = "pending"

_NAME = re.compile(r"[0-9a-f]{32}\.json")
_TEMPORARY = re.compile(r"tmp_[0-9]+_[0-9]+")
_LOCK = "lock"
_DAY = 86_400.0
_ABANDONED = 3600.0  # seconds after which nobody writes to a temporary file any more
_MOST_BYTES = 64 * 1024 + 1
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Damaged:
    """A file that should be a note and is none. `name` is what `drop` takes."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many notes there are, and how many files are `damaged` ones.

    `next_at` is when the next note expires, as seconds, and `next_session` whose it is; None where none waits.
    """

    notes: int
    expired: int
    damaged: int = 0
    next_at: float | None = None
    next_session: str | None = None


class Quarantine:
    """The notes of one repository. `sync`: what is acknowledged has reached the disk."""

    def __init__(
        self, state_dir: Path, *, sync: bool = False, wait_seconds: float = DEFAULT.lock_wait_ms / 1000
    ) -> None:
        self.directory = state_dir / DIRECTORY
        self._sync = sync
        self._wait = wait_seconds

    def put(self, note: Note) -> list[str]:
        """Keep a note in place of the session's last one; return the names of overdue ones that went meanwhile.

        Raises LimitExceeded where too many wait, StoreReadOnly where it cannot be written; what was there stays then.
        """
        with self._changing():
            gone = self._sweep(note.at)
            self._make_room(note)
            self._write(file_name(note.session), encode_note(note), _seconds(note.at))
        return gone

    def notes(self) -> list[Note | Damaged]:
        """Return all notes, the one that expires first at the front, then what is damaged."""
        found = [self._read(name) for name, _ in self._listed()]
        notes = sorted((item for item in found if isinstance(item, Note)), key=lambda note: (note.at, note.session))
        damaged = sorted((item for item in found if isinstance(item, Damaged)), key=lambda item: item.name)
        return [*notes, *damaged]

    def find(self, session: str) -> Note:
        """Return a session's note. Raises NotFound, or StoreCorrupt where its file is damaged."""
        found = self._read(file_name(session))
        if isinstance(found, Note):
            return found
        if found is None:
            raise NotFound(
                f"no note of the session {session} waits",
                hint="`git memory pending list` shows those that do.",
                details={"session": session},
            )
        raise StoreCorrupt(
            f"the note of the session {session} is damaged: {found.reason}",
            hint=f"`git memory pending drop {session}` removes it.",
            details={"session": session, "file": str(self.directory / found.name)},
        )

    def remove(self, note: Note) -> bool:
        """Remove a note. False where the session has put another one since, which stays, or it is gone already."""
        with self._changing():
            found = self._read(file_name(note.session))
            if not isinstance(found, Note) or found.identity != note.identity:
                return False
            self._unlink(file_name(note.session))
        return True

    def drop(self, names: list[str]) -> list[str]:
        """Remove notes by their sessions, or damaged files by their names; return what was there."""
        with self._changing():
            return [name for name in names if self._drop(name)]

    def drop_all(self) -> int:
        """Remove everything, what is damaged too; return how many notes it was."""
        with self._changing():
            names = [name for name, _ in self._listed()]
            for name in self._names(_TEMPORARY):
                self._unlink(name)
            return sum(self._unlink(name) for name in names)

    def waiting(self, now: float) -> Waiting:
        """Return a count. Never raises."""
        found = self.notes()
        ends = [(_seconds(note.at) + REVIEW_DAYS * _DAY, note.session) for note in found if isinstance(note, Note)]
        upcoming = min((end for end in ends if end[0] > now), default=(None, None))
        return Waiting(len(ends), sum(end <= now for end, _ in ends), len(found) - len(ends), *upcoming)

    def _listed(self) -> Iterator[tuple[str, float]]:
        """Yield the names of the files of notes, and when they were put as seconds."""
        with suppress(OSError), os.scandir(self.directory) as entries:
            for entry in entries:
                if _NAME.fullmatch(entry.name):
                    with suppress(OSError):  # it went meanwhile
                        yield entry.name, entry.stat(follow_symlinks=False).st_mtime

    def _names(self, pattern: re.Pattern[str]) -> list[str]:
        with suppress(OSError), os.scandir(self.directory) as entries:
            return [entry.name for entry in entries if pattern.fullmatch(entry.name)]
        return []

    def _read(self, name: str) -> Note | Damaged | None:
        """Return what a file holds, None where there is none. Never waits for what is no plain file."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(self.directory / name, flags)
            try:
                note = decode_note(_all_of(descriptor))
            finally:
                os.close(descriptor)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return Damaged(name, f"it cannot be read: {error.strerror or error}")
        except DamagedNote as error:
            return Damaged(name, str(error))
        return note if file_name(note.session) == name else Damaged(name, "it is the note of another session")

    def _sweep(self, now: str) -> list[str]:
        """Remove overdue notes, and what a killed writer left; note of others that they have expired."""
        gone: list[str] = []
        before = _seconds(now) - REVIEW_DAYS * _DAY  # of the file; what it says itself decides
        for name in [name for name, modified in self._listed() if modified <= before]:
            note = self._read(name)
            if not isinstance(note, Note) or note.state(now) == "waiting":
                continue
            if note.is_overdue(now):
                gone += [note.session] if self._unlink(name) else []
            elif note.seen_expired is None or note.seen_expired > now:
                self._write(name, encode_note(replace(note, seen_expired=now)), _seconds(note.at))
        for name in self._names(_TEMPORARY):
            with suppress(OSError):
                if time.time() - (self.directory / name).lstat().st_mtime > _ABANDONED:
                    self._unlink(name)
        return gone

    def _make_room(self, note: Note) -> None:
        """Raise LimitExceeded where one more session than may wait would."""
        names = {name for name, _ in self._listed()}
        if len(names) >= DEFAULT.notes and file_name(note.session) not in names:
            raise LimitExceeded(
                f"{len(names)} notes wait for review; at most {DEFAULT.notes} may",
                hint="`git memory pending list` shows them; apply or drop some.",
                details={"limit": "notes", "value": DEFAULT.notes, "size": len(names) + 1},
            )

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the quarantine's own lock. Not the store's: a note must not wait for a long write to the memory."""
        from filelock import FileLock, Timeout

        try:
            self.directory.mkdir(mode=0o700, exist_ok=True)
            _restrict(self.directory)
            with FileLock(self.directory / _LOCK, timeout=self._wait, mode=0o600):
                yield
        except Timeout:
            raise StoreBusy(
                f"another process has held {self.directory / _LOCK} for {self._wait:.0f} s",
                details={"lock": str(self.directory / _LOCK), "waited_ms": int(self._wait * 1000)},
            ) from None
        except OSError as error:
            raise StoreReadOnly(f"{self.directory} cannot be written: {error.strerror or error}") from None

    def _write(self, name: str, data: bytes, seconds: float) -> None:
        """Put a file in its place in one step. Its time is the note's, so that a listing says when it expires."""
        temporary = self.directory / f"tmp_{os.getpid()}_{next(_numbers)}"
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            try:
                _write_all(descriptor, data)
                if self._sync:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.utime(temporary, (seconds, seconds))
            temporary.replace(self.directory / name)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise
        self._sync_directory()

    def _drop(self, name: str) -> bool:
        return self._unlink(file_name(name)) or (is_file_name(name) and self._unlink(name))

    def _unlink(self, name: str) -> bool:
        """Remove a file; tell whether it was there. A directory or a link in its place goes as what it is."""
        path = self.directory / name
        try:
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        except FileNotFoundError:
            return False
        self._sync_directory()
        return True

    def _sync_directory(self) -> None:
        if self._sync and os.name != "nt":
            from memgit.store.loose import sync_directory

            sync_directory(str(self.directory))


def file_name(session: str) -> str:
    """Return the name of a session's file: no session's name is a path, a device, or equal to another but for case."""
    return f"{blake3(session.encode()).hexdigest()[:32]}.json"


def is_file_name(name: str) -> bool:
    """Tell whether this is what a note's file is called."""
    return _NAME.fullmatch(name) is not None


def _seconds(at: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(at).timestamp()


def _restrict(directory: Path) -> None:
    """Let nobody but the owner in, also where somebody made the directory before us."""
    if os.name != "nt" and stat.S_IMODE(directory.stat().st_mode) != 0o700:
        directory.chmod(0o700)


def _all_of(descriptor: int) -> bytes:
    """Return what a file holds, at most one byte more than a note may have."""
    parts: list[bytes] = []
    left = _MOST_BYTES
    while left and (part := os.read(descriptor, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
