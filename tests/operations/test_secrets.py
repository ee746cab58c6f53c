"""Secrets do not enter: whatever the operation and the field, nothing is left behind; what is allowed is noted."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple, get_origin

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from memgit.operations.writing import WRITE_FIELDS, WriteRequest
from memgit.protocol.table import OPERATIONS
from memgit.screening import screen_text
from memgit.store.allowed import AllowedList
from tests.operations.conftest import SCOPE, Memory
from tests.operations.divided import unseen_edit
from tests.screening.keys import KINDS

TOKEN = KINDS["github"][0](Random(1)).text
NOT_TEXT = WRITE_FIELDS | {"if_revision", "if_revisions", "source", "target", "targets", "health", "spans"}
NOT_TEXT |= {"anchors"}  # places in the code: the text that they lead to is tried in `test_anchoring.py`
DESCRIPTION = ("subject", "component", "trust", "sensitivity", "markers")


PLACES: dict[str, tuple[str, ...]] = {
    "remember": ("text", *DESCRIPTION, "document.title", "document.content", "document.path"),
    "claim.assert": ("statement", "value.data", *DESCRIPTION),
    "claim.revise": ("statement", "value.data", *DESCRIPTION),
    "claim.retract": ("reason",),
    "artifact.put": ("kind", "title", "content", "media_type", "component", "provenance", "markers"),
    "artifact.revise": ("title", "content", "media_type", "provenance", "markers"),
    "artifact.forget": ("reason",),
    "relation.put": ("metadata",),
    "source.register": ("kind", "name", "uri", "metadata"),
    "source.ingest": (
        *("external_id", "external_revision", "title", "content", "kind", "media_type", "component", "provenance"),
        "markers",
    ),
    "source.checkpoint": ("cursor", "message"),
    "source.withdraw": ("reason",),
    "projection.put": ("text", "metadata"),
    "projection.drop": ("reason",),
    "conflict.acknowledge": ("reason",),
    "undo": ("reason",),
}
"""Where a text can stand in a request; a dot leads into an object."""

EACH = [(operation, place) for operation, places in PLACES.items() for place in places]
ELSEWHERE = {"import.markdown", "session.ingest", "pending.apply"}
"""They leave out what is flagged, or take it from elsewhere: `test_flagged_documents.py`, `test_remember_session.py`,
`test_pending.py`."""
NAMES = {
    "value.data": "value",
    "external_id": "external",
    "external_revision": "external",
}  # what a refusal says, where that is not the place


class Prepared(NamedTuple):
    """A memory, and a valid request of every operation of PLACES."""

    memory: Memory
    requests: dict[str, dict[str, Any]]


def prepare(memory: Memory, operation: str | None = None) -> Prepared:
    """Return the memory with what the requests are about, or what one of them is about."""
    claim = memory.claim("A claim")
    artifact = memory.artifact("A text")
    at_claim = {"claim_id": claim["claim_id"], "if_revision": claim["revision_id"]}
    at_artifact = {"artifact_id": artifact["artifact_id"], "if_revision": artifact["revision_id"]}
    text = {"type": "text", "data": "Another text"}
    value = {"type": "text", "data": "x"}
    is_asked = operation in (None, "conflict.acknowledge")
    case = unseen_edit(memory, memory.claim("Another claim")) if is_asked else None  # takes a second clone
    ends = {"source": claim["claim_id"], "target": artifact["artifact_id"]}
    source = {"source_id": memory.run("source.register", kind="wiki", name="pages")["source_id"]}
    item = {**source, "external_id": "page/7"}
    memory.run("source.ingest", **item, external_revision="1", title="T", content=text)
    named = {"artifact_id": artifact["artifact_id"], "revision_id": artifact["revision_id"]}
    derived = {**named, "kind": "summary", "spans": [{"start_byte": 0, "end_byte": 1}], "text": "In short"}
    projection = memory.run("projection.put", **derived)["projection_id"]
    memory.run("claim.get", claim_id=claim["claim_id"])  # makes the cache
    requests: dict[str, dict[str, Any]] = {
        "source.register": {"kind": "tracker", "name": "issues"},
        "source.ingest": {**item, "external_revision": "2", "title": "T", "content": value},
        "source.checkpoint": {**source, "cursor": "1"},
        "source.withdraw": {**item, "reason": "Why"},
        "projection.put": {**derived, "text": "Shorter"},
        "projection.drop": {"projection_id": projection, "reason": "Why"},
        "remember": {"text": "One", "document": {"title": "T", "content": text, "path": "a.md"}},
        "claim.assert": {"claim_type": "fact", "value": value},
        "claim.revise": {**at_claim, "value": value},
        "claim.retract": {**at_claim, "reason": "Why"},
        "artifact.put": {"kind": "log", "title": "T", "content": text},
        "artifact.revise": {**at_artifact, "content": text},
        "artifact.forget": {"artifact_id": artifact["artifact_id"], "reason": "Why"},
        "relation.put": {**ends, "relation": "supports"},
        "conflict.acknowledge": {"case_id": case},
        "undo": {"targets": [claim["claim_id"]]},
    }
    return Prepared(memory, requests)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    """One memory for many requests that must leave it as it is."""
    directory = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMGIT_DATA_DIR", str(directory / "data"))
        memory = Memory(directory / "project")
        memory.directory.mkdir()
        memory.git("init", "-q")
        memory.run("store.init", **SCOPE)
        yield prepare(memory)


def planted(request: Mapping[str, Any], place: str, text: str) -> dict[str, Any]:
    """Return the request with a text at a place, in the form that the place takes."""
    whole: dict[str, Any] = json.loads(json.dumps(request))
    *outer, name = place.split(".")
    inner = whole
    for step in outer:
        inner = inner[step]
    forms = {
        "markers": [f"tag:{text}"],
        "content": {"type": "base64", "data": base64.b64encode(text.encode()).decode()},
        "media_type": f"text/{text}",
        "provenance": {"deep": [{"er": text}]},
        "metadata": {"deep": [{"er": text}]},
    }
    inner[name] = forms.get(name, text)
    return whole


def everything(directory: Path) -> dict[str, bytes]:
    """Return every file of the repository by its path, the cache's too."""
    return {str(file): file.read_bytes() for file in sorted(directory.rglob("*")) if file.is_file()}


def test_each_text_of_each_operation_is_tried() -> None:
    """The table of this test names every field of every request that writes, but ids, words of a list and times."""
    for name, operation in OPERATIONS.items():
        if not issubclass(operation.request_type(), WriteRequest) or name in ELSEWHERE:
            continue
        places = {place.partition(".")[0] for place in PLACES.get(name, ())}
        assert set(text_fields(operation.request_type())) <= places, name


def text_fields(request: type[Struct]) -> Iterator[str]:
    """Yield the fields of a request that can hold free text."""
    formed = {"valid_from", "valid_until", "claim_type", "relation", "evidence", "confidence"}
    for field in msgspec.structs.fields(request):
        is_word = field.type is bool or get_origin(field.type) is Literal
        if field.name not in NOT_TEXT | formed and not field.name.endswith(("_id", "_ids")) and not is_word:
            yield field.name


@pytest.mark.parametrize(("operation", "place"), EACH)
def test_a_key_in_any_field_is_refused(shared: Prepared, operation: str, place: str) -> None:
    """The error names the rule, the field as the request names it and the position; every file is as it was."""
    memory = shared.memory
    before = everything(memory.directory)
    error = memory.refused(operation, key="k", **planted(shared.requests[operation], place, TOKEN))

    assert error["code"] == "SECRET_DETECTED" and not error["retryable"]
    finding = error["details"]["findings"][0]
    assert (finding["rule"], finding["where"]) == ("github-token", NAMES.get(place, place))
    assert f"`{finding['where']}`" in error["message"] and "line 1" in error["message"]
    assert "--allow-flagged" in error["hint"]
    assert TOKEN not in json.dumps(error)
    assert everything(memory.directory) == before


@settings(max_examples=40)
@given(data=st.data())
def test_any_key_in_any_field_leaves_nothing(shared: Prepared, data: st.DataObject) -> None:
    """Whatever the kind of key and the text around it."""
    operation, place = data.draw(st.sampled_from(EACH))
    kind = data.draw(st.sampled_from(sorted(KINDS)))
    maker = data.draw(st.sampled_from(KINDS[kind]))
    key = maker(Random(data.draw(st.integers(0, 10_000))))
    text = f"{data.draw(st.sampled_from(['', 'see ', 'x: ']))}{key.name}={key.text}"
    if "\n" in text or len(text) > 200 or place in ("media_type", "kind") or not screen_text(text, "text"):
        return  # no such text can stand there, or it is one of the few that the rules miss
    before = everything(shared.memory.directory)
    envelope = shared.memory.envelope(operation, key="k", **planted(shared.requests[operation], place, text))
    assert envelope["error"]["code"] == "SECRET_DETECTED"
    assert key.text not in json.dumps(envelope)
    assert everything(shared.memory.directory) == before


@pytest.mark.parametrize(("operation", "place"), EACH)
def test_what_is_allowed_passes_and_is_noted(memory: Memory, operation: str, place: str) -> None:
    """Each file that holds the text is noted by digest, the receipt too; the commit's message does not repeat it."""
    request = planted(prepare(memory, operation).requests[operation], place, TOKEN)
    memory.refused(operation, key="k", **request)
    memory.run(operation, key="k", allow_flagged=True, **request)

    holding = memory.git("grep", "-laF", TOKEN, "refs/memgit/store").splitlines()
    noted = AllowedList(memory.directory / ".git" / "memgit" / "state").digests()
    assert [path for path in holding if not any(digest in path for digest in noted)] == []
    assert len(noted) == len(holding) > 0
    assert TOKEN not in memory.git("log", "--format=%B", "refs/memgit/store")


def test_a_retry_with_the_flag_is_the_same_request(memory: Memory) -> None:
    """The flag says how to write, not what: it belongs to no request's digest."""
    first = memory.run("remember", key="k", text=f"Use {TOKEN}", allow_flagged=True)
    assert memory.run("remember", key="k", text=f"Use {TOKEN}") == first


def test_a_refusal_tells_every_place(memory: Memory) -> None:
    """One operation's fields are all named at once, in the order in which they stand."""
    error = memory.refused(
        "claim.assert", claim_type="fact", statement=f"Line one\n  {TOKEN} and {TOKEN}", subject="s", trust=TOKEN
    )
    size = len(TOKEN)
    assert error["details"] == {
        "count": 3,
        "findings": [
            {"rule": "github-token", "where": "statement", "line": 2, "column": 3, "start": 11, "end": 11 + size},
            {
                "rule": "github-token", "where": "statement", "line": 2, "column": 8 + size, "start": 16 + size,
                "end": 16 + 2 * size,
            },
            {"rule": "github-token", "where": "trust", "line": 1, "column": 1, "start": 0, "end": size},
        ],
    }  # fmt: skip
    assert error["message"] == (
        "`statement` looks as if it held a secret: github-token at line 2, column 3, and 2 more; nothing was written"
    )


def test_the_note_of_a_claim_is_not_told_twice(memory: Memory) -> None:
    """`remember` without a document keeps the text as its own note: the refusal names the text alone."""
    error = memory.refused("remember", text=f"é {TOKEN}")
    assert error["details"]["count"] == 1
    assert error["details"]["findings"][0] | {"rule": ""} == {
        "rule": "", "where": "text", "line": 1, "column": 3, "start": 2, "end": 2 + len(TOKEN)
    }  # fmt: skip


def test_a_task_is_a_text_too(memory: Memory) -> None:
    """A session names its task as it likes, and every record repeats it."""
    error = memory.refused("claim.assert", context={**SCOPE, "task_id": TOKEN}, claim_type="fact", statement="One")
    assert error["details"]["findings"][0]["where"] == "task"


def test_ending_what_was_allowed_needs_no_flag(memory: Memory) -> None:
    """A tombstone repeats nothing of what it ends, in its commit's message neither."""
    claim = memory.claim(f"Use {TOKEN}", allow_flagged=True)
    memory.run("claim.retract", claim_id=claim["claim_id"], if_revision=claim["revision_id"], reason="Wrong")
    assert TOKEN not in memory.git("log", "--format=%B", "refs/memgit/store")
    subject = memory.git("log", "-1", "--format=%s", "refs/memgit/store")
    assert subject == f"claim retract: {claim['claim_id']}"


@pytest.mark.parametrize("name", ["wsp-tests", "prj-tests"])
def test_ids_and_digests_are_no_secrets(memory: Memory, name: str) -> None:
    """What memory itself makes, and what Git makes, is written without a question."""
    claim = memory.claim(f"{name} is at {memory.tip()}")
    digest = memory.artifact("A text")["digest"]
    memory.claim(f"{claim['claim_id']} {claim['revision_id']} {digest} memoree://claim/{claim['claim_id']}")
