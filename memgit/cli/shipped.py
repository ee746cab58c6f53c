"""This project's own documentation, wherever it is: beside the package in a source checkout, inside a built wheel."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memgit.errors import InvalidRequest

_DECISION = re.compile(r"^## +Decision\b.*$", re.MULTILINE | re.IGNORECASE)
_TITLE = re.compile(r"^# +(?:ADR[ -]?)?(?:[0-9]+[.:)]? +)?([^:;.]+).*$", re.MULTILINE)
_SENTENCE = re.compile(r"(?:^|(?<=[.!?] )|(?<=^- ))[A-Z][^.!?`*_|<>\[\]#\"\n]{40,160}\.(?=\s|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence that a document says once. `path` counts from the copy's top; `title` is the document's."""

    path: str
    title: str
    sentence: str


def copy_documentation(target: Path) -> int:
    """Copy README.md and docs/ into a directory and return how many documents these are. Raises InvalidRequest."""
    package = Path(__file__).resolve().parent.parent
    is_checkout = (package.parent / "pyproject.toml").is_file()  # else it is a directory of installed packages
    for source in (package / "_shipped", *([package.parent] if is_checkout else [])):
        documents = [path for path in (source / "README.md", *sorted(source.glob("docs/**/*.md"))) if path.is_file()]
        for path in documents:
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
        if documents:
            return len(documents)
    raise InvalidRequest(
        "memgit's documentation is not installed beside it", hint="Run the demo from a source checkout."
    )


def find_passage(top: Path) -> Passage:
    """Return a sentence of a decision record, else of any document. Raises InvalidRequest where none has one."""
    records = sorted(top.glob("docs/decisions/*.md"))
    for path in [*records, top / "README.md", *sorted(top.glob("docs/*.md"))]:
        for passage in _passages(path, top):
            return passage
    raise InvalidRequest("the documentation has no sentence to quote", hint="Reinstall git-memgit.")


def _passages(path: Path, top: Path) -> Iterator[Passage]:
    text = path.read_text("utf-8") if path.is_file() else ""
    title = _TITLE.search(text)
    decided = _DECISION.search(text)
    for found in _SENTENCE.finditer(text, decided.end() if decided else 0):
        if title and text.count(found[0]) == 1:
            yield Passage(path.relative_to(top).as_posix(), title[1].replace("`", "").strip(), found[0])
