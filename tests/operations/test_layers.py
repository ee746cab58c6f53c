"""The laws of layers: one sequence, a union that is the fold, and nothing private in what is shared."""

from __future__ import annotations

import shutil

import pytest

from memgit.errors import StoreBusy
from memgit.store.layers import PrivateStore
from tests.operations.conftest import Memory
from tests.operations.layering import LAYERS, Writes, cached, folded, ids_named, layers_of, ops_in

SIGHTS = ((), ("local",), ("draft:one",), ("draft:one", "local"))


@pytest.mark.parametrize("seed", range(4))
def test_the_state_of_several_layers_is_the_fold_of_their_union(memory: Memory, seed: int) -> None:
    """Whatever was written where, the cached state of each combination equals a fresh fold of the united trees."""
    writes = Writes(memory.directory, seed)
    for _ in range(4):
        for _ in range(6):
            writes.step()
        invocation, layers = layers_of(memory.directory)
        for names in SIGHTS:
            if not set(names) <= set(layers.names()):
                continue
            state = invocation.state_of(layers.snapshot(names))
            fresh = folded(layers, ("shared", *names))
            assert cached(state) == (fresh.entities, fresh.cases)
            for layer in ("shared", *names):
                assert {state.layer_of(op.digest) for op in ops_in(layers, layer)} <= {layer}
        invocation.close()


@pytest.mark.parametrize("seed", (10, 11))
def test_seqs_are_unique_and_shared_operations_name_nothing_private(memory: Memory, seed: int) -> None:
    """All layers take from one sequence, each later write a higher seq; a layer names only what it holds or shared."""
    writes = Writes(memory.directory, seed)
    highest = 0
    for _ in range(30):
        writes.step()
        invocation, layers = layers_of(memory.directory)
        seqs = [op.seq for layer in LAYERS for op in ops_in(layers, layer)]
        assert len(set(seqs)) == len(seqs)
        newest = max(seqs, default=0)
        assert newest >= highest
        highest = newest
        invocation.close()
    invocation, layers = layers_of(memory.directory)
    shared = {op.entity for op in ops_in(layers, "shared")}
    for layer in LAYERS:
        own = {op.entity for op in ops_in(layers, layer)}
        for op in ops_in(layers, layer):
            assert ids_named(op) <= shared | own
    assert {error["code"] for _, _, error in writes.refused} <= {"NOT_FOUND", "INVALID_REQUEST", "REVISION_CONFLICT"}
    assert any(error["details"].get("layer") for _, _, error in writes.refused), "the scenario never crossed a layer"
    invocation.close()


def test_local_memory_is_recalled_labelled_and_stays_out_of_the_shared_layer(memory: Memory) -> None:
    """What is local is an answer here, says so, and is nowhere in the shared layer's objects or refs."""
    memory.run("remember", text="The retry limit is three.")
    before = memory.tip()
    memory.run("remember", text="My own staging host is called heron.", layer="local")
    assert memory.tip() == before
    found = memory.run("memory.recall", query="what is the staging host called")
    assert [(item["statement"], item["layer"]) for item in found["claims"]] == [
        ("My own staging host is called heron.", "local")
    ]
    assert [item["layer"] for item in found["artifacts"]] == ["local"]
    shared = memory.run("memory.recall", query="what is the staging host called", layer="shared")
    assert shared["presence"] == "none"
    assert memory.run("memory.recall", query="retry limit")["claims"][0]["layer"] == "shared"
    assert "heron" not in everything_readable(memory)


def test_answers_speak_of_the_shared_layer_and_name_the_others(memory: Memory) -> None:
    """`commit` and `commit_seq` are the shared layer's; `layers` tells of those that an answer unites with it."""
    shared = memory.envelope("remember", text="The limit is three.")
    local = memory.envelope("remember", text="The local limit is four.", layer="local")
    answer = memory.envelope("memory.recall", query="limit")
    assert (answer["commit_seq"], answer["commit"]) == (shared["commit_seq"], memory.tip())
    assert answer["layers"] == {"local": {"commit_seq": local["commit_seq"], "commit": local["commit"]}}
    assert local["layers"] == {"local": {"commit_seq": local["commit_seq"], "commit": local["commit"]}}
    assert "layers" not in memory.envelope("memory.recall", query="limit", layer="shared")
    assert memory.run("memory.recall", query="limit", min_commit_seq=local["commit_seq"])["presence"] == "claims"
    assert memory.run("memory.recall", query="limit", min_commit=local["commit"])["presence"] == "claims"
    refused = memory.refused("memory.recall", query="limit", min_commit=local["commit"], layer="shared")
    assert refused["code"] == "INDEX_NOT_READY"


def test_a_change_goes_to_where_the_entity_lives(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a word a local claim is changed locally, a shared one for everybody, or in the ambient draft."""
    local, shared = memory.claim("A local port", layer="local"), memory.claim("A shared port")
    heads = lambda claim: memory.run("claim.get", claim_id=claim["claim_id"])["heads"]  # noqa: E731
    revise = lambda claim, text: memory.envelope(  # noqa: E731
        "claim.revise", claim_id=claim["claim_id"], if_revisions=heads(claim), statement=text
    )
    assert list(revise(local, "Another local port")["layers"]) == ["local"]
    assert "layers" not in revise(shared, "Another shared port")
    relation = memory.envelope(
        "relation.put", source=local["claim_id"], target=shared["claim_id"], relation="contradicts"
    )
    assert list(relation["layers"]) == ["local"]
    monkeypatch.setenv("MEMGIT_DRAFT", "later")
    assert list(revise(shared, "A port in a draft")["layers"]) == ["draft:later"]
    assert list(revise(local, "Still local")["layers"]) == ["local"]
    assert list(memory.envelope("remember", text="New things go to the draft")["layers"]) == ["draft:later"]
    assert "layers" not in memory.envelope("remember", text="Explicit wins", layer="shared")


def test_the_default_layer_is_for_what_is_new(memory: Memory) -> None:
    """`defaultLayer` local keeps new memory in this clone; a shared claim is still changed for everybody."""
    shared = memory.claim("A shared port")
    memory.git("config", "memgit.defaultLayer", "local")
    assert list(memory.envelope("remember", text="New and local")["layers"]) == ["local"]
    revised = memory.envelope(
        "claim.revise", claim_id=shared["claim_id"], if_revision=shared["revision_id"], statement="Another port"
    )
    assert revised["ok"]
    assert "layers" not in revised
    assert "layers" not in memory.envelope("remember", text="For everybody", layer="shared")


def test_what_a_layer_does_not_see_is_refused_with_where_it_is(memory: Memory) -> None:
    """A shared write that names a local or a draft's entity says which layer holds it and how to go on."""
    shared = memory.claim("Shared")
    local, drafted = memory.claim("Local", layer="local"), memory.claim("Drafted", draft="one")
    document = memory.artifact("A local document", layer="local")
    ends = {"source": shared["claim_id"], "relation": "supports", "layer": "shared"}
    error = memory.refused("relation.put", target=local["claim_id"], **ends)
    assert (error["code"], error["details"]["layer"]) == ("NOT_FOUND", "local")
    assert f"promote {local['claim_id']}" in error["hint"]
    error = memory.refused("relation.put", target=drafted["claim_id"], **ends)
    assert (error["code"], error["details"]["layer"]) == ("NOT_FOUND", "draft:one")
    evidence = [{"artifact_id": document["artifact_id"], "revision_id": document["revision_id"]}]
    error = memory.refused("claim.assert", claim_type="fact", statement="Rests on it", evidence=evidence)
    assert (error["code"], error["details"]["layer"]) == ("CITATION_ERROR", "local")
    error = memory.refused("claim.get", claim_id=drafted["claim_id"])
    assert (error["code"], error["details"]["layer"]) == ("NOT_FOUND", "draft:one")
    assert "--draft one" in error["hint"]
    assert memory.run("claim.get", claim_id=drafted["claim_id"], draft="one")["layer"] == "draft:one"
    error = memory.refused("claim.retract", claim_id=local["claim_id"], reason="x", if_revision="r", draft="one")
    assert error["details"]["layer"] == "local"


def test_a_request_names_one_layer(memory: Memory) -> None:
    """A layer and a draft at once, and what cannot name a draft, are refused before anything is made."""
    assert memory.refused("remember", text="x", layer="local", draft="one")["code"] == "INVALID_REQUEST"
    for name in ("", "UPPER", "a..b", "a/b", "a.lock", "a.new", "a.previous", ".hidden", "x" * 65, "-x", "ä", "a b"):
        assert memory.refused("remember", text="x", draft=name)["code"] == "INVALID_REQUEST", name
    assert memory.refused("memory.recall", query="x", draft="nobody")["code"] == "NOT_FOUND"
    assert not (memory.directory / ".git" / "memgit" / "state" / "private.git").exists()


def test_a_key_means_one_request_in_one_layer(memory: Memory) -> None:
    """A retry gives the first outcome whichever layer it went to; the same key for another layer is a conflict."""
    first = memory.envelope("remember", text="Once", layer="local", key="k1")
    again = memory.envelope("remember", text="Once", layer="local", key="k1")
    assert (again["result"], again["commit_seq"]) == (first["result"], first["commit_seq"])
    for other in ({"layer": "shared"}, {"draft": "one"}):
        assert memory.refused("remember", text="Once", key="k1", **other)["code"] == "IDEMPOTENCY_CONFLICT"
    memory.run("remember", text="Everybody", key="k2")
    assert memory.refused("remember", text="Everybody", key="k2", layer="local")["code"] == "IDEMPOTENCY_CONFLICT"


def test_a_document_that_is_shared_is_not_revised_locally(memory: Memory) -> None:
    """A local claim on a new state of a shared document keeps that state as a local artifact: nothing forks."""
    document = {"title": "a.md", "path": "a.md", "content": {"type": "text", "data": "The first state."}}
    shared = memory.run("remember", text="The first state.", document=document)
    same = memory.run("remember", text="Nothing new", document=document, layer="local")
    assert same["artifact_id"] == shared["artifact_id"]
    document["content"] = {"type": "text", "data": "The second state."}
    local = memory.run("remember", text="The second state.", document=document, layer="local")
    assert local["artifact_id"] != shared["artifact_id"]
    later = memory.run("remember", text="The second state.", document=document, layer="shared")
    assert later["artifact_id"] == shared["artifact_id"]
    assert memory.run("conflict.list")["items"] == []


def test_caches_of_layers_can_be_deleted(memory: Memory) -> None:
    """Deleting memgit/cache costs time alone, with layers too; nothing is said of damage."""
    memory.run("remember", text="The shared limit is three.")
    memory.run("remember", text="The local limit is four.", layer="local")
    memory.run("remember", text="The drafted limit is five.", draft="one")
    asked = {"query": "limit", "draft": "one"}
    before = memory.run("memory.recall", **asked)
    shutil.rmtree(memory.directory / ".git" / "memgit" / "cache")
    after = memory.envelope("memory.recall", **asked)
    assert [item["claim_id"] for item in after["result"]["claims"]] == [item["claim_id"] for item in before["claims"]]
    assert {item["layer"] for item in after["result"]["claims"]} == {"shared", "local", "draft:one"}
    assert after["warnings"] == []


def test_layers_are_counted_and_checked(memory: Memory) -> None:
    """`status` counts what this clone holds alone; `verify` names what is damaged in it."""
    memory.run("remember", text="Shared")
    assert memory.run("status")["layers"] == {}
    memory.run("remember", text="Local", layer="local")
    memory.claim("Drafted", draft="one")
    assert memory.run("status")["layers"] == {"local": 2, "draft:one": 1}
    report = memory.run("verify")
    assert (report["ok"], report["checked"]["local claims"], report["checked"]["draft:one claims"]) == (True, 1, 1)
    private = memory.directory / ".git" / "memgit" / "state" / "private.git"
    for log in (private.parent / "log").glob("*local"):
        log.unlink()
    damaged = memory.git("-C", str(private), "rev-parse", "refs/memgit/local^{tree}")
    (private / "objects" / damaged[:2] / damaged[2:]).unlink()
    report = memory.run("verify")
    assert report["ok"] is False
    assert {finding["where"].partition(":")[0] for finding in report["findings"]} == {"local"}
    assert memory.run("remember", text="A damaged layer stops no shared write")["claim_id"]
    answer = memory.envelope("memory.recall", query="damaged layer")
    assert answer["result"]["presence"] == "claims"
    assert any("left out" in warning for warning in answer["warnings"])


def test_a_private_repository_that_cannot_be_opened_hides_itself_alone(memory: Memory) -> None:
    """Shared memory is read and written beside a private repository that is no repository any more, and it is said."""
    memory.run("remember", text="The local limit is four.", layer="local")
    memory.run("remember", text="The shared limit is three.")
    private = memory.directory / ".git" / "memgit" / "state" / "private.git"
    (private / "config").write_text("[core\nnonsense")
    memory.run("remember", text="The shared limit is five.")
    answer = memory.envelope("memory.recall", query="shared limit")
    assert len(answer["result"]["claims"]) == 2
    assert any("left out" in warning for warning in answer["warnings"])
    assert not memory.envelope("remember", text="x", layer="local")["ok"]


def everything_readable(memory: Memory) -> str:
    """Return the content of all objects of the user's own repository."""
    names = memory.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").splitlines()
    blobs = [line.split()[0] for line in names if line.endswith(("blob", "commit"))]
    return "".join(memory.git("cat-file", "-p", name) for name in blobs)


def test_what_the_shared_layer_holds_is_shared(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation that both hold, as between the two steps of a merge, is labelled shared: cached before or not."""
    claim = memory.claim("Drafted", draft="one")
    read = {"claim_id": claim["claim_id"], "draft": "one"}
    assert memory.run("claim.get", **read)["layer"] == "draft:one"

    def stop(*_: object) -> bool:
        raise StoreBusy("interrupted")

    monkeypatch.setattr(PrivateStore, "retire", stop)
    assert memory.envelope("draft.merge", name="one")["error"]["code"] == "STORE_BUSY"
    assert memory.run("claim.get", **read)["layer"] == "shared"
    shutil.rmtree(memory.directory / ".git" / "memgit" / "cache")
    assert memory.run("claim.get", **read)["layer"] == "shared"


def test_a_layer_holds_the_bytes_of_its_own_artifacts(memory: Memory) -> None:
    """Bytes that the shared layer has too are in the layer's tree: it can be shared and merged by itself."""
    memory.artifact("The same bytes")
    memory.artifact("The same bytes", draft="one")
    invocation, layers = layers_of(memory.directory)
    assert len(list(layers.private("draft:one").snapshot().files("blobs"))) == 1
    invocation.close()
