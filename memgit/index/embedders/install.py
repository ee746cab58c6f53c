"""Installing and removing a model: what is refused, and the copy into the user's data directory in one step.

Only files that cannot hold code are copied: safetensors and plain text. A model that needs anything else is refused.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from memgit import clock
from memgit.errors import InvalidRequest, LimitExceeded, NotFound, StoreReadOnly
from memgit.index.embedders.installed import (
    FILES_NAME,
    MANIFEST_NAME,
    MANIFEST_VERSION,
    MODELS_NAME,
    ModelFile,
    ModelManifest,
    file_digest,
    files_digest,
    find_model,
    is_model_name,
)
from memgit.index.embedders.sources import PATTERNS, Source, opened
from memgit.index.embedders.weights import WeightsDamaged, read_header
from memgit.limits import DEFAULT, MIB

RESERVED = frozenset({"static", "neural", "hash", "none", "auto"})

_JSON_BYTES = 64 * MIB  # the largest tokenizers have 30
_CODE = frozenset({".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".h5", ".msgpack", ".npy", ".npz"})
_OTHER_FORMATS = frozenset({"onnx", "openvino", "coreml"})  # the same model again, for other programs
CLASSIFIER = "ForSequenceClassification"
"""How the architecture of a cross-encoder's model ends."""

_UNSAFE = "Use a revision of the model that has safetensors weights."


def install_model(data_dir: Path | None, name: str, source: Source) -> ModelManifest:
    """Copy a model into the data directory under a name and return its manifest. The same model again changes nothing.

    Raises InvalidRequest for a name that is unusable or taken, and for what is no safe model; LimitExceeded; NotFound;
    StoreReadOnly where the data directory cannot be written; what `sources.opened` raises.
    """
    if not is_model_name(name) or name in RESERVED:
        raise InvalidRequest(
            f"{name[:80]!r} cannot name a model",
            hint="Use lower-case letters, digits, `.`, `_` and `-`; static, neural, hash, none and auto are taken.",
        )
    place = _models(data_dir)
    with opened(source) as (directory, revision):
        files = model_files(directory)
        with _writing(place), _incoming(place) as incoming:
            manifest = _copied(directory, files, incoming, name, source, revision)
            present = find_model(data_dir, name, check=True)
            if present is not None and present.problem is None:
                if present.manifest is not None and present.manifest.digest == manifest.digest:
                    return present.manifest
                raise InvalidRequest(f"there is another model {name}", hint=f"`git memory model remove {name}` first.")
            if present is not None:
                _set_aside(present.directory)
            incoming.rename(place / name)
    return manifest


def remove_model(data_dir: Path | None, name: str) -> None:
    """Delete an installed model, damaged or not. Raises NotFound, StoreReadOnly."""
    place = _models(data_dir)
    if find_model(data_dir, name) is None:
        raise NotFound(f"there is no installed model {name[:80]!r}", hint="`git memory model list` shows them.")
    with _writing(place):
        _set_aside(place / name)


def model_files(directory: Path) -> dict[str, Path]:
    """Return the files of a model by their path in it, after a look at each.

    Raises InvalidRequest for a symbolic link that leaves the directory, weights or code that could run, and what is
    not a whole sentence embedding model; LimitExceeded.
    """
    found = dict(_walk(directory))
    taken = {path: real for path, real in found.items() if any(PurePosixPath(path).match(p) for p in PATTERNS)}
    _check_sizes(taken)
    weights = [path for path in taken if path.endswith(".safetensors")]
    if not weights:
        code = sorted(path for path in found if PurePosixPath(path).suffix in _CODE)
        what = f"only weights that can hold code ({code[0]})" if code else "no safetensors weights"
        raise InvalidRequest(f"{directory} has {what}", hint=_UNSAFE)
    for path in weights:
        try:
            read_header(taken[path])
        except WeightsDamaged as error:
            raise InvalidRequest(f"the model is damaged: {error}", hint="Fetch it again.") from None
    _check_configuration(directory, taken)
    return taken


def _walk(directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files below a directory by relative path, with where each really lies; hidden ones are passed over."""
    root = directory.resolve()
    for place, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _OTHER_FORMATS)
        for name in [*folders, *sorted(names)]:
            path = Path(place, name)
            real = path.resolve()
            if path.is_symlink() and not (real.is_relative_to(root) and real.exists()):
                raise InvalidRequest(
                    f"{path} is a symbolic link that leaves the directory",
                    hint="Copy the model with its links followed (`cp -rL`), and install the copy.",
                )
            if not name.startswith(".") and real.is_file():
                yield path.relative_to(directory).as_posix(), real


def _check_sizes(files: dict[str, Path]) -> None:
    size = sum(path.stat().st_size for path in files.values())
    for limit, most, found in (
        ("model_files", DEFAULT.model_files, len(files)),
        ("model_bytes", DEFAULT.model_bytes, size),
    ):
        if found > most:
            raise LimitExceeded(
                f"a model has at most {most} {limit.removeprefix('model_')}, and this one {found}",
                details={"limit": limit, "value": most, "size": found},
            )


def _check_configuration(directory: Path, files: dict[str, Path]) -> None:
    """Raise InvalidRequest unless this describes a sentence embedding model, or a cross-encoder, without own code."""
    if not _is_cross_encoder(files) and (
        "modules.json" not in files or not any(path.endswith("config.json") for path in files)
    ):
        raise InvalidRequest(
            f"{directory} is no sentence-transformers model: modules.json is missing",
            hint="Name the directory that holds modules.json, or the config.json of a cross-encoder.",
        )
    for path, real in files.items():
        if path.endswith(".json"):
            content = _json(path, real)
            if path.endswith("config.json") and isinstance(content, dict) and "auto_map" in content:
                raise InvalidRequest(f"{path} asks for code of the model's own (auto_map)", hint=_UNSAFE)
    if "modules.json" in files:
        _check_modules(_json("modules.json", files["modules.json"]))


def _check_modules(modules: Any) -> None:
    kinds = [str(module.get("type", "")) for module in modules if isinstance(module, dict)]
    strange = [kind for kind in kinds if not kind.startswith("sentence_transformers.")]
    if strange or not kinds:
        raise InvalidRequest(f"modules.json asks for code of the model's own: {strange[:1]}", hint=_UNSAFE)


def _is_cross_encoder(files: dict[str, Path]) -> bool:
    """Tell whether the files are a classifier of transformers alone, as cross-encoders are published."""
    said = _json("config.json", files["config.json"]) if "config.json" in files else None
    kinds = said.get("architectures") if isinstance(said, dict) else None
    return isinstance(kinds, list) and any(str(kind).endswith(CLASSIFIER) for kind in kinds)


def _json(name: str, path: Path) -> Any:
    if path.stat().st_size > _JSON_BYTES:
        raise InvalidRequest(f"{name} is larger than {_JSON_BYTES} bytes", hint="Fetch the model again.")
    try:
        return msgspec.json.decode(path.read_bytes())
    except (msgspec.DecodeError, RecursionError):
        raise InvalidRequest(f"the model is damaged: {name} is not JSON", hint="Fetch it again.") from None


def _copied(
    directory: Path, files: dict[str, Path], incoming: Path, name: str, source: Source, revision: str
) -> ModelManifest:
    """Copy the files, write the manifest beside them and return it."""
    entries = []
    for path, real in sorted(files.items()):
        target = incoming / FILES_NAME / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(real, target)
        status = target.stat()
        entries.append(ModelFile(path, status.st_size, status.st_mtime_ns, file_digest(target)))
    digest = files_digest([(entry.path, entry.digest) for entry in entries])
    manifest = ModelManifest(
        MANIFEST_VERSION, name, str(source), revision or digest[:12], digest, clock.now(), tuple(entries)
    )
    (incoming / MANIFEST_NAME).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
    return manifest


@contextmanager
def _incoming(place: Path) -> Iterator[Path]:
    """Yield a new directory beside the models, which goes where it was not renamed."""
    place.mkdir(parents=True, exist_ok=True)
    made = place / f".incoming-{os.urandom(6).hex()}"
    made.mkdir(mode=0o700)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _set_aside(directory: Path) -> None:
    """Delete a model; its name is free at once."""
    doomed = directory.with_name(f".removed-{os.urandom(6).hex()}")
    directory.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def _models(data_dir: Path | None) -> Path:
    if data_dir is None:
        raise InvalidRequest(
            "there is no place for models: the user's data directory is unknown",
            hint="Set HOME, XDG_DATA_HOME or MEMGIT_DATA_DIR.",
        )
    return data_dir / MODELS_NAME


@contextmanager
def _writing(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreReadOnly(
            f"{place} cannot be written: {error.strerror}", hint="Make it writable, or free some space."
        ) from error
