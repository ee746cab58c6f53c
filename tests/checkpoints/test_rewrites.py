"""Which commits became which, kept for whoever holds an old one."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.checkpoints import rewrites as module
from memgit.checkpoints.rewrites import add_rewrites, rewrites, rewrites_file, rewritten_to
from memgit.store.repository import Repository

AT = "2026-01-02T03:04:05.000000Z"


def oid(number: int) -> str:
    """Return a commit's id."""
    return f"{number:040x}"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A place for the file."""
    found = Repository(tmp_path, tmp_path, None)
    found.state_dir.mkdir(parents=True)
    return found


def test_pairs_are_kept_once(repository: Repository) -> None:
    """The same pair again changes nothing; another target for the same commit counts."""
    assert rewrites(repository) == {}
    assert add_rewrites(repository, [(oid(1), oid(2)), (oid(3), oid(4))], AT) == 2
    before = rewrites_file(repository).read_bytes()
    assert add_rewrites(repository, [(oid(1), oid(2))], AT) == 0
    assert rewrites_file(repository).read_bytes() == before
    assert add_rewrites(repository, [(oid(1), oid(5))], AT) == 1
    assert rewrites(repository) == {oid(3): oid(4), oid(1): oid(5)}


def test_a_chain_leads_to_its_end(repository: Repository) -> None:
    """A commit that was rewritten three times; a circle leads nowhere."""
    add_rewrites(repository, [(oid(1), oid(2)), (oid(2), oid(3)), (oid(3), oid(4))], AT)
    pairs = rewrites(repository)
    assert rewritten_to(pairs, oid(1)) == oid(4)
    assert rewritten_to(pairs, oid(9)) == oid(9)
    assert rewritten_to({oid(1): oid(2), oid(2): oid(1)}, oid(1)) == oid(1)


def test_it_is_bounded(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest pairs go."""
    monkeypatch.setattr(module, "KEPT_PAIRS", 10)
    monkeypatch.setattr(module, "_ROOM", 5)
    for number in range(40):
        add_rewrites(repository, [(oid(number), oid(1000 + number))], AT)
    found = rewrites(repository)
    assert 10 <= len(found) <= 15 and oid(39) in found and oid(0) not in found


def test_a_line_that_was_cut_off_harms_nobody(repository: Repository) -> None:
    """What a process that died left behind is passed over, and the next line stands alone."""
    add_rewrites(repository, [(oid(1), oid(2))], AT)
    with rewrites_file(repository).open("ab") as file:
        file.write(oid(3).encode() + b" 00")
    add_rewrites(repository, [(oid(5), oid(6))], AT)
    assert rewrites(repository) == {oid(1): oid(2), oid(5): oid(6)}


def test_sha256_commits_are_commits(repository: Repository) -> None:
    """Ids of 64 characters."""
    add_rewrites(repository, [("a" * 64, "b" * 64)], AT)
    assert rewrites(repository) == {"a" * 64: "b" * 64}
