"""`model.list`, `model.install`, `model.use`, `model.remove`: which embedders there are, and which one searches use."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memgit.config.git_config import set_value
from memgit.errors import InvalidRequest, MemgitError, NotFound
from memgit.index.embedders.embedder import EmbedderUnavailable
from memgit.index.embedders.install import install_model, model_files, remove_model
from memgit.index.embedders.installed import Installed, find_model, installed_models
from memgit.index.embedders.registry import EMBEDDERS, MODEL_PACKAGE, NO_EMBEDDER, package_files
from memgit.index.embedders.sources import parse_source
from memgit.operations.invocation import Invocation

_NEURAL_EXTRA = '`pip install "git-memgit[neural]"` brings it'
_SLOW = (
    "a neural model takes seconds to load, at each command anew, and the next search first makes the vectors of all "
    "that is known; it is for processes that stay, and static is for the command line"
)

_LIGHT = frozenset({"static", "hash", NO_EMBEDDER})

State = Literal["ready", "damaged", "unavailable"]


class ModelList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the embedders that can be used here. `check` reads every byte of the installed models."""

    check: bool = False


class ModelInstall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Copy a sentence embedding model into the user's data directory, under a name.

    `source` is a directory, `package:IMPORT_NAME` for a Python package that carries one, or `hub:OWNER/NAME@COMMIT`,
    which alone uses the network.
    """

    name: str
    source: str


class ModelUse(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Choose the embedder of this repository, or the user's: static, neural, hash, none, an installed model, or the
    absolute path of a model's directory.
    """

    name: str
    for_user: bool = False


class ModelRemove(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Delete an installed model from the user's data directory."""

    name: str


class ModelView(Struct, frozen=True, kw_only=True):
    """An embedder. `problem` says why it is not ready; `bytes` and `digest` are those of an installed model."""

    name: str
    kind: Literal["built-in", "installed"]
    state: State
    in_use: bool
    source: str
    revision: str | None = None
    digest: str | None = None
    bytes: int | None = None
    problem: str | None = None


class ModelViews(Struct, frozen=True, kw_only=True):
    """All embedders; `used` is what the setting names, which need not be among them."""

    models: tuple[ModelView, ...]
    used: str


class ModelChosen(Struct, frozen=True, kw_only=True):
    """What the setting names now, and where that is said."""

    name: str
    where: str


class ModelRemoved(Struct, frozen=True, kw_only=True):
    """The model that is gone."""

    name: str


def list_models(invocation: Invocation, request: ModelList) -> ModelViews:
    """Return all embedders, the built-in ones first. Loads none of them."""
    used = _used(invocation)
    views = [*_built_in(used), *_installed(invocation.environment.data_dir, used, check=request.check)]
    if used != NO_EMBEDDER and used not in {view.name for view in views} and not Path(used).is_absolute():
        invocation.warnings.append(f"the setting embedder names {used[:64]}, which is not installed")
    return ModelViews(models=tuple(views), used=used)


def install(invocation: Invocation, request: ModelInstall) -> ModelView:
    """Install a model and return it. Raises what `install_model` and `parse_source` raise."""
    data_dir = invocation.environment.data_dir
    install_model(data_dir, request.name, parse_source(request.source, invocation.directory))
    found = find_model(data_dir, request.name)
    assert found is not None, "installed a moment ago"
    view = _view(found, _used(invocation))
    if view.state == "unavailable":
        invocation.warnings.append(f"it cannot be used yet: {view.problem}")
    return view


def use(invocation: Invocation, request: ModelUse) -> ModelChosen:
    """Set the embedder and return what holds now, which a stronger source may decide.

    Raises NotFound for one that is neither built in nor installed, InvalidRequest for one that is damaged, and for a
    directory that holds no safe model.
    """
    if Path(request.name).is_absolute():
        model_files(Path(request.name))
    elif request.name not in EMBEDDERS and request.name != NO_EMBEDDER:
        found = find_model(invocation.environment.data_dir, request.name, check=True)
        if found is None:
            raise NotFound(
                f"there is no model {request.name[:80]!r}",
                hint="`git memory model list` shows them; a directory is named by its absolute path.",
            )
        if found.problem is not None:
            raise InvalidRequest(
                f"the model {found.name} is unusable: {found.problem}",
                hint=f"`git memory model remove {found.name}`, and install it again.",
            )
    git_dir = None if request.for_user else invocation.repository.common_dir
    set_value("embedder", request.name, git_dir, for_user=request.for_user)
    resolved = invocation.fresh_config().read("embedder")
    problem = next((view.problem for view in _all(invocation) if view.name == request.name), None)
    if problem is not None:
        invocation.warnings.append(f"it cannot be used yet: {problem}")
    elif request.name not in _LIGHT:
        invocation.warnings.append(_SLOW)
    return ModelChosen(name=str(resolved.value), where=resolved.where)


def remove(invocation: Invocation, request: ModelRemove) -> ModelRemoved:
    """Delete an installed model. Raises NotFound."""
    remove_model(invocation.environment.data_dir, request.name)
    if _used(invocation) == request.name:
        invocation.warnings.append(f"the setting embedder still names {request.name}; static is used in its place")
    return ModelRemoved(name=request.name)


def _all(invocation: Invocation) -> Iterator[ModelView]:
    used = _used(invocation)
    yield from _built_in(used)
    yield from _installed(invocation.environment.data_dir, used, check=False)


def _used(invocation: Invocation) -> str:
    """Return what the setting names; its default where there is no repository to ask."""
    from memgit.config.settings import BY_NAME

    try:
        return invocation.config.text("embedder")
    except MemgitError:
        return str(BY_NAME["embedder"].default)


def _built_in(used: str) -> Iterator[ModelView]:
    sources = {"static": "the package wordllama", "neural": f"the package {MODEL_PACKAGE}", "hash": "memgit itself"}
    for name, source in sources.items():
        problem = _missing(name)
        yield ModelView(
            name=name,
            kind="built-in",
            state="unavailable" if problem else "ready",
            in_use=used == name,
            source=source,
            problem=problem,
        )


def _missing(name: str) -> str | None:
    """Return what a built-in embedder lacks, without importing anything of it."""
    wanted = {"static": ("wordllama", "tokenizers"), "neural": ("sentence_transformers",), "hash": ()}[name]
    for package in ("numpy", *wanted):
        if find_spec(package) is None:
            brings = _NEURAL_EXTRA if name == "neural" else f"`pip install {package}` brings it"
            return f"the package {package.replace('_', '-')} is not installed; {brings}"
    if name == "neural":
        try:
            package_files()
        except EmbedderUnavailable as error:
            return str(error)
    return None


def _installed(data_dir: Path | None, used: str, *, check: bool) -> Iterator[ModelView]:
    for found in installed_models(data_dir, check=check):
        yield _view(found, used)


def _view(found: Installed, used: str) -> ModelView:
    manifest = found.manifest
    problem, state = found.problem, "damaged"
    if problem is None:
        problem = _library_missing()
        state = "unavailable" if problem else "ready"
    return ModelView(
        name=found.name,
        kind="installed",
        state=state,  # type: ignore[arg-type]  # one of the three
        in_use=used == found.name,
        source=manifest.source if manifest else "",
        revision=manifest.revision if manifest else None,
        digest=manifest.digest if manifest else None,
        bytes=manifest.size if manifest else None,
        problem=problem,
    )


def _library_missing() -> str | None:
    if find_spec("sentence_transformers") is not None:
        return None
    return f"the package sentence-transformers is not installed; {_NEURAL_EXTRA}"
