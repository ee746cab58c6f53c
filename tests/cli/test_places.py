"""The verbs work in every kind of repository and directory, and say so where they cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import SCOPE, STORE, Shell
from tests.conftest import MakeRepository


def loop(shell: Shell) -> None:
    """Go through the main job with the verbs."""
    shell.ok("remember", "The loop works everywhere.", "--type", "decision")
    text = shell.ok("recall", "does the loop work").text
    assert text.startswith("presence: claims")
    citation = next(line.split()[-1] for line in text.splitlines() if "evidence" in line)
    assert shell.ok("cat", citation).out == b"The loop works everywhere."
    assert shell.ok("log", "-n", "1").out
    assert shell.ok("verify").text.rstrip().endswith("ok")


@pytest.mark.parametrize("kind", ["plain", "bare", "worktree", "submodule", "sha256", "partial", "shallow"])
def test_in_every_kind_of_repository(repository: MakeRepository, kind: str) -> None:
    """Linked worktrees, submodules, bare, SHA-256, partial and shallow ones included."""
    shell = Shell(repository(kind, "place"))  # type: ignore[arg-type]  # the kinds are listed above
    shell.ok("init", *SCOPE)
    loop(shell)
    assert shell.git("rev-parse", "--verify", STORE)


def test_from_a_subdirectory_and_with_c(shell: Shell) -> None:
    """-C is repeatable, each seen from the one before; paths that are typed start there."""
    shell.write("a/b/note.md", "# Note\n\nText.")
    below = Shell(shell.directory / "a")
    loop(below)
    claim = shell.ok("-C", "a", "-C", "b", "remember", "Text.", "--evidence", "note.md").first
    assert "a/b/note.md" in shell.ok("search", "note", "--kind", "artifact").text
    assert "#8-13" in shell.ok("show", claim).text


def test_a_worktree_shares_the_memory(shell: Shell) -> None:
    """What one remembers, the other recalls."""
    shell.git("worktree", "add", "-q", "-b", "side", "../linked")
    linked = Shell(shell.directory.parent / "linked")
    shutil.copyfile(shell.directory / ".memoree.toml", linked.directory / ".memoree.toml")
    linked.ok("remember", "Said beside the main tree.")
    assert shell.ok("recall", "beside the main tree").text.startswith("presence: claims")


def test_git_dir_names_another_repository(
    shell: Shell, repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for Git itself: a hook's GIT_DIR decides."""
    other = Shell(repository("plain", "other"))
    other.ok("init", "--no-marker")
    other.ok("remember", "Told by GIT_DIR.")
    monkeypatch.setenv("GIT_DIR", str(other.directory / ".git"))
    assert other.ok("status").text.split()[1] == shell.ok("status").text.split()[1]


VERBS = ("status", "log", "remember x", "recall x", "verify", "claim assert x", "show clm_01jd")


@pytest.mark.parametrize("words", (*VERBS, "import markdown .", "call"))
def test_no_repository(tmp_path: Path, words: str) -> None:
    """The error says where it looked and what to do."""
    place = tmp_path / "nowhere"
    place.mkdir()
    if words == "call":
        said = Shell(place).type("call", given='{"op": "status"}')
        assert (said.status, said.envelope["error"]["code"]) == (1, "NOT_A_REPOSITORY")
        return
    assert "not a git repository" in Shell(place).refused(*words.split())


@pytest.mark.parametrize("words", VERBS)
def test_no_store(empty: Shell, words: str) -> None:
    """With and without a marker: the hint is `init`."""
    assert "git memory init" in empty.refused(*words.split())
    empty.write(".memoree.toml", 'workspace_id = "w"\nproject_id = "p"\n')
    assert "git memory init" in empty.refused(*words.split())


@pytest.mark.parametrize(
    "marker",
    ["workspace_id = ", 'workspace_id = "w"\n', 'v = 2\nworkspace_id = "w"\nproject_id = "p"\n', "\xff", "[" * 5000],
)
def test_a_marker_that_does_not_parse(shell: Shell, marker: str) -> None:
    """The nearest one is an error that names the file, never a reason to look further up."""
    shell.write("below/.memoree.toml", marker.encode("latin-1"))
    below = Shell(shell.directory / "below")
    for words in (("status",), ("remember", "x"), ("context", "show")):
        assert ".memoree.toml" in below.refused(*words)


@pytest.mark.parametrize(
    "session", ["{", "[]", '{"v": 2}', '{"v": 1}', '{"v": 1, "workspace_id": "a/b", "project_id": "p"}']
)
def test_a_session_that_is_malformed(shell: Shell, monkeypatch: pytest.MonkeyPatch, session: str) -> None:
    """The parent meant something by it, so nothing else is used."""
    monkeypatch.setenv("MEMOREE_CONTEXT", session)
    assert "MEMOREE_CONTEXT" in shell.refused("remember", "x")


def test_another_projects_claim_is_read_and_not_written(shell: Shell) -> None:
    """Exact ids resolve across projects; a write is a scope violation before anything is written."""
    claim = shell.ok("claim", "assert", "Retries belong to us").first
    shell.write("other/.memoree.toml", 'workspace_id = "wsp-tests"\nproject_id = "other"\n')
    other = Shell(shell.directory / "other")
    assert "Retries" in other.ok("show", claim).text
    assert "prj-tests" in other.refused("claim", "revise", claim, "Theirs")
    assert other.ok("recall", "retries").text.startswith("presence: none")
    wide = other.ok("recall", "retries", "--horizon", "workspace", "--reason", "test")
    assert wide.text.startswith("presence: claims")


def test_a_directory_that_is_not_there(shell: Shell) -> None:
    """-C names it."""
    assert "nowhere" in shell.refused("-C", "nowhere", "status")
    assert "not a directory" in shell.refused("-C", ".memoree.toml", "status")


def test_the_current_directory_is_gone(tmp_path: Path) -> None:
    """A sentence, not a traceback."""
    import sys

    place = tmp_path / "gone"
    place.mkdir()
    command = f"cd {place} && rmdir {place} && {sys.executable} -m memgit.cli status"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    said = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment)
    assert said.returncode == 1 and said.stderr.startswith("error: ") and "Traceback" not in said.stderr


@pytest.mark.parametrize("what", ["blob", "tree"])
def test_a_ref_that_is_no_store(shell: Shell, what: str) -> None:
    """A blob, or a commit of the user's own: told, and left as it is."""
    blob = shell.git("hash-object", "-w", ".memoree.toml")
    shell.git("update-ref", "-d", STORE)
    shutil.rmtree(shell.directory / ".git" / "memgit")
    shell.git("update-ref", STORE, blob if what == "blob" else "HEAD")
    for words in (("status",), ("remember", "x"), ("log",)):
        shell.refused(*words)


def test_a_corrupted_object(shell: Shell) -> None:
    """A damaged object is an error that says what to do; nothing is written over it."""
    shell.ok("remember", "Words")
    shutil.rmtree(shell.directory / ".git" / "memgit")
    objects = shell.directory / ".git" / "objects"
    tip = shell.git("rev-parse", STORE)
    path = objects / tip[:2] / tip[2:]
    path.chmod(0o644)
    path.write_bytes(b"damaged")
    for words in (("status",), ("log",), ("remember", "x")):
        shell.refused(*words)


def test_a_format_from_the_future(shell: Shell) -> None:
    """Refused with the hint to upgrade."""

    def piped(given: str, *arguments: str) -> str:
        return subprocess.check_output(["git", *arguments], cwd=shell.directory, input=given, text=True).strip()

    blob = piped("99\n", "hash-object", "-w", "--stdin")
    below = piped(f"100644 blob {blob}\t99\n", "mktree")
    made = piped(f"040000 tree {below}\tformat\n", "mktree")
    message = shell.git("log", "-1", "--format=%B", STORE)
    commit = shell.git("commit-tree", made, "-p", STORE, "-m", message)
    shell.git("update-ref", STORE, commit)
    for words in (("status",), ("remember", "x"), ("recall", "x")):
        assert "pgrade" in shell.refused(*words)


def test_a_lock_left_behind(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program's `<ref>.lock` is named with its age, waited for within bounds, and left alone."""
    monkeypatch.setenv("MEMGIT_LOCK_WAIT", "100")
    lock = shell.directory / ".git" / f"{STORE}.lock"
    lock.write_text("somebody")
    assert "store.lock" in shell.refused("remember", "x")
    assert lock.read_text() == "somebody"
    lock.unlink()
    shell.ok("remember", "x")


@pytest.mark.parametrize("damage", ["deleted", "garbage", "empty"])
def test_a_state_cache_that_is_gone_or_damaged(shell: Shell, damage: str) -> None:
    """Costs time, never data; a rebuild says so once."""
    claim = shell.ok("remember", "Kept").first
    cache = shell.directory / ".git" / "memgit" / "cache"
    for path in [path for path in cache.rglob("*") if path.is_file()]:
        if damage == "deleted":
            path.unlink()
        else:
            path.write_bytes(b"garbage" * 2000 if damage == "garbage" else b"")
    assert "Kept" in shell.ok("show", claim).text
    assert shell.ok("recall", "kept").text.startswith("presence: claims")
    assert "warning" not in shell.ok("show", claim).err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_repository_that_cannot_be_written(shell: Shell) -> None:
    """Writing is refused, reading works."""
    shell.ok("remember", "Kept")
    directories = [path for path in (shell.directory / ".git").rglob("*") if path.is_dir()]
    for path in directories:
        path.chmod(0o555)
    try:
        shell.refused("remember", "x")
        assert shell.ok("recall", "kept").text.startswith("presence: claims")
    finally:
        for path in directories:
            path.chmod(0o755)
