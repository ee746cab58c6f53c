"""Verdicts are kept whole, private and apart from what was asked."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from memgit.errors import LimitExceeded, StoreCorrupt
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


def test_a_key_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes while another process makes the key finds none, makes one, and both use the same."""
    real, seen = os.urandom, []

    def slow(size: int) -> bytes:
        monkeypatch.setattr(feedback.os, "urandom", real)
        seen.append(FeedbackFile(tmp_path).fingerprint("what is it"))
        return real(size)

    monkeypatch.setattr(feedback.os, "urandom", slow)
    assert FeedbackFile(tmp_path).fingerprint("what is it") == seen[0]
    assert [path.name for path in tmp_path.iterdir()] == [feedback.KEY_NAME]


@pytest.mark.parametrize("left", [b"", b"short"])
def test_a_key_that_is_cut_short_is_refused(tmp_path: Path, left: bytes) -> None:
    """Anybody could guess it, and with it what was asked."""
    (tmp_path / feedback.KEY_NAME).write_bytes(left)
    with pytest.raises(StoreCorrupt) as raised:
        FeedbackFile(tmp_path).fingerprint("what is it")
    assert "Remove it" in str(raised.value.hint)


def test_a_file_system_without_links_keeps_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is moved into place then."""

    def refused(*paths: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(feedback.os, "link", refused)
    first = FeedbackFile(tmp_path).fingerprint("what is it")
    assert FeedbackFile(tmp_path).fingerprint("what is it") == first
    assert [path.name for path in tmp_path.iterdir()] == [feedback.KEY_NAME]
