"""The process environment: the only room that reads it, and what a child `git` may see of it.

Owns the names of variables, the places of the user's own files, and which agent acts. It reads a mapping and nothing
else: no file, no password database, no subprocess. What is absent or unusable is None, never a crash: a CI job without
HOME has no data directory, and what needs one is absent there. Values are untrusted text; whoever uses one checks it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType

SESSION_VARIABLE = "MEMOREE_CONTEXT"
OVERRIDE_PREFIX = "MEMGIT_"

_APPLICATION = "memgit"
_AGENT_CHARACTERS = 64  # a name in a commit trailer and in every record, not a text

# What an agent sets in the shells that it starts. Variables that a person's own terminal has too (CURSOR_TRACE_ID,
# TERM_PROGRAM) do not say who types, so they are not here. CLAUDECODE comes last, because other agents set it too.
_AGENT_VARIABLES = (
    ("CURSOR_AGENT", "cursor"),
    ("GEMINI_CLI", "gemini"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("CLAUDECODE", "claude-code"),
)

# `git rev-parse --local-env-vars` (git 2.39) without the configuration below. A hook exports these, and with them a
# child would work on another index or another repository.
LOCAL_GIT_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NAMESPACE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)

# Not local to a repository, but they would change what our own path arguments mean.
_PATHSPEC_VARIABLES = frozenset(
    {"GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_LITERAL_PATHSPECS", "GIT_NOGLOB_PATHSPECS"}
)

# How `git -c name=value` reaches a child.
_CONFIGURATION_VARIABLES = frozenset({"GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"})
_CONFIGURATION_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")


def printable(said: str | os.PathLike[str]) -> str:
    """Return a path, or a text of the system, in which bytes that are not UTF-8 are escaped."""
    return os.fspath(said).encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, slots=True)
class Environment:
    """What the environment says. Paths are absolute and need not exist; None means that nothing usable is said."""

    session_document: str | None  # the JSON text of MEMOREE_CONTEXT
    overrides: Mapping[str, str]  # every MEMGIT_* variable that is not empty, by its whole name
    home: Path | None
    data_dir: Path | None  # memgit's own, per user; holds the registry of stores
    config_dir: Path | None  # memgit's own, per user
    no_color: bool
    dumb_terminal: bool
    pager: str | None
    agent: str | None
    git_dir: str | None  # which repository a hook or a wrapper means
    work_tree: str | None
    ceilings: tuple[Path, ...]  # where a search through parent directories stops, as Git's own does

    @classmethod
    def read(cls, source: Mapping[str, str] | None = None, platform: str = sys.platform) -> Environment:
        """Return the environment held by `source` (default: this process's), as `platform` lays out its files."""
        variables = os.environ if source is None else source
        home = _home(variables, platform)
        return cls(
            session_document=_said(variables, SESSION_VARIABLE),
            overrides=MappingProxyType(_overrides(variables)),
            home=home,
            data_dir=_data_dir(variables, home, platform),
            config_dir=_config_dir(variables, home, platform),
            no_color=bool(variables.get("NO_COLOR")),
            dumb_terminal=variables.get("TERM") == "dumb",
            pager=_said(variables, "GIT_PAGER") or _said(variables, "PAGER"),
            agent=_agent(variables),
            git_dir=_said(variables, "GIT_DIR"),
            work_tree=_said(variables, "GIT_WORK_TREE"),
            ceilings=_ceilings(variables, platform),
        )


def git_child_environment(
    source: Mapping[str, str] | None = None,
    *,
    keep_configuration: bool = False,
    extra: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the environment for a child `git` that works only where its arguments say, and never prompts.

    What names a repository, an index or an object directory is gone. `keep_configuration` lets `git -c name=value`
    through, for a child that works on the same repository as its caller. `extra` is applied last. Credentials, proxies
    and SSH settings of the user stay. Messages come in English, so that they can be told apart.
    """
    variables = os.environ if source is None else source
    child = {name: value for name, value in variables.items() if not _is_stripped(name, keep_configuration)}
    child |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    return child | dict(extra or {})


def _is_stripped(name: str, keep_configuration: bool) -> bool:
    if name in LOCAL_GIT_VARIABLES or name in _PATHSPEC_VARIABLES:
        return True
    is_configuration = name in _CONFIGURATION_VARIABLES or name.startswith(_CONFIGURATION_PREFIXES)
    return is_configuration and not keep_configuration


def _said(variables: Mapping[str, str], name: str) -> str | None:
    """Return a variable's value; empty or blank means unset, since `NAME= command` is how one unsets it."""
    value = variables.get(name, "")
    return value if value.strip() else None


def _overrides(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if name.startswith(OVERRIDE_PREFIX) and value.strip()}


def _home(variables: Mapping[str, str], platform: str) -> Path | None:
    home = _directory(variables, "HOME", platform)
    return home or (_directory(variables, "USERPROFILE", platform) if platform == "win32" else None)


def _data_dir(variables: Mapping[str, str], home: Path | None, platform: str) -> Path | None:
    base = _directory(variables, "XDG_DATA_HOME", platform)
    if base is None and platform == "win32":
        base = _directory(variables, "LOCALAPPDATA", platform) or _directory(variables, "APPDATA", platform)
    return _own(variables, "MEMGIT_DATA_DIR", base, home, (".local", "share"), platform)


def _config_dir(variables: Mapping[str, str], home: Path | None, platform: str) -> Path | None:
    base = _directory(variables, "XDG_CONFIG_HOME", platform)
    if base is None and platform == "win32":
        base = _directory(variables, "APPDATA", platform)
    return _own(variables, "MEMGIT_CONFIG_DIR", base, home, (".config",), platform)


def _own(
    variables: Mapping[str, str],
    override: str,
    base: Path | None,
    home: Path | None,
    below_home: tuple[str, ...],
    platform: str,
) -> Path | None:
    """Return our directory: the override, or ours in `base`, or ours where the platform keeps such things in HOME."""
    chosen = _directory(variables, override, platform)
    if chosen is not None:
        return chosen
    if base is None and home is not None:
        parts = {"darwin": ("Library", "Application Support"), "win32": ("AppData", "Local")}.get(platform, below_home)
        base = home.joinpath(*parts)
    return None if base is None else base / _APPLICATION


def _directory(variables: Mapping[str, str], name: str, platform: str) -> Path | None:
    """Return an absolute path. A relative one means another place in every directory, so XDG wants it ignored."""
    value = _said(variables, name)
    return Path(value) if value is not None and _is_absolute(value, platform) else None


def _ceilings(variables: Mapping[str, str], platform: str) -> tuple[Path, ...]:
    separator = ";" if platform == "win32" else ":"
    parts = variables.get("GIT_CEILING_DIRECTORIES", "").split(separator)
    return tuple(Path(part) for part in parts if _is_absolute(part, platform))


def _is_absolute(path: str, platform: str) -> bool:
    return "\0" not in path and (PureWindowsPath if platform == "win32" else PurePosixPath)(path).is_absolute()


def _agent(variables: Mapping[str, str]) -> str | None:
    """Return who acts for the user: what is said outright, else what is recognised, else None.

    MEMGIT_AGENT set to nothing says that a person acts.
    """
    if "MEMGIT_AGENT" in variables:
        return _agent_name(variables["MEMGIT_AGENT"])
    said = _agent_name(variables.get("AI_AGENT", ""))
    return said or next((agent for variable, agent in _AGENT_VARIABLES if _is_on(variables, variable)), None)


def _is_on(variables: Mapping[str, str], name: str) -> bool:
    return variables.get(name, "").strip().lower() not in ("", "0", "false", "no", "off")


def _agent_name(text: str) -> str | None:
    """Return one printable line of at most 64 characters, or None: the name ends up in records and trailers."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split())[:_AGENT_CHARACTERS].rstrip() or None
