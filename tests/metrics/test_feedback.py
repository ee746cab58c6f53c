"""Verdicts are kept whole, private and apart from what was asked."""

from __future__ import annotations

import multiprocessing
import stat
from pathlib import Path

import pytest

from memgit.errors import LimitExceeded
from memgit.metrics import feedback
from memgit.metrics.feedback import FILE_NAME, KEY_NAME, Feedback, FeedbackFile


def verdict(number: int) -> Feedback:
    return Feedback(at=f"2026-01-01T00:00:00.{number:06d}Z", verdict="helpful", note="n" * 200)


def test_what_is_kept_is_read(tmp_path: Path) -> None:
    """Verdicts come back in order, and the files are the owner's alone."""
    file = FeedbackFile(tmp_path)
    assert list(file.read()) == []
    for number in range(3):
        file.append(verdict(number))
    file.fingerprint("x")
    assert list(file.read()) == [verdict(number) for number in range(3)]
    for name in (FILE_NAME, KEY_NAME):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_a_torn_line_is_left_out(tmp_path: Path) -> None:
    """What a power loss cut off costs one verdict, not the file."""
    file = FeedbackFile(tmp_path)
    file.append(verdict(1))
    with (tmp_path / FILE_NAME).open("ab") as stream:
        stream.write(b'{"at":"2026\n')
    file.append(verdict(2))
    assert [item.at for item in file.read()] == [verdict(1).at, verdict(2).at]


def test_fingerprints_compare_queries_here_alone(tmp_path: Path) -> None:
    """The same words give the same fingerprint in one repository and another one elsewhere."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    here, elsewhere = FeedbackFile(tmp_path / "a"), FeedbackFile(tmp_path / "b")
    assert here.fingerprint("How is  MONEY stored") == here.fingerprint("how is money stored")
    assert here.fingerprint("money") != here.fingerprint("time")
    assert here.fingerprint("money") != elsewhere.fingerprint("money")
    assert FeedbackFile(tmp_path / "a").fingerprint("money") == here.fingerprint("money")


def test_the_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full file refuses the next verdict and keeps what it has."""
    monkeypatch.setattr(feedback, "LARGEST_FILE", 600)
    file = FeedbackFile(tmp_path)
    file.append(verdict(1))
    file.append(verdict(2))
    with pytest.raises(LimitExceeded):
        file.append(verdict(3))
    assert len(list(file.read())) == 2


def _append_many(directory: Path, base: int) -> None:
    file = FeedbackFile(directory)
    for number in range(100):
        file.append(verdict(base + number))


def test_processes_do_not_mix_their_lines(tmp_path: Path) -> None:
    """Four writers at once lose and tear nothing."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append_many, args=(tmp_path, base * 1000)) for base in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len({item.at for item in FeedbackFile(tmp_path).read()}) == 400
