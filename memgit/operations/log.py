"""`log`: the write history, newest first, from the commits of the ref."""

from __future__ import annotations

import re

from msgspec import Struct

from memgit import clock
from memgit.errors import InvalidRequest
from memgit.limits import DEFAULT
from memgit.operations.invocation import Invocation
from memgit.store.history import walk

_TRAILER = re.compile(r"^Memgit-Operation: (\S+) (\S+)$", re.MULTILINE)
_ACTOR = re.compile(r"^Memgit-Actor: (.+)$", re.MULTILINE)


class Log(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List writes, newest first. With `entity_id`, only those whose commit names it."""

    limit: int = 20
    before_commit_seq: int | None = None
    entity_id: str | None = None


class LogEntry(Struct, frozen=True, kw_only=True):
    """One commit of the store."""

    commit: str
    seq: int
    at: str
    actor: str
    subject: str
    operations: tuple[tuple[str, str], ...]


class LogPage(Struct, frozen=True, kw_only=True):
    """Commits, newest first. `next_before_commit_seq` is None on the last page."""

    items: tuple[LogEntry, ...]
    next_before_commit_seq: int | None


def log(invocation: Invocation, request: Log) -> LogPage:
    """Return a page of the history."""
    if not 1 <= request.limit <= DEFAULT.history_page:
        raise InvalidRequest(f"`limit` is between 1 and {DEFAULT.history_page}", details={"field": "limit"})
    snapshot = invocation.store.snapshot()
    items: list[LogEntry] = []
    for seen in walk(invocation.store.database, snapshot.commit_id):
        if request.before_commit_seq is not None and seen.seq >= request.before_commit_seq:
            continue
        message = seen.commit.message
        operations = tuple((found[0], found[1]) for found in _TRAILER.findall(message))
        if request.entity_id is not None and all(name != request.entity_id for _, name in operations):
            continue
        if len(items) == request.limit:
            return LogPage(items=tuple(items), next_before_commit_seq=items[-1].seq)
        actor = _ACTOR.search(message)
        items.append(
            LogEntry(
                commit=seen.commit_id,
                seq=seen.seq,
                at=clock.format_time(seen.commit.seconds),
                actor=actor[1] if actor else seen.commit.author,
                subject=message.partition("\n")[0],
                operations=operations,
            )
        )
    return LogPage(items=tuple(items), next_before_commit_seq=None)
