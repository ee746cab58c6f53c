"""Two stores that began apart and were joined: one project under two names, for reading, writing and retrying."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memgit.index.meanings import aliases_at
from memgit.records.codec import StoreRecord
from memgit.store.join import joined
from memgit.store.objects import ObjectId
from memgit.store.repository import discover
from memgit.store.store import Store
from memgit.store.transaction import Transaction
from memgit.store.writer import Result
from tests.operations.conftest import Memory

HERE = {"workspace_id": "wsp-here", "project_id": "prj-here"}
THERE = {"workspace_id": "wsp-there", "project_id": "prj-there"}
ELSEWHERE = {"workspace_id": "wsp-there", "project_id": "prj-elsewhere"}


def begin(directory: Path, scope: dict[str, str]) -> Memory:
    """A repository with a store of its own."""
    subprocess.run(["git", "init", "-q", str(directory)], check=True)
    memory = Memory(directory)
    memory.run("store.init", **scope)
    return memory


@pytest.fixture
def apart(tmp_path: Path) -> tuple[Memory, Memory]:
    """Two repositories, each with its own memory of the same project."""
    return begin(tmp_path / "here", HERE), begin(tmp_path / "there", THERE)


def put_record(memory: Memory, record: StoreRecord) -> None:
    """Write a store record as it is."""

    def build(transaction: Transaction) -> Result:
        transaction.put_store(record)
        return {}

    store = Store(discover(memory.directory))
    store.write(build)
    store.close()


def unite(memory: Memory, other: Memory) -> None:
    """Bring the other repository's memory in, as a sync does, without saying that they are one."""
    memory.git("fetch", "-q", str(other.directory), "+refs/memgit/store:refs/theirs")
    store = Store(discover(memory.directory))
    pair = [store.snapshot(ObjectId(memory.git("rev-parse", name))) for name in ("refs/memgit/store", "refs/theirs")]
    objects = joined(store.database, pair[0], pair[1], store.author().signature, "store join: there")
    store.database.write(objects)
    memory.git("update-ref", "refs/memgit/store", objects[-1].oid)
    store.close()


def alias(memory: Memory) -> None:
    """Say that the two stores are one."""
    least, other = sorted(founded(memory), key=lambda record: record.store)
    put_record(
        memory,
        StoreRecord(
            digest="",
            store=other.store,
            workspace=other.workspace,
            project=other.project,
            at=other.at,
            alias_of=least.store,
        ),
    )


def founded(memory: Memory) -> list[StoreRecord]:
    """The founding records of a memory."""
    store = Store(discover(memory.directory))
    records = [record for record in store.snapshot().stores() if record.alias_of is None]
    store.close()
    return records


def says(memory: Memory, context: dict[str, str], query: str = "port", **fields: Any) -> list[str]:
    """What recall answers from a context."""
    recalled = memory.run("memory.recall", context=context, query=query, **fields)
    return sorted(item["statement"] for item in recalled["claims"])


def test_one_project_under_two_names(apart: tuple[Memory, Memory]) -> None:
    """Before the alias each name shows its own; after it both show both, in recall, search, status and `sees`."""
    here, there = apart
    ours = here.claim("The port is 8080.")["claim_id"]
    theirs = there.claim("The port is 9090.")["claim_id"]
    unite(here, there)
    assert (says(here, HERE), says(here, THERE)) == (["The port is 8080."], ["The port is 9090."])
    alias(here)

    both = ["The port is 8080.", "The port is 9090."]
    for context in (HERE, THERE):
        assert says(here, context) == both
        hits = here.run("search", context=context, query="port")["hits"]
        assert {hit["claim"]["claim_id"] for hit in hits} == {ours, theirs}
        status = here.run("status", context=context)
        assert status["here"]["claims"] == 2
        assert {line[0] for line in status["latest"]} == {ours, theirs}
        wide = says(here, context, horizon="workspace", reason="all of it")
        assert set(wide) == set(both)  # the other clone, of which this machine knows too, says its own once more
    assert says(here, ELSEWHERE) == []
    # A fresh cache says the same: nothing depends on the order in which things came.
    here.git("config", "memgit.ref", "refs/memgit/store")
    subprocess.run(["rm", "-rf", str(here.directory / ".git/memgit/cache")], check=True)
    assert (says(here, HERE), says(here, THERE)) == (both, both)


def test_items_of_both_are_written_from_both(apart: tuple[Memory, Memory]) -> None:
    """Revise, retract, relate and undo across the names; an entity keeps the scope that it began with."""
    here, there = apart
    ours, theirs = here.claim("The port is 8080."), there.claim("The port is 9090.")
    document = there.artifact("It listens on 9090.\n")["artifact_id"]
    unite(here, there)
    assert here.refused("claim.retract", claim_id=theirs["claim_id"], reason="x", if_revision=theirs["revision_id"])[
        "code"
    ] == ("SCOPE_VIOLATION")
    alias(here)

    revised = here.run(
        "claim.revise", claim_id=theirs["claim_id"], if_revision=theirs["revision_id"], statement="It is 7070."
    )
    view = here.run("claim.get", claim_id=theirs["claim_id"])
    assert (view["workspace_id"], view["project_id"], view["revision_number"]) == ("wsp-there", "prj-there", 2)
    relation = here.run(
        "relation.put", context=THERE, source=ours["claim_id"], target=theirs["claim_id"], relation="contradicts"
    )
    for context in (HERE, THERE):
        listed = here.run("relation.list", context=context, anchor=ours["claim_id"])["items"]
        assert [edge["relation_id"] for edge in listed] == [relation["relation_id"]]
        assert len(here.run("conflict.list", context=context)["items"]) == 1
    here.run("undo", context=HERE, targets=[relation["relation_id"]])
    assert here.run("relation.list", anchor=ours["claim_id"])["items"][0]["void"]
    here.run("claim.retract", claim_id=theirs["claim_id"], reason="wrong", if_revision=revised["revision_id"])
    here.run("artifact.forget", artifact_id=document, reason="old")
    assert says(here, THERE) == ["The port is 8080."]
    assert here.run("verify")["ok"]


def test_a_retry_is_known_under_either_name(apart: tuple[Memory, Memory]) -> None:
    """A key that was used before the join gives its first outcome after it, from either marker; another request is
    refused under both."""
    here, there = apart
    first = there.claim("The port is 9090.", key="import-1")
    second = here.claim("The port is 8080.", key="import-2")
    unite(here, there)
    alias(here)
    tip = here.tip()
    for context in (HERE, THERE):
        again = here.run(
            "claim.assert", context=context, key="import-1", claim_type="fact", statement="The port is 9090."
        )
        assert again == first
        again = here.run(
            "claim.assert", context=context, key="import-2", claim_type="fact", statement="The port is 8080."
        )
        assert again == second
        for key in ("import-1", "import-2"):
            error = here.refused("claim.assert", context=context, key=key, claim_type="fact", statement="Another.")
            assert error["code"] == "IDEMPOTENCY_CONFLICT"
    assert here.tip() == tip


def test_a_key_that_both_used_keeps_both_outcomes(apart: tuple[Memory, Memory]) -> None:
    """One key for two requests before the join: each name still gets its own first outcome."""
    here, there = apart
    ours, theirs = here.claim("The port is 8080.", key="one"), there.claim("The port is 9090.", key="one")
    unite(here, there)
    alias(here)
    for context in (HERE, THERE):
        for statement, expected in (("The port is 8080.", ours), ("The port is 9090.", theirs)):
            again = here.run("claim.assert", context=context, key="one", claim_type="fact", statement=statement)
            assert again == expected


def test_an_import_finds_the_document_under_the_other_name(apart: tuple[Memory, Memory]) -> None:
    """A document that came from the other store is revised, not doubled."""
    here, there = apart
    (there.directory / "docs").mkdir()
    (there.directory / "docs" / "notes.md").write_text("# Ports\n\n9090\n")
    there.run("import.markdown", directory=str(there.directory / "docs"))
    unite(here, there)
    alias(here)
    (here.directory / "docs").mkdir()
    (here.directory / "docs" / "notes.md").write_text("# Ports\n\n8080\n")
    done = here.run("import.markdown", directory=str(here.directory / "docs"))
    assert here.run("status")["artifacts"]["active"] == 1, done


def test_writing_goes_on_without_a_rebuild(apart: tuple[Memory, Memory]) -> None:
    """After the join the derived files follow differences as before, and new items of either name are seen by both."""
    here, there = apart
    there.claim("The port is 9090.")
    unite(here, there)
    alias(here)
    assert says(here, HERE) == ["The port is 9090."]
    here.run("claim.assert", context=THERE, claim_type="fact", statement="The port is 1111.")
    here.run("claim.assert", context=HERE, claim_type="fact", statement="The port is 2222.")
    expected = ["The port is 1111.", "The port is 2222.", "The port is 9090."]
    assert (says(here, HERE), says(here, THERE)) == (expected, expected)


def test_a_task_stays_a_task(apart: tuple[Memory, Memory]) -> None:
    """What one task noted is out of sight of another, under whichever name."""
    here, there = apart
    there.run("claim.assert", context={**THERE, "task_id": "tsk-one"}, claim_type="fact", statement="The port is 1111.")
    unite(here, there)
    alias(here)
    assert says(here, HERE) == []
    assert says(here, {**HERE, "task_id": "tsk-two"}) == []
    assert says(here, {**HERE, "task_id": "tsk-one"}) == ["The port is 1111."]


def test_a_hostile_alias_merges_nothing(apart: tuple[Memory, Memory]) -> None:
    """A record that names a project which no store of this tree undoubtedly began changes no answer and no right."""
    here, there = apart
    here.claim("The port is 8080.")
    foreign = here.run("claim.assert", context=ELSEWHERE, claim_type="fact", statement="The port is 1.")
    begun = founded(here)[0]
    stranger = founded(there)[0]
    at = begun.at
    for record in (
        StoreRecord(digest="", store=stranger.store, **named(ELSEWHERE), at=at, alias_of=begun.store),
        StoreRecord(digest="", store=begun.store, **named(ELSEWHERE), at=at, alias_of=begun.store),
        StoreRecord(digest="", store=begun.store, **named(ELSEWHERE), at=at, alias_of=stranger.store),
    ):
        put_record(here, record)
        assert says(here, HERE) == ["The port is 8080."]
        assert says(here, ELSEWHERE) == ["The port is 1."]
        error = here.refused(
            "claim.retract", claim_id=foreign["claim_id"], reason="x", if_revision=foreign["revision_id"]
        )
        assert error["code"] == "SCOPE_VIOLATION"


def named(scope: dict[str, str]) -> dict[str, Any]:
    """A scope by the fields of a store record."""
    return {"workspace": scope["workspace_id"], "project": scope["project_id"]}


def test_an_alias_reaches_no_other_store(apart: tuple[Memory, Memory]) -> None:
    """An alias of one tree says nothing of another repository, whatever workspace it names."""
    here, there = apart
    here.claim("The port is 8080.")
    there.claim("The port is 9090.")
    stranger = StoreRecord(
        digest="",
        store=type(founded(here)[0].store)("sto_" + "7" + "z" * 25),
        **named(THERE),
        at=founded(here)[0].at,
    )
    put_record(here, stranger)
    put_record(
        here,
        StoreRecord(
            digest="",
            store=stranger.store,
            **named(THERE),
            at=stranger.at,
            alias_of=founded(here)[0].store,
        ),
    )
    assert says(here, HERE, horizon="workspace", reason="x") == ["The port is 8080."]
    assert says(there, THERE) == ["The port is 9090."]
    assert says(there, THERE, horizon="workspace", reason="x") == ["The port is 9090."]


def test_a_repository_without_a_marker_is_the_canonical_project(apart: tuple[Memory, Memory]) -> None:
    """The store's own identity is that of a founding record, whatever an alias says beside it."""
    here, there = apart
    unite(here, there)
    alias(here)
    (here.directory / ".memoree.toml").unlink()
    least = min(founded(here), key=lambda record: record.store)
    for record in (
        StoreRecord(digest="", store=least.store, **named(ELSEWHERE), at=least.at, alias_of=least.store),
        StoreRecord(
            digest="", store=type(least.store)("sto_" + "0" * 26), **named(ELSEWHERE), at=least.at, alias_of=least.store
        ),
    ):
        put_record(here, record)
        resolved = here.run("context.resolve")
        assert (resolved["workspace_id"], resolved["project_id"]) == (least.workspace, least.project)


def test_a_record_speaks_of_its_own_store(apart: tuple[Memory, Memory]) -> None:
    """A record in another store's directory is no record of a store."""
    here, _ = apart
    begun = founded(here)[0]
    stray = here.git("rev-parse", f"refs/memgit/store:stores/{begun.store}").strip()
    name = here.git("ls-tree", "--name-only", stray)
    path = f"stores/sto_{'0' * 26}/{name}"
    blob = here.git("rev-parse", f"refs/memgit/store:stores/{begun.store}/{name}")
    index = {"GIT_INDEX_FILE": str(here.directory / ".git/stray-index")}
    environment = {**os.environ, **index}
    for command in (
        ["git", "read-tree", "refs/memgit/store"],
        ["git", "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}"],
    ):
        subprocess.run(command, cwd=here.directory, env=environment, check=True)
    tree = subprocess.check_output(["git", "write-tree"], cwd=here.directory, env=environment, text=True).strip()
    message = here.git("log", "-1", "--format=%B", "refs/memgit/store")
    commit = here.git("commit-tree", tree, "-p", "refs/memgit/store", "-m", message)
    here.git("update-ref", "refs/memgit/store", commit)
    store = Store(discover(here.directory))
    assert store.snapshot().stores() == [begun]
    assert not aliases_at(store.snapshot())
    store.close()
    assert any("another store" in finding["what"] for finding in here.run("verify")["findings"])


def test_a_source_of_either_store_is_the_projects(apart: tuple[Memory, Memory]) -> None:
    """It is registered once, its items come in, and what is derived from them can be dropped, under both names."""
    here, there = apart
    named = {"kind": "wiki", "name": "pages"}
    source = there.run("source.register", context=THERE, **named)["source_id"]
    unite(here, there)
    alias(here)
    assert here.run("source.register", context=HERE, **named) == {"source_id": source, "existed": True}
    content = {"type": "text", "data": "Deploy on Tuesdays."}
    item = {"source_id": source, "external_id": "7"}
    page = here.run(
        "source.ingest", context=HERE, **item, external_revision="1", title="Page", content=content
    )  # fmt: skip
    derived = here.run(
        "projection.put", context=THERE, artifact_id=page["artifact_id"], revision_id=page["revision_id"],
        kind="summary", spans=[{"start_byte": 0, "end_byte": 6}], text="When to deploy",
    )  # fmt: skip
    for scope in (HERE, THERE):
        assert here.run("source.checkpoint", context=scope, source_id=source, cursor=scope["project_id"])["changed"]
    assert here.run("projection.drop", context=HERE, projection_id=derived["projection_id"])["changed"]
    assert here.run("source.withdraw", context=HERE, **item)["changed"]
