"""Who a memory is does not change because somebody pushed a record; a join still makes two memories one, everywhere."""

from __future__ import annotations

from collections.abc import Callable

from memgit.records.codec import StoreRecord, encode_record
from memgit.records.ids import StoreId
from memgit.store.repository import discover
from memgit.store.store import Store
from tests.sync.by_hand import Hand
from tests.sync.conftest import SCOPE, STORE, Clone

EVIL = StoreId("sto_" + "0" * 26)
AT = "2026-11-30T20:00:00.000000Z"


def identity(clone: Clone) -> tuple[str, str, str]:
    """The workspace, the project and the store that a clone without a marker means."""
    context = clone.run("context.resolve")
    return context["workspace_id"], context["project_id"], clone.run("status")["store_id"]


def begun(clone: Clone) -> StoreRecord:
    """The record that a clone's memory began with."""
    store = Store(discover(clone.directory))
    record = store.founder()
    store.close()
    assert record is not None
    return record


def push(clone: Clone, *records: StoreRecord) -> None:
    """Push records past memgit."""
    hand = Hand(clone)
    files = {}
    for record in records:
        digest, data = encode_record(record)
        files[f"stores/{record.store}/{digest}.yaml"] = ("100644", hand.blob(data))
    seq = int(clone.git("log", "-1", "--format=%(trailers:key=Memgit-Seq,valueonly)", STORE)) + 1
    hand.publish(clone.commit(hand.tree(files), clone.tip(), seq=seq))


def test_a_pushed_record_changes_nobodys_identity(one: Clone, two: Clone, clone: Callable[..., Clone]) -> None:
    """A founding record with the least id, alone, with an alias, or in our own store's directory: a clone that syncs
    says what came and stays what it is, and so is a new one."""
    ours = begun(one)
    before = identity(two)
    evil = StoreRecord(digest="", store=EVIL, workspace="wsp-evil", project="prj-evil", at=AT)
    alias = StoreRecord(digest="", store=EVIL, workspace="wsp-evil", project="prj-evil", at=AT, alias_of=ours.store)
    beside = StoreRecord(digest="", store=ours.store, workspace="wsp-evil", project="prj-evil", at=AT)
    for records in ((evil,), (evil, alias), (evil, alias, beside)):
        push(one, *records)
        done = two.sync()
        assert any(str(records[-1].store) in note for note in done["notes"]), done
        one.sync()
        assert identity(two) == identity(one) == before
        fresh = clone(f"fresh{len(records)}")
        fresh.sync()
        assert identity(fresh) == before
        two.claim(f"still here, {len(records)}")
        assert "first" in [claim["statement"] for claim in two.run("memory.recall", query="first")["claims"]]
        two.sync()
        one.sync()


def test_a_history_that_is_merged_in_changes_no_clones_identity(one: Clone, two: Clone) -> None:
    """Nor does one that comes with a beginning of its own: what this clone knew stays."""
    before = identity(two)
    evil = StoreRecord(digest="", store=EVIL, workspace="wsp-evil", project="prj-evil", at=AT)
    hand = Hand(one)
    digest, data = encode_record(evil)
    both = hand.tree({f"stores/{EVIL}/{digest}.yaml": ("100644", hand.blob(data))})
    root = one.commit(hand.tree({f"stores/{EVIL}/{digest}.yaml": ("100644", hand.blob(data))}, ("claims",)), seq=1)
    hand.publish(one.commit(both, root, one.tip(), seq=9))

    two.sync()

    assert identity(two) == before


def test_a_join_reaches_clones_that_merely_sync(one: Clone, two: Clone, clone: Callable[..., Clone]) -> None:
    """After a join each clone, old, joined or new, sees both memories and writes to them, whoever it is."""
    other = clone("other")
    other.run("store.init", workspace_id="wsp-other", project_id="prj-other", offline=True, marker=False)
    other.claim("zebra")
    joined = begun(other).store
    assert joined != begun(one).store
    other.refused("sync.run", "STORE_UNRELATED")
    other.sync(join=True)
    ours = identity(two)

    done = two.sync()
    fresh = clone("fresh")
    fresh.sync()

    assert any(str(joined) in note for note in done["notes"])
    assert identity(two) == ours and ours[:2] == (SCOPE["workspace_id"], SCOPE["project_id"])
    assert identity(other) == ours  # whoever joins takes the name of what it joins
    for name in (two, other, fresh):
        name.claim(f"by {name.directory.name}")
        name.sync()
    two.sync()
    other.sync()
    for name in (two, other, fresh):
        assert {*name.statements()} == {"first", "zebra", "by two", "by other", "by fresh"}
        for statement in ("first", "zebra"):
            found = name.run("memory.recall", query=statement)["claims"]
            assert statement in {claim["statement"] for claim in found}, name.directory
