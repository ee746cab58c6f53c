"""`show`, `log`, `status`, `search`, `memory.recall`, `citation.get` on a store that changes under them."""

from __future__ import annotations

import pytest

from tests.operations.conftest import SCOPE, Memory


def test_show_takes_a_unique_beginning(memory: Memory) -> None:
    """Ids can be shortened for people; relations one hop away come along."""
    one, two = memory.claim("One")["claim_id"], memory.artifact("two")["artifact_id"]
    memory.run("relation.put", source=one, relation="references", target=two)
    shown = memory.run("show", id=one[:-3])
    assert (shown["kind"], shown["item"]["statement"]) == ("claim", "One")
    assert [edge["target"] for edge in shown["relations"]] == [two]
    assert memory.run("show", id=two)["kind"] == "artifact"
    assert memory.run("show", id=shown["relations"][0]["relation_id"])["kind"] == "relation"
    assert memory.run("show", id=shown["item"]["citation"])["item"]["statement"] == "One"


def test_show_takes_a_unique_ending(memory: Memory) -> None:
    """Ids of one day begin alike; their ends differ."""
    one, _ = memory.claim("One")["claim_id"], memory.claim("Two")
    assert memory.run("show", id=one[-8:])["item"]["statement"] == "One"


def test_show_refuses_what_is_ambiguous_or_unknown(memory: Memory) -> None:
    """It names the candidates."""
    one, two = memory.claim("One")["claim_id"], memory.claim("Two")["claim_id"]
    error = memory.refused("show", id=one[:6])
    assert error["code"] == "INVALID_REQUEST"
    assert one in error["message"] and two in error["message"]
    assert memory.refused("show", id="clm_7zzzzz")["code"] == "NOT_FOUND"
    assert memory.refused("show", id="x")["code"] == "INVALID_REQUEST"


def test_the_log_is_the_write_history(memory: Memory) -> None:
    """Newest first, with subject, actor and operations; pages do not overlap; one entity can be followed."""
    first = memory.claim("First thing")
    memory.run("claim.revise", claim_id=first["claim_id"], if_revision=first["revision_id"], statement="First, revised")
    memory.claim("Second thing")
    page = memory.run("log", limit=2)
    assert [item["subject"] for item in page["items"]] == ["claim assert: Second thing", "claim revise: First, revised"]
    rest = memory.run("log", limit=10, before_commit_seq=page["next_before_commit_seq"])
    assert [item["subject"] for item in rest["items"]] == ["claim assert: First thing", "store init"]
    followed = memory.run("log", entity_id=first["claim_id"])["items"]
    assert [item["operations"][0][0] for item in followed] == ["claim.revise", "claim.assert"]
    assert memory.git("log", "--format=%s", "refs/memgit/store").splitlines()[-1] == "store init"


def test_status_counts(memory: Memory) -> None:
    """By kind and status, and what the context shows."""
    one = memory.claim("One")
    memory.claim("Two")
    memory.artifact("doc")
    memory.run("claim.retract", claim_id=one["claim_id"], if_revision=one["revision_id"], reason="x")
    status = memory.run("status")
    assert status["claims"] == {"active": 1, "retracted": 1}
    assert (status["artifacts"], status["here"]) == ({"active": 1}, {"claims": 1, "artifacts": 1})
    assert [text for _, text in status["latest"]] == ["Two"]


def test_a_read_sees_the_write_before_it(memory: Memory) -> None:
    """`min_commit_seq` is met, or INDEX_NOT_READY; never an older view in silence."""
    written = memory.envelope("remember", text="The heron dives at noon.")
    found = memory.run(
        "memory.recall", query="heron dives", min_commit_seq=written["commit_seq"], min_commit=written["commit"]
    )
    assert found["presence"] == "claims"
    error = memory.refused("memory.recall", query="heron", min_commit_seq=written["commit_seq"] + 1)
    assert (error["code"], error["details"]["requested"]) == ("INDEX_NOT_READY", written["commit_seq"] + 1)
    assert memory.refused("search", query="heron", min_commit="0" * 40)["code"] == "INDEX_NOT_READY"


def test_recall_follows_the_lifecycle(memory: Memory) -> None:
    """A superseded and a retracted claim are gone; a disputed one is shown with its conflict."""
    old, new = memory.claim("The heron dives at noon")["claim_id"], memory.claim("The heron dives at dusk")["claim_id"]

    def found() -> set[str]:
        return {item["claim_id"] for item in memory.run("memory.recall", query="when does the heron dive")["claims"]}

    assert found() == {old, new}
    memory.run("relation.put", source=old, relation="contradicts", target=new)
    answer = memory.run("memory.recall", query="when does the heron dive")
    assert {item["standing"] for item in answer["claims"]} == {"disputed"}
    assert len(answer["conflicts"]) == 1
    memory.run("relation.put", source=new, relation="supersedes", target=old)
    assert found() == {new}


def test_nothing_known_is_said_plainly(memory: Memory) -> None:
    """Presence `none`, no claims, no artifacts; a document alone is `artifacts_only`."""
    assert memory.run("memory.recall", query="ZZZXQV987654")["presence"] == "none"
    memory.artifact("The otter sleeps on its back.", title="Otters")
    assert memory.run("memory.recall", query="otter sleeps")["presence"] == "artifacts_only"


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_a_blank_query_is_refused(memory: Memory, query: str) -> None:
    """INVALID_REQUEST."""
    assert memory.refused("memory.recall", query=query)["code"] == "INVALID_REQUEST"
    assert memory.refused("search", query=query)["code"] == "INVALID_REQUEST"


@pytest.mark.parametrize("query", ["AND (", "*", "field:x", '"', "?!", "😀", "決定", "x" * 100_000, "NOT", "a"])
def test_any_query_is_only_text(memory: Memory, query: str) -> None:
    """Query syntax, punctuation, emoji, other scripts and length break nothing."""
    memory.claim("A claim that matches none of it")
    memory.run("memory.recall", query=query)
    memory.run("search", query=query)


@pytest.mark.parametrize(
    "fields", [{"max_claims": -1}, {"max_claims": 10_000}, {"max_excerpt_bytes": -5}, {"limit": 3}]
)
def test_numbers_out_of_bounds_are_refused(memory: Memory, fields: dict[str, int]) -> None:
    """Never quietly changed."""
    assert memory.refused("memory.recall", query="x", **fields)["code"] in ("INVALID_REQUEST", "LIMIT_EXCEEDED")


def test_a_deleted_or_damaged_index_costs_time_only(memory: Memory) -> None:
    """Deleting everything derived, or damaging the index, changes no answer."""
    import shutil

    memory.run("remember", text="The heron dives at noon.")
    wanted = memory.run("memory.recall", query="heron dives")["claims"]
    cache = memory.directory / ".git" / "memgit" / "cache"
    for file in (path for path in (cache / "lexical").rglob("*") if path.is_file()):
        file.write_bytes(b"damaged")
    assert memory.run("memory.recall", query="heron dives")["claims"] == wanted
    shutil.rmtree(cache)
    assert memory.run("memory.recall", query="heron dives")["claims"] == wanted


def test_citations_that_name_nothing_say_why(memory: Memory) -> None:
    """The kinds of the contract."""
    artifact = memory.artifact("é" * 5_000)
    base = f"memoree://artifact/{artifact['artifact_id']}@{artifact['revision_id']}"
    other = "0" * 26
    for citation, kind in (
        (base, "range_required"),
        (f"{base}#0-20000", "invalid_range"),
        (f"{base}#4-2", "invalid_range"),
        (f"{base}#1-4", "split_code_point"),
        (f"memoree://artifact/art_{other}@{artifact['revision_id']}#0-2", "unknown_artifact"),
        (f"memoree://artifact/{artifact['artifact_id']}@arev_{other}#0-2", "unknown_revision"),
    ):
        error = memory.refused("citation.get", citation=citation)
        assert (error["code"], error["details"]["kind"]) == ("CITATION_ERROR", kind), citation
    image = memory.run(
        "artifact.put", kind="image", title="I", media_type="image/png", content={"type": "base64", "data": "/w=="}
    )
    error = memory.refused("citation.get", citation=f"memoree://artifact/{image['artifact_id']}@{image['revision_id']}")
    assert error["details"]["kind"] == "not_text"
    for nonsense in ("", "http://example.org", "memoree://artifact/../../x@y", base + "#1", SCOPE["project_id"]):
        assert memory.refused("citation.get", citation=nonsense)["code"] == "INVALID_REQUEST"
