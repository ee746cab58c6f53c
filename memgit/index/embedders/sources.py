"""Where a model can be installed from: a directory, an installed Python package that carries one, or a hub.

The network is touched for a hub alone, which the user names with the exact revision; never by anything that searches.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from memgit.errors import InvalidRequest, LimitExceeded, NotFound, RemoteUnavailable
from memgit.limits import DEFAULT

PACKAGE, HUB = "package:", "hub:"
PATTERNS = ("*.json", "*.txt", "*.model", "*.safetensors")
"""The files that make up a model: configuration, vocabulary, tokenizer and weights. None of them can hold code."""

_PACKAGE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,127}")
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_HINT = "Name a directory, `package:IMPORT_NAME`, or `hub:OWNER/NAME@COMMIT`."


@dataclass(frozen=True, slots=True)
class Source:
    """A place that a model comes from. `revision` is empty where the place has none of its own."""

    kind: Literal["directory", "package", "hub"]
    name: str
    revision: str = ""

    def __str__(self) -> str:
        """How the manifest names it."""
        return {"directory": "", "package": PACKAGE, "hub": HUB}[self.kind] + self.name


def parse_source(text: str, directory: Path) -> Source:
    """Return the source that a person means; paths start at `directory`. Raises InvalidRequest."""
    if text.startswith(PACKAGE):
        name = text.removeprefix(PACKAGE).replace("-", "_")
        if not _PACKAGE_NAME.fullmatch(name):
            raise InvalidRequest(f"{text[:80]!r} names no Python package", hint=_HINT)
        return Source("package", name)
    if text.startswith(HUB):
        name, _, revision = text.removeprefix(HUB).partition("@")
        if not _REPOSITORY.fullmatch(name):
            raise InvalidRequest(f"{text[:80]!r} names no model of a hub", hint=_HINT)
        if not _COMMIT.fullmatch(revision):
            raise InvalidRequest(
                f"{name} needs the exact revision: a branch or a tag can change under the same name",
                hint="Append `@` and the 40 hexadecimal digits of the commit that the hub shows.",
            )
        return Source("hub", name, revision)
    if not text.strip() or "\0" in text:
        raise InvalidRequest("the source of a model is empty", hint=_HINT)
    return Source("directory", str((directory / text).absolute()))


@contextmanager
def opened(source: Source) -> Iterator[tuple[Path, str]]:
    """Yield the directory that holds the model, and its revision there, which may be empty.

    Raises NotFound where there is none, InvalidRequest where something is missing for it, RemoteUnavailable where a hub
    does not give it.
    """
    if source.kind == "package":
        yield package_directory(source.name), _package_version(source.name)
    elif source.kind == "hub":
        with TemporaryDirectory(prefix="memgit-model-") as place:
            _download(source, Path(place))
            yield Path(place), source.revision
    else:
        directory = Path(source.name)
        if not directory.is_dir():
            raise NotFound(f"{directory} is no directory", hint=_HINT)
        yield directory, ""


def package_directory(name: str) -> Path:
    """Return the directory of the one model that an installed package carries. Nothing of the package is run.

    Raises NotFound where the package is not installed, or carries no model or several.
    """
    try:
        spec = find_spec(name.partition(".")[0])
    except (ImportError, ValueError):
        spec = None
    places = list(spec.submodule_search_locations or ()) if spec else []
    if spec is None:
        raise NotFound(
            f"the package {name} is not installed", hint=f"`pip install {name.replace('_', '-')}` may bring it."
        )
    found = sorted(path.parent for place in places for path in Path(place).rglob("modules.json"))
    if len(found) != 1:
        carried = f"{len(found)} models" if found else "no model"
        raise NotFound(
            f"the package {name} carries {carried}",
            hint="Name the directory of one of them." if found else "Name a package or a directory that has one.",
        )
    return found[0]


def _package_version(name: str) -> str:
    for distribution in importlib.metadata.packages_distributions().get(name.partition(".")[0], ()):
        return f"{distribution} {importlib.metadata.version(distribution)}"
    return ""


def _download(source: Source, place: Path) -> None:
    try:
        hub: Any = importlib.import_module("huggingface_hub")
    except ImportError:
        raise InvalidRequest(
            "the package huggingface_hub is not installed", hint='`pip install "git-memgit[neural]"` brings it.'
        ) from None
    try:
        described = hub.HfApi().model_info(source.name, revision=source.revision, files_metadata=True)
        size = sum(item.size or 0 for item in described.siblings or () if Path(item.rfilename).match("*.safetensors"))
        if size <= DEFAULT.model_bytes:
            hub.snapshot_download(
                repo_id=source.name, revision=source.revision, local_dir=place, allow_patterns=list(PATTERNS)
            )
    except Exception as error:  # a dozen classes of two libraries
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise RemoteUnavailable(
            f"the hub does not give {source.name} at {source.revision[:12]}: {reason}",
            hint="Look at the name, the revision and the network; a directory can be installed without one.",
        ) from error
    if size > DEFAULT.model_bytes:
        raise LimitExceeded(
            f"{source.name} has {size} bytes of weights",
            details={"limit": "model_bytes", "value": DEFAULT.model_bytes, "size": size},
        )
