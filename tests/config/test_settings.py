"""The table of settings is complete and consistent, and its names are found as people type them."""

from __future__ import annotations

import re

import pytest

from memgit.config.settings import BY_NAME, PRECEDENCE, SETTINGS, find_setting
from memgit.config.values import describe_values, parse_value
from memgit.errors import InvalidRequest
from memgit.limits import DEFAULT
from memgit.scope.marker import MARKER_KEYS
from memgit.scope.session import SESSION_FIELDS


def test_the_order_of_sources() -> None:
    """One order for every setting, strongest first."""
    assert PRECEDENCE == ("flag", "environment", "session", "marker", "git", "default")


def test_every_default_is_a_value_of_its_setting() -> None:
    """A default passes the same check as anybody's value; a setting that is not context has all three names."""
    for setting in SETTINGS:
        assert setting.description.endswith(".")
        if setting.default is not None:
            assert parse_value(setting, str(setting.default), "default") == setting.default
        if setting.kind != "context":
            assert setting.git_key == f"memgit.{setting.name}"
            assert re.fullmatch(r"MEMGIT_[A-Z_]+", setting.environment or "")
            assert re.fullmatch(r"--[a-z-]+", setting.flag)
            assert re.fullmatch(r"memgit\.[a-z]+", setting.key("git") or "")
        assert describe_values(setting)


def test_no_name_is_used_twice() -> None:
    """Names and keys are unique in every source."""
    assert len(BY_NAME) == len(SETTINGS)
    for source in PRECEDENCE[:-1]:
        keys = [setting.key(source) for setting in SETTINGS if setting.key(source)]
        assert len(keys) == len(set(keys))


def test_the_design_defaults() -> None:
    """What the design fixes, literally."""
    defaults = {name: BY_NAME[name].default for name in ("ref", "defaultLayer", "durability", "lockWait", "packEvery")}
    assert defaults == {
        "ref": "refs/memgit/store",
        "defaultLayer": "shared",
        "durability": "balanced",
        "lockWait": DEFAULT.lock_wait_ms,
        "packEvery": 150,
    }


def test_session_and_marker_set_the_context_and_nothing_else() -> None:
    """What may come from somebody else chooses no ref, remote or program; the table agrees with the room `scope`."""
    for setting in SETTINGS:
        if setting.kind != "context":
            assert setting.session_key is None and setting.marker_key is None
    assert {setting.marker_key for setting in SETTINGS if setting.marker_key} == set(MARKER_KEYS) - {"v"}
    assert {setting.session_key for setting in SETTINGS if setting.session_key} == set(SESSION_FIELDS) - {"v", "task"}


@pytest.mark.parametrize(
    "name", ["defaultLayer", "defaultlayer", "default-layer", "DEFAULT_LAYER", "memgit.defaultLayer", " defaultLayer "]
)
def test_names_are_found_as_people_type_them(name: str) -> None:
    """Case, dashes and the prefix do not matter."""
    assert find_setting(name).name == "defaultLayer"


def test_an_unknown_name_gets_a_suggestion() -> None:
    """A typo is answered with the nearest name; something else with the way to the list."""
    with pytest.raises(InvalidRequest) as caught:
        find_setting("durabilty")
    assert caught.value.hint == "Did you mean durability?"
    with pytest.raises(InvalidRequest) as caught:
        find_setting("zzzzzzzz\x1b" * 100)
    assert "config list" in caught.value.hint and caught.value.message.isprintable()


@pytest.mark.parametrize("name", ["horizon", "memgit.defaultHorizon"])
def test_no_setting_keeps_a_broad_horizon(name: str) -> None:
    """Looking for one is answered with the reason, not with a suggestion."""
    with pytest.raises(InvalidRequest, match="broad horizon"):
        find_setting(name)
