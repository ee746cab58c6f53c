"""Ambient is the default and the only lasting horizon; broad needs a reason; seeing is not writing."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.errors import InvalidRequest, LimitExceeded, ScopeViolation
from memgit.limits import DEFAULT
from memgit.records.ids import ArtifactId
from memgit.records.op import Scope
from memgit.scope.context import Context
from memgit.scope.horizon import HORIZONS, Reach, belongs, check_write, reach, visible

# The first text that hypothesis draws on a machine takes a second to prepare; that says nothing about ours.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

PIN = ArtifactId("art_01jd0000000000000000000000")
ids = st.sampled_from(["a", "b"])
tasks = st.none() | st.sampled_from(["t", "u"])
scopes = st.builds(Scope, workspace=ids, project=ids, task=tasks)
contexts = st.builds(
    Context,
    workspace_id=ids,
    project_id=ids,
    resolved_from=st.just("request"),
    task_id=tasks,
    pins=st.sampled_from([(), (PIN,)]),
)
entities = st.sampled_from([None, PIN, "clm_01jd0000000000000000000000"])


def test_silence_is_ambient() -> None:
    """A request that says nothing looks no further than its context."""
    assert reach() == reach("ambient") == reach("ambient", "ignored") == Reach()
    assert not reach().broadened


@pytest.mark.parametrize("horizon", ["workspace", "personal"])
def test_a_broad_horizon_needs_a_reason(horizon: str) -> None:
    """Without one it is refused, blank counts as none, and the reason is kept."""
    silent: tuple[object, ...] = (None, "", " \n", 7, [])
    for reason in silent:
        with pytest.raises(InvalidRequest, match="reason"):
            reach(horizon, reason)
    broad = reach(horizon, " compare two services ")
    assert (broad.horizon, broad.reason, broad.broadened) == (horizon, "compare two services", True)


@pytest.mark.parametrize("horizon", ["", "AMBIENT", "global", 7, [], {}])
def test_an_unknown_horizon_is_refused(horizon: object) -> None:
    """A misspelt horizon is an error, not ambient and not everything."""
    with pytest.raises(InvalidRequest) as caught:
        reach(horizon, "reason")
    assert "ambient, workspace, personal" in caught.value.hint


def test_a_reason_is_bounded() -> None:
    """A reason is a sentence, counted in bytes; a lone surrogate does not crash the count."""
    with pytest.raises(LimitExceeded):
        reach("workspace", "é" * DEFAULT.reason_bytes)
    assert reach("workspace", "x\udc80").broadened


@calm
@given(scopes, contexts)
def test_ambient_is_the_project_and_the_current_task(scope: Scope, context: Context) -> None:
    """Same workspace and project; the item's task is none or the current one."""
    same = (scope.workspace, scope.project) == (context.workspace_id, context.project_id)
    assert visible(scope, context) == (same and scope.task in (None, context.task_id))


@calm
@given(scopes, contexts, entities)
def test_a_wider_horizon_shows_no_less(scope: Scope, context: Context, entity: str | None) -> None:
    """ambient ⊆ workspace ⊆ personal, and personal shows everything."""
    seen = [visible(scope, context, horizon, entity) for horizon in HORIZONS]
    assert seen == sorted(seen)
    assert seen[-1]


@calm
@given(scopes, contexts)
def test_a_workspace_horizon_stays_in_the_workspace(scope: Scope, context: Context) -> None:
    """Every project and task of the workspace, and nothing of another."""
    assert visible(scope, context, "workspace") == (scope.workspace == context.workspace_id)


@calm
@given(scopes, contexts, entities)
def test_a_pin_shows_its_artifact_and_nothing_else(scope: Scope, context: Context, entity: str | None) -> None:
    """A pin changes what is visible for the pinned id alone; claims and relations around it keep their own scope."""
    pinned = entity is not None and entity in context.pins
    assert visible(scope, context, entity=entity) == (pinned or visible(scope, context))
    if entity != PIN:
        assert visible(scope, context, entity=entity) == visible(scope, context)


@calm
@given(scopes, contexts, entities)
def test_write_authority_is_what_is_ambient_without_pins(scope: Scope, context: Context, entity: str | None) -> None:
    """Whatever may be written is visible; a pin adds nothing; a refusal names both scopes."""
    if belongs(scope, context):
        check_write(scope, context, entity)
        assert visible(scope, context)
        return
    with pytest.raises(ScopeViolation) as caught:
        check_write(scope, context, entity)
    assert caught.value.details == {
        "entity": entity,
        "entity_scope": {"workspace_id": scope.workspace, "project_id": scope.project, "task_id": scope.task},
        "ambient_scope": {
            "workspace_id": context.workspace_id,
            "project_id": context.project_id,
            "task_id": context.task_id,
        },
    }


def test_a_project_item_may_be_revised_from_a_task_and_a_tasks_item_only_there(context: Context) -> None:
    """The rule for tasks, with the way out that the refusal names."""
    in_task = Context("wsp_one", "prj_one", "session", task_id="t")
    check_write(Scope("wsp_one", "prj_one"), in_task)
    check_write(Scope("wsp_one", "prj_one", "t"), in_task)
    for other in (context, Context("wsp_one", "prj_one", "session", task_id="u")):
        with pytest.raises(ScopeViolation) as caught:
            check_write(Scope("wsp_one", "prj_one", "t"), other)
        assert "session exec --task t" in caught.value.hint


def test_a_refused_pin_says_that_it_is_only_a_pin() -> None:
    """The reader of the message learns why an item that they can read is not theirs to write."""
    context = Context("w", "p", "request", pins=(PIN,))
    with pytest.raises(ScopeViolation, match="A pin lets it be read, not written"):
        check_write(Scope("w", "other"), context, PIN)
