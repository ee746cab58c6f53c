"""The texts in a record: what somebody wrote, by field, for whoever must look through all of it.

Everything in a payload is a text unless it is known not to be: ids and digests by their form, and the few fields named
here, whose words or times are fixed. So a field, or a payload, that is new is looked through without being named here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from memgit.records import ids
from memgit.records.codec import PurgeMarker, Receipt
from memgit.records.op import ClaimPayload, Op, Payload

FORMED = frozenset({"claim_type", "relation", "projection", "health", "valid_from", "valid_until"})
"""Fields of payloads that hold a word of a fixed list, or a time: the schema and the codec check them."""


class Text(NamedTuple):
    """One text. `field` is its name in requests; `lead` is what readers see in front of it: a value's subject."""

    field: str
    text: str
    lead: str = ""


def op_texts(op: Op) -> Iterator[Text]:
    """Yield the texts of an operation: its payload's, and its task, which a session may name as it likes."""
    if op.payload is not None:
        yield from payload_texts(op.payload)
    if op.scope.task is not None:
        yield Text("task", op.scope.task)


def payload_texts(payload: Payload) -> Iterator[Text]:
    """Yield the texts of a payload, each under the name of the field that it is in, however deep."""
    for field in payload.__struct_fields__:
        value = getattr(payload, field)
        if value is None or field in FORMED:
            continue
        if field == "value" and isinstance(payload, ClaimPayload):
            yield Text("value", value.data, f"{payload.subject}: " if payload.subject else "")
        else:
            yield from _texts(field, value)


def record_texts(record: Receipt | PurgeMarker) -> Iterator[Text]:
    """Yield the texts of a receipt, which are in its result, or of a purge marker."""
    if isinstance(record, PurgeMarker):
        if record.reason is not None:
            yield Text("reason", record.reason)
        return
    yield Text("operation", record.operation)
    try:
        yield from list(_texts("result", msgspec.json.decode(record.result)))
    except (msgspec.DecodeError, RecursionError):  # not ours
        yield Text("result", record.result)


def _texts(field: str, value: Any) -> Iterator[Text]:
    """Yield the strings in a value. The names of an object's fields are the protocol's, not anybody's text."""
    if isinstance(value, str):
        if not (ids.is_entity_id(value) or ids.is_revision_id(value) or ids.is_digest(value)):
            yield Text(field, value)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _texts(field, item)
    elif isinstance(value, dict):
        yield from _texts(field, list(value.values()))
    elif isinstance(value, Struct):
        yield from _texts(field, [getattr(value, name) for name in value.__struct_fields__])
