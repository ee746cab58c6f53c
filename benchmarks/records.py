"""Realistic records for benchmarks: short statements of everyday words, from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from memgit.records import ids
from memgit.records.op import ClaimPayload, Op, Scope, draft
from memgit.store.repository import discover
from memgit.store.store import Store, StoreOptions
from memgit.store.transaction import Transaction
from memgit.store.writer import Build, RequestKey, Result

SCOPE = Scope("wsp_01jds9d5m2qk3v8xw0b6c7d8e9", "prj_01jds9d5m2qk3v8xw0b6c7d8e9")
_WORDS = [
    "the",
    "payment",
    "service",
    "retries",
    "three",
    "times",
    "before",
    "it",
    "gives",
    "up",
    "and",
    "logs",
    "a",
    "warning",
    "with",
    "request",
    "id",
    "cache",
    "index",
    "token",
    "every",
    "nightly",
    "backup",
    "writes",
    "to",
    "another",
    "region",
    "after",
    "the",
    "schema",
    "migration",
    "was",
    "applied",
    "by",
    "hand",
    "because",
    "of",
    "limits",
]


def open_store(directory: Path, options: StoreOptions | None = None) -> Store:
    """Return the store of a repository, begun if it is new."""
    store = Store(discover(directory), options)
    store.initialize(SCOPE.workspace, SCOPE.project)
    return store


def statements(seed: int) -> Iterator[str]:
    """Yield statements of about 80 characters without end."""
    chooser = random.Random(seed)
    while True:
        yield " ".join(chooser.choices(_WORDS, k=14))


def assertion(statement: str) -> Build:
    """Return a write of one claim."""

    def build(transaction: Transaction) -> Result:
        op = transaction.stage(new_claim(statement), statement)
        return {"claim_id": op.entity, "revision_id": op.revision}

    return build


def assertions(count: int, seed: int) -> Build:
    """Return a write of many claims in one transaction."""

    def build(transaction: Transaction) -> Result:
        for statement, _ in zip(statements(seed), range(count), strict=False):
            transaction.stage(new_claim(statement), statement)
        return {"written": count}

    return build


def new_claim(statement: str) -> Op:
    """Return a claim that the writer has yet to complete."""
    payload = ClaimPayload(claim_type="fact", statement=statement)
    revision = ids.new_revision_id("claim")
    return draft("assert", ids.new_entity_id("claim"), SCOPE, payload, revision=revision)


def key(number: int) -> RequestKey:
    """Return an idempotency key of its own."""
    from memgit.records.codec import digest_of

    return RequestKey(digest_of(b"key %d" % number), digest_of(b"request %d" % number), "claim.assert")
