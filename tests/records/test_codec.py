"""Records to bytes and back, and every fault that a reader must find in bytes that somebody else wrote."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memgit.errors import FormatTooNew, StoreCorrupt
from memgit.limits import DEFAULT
from memgit.records import codec
from memgit.records.codec import (
    PurgeMarker,
    Receipt,
    StoreRecord,
    blob_digest,
    canonical_json,
    decode_op,
    decode_record,
    digest_of,
    encode_op,
    encode_record,
    referenced_blob,
)
from memgit.records.ids import ArtifactId, BlobDigest, EntityId, OpDigest, RevisionId, StoreId
from memgit.records.op import (
    PAYLOAD_BY_VERB,
    Actor,
    Anchor,
    ArtifactPayload,
    ClaimPayload,
    CodeStamp,
    Evidence,
    Op,
    ReasonPayload,
    RelationPayload,
    Value,
)
from memgit.records.paths import OpPath

from .strategies import CLAIM, SCOPE, World, claim_id, law, make_op, revision_id, time_of, ulid, undone, worlds
from .test_yaml_text import AWKWARD

ARTIFACT = f"art_{ulid(1)}"
BLOB = blob_digest(b"content")

text = st.one_of(st.sampled_from(AWKWARD), st.text(max_size=20))
maybe = st.none() | text


def path_of(op: Op) -> OpPath:
    """Return the path of an operation."""
    return OpPath(op.entity, op.seq, op.verb, op.digest)


def stored(op: Op) -> tuple[bytes, OpPath]:
    """Return an operation's bytes and path."""
    op, data = encode_op(op)
    return data, path_of(op)


def rewritten(data: bytes, path: OpPath) -> OpPath:
    """Return the path that other bytes of the same operation would have."""
    return OpPath(path.entity, path.seq, path.verb, OpDigest(digest_of(data)))


anchors = st.builds(
    Anchor,
    path=maybe,
    path_encoded=st.booleans(),
    start_line=st.none() | st.integers(1, 10**6),
    end_line=st.none() | st.integers(1, 10**6),
    symbol=maybe,
    commit=maybe,
    text=maybe,
)
evidence = st.builds(
    Evidence,
    st.just(ArtifactId(ARTIFACT)),
    st.just(revision_id(1, "artifact")),
    *(st.integers(low, high) for low, high in ((0, 9), (10, 99))),
)
claims = st.builds(
    ClaimPayload,
    claim_type=st.sampled_from(["fact", "decision", "observation"]),
    statement=text,
    value=st.none() | st.builds(Value, st.sampled_from(["text", "number", "json"]), text),
    subject=maybe,
    component=maybe,
    confidence=st.none() | st.floats(0, 1),
    valid_from=st.none() | st.integers(0, 10**5).map(time_of),
    trust=maybe,
    markers=st.lists(text, max_size=3).map(tuple),
    evidence=st.lists(evidence, max_size=2).map(tuple),
    anchors=st.lists(anchors, max_size=2).map(tuple),
)
documents = st.builds(
    ArtifactPayload,
    kind=text,
    title=text,
    media_type=text,
    size=st.integers(0, DEFAULT.sequence),
    digest=text,
    provenance=maybe,
    markers=st.lists(text, max_size=3).map(tuple),
)
envelopes = st.fixed_dictionaries(
    {
        "actor": st.builds(Actor, text, text, maybe),
        "code": st.none() | st.builds(CodeStamp, maybe, maybe),
        "seq": st.integers(1, DEFAULT.sequence),
    }
)


@st.composite
def operations(draw: st.DrawFn) -> Op:
    """Draw an operation that a writer could make, with any text in it."""
    fields = draw(envelopes)
    if draw(st.booleans()):
        revision = revision_id(1)
        op = make_op(1, "assert", claim_id(1), draw(claims), revision=revision)
        if draw(st.booleans()):
            op = replace(op, verb="revise", revision=revision_id(2), parents=(revision, revision_id(3)))
        elif draw(st.booleans()):
            op = replace(op, verb="retract", payload=ReasonPayload(reason=draw(maybe)), revision=None)
    else:
        op = make_op(1, "put", ARTIFACT, draw(documents), revision=revision_id(1, "artifact"), blob=BLOB)
    return encode_op(replace(op, **fields))[0]


# Round trips


@law
@given(operations())
def test_any_operation_comes_back(op: Op) -> None:
    """Whatever text it holds, an operation decodes from its bytes to what it was, its digest included."""
    encoded, data = encode_op(op)
    assert encoded == op
    assert digest_of(data) == op.digest
    assert decode_op(data, path_of(op)) == op
    assert encode_op(decode_op(data, path_of(op)))[1] == data


@law
@given(operations())
def test_other_readers_see_the_same_text(op: Op) -> None:
    """A YAML reader that knows nothing of memgit finds every text as that text."""
    data = encode_op(op)[1]
    fields = yaml.load(data, yaml.CSafeLoader)
    assert fields["format"] == 1
    assert fields["actor"]["name"] == op.actor.name
    if isinstance(op.payload, ClaimPayload):
        assert fields["payload"]["statement"] == op.payload.statement
        assert fields["payload"].get("markers", []) == list(op.payload.markers)


@law
@given(operations())
def test_a_scan_finds_the_blob_that_an_operation_names(op: Op) -> None:
    """The blob is found without decoding, and nothing else in the record is taken for one."""
    assert referenced_blob(encode_op(op)[1]) == op.blob


@law
@given(worlds())
def test_all_that_clones_write_can_be_read(world: World) -> None:
    """Each file of a store decodes to the operation that was written, whatever rule of the fold it breaks."""
    for clone in world.clones:
        for op in clone.ops.values():
            assert decode_op(clone.files[path_of(op).path], path_of(op)) == op


@law
@given(text, text, maybe)
def test_other_records_come_back(first: str, second: str, third: str | None) -> None:
    """Receipts, store records and markers round-trip, each under the digest of its bytes."""
    records = [
        Receipt(
            digest="", operation=first, request=second, seq=7, at=time_of(7), result=canonical_json({first: second})
        ),
        StoreRecord(digest="", store=StoreId(f"sto_{ulid(1)}"), workspace="wsp_one", project="p", at=time_of(1)),
        PurgeMarker(digest="", entities=(claim_id(1), ARTIFACT), at=time_of(1), reason=third),
    ]
    for record in records:
        digest, data = encode_record(record)
        assert digest == digest_of(data)
        assert decode_record(data, digest, type(record)) == replace(record, digest=digest)


def test_what_an_operation_looks_like() -> None:
    """The stored form is fixed: these bytes have been written to stores."""
    op = make_op(2, "revise", claim_id(1), CLAIM, revision=revision_id(2), parents=[revision_id(1)])
    _, data = encode_op(op)
    assert data.decode() == (
        "format: 1\n"
        "verb: revise\n"
        f"entity: {claim_id(1)}\n"
        "seq: 2\n"
        "at: '2026-01-01T00:00:02.000000Z'\n"
        "scope:\n  workspace: wsp_one\n  project: prj_one\n"
        "actor:\n  name: Ada\n  email: ada@example.org\n"
        f"revision: {revision_id(2)}\n"
        f"parents:\n- {revision_id(1)}\n"
        "payload:\n  claim_type: fact\n  statement: water is wet\n"
    )


def test_an_unknown_verb_decodes_without_a_payload() -> None:
    """A later version's operation keeps its envelope; its bytes stay what they are."""
    data, path = stored(make_op(1, "annotate", claim_id(1), CLAIM))
    op = decode_op(data, path)
    assert (op.verb, op.payload) == ("annotate", None)


def test_unknown_fields_are_passed_over() -> None:
    """A field that this version does not know does no harm, in the envelope or in the payload."""
    data, path = stored(make_op(1, "assert", claim_id(1), CLAIM, revision=revision_id(1)))
    data += b"  novelty: 1\nanother:\n- x\n"
    assert decode_op(data, rewritten(data, path)).payload == CLAIM


# Faults


def faulty(data: bytes, path: OpPath, reason: str) -> None:
    """Assert that the bytes are refused under a name that has their digest."""
    with pytest.raises(StoreCorrupt, match=reason):
        decode_op(data, rewritten(data, path))


def test_bytes_under_another_digest_are_refused() -> None:
    """A flipped byte is found, in any record."""
    data, path = stored(make_op(1, "assert", claim_id(1), CLAIM, revision=revision_id(1)))
    with pytest.raises(StoreCorrupt, match="the bytes are not those that the name's digest names"):
        decode_op(data.replace(b"wet", b"dry"), path)
    digest, marker = encode_record(PurgeMarker(digest="", entities=(), at=time_of(1)))
    with pytest.raises(StoreCorrupt, match="the bytes are not those"):
        decode_record(marker + b"\n", digest, PurgeMarker)


@pytest.mark.parametrize(
    ("change", "value"), [("entity", claim_id(2)), ("seq", 2), ("verb", "revise"), ("entity", ARTIFACT)]
)
def test_a_record_that_contradicts_its_path_is_refused(change: str, value: object) -> None:
    """Entity, seq and verb are said twice, and must agree."""
    data, path = stored(make_op(1, "assert", claim_id(1), CLAIM, revision=revision_id(1)))
    fields: dict[str, Any] = {"entity": path.entity, "seq": path.seq, "verb": path.verb, change: value}
    with pytest.raises(StoreCorrupt):
        decode_op(data, OpPath(digest=path.digest, **fields))


@pytest.mark.parametrize("version", [b"2", b"17", b"999999999"])
def test_a_later_format_is_refused_before_it_is_decoded(version: bytes) -> None:
    """What follows the version may be anything; the answer is to upgrade."""
    data = b"format: " + version + b"\n\x00 not even YAML: &x *y\n"
    path = OpPath(claim_id(1), 1, "assert", OpDigest(digest_of(data)))
    with pytest.raises(FormatTooNew):
        decode_op(data, path)
    with pytest.raises(FormatTooNew):
        decode_record(data, digest_of(data), Receipt)


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"format: 0\n",
        b"format: one\n",
        b"format: -1\n",
        b"format: 1 \n",
        b"format: 1",
        b"\nformat: 1\n",
        b"verb: x\n",
    ],
)
def test_a_record_begins_with_its_format(start: bytes) -> None:
    """The first line is the version, and a version that never was is no version."""
    data, path = stored(make_op(1, "assert", claim_id(1), CLAIM, revision=revision_id(1)))
    faulty(data.replace(b"format: 1\n", start, 1), path, "format|key")


def test_bytes_that_are_no_record_are_refused() -> None:
    """What the YAML reader refuses is corruption here, and the message names the file."""
    _, path = stored(make_op(1, "assert", claim_id(1), CLAIM, revision=revision_id(1)))
    for rest, reason in [
        (b"a: &x 1\n", "an anchor"),
        (b"a: 1\na: 1\n", "twice"),
        (b"a: \xff\n", "not UTF-8"),
        (b"a: 1\n---\nb: 1\n", "document"),
        (b"a: " + b"x" * 10 * 1024 * 1024, "more than"),
        (b"format: 1\n", "twice"),
    ]:
        faulty(b"format: 1\n" + rest, path, f"{claim_id(1)}.*{reason}")


GOOD = make_op(1, "assert", claim_id(1), CLAIM, revision=revision_id(1))
ENVELOPE_FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"seq": 0}, "out of bounds"),
    ({"seq": DEFAULT.sequence + 1}, "out of bounds|one spelling"),
    ({"at": "2026-01-01"}, "RFC 3339"),
    ({"at": "2026-01-01T00:00:00Z"}, "RFC 3339"),
    ({"at": "2026-01-01T00:00:00.000000+00:00"}, "RFC 3339"),
    ({"at": "2026-13-41T25:61:61.000000Z"}, "RFC 3339"),
    ({"at": "٢٠٢٦-01-01T00:00:00.000000Z"}, "RFC 3339"),
    ({"at": "2026-01-01T00:00:00.000000Z\n"}, "RFC 3339"),
    ({"scope": replace(SCOPE, workspace="../up")}, "the workspace is not an id"),
    ({"scope": replace(SCOPE, project="")}, "the project is not an id"),
    ({"scope": replace(SCOPE, task="a b")}, "the task is not an id"),
    ({"revision": None}, "its revision id do not go together"),
    ({"revision": RevisionId("crev_1")}, "not a revision id of a claim"),
    ({"revision": revision_id(1, "artifact")}, "not a revision id of a claim"),
    ({"parents": (revision_id(2),)}, "creating operation has parents"),
    ({"verb": "revise"}, "without parents"),
    ({"verb": "revise", "parents": (RevisionId("x"),)}, "not a revision id"),
    ({"verb": "retract", "payload": ReasonPayload()}, "do not go together"),
    ({"verb": "undo", "payload": ReasonPayload(), "revision": None}, "names no operation"),
    ({"verb": "undo", "payload": ReasonPayload(), "revision": None, "cancels": (OpDigest("x"),)}, "names no operation"),
    ({"payload": ClaimPayload(claim_type="fact")}, "without a statement or a value"),
    ({"payload": replace(CLAIM, confidence=1.5)}, "confidence"),
    ({"payload": replace(CLAIM, confidence=float("nan"))}, "confidence"),
    ({"payload": replace(CLAIM, claim_type="rumour")}, "rumour"),
]


@pytest.mark.parametrize(("change", "reason"), ENVELOPE_FAULTS)
def test_faults_of_claims(change: dict[str, Any], reason: str) -> None:
    """Each rule of the envelope and of claims, broken alone, refuses the operation and says why."""
    assert decode_op(*stored(GOOD)) == GOOD
    data, path = stored(replace(GOOD, **change))
    faulty(data, path, reason)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (Evidence(ArtifactId("art_1"), revision_id(1, "artifact")), "not the id of an artifact"),
        (Evidence(ArtifactId(claim_id(1)), revision_id(1, "artifact")), "not the id of an artifact"),
        (Evidence(ArtifactId(ARTIFACT), revision_id(1)), "not the revision id of an artifact"),
        (Evidence(ArtifactId(ARTIFACT), revision_id(1, "artifact"), start=1), "half a span"),
        (Evidence(ArtifactId(ARTIFACT), revision_id(1, "artifact"), end=1), "half a span"),
        (Evidence(ArtifactId(ARTIFACT), revision_id(1, "artifact"), 2, 2), "empty or runs backwards"),
        (Evidence(ArtifactId(ARTIFACT), revision_id(1, "artifact"), -1, 2), "runs backwards|one spelling"),
    ],
)
def test_faults_of_evidence(item: Evidence, reason: str) -> None:
    """Evidence names an artifact's revision, whole or a span of it."""
    data, path = stored(replace(GOOD, payload=replace(CLAIM, evidence=(item,))))
    faulty(data, path, reason)


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        (claim_id(1), claim_id(1), "to itself"),
        (f"rel_{ulid(2)}", claim_id(1), "not the id of a claim or an artifact"),
        (claim_id(1), f"src_{ulid(2)}", "not the id of a claim or an artifact"),
        (claim_id(1), "clm_1", "not the id of a claim or an artifact"),
    ],
)
def test_faults_of_relations(source: EntityId, target: EntityId, reason: str) -> None:
    """A relation joins two different claims or artifacts."""
    payload = RelationPayload(source=source, target=target, relation="supports")
    data, path = stored(make_op(1, "put", f"rel_{ulid(1)}", payload))
    faulty(data, path, reason)


def test_an_artifact_revision_names_its_blob_where_a_scan_finds_it() -> None:
    """An artifact without a blob is refused, and so is one that names it in a form that a merge would overlook."""
    document = ArtifactPayload(kind="note", title="x", media_type="text/plain", size=7, digest=BLOB)
    good = make_op(1, "put", ARTIFACT, document, revision=revision_id(1, "artifact"), blob=BLOB)
    data, path = stored(good)
    assert decode_op(data, path) == good
    faulty(*stored(replace(good, blob=None)), "names no blob")
    faulty(*stored(replace(good, blob=BlobDigest("x"))), "names no blob")
    line = f"blob: {BLOB}".encode()
    for other in (line.replace(b": ", b":  "), f'blob: "{BLOB}"'.encode(), f"blob:\n  {BLOB}".encode()):
        faulty(data.replace(line, other), path, "a scan of the bytes does not find the blob")
    decoy = b'later: "\nblob: ' + b"0" * 64 + b'\n"\n'
    faulty(data.replace(line, decoy + line), path, "a scan of the bytes does not find the blob")


def test_a_digest_that_could_be_a_number_is_found() -> None:
    """YAML quotes a digest of digits alone, or of digits around one `e`; the scan takes it in quotes, too."""
    document = ArtifactPayload(kind="note", title="x", media_type="text/plain", size=7, digest=BLOB)
    for digest in ("1" * 64, "1" * 30 + "e" + "1" * 33):
        fields = {"revision": revision_id(1, "artifact"), "blob": BlobDigest(digest)}
        data, path = stored(make_op(1, "put", ARTIFACT, document, **fields))
        assert f"blob: '{digest}'".encode() in data
        assert referenced_blob(data) == digest
        assert decode_op(data, path).blob == digest


def test_statements_are_not_taken_for_blobs() -> None:
    """A line of text that looks like a blob's is text."""
    trap = f"\nblob: {BLOB}\nblob: {BLOB}"
    document = ArtifactPayload(kind="note", title=trap, media_type=trap, size=7, digest=BLOB)
    data, _ = stored(make_op(1, "forget", ARTIFACT, ReasonPayload(reason=trap)))
    assert referenced_blob(data) is None
    data, _ = stored(
        make_op(1, "put", ARTIFACT, document, revision=revision_id(1, "artifact"), blob=BlobDigest("e" * 64))
    )
    assert referenced_blob(data) == "e" * 64


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"seq: 1", b"seq: one"),
        (b"seq: 1", b"seq: [1]"),
        (b"scope:", b"scopes:"),
        (b"actor:\n  name: Ada\n", b"actor:\n"),
        (b"payload:\n  claim_type: fact\n", b"payload:\n"),
        (b"payload:", b"pay:"),
        (b"  claim_type: fact\n  statement: water is wet\n", b"- x\n"),
    ],
)
def test_a_record_that_is_not_of_its_form_is_refused(old: bytes, new: bytes) -> None:
    """Missing fields and fields of another type are found by the schema."""
    data, path = stored(GOOD)
    assert old in data
    faulty(data.replace(old, new), path, claim_id(1))


@pytest.mark.parametrize("spelling", ["1.0", "1e0", "01", "+1", "0x1", "'1.0'"])
def test_numbers_have_one_spelling(spelling: str) -> None:
    """An integer is written in decimal; a reader that knows other spellings does not count the operation either."""
    data, path = stored(GOOD)
    faulty(data.replace(b"seq: 1\n", f"seq: {spelling}\n".encode()), path, "one spelling|Expected `int`")


@pytest.mark.parametrize("spelling", ["True", "1", "TRUE", "yes"])
def test_truth_values_have_one_spelling(spelling: str) -> None:
    """A truth value is `true`, also deep inside a payload."""
    data, path = stored(replace(GOOD, payload=replace(CLAIM, anchors=(Anchor(path="a", path_encoded=True),))))
    assert b"path_encoded: true\n" in data
    spelt = data.replace(b"path_encoded: true\n", f"path_encoded: {spelling}\n".encode())
    faulty(spelt, path, "one spelling|Expected `bool`")


def test_a_sealed_payload_is_refused_for_now() -> None:
    """The field that encryption will use is reserved: what it holds is not an empty payload."""
    data, path = stored(GOOD)
    faulty(data + b"sealed: x\n", path, "sealed")


def test_every_known_verb_has_a_sample_that_decodes() -> None:
    """The table of verbs and the checks of the envelope agree."""
    samples = {
        "assert": {"revision": revision_id(1)},
        "revise": {"revision": revision_id(2), "parents": [revision_id(1)]},
        "retract": {"parents": [revision_id(1)]},
        "undo": {"cancels": [OpDigest("a" * 64)]},
    }
    for (kind, verb), payload in PAYLOAD_BY_VERB.items():
        if kind == "claim" and verb in samples:
            content = CLAIM if payload is ClaimPayload else payload()
            op = make_op(3, verb, claim_id(1), content, **samples[verb])
            assert decode_op(*stored(op)) == op
    put = make_op(
        1, "put", f"rel_{ulid(1)}", RelationPayload(source=claim_id(1), target=ARTIFACT, relation="references")
    )
    assert decode_op(*stored(put)) == put
    assert decode_op(*stored(undone(2, put))).cancels == (put.digest,)


def test_json_is_canonical() -> None:
    """Keys are sorted, without spaces, at any depth: equal values have equal text."""
    assert canonical_json({"b": [1, {"d": None, "c": "é"}], "a": True}) == '{"a":true,"b":[1,{"c":"é","d":null}]}'


def test_digests_are_blake3() -> None:
    """The digest of nothing is the published one."""
    empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    assert codec.digest_of(b"") == codec.blob_digest(b"") == empty


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("workspace", "bad ws!", "the workspace is not an id"),
        ("project", "", "the project is not an id"),
        ("store", "sto_1", "not the id of a store"),
        ("alias_of", "art_1", "not the id of a store"),
        ("at", "yesterday", "the time is not RFC 3339"),
    ],
)
def test_a_founding_record_holds_ids(field: str, value: str, reason: str) -> None:
    """One that another program made up is unusable, so that nobody takes what is in it for an id."""
    good = StoreRecord(digest="", store=StoreId(f"sto_{ulid(1)}"), workspace="w", project="p", at=time_of(1))
    digest, data = encode_record(good)
    assert decode_record(data, digest, StoreRecord) == replace(good, digest=digest)
    digest, data = encode_record(replace(good, **{field: value}))
    with pytest.raises(StoreCorrupt, match=reason):
        decode_record(data, digest, StoreRecord)
