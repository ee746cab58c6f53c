"""`undo` in layers: `@last` is the last write wherever it went; an undo goes to the layer that holds what it takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.conftest import Memory


def undo(memory: Memory, *targets: str, **fields: Any) -> dict[str, Any]:
    """Undo and return what was said."""
    return memory.run("undo", targets=list(targets), **fields)


def status(memory: Memory, claim: str, **fields: Any) -> str:
    """Return a claim's status as a reader of some layers sees it."""
    found: str = memory.run("claim.get", claim_id=claim, **fields)["status"]
    return found


@pytest.mark.parametrize("place", [{"layer": "local"}, {"draft": "one"}])
def test_last_is_the_last_write_in_whichever_layer(memory: Memory, place: dict[str, str]) -> None:
    """After a private write `@last` takes that one back, there, and leaves the shared layer alone; twice is a redo."""
    shared = memory.claim("Shared")["claim_id"]
    private = memory.claim("Private", **place)["claim_id"]
    tip, sight = memory.tip(), {"draft": "one"} if "draft" in place else {}
    done = undo(memory, "@last")
    assert ([one["entity"] for one in done["cancelled"]], memory.tip()) == ([private], tip)
    assert done["layer"] == place.get("layer", "draft:one")
    assert (status(memory, private, **sight), status(memory, shared)) == ("void", "active")
    undo(memory, "@last")
    assert status(memory, private, **sight) == "active"
    memory.claim("Shared again")
    assert undo(memory, "@last")["layer"] == "shared"


def test_a_writer_in_a_draft_looks_no_further(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `MEMGIT_DRAFT` another draft's last write is not mine; what is shared is undone in the draft."""
    monkeypatch.setenv("MEMGIT_DRAFT", "one")
    mine = memory.claim("Mine")["claim_id"]
    monkeypatch.setenv("MEMGIT_DRAFT", "two")
    other = memory.claim("Another's")["claim_id"]
    monkeypatch.setenv("MEMGIT_DRAFT", "one")
    done = undo(memory, "@last")
    assert ([one["entity"] for one in done["cancelled"]], done["layer"]) == ([mine], "draft:one")
    assert status(memory, other, draft="two") == "active"
    tip = memory.tip()
    shared = memory.claim("Shared", layer="shared")["claim_id"]
    assert memory.tip() != tip
    assert undo(memory, shared)["layer"] == "draft:one"
    assert (status(memory, shared), status(memory, shared, layer="shared")) == ("void", "active")


def test_what_a_private_layer_holds_is_undone_there(memory: Memory) -> None:
    """By commit, digest, revision or id: a local revision of a shared claim, and what only a draft has."""
    claim = memory.claim("The port is 80.")
    name = claim["claim_id"]
    for form in ("id", "commit", "digest", "revision"):
        changed = {"statement": f"The port is 81, says the {form}.", "if_revision": claim["revision_id"]}
        revision = memory.run("claim.revise", claim_id=name, layer="local", **changed)["revision_id"]
        entry = memory.run("log", layer="local", limit=1, patch=True)["items"][0]
        forms = {"id": name, "commit": entry["commit"], "digest": entry["said"][0]["digest"], "revision": revision}
        tip = memory.tip()
        done = undo(memory, forms[form])
        assert ([one["verb"] for one in done["cancelled"]], done["layer"]) == (["revise"], "local"), form
        assert memory.tip() == tip
        assert memory.run("claim.get", claim_id=name)["statement"] == "The port is 80."
    drafted = memory.claim("Drafted", draft="one")
    assert undo(memory, drafted["revision_id"])["layer"] == "draft:one"


def test_one_undo_is_in_one_layer(memory: Memory) -> None:
    """Targets that lie in several layers are refused; a layer that is named holds for all."""
    shared = memory.claim("Shared")["claim_id"]
    local = memory.claim("Local", layer="local")["claim_id"]
    error = memory.refused("undo", targets=[shared, local])
    assert (error["code"], error["details"]["layers"]) == ("INVALID_REQUEST", ["local", "shared"])
    assert undo(memory, shared, local, layer="local")["layer"] == "local"
    assert (status(memory, shared), status(memory, shared, layer="shared")) == ("void", "active")


def test_last_is_also_a_merge_of_what_somebody_else_wrote(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who merged a draft takes the whole merge back by `@last`, whoever wrote it."""
    memory.claim("Before")
    monkeypatch.setenv("MEMGIT_AGENT", "helper")
    drafted = memory.claim("Drafted", draft="one")["claim_id"]
    monkeypatch.delenv("MEMGIT_AGENT")
    memory.run("draft.merge", name="one")
    assert [one["entity"] for one in undo(memory, "@last")["cancelled"]] == [drafted]
