"""A cross-encoder orders what is close, within its budget; whatever fails leaves the order as it is, and is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memgit.index import cross_encoder
from memgit.operations import reranking
from tests.index.cross_encoder_directory import write_cross_encoder
from tests.operations.conftest import Memory


@pytest.fixture(autouse=True)
def no_kept_models() -> Iterator[None]:
    """Each test opens what its settings name."""
    reranking._opened.clear()
    yield
    reranking._opened.clear()


class Prefers:
    """Stands for a loaded model: prefers texts that hold a word; without one it fails."""

    def __init__(self, word: str) -> None:
        self.word = word

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        if not self.word:
            raise ValueError("no memory left")
        return [float(self.word in text) for text in texts]


def use(memory: Memory, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """Let the settings name a reranker that prefers a word."""
    memory.git("config", "memgit.reranker", "small")
    memory.git("config", "memgit.rerankerBudget", "60000")
    monkeypatch.setattr(cross_encoder, "open_cross_encoder", lambda wanted, data_dir: Prefers(word))


def some_claims(memory: Memory) -> None:
    """Add claims that meet the same words."""
    memory.git("config", "memgit.embedder", "none")
    for bird in ("heron", "egret", "stork"):
        memory.claim(f"The {bird} dives into cold water.")


def asked(memory: Memory, **fields: Any) -> tuple[list[str], list[str], list[str]]:
    """Return the statements of a recall and of a search, and the warnings of both."""
    recall = memory.envelope("memory.recall", query="dives into cold water", **fields)
    search = memory.envelope("search", query="dives into cold water", **fields)
    claims = [claim["statement"] for claim in recall["result"]["claims"]]
    hits = [hit["claim"]["statement"] for hit in search["result"]["hits"]]
    return claims, hits, recall["warnings"] + search["warnings"]


def test_what_the_setting_names_orders(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same claims in a recall and in a search, the preferred one first."""
    some_claims(memory)
    before, hits_before, _ = asked(memory)
    use(memory, monkeypatch, "egret")
    claims, hits, warnings = asked(memory)
    assert claims[0] == hits[0] == "The egret dives into cold water."
    assert sorted(claims) == sorted(before) and sorted(hits) == sorted(hits_before)
    assert warnings == []


def test_a_model_that_fails_changes_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said once, and once more that it rests."""
    some_claims(memory)
    before = asked(memory)
    use(memory, monkeypatch, "")
    answers = [asked(memory) for _ in range(4)]
    assert all(answer[:2] == before[:2] for answer in answers)
    notes = [note for answer in answers for note in answer[2]]
    assert len(notes) == 2 and "no memory left" in notes[0] and "rests" in notes[1]


@pytest.mark.parametrize("wanted", ["missing", "../up", "/no/such/directory"])
def test_a_model_that_is_not_there_is_said(memory: Memory, wanted: str) -> None:
    """A name that nothing has, and a path to nothing, leave the order as it is."""
    some_claims(memory)
    before = asked(memory)
    memory.git("config", "memgit.reranker", wanted)
    claims, hits, warnings = asked(memory)
    assert (claims, hits) == before[:2]
    assert warnings and all("cannot be used" in warning for warning in warnings)


@pytest.mark.neural
@pytest.mark.slow
def test_a_real_model_orders(memory: Memory, tmp_path: Path) -> None:
    """Installed under a name, loaded from safetensors, by the scores that it gives."""
    some_claims(memory)
    before, _, _ = asked(memory)
    memory.run("model.install", name="small", source=str(write_cross_encoder(tmp_path / "model")))
    memory.git("config", "memgit.reranker", "small")
    memory.git("config", "memgit.rerankerBudget", "60000")
    claims, hits, warnings = asked(memory)
    assert warnings == [] and sorted(claims) == sorted(before)
    model = cross_encoder.open_cross_encoder("small", tmp_path / "data")
    scores = dict(zip(claims, model.scores("dives into cold water", claims), strict=True))
    assert claims == sorted(claims, key=lambda text: -scores[text])
    assert hits[0] == claims[0]
