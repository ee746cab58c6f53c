"""`log`: the write history, newest first, from the commits of the ref."""

from __future__ import annotations

import re

from msgspec import Struct

from memgit import clock
from memgit.operations import checks
from memgit.operations.cursor import decode_cursor, encode_cursor
from memgit.operations.invocation import Invocation, Observed
from memgit.store.history import walk
from memgit.store.snapshot import Snapshot

_TRAILER = re.compile(r"^Memgit-Operation: (\S+) (\S+)$", re.MULTILINE)
_ACTOR = re.compile(r"^Memgit-Actor: (.+)$", re.MULTILINE)


class Log(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List writes, newest first. With `entity_id`, only those whose commit names it."""

    limit: int = 20
    before_commit_seq: int | None = None
    cursor: str | None = None
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
    """Commits, newest first. `next_cursor` is None on the last page."""

    items: tuple[LogEntry, ...]
    next_cursor: str | None
    next_before_commit_seq: int | None


def log(invocation: Invocation, request: Log) -> LogPage:
    """Return a page of the history."""
    checks.page_limit(request.limit)
    before = decode_cursor(request.cursor, request.before_commit_seq)
    snapshot = invocation.store.snapshot()
    invocation.observed = Observed(snapshot.seq, snapshot.commit_id)
    items: list[LogEntry] = []
    for seen in walk(invocation.store.database, snapshot.commit_id):
        # `walk` goes down by seq and, within one, up by commit id.
        if before is not None and not _is_after(seen, before):
            continue
        entry = _entry(seen)
        if request.entity_id is not None and all(name != request.entity_id for _, name in entry.operations):
            continue
        if len(items) == request.limit:
            last = items[-1]
            return LogPage(
                items=tuple(items), next_cursor=encode_cursor(last.seq, last.commit), next_before_commit_seq=last.seq
            )
        items.append(entry)
    return LogPage(items=tuple(items), next_cursor=None, next_before_commit_seq=None)


def _is_after(seen: Snapshot, cursor: tuple[int, str]) -> bool:
    """Tell whether a commit comes after a cursor's; a plain seq ends its whole tie."""
    return seen.seq < cursor[0] or (seen.seq == cursor[0] and seen.commit_id > cursor[1] > "")


def _entry(seen: Snapshot) -> LogEntry:
    message = seen.commit.message
    actor = _ACTOR.search(message)
    return LogEntry(
        commit=seen.commit_id,
        seq=seen.seq,
        at=clock.format_time(seen.commit.seconds),
        actor=actor[1] if actor else seen.commit.author,
        subject=message.partition("\n")[0],
        operations=tuple((found[0], found[1]) for found in _TRAILER.findall(message)),
    )
