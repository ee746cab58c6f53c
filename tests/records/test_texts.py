"""The texts of records: each field that somebody can fill is among them, also one that is new."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from itertools import count
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest
from msgspec import Struct

from memgit.records.codec import PurgeMarker, Receipt
from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload, Payload, ReasonPayload, Scope, Value, draft
from memgit.records.texts import FORMED, Text, op_texts, payload_texts, record_texts

PAYLOADS: tuple[type[Struct], ...] = get_args(Payload)
TIMES = {"valid_from", "valid_until"}
ULID = "01jb3h0000000000000000000a"
LONG = "0" * 64


def filled(kind: Any, name: str, number: Iterator[int]) -> Any:
    """Return a value of a type with a text of its own in each string: `<field> <number>`."""
    kind = getattr(kind, "__supertype__", kind)
    if get_origin(kind) in (UnionType, typing.Union):
        return filled(next(item for item in get_args(kind) if item is not NoneType), name, number)
    if get_origin(kind) is tuple:
        return (filled(get_args(kind)[0], name, number), filled(get_args(kind)[0], name, number))
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    if isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind)
        return kind(**{field: filled(hints[field], field, number) for field in kind.__struct_fields__})
    return f"{name} {next(number)}" if kind is str else kind(1)


def strings(value: Any) -> Iterator[str]:
    """Yield all strings in a struct but its words of fixed lists."""
    if isinstance(value, Struct):
        hints = get_type_hints(type(value))
        for field in value.__struct_fields__:
            if field not in TIMES and get_origin(hints[field]) is not Literal:
                yield from strings(getattr(value, field))
    elif isinstance(value, tuple):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("kind", PAYLOADS, ids=lambda kind: kind.__name__)
def test_each_text_of_a_payload_is_there(kind: type[Struct]) -> None:
    """Every string in a payload is yielded, under the name of its outermost field; words of fixed lists may be too."""
    payload = filled(kind, "", count())
    found = list(payload_texts(payload))
    assert set(strings(payload)) <= {text for _, text, _ in found}
    assert {field for field, _, _ in found} <= set(kind.__struct_fields__) - FORMED
    assert len(found) == len(set(found))


def test_what_is_left_out_is_no_text() -> None:
    """The fields that are not looked through hold a word of a fixed list, or a time that the codec checks."""
    for kind in PAYLOADS:
        for field, hint in get_type_hints(kind).items():
            if field in FORMED:
                assert field in TIMES or get_origin(hint) is Literal, (kind, field)


def test_ids_and_digests_are_no_texts() -> None:
    """They are known by their form."""
    payload = ReasonPayload(reason=f"clm_{ULID}")
    assert list(payload_texts(payload)) == []
    assert list(payload_texts(ReasonPayload(reason=f"arev_{ULID}"))) == []
    assert list(payload_texts(ReasonPayload(reason=LONG))) == []
    assert list(payload_texts(ReasonPayload(reason=f"{LONG}0"))) == [Text("reason", f"{LONG}0")]


def test_a_value_is_read_behind_its_subject() -> None:
    """People read `subject: value`, so that is what a value's text is looked at with."""
    claim = ClaimPayload(claim_type="fact", value=Value("text", "a datum"), subject="a subject")
    assert list(payload_texts(claim)) == [Text("value", "a datum", "a subject: "), Text("subject", "a subject")]
    alone = ClaimPayload(claim_type="fact", value=Value("number", "1"))
    assert list(payload_texts(alone)) == [Text("value", "1", "")]


def test_an_operation_adds_its_task() -> None:
    """A session names its task as it likes; workspace and project are the marker's."""
    op = draft("retract", f"clm_{ULID}", Scope("w", "p", "the-task"), ReasonPayload(reason="why"))
    assert list(op_texts(op)) == [Text("reason", "why"), Text("task", "the-task")]


def test_the_texts_of_a_receipt_are_in_its_result() -> None:
    """Every string of the result but ids and digests, however deep; a result that is no JSON is one text."""
    result = f'{{"claim_id":"clm_{ULID}","digest":"{LONG}","reason":"why","list":[{{"path":"a.md"}},3]}}'
    receipt = Receipt(digest="", operation="claim.retract", request=LONG, seq=1, at="", result=result)
    first = Text("operation", "claim.retract")
    assert list(record_texts(receipt)) == [first, Text("result", "why"), Text("result", "a.md")]
    broken = msgspec.structs.replace(receipt, result="no JSON")
    assert list(record_texts(broken)) == [first, Text("result", "no JSON")]


def test_the_text_of_a_purge_marker_is_its_reason() -> None:
    """Ids are not texts."""
    marker = PurgeMarker(digest="", entities=(EntityId(f"clm_{ULID}"),), at="", reason="why")
    assert list(record_texts(marker)) == [Text("reason", "why")]
