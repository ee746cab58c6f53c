"""Digests of idempotency keys and of the requests that they stand for.

A key lives in its workspace, project and task. The request's digest is over the operation, the scope and the input as
the program understood it. Fields at their default are left out, so that spelling one out changes nothing, and neither
does a later version that knows more fields.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct

from memgit.operations.writing import WRITE_FIELDS
from memgit.records.codec import canonical_json, digest_of
from memgit.records.op import Scope
from memgit.scope.aliases import NO_ALIASES, Aliases
from memgit.store.private import SHARED
from memgit.store.writer import RequestKey


def request_key(
    key: str,
    scope: Scope,
    operation: str,
    request: Struct,
    layer: str = SHARED,
    aliases: Aliases = NO_ALIASES,
) -> RequestKey:
    """Return the digests of a key and of its request, which goes to a layer; also those under the scope's other names.

    A project that was joined may have done the request before, under the name that it had then.
    """
    content = _content(request)
    digests = []
    for workspace, project in aliases.same_as(scope.workspace, scope.project):
        place = [workspace, project, scope.task]
        key_digest = digest_of(canonical_json(["memgit receipt 1", *place, key]).encode())
        body = ["memgit request 1", *place, layer, operation, content]
        digests.append((key_digest, digest_of(canonical_json(body).encode())))
    return RequestKey(*digests[0], operation, also=tuple(digests[1:]))


def _content(request: Struct) -> dict[str, Any]:
    """Return what the request asks for, without the fields that only say how to write it."""
    return {name: value for name, value in stated(request).items() if name not in WRITE_FIELDS}


def stated(value: Any) -> Any:
    """Return a request as plain values, without the fields that are at their default."""
    if isinstance(value, Struct):
        fields = msgspec.structs.fields(value)
        given = ((field, getattr(value, field.name)) for field in fields)
        return {field.encode_name: stated(item) for field, item in given if item is not UNSET and item != field.default}
    if isinstance(value, tuple | list):
        return [stated(item) for item in value]
    return value
