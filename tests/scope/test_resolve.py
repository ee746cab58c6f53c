"""Request, session, marker, store, personal: the first that speaks is the context, and nothing below it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.environment import Environment
from memgit.errors import InvalidRequest, NoAmbientContext
from memgit.scope.context import Context, ContextSource
from memgit.scope.resolve import PRECEDENCE, Identity, Place, ambient_context, first_context, marker_start

# The first text that hypothesis draws on a machine takes a second to prepare; that says nothing about ours.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

PutMarker = Callable[..., Path]
SESSION = json.dumps({"v": 1, "workspace_id": "w", "project_id": "session"})
REQUEST = {"workspace_id": "w", "project_id": "request"}


def never() -> Identity | None:
    raise AssertionError("a weaker source was asked")


@calm
@given(st.lists(st.sampled_from(PRECEDENCE), unique=True))
def test_the_strongest_source_that_speaks_wins(speaking: list[ContextSource]) -> None:
    """For every set of sources that have a context, the answer is the strongest one's and no weaker one is asked."""
    asked: list[ContextSource] = []

    def source(name: ContextSource) -> Callable[[], Context | None]:
        def ask() -> Context | None:
            asked.append(name)
            return Context("w", name, name) if name in speaking else None

        return ask

    found = first_context({name: source(name) for name in PRECEDENCE})
    expected = min(speaking, key=PRECEDENCE.index, default=None)
    assert (found.resolved_from if found else None) == expected
    assert asked == list(PRECEDENCE[: PRECEDENCE.index(expected) + 1] if expected else PRECEDENCE)


def test_the_order_is_the_protocols() -> None:
    """The order of the design, and the words of `resolved_from`."""
    assert PRECEDENCE == ("request", "session", "marker", "store", "personal")


@pytest.mark.parametrize("strongest", range(6))
def test_every_step_of_the_order(tmp_path: Path, put_marker: PutMarker, strongest: int) -> None:
    """With the sources from the n-th on there, the n-th gives the context; with none, NO_AMBIENT_CONTEXT."""
    there = set(PRECEDENCE[strongest:])
    if "marker" in there:
        put_marker(tmp_path, project="marker")
    variables = {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    if "session" in there:
        variables["MEMOREE_CONTEXT"] = SESSION

    def resolve() -> Context:
        return ambient_context(
            Place(tmp_path),
            Environment.read(variables),
            request=REQUEST if "request" in there else None,
            store=lambda: Identity("w", "store") if "store" in there else None,
            personal=lambda: Identity("w", "personal") if "personal" in there else None,
        ).context

    if not there:
        with pytest.raises(NoAmbientContext) as caught:
            resolve()
        assert str(tmp_path) in caught.value.message
    else:
        assert resolve().project_id == resolve().resolved_from == PRECEDENCE[strongest]


def test_a_stronger_source_is_not_disturbed_by_a_broken_weaker_one(tmp_path: Path, put_marker: PutMarker) -> None:
    """A request with its own context works in a directory whose marker is broken, and below a broken session."""
    put_marker(tmp_path, "broken")
    broken = Environment.read({"MEMOREE_CONTEXT": "broken"})
    found = ambient_context(Place(tmp_path), broken, request=REQUEST, store=never, personal=never)
    assert found.context.project_id == "request"
    session = Environment.read({"MEMOREE_CONTEXT": SESSION})
    assert ambient_context(Place(tmp_path), session, store=never).context.project_id == "session"


def test_a_broken_source_is_an_error_not_a_silence(
    tmp_path: Path, put_marker: PutMarker, bare_environment: Environment
) -> None:
    """A malformed session or marker never falls through to what is below it."""
    put_marker(tmp_path, "broken")
    with pytest.raises(InvalidRequest):
        ambient_context(Place(tmp_path), bare_environment, store=never, personal=never)
    put_marker(tmp_path)
    with pytest.raises(InvalidRequest):
        ambient_context(Place(tmp_path), Environment.read({"MEMOREE_CONTEXT": "{}"}), store=never)
    with pytest.raises(InvalidRequest):
        ambient_context(Place(tmp_path), bare_environment, request={})


def test_sources_are_not_mixed(tmp_path: Path, put_marker: PutMarker) -> None:
    """A session without a component does not take the marker's: a context is whole."""
    put_marker(tmp_path, 'workspace_id = "w"\nproject_id = "p"\ncomponent = "api"\n')
    found = ambient_context(Place(tmp_path), Environment.read({"MEMOREE_CONTEXT": SESSION}))
    assert found.context.component is None


def test_warnings_of_the_marker_that_counts_are_told(
    tmp_path: Path, put_marker: PutMarker, bare_environment: Environment
) -> None:
    """What the marker's reader noticed reaches the caller."""
    put_marker(tmp_path, 'workspace_id = "w"\nproject_id = "p"\nextra = 1\n')
    assert "extra" in ambient_context(Place(tmp_path), bare_environment).warnings[0]


def test_an_identity_from_elsewhere_is_checked(tmp_path: Path, bare_environment: Environment) -> None:
    """A store or a configuration that holds a malformed id is reported with its origin."""
    with pytest.raises(InvalidRequest, match="personalProject"):
        ambient_context(
            Place(tmp_path), bare_environment, personal=lambda: Identity("w", "a b", "memgit.personalProject")
        )


def test_a_bare_repository_has_no_marker(tmp_path: Path, put_marker: PutMarker, bare_environment: Environment) -> None:
    """Inside a bare repository the directories around it say nothing; from outside they do."""
    put_marker(tmp_path, project="server")
    bare = tmp_path / "repository.git"
    (bare / "hooks").mkdir(parents=True)
    for inside in (bare, bare / "hooks"):
        found = ambient_context(Place(inside, bare), bare_environment, store=lambda: Identity("w", "store"))
        assert found.context.resolved_from == "store"
    with pytest.raises(NoAmbientContext, match="bare"):
        ambient_context(Place(bare, bare), bare_environment)
    assert ambient_context(Place(tmp_path, bare), bare_environment).context.project_id == "server"


def test_the_search_starts_in_the_working_tree(tmp_path: Path) -> None:
    """From inside `.git` it starts at the top; in a working tree kept inside a bare repository, where one stands."""
    top, git_dir = tmp_path / "top", tmp_path / "top" / ".git"
    (git_dir / "hooks").mkdir(parents=True)
    assert marker_start(Place(git_dir / "hooks", git_dir, top)) == top
    assert marker_start(Place(top / "src", git_dir, top)) == top / "src"
    inner = tmp_path / "bare.git" / "main"
    (inner / "src").mkdir(parents=True)
    assert marker_start(Place(inner / "src", tmp_path / "bare.git", inner)) == inner / "src"
    assert marker_start(Place(top)) == top
