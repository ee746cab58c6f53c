"""The environment is read in one place, tolerates whatever is missing, and never leaks a repository into a child."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.environment import LOCAL_GIT_VARIABLES, Environment, git_child_environment

# The first text that hypothesis draws on a machine takes a second to prepare; that says nothing about ours.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read(platform: str = "linux", **variables: str) -> Environment:
    return Environment.read(variables, platform)


def test_an_empty_environment_is_no_crash() -> None:
    """Without HOME the places of the user are absent, and nothing else is said."""
    environment = Environment.read({})
    assert (environment.home, environment.data_dir, environment.config_dir) == (None, None, None)
    assert (environment.session_document, environment.agent, environment.pager) == (None, None, None)
    assert (environment.no_color, environment.dumb_terminal) == (False, False)
    assert dict(environment.overrides) == {}


@pytest.mark.parametrize(
    ("platform", "variables", "data", "config"),
    [
        ("linux", {"HOME": "/h"}, "/h/.local/share/memgit", "/h/.config/memgit"),
        ("linux", {"HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"}, "/d/memgit", "/c/memgit"),
        ("linux", {"XDG_DATA_HOME": "/d"}, "/d/memgit", None),
        ("linux", {"HOME": "/h", "XDG_DATA_HOME": "relative"}, "/h/.local/share/memgit", "/h/.config/memgit"),
        ("linux", {"HOME": "", "XDG_DATA_HOME": ""}, None, None),
        ("linux", {"HOME": "not/absolute"}, None, None),
        ("linux", {"MEMGIT_DATA_DIR": "/x/d", "MEMGIT_CONFIG_DIR": "/x/c"}, "/x/d", "/x/c"),
        (
            "darwin",
            {"HOME": "/Users/u"},
            "/Users/u/Library/Application Support/memgit",
            "/Users/u/Library/Application Support/memgit",
        ),
        ("darwin", {"HOME": "/Users/u", "XDG_DATA_HOME": "/d"}, "/d/memgit", None),
    ],
)
def test_places_follow_the_platform(
    platform: str, variables: dict[str, str], data: str | None, config: str | None
) -> None:
    """The override wins, then XDG, then the platform's own place below HOME; relative paths are ignored."""
    environment = Environment.read(variables, platform)
    assert environment.data_dir == (Path(data) if data else None)
    if platform == "linux" or "XDG_DATA_HOME" not in variables:
        assert environment.config_dir == (Path(config) if config else None)


def test_windows_uses_appdata_and_userprofile() -> None:
    """On Windows data is local, configuration roams, and USERPROFILE stands in for HOME."""
    environment = read(
        "win32",
        USERPROFILE=r"C:\Users\u",
        APPDATA=r"C:\Users\u\AppData\Roaming",
        LOCALAPPDATA=r"C:\Users\u\AppData\Local",
    )
    assert environment.home == Path(r"C:\Users\u")
    assert environment.data_dir == Path(r"C:\Users\u\AppData\Local") / "memgit"
    assert environment.config_dir == Path(r"C:\Users\u\AppData\Roaming") / "memgit"


def test_overrides_are_ours_and_not_empty() -> None:
    """Only MEMGIT_ variables count, and an empty one is the same as none."""
    environment = read(MEMGIT_REF="refs/heads/memgit", MEMGIT_REMOTE="", MEMGITX="1", OTHER="2")
    assert dict(environment.overrides) == {"MEMGIT_REF": "refs/heads/memgit"}


def test_an_empty_session_variable_is_unset() -> None:
    """`MEMOREE_CONTEXT= command` is how a shell clears it."""
    assert read(MEMOREE_CONTEXT="").session_document is None
    assert read(MEMOREE_CONTEXT="{}").session_document == "{}"


@pytest.mark.parametrize(
    ("variables", "agent"),
    [
        ({}, None),
        ({"CLAUDECODE": "1"}, "claude-code"),
        ({"CLAUDECODE": "0"}, None),
        ({"CLAUDECODE": "1", "CURSOR_AGENT": "1"}, "cursor"),
        ({"GEMINI_CLI": "1"}, "gemini"),
        ({"CODEX_SANDBOX": "seatbelt"}, "codex"),
        ({"AI_AGENT": "devin@1", "CLAUDECODE": "1"}, "devin@1"),
        ({"MEMGIT_AGENT": "mine", "AI_AGENT": "theirs"}, "mine"),
        ({"MEMGIT_AGENT": "", "CLAUDECODE": "1"}, None),
        ({"CURSOR_TRACE_ID": "x", "TERM_PROGRAM": "vscode"}, None),
        ({"MEMGIT_AGENT": "two\nlines\x1b[31m"}, "two lines [31m"),
        ({"MEMGIT_AGENT": "a" * 500}, "a" * 64),
        ({"MEMGIT_AGENT": "\udc80"}, None),
    ],
)
def test_the_agent_is_what_is_said_else_what_is_recognised(variables: dict[str, str], agent: str | None) -> None:
    """An explicit name wins and is one short printable line; a person's own terminal is never taken for an agent."""
    assert Environment.read(variables).agent == agent


def test_no_color_needs_a_value() -> None:
    """NO_COLOR counts when it is present and not empty, as its convention says."""
    assert read(NO_COLOR="1").no_color
    assert not read(NO_COLOR="").no_color


def test_ceilings_are_absolute_paths() -> None:
    """GIT_CEILING_DIRECTORIES is a list; relative and empty parts mean nothing."""
    assert read(GIT_CEILING_DIRECTORIES="/a::b:/c").ceilings == (Path("/a"), Path("/c"))


def test_the_list_of_local_variables_covers_the_installed_git() -> None:
    """Whatever Git itself calls local to a repository is stripped from a child."""
    done = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True)
    child = git_child_environment(dict.fromkeys(done.stdout.split(), "x"))
    assert not set(done.stdout.split()) & set(child) - {"GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS"}


@calm
@given(
    st.dictionaries(st.sampled_from([*sorted(LOCAL_GIT_VARIABLES), "PATH", "HTTPS_PROXY", "GIT_ASKPASS"]), st.text())
)
def test_a_child_keeps_the_users_settings_and_no_repository(variables: dict[str, str]) -> None:
    """What names a repository goes; proxies and credentials stay; prompting is off."""
    child = git_child_environment(variables)
    assert not LOCAL_GIT_VARIABLES & set(child)
    assert {name: child.get(name) for name in variables if name not in LOCAL_GIT_VARIABLES} == {
        name: value for name, value in variables.items() if name not in LOCAL_GIT_VARIABLES
    }
    assert (child["GIT_TERMINAL_PROMPT"], child["GIT_OPTIONAL_LOCKS"], child["LC_ALL"]) == ("0", "0", "C")


def test_command_line_configuration_passes_only_on_request() -> None:
    """`git -c` reaches a child that works for the same repository, and no other."""
    variables = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "memgit.ref",
        "GIT_CONFIG_VALUE_0": "refs/x/y",
        "GIT_CONFIG_PARAMETERS": "'a.b=c'",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    assert set(variables) & set(git_child_environment(variables)) == {"GIT_CONFIG_GLOBAL"}
    assert set(variables) <= set(git_child_environment(variables, keep_configuration=True))
    assert "GIT_CONFIG" not in git_child_environment({"GIT_CONFIG": "x"}, keep_configuration=True)


def test_a_leaked_index_does_not_reach_a_child(tmp_path: Path) -> None:
    """A hook's GIT_DIR and GIT_INDEX_FILE do not move a child to another repository."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    hermetic = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "PATH": _path()}
    for repository in (ours, theirs):
        subprocess.run(["git", "init", "-q", str(repository)], env=hermetic, check=True)
    leaked = hermetic | {"GIT_DIR": str(theirs / ".git"), "GIT_INDEX_FILE": str(theirs / "index")}
    done = subprocess.run(
        ["git", "-C", str(ours), "rev-parse", "--absolute-git-dir"],
        env=git_child_environment(leaked),
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).samefile(ours / ".git")


def _path() -> str:
    import os

    return os.environ["PATH"]
