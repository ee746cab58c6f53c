"""What a person sees as one action is one event, and what are two are two."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.checkpoints.coalesce import CHECKOUT_SECONDS, actions
from memgit.checkpoints.spool_lines import HOOKS, Run

A, B, C, D = "a" * 40, "b" * 40, "c" * 40, "d" * 40


def run(
    hook: str,
    before: str | None = None,
    after: str | None = None,
    *,
    at: float = 0.0,
    cause: str | None = None,
    argument: str | None = None,
    pairs: tuple[tuple[str, str], ...] = (),
    worktree: str = ".",
    branch: str | None = "refs/heads/main",
) -> Run:
    """Return a run of a hook."""
    return Run(
        key=f"{hook}:{at}",
        line=b"",
        hook=hook,
        moment=at,
        up=False,
        worktree=worktree,
        cause=cause,
        before=before,
        after=after,
        branch=branch,
        argument=argument,
        agent=None,
        session=None,
        task=None,
        pairs=pairs,
        seconds=at,
    )


def kinds(*runs: Run) -> list[tuple[str, str | None, int]]:
    """Return what the runs are as actions."""
    return [(event.kind, event.cause, event.runs) for event in (action.event() for action in actions(runs))]


def test_a_commit_and_its_check_are_one() -> None:
    """`pre-commit` says where HEAD was; a check whose commit failed stays by itself until the commit comes."""
    assert kinds(run("pre-commit", A), run("pre-commit", A), run("post-commit", None, B)) == [("commit", None, 3)]
    (event,) = (action.event() for action in actions([run("pre-commit", A), run("post-commit", None, B)]))
    assert (event.before, event.after) == (A, B)
    assert kinds(run("pre-commit", A), run("post-checkout", A, B)) == [("pre-commit", None, 1), ("checkout", None, 1)]


def test_commits_are_not_united() -> None:
    """Two commits of a person are two events; so are a commit and the checkout after it."""
    runs = [run("post-commit", None, A), run("post-commit", None, B), run("post-checkout", B, C)]
    assert kinds(*runs) == [("commit", None, 1), ("commit", None, 1), ("checkout", None, 1)]


def test_one_run_that_two_blocks_told_of_is_one() -> None:
    """Where a tool and Git itself both call us, the second line adds nothing."""
    assert kinds(run("post-commit", None, A), run("post-commit", None, A, at=0.2)) == [("commit", None, 2)]


def test_checkouts_unite_while_they_follow_each_other() -> None:
    """Time between them, or a step that was not seen, makes two."""
    near, far = CHECKOUT_SECONDS - 1, CHECKOUT_SECONDS + 1
    assert kinds(run("post-checkout", A, B), run("post-checkout", B, C, at=near)) == [("checkout", None, 2)]
    assert len(kinds(run("post-checkout", A, B), run("post-checkout", B, C, at=far))) == 2
    assert len(kinds(run("post-checkout", A, B), run("post-checkout", C, D, at=1))) == 2


def test_two_rebases_are_two() -> None:
    """A rebase ends with its rewrite; the next one is another event, also from the same place."""
    one = [
        run("post-checkout", A, B, cause="rebase"),
        run("post-commit", A, C, cause="rebase"),
        run("post-rewrite", A, C, cause="rebase", argument="rebase", pairs=((A, C),)),
    ]
    assert kinds(*one, *one) == [("rewrite", "rebase", 3), ("rewrite", "rebase", 3)]
    other = run("post-commit", D, B, cause="rebase")
    assert len(kinds(one[0], one[1], other)) == 2


def test_an_amend_within_a_rebase_belongs_to_it() -> None:
    """The rewrite of an amend is a step; only the rebase's own rewrite ends it."""
    runs = [
        run("post-checkout", A, B, cause="rebase"),
        run("pre-commit", A, None, cause="rebase"),
        run("post-commit", A, C, cause="rebase"),
        run("post-rewrite", A, C, cause="rebase", argument="amend", pairs=((B, C),)),
        run("post-rewrite", A, C, cause="rebase", argument="rebase", pairs=((A, C),)),
    ]
    (event,) = (action.event() for action in actions(runs))
    assert (event.kind, event.rewritten) == ("rewrite", ((B, C), (A, C)))


def test_a_bisect_ends_where_it_began() -> None:
    """Back at its beginning a bisect is over; what follows is another."""
    one = [run("post-checkout", A, B, cause="bisect"), run("post-checkout", B, A, cause="bisect", at=1)]
    assert kinds(*one, *one) == [("checkout", "bisect", 2), ("checkout", "bisect", 2)]


def test_an_amend_whose_hook_was_not_told() -> None:
    """Where a tool kept the input of `post-rewrite` to itself, the check before the commit knows the old one."""
    runs = [
        run("pre-commit", A),
        run("post-commit", None, B),
        run("post-rewrite", None, B, cause="amend", argument="amend"),
    ]
    (event,) = (action.event() for action in actions(runs))
    assert (event.kind, event.cause, event.rewritten) == ("commit", "amend", ((A, B),))


def test_pushes_stand_alone() -> None:
    """Each push is an event, whatever is around it."""
    assert len(kinds(run("pre-push", A), run("pre-push", A), run("post-commit", None, B), run("pre-push", B))) == 4


RUNS = st.lists(
    st.builds(
        run,
        st.sampled_from(HOOKS),
        st.sampled_from([None, A, B]),
        st.sampled_from([None, A, B, C]),
        at=st.floats(0, 200),
        cause=st.sampled_from([None, "rebase", "bisect", "cherry-pick", "merge", "amend"]),
        argument=st.sampled_from([None, "rebase", "amend"]),
        pairs=st.sampled_from([(), ((A, B),), ((A, B), (B, C))]),
        worktree=st.sampled_from([".", "worktrees/x"]),
        branch=st.sampled_from([None, "refs/heads/main"]),
    ),
    max_size=30,
)


@settings(max_examples=60)
@given(RUNS)
def test_nothing_is_lost(runs: list[Run]) -> None:
    """Whatever ran, each run is in one action, each pair and each commit that HEAD was at is in an event."""
    found = actions(runs)
    assert sorted(id(one) for action in found for one in action.runs) == sorted(map(id, runs))
    events = [action.event() for action in found]
    assert sum(event.runs for event in events) == len(runs)
    assert {pair for event in events for pair in event.rewritten} >= {pair for one in runs for pair in one.pairs}
    seen = {oid for event in events for oid in (*event.through, event.after)} - {None}
    assert seen == {one.after for one in runs} - {None}
    for event in events:
        assert {one.worktree for one in runs if one.worktree == event.worktree}
