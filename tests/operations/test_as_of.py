"""Time travel: what was known at a date or a commit, as it stood then, and nothing that came later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memgit import clock
from memgit.records.codec import PurgeMarker, encode_record
from memgit.records.paths import purge_path
from memgit.store.repository import discover
from memgit.store.store import Store
from memgit.store.transaction import Transaction
from tests.operations.conftest import Memory

START = 1_780_000_000.0
DAY = 86_400.0


@pytest.fixture(autouse=True)
def moment() -> Iterator[Any]:
    """Let each test say when it is."""
    contexts: list[Any] = []

    def on_day(day: float) -> str:
        while contexts:
            contexts.pop().__exit__(None, None, None)
        context = clock.pinned(START + day * DAY, step=0.001)
        context.__enter__()
        contexts.append(context)
        return clock.format_time(START + day * DAY)

    yield on_day
    while contexts:
        contexts.pop().__exit__(None, None, None)


def known(memory: Memory, query: str, as_of: str | None = None, **fields: Any) -> list[str]:
    """Return the statements that a recall gives."""
    asked = {"query": query, **({"as_of": as_of} if as_of is not None else {}), **fields}
    return [claim["statement"] for claim in memory.run("memory.recall", **asked)["claims"]]


def test_a_date_recalls_what_was_known_then(memory: Memory, moment: Any) -> None:
    """A revision that came later is not there yet; the earlier one is current then."""
    moment(1)
    claim = memory.claim("The deploy window opens at noon.")
    then = moment(2)
    moment(3)
    memory.run(
        "claim.revise", claim_id=claim["claim_id"], if_revision=claim["revision_id"],
        statement="The deploy window opens at two.",
    )  # fmt: skip
    assert known(memory, "deploy window opens") == ["The deploy window opens at two."]
    assert known(memory, "deploy window opens", then) == ["The deploy window opens at noon."]
    assert known(memory, "deploy window opens", clock.format_time(START)) == []


def test_an_end_that_came_later_has_not_happened_yet(memory: Memory, moment: Any) -> None:
    """Retraction, supersession and contradiction belong to their time."""
    moment(1)
    old, other = memory.claim("The cache is Redis."), memory.claim("The queue is Kafka.")
    then = moment(2)
    moment(3)
    new = memory.claim("The cache is Valkey.")
    memory.run("relation.put", source=new["claim_id"], target=old["claim_id"], relation="supersedes")
    memory.run("relation.put", source=new["claim_id"], target=other["claim_id"], relation="contradicts")
    memory.run("claim.retract", claim_id=other["claim_id"], if_revision=other["revision_id"], reason="gone")
    moment(4)
    assert known(memory, "cache redis") == [] and known(memory, "queue kafka") == []
    past = memory.run("memory.recall", query="cache redis", as_of=then)
    assert [(claim["statement"], claim["standing"]) for claim in past["claims"]] == [("The cache is Redis.", "current")]
    assert known(memory, "queue kafka", then) == ["The queue is Kafka."]
    assert known(memory, "cache valkey", then) == []


def test_a_conflict_is_shown_while_it_was_open(memory: Memory, moment: Any) -> None:
    """Between the relation and its resolution both sides are disputed."""
    moment(1)
    left, right = memory.claim("The port is 80."), memory.claim("The port is 8080.")
    memory.run("relation.put", source=left["claim_id"], target=right["claim_id"], relation="contradicts")
    then = moment(2)
    moment(3)
    memory.run("claim.retract", claim_id=right["claim_id"], if_revision=right["revision_id"], reason="wrong")
    assert memory.run("memory.recall", query="port 80")["conflicts"] == []
    past = memory.run("memory.recall", query="port 80", as_of=then)
    assert len(past["conflicts"]) == 1 and past["claims"][0]["standing"] == "disputed"


def test_validity_is_judged_then(memory: Memory, moment: Any) -> None:
    """A claim that has expired since was valid at that moment."""
    moment(1)
    memory.claim("The freeze is on.", valid_until=clock.format_time(START + 2 * DAY))
    moment(5)
    assert known(memory, "freeze on") == []
    assert known(memory, "freeze on", clock.format_time(START + 1.5 * DAY)) == ["The freeze is on."]


def test_a_commit_recalls_what_its_tree_holds(memory: Memory, moment: Any) -> None:
    """By a beginning of its id, and by its sequence number."""
    moment(1)
    memory.claim("The first rule.")
    tip, seq = memory.tip(), memory.run("log", limit=1)["items"][0]["seq"]
    memory.claim("The second rule.")
    for name in (tip, tip[:12], f"seq:{seq}"):
        assert known(memory, "second rule", name) == []
        assert known(memory, "first rule", name) == ["The first rule."]


def test_every_look_can_go_back(memory: Memory, moment: Any) -> None:
    """Search, retrieve, probe and context bundles see the same past as recall."""
    moment(1)
    memory.run("remember", text="The ledger closes at noon.")
    then = moment(2)
    moment(3)
    memory.run("remember", text="The ledger opens at dawn.")
    hits = memory.run("search", query="ledger", as_of=then)["hits"]
    assert [hit["claim"]["statement"] for hit in hits] == ["The ledger closes at noon."]
    assert memory.run("memory.retrieve", query="ledger opens dawn", as_of=then)["recall"]["presence"] == "none"
    assert "dawn" not in memory.run("context.build", query="ledger", as_of=then, include_unqualified=True)["markdown"]
    assert len(memory.run("memory.probe", query="ledger dawn", as_of=then)["leads"]) == 1


def test_an_answer_says_when_a_purge_took_part_of_the_past_away(memory: Memory, moment: Any) -> None:
    """The past is shown without what was purged since, and the answer says so."""
    moment(1)
    gone = memory.claim("The secret plan.")
    memory.claim("The open plan.")
    then = moment(2)
    moment(3)

    def purge(transaction: Transaction) -> dict[str, Any]:
        marker = PurgeMarker(digest="", entities=(gone["claim_id"],), at=clock.now())
        digest, data = encode_record(marker)
        transaction._sink.add(purge_path(digest), data)
        transaction._subject = "purge"
        return {}

    store = Store(discover(memory.directory))
    store.write(purge)
    store.close()
    answer = memory.envelope("memory.recall", query="plan", as_of=then, max_claims=9)
    assert any("1 entities were purged since" in warning for warning in answer["warnings"])
    assert known(memory, "secret plan", then) == [] and known(memory, "open plan", then) == ["The open plan."]


@pytest.mark.parametrize("as_of", ["yesterday-ish", "seq:x", "0000", "", "2026-13-01"])
def test_what_names_no_past_is_refused(memory: Memory, as_of: str) -> None:
    """Nothing is guessed."""
    memory.claim("Something.")
    assert memory.refused("memory.recall", query="something", as_of=as_of)["code"] in ("NOT_FOUND", "INVALID_REQUEST")


def test_a_document_is_found_by_the_words_it_had_then(memory: Memory, moment: Any) -> None:
    """Its earlier revision answers as of its time, cited as it stood; today it is history, and says why."""
    moment(1)
    made = memory.artifact("The harbour closes at noon.", "Harbour")
    then = moment(2)
    moment(3)
    memory.run(
        "artifact.revise", artifact_id=made["artifact_id"], if_revision=made["revision_id"],
        content={"type": "text", "data": "The airport closes at dusk."},
    )  # fmt: skip
    query = "harbour noon"
    assert memory.run("memory.recall", query=query)["presence"] == "none"
    assert memory.run("search", query="noon")["hits"] == []
    past = memory.run("memory.recall", query=query, as_of=then)
    assert past["presence"] == "artifacts_only"
    assert (past["artifacts"][0]["revision_id"], past["artifacts"][0]["standing"]) == (made["revision_id"], "current")
    assert memory.run("memory.recall", query="airport dusk", as_of=then)["presence"] == "none"
    (old,) = memory.run("memory.recall", query=query, include_historical=True)["artifacts"]
    assert (old["standing"], old["not_current"][0]["code"]) == ("historical", "revised")
    read = memory.run("citation.get", citation=old["citation"])
    assert read["content"]["data"] == old["excerpt"] == "The harbour closes at noon."
    hits = memory.run("search", query="closes", include_historical=True)["hits"]
    assert [hit["artifact"]["standing"] for hit in hits] == ["current", "historical"]


def test_a_withdrawn_document_is_history(memory: Memory, moment: Any) -> None:
    """Hidden since its source lost it; found as of before, and where history is asked for, with the reason."""
    moment(1)
    source = memory.run("source.register", kind="wiki", name="pages")["source_id"]
    item = {"source_id": source, "external_id": "page/7"}
    memory.run(
        "source.ingest", **item, external_revision="1", title="Page",
        content={"type": "text", "data": "The harbour closes at noon."},
    )  # fmt: skip
    then = moment(2)
    moment(3)
    memory.run("source.withdraw", **item, reason="gone")
    now = moment(4)
    for fields in ({}, {"as_of": now}):
        assert memory.run("memory.recall", query="harbour noon", **fields)["presence"] == "none"
    assert memory.run("memory.recall", query="harbour noon", as_of=then)["presence"] == "artifacts_only"
    (old,) = memory.run("memory.recall", query="harbour noon", include_historical=True)["artifacts"]
    assert (old["standing"], old["not_current"][0]["code"]) == ("historical", "withdrawn")


@pytest.mark.parametrize("as_of", ["2999-01-01", "seq:999999"])
def test_what_lies_ahead_is_told(memory: Memory, as_of: str) -> None:
    """The answer is from what is known now, and says so."""
    memory.claim("The deploy window opens at noon.")
    envelope = memory.envelope("memory.recall", query="deploy window", as_of=as_of)
    assert envelope["result"]["presence"] == "claims"
    assert any("lies ahead" in warning for warning in envelope["warnings"])


@pytest.mark.parametrize("as_of", ["2026-13-01", "2026-02-30", "2026/00/01", "2026-13"])
def test_a_date_that_no_calendar_has_is_named_as_one(memory: Memory, as_of: str) -> None:
    """It is no state of the store that is missing, but a date that is wrong."""
    assert "no date of the calendar" in memory.refused("memory.recall", query="x", as_of=as_of)["message"]


@pytest.mark.parametrize(("lexical", "how"), [("whoosh", "date"), ("tantivy", "commit")])
def test_what_came_later_takes_no_places(memory: Memory, moment: Any, lexical: str, how: str) -> None:
    """However many later claims say the same, what was known then is found, by a recall and by a search."""
    memory.git("config", "memgit.lexicalIndex", lexical)
    moment(1)
    memory.claim("The ledger is sealed by the night shift.")
    then = {"date": moment(2), "commit": memory.tip()}[how]
    moment(3)
    turns = [{"text": f"The ledger is sealed by the night shift, says number{n}x."} for n in range(300)]
    memory.run("session.ingest", session="later", turns=turns, turns_per_claim=1)
    assert known(memory, "ledger sealed night shift", then) == ["The ledger is sealed by the night shift."]
    hits = memory.run("search", query="ledger sealed night shift", as_of=then)["hits"]
    assert [hit["claim"]["statement"] for hit in hits] == ["The ledger is sealed by the night shift."]
