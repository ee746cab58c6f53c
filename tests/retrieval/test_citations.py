"""Citations name exact bytes, resolve to them or to nothing, and say why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import CitationError, InvalidRequest, LimitExceeded, NotFound, StoreCorrupt
from memgit.limits import DEFAULT
from memgit.records.ids import ArtifactId, ClaimId, RevisionId
from memgit.retrieval.citations import ArtifactCitation, ClaimCitation, parse_citation, resolve

from .memory import Memory, name

TEXT = "aé🚀 the end"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory. It has what a lookup needs."""
    return Memory(tmp_path)


class Lookup:
    """A memory as citations see it."""

    def __init__(self, memory: Memory) -> None:
        self.entity = memory.entities.get
        self.read_blob = memory.blobs.get


def cite(memory: Memory, artifact: str, span: str = "") -> str:
    """Return a citation of an artifact's current revision."""
    return f"memoree://artifact/{artifact}@{memory.entities[artifact].current.id}{span}"


def kind_of(memory: Memory, citation: str, max_bytes: int | None = None) -> Any:
    """Return why a citation is refused."""
    with pytest.raises(CitationError) as caught:
        resolve(citation, max_bytes, Lookup(memory))
    assert caught.value.details["citation"] == citation
    return caught.value.details["kind"]


@given(st.none() | st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)))
def test_format_and_parse_are_inverse(span: tuple[int, int] | None) -> None:
    """What is written is read back."""
    artifact = ArtifactCitation(ArtifactId(name("art", 1)), RevisionId(name("arev", 2)), *(span or (None, None)))
    claim = ClaimCitation(ClaimId(name("clm", 1)), RevisionId(name("crev", 2)))
    assert parse_citation(str(artifact)) == artifact
    assert parse_citation(str(claim)) == claim


@pytest.mark.parametrize(
    "text",
    [
        "",
        "memoree://artifact/art_1@arev_2",
        f"memoree://artifact/{name('art', 1)}",
        f"memoree://artifact/{name('clm', 1)}@{name('crev', 1)}",
        f"memoree://claim/{name('clm', 1)}@{name('arev', 1)}",
        f"memoree://claim/{name('clm', 1)}@{name('crev', 1)}#0-1",
        f"memoree://artifact/{name('art', 1)}@{name('arev', 1)}#5",
        f"memoree://artifact/{name('art', 1)}@{name('arev', 1)}#-1-5",
        f"memoree://artifact/{name('art', 1)}@{name('arev', 1)}#a-b",
        f" memoree://artifact/{name('art', 1)}@{name('arev', 1)}\n",
        f"memoree://artifact/{name('art', 1)}@{name('arev', 1)}#{'9' * 400}-1",
    ],
)
def test_what_is_no_citation(text: str) -> None:
    """Another form is a wrong request, not a wrong citation."""
    with pytest.raises(InvalidRequest):
        parse_citation(text)


def test_a_range_gives_its_bytes(memory: Memory) -> None:
    """Exactly these bytes, whatever the status of the artifact."""
    artifact = memory.artifact(TEXT)
    resolved = resolve(cite(memory, artifact, "#1-7"), None, Lookup(memory))
    assert (resolved.text, resolved.data) == ("é🚀", "é🚀".encode())
    assert (str(resolved.citation), resolved.size) == (cite(memory, artifact, "#1-7"), len(TEXT.encode()))
    memory.end(artifact, "forgotten")
    assert resolve(cite(memory, artifact, "#1-7"), None, Lookup(memory)).text == "é🚀"


def test_a_whole_revision_comes_with_its_range(memory: Memory) -> None:
    """The answer's citation is exact, and resolves to the same."""
    artifact = memory.artifact(TEXT)
    resolved = resolve(cite(memory, artifact), None, Lookup(memory))
    assert resolved.text == TEXT
    assert str(resolved.citation) == cite(memory, artifact, f"#0-{len(TEXT.encode())}")
    assert resolve(resolved.citation, None, Lookup(memory)) == resolved
    empty = memory.artifact("")
    assert resolve(cite(memory, empty), None, Lookup(memory)).data == b""


def test_an_old_revision_is_still_cited(memory: Memory) -> None:
    """Revising an artifact changes no citation."""
    artifact = memory.artifact("the old text")
    citation = cite(memory, artifact)
    memory.revise(artifact, "the new text")
    assert resolve(citation, None, Lookup(memory)).text == "the old text"


@pytest.mark.parametrize("span", ["#5-3", "#3-3", "#0-999", "#999-1000", "#15-16"])
def test_invalid_range(memory: Memory, span: str) -> None:
    """Backwards, empty, or past the end."""
    artifact = memory.artifact(TEXT)
    assert len(TEXT.encode()) == 15
    assert kind_of(memory, cite(memory, artifact, span)) == "invalid_range"


@pytest.mark.parametrize("span", ["#2-3", "#1-2", "#4-7", "#0-5", "#0-6"])
def test_split_code_point(memory: Memory, span: str) -> None:
    """An end inside a code point."""
    assert kind_of(memory, cite(memory, memory.artifact(TEXT), span)) == "split_code_point"


def test_range_required(memory: Memory) -> None:
    """A whole revision above the ceiling, or above what was asked for, needs a range."""
    ceiling = DEFAULT.response_citation_bytes
    at, above = memory.artifact("x" * ceiling), memory.artifact("x" * (ceiling + 1))
    assert len(resolve(cite(memory, at), None, Lookup(memory)).data) == ceiling
    assert kind_of(memory, cite(memory, above)) == "range_required"
    assert kind_of(memory, cite(memory, at), 100) == "range_required"
    assert len(resolve(cite(memory, above, f"#1-{ceiling + 1}"), None, Lookup(memory)).data) == ceiling


def test_a_wide_range_exceeds_the_limit(memory: Memory) -> None:
    """A range is given whole or not at all; `max_bytes` itself has the ceiling."""
    artifact = memory.artifact("x" * 20_000)
    for span, most in (("#0-9000", None), ("#0-200", 100), ("#0-5", 9000)):
        with pytest.raises(LimitExceeded):
            resolve(cite(memory, artifact, span), most, Lookup(memory))
    with pytest.raises(InvalidRequest):
        resolve(cite(memory, artifact, "#0-5"), 0, Lookup(memory))


def test_unknown_names(memory: Memory) -> None:
    """An artifact or a revision that is not here; a claim that is not here is simply not found."""
    artifact, claim = memory.artifact(TEXT), memory.claim("It is so.")
    assert kind_of(memory, f"memoree://artifact/{name('art', 999)}@{name('arev', 1)}") == "unknown_artifact"
    assert kind_of(memory, f"memoree://artifact/{artifact}@{name('arev', 999)}") == "unknown_revision"
    assert kind_of(memory, f"memoree://claim/{claim}@{name('crev', 999)}") == "unknown_revision"
    with pytest.raises(NotFound):
        resolve(f"memoree://claim/{name('clm', 999)}@{name('crev', 1)}", None, Lookup(memory))


@pytest.mark.parametrize("span", ["", "#0-1"])
def test_not_text(memory: Memory, span: str) -> None:
    """Binary bytes are not quoted, whole or in part."""
    assert kind_of(memory, cite(memory, memory.artifact(b"\xff\x00\x01"), span)) == "not_text"


def test_missing_bytes(memory: Memory) -> None:
    """Bytes that the store has lost are a fault of the store, not of the citation."""
    artifact = memory.artifact(TEXT)
    memory.blobs.clear()
    with pytest.raises(StoreCorrupt):
        resolve(cite(memory, artifact), None, Lookup(memory))


def test_a_claim_gives_its_statement(memory: Memory) -> None:
    """At the cited revision."""
    claim = memory.claim("The port is 80.")
    citation = f"memoree://claim/{claim}@{memory.entities[claim].current.id}"
    memory.revise(claim, "The port is 8080.")
    assert resolve(citation, None, Lookup(memory)).text == "The port is 80."
    with pytest.raises(LimitExceeded):
        resolve(citation, 5, Lookup(memory))
