"""Layers as the store sees them: a private repository of its own, one lock and one sequence, a union that is read."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.errors import InvalidRequest
from memgit.records.ids import new_entity_id, new_revision_id
from memgit.records.op import ClaimPayload, Scope, draft
from memgit.store import private
from memgit.store.layered_snapshot import LayeredSnapshot, private_layers
from memgit.store.layers import Layers
from memgit.store.private import draft_layer, private_repository
from memgit.store.repository import discover
from memgit.store.store import Store, StoreOptions
from memgit.store.transaction import Transaction
from memgit.store.writer import Result
from tests.conftest import MakeRepository
from tests.store.scenario import git

SCOPE = Scope("w", "p")


def put(store: Store, statement: str) -> int:
    """Assert a claim and return its seq."""

    def build(transaction: Transaction) -> Result:
        payload = ClaimPayload(claim_type="fact", statement=statement)
        revision = new_revision_id("claim")
        transaction.stage(draft("assert", new_entity_id("claim"), SCOPE, payload, revision=revision))
        return {}

    return store.write(build).seq


@pytest.fixture(params=["plain", "sha256"])
def layers(repository: MakeRepository, request: pytest.FixtureRequest) -> Iterator[Layers]:
    """A fresh store's layers."""
    shared = Store(discover(repository(request.param)), StoreOptions(pack_every=5))
    shared.initialize("w", "p")
    opened = Layers(shared)
    yield opened
    opened.close()
    shared.close()


def test_each_write_is_above_all_layers(layers: Layers) -> None:
    """Whichever layer is written next, its seq is above every other's."""
    order = ["shared", "local", "draft:a", "shared", "draft:b", "draft:a", "local", "shared"]
    seqs = [put(layers.writable(layer), f"{layer} {number}") for number, layer in enumerate(order)]
    assert seqs == list(range(2, len(order) + 2))
    assert layers.names() == ["local", "draft:a", "draft:b"]


def test_a_layer_begins_with_the_same_store(layers: Layers) -> None:
    """Its tree has the store's own record and format, and otherwise what was written to it."""
    put(layers.shared, "shared")
    put(layers.writable("local"), "local")
    snapshot = layers.private("local").snapshot()
    assert snapshot.stores() == layers.shared.snapshot().stores()
    assert sorted({path.partition("/")[0] for path, _ in snapshot.files()}) == ["claims", "format", "stores"]
    assert len(list(snapshot.files("claims"))) == 1


def test_a_write_that_stages_nothing_begins_no_layer(layers: Layers) -> None:
    """A dry run or a refused request leaves no empty draft."""
    layers.writable("draft:a").write(lambda _: {})
    with pytest.raises(InvalidRequest):
        layers.writable("draft:a").write(lambda _: (_ for _ in ()).throw(InvalidRequest("no")))
    assert layers.names() == []


def test_packs_of_the_two_repositories_are_noted_apart(layers: Layers) -> None:
    """Packing the local layer touches neither the user's packs nor the note of those that memgit made there."""
    for number in range(12):
        put(layers.shared, f"shared {number}")
        put(layers.writable("local"), f"local {number}")
    here, there = layers.shared.repository, layers.repository
    for place in (here, there):
        noted = json.loads(place.packs_file.read_text())
        packs = {path.stem for path in (place.common_dir / "objects" / "pack").glob("*.idx")}
        assert noted
        assert {f"pack-{name}" for name in noted} <= packs
    assert len(list(layers.private("local").snapshot().files("claims"))) == 12
    git(there.common_dir, "fsck", "--strict")


def test_a_combination_is_read_as_one_store(layers: Layers) -> None:
    """Its id names the tips, its changes are those of its layers, and `at` finds an older one."""
    put(layers.shared, "shared")
    plain = layers.snapshot(("local",))
    assert private_layers(plain) == ()
    put(layers.writable("local"), "local")
    first = layers.snapshot(("local", "draft:a"))
    assert isinstance(first, LayeredSnapshot)
    assert (private_layers(first), first.seq) == (("local",), layers.private("local").snapshot().seq)
    put(layers.writable("local"), "again")
    put(layers.shared, "again")
    second = layers.snapshot(("local",))
    claims = [change.path for change in second.changes_since(first) if change.path.startswith("claims/")]
    assert len(claims) == 2
    older = second.at(first.commit_id)
    assert older is not None
    assert list(older.changes_since(first)) == []
    shared_alone = second.at(plain.commit_id)
    assert shared_alone is not None
    assert len([change for change in second.changes_since(shared_alone) if "claims/" in change.path]) == 3
    assert second.at("0" * 40) is None
    assert {layer for _, layer in second.placements(None) if layer} == {"local"}


def test_a_lost_ref_of_a_layer_is_found_again(layers: Layers) -> None:
    """The local layer's ref is put back from its log, as the authority's is."""
    put(layers.writable("local"), "local")
    tip = layers.private("local").tip()
    (layers.repository.common_dir / private.LOCAL_REF).unlink()
    assert layers.names() == ["local"]
    assert layers.private("local").tip() == tip


def test_several_processes_may_make_the_private_repository(repository: MakeRepository) -> None:
    """One wins, the others find it, and nothing of theirs stays."""
    owner = discover(repository())
    owner.state_dir.mkdir(parents=True)
    place = private_repository(owner)
    threads = [threading.Thread(target=private.make, args=(place, "sha1")) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.name for path in owner.state_dir.iterdir()] == ["private.git"]
    git(place.common_dir, "fsck")


def test_layers_are_listed_from_packed_refs_too(layers: Layers) -> None:
    """`git pack-refs` in the private repository hides no layer."""
    for layer in ("local", "draft:a"):
        put(layers.writable(layer), layer)
    git(layers.repository.common_dir, "pack-refs", "--all")
    for log in (layers.repository.state_dir / "log").glob("*a"):
        log.unlink()
    assert not (layers.repository.common_dir / private.DRAFTS / "a").exists()
    assert layers.names() == ["local", "draft:a"]


@pytest.mark.parametrize("name", ["a", "0", "a.b", "a-b_c.d", "x" * 64])
def test_names_of_drafts(name: str) -> None:
    """What may name a draft can name a ref."""
    assert draft_layer(name) == f"draft:{name}"
    git(Path(), "check-ref-format", private.layer_ref(draft_layer(name)))
