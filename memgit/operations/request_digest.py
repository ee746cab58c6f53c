"""Digests of idempotency keys and of the requests that they stand for.

A key lives in its workspace, project and task. The request's digest is over the operation, the scope and the input as
the program understood it, so that a field that is spelled out and one that is left to its default are the same.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from memgit.records.codec import canonical_json, digest_of
from memgit.records.op import Scope
from memgit.store.writer import RequestKey


def request_key(key: str, scope: Scope, operation: str, request: Struct) -> RequestKey:
    """Return the digests of a key and of its request."""
    place = [scope.workspace, scope.project, scope.task]
    key_digest = digest_of(canonical_json(["memgit receipt 1", *place, key]).encode())
    body = ["memgit request 1", *place, "shared", operation, msgspec.to_builtins(request)]
    return RequestKey(key_digest, digest_of(canonical_json(body).encode()), operation)
