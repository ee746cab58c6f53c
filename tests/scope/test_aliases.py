"""An alias joins two projects of one tree, believed only where both ends are beyond doubt."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import ScopeViolation
from memgit.records.codec import StoreRecord
from memgit.records.ids import StoreId
from memgit.records.op import Scope
from memgit.scope.aliases import NO_ALIASES, Aliases
from memgit.scope.context import Context
from memgit.scope.horizon import HORIZONS, belongs, check_write, visible

A, B, C, D = (StoreId(f"sto_0000000000000000000000000{letter}") for letter in "abcd")


def founded(store: StoreId, place: str) -> StoreRecord:
    """The record of a store that began as `place`, a workspace and a project."""
    workspace, _, project = place.partition("/")
    return StoreRecord(digest="", store=store, workspace=workspace, project=project, at="2026-05-01T00:00:00.000000Z")


def joined(store: StoreId, place: str, alias_of: StoreId) -> StoreRecord:
    """The record that a join leaves."""
    workspace, _, project = place.partition("/")
    at = "2026-05-02T00:00:00.000000Z"
    return StoreRecord(digest="", store=store, workspace=workspace, project=project, at=at, alias_of=alias_of)


def meaning(records: list[StoreRecord], place: str) -> str:
    """What a workspace and a project mean beside these records."""
    workspace, _, project = place.partition("/")
    return "/".join(Aliases.of(records).place(workspace, project))


A_BEGAN, B_BEGAN, C_BEGAN = founded(A, "wa/pa"), founded(B, "wb/pb"), founded(C, "wc/pc")


@pytest.mark.parametrize(
    "record", [joined(B, "wb/pb", A), joined(A, "wa/pa", B)], ids=["the later one says it", "the earlier one says it"]
)
def test_the_lowest_store_is_canonical(record: StoreRecord) -> None:
    """Whoever says that two stores were joined, both projects mean that of the lower id."""
    records = [A_BEGAN, B_BEGAN, record]
    assert (meaning(records, "wb/pb"), meaning(records, "wa/pa")) == ("wa/pa", "wa/pa")
    assert Aliases.of(records).same_as("wb", "pb") == (("wb", "pb"), ("wa", "pa"))
    assert Aliases.of(records).same_as("wa", "pa") == (("wa", "pa"), ("wb", "pb"))
    assert Aliases.of(records)
    assert not Aliases.of([A_BEGAN, B_BEGAN])
    assert Aliases.of([]) == NO_ALIASES


def test_a_chain_leads_to_its_lowest_end() -> None:
    """Three stores that were joined one after the other are one project; a circle is the same."""
    chain = [A_BEGAN, B_BEGAN, C_BEGAN, joined(C, "wc/pc", B), joined(B, "wb/pb", A)]
    for records in (chain, [*chain, joined(A, "wa/pa", C)]):
        assert [meaning(records, place) for place in ("wa/pa", "wb/pb", "wc/pc")] == ["wa/pa"] * 3


def test_workspaces_are_not_joined() -> None:
    """Other projects of a joined store's workspace stay where they are."""
    records = [A_BEGAN, B_BEGAN, joined(B, "wb/pb", A)]
    assert meaning(records, "wb/other") == "wb/other"
    assert meaning(records, "wa/pb") == "wa/pb"
    assert Aliases.of(records).canonical(Scope("wb", "pb", "tsk")) == Scope("wa", "pa", "tsk")


@pytest.mark.parametrize(
    "records",
    [
        [A_BEGAN, B_BEGAN, joined(B, "wb/pb", B)],
        [A_BEGAN, B_BEGAN, joined(B, "wb/pb", D)],
        [A_BEGAN, joined(B, "wb/pb", A)],
        [B_BEGAN, joined(B, "wb/pb", A)],
        [A_BEGAN, B_BEGAN, joined(B, "wc/pc", A)],
        [A_BEGAN, B_BEGAN, C_BEGAN, joined(B, "wc/pc", A)],
        [A_BEGAN, founded(A, "wc/pc"), B_BEGAN, joined(B, "wb/pb", A)],
        [A_BEGAN, B_BEGAN, founded(B, "wc/pc"), joined(B, "wb/pb", A), joined(B, "wc/pc", A)],
        [A_BEGAN, B_BEGAN, founded(C, "wb/pb"), joined(B, "wb/pb", A)],
        [A_BEGAN, B_BEGAN, founded(C, "wa/pa"), joined(B, "wb/pb", A)],
        [A_BEGAN, B_BEGAN, C_BEGAN, founded(D, "wb/pb"), joined(B, "wb/pb", A), joined(D, "wb/pb", C)],
    ],
    ids=[
        "of itself",
        "of an unknown store",
        "of a store that nobody began, its own",
        "of a store that nobody began, the other",
        "under another place than its own",
        "under the place of a third store",
        "to an id that two stores claim",
        "from an id that two stores claim",
        "where a third store began under the same place",
        "where a third store began under the canonical place",
        "where two joins claim one place",
    ],
)
def test_a_doubtful_alias_joins_nothing(records: list[StoreRecord]) -> None:
    """Whoever can push can write a record: where an end is in doubt, every place means itself."""
    for place in ("wa/pa", "wb/pb", "wc/pc"):
        assert meaning(records, place) == place


def test_the_same_place_in_both_stores_needs_no_alias() -> None:
    """Two clones of one marked project that each ran `init` are one project already; the join changes nothing."""
    records = [A_BEGAN, founded(B, "wa/pa"), joined(B, "wa/pa", A)]
    assert not Aliases.of(records)
    assert meaning([*records, C_BEGAN, joined(C, "wc/pc", B)], "wc/pc") == "wa/pa"


stores = st.sampled_from([A, B, C, D])
places = st.sampled_from(["wa/pa", "wb/pb", "wc/pc", "wa/pb"])
records = st.lists(st.builds(founded, stores, places) | st.builds(joined, stores, places, stores), max_size=10)
scopes = places.map(lambda place: Scope(*place.split("/")))
contexts = scopes.map(lambda scope: Context(scope.workspace, scope.project, "marker"))


@given(records, scopes, st.randoms(use_true_random=False))
def test_a_meaning_is_total_stable_and_without_order(
    told: list[StoreRecord], scope: Scope, chance: random.Random
) -> None:
    """Any records, any order, repeated or not: one meaning, which means itself."""
    aliases = Aliases.of(told)
    meant = aliases.canonical(scope)
    assert aliases.canonical(meant) == meant
    again = [*told, *told]
    chance.shuffle(again)
    assert Aliases.of(again) == aliases
    assert (meant.workspace, meant.project) in aliases.same_as(scope.workspace, scope.project)


@given(records, scopes, scopes)
def test_only_joined_stores_are_merged(told: list[StoreRecord], one: Scope, other: Scope) -> None:
    """Two places mean the same only if stores that undoubtedly began there are linked by undoubted aliases alone."""
    aliases = Aliases.of(told)
    if one == other or aliases.canonical(one) != aliases.canonical(other):
        return
    began: dict[StoreId, set[tuple[str, str]]] = {}
    for record in told:
        if record.alias_of is None:
            began.setdefault(record.store, set()).add((record.workspace, record.project))
    sure = {store: next(iter(found)) for store, found in began.items() if len(found) == 1}
    links = {
        frozenset((record.store, record.alias_of))
        for record in told
        if record.alias_of in sure and sure.get(record.store) == (record.workspace, record.project)
    }
    owners = [{store for store, place in sure.items() if place == (s.workspace, s.project)} for s in (one, other)]
    assert all(owners)
    group = {next(iter(owners[0]))}
    for _ in sure:
        group |= {store for link in links if link & group for store in link if store is not None}
    assert owners[0] | owners[1] <= group, "a store that is not joined shares the place"
    assert aliases.canonical(one) == Scope(*sure[min(group)])


@given(records, scopes, contexts)
def test_every_comparison_follows_the_same_meaning(told: list[StoreRecord], scope: Scope, context: Context) -> None:
    """What is seen and written is what would be if all scopes were spelled canonically; wider still shows no less."""
    aliases = Aliases.of(told)
    spelled, home = aliases.canonical(scope), aliases.canonical(context.scope)
    there = Context(home.workspace, home.project, "marker")
    assert belongs(scope, context, aliases) == belongs(spelled, there)
    seen = [visible(scope, context, horizon, aliases=aliases) for horizon in HORIZONS]
    assert seen == [visible(spelled, there, horizon) for horizon in HORIZONS]
    assert all(narrow <= wide for narrow, wide in pairwise(seen))
    if belongs(scope, context, aliases):
        check_write(scope, context, aliases=aliases)
    else:
        with pytest.raises(ScopeViolation):
            check_write(scope, context, aliases=aliases)


def test_another_task_is_out_of_sight_under_either_name() -> None:
    """An alias joins projects; a task is still its own."""
    aliases = Aliases.of([A_BEGAN, B_BEGAN, joined(B, "wb/pb", A)])
    here = Context("wa", "pa", "marker", task_id="one")
    assert belongs(Scope("wb", "pb", "one"), here, aliases)
    assert not belongs(Scope("wb", "pb", "two"), here, aliases)
    with pytest.raises(ScopeViolation) as caught:
        check_write(Scope("wb", "pb", "two"), here, aliases=aliases)
    assert "session exec --task two" in caught.value.hint
