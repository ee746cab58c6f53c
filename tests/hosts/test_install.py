"""Installing beside what is there, where Git really looks, and taking it out again without a trace."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memgit.errors import InvalidRequest, NotARepository, StoreNotInitialized
from memgit.hosts.git_hooks import install as installing
from memgit.hosts.git_hooks.record import read_record
from memgit.hosts.git_hooks.shipped import HOOKS, block
from memgit.hosts.git_hooks.status import status
from memgit.protocol.envelope import answer
from tests.hosts.conftest import Place, listing

PYTHON_HOOK = b"#!/usr/bin/env python3\nimport sys\nopen('ran', 'w').write(repr((sys.argv[1:], sys.stdin.read())))\n"


def states(place: Place) -> dict[str, set[str]]:
    """Return the states of the hooks of each working tree."""
    found = status(place.repository, read_record(place.repository))
    return {one.tree.name: {hook.state for hook in one.hooks} for one in found}


def test_installing_twice_changes_nothing(hooked: Place) -> None:
    """The second installation leaves every byte as it is, and says so (report 11)."""
    before = listing(hooked.repository.common_dir)
    assert not hooked.install().changed
    assert listing(hooked.repository.common_dir) == before


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o644])
def test_uninstalling_restores_bytes_and_modes(plain: Place, mode: int) -> None:
    """What was there before comes back exactly: scripts, links, modes; what was made goes (reports 11, 22)."""
    plain.hook("pre-commit", b"#!/bin/bash -e\necho mine\r\n", mode)
    plain.hook("post-commit", PYTHON_HOOK, mode)
    plain.hook("post-merge", b"#!/bin/sh", mode)
    plain.hook("notes.txt", b"not a hook", mode)
    (plain.hooks / "pre-push").symlink_to("../../shared-hook")
    before = listing(plain.repository.common_dir)
    plain.install()
    plain.install()
    assert states(plain) == {".": {"installed"}}
    assert plain.uninstall()
    assert listing(plain.repository.common_dir) == before
    assert not plain.uninstall()


def test_a_hook_of_ones_own_is_never_lost(plain: Place) -> None:
    """A hook that waits beside ours survives any number of installations (report 11)."""
    plain.hook("post-commit", PYTHON_HOOK)
    for _ in range(3):
        plain.install()
    assert (plain.hooks / "before-memgit/post-commit").read_bytes() == PYTHON_HOOK
    plain.hook("post-commit", PYTHON_HOOK + b"# another\n")
    with pytest.raises(InvalidRequest, match=r"before-memgit/post-commit is there already"):
        plain.install()
    assert (plain.hooks / "post-commit").read_bytes() == PYTHON_HOOK + b"# another\n"
    assert (plain.hooks / "before-memgit/post-commit").read_bytes() == PYTHON_HOOK


def test_a_hook_that_has_grown_since_keeps_all_its_bytes(plain: Place) -> None:
    """Nothing of a hook is lost when the block is taken out, however long it has become."""
    path = plain.hook("post-commit", b"#!/bin/sh\necho mine\n")
    plain.install()
    more = b"# " + b"x" * 5_000_000 + b"\n"
    with path.open("ab") as stream:
        stream.write(more)
    plain.uninstall()
    assert path.read_bytes() == b"#!/bin/sh\necho mine\n" + more


def test_entries_of_a_framework_that_is_not_installed_stand_in_for_nothing(plain: Place) -> None:
    """Where pre-commit is configured with our entries but not installed, the hooks are put in all the same."""
    hooks = "".join(f"  - id: memgit-{hook}\n" for hook in HOOKS)
    plain.write(".pre-commit-config.yaml", f"repos:\n- repo: x\n  rev: y\n  hooks:\n{hooks}")
    plain.install()
    assert states(plain) == {".": {"installed"}}
    plain.commit("second")
    assert [event.kind for event in plain.events()] == ["commit"]


def test_a_hook_that_is_switched_off_stays_off(plain: Place) -> None:
    """A file that is not executable does not begin to run because ours does."""
    plain.hook("post-commit", b"#!/bin/sh\ntouch ran\n", 0o644)
    plain.install()
    plain.commit("second")
    assert not (plain.directory / "ran").exists()
    assert [event.kind for event in plain.events()] == ["commit"]


def test_ours_switched_off_is_told_and_put_back(hooked: Place) -> None:
    """A block in a file that is no longer executable is no installation; installing again makes it one."""
    (hooked.hooks / "post-commit").chmod(0o644)
    assert states(hooked) == {".": {"displaced", "installed"}}
    assert hooked.install().changed
    assert states(hooked) == {".": {"installed"}}


def test_a_chained_hook_gets_arguments_input_and_decides(plain: Place) -> None:
    """What was there before gets the same arguments and input, and its status is the hook's (reports 20, 24)."""
    plain.hook("post-rewrite", PYTHON_HOOK)
    plain.install()
    old = plain.git("rev-parse", "HEAD")
    plain.git("commit", "-q", "--amend", "-m", "again")
    new = plain.git("rev-parse", "HEAD")
    assert (plain.directory / "ran").read_text() == repr((["amend"], f"{old} {new}\n"))
    (event,) = plain.events()
    assert (event.kind, event.cause, event.rewritten) == ("commit", "amend", ((old, new),))


@pytest.mark.parametrize("content", [b"#!/bin/sh\nexit 7\n", b"#!/usr/bin/env python3\nraise SystemExit(7)\n"])
def test_a_status_is_passed_through(plain: Place, content: bytes) -> None:
    """A `pre-commit` that refuses still refuses, and a `post-checkout` that fails still fails (report 20)."""
    plain.hook("pre-commit", content)
    plain.hook("post-checkout", content)
    plain.install()
    plain.write("new", "text")
    plain.git("add", "new")
    assert plain.run("git", "commit", "-m", "no").returncode == 1
    assert plain.run("git", "checkout", "-b", "other").returncode == 1


@pytest.mark.parametrize(
    "content",
    [
        b'#!/bin/sh\nset -eu\ncat >input; echo "$#:$*" >arguments\n',
        b'#!/usr/bin/env bash\nset -euo pipefail\ncat >input; echo "$#:$*" >arguments\n',
        b"#!/usr/bin/env python3\nimport sys\nopen('input', 'wb').write(sys.stdin.buffer.read())\n"
        b"open('arguments', 'w').write(f\"{len(sys.argv) - 1}:{' '.join(sys.argv[1:])}\\n\")\n",
    ],
)
def test_input_is_preserved_byte_for_byte(plain: Place, tmp_path: Path, content: bytes) -> None:
    """`post-rewrite` and `pre-push` hand on what Git says, also where it is much (report 24)."""
    for name in ("post-rewrite", "pre-push"):
        plain.hook(name, content)
    plain.install()
    lines = b"".join(b"%040x %040x\n" % (2 * n + 1, 2 * n + 2) for n in range(200))
    assert plain.run(plain.hooks / "post-rewrite", "rebase", given=lines).returncode == 0
    assert (plain.directory / "input").read_bytes() == lines
    assert (plain.directory / "arguments").read_text() == "1:rebase\n"
    (event,) = plain.events()
    assert len(event.rewritten) == 200
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "remote.git")], check=True)
    plain.git("push", "-q", str(tmp_path / "remote.git"), "HEAD:refs/heads/there")
    head = plain.git("rev-parse", "HEAD")
    assert (plain.directory / "input").read_text() == f"HEAD {head} refs/heads/there {'0' * 40}\n"
    assert (plain.directory / "arguments").read_text().startswith("2:")


def test_nothing_is_installed_without_a_memory(tmp_path: Path) -> None:
    """A repository that has no memory is left alone."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    before = listing(tmp_path)
    error = answer({"op": "hooks.install", "input": {}}, tmp_path).envelope["error"]
    assert error["code"] == StoreNotInitialized.code
    assert listing(tmp_path) == before


def test_a_linked_worktree_is_where_git_reads(hooked: Place, tmp_path: Path) -> None:
    """A worktree that is linked, now or later, tells of itself by the hooks of the common directory (report 14)."""
    hooked.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Place(tmp_path / "linked")
    assert not linked.install().changed
    hooked.events()
    commit = linked.commit("there")
    (event,) = hooked.events()
    assert (event.worktree, event.after, event.branch) == ("worktrees/linked", commit, "refs/heads/side")
    assert states(linked) == {".": {"installed"}, "worktrees/linked": {"installed"}}


def test_a_worktree_with_hooks_of_its_own(plain: Place, tmp_path: Path) -> None:
    """With `extensions.worktreeConfig`, each working tree's directory gets the hooks (report 14)."""
    plain.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Place(tmp_path / "linked")
    plain.git("config", "extensions.worktreeConfig", "true")
    (tmp_path / "own").mkdir()
    linked.git("config", "--worktree", "core.hooksPath", str(tmp_path / "own"))
    assert plain.install().directories == (plain.hooks, tmp_path / "own")
    linked.commit("there")
    assert [event.worktree for event in plain.events()] == ["worktrees/linked"]
    plain.uninstall()
    assert not list((tmp_path / "own").iterdir())


def test_a_submodule_tells_of_itself(tmp_path: Path, plain: Place) -> None:
    """In a submodule, whose `.git` is a file, hooks go where Git reads them (reports 14, 27)."""
    outer = Place(tmp_path / "outer")
    subprocess.run(["git", "init", "-q", str(outer.directory)], check=True)
    outer.git("submodule", "add", plain.directory.as_uri(), "inner")
    inner = Place(outer.directory / "inner")
    assert answer({"op": "store.init", "input": {"offline": True}}, inner.directory).envelope["ok"]
    assert inner.install().directories == (outer.directory / ".git" / "modules" / "inner" / "hooks",)
    commit = inner.commit("deep")
    (event,) = inner.events()
    assert (event.worktree, event.after) == (".", commit)


def test_a_bare_repository_with_worktrees(tmp_path: Path, plain: Place) -> None:
    """A bare repository takes the hooks for the working trees that are linked to it."""
    bare = Place(tmp_path / "bare.git")
    plain.git("clone", "-q", "--bare", ".", str(bare.directory))
    assert answer({"op": "store.init", "input": {"offline": True}}, bare.directory).envelope["ok"]
    bare.install()
    bare.git("worktree", "add", "-q", str(tmp_path / "tree"))
    Place(tmp_path / "tree").commit("there")
    assert [event.kind for event in bare.events()] == ["checkout", "commit"]


def test_a_repository_that_moves_keeps_its_hooks(hooked: Place, tmp_path: Path) -> None:
    """No path of ours is absolute, so a repository that is moved still tells (report 13)."""
    hooked.directory.rename(tmp_path / "elsewhere")
    moved = Place(tmp_path / "elsewhere")
    commit = moved.commit("second")
    assert [event.after for event in moved.events()] == [commit]
    assert states(moved) == {".": {"installed"}}


def test_a_hooks_path_that_is_gone_is_named(hooked: Place, tmp_path: Path) -> None:
    """An absolute `core.hooksPath` that does not exist any more stops all hooks, and that is said (report 13)."""
    hooked.git("config", "core.hooksPath", str(tmp_path / "gone"))
    (said,) = hooked.warnings()
    assert "core.hooksPath of the local configuration" in said
    with pytest.raises(InvalidRequest, match="does not exist: no hook runs here"):
        hooked.install(way="files")


@pytest.mark.parametrize("how", ["tracked", "ignored", "untracked", "global", "symlink"])
def test_hooks_that_belong_to_others_are_refused(plain: Place, tmp_path: Path, how: str) -> None:
    """A directory under version control, or of all repositories, is not written; what to paste is said (report 12)."""
    directory = plain.directory / ".githooks" if how != "global" else tmp_path / "all"
    plain.hook("post-commit", b"#!/bin/sh\necho theirs\n", directory=directory)
    if how == "ignored":
        plain.write(".gitignore", ".githooks\n")
        plain.write(".githooks/README", "Ours, although ignored.\n")
        plain.git("add", "-f", ".githooks/README")
    if how in ("tracked", "symlink"):
        plain.git("add", ".githooks")
    if how in ("tracked", "ignored", "symlink"):
        plain.git("commit", "-q", "-m", "hooks")
    if how == "symlink":
        (plain.repository.common_dir / "hooks").symlink_to(directory)
    else:
        scope = "--global" if how == "global" else "--local"
        plain.git("config", scope, "core.hooksPath", str(directory))
    try:
        before = listing(directory)
        with pytest.raises(InvalidRequest) as refused:
            plain.install(way="files")
        assert "git memory hooks snippet" in refused.value.hint
        assert listing(directory) == before
        assert states(plain) == {".": {"missing", "foreign"}}
        snippet = plain.call("hooks.snippet", hook="post-commit")["result"]["text"]  # type: ignore[index]
        plain.hook("post-commit", b"#!/bin/sh\n" + snippet.encode() + b"echo theirs\n", directory=directory)
        commit = plain.commit("second")
        assert [event.after for event in plain.events()] == [commit]
    finally:
        if how == "global":
            plain.git("config", "--global", "--unset", "core.hooksPath")


def test_a_directory_in_a_hooks_place_is_named(plain: Place) -> None:
    """What can never be a hook is not moved; it is named, and all goes well once it is gone."""
    (plain.hooks / "post-commit").mkdir(parents=True)
    with pytest.raises(InvalidRequest, match="is a directory"):
        plain.install()
    (plain.hooks / "post-commit").rmdir()
    plain.install()
    assert states(plain) == {".": {"installed"}}


def test_git_that_refuses_the_repository_is_heard(hooked: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Git honours another owner and refuses, nothing is installed around it (report 26)."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(NotARepository, match="dubious ownership"):
        installing.install(Place(hooked.directory).repository, None, push=None)


def test_sha256_objects(tmp_path: Path) -> None:
    """Longer ids fit into a line, and pairs of them into several (report 25)."""
    place = Place(tmp_path / "long")
    subprocess.run(["git", "init", "-q", "--object-format=sha256", str(place.directory)], check=True)
    place.install()
    old = [place.commit(f"f{number}") for number in range(10)]
    place.events()
    place.git("rebase", "-q", "--force-rebase", "--root", "--onto", place.git("rev-parse", "HEAD~9"))
    place.git("commit", "-q", "--amend", "-m", "better")
    events = place.events()
    assert events[-1].rewritten == ((events[-1].before, place.git("rev-parse", "HEAD")),)
    assert len(old[0]) == 64 and len(events[-1].after or "") == 64


@pytest.mark.parametrize("again", [False, True])
def test_uninstalling_finds_where_the_hooks_were(hooked: Place, tmp_path: Path, again: bool) -> None:
    """Where Git looks elsewhere since, the blocks are taken out of the old place too (report 22)."""
    (tmp_path / "new").mkdir()
    hooked.git("config", "core.hooksPath", str(tmp_path / "new"))
    if again:
        hooked.install()
        assert len(list((tmp_path / "new").iterdir())) == len(HOOKS)
    hooked.uninstall()
    assert not list((tmp_path / "new").iterdir())
    assert not hooked.hooks.exists()
    assert not (hooked.repository.state_dir / "hooks").exists()


def test_nothing_comes_back_after_uninstalling(hooked: Place) -> None:
    """No hook, no command and no pasted block makes a directory again that was removed (report 22)."""
    hooked.events()
    hooked.uninstall()
    hooked.hook("post-commit", b"#!/bin/sh\n" + block("post-commit"))
    hooked.commit("second")
    hooked.warnings()
    assert not (hooked.repository.state_dir / "hooks").exists()
    assert not list((hooked.repository.state_dir / "spool").glob("events*"))


def test_a_block_does_nothing_where_there_is_no_memory(tmp_path: Path) -> None:
    """A block that was pasted for everybody makes nothing in a repository without a memory."""
    place = Place(tmp_path / "other")
    subprocess.run(["git", "init", "-q", "--template=", str(place.directory)], check=True)
    for hook in HOOKS:
        place.hook(hook, b"#!/bin/sh\n" + block(hook))
    place.commit("first")
    place.git("checkout", "-q", "-b", "other")
    assert not (place.directory / ".git" / "memgit").exists()


@pytest.mark.parametrize("script", ["event.sh", "framework.sh"])
def test_a_script_makes_nothing_where_there_is_no_memory(tmp_path: Path, script: str) -> None:
    """Called by a tool in a repository without a memory, the script itself leaves it alone."""
    place = Place(tmp_path / "other")
    subprocess.run(["git", "init", "-q", "--template=", str(place.directory)], check=True)
    before = listing(place.directory)
    done = place.run("sh", Path(__file__).parents[2] / "hooks" / script, "post-commit")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert listing(place.directory) == before
    assert not (place.directory / ".git" / "memgit").exists()


def _has_configured_hooks() -> bool:
    from memgit.hosts.git_hooks.configured import has_configured_hooks

    return has_configured_hooks()


def test_configured_hooks_are_probed_not_assumed(plain: Place) -> None:
    """`--config` works exactly where this Git runs hooks that its configuration names, and is refused elsewhere."""
    tracked = plain.hook("post-commit", b"#!/bin/sh\n:\n", directory=plain.directory / ".githooks")
    plain.git("add", ".githooks")
    plain.git("commit", "-q", "-m", "hooks")
    plain.git("config", "core.hooksPath", str(tracked.parent))
    before = (plain.repository.common_dir / "config").read_bytes()
    if not _has_configured_hooks():
        with pytest.raises(InvalidRequest, match=r"Git 2\.54"):
            plain.install(way="config")
        return
    assert plain.install().configured
    assert not plain.install().changed
    commit = plain.commit("second")
    assert [event.after for event in plain.events()] == [commit]
    assert states(plain) == {".": {"installed"}}
    plain.uninstall()
    assert (plain.repository.common_dir / "config").read_bytes() == before
