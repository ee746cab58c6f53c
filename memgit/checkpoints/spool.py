"""The spool: the file to which hooks append, and how it is taken without losing a line.

Hooks append to `events` (a hook without a clock to `events-<process>`, whose own time stands in). Whoever takes renames
that file, reads it, and says when the events are kept elsewhere; only then are they forgotten. A process that dies in
between leaves all of it, and the same events come again under the same keys. A hook that opened the file before it was
renamed may still append: a taken file stays for a minute, and what came late is read by the next one.

Steps of an action that is still under way (a rebase that stopped, a commit whose message is being written) are held
back, in `held`, until it has ended.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from memgit import clock
from memgit.checkpoints.coalesce import LONG_ACTIONS, Action, actions
from memgit.checkpoints.events import HookEvent
from memgit.checkpoints.spool_lines import PROBE, Run, parse_line, with_times
from memgit.store.repository import Repository

READ_BYTES = 16 * 1024 * 1024  # of one take; 5000 runs, where the hooks stop, have 2 MiB at most but for rewrites
LATE_SECONDS = 60.0  # how long a hook may take between opening the spool and appending to it
COMMIT_SECONDS = 600.0  # how long a `pre-commit` waits for its `post-commit`
HELD_SECONDS = 24 * 3600.0  # how long a rebase or a bisect may rest before what it did so far is an event

_TAKEN = "taken-"
_HELD = "held"
_UNFINISHED = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer", "BISECT_LOG")


@dataclass(frozen=True, slots=True)
class Taken:
    """What was waiting. `notes` say what is missing, for people."""

    events: tuple[HookEvent, ...] = ()
    notes: tuple[str, ...] = ()
    _spool: Path | None = None
    _read: tuple[_File, ...] = ()
    _held: bytes = b""
    _overflow: int | None = None  # when the mark was made that the notes tell of, in nanoseconds

    def done(self) -> None:
        """Forget what was taken. To be called under the same lock, when the events are kept elsewhere."""
        if self._spool is None:
            return
        _keep_held(self._spool, self._held)
        for file in self._read:
            file.acknowledge()
        with suppress(OSError):  # what is no file of ours is left alone
            (self._spool / "count").unlink(missing_ok=True)
        if self._overflow is not None and _overflowed(self._spool) == self._overflow:  # a later one is not told yet
            with suppress(OSError):
                (self._spool / "overflow").unlink(missing_ok=True)


@dataclass(slots=True)
class _File:
    """A file that was taken. `done` bytes of it are forgotten, `read` more were read now."""

    path: Path
    name: str
    changed: float
    done: int
    runs: list[Run] = field(default_factory=list)
    read: int = 0
    damaged: int = 0
    failure: str | None = None  # why it could not be read

    def acknowledge(self) -> None:
        """Note in its name how much is forgotten, or remove it when no hook can still append to it."""
        settled = self.done + self.read
        if self.read:
            self.path.rename(self.path.with_name(f"{_TAKEN}{self.name}.{settled}"))
            return
        with suppress(OSError):
            if self.failure is not None:
                return
            status = self.path.stat()
            if status.st_size == settled and time.time() - status.st_ctime > LATE_SECONDS:
                self.path.unlink()


def spool_directory(repository: Repository) -> Path:
    """Return where hooks append."""
    return repository.state_dir / "spool"


def is_waiting(repository: Repository) -> bool:
    """Tell whether a take would find something, from the names in one small directory."""
    try:
        with os.scandir(spool_directory(repository)) as entries:
            return any(_is_waiting(entry) for entry in entries)
    except OSError:
        return False


def take(repository: Repository) -> Taken:
    """Return the actions that hooks saw and that nobody has acknowledged, oldest first. Never raises OSError.

    The writer's lock must be held until `done()`. An event whose key was seen before replaces what was kept for it.
    """
    spool = spool_directory(repository)
    try:
        _rename(spool)
        files = _read_files(spool)
    except OSError as error:
        if not spool.is_dir():
            return Taken()
        return Taken(notes=(f"what Git's hooks noted in {spool} cannot be taken: {error.strerror or error}",))
    held = list(_read_held(spool))
    known = {run.key for run in held}
    overflow = _overflowed(spool)
    runs = held + [run for file in files for run in file.runs if run.key not in known]
    whole = actions(run for run in runs if run.hook != PROBE)
    waiting = [action for action in _last_of_each(whole) if _is_open(repository, action)]
    return Taken(
        events=tuple(action.event() for action in whole if not any(action is one for one in waiting)),
        notes=tuple(_notes(files, overflow)),
        _spool=spool,
        _read=tuple(files),
        _held=b"".join(_held_line(run) for action in waiting for run in action.runs),
        _overflow=overflow,
    )


def find_probe(repository: Repository, word: str) -> bool:
    """Tell whether a line with this word has arrived, whether or not it was taken since."""
    spool = spool_directory(repository)
    with suppress(OSError):
        for path in spool.iterdir():
            if path.name.startswith(("events", _TAKEN)) and _is_plain(path):
                lines = path.read_bytes()[-READ_BYTES:].split(b"\n")
                if any(f"{PROBE}\t".encode() in line and word.encode() in line for line in lines):
                    return True
    return False


def _is_waiting(entry: os.DirEntry[str]) -> bool:
    if entry.name == _HELD:
        return entry.is_file() and time.time() - entry.stat().st_mtime > COMMIT_SECONDS
    if entry.name == "overflow":
        return entry.is_file(follow_symlinks=False)
    if not entry.name.startswith((_TAKEN, "events")) or not entry.is_file(follow_symlinks=False):
        return False
    if entry.name.startswith(_TAKEN):
        settled = entry.name.partition(".")[2]
        return not settled.isdecimal() or entry.stat().st_size > int(settled)
    return True


def _is_plain(path: Path) -> bool:
    """Tell whether a path is a regular file, and no directory, pipe or link, which no hook of ours makes here."""
    return stat.S_ISREG(path.lstat().st_mode)


def _rename(spool: Path) -> None:
    """Take the files that hooks append to out of their way."""
    found = [path for path in spool.iterdir() if path.name.startswith("events") and _is_plain(path)]
    for path in sorted(found, key=lambda one: (one.stat().st_mtime_ns, one.name)):
        path.rename(spool / f"{_TAKEN}{clock.new_ulid()}")


def _read_files(spool: Path) -> list[_File]:
    found = []
    for path in spool.iterdir():
        if path.name.startswith(_TAKEN) and _is_plain(path):
            name, _, settled = path.name.removeprefix(_TAKEN).partition(".")
            status = path.stat()
            found.append(_File(path, name, status.st_mtime, int(settled) if settled.isdecimal() else 0))
    found.sort(key=lambda file: (file.changed, file.name))
    room = READ_BYTES
    for file in found:
        try:
            _read_file(file, room)
        except OSError as error:
            file.failure = error.strerror or str(error)
        room -= file.read
    return found


def _read_file(file: _File, room: int) -> None:
    """Read whole lines, and what is left of one where nobody can still be writing it."""
    with file.path.open("rb") as stream:
        stream.seek(file.done)
        data = stream.read(max(room, 0))
        is_whole = not stream.read(1)
    end = data.rfind(b"\n") + 1
    if is_whole and end < len(data) and time.time() - file.path.stat().st_ctime > LATE_SECONDS:
        end = len(data)
    at = file.done
    for line in data[:end].split(b"\n"):
        run = parse_line(f"{file.name}:{at}", line) if line else None
        file.damaged += 1 if line and run is None else 0
        file.runs += [] if run is None else [run]
        at += len(line) + 1
    file.read = end
    file.runs = with_times(file.runs, file.changed)


def _read_held(spool: Path) -> Iterator[Run]:
    """Yield the runs that were held back, as they were."""
    try:
        if not _is_plain(spool / _HELD):
            return
        data = (spool / _HELD).read_bytes()
    except OSError:
        return
    from dataclasses import replace

    for text in data.split(b"\n"):
        key, _, rest = text.partition(b"\t")
        seconds, _, line = rest.partition(b"\t")
        run = parse_line(key.decode("utf-8", "replace"), line)
        if run is not None:
            with suppress(ValueError):
                yield replace(run, seconds=float(seconds))


def _held_line(run: Run) -> bytes:
    return f"{run.key}\t{run.seconds:.6f}\t".encode() + run.line + b"\n"


def _keep_held(spool: Path, data: bytes) -> None:
    path = spool / _HELD
    if os.path.lexists(path) and not _is_plain(path):
        path.rename(spool / f"odd-{clock.new_ulid()}")  # it would keep every action from being settled
    if not data:
        path.unlink(missing_ok=True)
        return
    fresh = spool / f"{_HELD}.{os.getpid()}"
    fresh.write_bytes(data)
    fresh.replace(path)


def _last_of_each(whole: Sequence[Action]) -> list[Action]:
    """Return the last action of each working tree but for pushes: only that can still be under way."""
    return list({action.last.worktree: action for action in whole if action.last.hook != "pre-push"}.values())


def _is_open(repository: Repository, action: Action) -> bool:
    """Tell whether an action is still under way."""
    last = action.last
    age = time.time() - last.seconds
    if last.hook == "pre-commit" and age < COMMIT_SECONDS:
        return True
    if last.cause not in LONG_ACTIONS or age > HELD_SECONDS:
        return False
    if last.hook == "post-rewrite" and last.argument == last.cause:
        return False  # a rebase runs it last, while its directory is still there
    git_dir = repository.common_dir / last.worktree
    return any((git_dir / name).exists() for name in _UNFINISHED)


def _notes(files: Sequence[_File], overflow: int | None) -> Iterator[str]:
    for file in files:
        if file.failure is not None:
            yield f"what Git's hooks noted in {file.path} cannot be read: {file.failure}"
    damaged = sum(file.damaged for file in files)
    if damaged:
        yield f"{damaged} line{'s' if damaged > 1 else ''} of Git's hooks could not be read and count for nothing"
    if overflow is not None:
        since = clock.format_time(overflow / 1e9)[:19]
        yield f"Git's hooks noted nothing from {since}Z on, because nobody took what was there"


def _overflowed(spool: Path) -> int | None:
    """Return since when hooks have noted nothing, in nanoseconds; None where they note all."""
    with suppress(OSError):
        status = (spool / "overflow").lstat()
        if stat.S_ISREG(status.st_mode):
            return status.st_mtime_ns
    return None
