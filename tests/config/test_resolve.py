"""The strongest source that speaks gives the value; sources are read when needed; a wrong value is its own error."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.config.resolve import Config
from memgit.config.settings import PRECEDENCE, SETTINGS, Source
from memgit.environment import Environment
from memgit.errors import InvalidRequest
from memgit.limits import DEFAULT

# The first text that hypothesis draws on a machine takes a second to prepare; that says nothing about ours.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
NOTHING = Environment.read({})


def config(git: Mapping[str, str] | None = None, **variables: str) -> Config:
    return Config(Environment.read(variables), git=git)


def never() -> Mapping[str, str]:
    raise AssertionError("Git config was read without need")


VALUES: dict[Source, str] = {"flag": "1", "environment": "2", "git": "3"}


@calm
@given(st.sets(st.sampled_from(["flag", "environment", "git"])))
def test_the_strongest_source_wins(speaking: set[Source]) -> None:
    """For every set of sources that speak, the value and its origin are the strongest one's, else the default."""
    resolved = Config(
        Environment.read({"MEMGIT_LOCK_WAIT": VALUES["environment"]} if "environment" in speaking else {}),
        git={"memgit.lockwait": VALUES["git"]} if "git" in speaking else {},
        flags={"lockWait": VALUES["flag"]} if "flag" in speaking else {},
    ).read("lockWait")
    expected = min(speaking, key=PRECEDENCE.index, default="default")
    assert resolved.source == expected
    assert resolved.value == (int(VALUES[expected]) if speaking else DEFAULT.lock_wait_ms)


def test_where_a_value_comes_from_is_named() -> None:
    """The flag, the variable, the key as people write it."""
    assert Config(NOTHING, flags={"lockWait": "1"}).read("lockWait").where == "--lock-wait"
    assert config(MEMGIT_LOCK_WAIT="1").read("lockWait").where == "MEMGIT_LOCK_WAIT"
    assert config({"memgit.lockwait": "1"}).read("lockWait").where == "Git config memgit.lockWait"
    assert config().read("lockWait").where == "default"


def test_git_config_is_read_at_need_and_once() -> None:
    """A flag or a variable costs no `git config`; several settings cost one."""
    assert Config(NOTHING, git=never, flags={"durability": "safe"}).text("durability") == "safe"
    assert Config(Environment.read({"MEMGIT_DURABILITY": "safe"}), git=never).text("durability") == "safe"
    calls: list[int] = []

    def counted() -> Mapping[str, str]:
        calls.append(1)
        return {"memgit.durability": "safe"}

    lazy = Config(NOTHING, git=counted)
    assert (lazy.text("durability"), lazy.text("backend"), lazy.integer("packEvery")) == ("safe", "auto", 150)
    assert calls == [1]


def test_typed_reading() -> None:
    """Text, numbers, and absence where there is no default."""
    assert config().text("ref") == "refs/memgit/store"
    assert config().integer("lockWait") == DEFAULT.lock_wait_ms
    assert config().optional_text("remote") is None
    assert config({"memgit.remote": "upstream"}).optional_text("remote") == "upstream"


def test_a_wrong_value_is_an_error_of_its_own_setting_only() -> None:
    """It names its origin, is never replaced by a weaker source or the default, and leaves other settings alone."""
    wrong = config({"memgit.durability": "fast", "memgit.backend": "auto"}, MEMGIT_DURABILITY="paranoid")
    with pytest.raises(InvalidRequest, match="MEMGIT_DURABILITY"):
        wrong.read("durability")
    assert wrong.text("backend") == "auto"
    with pytest.raises(InvalidRequest, match=r"Git config memgit\.ref"):
        config({"memgit.ref": "HEAD"}).text("ref")


def test_the_list_has_every_setting_and_its_problems() -> None:
    """One wrong value does not hide the others."""
    listed = {row.setting.name: row for row in config({"memgit.durability": "x", "memgit.color": "never"}).list()}
    assert list(listed) == [setting.name for setting in SETTINGS]
    assert listed["durability"].problem is not None and "balanced or safe" in listed["durability"].problem
    assert listed["durability"].value == "balanced"
    assert (listed["color"].value, listed["color"].source, listed["color"].problem) == ("never", "git", None)


def test_unknown_keys_are_found() -> None:
    """A typo in Git config can be shown by `doctor`."""
    assert config({"memgit.ref": "refs/a/b", "memgit.durabilty": "safe"}).unknown() == ("memgit.durabilty",)


def test_an_unknown_setting_is_refused() -> None:
    """Reading a name that does not exist suggests one that does."""
    with pytest.raises(InvalidRequest) as caught:
        config().read("packEvry")
    assert "packEvery" in caught.value.hint


def test_no_color_is_a_word_of_the_environment() -> None:
    """NO_COLOR wins over Git config and loses to our own variable and to a flag."""
    assert config({"memgit.color": "always"}, NO_COLOR="1").text("color") == "never"
    assert config({"memgit.color": "always"}, NO_COLOR="").text("color") == "always"
    assert config(NO_COLOR="1", MEMGIT_COLOR="always").text("color") == "always"
    assert Config(Environment.read({"NO_COLOR": "1"}), flags={"color": "always"}).text("color") == "always"
    assert config(NO_COLOR="1").read("color").where == "NO_COLOR"


def test_the_personal_fallback_is_whole_or_absent() -> None:
    """Half an identity is a mistake that is named."""
    assert config().personal() is None
    both = {"memgit.personalworkspace": "w", "memgit.personalproject": "p"}
    assert config(both).personal() == ("w", "p")
    for key, missing in zip(both, ("personalProject", "personalWorkspace"), strict=True):
        with pytest.raises(InvalidRequest, match=missing):
            config({key: "x"}).personal()


def test_the_context_is_listed_whole() -> None:
    """What a session leaves out is absent; it is not taken from the marker below it."""
    session = {"workspace_id": "w", "project_id": "session"}
    marker = {"workspace_id": "w", "project_id": "marker", "component": "api"}
    both = Config(NOTHING, session=session, marker=marker)
    assert (both.read("project_id").value, both.read("project_id").source) == ("session", "session")
    assert (both.read("component").value, both.read("component").source) == (None, "session")
    assert Config(NOTHING, marker=marker).read("component").value == "api"
    assert config().read("workspace_id").value is None


def test_a_context_is_not_set_from_git_or_the_environment() -> None:
    """Only a session or a marker gives one here."""
    said = config({"memgit.workspace_id": "w"}, MEMGIT_WORKSPACE_ID="w")
    assert said.read("workspace_id").value is None


def test_session_and_marker_cannot_set_anything_else() -> None:
    """A marker that arrives with a clone chooses no ref and no program."""
    hostile = {setting.name: "refs/heads/main" for setting in SETTINGS if setting.kind != "context"}
    assert Config(NOTHING, session=hostile, marker=hostile).text("ref") == "refs/memgit/store"
    assert Config(NOTHING, session=hostile, marker=hostile).optional_text("pager") is None
