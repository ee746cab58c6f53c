"""A context is whole, checked, and echoed as the protocol says."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.clock import new_ulid
from memgit.errors import InvalidRequest, LimitExceeded, MemgitError
from memgit.limits import DEFAULT
from memgit.records.op import Scope
from memgit.scope.context import Context, context_from_request, excerpt

# The first text that hypothesis draws on a machine takes a second to prepare; that says nothing about ours.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

PIN = "art_01jd0000000000000000000000"
WHOLE = {"workspace_id": "w", "project_id": "p"}


def test_a_request_gives_a_whole_context() -> None:
    """Every field of a request's context arrives, and its source is the request."""
    context = context_from_request({**WHOLE, "task_id": "t", "component": "api", "pins": [PIN]})
    assert context == Context("w", "p", "request", task_id="t", component="api", pins=(PIN,))  # type: ignore[arg-type]
    assert context.scope == Scope(workspace="w", project="p", task="t")


def test_the_echo_has_the_protocols_fields(context: Context) -> None:
    """Answers repeat the context, its source, the horizon, and whether that is broad."""
    assert context.echo() == {
        "workspace_id": "wsp_one",
        "project_id": "prj_one",
        "task_id": None,
        "pins": [],
        "resolved_from": "request",
        "horizon": "ambient",
        "broadened": False,
    }
    assert context.echo("personal")["broadened"] is True


def test_null_is_the_same_as_absent() -> None:
    """Optional fields may be null, as generated clients send them."""
    assert context_from_request({**WHOLE, "task_id": None, "component": None, "pins": None}).pins == ()


@pytest.mark.parametrize(
    "fields",
    [
        None,
        [],
        "wsp",
        {},
        {"workspace_id": "w"},
        {"project_id": "p"},
        {"task_id": "t"},
        {**WHOLE, "workspace_id": ""},
        {**WHOLE, "project_id": "../up"},
        {**WHOLE, "project_id": "a/b"},
        {**WHOLE, "project_id": 7},
        {**WHOLE, "task_id": "with space"},
        {**WHOLE, "component": ""},
        {**WHOLE, "component": " "},
        {**WHOLE, "component": "two\nlines"},
        {**WHOLE, "component": "\u202eright"},
        {**WHOLE, "component": "\udc80"},
        {**WHOLE, "component": ["a"]},
        {**WHOLE, "pins": PIN},
        {**WHOLE, "pins": ["clm_01jd0000000000000000000000"]},
        {**WHOLE, "pins": ["art_short"]},
        {**WHOLE, "pins": [None]},
        {**WHOLE, "unknown": 1},
        {**WHOLE, "task": "a name is not a request's to give"},
        {**WHOLE, "horizon": "workspace"},
        {"workspace_id": "w", "project_id": "p", 3: 4},
    ],
)
def test_a_malformed_request_context_is_refused(fields: object) -> None:
    """Half a context, a wrong value and an unknown field are refused with a hint; nothing is guessed."""
    with pytest.raises(InvalidRequest) as caught:
        context_from_request(fields)
    assert caught.value.hint


def test_limits_are_named_with_the_size_seen() -> None:
    """A text or a list that is too long says which limit, its value and the size."""
    with pytest.raises(LimitExceeded) as caught:
        context_from_request({**WHOLE, "component": "é" * DEFAULT.component_bytes})
    assert caught.value.details == {
        "limit": "component",
        "value": DEFAULT.component_bytes,
        "size": 2 * DEFAULT.component_bytes,
    }
    with pytest.raises(LimitExceeded):
        context_from_request({**WHOLE, "pins": [f"art_{new_ulid()}" for _ in range(DEFAULT.pins + 1)]})


def test_pins_keep_their_order_and_lose_their_repetitions() -> None:
    """The same artifact pinned twice is pinned once."""
    other = "art_01jd0000000000000000000001"
    assert context_from_request({**WHOLE, "pins": [other, PIN, other]}).pins == (other, PIN)


def test_components_of_any_script_are_accepted() -> None:
    """Spaces of other scripts and accents are ordinary text."""
    for component in ("facturación", "請求　処理", "a b"):
        assert context_from_request({**WHOLE, "component": component}).component == component


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)
FIELD = st.sampled_from(["workspace_id", "project_id", "task_id", "component", "pins", "horizon", "x"])


@calm
@given(st.dictionaries(FIELD, JSON | st.just("ok"), max_size=6))
def test_any_json_gives_a_context_or_a_reported_error(fields: dict[str, object]) -> None:
    """Whatever a client sends, the answer is a valid context or one of memgit's errors, never a crash."""
    try:
        context = context_from_request(fields)
    except MemgitError as error:
        assert str(error).isprintable()
    else:
        assert (context.workspace_id, context.project_id) == (fields["workspace_id"], fields["project_id"])


@calm
@given(st.text(max_size=200))
def test_excerpts_are_short_and_printable(text: str) -> None:
    """A value from outside cannot flood a message or move a terminal's cursor."""
    assert excerpt(text).isprintable()
    assert len(excerpt(text)) <= 61
