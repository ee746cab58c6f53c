"""The benchmark of latencies runs on any number of claims and names each figure."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_it_prints_its_figures_as_json(tmp_path: Path) -> None:
    """Of a whole process, for one lexical index: JSON on standard output, nothing left behind."""
    command = [sys.executable, "-m", "benchmarks.latency", "--records", "60", "--queries", "5", "--writes", "2"]
    words = ["--lexical", "whoosh", "--embedder", "hash", "--directory", str(tmp_path)]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)["whoosh"]
    assert found["recall"]["p50_ms"] > 0 and found["search"]["cpu_p95_ms"] > 0
    assert found["recall"]["answered"] == found["search"]["answered"] == 1
    assert found["rebuild"].keys() >= {"s", "cpu_s", "state", "lexical", "vectors"}
    assert found["refresh_after_one_write"]["p50_ms"] > 0 and found["write_to_found"]["p50_ms"] > 0
    assert found["bytes"]["lexical"] > 0 and found["lexical_per_s"] > 0
    assert list(tmp_path.iterdir()) == []
