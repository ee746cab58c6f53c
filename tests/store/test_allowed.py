"""The list of what was let in although it looks like a secret: digests, of this clone, only ever added to."""

from __future__ import annotations

import stat
from pathlib import Path

from memgit.store.allowed import AllowedList

ONE, TWO, THREE = "1" * 64, "2" * 64, "3" * 64


def test_what_is_added_is_there(tmp_path: Path) -> None:
    """No file is an empty list; adding again adds nothing."""
    allowed = AllowedList(tmp_path)
    assert allowed.digests() == frozenset()
    allowed.add([])
    assert not allowed.path.exists()
    allowed.add([ONE, TWO])
    size = allowed.path.stat().st_size
    allowed.add([TWO, ONE])
    assert allowed.path.stat().st_size == size
    AllowedList(tmp_path).add([THREE])
    assert allowed.digests() == {ONE, TWO, THREE}


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    """The file is made for its owner alone."""
    allowed = AllowedList(tmp_path)
    allowed.add([ONE])
    assert stat.S_IMODE(allowed.path.stat().st_mode) == 0o600


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    """What a dead writer left in half allows nothing, and does not swallow what is added after it."""
    allowed = AllowedList(tmp_path)
    allowed.path.write_bytes(f"{ONE}\n{TWO[:30]}".encode())
    allowed.add([THREE])
    assert allowed.digests() == {ONE, THREE}
    allowed.path.write_bytes(b"\xff\xfe\n" + ONE.encode() + b"\r\n" + TWO.encode() + b"\n")
    assert allowed.digests() == {ONE, TWO}
