"""The gate in front of a transaction: nothing that looks like a secret becomes an object, and nothing is read twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

import memgit.screening
from memgit.errors import SecretDetected
from memgit.records import codec
from memgit.records.codec import Receipt
from memgit.records.op import ClaimPayload, Value
from memgit.records.texts import Text
from memgit.store.allowed import AllowedList
from memgit.store.gate import Gate
from memgit.store.transaction import Transaction
from memgit.store.writer import Build, Result
from tests.conftest import MakeRepository
from tests.screening.keys import KINDS
from tests.store.scenario import claim, git, new_store, open_store, request_key
from tests.store.test_transaction import begin

TOKEN = KINDS["github"][0](Random(1)).text


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts that the rules were asked about, in order."""
    asked: list[str] = []
    whole = memgit.screening.screen_text

    def listening(text: str, where: str, lead: str = "") -> tuple[memgit.screening.Finding, ...]:
        asked.append(text)
        return whole(text, where, lead)

    monkeypatch.setattr(memgit.screening, "screen_text", listening)
    yield asked


def test_a_flagged_text_is_refused_before_it_is_collected() -> None:
    """The transaction holds nothing of it, and its sequence is where it was."""
    transaction, sink = begin(5)
    with pytest.raises(SecretDetected) as caught:
        transaction.stage(claim(f"use {TOKEN}"))
    assert caught.value.details["count"] == 1
    with pytest.raises(SecretDetected):
        transaction.put_blob(f"use {TOKEN}".encode())
    assert sink.files == {} and transaction.is_empty and transaction.last_seq == 4


def test_a_refusal_uses_the_names_of_the_request() -> None:
    """`names` replaces the field's own name."""
    transaction, _ = begin()
    transaction.names = {"statement": "text", "content": "document.content"}
    for act, where in (
        (lambda: transaction.stage(claim(TOKEN)), "text"),
        (lambda: transaction.put_blob(TOKEN.encode()), "document.content"),
    ):
        with pytest.raises(SecretDetected, match=f"`{where}` looks as if"):
            act()


def test_what_is_allowed_is_listed_by_digest() -> None:
    """Operations, blobs and receipts alike; what is clean is not listed."""
    transaction, sink = begin(allow_flagged=True)
    transaction.stage(claim("clean"))
    transaction.put_blob(b"clean")
    op = transaction.stage(claim(f"use {TOKEN}"), f"use {TOKEN}")
    blob = transaction.put_blob(TOKEN.encode())
    receipt = Receipt(digest="", operation="o", request="0" * 64, seq=1, at="", result=f'{{"reason":"{TOKEN}"}}')
    transaction.put_receipt("0" * 64, receipt)
    digest = codec.digest_of(next(data for path, data in sink.files.items() if path.startswith("receipts/")))
    assert transaction.allowed == [op.digest, blob, digest]


def test_the_commit_does_not_repeat_what_is_flagged() -> None:
    """Where the text is not for everyone, the subject names the entity instead."""
    transaction, _ = begin(allow_flagged=True)
    op = transaction.stage(claim(f"use {TOKEN}"), f"use {TOKEN}")
    assert transaction.message().splitlines()[0] == f"claim assert: {op.entity}"

    later, _ = begin()
    op = later.stage(claim("clean"), f"an older text with {TOKEN}")
    assert later.message().splitlines()[0] == f"claim assert: {op.entity}"


def test_a_value_is_looked_at_behind_its_subject() -> None:
    """A short password is known by what it is called; the position is that in the value."""
    transaction, _ = begin()
    password = "Harbor" + "-falcon62"
    payload = ClaimPayload(claim_type="fact", subject="database password", value=Value("text", password))
    with pytest.raises(SecretDetected) as caught:
        transaction.stage(msgspec.structs.replace(claim("x"), payload=payload))
    assert caught.value.details["findings"] == [
        {"rule": "assigned-password", "where": "value", "line": 1, "column": 1, "start": 0, "end": len(password)}
    ]


def test_a_text_is_looked_at_once(looked_at: list[str]) -> None:
    """A statement that is kept as its own note, and told in the subject, is read by the rules once."""
    transaction, _ = begin()
    transaction.screen("one statement", "text")
    transaction.put_blob(b"one statement")
    transaction.stage(claim("one statement"), "one statement")
    assert looked_at == ["one statement"]


def test_a_lead_is_part_of_what_was_looked_at(looked_at: list[str]) -> None:
    """The same text behind another subject is another text."""
    gate = Gate()
    for lead in ("", "a: ", "b: ", "a: "):
        gate.findings([Text("value", "text", lead)])
    assert looked_at == ["text"] * 3


def test_what_the_store_holds_is_not_looked_at_again(repository: MakeRepository) -> None:
    """Bytes that are in the store already come in with no object, so there is nothing to refuse."""
    store = new_store(repository())
    store.write(blob_and_claim(TOKEN.encode(), "one"), allow_flagged=True)
    store.write(blob_and_claim(TOKEN.encode(), "two"))
    with pytest.raises(SecretDetected):
        store.write(blob_and_claim(TOKEN.encode() + b".", "three"))


@pytest.mark.parametrize("bulk", [False, True], ids=["single", "bulk"])
def test_a_refused_write_leaves_nothing(repository: MakeRepository, bulk: bool) -> None:
    """No object, no pack, no log entry, no receipt, no file, although much was staged before."""
    path = repository()
    store = new_store(path)
    before = everything(path)
    write = store.write_bulk if bulk else store.write
    with pytest.raises(SecretDetected):
        write(blob_and_claim(b"clean", *(f"claim {number}" for number in range(50)), TOKEN), request_key("k", "r"))
    assert everything(path) == before
    assert TOKEN not in git(path, "cat-file", "--batch-all-objects", "--batch")


@pytest.mark.parametrize("bulk", [False, True], ids=["single", "bulk"])
def test_an_allowed_write_is_noted(repository: MakeRepository, bulk: bool) -> None:
    """The digests of exactly what is flagged are in the list, in one write with it."""
    path = repository()
    store = new_store(path)
    write = store.write_bulk if bulk else store.write
    write(blob_and_claim(b"clean", "clean"))
    allowed = AllowedList(store.repository.state_dir)
    assert not allowed.path.exists()
    write(blob_and_claim(TOKEN.encode(), "clean", TOKEN), allow_flagged=True)
    names = git(path, "ls-tree", "-r", "--name-only", "refs/memgit/store").split()
    noted = {name.partition("/")[0] for name in names if any(digest in name for digest in allowed.digests())}
    assert noted == {"blobs", "claims"} and len(allowed.digests()) == 2
    assert len(store.snapshot().blob(codec.blob_digest(TOKEN.encode())) or b"") == len(TOKEN)


def test_where_nothing_can_be_noted_nothing_is_written(repository: MakeRepository) -> None:
    """What the second screen could not be told of does not come in."""
    path = repository()
    store = new_store(path)
    tip = store.tip()
    AllowedList(store.repository.state_dir).path.mkdir()
    with pytest.raises(Exception, match="cannot be written"):
        store.write(blob_and_claim(b"clean", TOKEN), allow_flagged=True)
    assert open_store(path).tip() == tip


def blob_and_claim(data: bytes, *statements: str) -> Build:
    """Return what stages a blob and some claims."""

    def build(transaction: Transaction) -> Result:
        transaction.put_blob(data)
        return {"claims": [transaction.stage(claim(statement)).entity for statement in statements]}

    return build


def everything(path: Path) -> dict[str, bytes]:
    """Return every file of the repository by its path."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
