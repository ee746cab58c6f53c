"""Which receipt counts: whoever can push can write one, so its outcome must be there.

A receipt that says what nobody wrote would make a write answer well with nothing written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from memgit.records.codec import Receipt
from memgit.records.ids import EntityId, is_entity_id

if TYPE_CHECKING:
    from memgit.store.snapshot import Snapshot

_NAMELESS = ("import.",)  # operations whose outcome counts what was written, and names none of it
_DEEPEST = 32


def outcome(receipt: Receipt) -> dict[str, Any] | None:
    """Return the result that a receipt holds, None where it is no outcome of any operation."""
    try:
        found = msgspec.json.decode(receipt.result)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def unbelievable(receipt: Receipt, own: Snapshot, beside: Iterable[Snapshot] = ()) -> str | None:
    """Return why a receipt of a layer does not count, None where it does. `beside` are the other layers.

    What its result names must have been written by then, at least one of it in the receipt's own layer. What was purged
    since was there: such a request is not done again.
    """
    result = outcome(receipt)
    if result is None:
        return "its result is none of any operation"
    if receipt.seq > own.seq:
        return f"its sequence {receipt.seq} is above the store's, {own.seq}"
    named = list(dict.fromkeys(_named(result)))
    if not named:
        return None if receipt.operation.startswith(_NAMELESS) else "its result names nothing that was written"
    layers = [own, *beside]
    for entity in named:
        if not any(_held(entity, receipt.seq, layer) for layer in layers):
            return f"its result names {entity}, which nobody had written by then"
    if not any(_held(entity, receipt.seq, own) for entity in named):
        return "nothing that its result names is in this layer"
    return None


def _held(entity: EntityId, seq: int, layer: Snapshot) -> bool:
    return any(name.seq <= seq for name, _ in layer.op_files(entity)) or entity in layer.purged()


def _named(value: object, depth: int = 0) -> Iterator[EntityId]:
    if isinstance(value, str):
        if is_entity_id(value):
            yield value
    elif depth < _DEEPEST and isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _named(item, depth + 1)
