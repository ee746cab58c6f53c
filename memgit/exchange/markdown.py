"""Markdown files of a directory: found, bounded, and described by title, front matter and headings.

The bytes are kept as they are. Front matter is read with the record parser: strings only, no aliases, no tags; what it
refuses is imported without its fields, and said. Links are not followed, hidden directories are left out.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgit.limits import DEFAULT
from memgit.records import yaml_text

SUFFIXES = (".md", ".markdown", ".mdown")
_SUFFIX = 12  # characters; what is longer is part of a name
_HEADINGS = 100  # a table of contents, not the text again
_FRONT_MATTER_BYTES = 8 * 1024
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Document:
    """One Markdown file. `path` is the name that it keeps across imports, with forward slashes."""

    path: str
    title: str
    data: bytes
    front_matter: dict[str, Any]
    headings: tuple[str, ...]  # each with its level's hashes, `## Like this`


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not imported, or not wholly, and why."""

    path: str
    reason: str


def find_documents(directory: Path, name: str) -> Iterator[Document | Skipped]:
    """Yield the documents below a directory in path order; `name` stands in front of each path.

    Stops, with a Skipped, after `import_documents` files.
    """
    count = 0
    for file in _files(directory):
        relative = file.relative_to(directory).as_posix()
        path = f"{name}/{relative}" if name else relative
        if not _is_text(path):
            yield Skipped(path.encode("utf-8", "replace").decode(), "its name is not UTF-8")
            continue
        count += 1
        if count > DEFAULT.import_documents:
            yield Skipped(path, f"it and what follows: one import takes {DEFAULT.import_documents} documents")
            return
        yield from _read(file, path)


def other_files(directory: Path) -> Counter[str]:
    """Return how many files below the directory are no Markdown and so left out, by the ends of their names.

    Hidden files and links are not counted; nobody expects them.
    """
    counts: Counter[str] = Counter()
    for place, name in _names(directory):
        if not name.lower().endswith(SUFFIXES) and not name.startswith(".") and not (place / name).is_symlink():
            suffix = Path(name).suffix.lower()
            counts[suffix if len(suffix) <= _SUFFIX else ""] += 1
    return counts


def describe(data: bytes, path: str) -> tuple[Document, str | None]:
    """Return a document's description, and what was wrong with its front matter. The bytes are UTF-8."""
    text = data.decode()
    front, body, problem = _split(text)
    headings = tuple(_headings(body))
    stated = front.get("title")
    title = stated if isinstance(stated, str) and stated.strip() else ""
    if not title:
        title = next((heading.lstrip("# ") for heading in headings), "") or Path(path).stem
    return Document(path, _short(title), data, front, headings), problem


def _files(directory: Path) -> Iterator[Path]:
    for place, name in _names(directory):
        file = place / name
        if name.lower().endswith(SUFFIXES) and not file.is_symlink() and file.is_file():
            yield file


def _names(directory: Path) -> Iterator[tuple[Path, str]]:
    """Yield place and name of each file, hidden directories left out."""
    for place, directories, files in os.walk(directory, followlinks=False):
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        for name in sorted(files):
            yield Path(place), name


def _read(file: Path, path: str) -> Iterator[Document | Skipped]:
    try:
        if file.stat().st_size > DEFAULT.artifact_bytes:
            yield Skipped(path, f"it has more than {DEFAULT.artifact_bytes} bytes")
            return
        data = file.read_bytes()
        data.decode()
    except OSError as error:
        yield Skipped(path, error.strerror or "it cannot be read")
        return
    except UnicodeDecodeError as error:
        yield Skipped(path, f"it is not UTF-8 at byte {error.start}")
        return
    if not data.strip():
        yield Skipped(path, "it is empty")
        return
    document, problem = describe(data, path)
    yield document
    if problem:
        yield Skipped(path, f"its front matter only: {problem}")


def _split(text: str) -> tuple[dict[str, Any], str, str | None]:
    """Return the front matter, the text below it, and why the front matter was not read."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text, None
    body = text[match.end() :]
    source = match[1].encode()
    if len(source) > _FRONT_MATTER_BYTES:
        return {}, body, f"it has more than {_FRONT_MATTER_BYTES} bytes"
    if not source.strip():
        return {}, body, None
    try:
        return dict(yaml_text.load(source)), body, None
    except yaml_text.YamlRefused as error:
        return {}, body, str(error)


def _headings(body: str) -> Iterator[str]:
    fence = ""
    count = 0
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            continue
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is not None and count < _HEADINGS:
            count += 1
            yield f"{heading[1]} {_short(heading[2])}"


def _short(text: str) -> str:
    """Return one line within a title's limit, cut between characters."""
    line = " ".join(text.split())
    data = line.encode()
    return line if len(data) <= DEFAULT.title_bytes else data[: DEFAULT.title_bytes - 3].decode("utf-8", "ignore") + "…"


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
