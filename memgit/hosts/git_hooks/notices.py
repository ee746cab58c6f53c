"""What the next command says about the hooks, in one line each: that one failed, that one was displaced, that a sync
after a push did.

Looked for at every command, so it costs a few `stat`s where nothing is the matter, and never fails its caller.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from memgit.errors import MemgitError
from memgit.hosts.git_hooks.record import Record, has_changed, hooks_state, read_record, write_record
from memgit.store.repository import Repository

_PUTS_BACK = "`git memory hooks install` puts them back"
TOLD_SECONDS = 24 * 3600.0  # how long a displaced hook is not spoken of again


class PushOutcome(Struct, frozen=True):
    """What became of a sync that a push started and that failed."""

    message: str
    at: float  # seconds since 1970


def notices(repository: Repository) -> list[str]:
    """Return what a person should know, once. Never raises."""
    if not repository.state_dir.is_dir():
        return []
    return [*_failures(repository), *_displaced(repository), *_push(repository)]


def keep_push_outcome(repository: Repository, message: str | None) -> None:
    """Keep why a sync after a push failed, for the next command to say; None where it did not fail."""
    path = _outcome(repository)
    with suppress(OSError):
        if message is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(msgspec.json.encode(PushOutcome(message[:500], time.time())))


def _failures(repository: Repository) -> Iterator[str]:
    said = [what_failed(path) for path in failure_files(repository)]
    for hook, why in dict.fromkeys(one for one in said if one is not None):
        yield f"{hook} could not note what Git did: {why}; `git memory doctor` looks closer"


def failure_files(repository: Repository) -> tuple[Path, ...]:
    """Return where a hook leaves word that it could not append, in its order."""
    places = (repository.state_dir / "hook-failed", repository.private_dir / "hook-failed")
    return (*places, repository.common_dir / "memgit-hook-failed")


def what_failed(path: Path) -> tuple[str, str] | None:
    """Return, and forget, which hook left word at a path and why, or None. On a full disk the file has no words."""
    try:
        if not path.is_file():
            return None
        said = path.read_bytes()[:500].decode("utf-8", "backslashreplace").strip()
    except OSError:
        return None
    with suppress(OSError):
        path.unlink()
    hook, _, why = said.partition(" ")
    return f"the hook {hook}" if why else "a hook", why.strip() or "it could not even write why, as on a full disk"


def _displaced(repository: Repository) -> Iterator[str]:
    record = read_record(repository)
    if record is None or not (record.displaced or has_changed(record)):
        return
    with suppress(MemgitError, OSError):
        found = _look_again(repository, record) if has_changed(record) else record
        is_news = set(found.displaced) - set(record.displaced) or time.time() - record.told > TOLD_SECONDS
        if found.displaced and is_news:
            found = msgspec.structs.replace(found, told=time.time())
            yield f"hooks no longer run: {'; '.join(found.displaced)}; {found.advice or _PUTS_BACK}"
        if found != record:
            write_record(repository, found)


def _look_again(repository: Repository, record: Record) -> Record:
    from memgit.hosts.git_hooks.refusals import refusal
    from memgit.hosts.git_hooks.status import deciding_marks, displaced, status

    found = status(repository, record)
    gone = displaced(found)
    why = refusal(repository, [one.tree for one in found]) if gone else None
    return msgspec.structs.replace(
        record,
        marks=deciding_marks(repository, found),
        displaced=gone,
        advice="" if why is None else f"{why.message}. {why.hint}",
    )


def _push(repository: Repository) -> Iterator[str]:
    path = _outcome(repository)
    with suppress(OSError, msgspec.MsgspecError):
        if not path.is_file():
            return
        outcome = msgspec.json.decode(path.read_bytes(), type=PushOutcome)
        path.unlink()
        yield f"the memory was not synced with your last push: {outcome.message}"


def _outcome(repository: Repository) -> Path:
    return hooks_state(repository) / "push.json"
