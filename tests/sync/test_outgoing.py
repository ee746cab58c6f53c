"""The second screen: what the remote does not have, and nobody allowed, is looked through before a push."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

from benchmarks.records import assertions, open_store
from memgit.errors import SecretDetected
from memgit.records import codec, ids
from memgit.records.op import ArtifactPayload, Op, ReasonPayload, draft
from memgit.records.paths import OpPath
from memgit.screening.finding import FINDINGS_REPORTED
from memgit.store.allowed import AllowedList
from memgit.store.database import Database
from memgit.store.gate import Gate
from memgit.store.objects import ObjectId
from memgit.store.snapshot import Snapshot
from memgit.store.store import Store
from memgit.store.transaction import Transaction
from memgit.store.writer import Result
from memgit.sync.outgoing import REPORTED, FlaggedFile, refuse_outgoing, screen_outgoing
from tests.conftest import MakeRepository
from tests.screening.keys import KINDS
from tests.store.scenario import SCOPE, claims, new_store, request_key

TOKEN = KINDS["github"][0](Random(1)).text


@pytest.fixture
def store(repository: MakeRepository) -> Iterator[Store]:
    """A store with two clean claims."""
    opened = new_store(repository())
    opened.write(claims("one", "two"))
    yield opened
    opened.close()


@pytest.fixture
def unscreened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer without the first screen, as an older version or another program is one."""
    monkeypatch.setattr(Gate, "findings", lambda self, texts, names=None: ())
    monkeypatch.setattr(Gate, "blob_findings", lambda self, data, digest, where: ())


def tip(store: Store) -> ObjectId:
    """Return where the store is."""
    found = store.tip()
    assert found is not None
    return found


def screened(store: Store, *known: ObjectId) -> tuple[FlaggedFile, ...]:
    """Return what is flagged between known commits and the tip, with what the clone allows."""
    return screen_outgoing(store.database, tip(store), known, AllowedList(store.repository.state_dir).digests())


def test_a_clean_store_passes(store: Store) -> None:
    """With or without a remote that has something already."""
    before = tip(store)
    store.write(claims("three"), request_key("k", "r"))
    assert screened(store) == screened(store, before) == screened(store, tip(store)) == ()
    refuse_outgoing(())


@pytest.mark.usefixtures("unscreened")
def test_a_record_that_came_in_otherwise_is_flagged(store: Store) -> None:
    """Path, entity, field and position are told."""
    before = tip(store)
    written = store.write(claims("three", f"use {TOKEN}")).result["claims"][1]
    (flagged,) = screened(store, before)
    assert flagged.entity == written and flagged.path.startswith("claims/") and flagged.digest in flagged.path
    (finding,) = flagged.findings
    assert (finding.rule, finding.where, finding.line, finding.column) == ("github-token", "statement", 1, 5)
    assert screened(store) == (flagged,)
    assert screened(store, tip(store)) == ()


@pytest.mark.usefixtures("unscreened")
def test_what_any_known_commit_has_is_passed_over(store: Store) -> None:
    """The remote may have several branches; what one of them has is not news."""
    first = tip(store)
    store.write(claims(TOKEN))
    second = tip(store)
    store.write(claims("four"))
    assert len(screened(store, first)) == 1
    assert screened(store, first, second) == screened(store, second) == ()


def test_what_was_allowed_here_passes(store: Store) -> None:
    """The first screen notes it, receipts included; another clone, which has no note, is told."""
    store.write(claims(f"use {TOKEN}"), request_key("k", "r"), allow_flagged=True)
    assert screened(store) == ()
    assert len(screen_outgoing(store.database, tip(store))) == 1


@pytest.mark.usefixtures("unscreened")
def test_a_blob_is_told_with_its_artifact(store: Store) -> None:
    """The bytes are screened as they are, and the artifact that names them is found; a purge of it will need that."""
    written: list[Op] = []

    def build(transaction: Transaction) -> Result:
        data = b"\x89PNG\0\1\2\n token " + TOKEN.encode() + b"\0"
        blob = transaction.put_blob(data)
        payload = ArtifactPayload(
            kind="image", title="An image", media_type="image/png", size=len(data), digest=codec.digest_of(data)
        )
        entity, revision = ids.new_entity_id("artifact"), ids.new_revision_id("artifact")
        written.append(transaction.stage(draft("put", entity, SCOPE, payload, revision=revision, blob=blob)))
        return {}

    store.write(build)
    (flagged,) = screened(store)
    assert flagged.path == f"blobs/{flagged.digest[:2]}/{flagged.digest[2:4]}/{flagged.digest}"
    assert (flagged.entity, flagged.findings[0].where, flagged.findings[0].start) == (written[0].entity, "content", 15)


@pytest.mark.usefixtures("unscreened")
def test_a_record_that_cannot_be_read_is_screened_as_bytes(store: Store) -> None:
    """A later format, an unknown verb, a damaged record: nothing slips by for being unknown."""

    def build(transaction: Transaction) -> Result:
        entity = ids.new_entity_id("claim")
        shard = f"claims/{entity[-1]}/{entity[-2]}/{entity[-3]}"
        unknown = draft(
            "annotate", entity, SCOPE, ReasonPayload(reason=TOKEN), not_before="2026-01-01T00:00:00.000000Z"
        )
        op, data = codec.encode_op(msgspec.structs.replace(unknown, seq=9))
        assert codec.decode_op(data, OpPath(entity, 9, op.verb, op.digest)).payload is None
        transaction._sink.add(OpPath(entity, 9, op.verb, op.digest).path, data)
        for verb, text in (("assert", f"format: 2\nnote: {TOKEN}\n"), ("revise", f"format: 1\nnote: {TOKEN}\n")):
            data = text.encode()
            transaction._sink.add(f"{shard}/{entity}.9-{verb}-{codec.digest_of(data)}.yaml", data)
        transaction._sink.add("receipts/odd", f"x: {TOKEN}".encode())
        transaction.stage(draft("retract", entity, SCOPE, ReasonPayload(reason="none")))
        return {}

    store.write(build)
    assert [file.findings[0].where for file in screened(store)] == ["record"] * 4


@pytest.mark.usefixtures("unscreened")
def test_the_refusal_names_places_and_no_text(store: Store) -> None:
    """Entities, fields, rules and positions; a hint that does not promise that retracting helps."""
    entities = store.write(claims(*(f"x {TOKEN} {number}" for number in range(REPORTED + 5)))).result["claims"]
    with pytest.raises(SecretDetected) as caught:
        refuse_outgoing(screened(store))
    error = caught.value
    files = error.details["files"]
    assert error.details["count"] == REPORTED + 5 and isinstance(files, list) and len(files) == REPORTED
    first = files[0]
    assert isinstance(first, dict) and set(first) == {"path", "entity", "findings"} and first["entity"] in entities
    assert error.message.startswith(
        "25 records look as if there were a secret inside, so the memory was not pushed: clm_"
    )
    assert error.message.endswith("; and 22 more") and "`statement`, github-token at line 1, column 3" in error.message
    assert "--allow-flagged" in error.hint and "purged" in error.hint
    assert TOKEN[:12] not in error.message + error.hint + json.dumps(error.details)


@pytest.mark.usefixtures("unscreened")
def test_one_record_is_told_in_the_singular(store: Store) -> None:
    """And its findings are bounded, however many it has."""
    store.write(claims(" ".join([TOKEN] * (FINDINGS_REPORTED + 9))))
    with pytest.raises(SecretDetected, match=r"^1 record looks as if") as caught:
        refuse_outgoing(screened(store))
    files = caught.value.details["files"]
    assert isinstance(files, list) and isinstance(files[0], dict)
    findings = files[0]["findings"]
    assert isinstance(findings, list) and len(findings) == FINDINGS_REPORTED


def test_equal_subtrees_are_not_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost follows the difference: a store of many records and one new one reads a handful of objects."""
    store.write_bulk(claims(*(f"claim {number}" for number in range(500))))
    before = tip(store)
    store.write(claims("one more"))
    fresh = Database(store.backend, store.database.log)
    read: list[str] = []
    monkeypatch.setattr(Database, "read", _counting(Database.read, read))
    assert screen_outgoing(fresh, tip(store), [before]) == ()
    assert len(read) <= 2 * (1 + 5) + 1  # two commits, two times five levels of trees, one record


def _counting(read: object, seen: list[str]) -> object:
    def counted(self: Database, oid: ObjectId, kind: str) -> bytes:
        seen.append(kind)
        return read(self, oid, kind)  # type: ignore[operator,no-any-return]

    return counted


@pytest.mark.slow
def test_two_thousand_operations_take_below_a_second(tmp_path: Path, repository: MakeRepository) -> None:
    """On a store that holds ten times as many. 0.4 s on two cores; the bound leaves room for a busy machine."""
    store = open_store(repository())
    store.write_bulk(assertions(20_000, seed=1))
    before = tip(store)
    store.write_bulk(assertions(2_000, seed=2))
    fresh = Store(store.repository)
    begun = time.process_time()
    assert screen_outgoing(fresh.database, tip(store), [before]) == ()
    assert time.process_time() - begun < 1.0
    assert Snapshot(fresh.database, before).seq == 20_001
