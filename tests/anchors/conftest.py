"""A repository of code, and anchors into it, as a caller of this room makes and follows them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memgit.anchors.capture import Captured, Wanted, capture, parse_place
from memgit.anchors.located import Located
from memgit.anchors.tracer import Tracer
from memgit.records.op import Anchor
from memgit.store.repository import Repository, discover
from tests.conftest import MakeRepository


def function(name: str, indent: str = "") -> str:
    """Return a function of four lines that is like no other."""
    lines = (
        f"def {name}(argument):",
        f"    value_of_{name} = argument + {len(name)}",
        f"    print('inside {name}', value_of_{name})",
        f"    return value_of_{name}",
    )
    return "".join(f"{indent}{line}\n" for line in lines)


class Code:
    """One repository of code."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def repository(self) -> Repository:
        """Where it is."""
        return discover(self.path)

    def git(self, *arguments: str) -> str:
        """Run git here and return what it printed."""
        done = subprocess.run(["git", *arguments], cwd=self.path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, name: str, text: str | bytes) -> None:
        """Write a file of the working tree."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, *options: str, **files: str | bytes) -> str:
        """Write files (`a_py` is `a.py`), commit all that changed, and return the commit."""
        for name, text in files.items():
            self.write(name.replace("_", "."), text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "change", *options)
        return self.git("rev-parse", "HEAD")

    def captured(self, place: str, at: str | None = None) -> Captured:
        """Return an anchor to `PATH[:LINES]` with its notes."""
        return capture(self.repository, parse_place(place), at=at)

    def anchor(self, place: str, at: str | None = None) -> Anchor:
        """Return an anchor to `PATH[:LINES]`."""
        return self.captured(place, at).anchor

    def symbol(self, name: str, path: str | None = None) -> Anchor:
        """Return an anchor to a symbol."""
        return capture(self.repository, Wanted(path=path, symbol=name)).anchor

    def locate(self, anchor: Anchor, target: str | None = None, rewrites: Mapping[str, str] | None = None) -> Located:
        """Return where an anchor is, asked anew."""
        with Tracer(self.repository, rewrites=rewrites or {}, is_cached=False) as tracer:
            return tracer.locate(anchor, target)


def where(located: Located) -> tuple[str, int | None, int | None] | None:
    """Return a place as a tuple."""
    place = located.place
    return None if place is None else (place.path, place.start_line, place.end_line)


@pytest.fixture
def code(tmp_path: Path) -> Code:
    """A repository without a commit."""
    path = tmp_path / "code"
    subprocess.run(["git", "init", "--quiet", str(path)], check=True)
    return Code(path)


@pytest.fixture
def kind(repository: MakeRepository) -> Callable[..., Code]:
    """A function that makes a repository of a kind (see the root conftest)."""
    return lambda *arguments: Code(repository(*arguments))
