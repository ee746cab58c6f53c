"""What one write is about to add: operations with their seq, blobs, and the words of the commit.

A transaction only collects. The writer gives it a snapshot to read, decides when it becomes a commit, and may run the
whole of it again on a newer snapshot. Whatever is new has been screened for secrets before it is collected; what is
adopted from another layer was when it was written, and is again before a push.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

import msgspec

from memgit import clock
from memgit.errors import LimitExceeded, StoreCorrupt
from memgit.limits import DEFAULT
from memgit.records import codec, ids, paths
from memgit.records.codec import Receipt, StoreRecord
from memgit.records.ids import BlobDigest, OpDigest
from memgit.records.op import Actor, ArtifactPayload, CodeStamp, Op
from memgit.records.paths import OpPath
from memgit.records.texts import Text, op_texts, payload_texts, record_texts
from memgit.store.gate import Gate
from memgit.store.private import SHARED
from memgit.store.snapshot import Snapshot

if TYPE_CHECKING:
    from memgit.screening import Finding

_SUBJECT_LENGTH = 72
_LISTED_OPERATIONS = 20  # a commit message names each up to here, and counts beyond


class FileSink(Protocol):
    """Where a transaction's files go: into memory for a small one, into a pack for a large one."""

    def add(self, path: str, data: bytes) -> None:
        """Take one file. A path comes once."""


class Transaction:
    """One write. `base` is the layer that it writes to, None only while that is being begun.

    `snapshot` is what it sees: other layers, too, where they are beside.

    `names` are the request's own names of fields, where a refusal should use them: `{"statement": "text"}`.
    """

    def __init__(
        self,
        base: Snapshot | None,
        sink: FileSink,
        first_seq: int,
        actor: Actor,
        code: CodeStamp | None,
        *,
        sees: Snapshot | None = None,
        allow_flagged: bool = False,
    ) -> None:
        self.snapshot = sees or base
        self.base = base
        self.layer = SHARED  # whoever writes to another one says so
        self.actor = actor
        self.code = code
        self.at = clock.now()
        self.ops: list[tuple[str, str]] = []  # (operation, entity) of each staged op, for the commit message
        self.names: Mapping[str, str] = {}
        self.allowed: list[str] = []  # digests of what looks like a secret and was let in all the same
        self._gate = Gate(allows_flagged=allow_flagged)
        self._sink = sink
        self._next_seq = first_seq
        self._blobs: set[BlobDigest] = set()
        self._subject = ""
        self._titled = False

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
        later than the transaction (an op is never older than its parents). Raises SecretDetected, LimitExceeded.
        """
        self._next_seq = max(self._next_seq, self._seq_after(draft))
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
        is_flagged = self._gate.is_flagged(op_texts(filled), self.names)
        op, data = codec.encode_op(filled)
        if len(data) > DEFAULT.record_bytes:
            raise LimitExceeded(
                f"the record of {op.entity} takes {len(data)} bytes, more than {DEFAULT.record_bytes}",
                details={"limit": "record_bytes", "value": DEFAULT.record_bytes, "size": len(data)},
            )
        self._sink.add(OpPath(op.entity, op.seq, op.verb, op.digest).path, data)
        self._next_seq += 1
        self.ops.append((f"{op.kind}.{op.verb}", op.entity))
        if is_flagged:
            self.allowed.append(op.digest)
        if main or not self._subject:
            self._subject = f"{op.kind} {op.verb}: {about if about and self.is_clean(about) else op.entity}"
        return op

    def _seq_after(self, draft: Op) -> int:
        """Return the least seq that puts an operation after all that its entity has, whatever the commits' seqs say."""
        if self.snapshot is None or not (draft.parents or draft.cancels or draft.at):
            return 0  # it begins its entity
        return max((name.seq + 1 for name, _ in self.snapshot.op_files(draft.entity)), default=0)

    def put_blob(self, data: bytes) -> BlobDigest:
        """Add artifact bytes, once, and return their name.

        Raises SecretDetected for bytes that are new here, StoreCorrupt where the store has others under their name.
        """
        digest = codec.blob_digest(data)
        path = paths.blob_path(digest)
        if digest not in self._blobs and not self._holds(path, data):
            if self._gate.is_flagged_blob(data, digest, self.names.get("content", "content")):
                self.allowed.append(digest)
            self._blobs.add(digest)
            self._sink.add(path, data)
        return digest

    def _holds(self, path: str, data: bytes) -> bool:
        """Tell whether the layer has these bytes at a path."""
        found = self.base.find(path) if self.base is not None else None
        if self.base is None or found is None:
            return False
        if found.oid != self.base.database.make("blob", data).oid:
            raise StoreCorrupt(
                f"{path} holds other bytes than its name says, so these cannot be kept under it",
                hint="`git memory verify` names what is damaged; restore it from another clone or a backup.",
                details={"path": path},
            )
        return True

    def would_refuse(self, payload: ArtifactPayload, data: bytes, path: str) -> tuple[Finding, ...]:
        """Return what would be refused of a document, under its path, so that a large import can leave it out."""
        if self._gate.allows_flagged:
            return ()
        return self._gate.blob_findings(data, payload.digest, path) or self._gate.findings(payload_texts(payload))

    def is_clean(self, text: str) -> bool:
        """Tell whether nothing in a text looks like a secret: what is allowed into a record is not told elsewhere."""
        return not self._gate.findings([Text("text", text)])

    def screen(self, text: str, field: str) -> None:
        """Screen a text of the request before anything is made of it, so that a refusal names it as it was given."""
        self._gate.is_flagged([Text(field, text)], {})

    def put_receipt(self, key_digest: str, receipt: Receipt) -> None:
        """Add the outcome of a request with an idempotency key. Raises LimitExceeded for what no reader would take."""
        is_flagged = self._gate.is_flagged(record_texts(receipt), self.names)
        digest, data = codec.encode_record(receipt)
        if is_flagged:
            self.allowed.append(digest)
        if len(data) > DEFAULT.record_bytes:
            raise LimitExceeded(
                f"the outcome takes {len(data)} bytes, more than a receipt holds",
                hint="Make the request smaller, or send it without an idempotency key.",
                details={"limit": "record_bytes", "value": DEFAULT.record_bytes, "size": len(data)},
            )
        self._sink.add(f"{paths.receipt_directory(key_digest)}/{digest}.yaml", data)

    def put_store(self, record: StoreRecord) -> None:
        """Add the record of who began the store, and the format's constant. Takes a seq: no commit lacks one.

        It is not screened: the ids in it are those of the project marker, which is the user's own file.
        """
        digest, data = codec.encode_record(record)
        if self.base is None:
            self._sink.add(paths.FORMAT_PATH, paths.FORMAT_TEXT)
        self._sink.add(f"{paths.store_directory(record.store)}/{digest}.yaml", data)
        self._subject = "store init"
        self._next_seq += 1

    def begin(self, files: Mapping[str, bytes]) -> None:
        """Begin a layer with the files that say whose store it belongs to; alone they are no write."""
        for path, data in files.items():
            self._sink.add(path, data)

    def adopt(self, files: Iterable[tuple[str, bytes]], subject: str) -> None:
        """Add files of another layer as they are: their operations keep their seqs. `subject` is the commit's.

        They were screened when they were written there, or when they left the clone that wrote them.
        """
        for path, data in files:
            self._sink.add(path, data)
            name = paths.parse_op_path(path)
            if name is not None:
                self.ops.append((f"{ids.kind_of(name.entity)}.{name.verb}", name.entity))
            self._subject, self._titled = subject, True

    def message(self) -> str:
        """Return the commit message: a subject for people, trailers for programs."""
        counts = Counter(operation for operation, _ in self.ops)
        subject = self._subject
        if len(self.ops) > 1 and not self._titled:
            kinds = ", ".join(f"{operation} x{count}" for operation, count in sorted(counts.items()))
            few = len(self.ops) <= 3
            subject = f"{subject} (+{len(self.ops) - 1})" if few else f"{len(self.ops)} operations: {kinds}"
        lines = [_one_line(subject), ""]
        if len(self.ops) <= _LISTED_OPERATIONS:
            lines += [f"Memgit-Operation: {operation} {entity}" for operation, entity in self.ops]
        else:
            lines += [f"Memgit-Operation: {operation} x{count}" for operation, count in sorted(counts.items())]
        lines += [
            actor_line(self.actor),
            f"Memgit-Seq: {self.last_seq}",
            "",
        ]
        return "\n".join(lines)


def actor_line(actor: Actor) -> str:
    """Return the trailer of a commit that says who wrote it."""
    agent = f" ({_one_line(actor.agent)})" if actor.agent else ""
    return f"Memgit-Actor: {_one_line(actor.name)} <{_one_line(actor.email)}>{agent}"


def _one_line(text: str) -> str:
    """Return the text on one line, without control characters, cut for a commit's subject."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _SUBJECT_LENGTH else line[: _SUBJECT_LENGTH - 1] + "…"
