"""One elected remote: chosen once, said once, and never another one by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.errors import NoRemote
from memgit.sync.process import Answer
from memgit.sync.remotes import choose, elect
from memgit.sync.transport import unavailable
from tests.sync.by_hand import Hand
from tests.sync.conftest import SCOPE, STORE, Clone, bare, git

BOTH = {"origin": "u", "fork": "v"}


@pytest.mark.parametrize(
    ("remotes", "asked", "elected", "change", "outcome"),
    [
        ({"origin": "u"}, None, None, False, ("origin", True)),
        (BOTH, "fork", None, False, ("fork", True)),
        (BOTH, None, "fork", False, ("fork", False)),
        (BOTH, "fork", "fork", False, ("fork", False)),
        (BOTH, "origin", "fork", True, ("origin", True)),
        (BOTH, "origin", "gone", True, ("origin", True)),
        ({}, None, None, False, "git remote add"),
        (BOTH, None, None, False, "git memory sync fork"),
        (BOTH, "origin", "fork", False, "--elect"),
        (BOTH, None, "gone", False, "git memory sync fork --elect"),
        (BOTH, "origin", "gone", False, "--elect"),
        (BOTH, "nothing", None, False, "origin"),
        (BOTH, "https://example.invalid/x.git", None, False, "git remote add"),
        (BOTH, "../x", None, False, "git remote add"),
        (BOTH, None, "https://example.invalid/x.git", False, "git remote add"),
        ({"a=b": "u"}, None, "a=b", False, "rename"),
        *(
            ({name: "u"}, None, None, False, "rename")
            for name in ("a=b", "-x", "a b", "a..b", "*", "../../heads", "o2/store", "o2/store/x", "a.lock")
        ),
    ],
)
def test_the_election(
    remotes: dict[str, str], asked: str | None, elected: str | None, change: bool, outcome: tuple[str, bool] | str
) -> None:
    """Whatever is asked, elected and configured, there is one outcome, or an error that names the way out."""
    if isinstance(outcome, tuple):
        election = elect(remotes, asked, elected, change=change)
        assert (election.name, election.fresh) == outcome
        return
    with pytest.raises(NoRemote) as error:
        elect(remotes, asked, elected, change=change)
    assert outcome in error.value.hint
    assert "example.invalid" not in error.value.message


def test_a_look_elects_nothing() -> None:
    """Any remote may be looked at; the elected one is not changed by it."""
    assert (choose(BOTH, "origin", "fork").name, choose(BOTH, "origin", "fork").elected) == ("origin", False)
    assert choose(BOTH, None, "fork").elected


def test_the_first_sync_elects_and_says_so(one: Clone, clone: Callable[..., Clone]) -> None:
    """The only remote is chosen by the first sync, written into this repository's Git config, and reported once."""
    fresh = clone("fresh")

    first, second = fresh.sync(), fresh.sync()

    assert (first["elected"], second["elected"]) == (True, False)
    assert fresh.git("config", "--local", "memgit.remote") == "origin"


def test_a_remote_that_does_not_answer_is_not_elected(clone: Callable[..., Clone], hub: Path) -> None:
    """A first try that fails leaves the configuration as it is."""
    fresh = clone("fresh")
    fresh.run("store.init", **SCOPE)
    hub.rename(hub.with_name("gone"))

    fresh.refused("sync.run", "REMOTE_UNAVAILABLE")

    assert fresh.git("config", "--local", "memgit.remote", check=False) == ""


def test_code_that_is_pushed_to_a_fork_takes_no_memory_along(one: Clone, tmp_path: Path) -> None:
    """An ordinary push, of all branches and tags too, to the elected remote or another, carries no memory."""
    fork = bare(tmp_path / "fork.git")
    one.git("remote", "add", "fork", str(fork))
    one.git("tag", "v1")
    one.git("push", "-q", "fork", "HEAD:main")
    one.git("push", "-q", "--all", "fork")
    one.git("push", "-q", "--tags", "fork")
    one.git("push", "-q", "--follow-tags", "fork", "HEAD:main")

    assert "memgit" not in git(fork, "for-each-ref")
    one.claim("private enough")
    one.sync()
    assert "memgit" not in git(fork, "for-each-ref")


def test_another_remote_is_refused_until_it_is_elected(one: Clone, tmp_path: Path) -> None:
    """`sync NAME` of another remote than the elected one needs `elect`, and sends nothing without it."""
    memory = bare(tmp_path / "memory.git")
    one.git("remote", "add", "memory", str(memory))

    for operation in ("sync.run", "sync.push", "sync.pull"):
        one.refused(operation, "NO_REMOTE", remote="memory")
    assert git(memory, "for-each-ref") == ""
    one.run("sync.fetch", remote="memory")

    assert one.sync(remote="memory", elect=True)["elected"]
    assert git(memory, "rev-parse", STORE) == one.tip()
    assert one.sync()["remote"] == "memory"


def test_an_election_changes_only_where_the_exchange_went_through(one: Clone, tmp_path: Path) -> None:
    """`sync OTHER --elect` that fails, because the other holds another memory, leaves memory going where it went."""
    other = Clone(tmp_path / "other")
    git(tmp_path, "init", "-q", "other")
    other.run("store.init", workspace_id="w", project_id="p", marker=False)
    other.claim("foreign")
    one.git("remote", "add", "other", str(other.directory))

    one.refused("sync.run", "STORE_UNRELATED", remote="other", elect=True)

    assert one.git("config", "memgit.remote") == "origin"
    assert one.sync()["remote"] == "origin"


def test_an_elected_remote_that_is_gone_stops_the_sync(one: Clone, tmp_path: Path) -> None:
    """Where the elected remote was removed, no other one is used instead."""
    other = bare(tmp_path / "other.git")
    one.git("remote", "add", "other", str(other))
    one.git("remote", "remove", "origin")
    one.claim("new")

    error = one.refused("sync.run", "NO_REMOTE")

    assert "git remote add origin" in error["hint"] and "git memory sync other --elect" in error["hint"]
    assert git(other, "for-each-ref") == ""


def test_names_that_need_care(one: Clone, hub: Path) -> None:
    """A remote's name may have dots, slashes, capitals and other scripts."""
    for name in ("my.fork", "team/memory", "Origin2", "gedächtnis"):
        one.git("remote", "add", name, hub.as_uri())
        one.sync(remote=name, elect=True)
        assert one.sync()["remote"] == name
        assert one.tip(f"refs/memgit/remotes/{name}/store") == one.tip()


def test_init_brings_the_memory_that_is_there(one: Clone, clone: Callable[..., Clone]) -> None:
    """`init` in a clone looks at the remote first and begins no second memory beside it."""
    fresh = clone("fresh")

    report = fresh.run("store.init")

    assert report["adopted_from"] == "origin" and not report["created"]
    assert fresh.tip() == one.tip()
    assert report["workspace_id"] == SCOPE["workspace_id"]


def test_init_looks_at_every_remote(one: Clone, hub: Path, tmp_path: Path, clone: Callable[..., Clone]) -> None:
    """Where several remotes are there and none is chosen, the one that has a memory is chosen and brought."""
    fresh = clone("fresh", url=bare(tmp_path / "fork.git").as_uri())
    fresh.git("remote", "add", "company", hub.as_uri())
    fresh.git("remote", "add", "broken", str(tmp_path / "nowhere.git"))

    envelope = fresh.envelope("store.init", **SCOPE)

    assert envelope["result"]["adopted_from"] == "company"
    assert fresh.git("config", "memgit.remote") == "company" and fresh.tip() == one.tip()
    assert any("broken" in text for text in envelope["warnings"])


def test_init_does_not_choose_among_memories(
    one: Clone, hub: Path, tmp_path: Path, clone: Callable[..., Clone]
) -> None:
    """Where two remotes have a memory nothing is begun, and the error names both and the way on."""
    fork = bare(tmp_path / "fork.git")
    one.git("push", "-q", str(fork), f"{STORE}:{STORE}")
    fresh = clone("fresh")
    fresh.git("remote", "add", "fork", fork.as_uri())

    error = fresh.refused("store.init", "NO_REMOTE", **SCOPE)

    assert "fork, origin" in error["message"] and "git memory sync fork" in error["hint"]
    assert fresh.tip() == ""


def test_init_looks_at_no_other_remote_than_the_chosen_one(one: Clone, hub: Path, clone: Callable[..., Clone]) -> None:
    """A chosen remote that is gone is said; no other one is used instead."""
    fresh = clone("fresh")
    fresh.git("config", "memgit.remote", "gone")

    envelope = fresh.envelope("store.init", **SCOPE)

    assert envelope["result"]["created"] and any("gone" in text for text in envelope["warnings"])


def test_init_goes_on_without_a_network(clone: Callable[..., Clone], hub: Path) -> None:
    """Where the remote cannot be reached `init` says so and begins a memory; `offline` does not even look."""
    fresh = clone("fresh")
    hub.rename(hub.with_name("gone"))

    envelope = fresh.envelope("store.init", **SCOPE)

    assert envelope["result"]["created"]
    assert any("--join" in text for text in envelope["warnings"])
    other = Clone(fresh.directory.parent / "other")
    git(fresh.directory.parent, "init", "-q", "other")
    other.git("remote", "add", "origin", "nowhere")
    assert other.envelope("store.init", **SCOPE, offline=True)["warnings"] == []


def test_init_begins_a_memory_where_the_remote_has_none(clone: Callable[..., Clone]) -> None:
    """An empty remote is no obstacle, and nothing is elected or pushed by `init`."""
    fresh = clone("fresh")

    report = fresh.run("store.init", **SCOPE)

    assert report["created"] and report["adopted_from"] is None
    assert fresh.git("config", "memgit.remote", check=False) == ""
    assert fresh.git("ls-remote", "origin") == ""


@pytest.mark.parametrize("branch", ["main", "master"])
def test_a_branch_for_code_holds_no_memory(one: Clone, hub: Path, branch: str) -> None:
    """Neither the setting for the remote's ref nor that for this repository's may name the branch of the code."""
    for setting in ("memgit.remoteRef", "memgit.ref"):
        one.git("config", setting, f"refs/heads/{branch}")
        before = git(hub, "rev-parse", "refs/heads/main")
        one.envelope("sync.run")
        assert git(hub, "rev-parse", "refs/heads/main") == before
        assert git(hub, "for-each-ref", "refs/heads/master") == ""
        one.git("config", "--unset", setting)


def test_the_branch_that_is_checked_out_holds_no_memory(hub: Path, tmp_path: Path) -> None:
    """A memory does not begin in the branch that a new repository stands on, by `init` or by a sync."""
    git(tmp_path, "init", "-q", "-b", "trunk", "new")
    new = Clone(tmp_path / "new")
    new.git("config", "memgit.ref", "refs/heads/trunk")
    error = new.refused("store.init", "INVALID_REQUEST", **SCOPE, offline=True, marker=False)
    assert "checked out" in error["message"] and "memgit.ref" in error["hint"]
    assert new.git("for-each-ref") == ""


def test_what_was_refused_is_not_looked_into(one: Clone, two: Clone) -> None:
    """A difference with a remote whose tip was refused names the reason of the refusal."""
    hand = Hand(one)
    hand.publish(one.commit(hand.tree({"evil.txt": ("100644", hand.blob(b"x"))}), one.tip(), seq=9))
    two.refused("sync.fetch", "INCOMING_REFUSED")
    for text in ("@..origin", "@..@{origin}"):
        assert "evil.txt" in two.refused("diff", "INCOMING_REFUSED", range=text)["message"]


def test_a_push_needs_no_certificate_and_sends_no_options(one: Clone, hub: Path) -> None:
    """What the user configured for pushes of code, which this remote would refuse, does not stop memory."""
    one.git("config", "push.gpgSign", "true")
    one.git("config", "push.pushOption", "ci.skip")
    one.claim("second")
    one.sync()
    assert git(hub, "rev-parse", STORE) == one.tip()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("fatal: write error: No space left on device", "room"),
        ("fatal: mismatched algorithms: client sha256; server sha1", "object formats"),
        ("git: 'fetch' is not a git command. See 'git --help'.", "missing"),
        ("error: remote did not send all necessary objects", "objects are missing"),
    ],
)
def test_what_is_not_the_network_is_not_called_so(said: str, expected: str) -> None:
    """The message names the cause, the hint what helps; Git's own words are kept."""
    error = unavailable("origin", Answer(128, "", (said,)))
    assert expected in error.message and "cannot be reached" not in error.message
    assert said.split(": ", 1)[-1][:20] in error.message and "network" not in error.hint
    assert "cannot be reached" in unavailable("origin", Answer(128, "", ("fatal: Could not resolve host: x",))).message
