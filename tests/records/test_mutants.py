"""The suite of the pure core notices faults: each mutant of `mutants.py` makes some test fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import memgit

from .mutants import MUTANTS, Mutant

PACKAGE = Path(memgit.__file__).parent
TESTS = Path(__file__).parent


def copy_of_core(place: Path, mutant: Mutant | None) -> None:
    """Copy the package, this directory and their settings, with the mutation applied."""
    ignored = shutil.ignore_patterns("__pycache__", "test_mutants.py")
    shutil.copytree(PACKAGE, place / "memgit", ignore=ignored)
    shutil.copytree(TESTS, place / "tests" / "records", ignore=ignored)
    shutil.copy(PACKAGE.parent / "pyproject.toml", place)
    if mutant is not None:
        path = place / "memgit" / "records" / f"{mutant.module}.py"
        source = path.read_text(encoding="utf-8")
        assert source.count(mutant.old) == 1, f"{mutant.old!r} occurs {source.count(mutant.old)} times"
        path.write_text(source.replace(mutant.old, mutant.new), encoding="utf-8")


def run_suite(place: Path) -> subprocess.CompletedProcess[str]:
    """Run the copy's own tests against the copy."""
    environment = {**os.environ, "PYTHONPATH": str(place), "CI": "1", "MEMGIT_MUTANT": "1"}
    where = "import memgit, sys; sys.exit(not memgit.__file__.startswith(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", where, str(place)], cwd=place, env=environment, check=True)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", "tests/records"]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> None:
    """The suite passes without a mutation; otherwise no mutant's death would prove anything."""
    if "slow" not in pytestconfig.getoption("markexpr"):
        pytest.skip("takes minutes; run with `-m slow`")
    place = tmp_path_factory.mktemp("sound")
    copy_of_core(place, None)
    result = run_suite(place)
    assert result.returncode == 0, result.stdout[-2000:]


@pytest.mark.slow
@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.module}: {mutant.old.strip()[:60]}")
def test_every_mutant_dies(tmp_path: Path, mutant: Mutant) -> None:
    """Some test fails; and it fails, rather than the mutant being no program."""
    copy_of_core(tmp_path, mutant)
    result = run_suite(tmp_path)
    assert result.returncode == 1, result.stdout[-2000:]
    assert "error during collection" not in result.stdout
    print(result.stdout[-200:])  # with -rP: which test noticed
