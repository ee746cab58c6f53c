"""Where checkpoints are kept: out of reach of Git's commands, bounded, and safe with several processes at once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memgit.checkpoints import recording
from memgit.checkpoints.archive import CHECKPOINTS_REF, Archive, Kept
from tests.checkpoints.workplace import Place

WORD = "heronword"
_MAKE = """
import sys
from pathlib import Path
from memgit.protocol.envelope import answer
for number in range(int(sys.argv[2])):
    envelope = answer({"op": "checkpoint.create", "input": {"text": f"number {number}"}}, Path(sys.argv[1])).envelope
    assert envelope["ok"], envelope["error"]
    print(envelope["result"]["checkpoint"]["id"], flush=True)
"""


def start(place: Place, count: int) -> subprocess.Popen[str]:
    """Start a process that makes checkpoints one after the other."""
    command = [sys.executable, "-c", _MAKE, str(place.directory), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def fsck(place: Place) -> None:
    """Check that the archive is whole."""
    subprocess.run(["git", "fsck", "--strict", "--full"], cwd=place.archive.repository.common_dir, check=True)


def objects(directory: Path) -> set[str]:
    """Return all objects of a repository."""
    batch = ["git", "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]
    return set(subprocess.run(batch, cwd=directory, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    "command",
    [
        "push --mirror TARGET",
        pytest.param("bundle create TARGET/all.bundle --all", marks=pytest.mark.slow),
        pytest.param("fetch", marks=pytest.mark.slow),
        pytest.param("clone --mirror", marks=pytest.mark.slow),
    ],
)
def test_no_command_of_gits_takes_checkpoints_along(place: Place, tmp_path: Path, command: str) -> None:
    """Neither their refs nor an object that only they have."""
    place.write("mine.txt", f"{WORD}\n")
    place.checkpoint(f"text {WORD}")
    there = tmp_path / "there.git"
    words = command.split()
    if words[0] == "clone":
        place.git("clone", "-q", "--mirror", ".", str(there))
    else:
        subprocess.run(["git", "init", "-q", "--bare", str(there)], check=True)
        if words[0] == "fetch":
            subprocess.run(["git", "fetch", "-q", place.directory, "+refs/*:refs/*"], cwd=there, check=True)
        else:
            place.git(*(word.replace("TARGET", str(there)) for word in words))
    if (there / "all.bundle").exists():
        subprocess.run(["git", "fetch", "-q", "all.bundle", "+refs/*:refs/*"], cwd=there, check=True)
    batch = ["git", "cat-file", "--batch-all-objects", "--batch"]
    assert WORD.encode() not in subprocess.run(batch, cwd=there, capture_output=True, check=True).stdout
    assert "checkpoint" not in subprocess.run(["git", "for-each-ref"], cwd=there, capture_output=True, text=True).stdout
    assert objects(there)


def test_it_relies_on_nothing_of_the_users(place: Place) -> None:
    """Whole by itself, without alternates, for its owner alone."""
    place.write("mine.txt", "untracked\n")
    place.checkpoint()
    fsck(place)
    directory = place.archive.repository.common_dir
    assert not (directory / "objects/info/alternates").exists()
    assert directory.stat().st_mode & 0o077 == 0
    assert not any(path.name.startswith(("index", "restored")) for path in directory.iterdir())


@pytest.mark.slow
def test_dropping_removes_the_objects(place: Place) -> None:
    """What only the dropped one had is gone from the disk; what another one has stays."""
    place.write("mine.txt", f"first {WORD}\n")
    first = place.checkpoint()
    place.write("mine.txt", "second\n")
    second = place.checkpoint()
    place.run("checkpoint.drop", ids=[first])
    assert place.ids() == [second]
    directory = place.archive.repository.common_dir
    batch = ["git", "cat-file", "--batch-all-objects", "--batch"]
    assert WORD.encode() not in subprocess.run(batch, cwd=directory, capture_output=True, check=True).stdout
    fsck(place)
    place.write("mine.txt", "third\n")
    place.restore(second)
    assert place.files()["mine.txt"][1] == b"second\n"
    place.run("checkpoint.drop", all=True)
    assert place.ids() == [] and len(objects(directory)) <= 2


def test_directories_of_loose_objects_may_go_meanwhile(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own gc removes those that it has emptied, while objects are taken over."""
    for number in range(110):
        place.write(f"many/{number}.txt", f"number {number}\n")
    place.git("add", ".")
    place.git("commit", "-qm", "many")
    place.git("repack", "-q", "-a")
    real = os.listdir
    pruned: list[str] = []

    def pruning(path: str) -> list[str]:
        if not pruned:
            pruned.append(place.git("prune-packed"))
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", pruning)
        place.checkpoint()
    assert pruned and place.run("checkpoint.list")["items"][0]["snapshot"]["files"] == 115
    fsck(place)


@pytest.mark.slow
def test_dropping_leaves_layers_and_drafts_alone(place: Place) -> None:
    """The local layer, a draft and a dropped draft are where they were."""
    place.run("remember", text="Local words", layer="local")
    place.run("remember", text="Drafted words", draft="one")
    place.run("remember", text="Dropped words", draft="two")
    place.run("draft.drop", name="two", yes=True)
    private = place.directory / ".git/memgit/state/private.git"
    before = objects(private)
    place.checkpoint()
    place.run("checkpoint.drop", all=True)
    assert objects(private) == before
    assert place.run("draft.restore", name="two")["operations"] == 2


def test_drop_says_what_it_takes(place: Place) -> None:
    """Ids or all, never neither or both; an unknown one drops nothing."""
    place.write("large.bin", random.Random(1).randbytes(200_000))
    saved = place.checkpoint()
    assert place.refused("checkpoint.drop")["code"] == "INVALID_REQUEST"
    assert place.refused("checkpoint.drop", ids=[saved], all=True)["code"] == "INVALID_REQUEST"
    assert place.refused("checkpoint.drop", ids=[saved, "chk_0000"])["code"] == "NOT_FOUND"
    assert place.ids() == [saved]
    answer = place.run("checkpoint.drop", ids=[saved, saved[:20]])
    assert answer["ids"] == [saved] and answer["freed"] > 100_000 and answer["collected"]


@pytest.mark.slow
def test_only_so_many_are_kept(place: Place) -> None:
    """`checkpointKeep` counts, and the objects of those that went go in the end."""
    place.git("config", "memgit.checkpointKeep", "3")
    for number in range(14):
        place.write("mine.txt", f"number {number} {WORD}\n")
        place.checkpoint(f"number {number}")
    assert [item["text"] for item in place.run("checkpoint.list")["items"]] == ["number 13", "number 12", "number 11"]
    batch = ["git", "cat-file", "--batch-all-objects", "--batch"]
    stored = subprocess.run(batch, cwd=place.archive.repository.common_dir, capture_output=True, check=True).stdout
    assert stored.count(WORD.encode()) < 10
    fsck(place)


@pytest.mark.slow
def test_a_clock_that_went_back_loses_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is made is kept, although all others seem to be newer."""
    place.git("config", "memgit.checkpointKeep", "2")
    with monkeypatch.context() as patch:
        names = iter("chk_7" + digit * 25 for digit in "12")
        patch.setattr(recording, "new_checkpoint_id", lambda: next(names))
        later = [place.checkpoint(), place.checkpoint()]
    now = place.checkpoint()
    assert now in place.ids() and set(place.ids()) & set(later)


@pytest.mark.slow
def test_packs_stay_few(place: Place) -> None:
    """Many snapshots do not leave a pack each."""
    for number in range(16):
        for name in range(20):
            place.write(f"many/{name}.txt", f"{number} {name}\n")
        place.checkpoint()
    packs = list((place.archive.objects_dir / "pack").glob("*.pack"))
    assert len(packs) <= 13
    fsck(place)


@pytest.mark.slow
def test_pages_and_names(place: Place) -> None:
    """A page ends where the next begins; a checkpoint is named by a unique beginning or end, or `@last`."""
    made = [place.checkpoint(f"number {number}") for number in range(5)]
    seen, cursor = [], None
    while True:
        page = place.run("checkpoint.list", limit=2, **({"cursor": cursor} if cursor else {}))
        seen += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == made[::-1] and page["total"] == 5 and page["bytes"] > 0
    for name in (made[0], made[0][4:], made[0][-8:], made[0].upper()):
        assert place.run("checkpoint.show", id=name)["checkpoint"]["id"] == made[0]
    assert place.run("checkpoint.show", id="@last")["checkpoint"]["id"] == made[-1]
    assert "part of 5" in place.refused("checkpoint.show", id="chk_0")["message"]
    for wrong in ("nonsense", "", "chk_", "@first"):
        assert place.refused("checkpoint.show", id=wrong)["code"] == "NOT_FOUND"
    for limit in (0, 101):
        assert place.refused("checkpoint.list", limit=limit)["details"]["field"] == "limit"


def test_without_a_memory_nothing_is_made(tmp_path: Path) -> None:
    """A repository where `init` never ran gets nothing of ours; reading finds nothing."""
    subprocess.run(["git", "init", "-q", str(tmp_path / "plain")], check=True)
    plain = Place(tmp_path / "plain")
    assert plain.refused("checkpoint.create")["code"] == "STORE_NOT_INITIALIZED"
    assert plain.run("checkpoint.list")["items"] == []
    assert plain.refused("checkpoint.show", id="@last")["code"] == "NOT_FOUND"
    assert plain.run("checkpoint.drop", all=True)["ids"] == []
    assert not (tmp_path / "plain/.git/memgit").exists()


def test_a_damaged_record_is_named_and_the_others_go_on(place: Place) -> None:
    """One that is not YAML, and one of a later format."""
    from memgit.store.objects import TreeItem, hash_object

    good = place.checkpoint("good")
    archive = place.archive
    for name, data in (("chk_" + "1" * 26, b"format: 1\nnonsense\n"), ("chk_" + "2" * 26, b"format: 9\nid: x\n")):
        blob = hash_object("blob", data, archive.object_format)
        with archive.held():
            archive.write([blob])
            archive.replace({Kept(name, False): {"record.yaml": TreeItem(blob.oid, False)}})
    page = place.run("checkpoint.list")
    assert [item["id"] for item in page["items"]] == [good] and len(page["damaged"]) == 2
    assert place.refused("checkpoint.show", id="chk_111111")["code"] == "STORE_CORRUPT"
    assert place.refused("checkpoint.show", id="chk_222222")["code"] == "FORMAT_TOO_NEW"
    place.run("checkpoint.drop", ids=["chk_111111", "chk_222222"])
    assert place.ids() == [good]


@pytest.mark.slow
def test_several_processes_and_working_trees_at_once(place: Place, tmp_path: Path) -> None:
    """Each acknowledged checkpoint is there and whole, also beside the user's gc and a process that drops."""
    place.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Place(tmp_path / "linked")
    linked.write("kept.txt", "linked\n")
    first = place.checkpoint()
    processes = [start(one, 4) for one in (place, linked, place)]
    place.git("gc", "-q", "--prune=now")
    place.run("checkpoint.drop", ids=[first])
    made = [line for process in processes for line in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sorted(place.ids(), reverse=True) == sorted(made, reverse=True) and len(made) == 12
    fsck(place)


@pytest.mark.slow
def test_killed_anywhere_the_archive_is_whole(place: Place) -> None:
    """Each id that was printed is there, nothing else is, and the next one goes through."""
    chance = random.Random(7)
    printed: list[str] = []
    for _ in range(4):
        process = start(place, 50)
        assert process.stdout is not None
        printed.append(process.stdout.readline().strip())
        time.sleep(chance.random() * 0.15)
        os.kill(process.pid, signal.SIGKILL)
        printed += process.stdout.read().split()
        process.wait()
        process.stdout.close()
    place.checkpoint()
    assert set(printed) <= set(place.ids())
    fsck(place)
    assert not place.archive.scratch_dir.exists()


@pytest.mark.slow
def test_a_reader_beside_a_process_that_drops(place: Place) -> None:
    """A list that began before a drop sees the state before it or after it."""
    for number in range(3):
        place.checkpoint(f"number {number}")
    archive = place.archive
    real = Archive._object
    dropped = False

    def dropping(self: Archive, name: str) -> bytes:
        nonlocal dropped
        if not dropped:
            dropped = True
            place.run("checkpoint.drop", ids=[place.ids()[0]])
        return real(self, name)

    Archive._object = dropping  # type: ignore[method-assign]
    try:
        assert len(archive.kept()) == 2
    finally:
        Archive._object = real  # type: ignore[method-assign]


@pytest.mark.slow
def test_nobody_waits_for_the_lock_for_ever(place: Place) -> None:
    """Another process that holds it is named after the wait."""
    place.checkpoint()
    place.git("config", "memgit.lockWait", "50")
    with place.archive.held():
        error = place.refused("checkpoint.create")
    assert error["code"] == "STORE_BUSY" and "checkpoints.lock" in error["message"]


def test_the_ref_is_one(place: Place) -> None:
    """However many checkpoints there are, there is one ref, whose commit has no parent."""
    for _ in range(3):
        place.checkpoint()
    directory = place.archive.repository.common_dir
    refs = subprocess.run(["git", "for-each-ref", "--format=%(refname) %(parent)"], cwd=directory, capture_output=True)
    assert refs.stdout.decode().split() == [CHECKPOINTS_REF]
