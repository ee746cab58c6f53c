"""The record of a checkpoint, its id, and trees of flat lists."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.checkpoints.record import (
    ChangedPath,
    Checkpoint,
    SnapshotSummary,
    decode_checkpoint,
    encode_checkpoint,
    event_checkpoint_id,
    is_checkpoint_id,
    new_checkpoint_id,
    shown_path,
)
from memgit.checkpoints.retention import moment
from memgit.checkpoints.trees import Entry, TreeMaker
from memgit.errors import FormatTooNew, StoreBusy, StoreCorrupt

AT = "2026-01-02T03:04:05.000000Z"
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


@given(TEXT, st.lists(st.binary(min_size=1, max_size=30).filter(lambda name: b"\0" not in name), max_size=4))
def test_every_record_is_read_as_it_was_written(text: str, names: list[bytes]) -> None:
    """Whatever somebody says and however files are called."""
    checkpoint = Checkpoint(
        id=new_checkpoint_id(),
        at=AT,
        cause="manual",
        worktree="worktrees/a b",
        text=text,
        changed=tuple(ChangedPath("M", shown_path(name)) for name in names),
        snapshot=SnapshotSummary(files=1, staged=2, changed=3, untracked=4, bytes=5, left_out=6, listed=False),
    )
    assert decode_checkpoint(encode_checkpoint(checkpoint), checkpoint.id) == checkpoint


def test_what_is_no_record_is_refused() -> None:
    """A later format before it is decoded; another id, no format line, broken YAML."""
    good = encode_checkpoint(Checkpoint(id=new_checkpoint_id(), at=AT, cause="manual", worktree="."))
    with pytest.raises(FormatTooNew):
        decode_checkpoint(b"format: 2\n\xff\xff", "chk_x")
    for wrong in (good, b"", b"id: x\n", b"format: 1\n- a\n", b"format: 1\nid: chk_x\n"):
        with pytest.raises(StoreCorrupt):
            decode_checkpoint(wrong, "chk_x")


def test_ids_sort_by_their_moment_and_follow_from_the_event() -> None:
    """The same event has the same id; its end does not depend on the moment."""
    first, second = event_checkpoint_id(1000.5, "key"), event_checkpoint_id(2000.25, "key")
    assert first == event_checkpoint_id(1000.5, "key") < second and first[-16:] == second[-16:]
    assert (moment(first), moment(second)) == (1000.5, 2000.25)
    assert is_checkpoint_id(first) and is_checkpoint_id(new_checkpoint_id()) and not is_checkpoint_id(first + "0")
    assert event_checkpoint_id(1000.5, "other") != first


NAMES = st.sampled_from(["a", "b", "a.b", "a-b", "a0", "ä", "z"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(st.dictionaries(PATHS, st.sampled_from("1234"), max_size=8), min_size=1, max_size=3))
def test_trees_are_what_git_makes_of_the_same_files(
    tmp_path_factory: pytest.TempPathFactory, lists: list[dict[str, str]]
) -> None:
    """One after the other, as far as no path is a file and a directory."""
    directory = tmp_path_factory.mktemp("trees")
    subprocess.run(["git", "init", "-q", "--bare", directory], check=True)
    maker = TreeMaker("sha1")
    for files in lists:
        entries = {path.encode(): Entry(b"100644", digit * 40) for path, digit in files.items()}
        if any(one != other and other.startswith(one + "/") for one in files for other in files):
            with pytest.raises(StoreBusy):
                TreeMaker("sha1").make(entries)
            return
        assert maker.make(entries) == by_git(directory, files)


def by_git(directory: Path, files: dict[str, str]) -> str:
    """Return the tree that Git makes."""
    (directory / "index").unlink(missing_ok=True)
    lines = "".join(f"100644 {digit * 40}\t{path}\n" for path, digit in files.items())
    subprocess.run(["git", "update-index", "--index-info"], cwd=directory, input=lines, text=True, check=True)
    command = ["git", "write-tree", "--missing-ok"]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True).stdout.strip()
