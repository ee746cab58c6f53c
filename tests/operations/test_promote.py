"""Promoting: a look first, new ids in the shared layer, one answer afterwards, and no trace of what it was called."""

from __future__ import annotations

from typing import Any

import pytest

from memgit.errors import StoreBusy
from memgit.operations.invocation import Invocation
from tests.operations.conftest import Memory
from tests.operations.layering import layers_of, ops_in
from tests.operations.test_layers import everything_readable
from tests.operations.test_secrets import TOKEN

DOCUMENT = {"title": "staging.md", "path": "staging.md", "content": {"type": "text", "data": "The host is heron.\n"}}


def local_claim(memory: Memory) -> dict[str, Any]:
    """Remember something here alone, with a document."""
    return memory.run("remember", text="The host is heron.", document=DOCUMENT, layer="local", sensitivity="team")


def test_the_plan_shows_what_would_become_visible_and_shares_nothing(memory: Memory) -> None:
    """Without `yes` the claim and the documents that only this clone has are shown whole; nothing is written."""
    claim = local_claim(memory)
    before = memory.tip()
    plan = memory.run("promote", ids=[claim["claim_id"]])
    assert (plan["applied"], memory.tip()) == (False, before)
    artifact, statement = plan["items"]
    assert (artifact["kind"], artifact["reason"], artifact["excerpt"]) == (
        "artifact",
        "evidence",
        "The host is heron.\n",
    )
    assert (artifact["item"]["title"], artifact["item"]["size"]) == ("staging.md", 19)
    assert (statement["reason"], statement["item"]["sensitivity"]) == ("asked", "team")
    assert [item["becomes"] for item in plan["items"]] == [None, None]


def test_what_is_promoted_is_one_answer_with_its_evidence(memory: Memory) -> None:
    """Recall shows the shared one alone; its citation names the promoted document's bytes; no local id is shared."""
    claim = local_claim(memory)
    done = memory.run("promote", ids=[claim["claim_id"]], yes=True)
    assert done["applied"]
    becomes = {item["kind"]: item["becomes"] for item in done["items"]}
    found = memory.run("memory.recall", query="host heron")
    assert [(item["claim_id"], item["layer"]) for item in found["claims"]] == [(becomes["claim"], "shared")]
    evidence = found["claims"][0]["evidence"][0]
    assert evidence["artifact_id"] == becomes["artifact"]
    cited = memory.run("citation.get", citation=evidence["citation"], layer="shared")
    assert cited["content"]["data"] == "The host is heron."
    text = everything_readable(memory)
    for name in (claim["claim_id"], claim["revision_id"], claim["artifact_id"], claim["artifact_revision_id"]):
        assert name not in text
    assert memory.run("claim.get", claim_id=claim["claim_id"])["superseded_by"] == [becomes["claim"]]
    assert memory.run("verify")["ok"]


def test_promoting_again_makes_no_second_one(memory: Memory) -> None:
    """A repetition finds what is there; so does one that asks for the document as well."""
    claim = local_claim(memory)
    first = memory.run("promote", ids=[claim["claim_id"]], yes=True)
    tip = memory.tip()
    again = memory.run("promote", ids=[claim["artifact_id"], claim["claim_id"]], yes=True)
    assert [item["becomes"] for item in again["items"]] == [item["becomes"] for item in first["items"]]
    assert memory.tip() == tip


def test_an_interrupted_promotion_is_finished_by_the_next(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the shared write and the local note both are shown; the repetition adds the note and nothing else."""
    claim = local_claim(memory)
    publish = Invocation.publish

    def stop(self: Invocation, layer: str, *given: Any, **more: Any) -> Any:
        if layer == "local":
            raise StoreBusy("interrupted")
        return publish(self, layer, *given, **more)

    monkeypatch.setattr(Invocation, "publish", stop)
    assert not memory.envelope("promote", ids=[claim["claim_id"]], yes=True)["ok"]
    monkeypatch.undo()
    monkeypatch.setenv("MEMGIT_DATA_DIR", str(memory.directory.parent / "data"))
    tip = memory.tip()
    assert sum(1 + item["same_count"] for item in memory.run("memory.recall", query="host heron")["claims"]) == 2
    memory.run("promote", ids=[claim["claim_id"]], yes=True)
    assert memory.tip() == tip
    assert len(memory.run("memory.recall", query="host heron")["claims"]) == 1
    invocation, layers = layers_of(memory.directory)
    assert len([op for op in ops_in(layers, "shared") if op.kind == "claim"]) == 1
    assert len([op for op in ops_in(layers, "local") if op.kind == "relation"]) == 2
    invocation.close()


def test_a_later_local_revision_is_promoted_as_a_revision(memory: Memory) -> None:
    """What was promoted and revised here since is revised there, from the promoted revision; edits of others fork."""
    claim = local_claim(memory)
    first = memory.run("promote", ids=[claim["claim_id"]], yes=True)["items"][-1]["becomes"]
    change = {"if_revision": claim["revision_id"], "statement": "The host is egret."}
    memory.run("claim.revise", claim_id=claim["claim_id"], **change)
    again = memory.run("promote", ids=[claim["claim_id"]], yes=True)["items"][-1]["becomes"]
    assert again == first
    shown = memory.run("claim.get", claim_id=first, layer="shared")
    assert (shown["statement"], shown["revision_number"]) == ("The host is egret.", 2)


def test_two_claims_on_one_document_share_it(memory: Memory) -> None:
    """The document is promoted once, whichever claim brings it."""
    one = local_claim(memory)
    two = memory.run("remember", text="The host is heron, still.", document=DOCUMENT, layer="local")
    assert one["artifact_id"] == two["artifact_id"]
    first = memory.run("promote", ids=[one["claim_id"]], yes=True)
    second = memory.run("promote", ids=[two["claim_id"]], yes=True)
    assert first["items"][0]["becomes"] == second["items"][0]["becomes"]
    invocation, layers = layers_of(memory.directory)
    assert len({op.entity for op in ops_in(layers, "shared") if op.kind == "artifact"}) == 1
    invocation.close()


def test_without_ids_it_lists_what_could_be_shared(memory: Memory) -> None:
    """What lives here alone and is in force, newest first; no own note, nothing shared, ended or promoted."""
    memory.claim("Shared")
    ended = memory.claim("Ended", layer="local")
    memory.run("claim.retract", claim_id=ended["claim_id"], if_revision=ended["revision_id"], reason="wrong")
    noted = memory.run("remember", text="With its own note.", layer="local")
    document = memory.artifact("A local document", layer="local")
    found = memory.run("promote")
    assert (found["applied"], found["left_out"]) == (False, 0)
    assert [(item["reason"], item["item"]["layer"]) for item in found["items"]] == [("possible", "local")] * 2
    assert [item["item"].get("claim_id") or item["item"]["artifact_id"] for item in found["items"]] == [
        document["artifact_id"],
        noted["claim_id"],
    ]
    memory.run("promote", ids=[document["artifact_id"], noted["claim_id"]], yes=True)
    assert memory.run("promote")["items"] == []


def test_what_was_promoted_says_so(memory: Memory) -> None:
    """A second look names the shared one and who wrote it; a later local revision is a revision of that."""
    claim = memory.claim("The host is heron.", layer="local")
    (plan,) = memory.run("promote", ids=[claim["claim_id"]])["items"]
    assert (plan["becomes"], plan["already"], plan["item"]["trusted"]) == (None, False, True)
    (done,) = memory.run("promote", ids=[claim["claim_id"]], yes=True)["items"]
    assert not done["already"]
    for yes in (False, True):
        tip = memory.tip()
        (again,) = memory.run("promote", ids=[claim["claim_id"]], yes=yes)["items"]
        assert (again["becomes"], again["already"], memory.tip()) == (done["becomes"], True, tip)
    memory.run("claim.revise", claim_id=claim["claim_id"], statement="It is egret.", if_revision=claim["revision_id"])
    (later,) = memory.run("promote", ids=[claim["claim_id"]])["items"]
    assert (later["becomes"], later["already"]) == (done["becomes"], False)


def test_what_cannot_be_promoted_is_refused(memory: Memory) -> None:
    """What is shared, ended, a relation, or in a draft says so; nothing is shared in part."""
    shared, local = memory.claim("Shared"), memory.claim("Local", layer="local")
    ended = memory.claim("Ended", layer="local")
    memory.run("claim.retract", claim_id=ended["claim_id"], if_revision=ended["revision_id"], reason="wrong")
    relation = memory.run("relation.put", source=local["claim_id"], target=shared["claim_id"], relation="supports")[
        "relation_id"
    ]
    drafted = memory.claim("Drafted", draft="one")["claim_id"]
    for name, code in (
        (shared["claim_id"], "INVALID_REQUEST"),
        (ended["claim_id"], "INVALID_REQUEST"),
        (relation, "INVALID_REQUEST"),
        (drafted, "NOT_FOUND"),
        ("clm_01jb3hzzzzzzzzzzzzzzzzzzzz", "NOT_FOUND"),
    ):
        assert memory.refused("promote", ids=[local["claim_id"], name], yes=True)["code"] == code
    assert memory.refused("promote", ids=[], yes=True)["code"] == "INVALID_REQUEST"


def test_what_was_forgotten_here_is_not_shown_to_everybody(memory: Memory) -> None:
    """A claim whose local document was forgotten is not promoted with it."""
    claim = local_claim(memory)
    memory.run("artifact.forget", artifact_id=claim["artifact_id"], reason="not for others")
    error = memory.refused("promote", ids=[claim["claim_id"]], yes=True)
    assert (error["code"], error["details"]["id"]) == ("INVALID_REQUEST", claim["artifact_id"])


def test_a_document_of_a_local_source_is_promoted_without_it(memory: Memory) -> None:
    """The shared document does not name the source, which lives here alone."""
    source = memory.run("source.register", kind="wiki", name="Ours", layer="local")["source_id"]
    content = {"type": "text", "data": "The host is heron."}
    named = {"source_id": source, "external_id": "1", "external_revision": "1"}
    item = memory.run("source.ingest", **named, title="Host", content=content)
    done = memory.run("promote", ids=[item["artifact_id"]], yes=True)
    assert done["applied"]
    assert source not in everything_readable(memory)


def test_a_secret_is_not_promoted(memory: Memory) -> None:
    """What was let into the local layer is screened again on its way to everybody."""
    claim = memory.run("claim.assert", claim_type="fact", statement=f"Use {TOKEN}", layer="local", allow_flagged=True)
    assert memory.refused("promote", ids=[claim["claim_id"]], yes=True)["code"] == "SECRET_DETECTED"
    assert memory.run("promote", ids=[claim["claim_id"]], yes=True, allow_flagged=True)["applied"]
