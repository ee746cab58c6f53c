"""Nearness of meaning in a search: vectors follow the store, failures leave words alone, what is hidden stays so."""

from __future__ import annotations

from typing import Any

import pytest

from memgit.operations import nearness
from tests.operations.conftest import SCOPE, Memory


@pytest.fixture(autouse=True)
def no_kept_embedders() -> None:
    """Each test opens what its settings name."""
    nearness._embedders.clear()


def use(memory: Memory, embedder: str) -> None:
    """Choose the embedder."""
    memory.git("config", "memgit.embedder", embedder)


def hits(memory: Memory, query: str, **fields: Any) -> list[dict[str, Any]]:
    """Return the hits of a search."""
    found: list[dict[str, Any]] = memory.run("search", query=query, **fields)["hits"]
    return found


def test_a_search_compares_meanings(memory: Memory) -> None:
    """With the embedder of a default install, without a word in common; without one, not."""
    claim = memory.claim("The automobile is parked in the garage.")
    memory.claim("Bread is baked every Friday.")
    (hit,) = hits(memory, "where is my car")
    assert hit["claim"]["claim_id"] == claim["claim_id"] and hit["ranking"]["similarity"] > 0.3
    use(memory, "none")
    assert hits(memory, "where is my car") == []
    assert hits(memory, "garage")[0]["ranking"]["similarity"] is None


def test_vectors_follow_the_store(memory: Memory) -> None:
    """What is new is found by meaning at once, and what has ended is not."""
    use(memory, "hash")
    first = memory.claim("The gardeners are watering tomatoes.")
    assert hits(memory, "tomatoes")[0]["ranking"]["similarity"] > 0
    second = memory.claim("Tomatoes are watered by gardeners.")
    assert all(hit["ranking"]["similarity"] > 0 for hit in hits(memory, "tomatoes"))
    memory.run("claim.retract", claim_id=first["claim_id"], reason="No longer.", if_revision=first["revision_id"])
    (hit,) = hits(memory, "tomatoes")
    assert hit["claim"]["claim_id"] == second["claim_id"]


def test_meaning_keeps_to_the_scope_and_the_filters(memory: Memory) -> None:
    """Another project, another kind and another type stay out."""
    memory.claim("The automobile is parked in the garage.", context=SCOPE | {"project_id": "prj-other"})
    assert hits(memory, "where is my car") == []
    memory.claim("The automobile is parked in the garage.")
    assert hits(memory, "where is my car", types=["decision"]) == []
    assert hits(memory, "where is my car", kinds=["artifact"]) == []
    assert len(hits(memory, "where is my car", kinds=["claim"], types=["fact"])) == 1


def test_what_is_elsewhere_crowds_nobody_out(memory: Memory) -> None:
    """However much another project has that is nearer."""
    turns = [{"text": f"My car is number {number}."} for number in range(80)]
    elsewhere = SCOPE | {"project_id": "prj-other"}
    memory.run("session.ingest", session="cars", turns=turns, turns_per_claim=1, context=elsewhere)
    claim = memory.claim("The automobile is parked in the garage.")
    (hit,) = hits(memory, "where is my vehicle parked today")
    assert hit["claim"]["claim_id"] == claim["claim_id"]
    assert hits(memory, "which cars")[0]["claim"]["claim_id"] == claim["claim_id"]


def test_a_passage_is_found_by_meaning(memory: Memory) -> None:
    """And quoted with its own bytes."""
    memory.artifact("The automobile is parked in the garage.\n", "Notes")
    (hit,) = hits(memory, "where is my car")
    assert hit["kind"] == "artifact" and hit["ranking"]["similarity"] > 0.3


def test_another_embedder_makes_new_vectors(memory: Memory) -> None:
    """Vectors of two models are never compared."""
    memory.claim("The automobile is parked in the garage.")
    use(memory, "hash")
    as_hash = hits(memory, "garage")[0]["ranking"]["similarity"]
    use(memory, "static")
    as_static = hits(memory, "garage")[0]["ranking"]["similarity"]
    use(memory, "hash")
    envelope = memory.envelope("search", query="garage")
    assert envelope["result"]["hits"][0]["ranking"]["similarity"] == as_hash != as_static
    assert envelope["warnings"] == []  # it is no damage


@pytest.mark.parametrize("damage", [b"", b"not a manifest", None])
def test_damaged_vectors_are_made_again(memory: Memory, damage: bytes | None) -> None:
    """The answer is as before, and says so; a file that is gone costs time only."""
    use(memory, "hash")
    memory.claim("The automobile is parked in the garage.")
    before = hits(memory, "garage")
    for path in sorted((memory.directory / ".git/memgit/cache/vectors").iterdir()):
        if path.suffix in (".vectors", ".json") or path.name.startswith("manifest"):
            path.unlink() if damage is None else path.write_bytes(damage)
    envelope = memory.envelope("search", query="garage")
    assert [hit["ranking"] for hit in envelope["result"]["hits"]] == [hit["ranking"] for hit in before]


def test_a_missing_model_is_said_and_the_next_is_used(memory: Memory) -> None:
    """The search goes on with the embedder of the default install."""
    use(memory, "no-such-model")
    memory.claim("The automobile is parked in the garage.")
    envelope = memory.envelope("search", query="garage")
    assert any("no-such-model" in warning for warning in envelope["warnings"])
    assert envelope["result"]["hits"][0]["ranking"]["similarity"] is not None


def test_where_vectors_cannot_be_written_words_are_left(memory: Memory) -> None:
    """Something is in their place: the answer is by words alone, and says so."""
    memory.claim("The automobile is parked in the garage.")
    place = memory.directory / ".git/memgit/cache/vectors"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("not a directory")
    envelope = memory.envelope("search", query="garage")
    assert envelope["ok"] and len(envelope["result"]["hits"]) == 1
    assert any("by words alone" in warning for warning in envelope["warnings"])
    assert envelope["result"]["hits"][0]["ranking"]["similarity"] is None


def test_turns_around_count_in_a_real_store(memory: Memory) -> None:
    """The order of a session comes from the store: the answer to a question is the first hit."""
    texts = [
        "Hello there.",
        "Which instrument did you learn at school?",
        "The violin, I still play it on most Sundays.",
        "Nice.",
    ]
    turns = [{"text": text, "speaker": "Ada" if place % 2 == 0 else "Ben"} for place, text in enumerate(texts)]
    written = memory.run("session.ingest", session="talk", turns=turns, turns_per_claim=1)
    memory.claim("The school has a library.")
    use(memory, "none")
    assert hits(memory, "Which instrument did she learn at school?")[0]["claim"]["claim_id"] == written["claim_ids"][2]
