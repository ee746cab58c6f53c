"""Sources, withdrawn artifacts and projections: what their operations add up to, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from memgit.errors import StoreCorrupt
from memgit.limits import DEFAULT
from memgit.records.codec import blob_digest, decode_op, encode_op
from memgit.records.fold import fold, fold_projection, fold_source
from memgit.records.ids import ArtifactId
from memgit.records.op import (
    CheckpointPayload,
    External,
    Op,
    Payload,
    ProjectionPayload,
    ReasonPayload,
    SourcePayload,
    Span,
)
from memgit.records.paths import OpPath

from .strategies import DOCUMENT, make_op, revision_id, ulid, undone

SOURCE = f"src_{ulid(1)}"
ARTIFACT = f"art_{ulid(2)}"
PROJECTION = f"pjn_{ulid(3)}"
WIKI = SourcePayload(kind="wiki", name="team pages", uri="https://wiki.example.invalid/")
SUMMARY = ProjectionPayload(
    projection="summary",
    artifact=ArtifactId(ARTIFACT),
    revision=revision_id(1, "artifact"),
    spans=(Span(0, 4),),
    text="in short",
)
EXTERNAL = External(source=SOURCE, item="page/7", revision="12")


def registered(seq: int = 1) -> Op:
    return make_op(seq, "register", SOURCE, WIKI)


def checked(seq: int, cursor: str, **fields: Any) -> Op:
    return make_op(seq, "checkpoint", SOURCE, CheckpointPayload(cursor=cursor, **fields))


def put(seq: int = 1) -> Op:
    payload = replace(DOCUMENT, external=EXTERNAL)
    return make_op(seq, "put", ARTIFACT, payload, revision=revision_id(1, "artifact"), blob=blob_digest(b"x"))


def withdrawn(seq: int) -> Op:
    return make_op(seq, "withdraw", ARTIFACT, ReasonPayload(reason="gone upstream"))


def come_again(seq: int) -> Op:
    return make_op(
        seq, "revise", ARTIFACT, replace(DOCUMENT, external=EXTERNAL),
        revision=revision_id(seq, "artifact"), parents=[revision_id(1, "artifact")], blob=blob_digest(b"y"),
    )  # fmt: skip


def test_a_source_is_where_its_last_checkpoint_says() -> None:
    """The last effective checkpoint counts; undoing it goes back to the one before."""
    first, second = checked(2, "a"), checked(3, "b", health="degraded", message="slow")
    source = fold_source([second, registered(), first]).value
    assert source is not None
    assert (source.payload, source.checkpoint, source.checked_at) == (WIKI, second.payload, second.at)
    back = fold_source([registered(), first, second, undone(4, second)]).value
    assert back is not None and back.checkpoint == first.payload
    assert fold([registered()]).sources[SOURCE].checkpoint is None


def test_a_checkpoint_of_what_nobody_registered_is_reported() -> None:
    """Nothing is made up from a checkpoint alone."""
    state = fold([checked(2, "a")])
    assert state.sources == {} and "nothing creates" in state.problems[0].reason


def test_a_withdrawn_artifact_comes_back_with_its_next_revision() -> None:
    """Withdrawal hides, a later revision shows again, and undoing a withdrawal shows too."""
    gone = withdrawn(2)
    cases = (
        ([put(), gone], "withdrawn"),
        ([put(), gone, come_again(3)], "active"),
        ([put(), gone, undone(3, gone)], "active"),
    )
    for ops, status in cases:
        assert fold(ops).entities[ARTIFACT].status == status
    assert fold([put(), come_again(2), withdrawn(3)]).entities[ARTIFACT].status == "withdrawn"


def test_forgetting_outweighs_withdrawing() -> None:
    """A person's word that ends an artifact is shown before a source's."""
    gone = make_op(3, "forget", ARTIFACT, ReasonPayload(), parents=[revision_id(1, "artifact")])
    assert fold([put(), withdrawn(2), gone]).entities[ARTIFACT].status == "forgotten"


def test_a_projection_stands_until_it_is_dropped() -> None:
    """A drop ends it, an undo of the drop restores it, an undo of the put makes it void."""
    made = make_op(1, "put", PROJECTION, SUMMARY)
    drop = make_op(2, "drop", PROJECTION, ReasonPayload())
    for ops, dropped, void in (
        ([made], False, False),
        ([made, drop], True, False),
        ([made, drop, undone(3, drop)], False, False),
        ([made, undone(2, made)], False, True),
    ):
        value = fold_projection(ops).value
        assert value is not None and (value.dropped, value.void, value.payload) == (dropped, void, SUMMARY)
    assert fold([made]).projections[PROJECTION].payload == SUMMARY


LONG = "x" * (DEFAULT.external_bytes + 1)


@pytest.mark.parametrize(
    ("entity", "verb", "payload", "reason"),
    [
        (SOURCE, "register", replace(WIKI, name=" "), "a name that is blank"),
        (SOURCE, "register", replace(WIKI, uri=LONG), "a uri that is blank or has more"),
        (SOURCE, "checkpoint", CheckpointPayload(cursor=LONG), "a cursor that is blank or has more"),
        (SOURCE, "checkpoint", CheckpointPayload(health="fine"), "fine"),  # type: ignore[arg-type]
        (PROJECTION, "put", replace(SUMMARY, spans=()), "no span"),
        (PROJECTION, "put", replace(SUMMARY, spans=(Span(0, 1),) * 17), "no span, or more"),
        (PROJECTION, "put", replace(SUMMARY, spans=(Span(3, 3),)), "empty or runs backwards"),
        (PROJECTION, "put", replace(SUMMARY, artifact=SOURCE), "not the id of an artifact"),
        (PROJECTION, "put", replace(SUMMARY, revision=revision_id(1)), "not the revision id of an artifact"),
        (PROJECTION, "put", replace(SUMMARY, text="\n"), "a derived text that is blank"),
        (PROJECTION, "put", replace(SUMMARY, projection="guess"), "guess"),
    ],
)
def test_faults(entity: str, verb: str, payload: Payload, reason: str) -> None:
    """Each rule, broken alone, makes the operation unusable and says why."""
    op, data = encode_op(make_op(1, verb, entity, payload))
    with pytest.raises(StoreCorrupt, match=reason):
        decode_op(data, OpPath(op.entity, op.seq, op.verb, op.digest))


@pytest.mark.parametrize(
    ("external", "reason"),
    [
        (External(source=ARTIFACT, item="a", revision="1"), "not the id of a source"),
        (External(source=SOURCE, item="", revision="1"), "an? item that is blank"),
        (External(source=SOURCE, item="a", revision=LONG), "a revision that is blank or has more"),
    ],
)
def test_faults_of_what_comes_from_a_source(external: External, reason: str) -> None:
    """An artifact names its source, item and revision, or none."""
    op, data = encode_op(replace(put(), payload=replace(DOCUMENT, external=external)))
    with pytest.raises(StoreCorrupt, match=reason):
        decode_op(data, OpPath(op.entity, op.seq, op.verb, op.digest))
