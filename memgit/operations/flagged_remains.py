"""What a person should hear who takes back what looks like a secret: nothing in a memory is overwritten."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from memgit.errors import StoreCorrupt
from memgit.operations.invocation import Invocation
from memgit.records.ids import EntityId
from memgit.records.op import Op
from memgit.records.texts import op_texts
from memgit.store.allowed import AllowedList
from memgit.store.gate import Gate
from memgit.store.snapshot import Snapshot

REMAINS = (
    "what this takes out of sight looks like a secret, and its bytes remain: in the history of this memory, and with "
    "everybody whom it was synced to. Revoke that secret; nothing else makes it safe."
)

_LOOKED_AT = 100  # operations: what is taken back in bulk was let in by this clone, or is not looked at
_BLOB_BYTES = 1_000_000


def is_flagged(invocation: Invocation, snapshot: Snapshot, ops: Iterable[Op]) -> bool:
    """Tell whether something in the operations or their bytes looks like a secret that was let in.

    This clone's list of what was allowed is asked first; what another clone allowed is screened again, up to a bound.
    """
    ops = [op for op in ops if op.revision is not None]
    allowed = AllowedList(invocation.repository.state_dir).digests() if ops else frozenset()
    if any(op.digest in allowed or op.blob in allowed for op in ops):
        return True
    gate = Gate(allows_flagged=True)
    return any(_looks_so(gate, snapshot, op) for op in ops[-_LOOKED_AT:])


def what_remains(invocation: Invocation, snapshot: Snapshot, entity: EntityId) -> list[str]:
    """Return what to say of an entity that is changed or ended."""
    return [REMAINS] if is_flagged(invocation, snapshot, snapshot.ops(entity)[0]) else []


def _looks_so(gate: Gate, snapshot: Snapshot, op: Op) -> bool:
    if gate.findings(op_texts(op)):
        return True
    if op.blob is None or getattr(op.payload, "size", 0) > _BLOB_BYTES:
        return False
    with suppress(StoreCorrupt):  # what is lost can be taken back all the same
        return bool(gate.blob_findings(snapshot.blob(op.blob) or b"", op.blob, "content"))
    return False
