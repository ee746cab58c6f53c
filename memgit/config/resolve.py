"""The value of a setting and where it comes from: the first source of the table's order that speaks.

Sources are read when they are needed: whoever passes a flag pays for no `git config`. A wrong value is an error of the
setting that it belongs to, when that is read, so that a typo in one does not stop a command that needs another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from memgit.config.git_config import read_git_config
from memgit.config.settings import PRECEDENCE, SETTINGS, TRUST_KEY, Setting, SettingValue, Source, find_setting
from memgit.config.values import parse_value
from memgit.environment import Environment
from memgit.errors import InvalidRequest


class Resolved(Struct, frozen=True):
    """A setting's value, the source that gave it, and that source's name for people."""

    setting: Setting
    value: SettingValue
    source: Source
    where: str
    problem: str | None = None  # in a list only: why the value that was found does not count


class Config:
    """The settings as they hold for one command. Holds no file open; Git config is read at most once."""

    def __init__(
        self,
        environment: Environment,
        *,
        git: Mapping[str, str] | Callable[[], Mapping[str, str]] | None = None,
        flags: Mapping[str, str] | None = None,
        session: Mapping[str, str] | None = None,
        marker: Mapping[str, str] | None = None,
    ) -> None:
        """Keep the sources. All map a key of the table to text; `git` has its keys in lower case, or is a function.

        `flags` is keyed by setting name. `session` and `marker` hold the context that each would give, if it is asked.
        """
        self._environment = environment
        self._git = git
        self._given: dict[Source, Mapping[str, str]] = {
            "flag": flags or {},
            "environment": environment.overrides,
            "session": session or {},
            "marker": marker or {},
        }

    @classmethod
    def of_repository(
        cls, git_dir: Path | None, environment: Environment, flags: Mapping[str, str] | None = None
    ) -> Config:
        """Return the settings of a repository, whose Git config a `git config` reads at the first need."""
        return cls(environment, git=lambda: read_git_config(git_dir), flags=flags)

    def read(self, name: str) -> Resolved:
        """Return a setting by the name that a person may give. Raises InvalidRequest: unknown name or wrong value."""
        return self._resolve(find_setting(name))

    def text(self, name: str) -> str:
        """Return the text of a setting that has a default. Errors as `read`."""
        value = self.read(name).value
        assert isinstance(value, str), f"{name} has no default text"
        return value

    def optional_text(self, name: str) -> str | None:
        """Return the text of a setting, or None where nobody says anything. Errors as `read`."""
        value = self.read(name).value
        assert value is None or isinstance(value, str), f"{name} is not text"
        return value

    def integer(self, name: str) -> int:
        """Return the number of a setting, in the unit that its description names. Errors as `read`."""
        value = self.read(name).value
        assert isinstance(value, int), f"{name} is not a number"
        return value

    def personal(self) -> tuple[str, str] | None:
        """Return the workspace and project of the personal fallback, or None.

        Raises InvalidRequest where only one of the two is set: half an identity is a mistake, not an absence.
        """
        workspace, project = self.optional_text("personalWorkspace"), self.optional_text("personalProject")
        if workspace is not None and project is not None:
            return workspace, project
        if workspace is None and project is None:
            return None
        missing = "personalWorkspace" if workspace is None else "personalProject"
        raise InvalidRequest(
            f"the personal fallback has no {missing}", hint=f"Run `git memory config set --global {missing} ID`."
        )

    def list(self) -> tuple[Resolved, ...]:
        """Return every setting in the table's order; a wrong value is described in `problem`, with the default.

        Raises InvalidRequest where Git config as a whole cannot be read.
        """
        self._source("git")
        return tuple(self._list())

    def unknown(self) -> tuple[str, ...]:
        """Return the `memgit.*` keys of Git config that no setting has, sorted: typos, or a later version's."""
        known = {setting.key("git") for setting in SETTINGS} | {TRUST_KEY}
        return tuple(sorted(key for key in self._source("git") if key not in known))

    def _list(self) -> Iterator[Resolved]:
        for setting in SETTINGS:
            try:
                yield self._resolve(setting)
            except InvalidRequest as error:
                yield Resolved(setting, setting.default, "default", "default", problem=f"{error.message}. {error.hint}")

    def _resolve(self, setting: Setting) -> Resolved:
        for source in PRECEDENCE:
            key = setting.key(source)
            text = None if key is None else self._source(source).get(key)
            if key is not None and text is not None:
                where = _where(source, key, setting)
                return Resolved(setting, parse_value(setting, text, where), source, where)
            if source == "environment" and setting.name == "color" and self._environment.no_color:
                return Resolved(setting, "never", source, "NO_COLOR")
            if setting.kind == "context" and "workspace_id" in self._given.get(source, ()):
                # A context is whole: what its source leaves out is absent, not to be found further down.
                return Resolved(setting, None, source, source)
        return Resolved(setting, setting.default, "default", "default")

    def _source(self, source: Source) -> Mapping[str, str]:
        if source != "git":
            return self._given.get(source, {})
        if callable(self._git):
            self._git = self._git()
        return self._git or {}


def _where(source: Source, key: str, setting: Setting) -> str:
    if source == "git":
        return f"Git config {setting.git_key}"
    return {"flag": setting.flag, "environment": key}.get(source, f"{source} {key}")
