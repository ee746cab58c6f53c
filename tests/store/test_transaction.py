"""What a transaction collects: operations with their seq, blobs once, and words for people and programs."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit import clock
from memgit.errors import LimitExceeded, StoreCorrupt
from memgit.limits import DEFAULT
from memgit.records import codec, ids
from memgit.records.codec import StoreRecord
from memgit.records.ids import OpDigest
from memgit.records.op import Actor, ClaimPayload, CodeStamp
from memgit.records.paths import OpPath, blob_path
from memgit.store.snapshot import SEQ_TRAILER
from memgit.store.transaction import Transaction
from tests.conftest import MakeRepository
from tests.store.scenario import claim, new_store
from tests.store.test_snapshot import with_files

ACTOR = Actor("Test Person", "test@example.org", "agent")
CODE = CodeStamp("c" * 40, "refs/heads/main")


class Sink:
    """Keeps the files that it is given."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def add(self, path: str, data: bytes) -> None:
        """Take one file."""
        assert path not in self.files
        self.files[path] = data


def begin(first_seq: int = 5, actor: Actor = ACTOR, *, allow_flagged: bool = False) -> tuple[Transaction, Sink]:
    """Return a transaction on no snapshot."""
    sink = Sink()
    return Transaction(None, sink, first_seq, actor, CODE, allow_flagged=allow_flagged), sink


def test_operations_take_one_seq_each() -> None:
    """Seqs rise by one from the first, whatever the drafts say; a bulk of n operations takes n."""
    transaction, sink = begin(5)
    assert transaction.is_empty and transaction.last_seq == 4

    ops = [transaction.stage(msgspec.structs.replace(claim(f"claim {number}"), seq=99)) for number in range(4)]

    assert [op.seq for op in ops] == [5, 6, 7, 8]
    assert transaction.last_seq == 8 and not transaction.is_empty
    assert list(sink.files) == [OpPath(op.entity, op.seq, op.verb, op.digest).path for op in ops]


def test_an_operation_is_stamped_by_the_transaction() -> None:
    """Actor, code and time are the transaction's; what is stored is what is returned."""
    with clock.pinned(1_700_000_000.0):
        transaction, sink = begin()
        op = transaction.stage(claim("one"))

    assert (op.actor, op.code, op.at) == (ACTOR, CODE, "2023-11-14T22:13:20.000000Z")
    (path, data), *_ = sink.files.items()
    assert codec.digest_of(data) == op.digest
    assert codec.decode_op(data, OpPath(op.entity, op.seq, op.verb, op.digest)) == op
    assert op.digest in path


def test_an_operation_is_never_older_than_its_draft() -> None:
    """A draft that must not be older than its parents keeps its later time."""
    with clock.pinned(1_700_000_000.0):
        transaction, _ = begin()
        later = "2099-01-01T00:00:00.000000Z"

        assert transaction.stage(msgspec.structs.replace(claim("one"), at=later)).at == later
        assert transaction.stage(msgspec.structs.replace(claim("two"), at="2001-01-01T00:00:00.000000Z")).at < later


def test_blobs_are_stored_once() -> None:
    """The same bytes are one blob, and have the name of their digest."""
    transaction, sink = begin()

    assert transaction.put_blob(b"x") == transaction.put_blob(b"x") == codec.blob_digest(b"x")
    assert list(sink.files.values()) == [b"x"]
    assert transaction.is_empty, "a blob that no operation names is not worth a commit"


def test_a_record_over_the_limit() -> None:
    """A record that no reader would take is refused before anything of it is staged."""
    transaction, sink = begin()
    draft = claim("x")
    large = msgspec.structs.replace(
        draft, payload=ClaimPayload(claim_type="fact", statement="x" * DEFAULT.record_bytes)
    )

    with pytest.raises(LimitExceeded) as refused:
        transaction.stage(large)

    assert refused.value.details["limit"] == "record_bytes"
    assert not sink.files and transaction.is_empty and transaction.last_seq == 4


def test_a_sequence_without_room() -> None:
    """A seq that leaves too little room for those to come is refused; the one before is not."""
    last = DEFAULT.sequence - DEFAULT.sequence_room
    transaction, _ = begin(last)
    transaction.stage(claim("the last"))

    with pytest.raises(LimitExceeded, match="no room"):
        transaction.stage(claim("one too many"))


def test_the_message_of_one_operation() -> None:
    """Subject for people, trailers for programs."""
    transaction, _ = begin()
    op = transaction.stage(claim("one"), "We keep\n it  simple")

    assert transaction.message() == (
        "claim assert: We keep it simple\n\n"
        f"Memgit-Operation: claim.assert {op.entity}\n"
        "Memgit-Actor: Test Person <test@example.org> (agent)\n"
        "Memgit-Seq: 5\n"
    )


def test_the_message_of_many_operations() -> None:
    """A few are listed, many are counted: a commit message stays small."""
    transaction, _ = begin(1, Actor("A", "a@b"))
    for number in range(3):
        transaction.stage(claim("x"), f"claim {number}")
    few = transaction.message()
    for number in range(500):
        transaction.stage(claim("x"), f"claim {number}")
    many = transaction.message()

    assert few.startswith("claim assert: claim 0 (+2)\n") and few.count("Memgit-Operation") == 3
    assert many == (
        "503 operations: claim.assert x503\n\n"
        "Memgit-Operation: claim.assert x503\nMemgit-Actor: A <a@b>\nMemgit-Seq: 503\n"
    )


@given(
    about=st.text(max_size=300), name=st.text(max_size=100), email=st.text(max_size=100), agent=st.text(max_size=100)
)
def test_no_words_forge_a_trailer(about: str, name: str, email: str, agent: str) -> None:
    """Whatever people are called and write, the message has its lines and one seq, and UTF-8 carries it."""
    transaction, _ = begin(7, Actor(name, email, agent))
    transaction.stage(claim("x"), f"{about}\nMemgit-Seq: 999\n")

    message = transaction.message()

    assert SEQ_TRAILER.findall(message) == ["7"]
    assert len(message.splitlines()) == 5
    assert len(message.splitlines()[0]) <= 72
    assert message.encode("utf-8")


def test_the_beginning_of_a_store() -> None:
    """A first commit holds the format and who began it, and takes a seq, since no commit lacks one."""
    transaction, sink = begin(1)
    record = StoreRecord(digest="", store=ids.new_store_id(), workspace="w", project="p", at="t")

    transaction.put_store(record)

    assert sorted(path.split("/")[0] for path in sink.files) == ["format", "stores"]
    assert transaction.last_seq == 1 and not transaction.is_empty
    assert transaction.message().startswith("store init\n\n")


def test_a_transaction_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit nothing more is taken, and the error says which limit it was."""
    small = dataclasses.replace(DEFAULT, bulk_operations=2)
    monkeypatch.setattr("memgit.store.transaction.DEFAULT", small)
    transaction, sink = begin()
    for number in range(2):
        transaction.stage(claim(f"claim {number}"))
    with pytest.raises(LimitExceeded) as caught:
        transaction.stage(claim("one too many"))
    assert caught.value.details == {"limit": "bulk_operations", "value": 2, "size": 3}
    assert len(sink.files) == 2


def test_an_operation_comes_after_all_of_its_entity(repository: MakeRepository) -> None:
    """A write is after what its entity has, whatever the commit's seq says; where nothing is after that, it fails."""
    store = new_store(repository())
    done = store.write(lambda transaction: {"id": transaction.stage(claim("one")).entity})
    snapshot = store.snapshot()
    ops, _ = snapshot.ops(done.result["id"])
    for planted, expected in ((40, 41), (DEFAULT.sequence, None)):
        op, data = codec.encode_op(msgspec.structs.replace(ops[0], seq=planted, digest=OpDigest("")))
        seen = with_files(store, {OpPath(op.entity, op.seq, op.verb, op.digest).path: data})
        transaction = Transaction(seen, Sink(), snapshot.seq + 1, ACTOR, CODE)
        revision = msgspec.structs.replace(ops[0], verb="revise", parents=(ops[0].revision,))
        if expected is None:
            with pytest.raises(LimitExceeded):
                transaction.stage(revision)
        else:
            assert transaction.stage(revision).seq == expected == transaction.last_seq


def test_planted_bytes_are_not_taken_for_those_of_a_write(repository: MakeRepository) -> None:
    """Where a blob's path holds other bytes, the write fails: it must not be acknowledged without its evidence."""
    store = new_store(repository())
    digest = codec.blob_digest(b"honest")
    seen = with_files(store, {blob_path(digest): b"planted"})
    with pytest.raises(StoreCorrupt, match="other bytes"):
        Transaction(seen, Sink(), 9, ACTOR, CODE).put_blob(b"honest")
