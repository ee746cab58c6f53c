"""The fold: which operations count, what an undo cancels, and what one entity is by its own operations."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memgit.records.fold import fold, fold_entity, fold_lineage, fold_relation
from memgit.records.ids import CaseId, OpDigest, RevisionId
from memgit.records.op import Op, ReasonPayload
from memgit.records.state import Lineage, Problem

from .strategies import (
    ELSEWHERE,
    SCOPE,
    Step,
    World,
    acknowledged,
    asserted,
    claim_id,
    law,
    make_op,
    path_of,
    quarrels,
    related,
    relation_id,
    retracted,
    revised,
    revision_id,
    undone,
    worlds,
)


def lineage_of(*ops: Op) -> Lineage:
    """Return the lineage that the operations add up to."""
    lineage = fold_lineage(ops).value
    assert lineage is not None
    return lineage


def reasons(problems: Sequence[Problem]) -> dict[str, str]:
    """Return the reasons by path."""
    return {problem.path: problem.reason for problem in problems}


# What holds of every store


@law
@given(worlds(), st.randoms(use_true_random=False))
def test_the_state_is_a_function_of_the_set_of_operations(world: World, random_source: random.Random) -> None:
    """The order in which operations come, and how often, changes nothing: not even the order of the answer."""
    again = [*world.history, *world.history[::2]]
    random_source.shuffle(again)
    state, other = fold(world.history, world.purged), fold(again, list(world.purged))
    assert state == other
    assert list(state.entities) == list(other.entities) == sorted(state.entities)
    assert list(state.relations) == list(other.relations) == sorted(state.relations)
    assert list(state.cases) == list(other.cases) == sorted(state.cases)


@law
@given(worlds())
def test_each_operation_counts_or_is_reported(world: World) -> None:
    """No operation vanishes in silence: it is in its entity's history, or a problem names its path."""
    state = fold(world.history)
    lineages = [entity.lineage for entity in state.entities.values()]
    others = (*state.relations.values(), *state.sources.values(), *state.projections.values())
    counted = {note.digest for value in (*lineages, *others) for note in value.ops}
    named = [problem.path for problem in state.problems]
    assert named == sorted(named)
    assert len(named) == len(set(named))
    for op in world.history:
        assert op.digest in counted or path_of(op) in named


@law
@given(worlds())
def test_purged_entities_never_were(world: World) -> None:
    """A fold with purged entities is the fold of the others' operations; not even a problem is left of them."""
    left = [op for op in world.history if op.entity not in world.purged]
    assert fold(world.history, world.purged) == fold(left)


@law
@given(quarrels())
def test_void_is_what_an_effective_undo_names(world: World) -> None:
    """An operation is void exactly if an undo that is not itself void names it."""
    for value in [entity.lineage for entity in fold(world.history).entities.values()]:
        ops = {op.digest: op for op in world.history if op.entity == value.id}
        counted = {note.digest for note in value.ops}

        def is_void(digest: OpDigest, ops: dict[OpDigest, Op] = ops, counted: set[OpDigest] = counted) -> bool:
            judges = [op for op in ops.values() if op.digest in counted and digest in op.cancels]
            return any(not is_void(op.digest, ops, counted) for op in judges)

        assert {note.digest: note.void for note in value.ops} == {digest: is_void(digest) for digest in counted}
        assert all(revision.void == is_void(revision.digest) for revision in value.revisions)


@law
@given(worlds())
def test_heads_are_what_no_effective_revision_was_made_from(world: World) -> None:
    """A head is effective, and no effective revision descends from it, be it through void ones only or not."""
    for entity in fold(world.history).entities.values():
        revisions = {revision.id: revision for revision in entity.lineage.revisions}

        def ancestors(name: RevisionId, known: dict = revisions) -> set[RevisionId]:  # type: ignore[type-arg]
            parents = known[name].parents
            return set(parents).union(*(ancestors(parent, known) for parent in parents))

        effective = [name for name, revision in revisions.items() if not revision.void]
        covered = set().union(*(ancestors(name) for name in effective)) if effective else set()
        heads = tuple(name for name in effective if name not in covered)
        assert entity.lineage.heads == (() if entity.lineage.revisions[0].void else heads)


@law
@given(worlds())
def test_numbers_grow_along_the_longest_path(world: World) -> None:
    """A revision's number is one more than its parents' greatest, void or not; revisions stand in the fold's order."""
    for entity in fold(world.history).entities.values():
        numbers = {revision.id: revision.number for revision in entity.lineage.revisions}
        for revision in entity.lineage.revisions:
            assert revision.number == 1 + max((numbers[parent] for parent in revision.parents), default=0)
        places = [(revision.seq, revision.digest) for revision in entity.lineage.revisions]
        assert places == sorted(places)


# Which operations count


def test_an_unknown_verb_is_ignored_and_reported() -> None:
    """An operation of a later version changes nothing here, and says where it is."""
    strange = make_op(2, "annotate", claim_id(1))
    state = fold([asserted(1, 1), strange])
    assert state.entities == fold([asserted(1, 1)]).entities
    assert reasons(state.problems) == {path_of(strange): "this version does not know the verb 'annotate' of a claim"}


def test_problems_are_in_the_order_of_their_paths() -> None:
    """Whatever is wrong, and whatever the order of ids: directories come first in a path."""
    ops = [make_op(1, "annotate", claim_id(40)), retracted(2, 8, 1), undone(3, related(1, 1, "supports", "a", "b"))]
    named = [problem.path for problem in fold(ops).problems]
    assert named == sorted(map(path_of, ops))
    assert [reason.split()[0] for reason in reasons(fold(ops).problems).values()] == ["nothing", "this", "nothing"]


def test_sources_and_projections_are_ignored_and_reported() -> None:
    """Kinds that this version knows by name only do not fold."""
    ops = [make_op(1, "put", "src_" + "0" * 26), make_op(2, "put", "pjn_" + "0" * 26)]
    state = fold(ops)
    assert (state.entities, state.relations) == ({}, {})
    assert set(reasons(state.problems)) == {path_of(op) for op in ops}
    assert fold_entity(ops[:1]).value is None


def test_nothing_comes_of_an_entity_that_nothing_creates() -> None:
    """Revisions and tombstones of a claim without its assertion are reported, each."""
    ops = [revised(2, 1, 2, 1), retracted(3, 1, 1)]
    state = fold(ops)
    assert state.entities == {}
    assert reasons(state.problems) == {path_of(op): "nothing creates the entity" for op in ops}
    put = related(1, 1, "supports", claim_id(1), claim_id(2))
    assert fold_relation([undone(2, put)]).value is None


def test_the_first_creating_operation_is_the_one() -> None:
    """A second assertion of one claim is ignored, wherever it came from; of two relations put, too."""
    first, second = asserted(1, 1), asserted(2, 1, revision=9)
    state = fold([second, first])
    assert [revision.id for revision in state.entities[claim_id(1)].lineage.revisions] == [revision_id(1)]
    assert reasons(state.problems) == {path_of(second): f"the entity was created before, by {first.digest}"}
    puts = [related(seq, 1, "supports", claim_id(1), claim_id(seq)) for seq in (2, 3)]
    relation = fold_relation(puts[::-1]).value
    assert relation is not None
    assert relation.payload.target == claim_id(2)


def test_nothing_comes_before_the_creating_operation() -> None:
    """A tombstone with a smaller seq than the assertion is a fault of seq, not a tombstone."""
    early = retracted(1, 1)
    state = fold([asserted(2, 1), early])
    assert state.entities[claim_id(1)].status == "active"
    assert reasons(state.problems) == {path_of(early): "it comes before the operation that creates the entity"}


def test_the_scope_is_fixed_at_creation() -> None:
    """An operation with another scope than the entity's is ignored and reported."""
    moved = make_op(2, "retract", claim_id(1), ReasonPayload(), parents=[revision_id(1)], scope=ELSEWHERE)
    state = fold([asserted(1, 1), moved])
    assert state.entities[claim_id(1)].status == "active"
    assert state.entities[claim_id(1)].lineage.scope == SCOPE
    assert reasons(state.problems) == {path_of(moved): "its scope is not the entity's"}


def test_of_two_operations_for_one_revision_the_first_counts() -> None:
    """A revision id that is used twice stays what it was; whoever used it again is ignored."""
    first, second = revised(2, 1, 5, 1), revised(3, 1, 5, 1)
    folded = fold_lineage([asserted(1, 1), second, first])
    assert folded.value is not None
    assert [revision.digest for revision in folded.value.revisions][1:] == [first.digest]
    assert reasons(folded.problems) == {path_of(second): f"the revision {revision_id(5)} was made before"}


def test_a_revision_of_unknown_parents_is_ignored() -> None:
    """A revise that hangs in the air is reported, and so is whatever was made from it alone."""
    lost, child = revised(2, 1, 2, 77), revised(3, 1, 3, 2)
    folded = fold_lineage([asserted(1, 1), lost, child])
    assert folded.value is not None
    assert folded.value.heads == (revision_id(1),)
    assert reasons(folded.problems) == dict.fromkeys(map(path_of, (lost, child)), "none of its parents is known")


def test_a_revision_with_an_unknown_parent_among_known_ones_counts() -> None:
    """It stays as a child of the parents that are known, because somebody was told that it is safe; and is reported."""
    partly = revised(2, 1, 2, 1, 77)
    folded = fold_lineage([asserted(1, 1), partly])
    assert folded.value is not None
    assert folded.value.heads == (revision_id(2),)
    assert folded.value.revisions[1].parents == folded.value.ops[1].parents == (revision_id(1),)
    assert reasons(folded.problems) == {path_of(partly): "it counts, but names revisions that are not known"}


def test_a_tombstone_counts_whatever_it_saw() -> None:
    """A retraction that names an unknown head still retracts, and is reported; it saw only what is known."""
    tombstone = retracted(2, 1, 1, 77, reason="wrong")
    folded = fold_lineage([asserted(1, 1), tombstone])
    assert folded.value is not None
    assert folded.value.tombstone is not None
    assert folded.value.tombstone.heads == (revision_id(1),)
    assert folded.value.tombstone.reason == "wrong"
    assert list(reasons(folded.problems)) == [path_of(tombstone)]


@pytest.mark.parametrize("revision", range(3, 9))
@pytest.mark.parametrize("seq", [1, 2])
def test_a_parent_has_a_smaller_seq(seq: int, revision: int) -> None:
    """A revise whose seq is not above its parent's does not know that parent, whatever the order of their digests."""
    parent = revised(2, 1, 2, 1)
    child = revised(seq, 1, revision, 2)
    folded = fold_lineage([asserted(0, 1), parent, child])
    assert folded.value is not None
    assert folded.value.heads == (revision_id(2),)
    assert list(reasons(folded.problems)) == [path_of(child)]


@pytest.mark.parametrize("revision", range(2, 8))
@pytest.mark.parametrize("seq", [2, 3])
def test_an_undo_has_a_greater_seq_than_what_it_names(seq: int, revision: int) -> None:
    """An undo cannot cancel what its writer cannot have seen, whatever the order of the digests; it is reported."""
    target = revised(3, 1, revision, 1)
    undo = undone(seq, target)
    folded = fold_lineage([asserted(1, 1), target, undo])
    assert folded.value is not None
    assert folded.value.heads == (revision_id(revision),)
    assert folded.cancels == {}
    assert reasons(folded.problems) == {path_of(undo): "none of the operations that it cancels is known"}


def test_an_undo_cancels_only_operations_of_its_own_entity() -> None:
    """Digests of other entities' operations mean nothing in an undo."""
    other = asserted(1, 2)
    undo = undone(3, other, entity=claim_id(1))
    state = fold([asserted(2, 1), other, undo])
    assert [entity.status for entity in state.entities.values()] == ["active", "active"]
    assert list(reasons(state.problems)) == [path_of(undo)]


def test_an_undo_may_name_unknown_operations_among_known_ones() -> None:
    """It cancels what is there, without ado."""
    target = revised(2, 1, 2, 1)
    undo = undone(3, target, asserted(1, 9))
    folded = fold_lineage([asserted(1, 1), target, undo])
    assert folded.value is not None
    assert folded.value.heads == (revision_id(1),)
    assert folded.cancels == {undo.digest: (target.digest,)}
    assert folded.problems == ()


# Undo, heads, tombstones


def test_an_undo_of_an_undo_restores() -> None:
    """Each undo turns the last one over."""
    edit = revised(2, 1, 2, 1)
    first = undone(3, edit)
    second = undone(4, first)
    third = undone(5, second)
    ops = [asserted(1, 1), edit, first, second, third]
    heads = [lineage_of(*ops[:length]).heads[0] for length in range(1, 6)]
    assert heads == [revision_id(number) for number in (1, 2, 1, 2, 1)]
    assert [note.void for note in lineage_of(*ops).ops] == [False, True, False, True, False]


def test_one_effective_undo_is_enough() -> None:
    """An operation that two undos cancel stays void when one of them is undone."""
    edit = revised(2, 1, 2, 1)
    first, second = undone(3, edit), undone(4, edit)
    assert lineage_of(asserted(1, 1), edit, first, second, undone(5, first)).heads == (revision_id(1),)


def test_an_entity_is_void_when_its_creation_was_undone() -> None:
    """Then it has no heads, even where somebody revised it; an undo of the undo brings all back."""
    made, edit = asserted(1, 1), revised(2, 1, 2, 1)
    undo = undone(3, made)
    state = fold([made, edit, undo, retracted(4, 1, 2)])
    assert state.entities[claim_id(1)].status == "void"
    assert state.entities[claim_id(1)].lineage.heads == ()
    assert state.entities[claim_id(1)].current.id == revision_id(2)
    assert lineage_of(made, edit, undo, undone(4, undo)).heads == (revision_id(2),)


def test_children_of_a_void_revision_count_as_its_parents_children() -> None:
    """An edit made on top of an undone one covers what lies below; it keeps its number."""
    middle = revised(2, 1, 2, 1)
    lineage = lineage_of(asserted(1, 1), middle, revised(3, 1, 3, 2), undone(4, middle))
    assert lineage.heads == (revision_id(3),)
    assert [(revision.number, revision.void) for revision in lineage.revisions] == [(1, False), (2, True), (3, False)]


def test_concurrent_revisions_are_both_heads() -> None:
    """Two revisions of one parent fork; the last head in the fold's order is the current one; one revise joins them."""
    fork = [asserted(1, 1), revised(2, 1, 3, 1), revised(2, 1, 2, 1)]
    lineage = lineage_of(*fork)
    assert set(lineage.heads) == {revision_id(2), revision_id(3)}
    assert [revision.id for revision in lineage.revisions[1:]] == list(lineage.heads)
    assert {revision.number for revision in lineage.revisions[1:]} == {2}
    assert fold(fork).entities[claim_id(1)].current.id == lineage.heads[-1]
    joined = lineage_of(*fork, revised(3, 1, 4, 2, 3))
    assert joined.heads == (revision_id(4),)
    assert joined.updated_seq == 3


def test_terminal_stays_terminal() -> None:
    """A revision that saw the retraction, and came later, does not bring the claim back."""
    state = fold([asserted(1, 1), retracted(2, 1, 1), revised(3, 1, 2, 1)])
    assert state.entities[claim_id(1)].status == "retracted"
    assert state.entities[claim_id(1)].lineage.heads == (revision_id(2),)


def test_the_first_effective_tombstone_counts() -> None:
    """Of two retractions the earlier one is shown, until it is undone."""
    first, second = retracted(2, 1, 1), retracted(3, 1, 1)
    ops = [asserted(1, 1), second, first]
    undo = undone(4, first)
    both, back = [undo, undone(5, second)], [undo, undone(5, undo)]
    for extra, expected in ([], first), ([undo], second), (both, None), (back, first):
        tombstone = lineage_of(*ops, *extra).tombstone
        assert (tombstone.digest if tombstone else None) == (expected.digest if expected else None)


def test_an_artifact_is_forgotten() -> None:
    """The verb of an artifact's tombstone gives its status."""
    world = World()
    for action in ("put", "end"):
        world.run(Step(action, 0, 0, 0))
    (entity,) = fold(world.history).entities.values()
    assert entity.status == "forgotten"
    assert entity.lineage.kind == "artifact"
    assert entity.current.blob is not None


def test_acknowledgements_count_unless_they_are_undone() -> None:
    """A lineage lists the cases that somebody let stand, each once, in order."""
    cases = [CaseId("case_" + digit * 32) for digit in "ab"]
    acknowledgements = [acknowledged(2, 1, cases[1]), acknowledged(3, 1, cases[0]), acknowledged(4, 1, cases[0])]
    assert lineage_of(asserted(1, 1), *acknowledgements).acknowledged == tuple(cases)
    undo = undone(5, acknowledgements[0])
    assert lineage_of(asserted(1, 1), *acknowledgements, undo).acknowledged == (cases[0],)


def test_a_relation_is_void_when_it_was_undone() -> None:
    """A relation stays what it says; an undo makes it void, an undo of that restores it."""
    put = related(1, 1, "supports", claim_id(1), claim_id(2))
    undo = undone(2, put)
    redo = undone(3, undo)
    for ops, void in ([put], False), ([put, undo], True), ([put, undo, redo], False):
        relation = fold(ops).relations[relation_id(1)]
        assert (relation.void, relation.relation, len(relation.ops)) == (void, "supports", len(ops))
    assert fold_relation([put, undo]).cancels == {undo.digest: (put.digest,)}


def test_made_up_digests_cannot_make_undos_run_in_circles() -> None:
    """Undos that name themselves or each other are no more than unknown names."""
    made = asserted(1, 1)
    loop = []
    for seq, name, target in ((2, "a", "a"), (3, "b", "c"), (4, "c", "b")):
        undo = undone(seq, made)
        loop.append(replace(undo, digest=OpDigest(name * 64), cancels=(OpDigest(target * 64),)))
    lineage = lineage_of(made, *loop)
    assert lineage.heads == (revision_id(1),)


def test_history_notes_say_what_the_operations_did() -> None:
    """The notes of an entity's operations stand in the fold's order, with what dates the events of cases."""
    ops = [asserted(1, 1), revised(2, 1, 2, 1), retracted(3, 1, 2), acknowledged(4, 1, CaseId("case_" + "0" * 32))]
    notes = lineage_of(*reversed(ops)).ops
    assert [(note.digest, note.seq, note.at, note.verb) for note in notes] == [
        (op.digest, op.seq, op.at, op.verb) for op in ops
    ]
    assert [note.revision for note in notes] == [revision_id(1), revision_id(2), None, None]
    assert notes[2].parents == (revision_id(2),)
    assert [note.case for note in notes] == [None, None, None, "case_" + "0" * 32]


# Size


def test_large_lineages_fold_in_linear_time() -> None:
    """5,000 revisions of one claim fold within seconds: in a chain, all from one parent, or each undone."""
    made = asserted(1, 1)
    chain = [revised(seq, 1, seq, seq - 1) for seq in range(2, 5001)]
    fan = [revised(seq, 1, seq, 1) for seq in range(2, 5001)]
    undos = [undone(6000 + place, op) for place, op in enumerate(reversed(chain[:2500]))]
    assert fold([made, *chain]).entities[claim_id(1)].current.number == 5000
    assert len(fold([made, *fan]).entities[claim_id(1)].lineage.heads) == 4999
    assert fold([made, *chain[:2500], *undos]).entities[claim_id(1)].current.number == 1
