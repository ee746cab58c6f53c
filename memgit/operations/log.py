"""`log`: the write history, newest first: commits of the layers in sight, or the operations of one entity.

A merged history is one history: a commit is listed once, and so is an operation, at the commit that brought it. One
sequence serves all layers of a clone, so their commits have one order.
"""

from __future__ import annotations

import heapq
import re
from contextlib import suppress
from typing import Literal

import msgspec
from msgspec import Struct

from memgit import clock
from memgit.errors import InvalidRequest, NotFound, StoreCorrupt
from memgit.operations import checks, dates
from memgit.operations.cursor import decode_cursor, encode_cursor
from memgit.operations.invocation import Invocation
from memgit.operations.layer_choice import MERGE_SUBJECT
from memgit.operations.lineages import check_id
from memgit.operations.log_places import Place, authors_of, places
from memgit.operations.op_commits import commits_of
from memgit.operations.reading import ReadRequest
from memgit.records.fold import fold_entity
from memgit.records.ids import BlobDigest, kind_of
from memgit.records.op import PAYLOAD_BY_VERB, Op
from memgit.records.paths import OpPath
from memgit.review.compare import ReadBlob, author_of
from memgit.review.said import Said, by_revision, said
from memgit.store.commits import Visit, brought
from memgit.store.layered_snapshot import LayeredSnapshot
from memgit.store.objects import Commit, ObjectId
from memgit.store.private import LOCAL, SHARED
from memgit.store.snapshot import Snapshot

_TRAILER = re.compile(r"^Memgit-Operation: (\S+) (\S+)$", re.MULTILINE)
_ACTOR = re.compile(r"^Memgit-Actor: (.+)$", re.MULTILINE)
_SAID = 20  # operations of one commit that are told with a patch


class Log(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List writes, newest first. With `entity_id` the operations of that entity, each with the commit that brought it.

    `actor` is a part of a name, an address or an agent; `since` and `until` are times, the second one excluded; `verb`
    is `revise` or `claim.revise`. `patch` tells what the operations said: of a revision, what it changed. `layer` local
    lists only what this clone alone has, a draft with it where one is named.
    """

    layer: Literal["shared", "local"] | None = None  # type: ignore[assignment]  # a history can be shown by itself
    limit: int = 20
    before_commit_seq: int | None = None
    cursor: str | None = None
    entity_id: str | None = None
    actor: str | None = None
    since: str | None = None
    until: str | None = None
    verb: str | None = None
    patch: bool = False


class LogEntry(Struct, frozen=True, kw_only=True):
    """One commit of the store, or one operation of an entity with its commit.

    `operations` are (kind.verb, entity), or (kind.verb, `xCOUNT`) of a large write. `said` is the operations in words,
    where a patch or an entity was asked for; `unsaid` counts those of a large write that it leaves out. `authors` are
    others than the actor who wrote what a draft's merge brought. `layer` is where it is.
    """

    commit: str | None
    seq: int
    at: str
    actor: str
    subject: str
    operations: tuple[tuple[str, str], ...]
    said: tuple[Said, ...] = ()
    unsaid: int = 0
    authors: tuple[str, ...] = ()
    layer: str = SHARED


class LogPage(Struct, frozen=True, kw_only=True):
    """Entries, newest first. `next_cursor` is None on the last page."""

    items: tuple[LogEntry, ...]
    next_cursor: str | None
    next_before_commit_seq: int | None


class _Filter(Struct, frozen=True, kw_only=True):
    """What a request asks of an entry."""

    before: tuple[int, str] | None
    actor: str
    since: str | None
    until: str | None
    verb: str | None

    def admits(self, actor: str, at: str, operations: tuple[tuple[str, str], ...]) -> bool:
        """Tell whether a write by somebody, at some time, of these operations is wanted."""
        return (
            self.actor in actor.casefold()
            and (self.since is None or at >= self.since)
            and (self.until is None or at < self.until)
            and (self.verb is None or any(self.verb in (name, name.partition(".")[2]) for name, _ in operations))
        )


def log(invocation: Invocation, request: Log) -> LogPage:
    """Return a page of the history. Raises NotFound for an entity that no operation is about."""
    checks.page_limit(request.limit)
    wanted = _Filter(
        before=decode_cursor(request.cursor, request.before_commit_seq),
        actor=(request.actor or "").strip().casefold(),
        since=dates.instant(invocation, request.since, "since"),
        until=dates.instant(invocation, request.until, "until"),
        verb=_verb(request.verb),
    )
    if request.entity_id is not None:
        return _of_entity(invocation, request, wanted)
    return _of_store(invocation, request, wanted)


def _of_store(invocation: Invocation, request: Log, wanted: _Filter) -> LogPage:
    layers = places(invocation, private_only=request.layer == LOCAL)
    items: list[LogEntry] = []
    # The way goes down by seq and, within one, up by commit id.
    for seen, place in heapq.merge(*(place.visits() for place in layers), key=lambda one: (-one[0].seq, one[0].oid)):
        commit = place.graph.commits.pop(seen.oid)
        if wanted.before is not None and not _is_after(seen, wanted.before):
            continue
        entry = _entry(seen, commit, place)
        if not wanted.admits("\n".join((entry.actor, *entry.authors)), entry.at, entry.operations):
            continue
        if len(items) == request.limit:
            last = items[-1]
            return _page(items, encode_cursor(last.seq, last.commit or ""))
        items.append(_with_words(invocation, place, entry) if request.patch else entry)
    return _page(items, None)


def _of_entity(invocation: Invocation, request: Log, wanted: _Filter) -> LogPage:
    """Return the operations of one entity: from the tree, since a large commit does not name each of its own."""
    entity = check_id(request.entity_id or "")
    snapshot = invocation.snapshot()
    ops, problems = snapshot.ops(entity)
    if not ops and not problems:
        raise NotFound(f"there is no {entity}", details={"id": entity})
    if problems:
        invocation.warnings.append(f"{len(problems)} operations of {entity} cannot be read: see `verify`")
    known, folded = by_revision(ops), fold_entity(ops) if ops else None
    layer_of = invocation.state.layer_of
    private = request.layer == LOCAL
    found = [op for op in reversed(ops) if _admits(wanted, op) and not (private and layer_of(op.digest) == SHARED)]
    page = found[: request.limit]
    paths = [OpPath(op.entity, op.seq, op.verb, op.digest) for op in page]
    origin = commits_of(invocation, paths)
    words = [said(op, known, _blobs(snapshot), patch=request.patch, folded=folded) for op in page]
    items = [
        LogEntry(
            commit=origin.get(one.digest),
            seq=one.seq,
            at=one.at,
            actor=one.author,
            subject=f"{kind_of(entity)} {one.verb}: {one.about}" if one.about else f"{kind_of(entity)} {one.verb}",
            operations=((f"{kind_of(entity)}.{one.verb}", entity),),
            said=(one,),
            layer=layer_of(one.digest),
        )
        for one in words
    ]
    more = encode_cursor(page[-1].seq, page[-1].digest) if len(found) > len(page) else None
    return _page(items, more)


def _page(items: list[LogEntry], cursor: str | None) -> LogPage:
    return LogPage(
        items=tuple(items), next_cursor=cursor, next_before_commit_seq=items[-1].seq if cursor is not None else None
    )


def _admits(wanted: _Filter, op: Op) -> bool:
    if wanted.before is not None and (op.seq, op.digest) >= wanted.before:
        return False
    return wanted.admits(author_of(op.actor), op.at, ((f"{op.kind}.{op.verb}", op.entity),))


def _is_after(seen: Visit, cursor: tuple[int, str]) -> bool:
    """Tell whether a commit comes after a cursor's; a plain seq ends its whole tie."""
    return seen.seq < cursor[0] or (seen.seq == cursor[0] and seen.oid > cursor[1] > "")


def _entry(seen: Visit, commit: Commit, place: Place) -> LogEntry:
    message = commit.message
    found = _ACTOR.search(message)
    actor = found[1] if found else commit.author
    merged = message.startswith(MERGE_SUBJECT)
    return LogEntry(
        commit=seen.oid,
        seq=seen.seq,
        at=clock.format_time(seen.seconds),
        actor=actor,
        subject=message.partition("\n")[0],
        operations=tuple((found[0], found[1]) for found in _TRAILER.findall(message)),
        authors=tuple(name for name in authors_of(place, seen.oid) if name != actor) if merged else (),
        layer=place.layer,
    )


def _with_words(invocation: Invocation, place: Place, entry: LogEntry) -> LogEntry:
    """Return an entry with what its first operations said; a merge brought none."""
    snapshot = Snapshot(place.store.database, ObjectId(entry.commit or ""))
    paths = sorted(brought(snapshot), key=lambda path: (path.seq, path.digest))
    if place.layer != SHARED:  # its revisions may have shared ones for parents
        snapshot = LayeredSnapshot(invocation.store.snapshot(), {place.layer: snapshot})
    words = []
    for path in paths[:_SAID]:
        ops, _ = snapshot.ops(path.entity)
        op = next((op for op in ops if op.digest == path.digest), None)
        if op is not None:
            words.append(said(op, by_revision(ops), _blobs(snapshot), patch=True))
    return msgspec.structs.replace(entry, said=tuple(words), unsaid=len(paths) - len(words))


def _blobs(snapshot: Snapshot) -> ReadBlob:
    """Return what reads an artifact's bytes; of what is lost, nothing."""

    def read(digest: BlobDigest) -> bytes | None:
        with suppress(StoreCorrupt):
            return snapshot.blob(digest)
        return None

    return read


def _verb(text: str | None) -> str | None:
    """Return a verb that there is. Raises InvalidRequest."""
    if text is None:
        return None
    known = {verb for _, verb in PAYLOAD_BY_VERB} | {f"{kind}.{verb}" for kind, verb in PAYLOAD_BY_VERB}
    wanted = text.strip().lower()
    if wanted not in known:
        raise InvalidRequest(
            f"there is no verb {text[:60]!r}",
            hint=f"It is {', '.join(sorted({verb for _, verb in PAYLOAD_BY_VERB}))}, or kind.verb: claim.revise.",
            details={"field": "verb"},
        )
    return wanted
