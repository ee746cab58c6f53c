"""A session is one process's: a checked JSON document in MEMOREE_CONTEXT, and nothing on a disk."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit import clock
from memgit.errors import InvalidRequest, MemgitError, UnsupportedVersion
from memgit.scope.context import Context
from memgit.scope.session import SESSION_BYTES, read_session, session_environment

# The first text that hypothesis draws on a machine takes a second to prepare; that says nothing about ours.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

PIN = "art_01jd0000000000000000000000"
TASK = "tsk_01jd0000000000000000000000"


def document(**fields: object) -> str:
    return json.dumps({"v": 1, "workspace_id": "w", "project_id": "p", **fields})


def test_a_document_gives_its_context() -> None:
    """Ids, component, pins and the task's name arrive; the source is the session."""
    context = read_session(document(task_id="t", component="api", pins=[PIN], task="refactoring"))
    assert (context.task_id, context.component, context.pins, context.task_name) == ("t", "api", (PIN,), "refactoring")
    assert (context.resolved_from, context.where) == ("session", "MEMOREE_CONTEXT")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "/path/to/a/file",
        "[" * 20_000,
        '{"a": ' + "9" * 6_000 + "}",
        json.dumps({"workspace_id": "w", "project_id": "p"}),
        document(v=True),
        document(v="1"),
        document(project_id=None),
        document(task_id="a b"),
        document(unknown=1),
        document(horizon="personal"),
        document(task="\n"),
        document(component="x" * SESSION_BYTES),
        "\udc80",
    ],
)
def test_a_malformed_document_is_refused(text: str) -> None:
    """Whatever is wrong with the variable is said with its name and a way out; a marker is not used instead."""
    with pytest.raises(InvalidRequest, match="MEMOREE_CONTEXT") as caught:
        read_session(text)
    assert caught.value.hint and caught.value.message.isprintable()


def test_another_version_is_refused_as_such() -> None:
    """A later document may mean something that we would miss."""
    with pytest.raises(UnsupportedVersion):
        read_session(document(v=2))


def test_a_session_cannot_keep_a_broad_horizon() -> None:
    """No source of contexts makes a broad horizon the default."""
    with pytest.raises(InvalidRequest, match="never a default"):
        read_session(document(horizon="workspace"))


def test_a_new_task_gets_a_new_id_and_keeps_its_name(context: Context) -> None:
    """Two tasks of one name are two tasks; people see the name."""
    with clock.pinned(0.0, first_ulid=0):
        first, second = (read_session(session_environment(context, "cleanup")["MEMOREE_CONTEXT"]) for _ in range(2))
    assert first.task_name == second.task_name == "cleanup"
    assert first.task_id == "tsk_00000000000000000000000001"
    assert second.task_id == "tsk_00000000000000000000000002"
    assert (first.workspace_id, first.project_id) == (context.workspace_id, context.project_id)


def test_a_task_is_taken_up_again_by_its_id(context: Context) -> None:
    """An id given as such, or as the name, is the task's id."""
    assert read_session(session_environment(context, TASK)["MEMOREE_CONTEXT"]).task_id == TASK
    again = read_session(session_environment(context, "cleanup", TASK)["MEMOREE_CONTEXT"])
    assert (again.task_id, again.task_name) == (TASK, "cleanup")


@pytest.mark.parametrize(("task", "task_id"), [("", None), (" ", None), ("a\nb", None), ("ok", "a b"), ("ok", "a/b")])
def test_a_wrong_task_is_refused_before_anything_starts(context: Context, task: str, task_id: str | None) -> None:
    """The parent reports it, not the child."""
    with pytest.raises(InvalidRequest):
        session_environment(context, task, task_id)


@calm
@given(name=st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=60))
def test_a_session_reads_what_it_was_given(name: str) -> None:
    """The variable is ASCII, since some systems lose anything else, and gives back the context and the name."""
    context = Context("w", "p", "marker", component="é", pins=(PIN,), where="/x")  # type: ignore[arg-type]
    text = session_environment(context, name, "t")["MEMOREE_CONTEXT"]
    again = read_session(text)
    assert text.isascii()
    assert (again.component, again.pins, again.task_id, again.task_name) == ("é", (PIN,), "t", name)


@calm
@given(st.text(max_size=100) | st.dictionaries(st.text(max_size=5), st.integers() | st.text()).map(json.dumps))
def test_any_text_gives_a_context_or_a_reported_error(text: str) -> None:
    """The variable is untrusted: nothing in it crashes."""
    with pytest.raises(MemgitError):
        read_session(text)
