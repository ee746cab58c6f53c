"""The models that a user has installed: where they lie, what their manifest says, and whether they are as they were.

A model is a directory below `models/` in the user's data directory: `manifest.json`, and `files/` with exactly the
files that the manifest names. Sizes and times are compared at each use, digests where a time differs or somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

MODELS_NAME = "models"
MANIFEST_NAME, FILES_NAME = "manifest.json", "files"
MANIFEST_VERSION = 1

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_MANIFEST_BYTES = 1024 * 1024  # 256 files need 60 KB


class ModelFile(msgspec.Struct, frozen=True):
    """A file of a model: its path below `files/` with `/`, size in bytes, time of change in ns, BLAKE3-256."""

    path: str
    size: int
    time: int
    digest: str


class ModelManifest(msgspec.Struct, frozen=True):
    """What was installed, and from where. `digest` is over the digests of all files and names the model."""

    version: int
    name: str
    source: str
    revision: str
    digest: str
    installed_at: str
    files: tuple[ModelFile, ...]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class Installed:
    """An installed model. `manifest` None: it cannot be read, and `problem` says why."""

    name: str
    directory: Path
    manifest: ModelManifest | None
    problem: str | None = None

    @property
    def files(self) -> Path:
        """The directory that a model is loaded from."""
        return self.directory / FILES_NAME


def is_model_name(name: str) -> bool:
    """Tell whether a model may have this name: lower-case letters, digits, `.`, `_`, `-`; not an embedder's own."""
    return _NAME.fullmatch(name) is not None and ".." not in name


def installed_models(data_dir: Path | None, *, check: bool = False) -> Iterator[Installed]:
    """Yield the installed models in the order of their names; with `check` after reading every byte of them."""
    try:
        names = sorted(path.name for path in (data_dir / MODELS_NAME).iterdir()) if data_dir else []
    except OSError:
        names = []
    for name in names:
        if is_model_name(name) and data_dir is not None:
            found = find_model(data_dir, name, check=check)
            if found is not None:
                yield found


def find_model(data_dir: Path | None, name: str, *, check: bool = False) -> Installed | None:
    """Return a model with what is wrong with it, or None where there is none of this name."""
    if data_dir is None or not is_model_name(name):
        return None
    directory = data_dir / MODELS_NAME / name
    if not directory.is_dir():
        return None
    manifest = _read(directory / MANIFEST_NAME)
    if isinstance(manifest, str):
        return Installed(name, directory, None, manifest)
    found = Installed(name, directory, manifest)
    return Installed(name, directory, manifest, _problem(found.files, manifest, check=check))


def files_digest(files: Sequence[tuple[str, str]]) -> str:
    """Return the digest that names a model: BLAKE3-256 over its files' paths and digests, by path."""
    from blake3 import blake3

    return blake3("".join(f"{path}\0{digest}\n" for path, digest in sorted(files)).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """Return the BLAKE3-256 of a file, as text. OSErrors pass through."""
    from blake3 import blake3

    return blake3(max_threads=blake3.AUTO).update_mmap(path).hexdigest()


def _read(path: Path) -> ModelManifest | str:
    """Return a manifest, or what is wrong with it."""
    try:
        if path.stat().st_size > _MANIFEST_BYTES:
            return "its manifest is too large to be one"
        found = msgspec.json.decode(path.read_bytes(), type=ModelManifest)
    except (OSError, msgspec.DecodeError):
        return "its manifest is missing or damaged"
    if found.version != MANIFEST_VERSION:
        return f"its manifest has version {found.version}; this program reads {MANIFEST_VERSION}"
    return found


def _problem(directory: Path, manifest: ModelManifest, *, check: bool) -> str | None:
    """Return how the files differ from the manifest, or None."""
    named = {file.path for file in manifest.files}
    try:
        there = {path.relative_to(directory).as_posix() for path in directory.rglob("*") if not path.is_dir()}
        if there != named:
            odd = min(there ^ named)
            return f"{odd} is {'missing' if odd in named else 'none of its files'}"
        for file in manifest.files:
            path = directory / file.path
            status = path.lstat()
            same = status.st_size == file.size and (
                (status.st_mtime_ns == file.time and not check) or file_digest(path) == file.digest
            )
            if not same:
                return f"{file.path} is damaged"
    except OSError as error:
        return f"its files cannot be read: {error.strerror}"
    return None
