"""`config.get`, `config.set`, `config.list`: settings with the source of each."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from memgit.config.git_config import set_value, unset_value
from memgit.config.resolve import Config, Resolved
from memgit.config.values import describe_values
from memgit.errors import MemgitError
from memgit.operations.invocation import Invocation


class ConfigGet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read one setting and say where it comes from."""

    name: str


class ConfigSet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Write a setting into the repository's Git config, or the user's; null removes it."""

    name: str
    value: str | None
    for_user: bool = False


class ConfigList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read every setting. Takes no input."""


class SettingView(Struct, frozen=True, kw_only=True):
    """A setting, its value here, and its source."""

    name: str
    value: str | int | None
    source: str
    where: str
    values: str
    description: str
    git_key: str | None
    problem: str | None


class SettingList(Struct, frozen=True, kw_only=True):
    """Every setting; `unknown` are `memgit.*` keys of Git config that mean nothing to this version."""

    settings: tuple[SettingView, ...]
    unknown: tuple[str, ...]


def get_setting(invocation: Invocation, request: ConfigGet) -> SettingView:
    """Return a setting. Raises InvalidRequest for an unknown name or a wrong value."""
    return _view(_config(invocation).read(request.name))


def set_setting(invocation: Invocation, request: ConfigSet) -> SettingView:
    """Write or remove a setting and return it as it holds now, which a stronger source may decide."""
    git_dir = None if request.for_user else invocation.repository.common_dir
    if request.value is None:
        unset_value(request.name, git_dir, for_user=request.for_user)
    else:
        setting = set_value(request.name, request.value, git_dir, for_user=request.for_user)
        if setting.name == "remote" and not request.for_user:
            _warn_of_absence(invocation, request.value.strip())
        if setting.name in ("embedder", "reranker"):
            _warn_of_no_model(invocation, setting.name, request.value.strip())
    return _view(invocation.fresh_config().read(request.name))


def _warn_of_absence(invocation: Invocation, remote: str) -> None:
    """Warn where memory is to go to a remote that the repository does not have."""
    from memgit.sync.remotes import configured_remotes

    known = sorted(configured_remotes(invocation.repository))
    if remote not in known:
        there = f"there is {', '.join(known)}" if known else "it has none"
        invocation.warnings.append(f"this repository has no remote of that name yet ({there}); a sync would be refused")


def _warn_of_no_model(invocation: Invocation, setting: str, model: str) -> None:
    """Warn where a setting names a model that is not there: it may be installed later, and until then has no effect."""
    from memgit.index.embedders.installed import find_model
    from memgit.index.embedders.registry import EMBEDDERS, NO_EMBEDDER

    known = {NO_EMBEDDER, *(EMBEDDERS if setting == "embedder" else ())}
    is_place = setting == "reranker" and Path(model).is_dir()
    if model not in known and not is_place and find_model(invocation.environment.data_dir, model) is None:
        invocation.warnings.append(f"no model {model[:64]!r} is installed: `git memory model list` shows which are")


def list_settings(invocation: Invocation, request: ConfigList) -> SettingList:
    """Return every setting in the table's order."""
    config = _config(invocation)
    return SettingList(settings=tuple(_view(item) for item in config.list()), unknown=config.unknown())


def _config(invocation: Invocation) -> Config:
    """Return the settings with the ambient context among them, where there is one."""
    try:
        context = invocation.context
    except MemgitError:
        return invocation.config
    if context.resolved_from not in ("session", "marker"):
        return invocation.config
    named = {
        "workspace_id": context.workspace_id,
        "project_id": context.project_id,
        "task_id": context.task_id,
        "component": context.component,
        "pins": " ".join(context.pins) or None,
    }
    given = {name: value for name, value in named.items() if value is not None}
    return invocation.config_with(context.resolved_from, given)


def _view(resolved: Resolved) -> SettingView:
    setting = resolved.setting
    return SettingView(
        name=setting.name,
        value=resolved.value,
        source=resolved.source,
        where=resolved.where,
        values=describe_values(setting),
        description=setting.description,
        git_key=setting.git_key,
        problem=resolved.problem,
    )
