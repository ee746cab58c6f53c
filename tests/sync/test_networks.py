"""Memory over real sockets, and how little of the user's machine takes part in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from memgit.store.repository import discover
from memgit.sync.transport import Network, Transport
from tests.sync.conftest import STORE, Clone, git
from tests.sync.servers import cutting, daemon, http, silent


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Ends what a test started."""
    with ExitStack() as made:
        yield made


@pytest.mark.parametrize("kind", ["daemon", "http"])
def test_clones_of_a_server(one: Clone, hub: Path, clone: Callable[..., Clone], stack: ExitStack, kind: str) -> None:
    """Two clones exchange memory through `git daemon` and through `git http-backend`."""
    git(hub, "config", "http.receivepack", "true")
    url = stack.enter_context(daemon(hub.parent) if kind == "daemon" else http(hub.parent))
    two = clone("two", url=f"{url}/hub.git")
    one.git("remote", "set-url", "origin", f"{url}/hub.git")
    two.sync()
    for number in range(8):
        one.claim(f"one {number}")
        two.claim(f"two {number}")
    one.sync()
    two.sync()
    one.sync()

    assert one.tree() == two.tree()
    assert len(one.statements()) == 17


def test_credentials_are_the_users(one: Clone, hub: Path, stack: ExitStack, tmp_path: Path) -> None:
    """A credential helper of the user's configuration is asked; without one it fails at once instead of asking."""
    git(hub, "config", "http.receivepack", "true")
    url = stack.enter_context(http(hub.parent, password="geheim"))
    one.git("remote", "set-url", "origin", f"{url}/hub.git")
    one.claim("second")
    begun = time.monotonic()

    error = one.refused("sync.run", "REMOTE_UNAVAILABLE")

    assert time.monotonic() - begun < 10
    assert "origin" in error["message"]
    one.git("config", "credential.helper", "!f() { echo username=me; echo password=geheim; }; f")
    assert one.sync()["went"] == {"claim.assert": 1}


@pytest.mark.parametrize("scheme", ["git", "http"])
def test_a_server_that_never_answers(one: Clone, stack: ExitStack, scheme: str) -> None:
    """A connection that is taken and stays silent is given up after the idle time."""
    one.git("remote", "set-url", "origin", f"{scheme}://{stack.enter_context(silent())}/hub.git")
    one.run("config.set", name="networkIdle", value="1")
    begun = time.monotonic()

    one.refused("sync.run", "REMOTE_UNAVAILABLE")

    assert time.monotonic() - begun < 15


def test_a_connection_that_is_cut_anywhere(one: Clone, two: Clone, hub: Path, stack: ExitStack) -> None:
    """Wherever a connection breaks, both sides stay valid, and the next sync goes through."""
    url = stack.enter_context(daemon(hub.parent))
    allowed = [-1]
    relay = stack.enter_context(cutting(url.removeprefix("git://"), allowed))
    two.git("remote", "set-url", "origin", f"git://{relay}/hub.git")
    written = ["first"]
    for cut in (0, 60, 300, 700, 1500, 4000):
        allowed[0] = cut
        one.claim(f"one before {cut}")
        one.sync()
        two.claim(f"two before {cut}")
        written += [f"one before {cut}", f"two before {cut}"]
        two.envelope("sync.run")
        git(hub, "fsck", "--connectivity-only")
        two.git("fsck", "--connectivity-only")

    allowed[0] = -1
    two.sync()
    one.sync()

    assert one.statements() == two.statements() == sorted(written)


def test_nothing_of_the_configuration_takes_part(one: Clone, two: Clone, hub: Path, tmp_path: Path) -> None:
    """Mirror, prune, tag, refspec and hook settings of the user change neither what is sent nor what is removed."""
    mark = tmp_path / "hook-ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-push", "reference-transaction", "post-merge"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
        (hooks / name).chmod(0o755)
    one.git("tag", "-a", "v1", "-m", "v1")
    one.git("branch", "private")
    git(hub, "update-ref", "refs/memgit/foreign", git(hub, "rev-parse", "refs/heads/main"))
    for name, value in {
        "core.hooksPath": str(hooks),
        "remote.origin.mirror": "true",
        "remote.origin.prune": "true",
        "remote.origin.pruneTags": "true",
        "remote.origin.tagOpt": "--tags",
        "remote.origin.push": "+refs/*:refs/*",
        "fetch.prune": "true",
        "fetch.pruneTags": "true",
        "push.followTags": "true",
        "push.default": "matching",
        "push.recurseSubmodules": "on-demand",
        "submodule.recurse": "true",
        "fetch.fsckObjects": "true",
        "gc.auto": "1",
        "gc.autoPackLimit": "1",
        "gc.autoDetach": "false",
    }.items():
        one.git("config", name, value)
    one.git("config", "--replace-all", "remote.origin.fetch", "+refs/*:refs/*")
    theirs = git(hub, "for-each-ref", "--format=%(refname) %(objectname)").replace(one.tip(), "T")
    ours = one.git("for-each-ref", "--format=%(refname)")
    packs = len(list((one.directory / ".git/objects/pack").glob("*.pack")))
    two.claim("from two")
    two.sync()
    one.claim("from one")
    before = one.tip()

    one.run("sync.fetch")
    assert one.tip() == before, "a fetch writes the tracking ref alone, whatever the configuration maps"
    one.sync()

    assert one.statements() == ["first", "from one", "from two"]
    assert git(hub, "for-each-ref", "--format=%(refname) %(objectname)").replace(one.tip(), "T") == theirs
    assert one.git("for-each-ref", "--format=%(refname)") == ours
    assert not mark.exists()
    assert not (one.directory / ".git/FETCH_HEAD").exists()
    assert len(list((one.directory / ".git/objects/pack").glob("*.pack"))) == packs + 1, "no gc, one pack that came"


def test_the_index_the_working_tree_and_the_branches_stay(one: Clone, two: Clone) -> None:
    """A sync touches refs of memgit alone: not HEAD, no branch, no index, no file."""
    two.claim("second")
    two.sync()
    before = (
        one.git("status", "--porcelain=v2", "--branch"),
        one.git("for-each-ref", "refs/heads", "refs/tags", "refs/remotes"),
        (one.directory / ".git/index").read_bytes(),
        one.git("stash", "list"),
    )

    one.sync()

    assert before == (
        one.git("status", "--porcelain=v2", "--branch"),
        one.git("for-each-ref", "refs/heads", "refs/tags", "refs/remotes"),
        (one.directory / ".git/index").read_bytes(),
        one.git("stash", "list"),
    )


def test_ssh_is_asked_not_to_ask(one: Clone, hub: Path, tmp_path: Path) -> None:
    """The user's SSH command is used with its options, and told not to prompt; it has no terminal to prompt on."""
    log = tmp_path / "ssh-log"
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(
        f'#!/bin/sh\necho "$@" >>{log}\n'
        f'(: </dev/tty) 2>/dev/null && echo "has a terminal" >>{log}\n'
        'for last; do :; done\nexec sh -c "$last"\n'
    )
    ssh.chmod(0o755)
    one.git("config", "core.sshCommand", f"{ssh} -i /some/key")
    one.git("remote", "set-url", "origin", f"ssh://host.invalid{hub}")
    one.claim("second")

    assert one.sync()["went"] == {"claim.assert": 1}

    said = log.read_text()
    assert "-i /some/key" in said and "BatchMode=yes" in said and "has a terminal" not in said


def test_many_syncs_leave_few_packs(one: Clone, two: Clone) -> None:
    """Packs that come with fetches are united: a user's own `gc.autoPackLimit` (50) is never reached by ours."""
    for number in range(14):
        one.claim(f"claim {number}")
        one.sync()
        two.run("sync.pull")

    packs = list((two.directory / ".git/objects/pack").glob("*.pack"))
    assert len(packs) <= 10
    assert len(two.statements()) == 15
    two.git("fsck", "--connectivity-only")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_leaves_everything_valid(one: Clone, hub: Path, tmp_path: Path) -> None:
    """An interrupt while the remote works ends the whole of it at once, and the next sync goes through."""
    mark = tmp_path / "in-hook"
    hook = hub / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho $$ >{mark}\nexec sleep 60\n")
    hook.chmod(0o755)
    one.claim("second")
    process = subprocess.Popen([sys.executable, "-m", "memgit.cli", "sync"], cwd=one.directory, stderr=subprocess.PIPE)
    for _ in range(500):
        if mark.exists() and mark.read_text().strip():
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)

    assert process.wait(10) == 130
    assert process.stderr is not None and b"Traceback" not in process.stderr.read()
    for _ in range(100):
        if not Path(f"/proc/{mark.read_text().strip()}").exists():
            break
        time.sleep(0.02)
    else:
        pytest.fail("the remote's process runs on")
    hook.unlink()
    one.git("fsck", "--connectivity-only")
    assert one.sync()["went"] == {"claim.assert": 1}
    assert git(hub, "rev-parse", STORE) == one.tip()


@pytest.mark.parametrize("attended", [False, True])
def test_a_credential_helper_may_ask_whoever_is_there(
    one: Clone, hub: Path, stack: ExitStack, tmp_path: Path, attended: bool
) -> None:
    """A helper is told not to ask only where nobody attends."""
    url = stack.enter_context(http(hub.parent, password="geheim"))
    one.git("remote", "set-url", "origin", f"{url}/hub.git")
    heard = tmp_path / "heard"
    helper = f"git config credential.interactive >{heard}; echo username=me; echo password=geheim"
    one.git("config", "credential.helper", f"!f() {{ {helper}; }}; f")

    found = Transport(discover(one.directory), "origin", Network(attended=attended)).look([STORE])

    assert found == {STORE: one.tip()}
    assert heard.read_text().strip() == ("" if attended else "false")
