"""The table of settings: one row each, with its default, its sources and what it may hold.

Sources in the order of `PRECEDENCE`: the strongest that speaks wins. A row names its key in each source that may set it
and None where a source may not. Session and marker set nothing but the ambient context: both can come from somebody
else (a marker arrives with a clone), so neither may choose a ref, a remote or a program to run.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from msgspec import Struct

from memgit.errors import InvalidRequest
from memgit.limits import DEFAULT

Source = Literal["flag", "environment", "session", "marker", "git", "default"]
PRECEDENCE: tuple[Source, ...] = get_args(Source)
"""Strongest first."""

TRUST_KEY = "memgit.trusted"
"""The key of Git config that says whom the user trusts, one entry a value. Not a setting: nothing but Git config holds
it, and `git memory trust` writes it."""

Kind = Literal["choice", "integer", "ref", "remote", "scope_id", "text", "context"]
SettingValue = str | int | None


class Setting(Struct, frozen=True, kw_only=True):
    """One setting. `default` None means that nothing holds unless somebody says so."""

    name: str
    kind: Kind
    description: str
    default: SettingValue = None
    git_key: str | None = None  # as people write it; Git compares it without case
    environment: str | None = None
    session_key: str | None = None
    marker_key: str | None = None
    allowed: tuple[str, ...] = ()  # for a choice
    minimum: int = 0  # for an integer, both ends included
    maximum: int = 0

    @property
    def flag(self) -> str:
        """The command-line flag of this name, e.g. `--lock-wait`."""
        return "--" + re.sub(r"([A-Z])", r"-\1", self.name).replace("_", "-").lower()

    @property
    def writable(self) -> bool:
        """Whether `git memory config set` can set it."""
        return self.git_key is not None

    def key(self, source: Source) -> str | None:
        """Return what the setting is called in a source (Git's in lower case), or None where it cannot be set there."""
        keys: dict[Source, str | None] = {
            "flag": None if self.kind == "context" else self.name,
            "environment": self.environment,
            "session": self.session_key,
            "marker": self.marker_key,
            "git": self.git_key.lower() if self.git_key else None,
        }
        return keys.get(source)


def _row(
    name: str,
    kind: Kind,
    description: str,
    default: SettingValue = None,
    *,
    allowed: tuple[str, ...] = (),
    maximum: int = 0,
) -> Setting:
    """Return a setting that Git config and the environment may hold, under names made from its own."""
    return Setting(
        name=name,
        kind=kind,
        description=description,
        default=default,
        git_key=f"memgit.{name}",
        environment="MEMGIT_" + re.sub(r"([A-Z])", r"_\1", name).upper(),
        allowed=allowed,
        maximum=maximum,
    )


def _context_row(name: str, description: str, *, in_marker: bool = True) -> Setting:
    marker_key = name if in_marker else None
    return Setting(name=name, kind="context", description=description, session_key=name, marker_key=marker_key)


SETTINGS: tuple[Setting, ...] = (
    _row("ref", "ref", "The ref that holds the shared memory.", "refs/memgit/store"),
    _row("remote", "remote", "The remote that memory goes to, by its name. The first `sync` sets it, and says so."),
    _row(
        "networkIdle",
        "integer",
        "How long a remote may say nothing before the exchange is ended, in seconds.",
        30,
        maximum=86_400,
    ),
    _row(
        "networkTimeout",
        "integer",
        "How long one exchange with a remote may take altogether, in seconds.",
        600,
        maximum=86_400,
    ),
    _row(
        "defaultLayer",
        "choice",
        "Where new memories go unless a command says: to everybody, or to this clone alone.",
        "shared",
        allowed=("shared", "local"),
    ),
    _row(
        "durability",
        "choice",
        "What an acknowledged write already is: balanced a commit, safe a commit that has reached the disk.",
        "balanced",
        allowed=("balanced", "safe"),
    ),
    _row(
        "lockWait",
        "integer",
        "How long a writer waits for another, in milliseconds.",
        DEFAULT.lock_wait_ms,
        maximum=600_000,
    ),
    _row(
        "packEvery",
        "integer",
        "Pack memgit's own loose objects after this many writes; 0 leaves that to Git until the log takes 32 MiB.",
        150,
        maximum=1_000_000,
    ),
    _row(
        "sign",
        "choice",
        "Sign the memory's commits: auto as commit.gpgSign says, where that needs no prompt; always, or not at all.",
        "auto",
        allowed=("auto", "always", "never"),
    ),
    _row(
        "checkpointKeep",
        "integer",
        "How many checkpoints are kept, of those with a snapshot and of those without; 0 keeps all.",
        200,
        maximum=10_000,
    ),
    _row("checkpointDays", "integer", "For how many days a checkpoint is kept; 0 for ever.", 30, maximum=36_500),
    _row("personalWorkspace", "scope_id", "The workspace of a request that nothing else places; needs a project too."),
    _row("personalProject", "scope_id", "The project of a request that nothing else places; needs a workspace too."),
    _row(
        "embedder",
        "text",
        "What finds texts that are alike: static, neural, hash, none, an installed model, or the absolute path of one.",
        "static",
    ),
    _row(
        "reranker",
        "text",
        "What reads the best claims with the question and orders them: none, an installed cross-encoder, or the "
        "absolute path of one.",
        "none",
    ),
    _row(
        "rerankerBudget",
        "integer",
        "How long the reranker may take for one order, in milliseconds; the order stays where it takes longer.",
        250,
        maximum=60_000,
    ),
    _row(
        "lexicalIndex",
        "choice",
        "Which library keeps the index of words; auto takes tantivy where it is installed. Both find the same.",
        "auto",
        allowed=("auto", "whoosh", "tantivy"),
    ),
    _row(
        "backend",
        "choice",
        "Which program reads and writes Git objects; auto asks the repository.",
        "auto",
        allowed=("auto", "pygit2", "plumbing"),
    ),
    _row(
        "color",
        "choice",
        "Whether people get colours; NO_COLOR means never.",
        "auto",
        allowed=("auto", "always", "never"),
    ),
    _row("pager", "text", "The program that long output goes through; cat means none. Default: Git's."),
    _context_row("workspace_id", "The workspace of a request."),
    _context_row("project_id", "The project of a request."),
    _context_row("task_id", "The task of a request; a task belongs to one process.", in_marker=False),
    _context_row("component", "The part of the project that new memories are about."),
    _context_row("pins", "Artifacts that are in sight although they belong elsewhere."),
)

BY_NAME: dict[str, Setting] = {setting.name: setting for setting in SETTINGS}


def find_setting(name: str) -> Setting:
    """Return the setting that a person means by `name`: any case, `-` or `_` anywhere, with or without `memgit.`.

    Raises InvalidRequest, which suggests the nearest name.
    """
    wanted = _folded(name)
    found = next((setting for setting in SETTINGS if _folded(setting.name) == wanted), None)
    if found is not None:
        return found
    if wanted in ("horizon", "defaulthorizon"):
        raise InvalidRequest(
            "no setting makes a broad horizon the default",
            hint="Pass `--horizon workspace --reason WHY` with the one request that needs it.",
        )
    raise InvalidRequest(f"there is no setting {name[:60]!r}", hint=_suggestion(wanted))


def _folded(name: str) -> str:
    return name.strip().lower().removeprefix("memgit.").replace("-", "").replace("_", "")


def _suggestion(wanted: str) -> str:
    import difflib

    names = {_folded(setting.name): setting.name for setting in SETTINGS}
    near = difflib.get_close_matches(wanted[:60], names, n=1)
    return f"Did you mean {names[near[0]]}?" if near else "`git memory config list` shows the settings."
