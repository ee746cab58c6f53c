"""Conflict cases: what opens, stales, resolves and reopens them, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.records.cases import WIDEST_KEPT, contradiction_case, contradiction_id, fork_id, tombstone_id
from memgit.records.codec import digest_of
from memgit.records.fold import fold
from memgit.records.ids import CaseId, RelationId, RevisionId
from memgit.records.links import LARGEST_REPLAYED
from memgit.records.op import Op
from memgit.records.state import Case, CaseStatus, EventKind, State

from .strategies import (
    SCOPE,
    Step,
    World,
    acknowledged,
    asserted,
    claim_id,
    law,
    quarrels,
    related,
    relation_id,
    retracted,
    revised,
    revision_id,
    time_of,
    undone,
    worlds,
)

ONE, TWO, THREE = claim_id(1), claim_id(2), claim_id(3)
R1, R2, R3, R4, R5 = (revision_id(number) for number in range(1, 6))
CLAIMS = [asserted(number, number) for number in (1, 2)]
DISPUTE = related(3, 1, "contradicts", ONE, TWO)
FIRST = contradiction_id(RelationId(DISPUTE.entity), R1, R2)

Story = list[tuple[EventKind, int]]


def cases_of(*ops: Op) -> dict[CaseId, Case]:
    """Return the cases that the operations leave behind."""
    return fold(ops).cases


def story(case: Case) -> Story:
    """Return a case's events, each with the seq of its operation."""
    return [(event.event, event.seq) for event in case.events]


def stories(*ops: Op) -> dict[CaseId, tuple[CaseStatus, Story]]:
    """Return status and events of each case."""
    return {case.id: (case.status, story(case)) for case in cases_of(*ops).values()}


def argument(*ops: Op) -> dict[CaseId, tuple[CaseStatus, Story]]:
    """Return the stories of the cases of two claims, a contradiction between them, and what came later."""
    return stories(*CLAIMS, DISPUTE, *ops)


def against(source: RevisionId, target: RevisionId) -> CaseId:
    """Return the id of the contradiction over two revisions."""
    return contradiction_id(RelationId(DISPUTE.entity), source, target)


# What holds of every store


def seen(state: State, heads: Iterable[RevisionId], entity: str) -> set[RevisionId]:
    """Return the revisions and all that they were made from."""
    parents = {revision.id: revision.parents for revision in state.entities[entity].lineage.revisions}
    known = set(heads)
    while more := {parent for head in known for parent in parents[head]} - known:
        known |= more
    return known


def open_by_definition(state: State) -> set[CaseId]:
    """Return the ids of the cases that the design says are open."""
    found: set[CaseId] = set()
    for relation in state.relations.values():
        ends = [state.entities.get(end) for end in (relation.payload.source, relation.payload.target)]
        both = all(end and end.lineage.kind == "claim" and end.status == "active" for end in ends)
        if relation.relation == "contradicts" and not relation.void and both:
            found.add(contradiction_id(relation.id, *(end.lineage.heads[-1] for end in ends if end)))
    for name, entity in state.entities.items():
        lineage = entity.lineage
        if entity.status == "active" and len(lineage.heads) > 1:
            found.add(fork_id(lineage.heads))
        if lineage.tombstone is not None:
            known = seen(state, lineage.tombstone.heads, name)
            unseen = [head for head in lineage.heads if head not in known]
            if unseen and tombstone_id(lineage.tombstone.digest, unseen) not in lineage.acknowledged:
                found.add(tombstone_id(lineage.tombstone.digest, unseen))
    return found


@law
@given(st.one_of(worlds(), quarrels(), quarrels()))
def test_a_case_is_open_when_the_design_says_so(world: World) -> None:
    """The open cases are those that follow from heads, statuses and acknowledgements; their entities list them."""
    state = fold(world.history, world.purged)
    still = {case.id for case in state.cases.values() if case.status == "open"}
    assert still == open_by_definition(state)
    for name, entity in state.entities.items():
        mine = sorted(case.id for case in state.cases.values() if case.id in still and name in case.entities)
        assert list(entity.open_cases) == mine
        assert entity.disputed or not mine


@law
@given(st.one_of(worlds(), quarrels(), quarrels()))
def test_events_are_only_ever_added(world: World) -> None:
    """After each further operation in the fold's order, the cases are those of before with that operation's events."""
    ops = sorted({op.digest: op for op in world.history}.values(), key=lambda op: op.order)
    before: dict[CaseId, Case] = {}
    for place, op in enumerate(ops):
        state = fold(ops[: place + 1])
        assert before.keys() <= state.cases.keys()
        for name, case in state.cases.items():
            old = before[name].events if name in before else ()
            assert case.events[: len(old)] == old
            assert all(event.digest == op.digest for event in case.events[len(old) :])
            assert len(case.events) - len(old) <= 1
        before = state.cases


@law
@given(st.one_of(worlds(), quarrels(), quarrels()))
def test_a_case_is_what_its_events_say(world: World) -> None:
    """Opened once, closed and reopened in turns (a resolved one may go stale); at most one open case a relation."""
    cases = fold(world.history, world.purged).cases
    ops = {op.digest: op for op in world.history}
    last = {"opened": "open", "reopened": "open", "staled": "stale", "resolved": "resolved"}
    closing = ("staled", "resolved")
    follows = {"opened": closing, "reopened": closing, "staled": ("reopened",), "resolved": ("reopened", "staled")}
    for case in cases.values():
        kinds = [event.event for event in case.events]
        assert kinds[0] == "opened"
        assert kinds.count("opened") == 1
        assert case.status == last[kinds[-1]]
        for then, now in pairwise(kinds):
            assert now in follows[then]
        places = [ops[event.digest].order for event in case.events]
        assert places == sorted(places)
        assert all((event.seq, event.at) == (ops[event.digest].seq, ops[event.digest].at) for event in case.events)
        assert case.sequence <= case.events[0].seq
    disputes = [case.relation for case in cases.values() if case.kind == "contradicts" and case.status == "open"]
    assert len(disputes) == len(set(disputes))


# Contradictions


def test_a_relation_opens_a_case_over_the_greatest_heads() -> None:
    """It names the revisions that were current when the relation was put, source first, and everything about it."""
    case = cases_of(*CLAIMS, DISPUTE)[FIRST]
    assert (case.kind, case.status, case.sequence) == ("contradicts", "open", 3)
    assert (case.entities, case.revisions) == ((ONE, TWO), (R1, R2))
    assert (case.scope, case.relation, case.tombstone) == (SCOPE, relation_id(1), None)
    (event,) = case.events
    assert (event.event, event.digest, event.seq, event.at) == ("opened", DISPUTE.digest, 3, time_of(3))


def test_both_ends_are_disputed() -> None:
    """A contradiction keeps both sides, and says so at each."""
    state = fold([*CLAIMS, DISPUTE])
    for name in (ONE, TWO):
        entity = state.entities[name]
        assert (entity.status, entity.disputed, entity.open_cases) == ("active", True, (FIRST,))


def test_revising_stales_the_case_and_opens_a_fresh_one() -> None:
    """Each revision of either end does; the stale one stays in the history."""
    assert argument(revised(4, 1, 3, 1), revised(5, 2, 4, 2)) == {
        FIRST: ("stale", [("opened", 3), ("staled", 4)]),
        against(R3, R2): ("stale", [("opened", 4), ("staled", 5)]),
        against(R3, R4): ("open", [("opened", 5)]),
    }
    assert cases_of(*CLAIMS, DISPUTE, revised(4, 1, 3, 1))[against(R3, R2)].sequence == 4


def test_a_lesser_head_does_not_matter() -> None:
    """A concurrent revision that is not the greatest head leaves the case alone."""
    late = revised(3, 1, 4, 1)
    early = revised(2, 1, 3, 1)
    dispute = related(5, 1, "contradicts", ONE, TWO)
    assert against(R4, R2) in cases_of(*CLAIMS, early, late, dispute)
    assert len([case for case in cases_of(*CLAIMS, early, late, dispute).values() if case.kind != "fork"]) == 1


@pytest.mark.parametrize(("number", "revision"), [(1, 1), (2, 2)])
def test_retraction_of_an_end_resolves_and_an_undo_reopens(number: int, revision: int) -> None:
    """The retraction is the event; its undo is the next one."""
    retraction = retracted(4, number, revision)
    assert argument(retraction) == {FIRST: ("resolved", [("opened", 3), ("resolved", 4)])}
    assert argument(retraction, undone(5, retraction)) == {
        FIRST: ("open", [("opened", 3), ("resolved", 4), ("reopened", 5)])
    }


def test_supersession_of_an_end_resolves() -> None:
    """The event is the supersedes relation's operation, also where one end supersedes the other."""
    assert argument(asserted(4, 3), related(5, 2, "supersedes", THREE, TWO)) == {
        FIRST: ("resolved", [("opened", 3), ("resolved", 5)])
    }
    assert argument(related(4, 2, "supersedes", TWO, ONE)) == {FIRST: ("resolved", [("opened", 3), ("resolved", 4)])}


def test_whatever_ends_a_supersession_reopens() -> None:
    """The undo of the relation, the retraction of its source, or an edge that closes a cycle."""
    edge = related(4, 2, "supersedes", TWO, ONE)
    back = related(5, 3, "supersedes", ONE, TWO)
    reopened = ("open", [("opened", 3), ("resolved", 4), ("reopened", 5)])
    assert argument(edge, undone(5, edge)) == {FIRST: reopened}
    assert argument(edge, back) == {FIRST: reopened}
    assert argument(edge, back, undone(6, back)) == {FIRST: ("resolved", [*reopened[1], ("resolved", 6)])}
    three = [asserted(4, 3), related(5, 2, "supersedes", THREE, TWO), retracted(6, 3, 3)]
    assert argument(*three) == {FIRST: ("open", [("opened", 3), ("resolved", 5), ("reopened", 6)])}


def test_two_supersessions_resolve_once() -> None:
    """An end that two entities supersede comes back when the last of them is gone."""
    edges = [related(seq, seq, "supersedes", claim_id(seq - 2), ONE) for seq in (5, 6)]
    more = [asserted(4, 3), asserted(4, 4), *edges, undone(7, edges[0]), undone(8, edges[1])]
    assert argument(*more) == {FIRST: ("open", [("opened", 3), ("resolved", 5), ("reopened", 8)])}


def test_a_large_ring_of_supersessions_never_counted() -> None:
    """In a ring of more edges than are replayed, cyclic edges are as if they had never counted."""
    count = LARGEST_REPLAYED + 1
    claims = [asserted(number, number) for number in range(1, count + 1)]
    dispute = related(count + 1, 1, "contradicts", ONE, TWO)
    ring = [
        related(count + 1 + n, n + 1, "supersedes", claim_id(n), claim_id(n % count + 1)) for n in range(1, count + 1)
    ]
    (case,) = cases_of(*claims, dispute, *ring).values()
    assert story(case) == [("opened", count + 1)]
    (case,) = cases_of(*claims, dispute, *ring[:-1]).values()
    assert story(case) == [("opened", count + 1), ("resolved", count + 2)]


def test_the_relations_undo_resolves_and_restores() -> None:
    """A void relation has no open case; in the meantime the ends may move on."""
    undo = undone(4, DISPUTE)
    redo = undone(6, undo)
    assert argument(undo) == {FIRST: ("resolved", [("opened", 3), ("resolved", 4)])}
    assert argument(undo, redo) == {FIRST: ("open", [("opened", 3), ("resolved", 4), ("reopened", 6)])}
    assert argument(undo, revised(5, 1, 3, 1), redo) == {
        FIRST: ("stale", [("opened", 3), ("resolved", 4), ("staled", 6)]),
        against(R3, R2): ("open", [("opened", 6)]),
    }


def test_a_revision_of_an_ended_claim_opens_nothing() -> None:
    """A case that a retraction resolved stays as it is, whatever is still written to the claim."""
    cases = argument(retracted(4, 1, 1), revised(5, 1, 3, 1))
    assert cases[FIRST] == ("resolved", [("opened", 3), ("resolved", 4)])
    assert against(R3, R2) not in cases


def test_an_undone_revision_brings_the_old_pair_back() -> None:
    """The case of the pair that is current again is reopened, the other one stale."""
    edit = revised(4, 1, 3, 1)
    assert argument(edit, undone(5, edit)) == {
        FIRST: ("open", [("opened", 3), ("staled", 4), ("reopened", 5)]),
        against(R3, R2): ("stale", [("opened", 4), ("staled", 5)]),
    }


def test_an_undone_revision_below_the_head_changes_nothing() -> None:
    """What was made from it covers it, void or not, and covers its parents."""
    edit = revised(4, 1, 3, 1)
    undo = undone(6, edit)
    current = ("open", [("opened", 5)])
    for more in [undo], [undo, undone(7, undo)]:
        assert argument(edit, revised(5, 1, 4, 3), *more)[against(R4, R2)] == current


def test_a_void_end_resolves() -> None:
    """A claim whose assertion was undone disputes nothing; its return reopens."""
    undo = undone(4, CLAIMS[1])
    assert argument(undo) == {FIRST: ("resolved", [("opened", 3), ("resolved", 4)])}
    assert argument(undo, undone(5, undo))[FIRST][0] == "open"


def test_a_relation_between_ended_claims_opens_nothing() -> None:
    """Where an end was retracted before the relation was put, there is nothing to look at, until it comes back."""
    retraction = retracted(2, 1, 1)
    assert argument(retraction) == {}
    assert argument(retraction, undone(4, retraction)) == {FIRST: ("open", [("opened", 4)])}


def test_a_relation_may_stand_before_its_ends() -> None:
    """No honest clone writes that, but the order decides: the case opens when the second end comes."""
    early = related(1, 1, "contradicts", ONE, TWO)
    assert stories(early, asserted(2, 1), asserted(3, 2)) == {FIRST: ("open", [("opened", 3)])}


def test_only_claims_contradict_each_other() -> None:
    """A contradiction with an artifact is an edge like any other."""
    world = World()
    world.run(Step("assert", 0, 0, 0))
    world.run(Step("put", 0, 0, 0))
    claim, artifact = world.history[0].entity, world.history[1].entity
    state = fold([*world.history, related(9, 1, "contradicts", claim, artifact)])
    assert state.cases == {}
    assert not any(entity.disputed for entity in state.entities.values())


def test_each_relation_has_its_own_case() -> None:
    """Two contradictions between the same claims are two cases; retracting an end resolves both."""
    second = related(4, 2, "contradicts", TWO, ONE)
    other = contradiction_id(RelationId(second.entity), R2, R1)
    assert {name: status for name, (status, _) in argument(second).items()} == {FIRST: "open", other: "open"}
    assert {status for status, _ in argument(second, retracted(5, 1, 1)).values()} == {"resolved"}


def test_any_two_revisions_of_the_ends_are_addressable() -> None:
    """A pair that was never current has an id and an answer, too; what is not of the ends has none."""
    state = fold([*CLAIMS, DISPUTE, revised(4, 1, 3, 1), revised(5, 2, 4, 2)])
    (relation,) = state.relations.values()
    ends = state.entities[ONE], state.entities[TWO]
    assert contradiction_case(state.cases, relation, (R1, R2), *ends) == state.cases[FIRST]
    case = contradiction_case(state.cases, relation, (R1, R4), *ends)
    assert case is not None
    assert (case.id, case.status, case.events) == (against(R1, R4), "stale", ())
    assert (case.sequence, case.revisions, case.relation) == (5, (R1, R4), relation.id)
    assert (case.entities, case.scope, case.kind) == ((ONE, TWO), SCOPE, "contradicts")
    for pair in (R2, R1), (R1, R5), (R5, R2):
        assert contradiction_case(state.cases, relation, pair, *ends) is None


@pytest.mark.parametrize("last", [retracted(6, 1, 3), retracted(6, 2, 4), undone(6, DISPUTE)])
def test_a_pair_of_ended_claims_is_resolved(last: Op) -> None:
    """Where an end or the relation is terminal, a pair that was never current counts as resolved."""
    state = fold([*CLAIMS, DISPUTE, revised(4, 1, 3, 1), revised(5, 2, 4, 2), last])
    (relation,) = state.relations.values()
    case = contradiction_case(state.cases, relation, (R1, R4), state.entities[ONE], state.entities[TWO])
    assert case is not None
    assert case.status == "resolved"


def test_other_relations_have_no_contradiction() -> None:
    """Only a contradicts relation can be asked for a case."""
    state = fold([*CLAIMS, related(3, 1, "supports", ONE, TWO)])
    (relation,) = state.relations.values()
    assert contradiction_case({}, relation, (R1, R2), state.entities[ONE], state.entities[TWO]) is None


# Forks


def test_concurrent_revisions_open_a_fork() -> None:
    """The case names the heads, sorted, and the claim is disputed until a revise names them all."""
    fork = [asserted(1, 1), revised(2, 1, 3, 1), revised(3, 1, 2, 1)]
    state = fold(fork)
    case = state.cases[fork_id([R2, R3])]
    assert (case.kind, case.status, case.sequence) == ("fork", "open", 3)
    assert (case.entities, case.revisions) == ((ONE,), (R2, R3))
    assert (case.scope, case.relation, case.tombstone) == (SCOPE, None, None)
    assert state.entities[ONE].disputed
    assert stories(*fork, revised(4, 1, 4, 2, 3)) == {case.id: ("resolved", [("opened", 3), ("resolved", 4)])}


def test_a_revision_of_one_head_stales_the_fork() -> None:
    """What is left of the fork is another case."""
    fork = [asserted(1, 1), revised(2, 1, 2, 1), revised(3, 1, 3, 1), revised(4, 1, 4, 2)]
    assert stories(*fork) == {
        fork_id([R2, R3]): ("stale", [("opened", 3), ("staled", 4)]),
        fork_id([R3, R4]): ("open", [("opened", 4)]),
    }


def test_a_resolved_fork_stays_resolved() -> None:
    """A later fork of the same claim is another one."""
    ops = [asserted(1, 1), revised(2, 1, 2, 1), revised(3, 1, 3, 1), revised(4, 1, 4, 2, 3), revised(5, 1, 5, 3)]
    assert stories(*ops) == {
        fork_id([R2, R3]): ("resolved", [("opened", 3), ("resolved", 4)]),
        fork_id([R4, R5]): ("open", [("opened", 5)]),
    }


def test_an_undo_ends_or_reopens_a_fork() -> None:
    """Undoing one side resolves it; undoing the revise that joined the heads brings it back."""
    fork = [asserted(1, 1), revised(2, 1, 2, 1), revised(3, 1, 3, 1)]
    join = revised(4, 1, 4, 2, 3)
    assert stories(*fork, undone(4, fork[2])) == {fork_id([R2, R3]): ("resolved", [("opened", 3), ("resolved", 4)])}
    assert stories(*fork, join, undone(5, join)) == {
        fork_id([R2, R3]): ("open", [("opened", 3), ("resolved", 4), ("reopened", 5)])
    }


def test_void_revisions_between_do_not_make_heads() -> None:
    """A fork made from an undone revision has two heads: what the undone one was made from is covered, not a third."""
    middle = revised(2, 1, 2, 1)
    ops = [asserted(1, 1), middle, undone(3, middle), revised(4, 1, 3, 2), revised(5, 1, 4, 2)]
    assert stories(*ops) == {fork_id([R3, R4]): ("open", [("opened", 5)])}
    both = [undone(6, ops[3]), undone(7, ops[4])]
    assert stories(*ops, *both) == {fork_id([R3, R4]): ("resolved", [("opened", 5), ("resolved", 6)])}
    assert fold([*ops, *both]).entities[ONE].lineage.heads == (R1,)
    dispute = related(8, 1, "contradicts", ONE, TWO)
    assert stories(*ops, *both, CLAIMS[1], dispute)[against(R1, R2)] == ("open", [("opened", 8)])


def test_whatever_ends_the_entity_resolves_its_fork() -> None:
    """Retraction and supersession do; an undo of theirs reopens the fork, or stales it where it has moved on."""
    fork = [asserted(1, 1), revised(2, 1, 2, 1), revised(3, 1, 3, 1)]
    retraction = retracted(4, 1, 2, 3)
    edge = [asserted(4, 2), related(5, 1, "supersedes", TWO, ONE)]
    resolved = ("resolved", [("opened", 3), ("resolved", 4)])
    assert stories(*fork, retraction) == {fork_id([R2, R3]): resolved}
    assert stories(*fork, *edge) == {fork_id([R2, R3]): ("resolved", [("opened", 3), ("resolved", 5)])}
    assert stories(*fork, retraction, undone(5, retraction))[fork_id([R2, R3])][0] == "open"
    moved = stories(*fork, retraction, revised(5, 1, 4, 2), undone(6, retraction))
    assert moved[fork_id([R2, R3])] == ("stale", [*resolved[1], ("staled", 6)])
    assert moved[fork_id([R3, R4])] == ("open", [("opened", 6)])


def test_the_history_of_a_very_wide_fork_is_cut() -> None:
    """Stale cases over more heads than is sensible are forgotten; the one that is open never is."""
    count = WIDEST_KEPT + 9
    fork = [asserted(1, 1), *(revised(seq, 1, seq, 1) for seq in range(2, count + 2))]
    cases = cases_of(*fork)
    widths = {len(case.revisions): case.status for case in cases.values()}
    assert widths == dict.fromkeys(range(2, WIDEST_KEPT + 1), "stale") | {count: "open"}


# Tombstones


def test_a_tombstone_opens_a_case_over_the_heads_that_it_did_not_see() -> None:
    """The concurrent edit loses, but not in silence."""
    edit = revised(3, 1, 3, 1)
    retraction = retracted(2, 1, 1)
    state = fold([asserted(1, 1), retraction, edit])
    case = state.cases[tombstone_id(retraction.digest, [R3])]
    assert (case.kind, case.status, case.sequence, story(case)) == ("tombstone", "open", 3, [("opened", 3)])
    assert (case.entities, case.revisions, case.tombstone) == ((ONE,), (R3,), retraction.digest)
    assert (case.scope, case.relation) == (SCOPE, None)
    assert (state.entities[ONE].status, state.entities[ONE].disputed) == ("retracted", True)
    assert state.entities[ONE].open_cases == (case.id,)


def test_what_a_tombstone_saw_includes_what_that_was_made_from() -> None:
    """No case opens over the seen head, nor over its ancestors when that head is undone later."""
    edit = revised(2, 1, 2, 1)
    retraction = retracted(3, 1, 2)
    assert cases_of(asserted(1, 1), edit, retraction) == {}
    assert cases_of(asserted(1, 1), edit, retraction, undone(4, edit)) == {}


def test_only_the_unseen_side_of_a_fork_is_in_the_case() -> None:
    """A tombstone that saw one head of two leaves the other to look at."""
    fork = [asserted(1, 1), revised(2, 1, 2, 1), revised(3, 1, 3, 1)]
    retraction = retracted(4, 1, 2)
    cases = cases_of(*fork, retraction)
    assert cases[tombstone_id(retraction.digest, [R3])].revisions == (R3,)
    assert cases[fork_id([R2, R3])].status == "resolved"


def test_a_later_edit_of_a_seen_head_is_unseen() -> None:
    """A revision after the tombstone does not revive; it is one more head to look at."""
    retraction = retracted(2, 1, 1)
    assert stories(asserted(1, 1), retraction, revised(3, 1, 2, 1), revised(4, 1, 3, 2)) == {
        tombstone_id(retraction.digest, [R2]): ("stale", [("opened", 3), ("staled", 4)]),
        tombstone_id(retraction.digest, [R3]): ("open", [("opened", 4)]),
    }


def test_an_acknowledgement_resolves_the_case_that_it_names() -> None:
    """It does not cover edits that come later, and an undo takes it back; any other case's does nothing."""
    retraction = retracted(2, 1, 1)
    ops = [asserted(1, 1), retraction, revised(3, 1, 2, 1)]
    case, wider = tombstone_id(retraction.digest, [R2]), tombstone_id(retraction.digest, [R2, R3])
    answer = acknowledged(4, 1, case)
    resolved = ("resolved", [("opened", 3), ("resolved", 4)])
    assert stories(*ops, answer) == {case: resolved}
    assert not fold([*ops, answer]).entities[ONE].disputed
    assert stories(*ops, answer, revised(5, 1, 3, 1)) == {case: resolved, wider: ("open", [("opened", 5)])}
    assert stories(*ops, answer, undone(5, answer)) == {case: ("open", [*resolved[1], ("reopened", 5)])}
    assert stories(*ops, acknowledged(4, 1, wider))[case][0] == "open"
    twice = [answer, acknowledged(5, 1, case), undone(6, answer)]
    assert stories(*ops, *twice) == {case: resolved}


def test_the_undo_of_the_tombstone_resolves_the_case() -> None:
    """The entity is back with the edit; so nothing is lost, and a fork may show."""
    retraction = retracted(2, 1, 1)
    ops = [asserted(1, 1), retraction, revised(3, 1, 2, 1), undone(4, retraction)]
    assert stories(*ops) == {
        tombstone_id(retraction.digest, [R2]): ("resolved", [("opened", 3), ("resolved", 4)]),
    }


def test_the_undo_of_the_unseen_edit_resolves_the_case() -> None:
    """Then there is nothing left to look at."""
    retraction, edit = retracted(2, 1, 1), revised(3, 1, 2, 1)
    assert stories(asserted(1, 1), retraction, edit, undone(4, edit)) == {
        tombstone_id(retraction.digest, [R2]): ("resolved", [("opened", 3), ("resolved", 4)]),
    }


def test_another_tombstone_is_another_case() -> None:
    """Where the first of two is undone, its case is resolved, and the second one's opens over what it did not see."""
    first, second = retracted(2, 1, 1), retracted(3, 1, 1)
    ops = [asserted(1, 1), first, second, revised(4, 1, 2, 1), undone(5, first)]
    assert stories(*ops) == {
        tombstone_id(first.digest, [R2]): ("resolved", [("opened", 4), ("resolved", 5)]),
        tombstone_id(second.digest, [R2]): ("open", [("opened", 5)]),
    }


def test_a_void_entity_has_no_open_case() -> None:
    """What was never asserted has lost no edit."""
    made, retraction = asserted(1, 1), retracted(2, 1, 1)
    cases = cases_of(made, retraction, revised(3, 1, 2, 1), undone(4, made))
    assert {case.status for case in cases.values()} == {"resolved"}


def test_a_superseded_end_does_not_hide_a_tombstone_case() -> None:
    """A retracted claim that is superseded as well still shows the edit that was lost."""
    retraction = retracted(2, 1, 1)
    edge = [asserted(4, 2), related(5, 1, "supersedes", TWO, ONE)]
    cases = cases_of(asserted(1, 1), retraction, revised(3, 1, 2, 1), *edge)
    assert [case.status for case in cases.values()] == ["open"]


# Names


def test_ids_are_digests_of_what_the_case_is_over() -> None:
    """The ids are fixed: `case_` and 32 hexadecimal characters of the digest of a JSON list without spaces."""
    digest = "0" * 64
    texts = {
        contradiction_id(RelationId("rel"), R1, R2): f'["contradicts","rel","{R1}","{R2}"]',
        fork_id([R2, R1]): f'["fork",["{R1}","{R2}"]]',
        tombstone_id(DISPUTE.digest, [R2, R1]): f'["tombstone","{DISPUTE.digest}",["{R1}","{R2}"]]',
    }
    assert len(digest_of(b"")) == len(digest)
    for name, text in texts.items():
        assert name == f"case_{digest_of(text.encode())[:32]}"
