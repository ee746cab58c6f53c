"""What tests of an index's files share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["whoosh", "tantivy"])
def implementation(request: pytest.FixtureRequest) -> str:
    """Which library."""
    return str(request.param)


@pytest.fixture
def directory(tmp_path: Path, implementation: str) -> Path:
    """Where the files of the index live."""
    return tmp_path / "lexical" / ("tantivy" if implementation == "tantivy" else "")
