"""The benchmark of conversations says what is wrong with a file, and what a file is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("text", [None, "[1]", "{}"])
def test_what_is_no_corpus_is_refused_in_a_sentence(tmp_path: Path, text: str | None) -> None:
    """One line that names the file, without a traceback."""
    file = tmp_path / "corpus.json"
    if text is not None:
        file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.locomo", str(file)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert str(file) in done.stderr and len(done.stderr.splitlines()) == 1
