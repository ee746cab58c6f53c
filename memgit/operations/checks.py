"""Checks of what a request brings, before anything is written: sizes, times, markers, content.

Each raises the protocol's error with the field that is wrong; none of them changes what it is given, except to bring a
time or a marker into its canonical form.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct

from memgit import clock
from memgit.errors import InvalidRequest, LimitExceeded
from memgit.limits import DEFAULT
from memgit.records.codec import canonical_json
from memgit.records.marker import canonical_marker
from memgit.records.value import json_depth

FreeJson = Any
"""Any JSON value: what a request may say freely. Kept as canonical text, and untrusted."""


class Content(Struct, frozen=True, forbid_unknown_fields=True):
    """Artifact bytes in JSON: as text, or as base64."""

    type: Literal["text", "base64"]
    data: str


def content_bytes(content: Content) -> bytes:
    """Return the bytes of a request's content. Raises LimitExceeded, InvalidRequest."""
    within(len(content.data), "encoded_content_bytes", DEFAULT.encoded_content_bytes, "the encoded content")
    if content.type == "text":
        data = utf8(content.data, "content.data")
    else:
        try:
            data = base64.b64decode(content.data, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidRequest("content.data is not base64", details={"field": "content.data"}) from None
    within(len(data), "artifact_bytes", DEFAULT.artifact_bytes, "the artifact")
    return data


def text(value: str | None, field: str, limit: str, *, one_line: bool = False) -> str | None:
    """Return a text that is not blank and within its limit, or None. Raises InvalidRequest, LimitExceeded."""
    if value is None:
        return None
    if not value.strip():
        raise InvalidRequest(f"`{field}` is blank", details={"field": field})
    if one_line and any(character in value for character in "\n\r\0"):
        raise InvalidRequest(f"`{field}` has more than one line", details={"field": field})
    within(len(utf8(value, field)), limit, DEFAULT.as_dict()[limit], f"`{field}`")
    return value


def utf8(value: str, field: str) -> bytes:
    """Return the text's bytes. Raises InvalidRequest for lone surrogates."""
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InvalidRequest(f"`{field}` is not valid Unicode text", details={"field": field}) from None


def required_text(value: str, field: str, limit: str, *, one_line: bool = False) -> str:
    """Return a text as `text` does; its absence is not allowed."""
    found = text(value, field, limit, one_line=one_line)
    assert found is not None
    return found


def instant(value: str | None, field: str) -> str | None:
    """Return a date or time in canonical form. Raises InvalidRequest for what names no instant."""
    if value is None:
        return None
    moment = clock.parse_time(value)
    if moment is None:
        raise InvalidRequest(
            f"`{field}` is not a date or a time with a zone",
            hint="Use RFC 3339, such as 2026-05-01 or 2026-05-01T12:00:00Z. What counts from now is only for reading.",
            details={"field": field},
        )
    return moment


def markers(values: Iterable[str]) -> tuple[str, ...]:
    """Return markers in canonical form, sorted, each once. Raises InvalidRequest, LimitExceeded."""
    found: set[str] = set()
    for value in values:
        marker = canonical_marker(value)
        if marker is None:
            raise InvalidRequest(
                f"{value[:80]!r} is not a marker",
                hint="A marker is `dimension:value`, or a word, which becomes `tag:word`; at most 256 bytes.",
                details={"field": "markers"},
            )
        found.add(marker)
    within(len(found), "markers_per_claim", DEFAULT.markers_per_claim, "the list of markers", unit="markers")
    return tuple(sorted(found))


def json_text(value: FreeJson, field: str) -> str | None:
    """Return free-form JSON as canonical text within its limit, or None for nothing."""
    if value is None or value == {}:
        return None
    if json_depth(value) > DEFAULT.json_depth:
        raise LimitExceeded(
            f"`{field}` is nested deeper than {DEFAULT.json_depth}",
            details={"limit": "json_depth", "value": DEFAULT.json_depth, "size": json_depth(value)},
        )
    encoded = canonical_json(value)
    within(len(encoded.encode()), "metadata_bytes", DEFAULT.metadata_bytes, f"`{field}`")
    return encoded


def within(size: int, limit: str, value: int, what: str, *, unit: str = "bytes") -> None:
    """Raise LimitExceeded, naming the limit, its value and the size seen, unless `size` is within `value`."""
    if size > value:
        raise LimitExceeded(
            f"{what} has {size} {unit}, more than {value}", details={"limit": limit, "value": value, "size": size}
        )


def page_limit(limit: int) -> None:
    """Raise InvalidRequest or LimitExceeded unless a page of `limit` items may be asked for."""
    if limit < 1:
        raise InvalidRequest("`limit` is at least 1", details={"field": "limit"})
    within(limit, "history_page", DEFAULT.history_page, "the page", unit="items")
