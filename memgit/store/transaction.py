"""What one write is about to add: operations with their seq, blobs, and the words of the commit.

A transaction only collects. The writer gives it a snapshot to read, decides when it becomes a commit, and may run the
whole of it again on a newer snapshot.
"""

from __future__ import annotations

from collections import Counter
from typing import Protocol

import msgspec

from memgit import clock
from memgit.errors import LimitExceeded
from memgit.limits import DEFAULT
from memgit.records import codec, paths
from memgit.records.codec import Receipt, StoreRecord
from memgit.records.ids import BlobDigest, OpDigest
from memgit.records.op import Actor, CodeStamp, Op
from memgit.records.paths import OpPath
from memgit.store.snapshot import Snapshot

_SUBJECT_LENGTH = 72
_LISTED_OPERATIONS = 20  # a commit message names each up to here, and counts beyond


class FileSink(Protocol):
    """Where a transaction's files go: into memory for a small one, into a pack for a large one."""

    def add(self, path: str, data: bytes) -> None:
        """Take one file. A path comes once."""


class Transaction:
    """One write. `snapshot` is None only while a store is being created."""

    def __init__(
        self, snapshot: Snapshot | None, sink: FileSink, first_seq: int, actor: Actor, code: CodeStamp | None
    ) -> None:
        self.snapshot = snapshot
        self.actor = actor
        self.code = code
        self.at = clock.now()
        self.ops: list[tuple[str, str]] = []  # (operation, entity) of each staged op, for the commit message
        self._sink = sink
        self._next_seq = first_seq
        self._blobs: set[BlobDigest] = set()
        self._subject = ""

    @property
    def last_seq(self) -> int:
        """The highest seq that has been given out."""
        return self._next_seq - 1

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been staged."""
        return not self.ops and not self._subject

    def stage(self, draft: Op, about: str = "", *, main: bool = False) -> Op:
        """Add an operation and return it with its seq and digest.

        `about` says what it is about: the subject of the commit is the first operation's, or the `main` one's.

        The draft's seq and digest are ignored; time, actor and code stamp are the transaction's, unless the draft is
        later than the transaction (an op is never older than its parents).
        """
        if self._next_seq > DEFAULT.sequence - DEFAULT.sequence_room:
            raise LimitExceeded(
                f"the store's sequence {self._next_seq} leaves no room",
                hint="Export the store and import it into a new one.",
                details={"limit": "sequence", "value": DEFAULT.sequence, "size": self._next_seq},
            )
        if len(self.ops) >= DEFAULT.bulk_operations:
            raise LimitExceeded(
                f"one transaction takes {DEFAULT.bulk_operations} operations",
                hint="Write the rest in another one.",
                details={"limit": "bulk_operations", "value": DEFAULT.bulk_operations, "size": len(self.ops) + 1},
            )
        at = max(self.at, draft.at)
        filled = msgspec.structs.replace(
            draft, seq=self._next_seq, digest=OpDigest(""), at=at, actor=self.actor, code=self.code
        )
        op, data = codec.encode_op(filled)
        if len(data) > DEFAULT.record_bytes:
            raise LimitExceeded(
                f"the record of {op.entity} takes {len(data)} bytes, more than {DEFAULT.record_bytes}",
                details={"limit": "record_bytes", "value": DEFAULT.record_bytes, "size": len(data)},
            )
        self._sink.add(OpPath(op.entity, op.seq, op.verb, op.digest).path, data)
        self._next_seq += 1
        self.ops.append((f"{op.kind}.{op.verb}", op.entity))
        if main or not self._subject:
            self._subject = f"{op.kind} {op.verb}: {about}" if about else f"{op.kind} {op.verb}: {op.entity}"
        return op

    def put_blob(self, data: bytes) -> BlobDigest:
        """Add artifact bytes, once, and return their name."""
        digest = codec.blob_digest(data)
        path = paths.blob_path(digest)
        known = digest in self._blobs or (self.snapshot is not None and self.snapshot.find(path) is not None)
        if not known:
            self._blobs.add(digest)
            self._sink.add(path, data)
        return digest

    def put_receipt(self, key_digest: str, receipt: Receipt) -> None:
        """Add the outcome of a request with an idempotency key. Raises LimitExceeded for what no reader would take."""
        digest, data = codec.encode_record(receipt)
        if len(data) > DEFAULT.record_bytes:
            raise LimitExceeded(
                f"the outcome takes {len(data)} bytes, more than a receipt holds",
                hint="Make the request smaller, or send it without an idempotency key.",
                details={"limit": "record_bytes", "value": DEFAULT.record_bytes, "size": len(data)},
            )
        self._sink.add(f"{paths.receipt_directory(key_digest)}/{digest}.yaml", data)

    def put_store(self, record: StoreRecord) -> None:
        """Add the record of who began the store, and the format's constant. Takes a seq: no commit lacks one."""
        digest, data = codec.encode_record(record)
        if self.snapshot is None:
            self._sink.add(paths.FORMAT_PATH, paths.FORMAT_TEXT)
        self._sink.add(f"{paths.store_directory(record.store)}/{digest}.yaml", data)
        self._subject = "store init"
        self._next_seq += 1

    def message(self) -> str:
        """Return the commit message: a subject for people, trailers for programs."""
        counts = Counter(operation for operation, _ in self.ops)
        subject = self._subject
        if len(self.ops) > 1:
            kinds = ", ".join(f"{operation} x{count}" for operation, count in sorted(counts.items()))
            few = len(self.ops) <= 3
            subject = f"{subject} (+{len(self.ops) - 1})" if few else f"{len(self.ops)} operations: {kinds}"
        lines = [_one_line(subject), ""]
        if len(self.ops) <= _LISTED_OPERATIONS:
            lines += [f"Memgit-Operation: {operation} {entity}" for operation, entity in self.ops]
        else:
            lines += [f"Memgit-Operation: {operation} x{count}" for operation, count in sorted(counts.items())]
        agent = f" ({_one_line(self.actor.agent)})" if self.actor.agent else ""
        lines += [
            f"Memgit-Actor: {_one_line(self.actor.name)} <{_one_line(self.actor.email)}>{agent}",
            f"Memgit-Seq: {self.last_seq}",
            "",
        ]
        return "\n".join(lines)


def _one_line(text: str) -> str:
    """Return the text on one line, without control characters, cut for a commit's subject."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _SUBJECT_LENGTH else line[: _SUBJECT_LENGTH - 1] + "…"
