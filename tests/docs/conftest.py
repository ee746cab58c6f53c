"""Where the pages and the golden files are; the scripts that make them, as modules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's directory."""
    return ROOT


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """The golden files of format 1."""
    return ROOT / "fixtures" / "format" / "1"


@pytest.fixture(scope="session")
def make_format() -> Iterator[ModuleType]:
    """The script that writes the golden files; it finds its siblings as it does when it is started."""
    yield from _script(ROOT / "fixtures", "make_format")


@pytest.fixture(scope="session")
def format_records(make_format: ModuleType) -> ModuleType:
    """The part of that script that makes records by hand."""
    return sys.modules["format_records"]


@pytest.fixture(scope="session")
def generate() -> Iterator[ModuleType]:
    """The script that writes the generated parts of the pages."""
    yield from _script(ROOT / "docs", "generate")


def _script(directory: Path, name: str) -> Iterator[ModuleType]:
    sys.path.insert(0, str(directory))
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(directory))
