"""Hooks that no longer run are noticed by the next command, in one line, and the doctor says more."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from memgit.hosts.git_hooks.record import read_record, write_record
from memgit.hosts.git_hooks.status import displaced, status
from memgit.operations.doctor_check import Check
from tests.hosts.conftest import Place

OTHERS = b"#!/bin/sh\n# somebody else's\n"


def checks(place: Place) -> list[Check]:
    """Return what the doctor finds."""
    result = place.call("doctor")["result"]
    assert isinstance(result, dict)
    return msgspec.convert(result["checks"], list[Check])


def test_all_is_well(hooked: Place) -> None:
    """Where all hooks run, no command says anything, and the doctor says that each line arrived."""
    assert hooked.warnings() == []
    (check,) = checks(hooked)
    assert (check.state, check.text) == ("good", "6 of 6 hooks were fired and arrived")
    assert hooked.events() == []  # what the doctor fired is no event


def test_a_displaced_hook_is_said_once_a_day(hooked: Place) -> None:
    """Another tool takes a hook's place: the next command says so, the one after does not, until a day has passed."""
    hooked.hook("post-commit", OTHERS)
    (hooked.hooks / "pre-push").unlink()
    (said,) = hooked.warnings()
    assert "post-commit (another hook in " in said and "pre-push (nothing in " in said
    assert said.endswith("`git memory hooks install` puts them back")
    assert hooked.warnings() == []
    record = read_record(hooked.repository)
    assert record is not None and record.displaced
    write_record(hooked.repository, msgspec.structs.replace(record, told=record.told - 25 * 3600))
    assert hooked.warnings() == [said]
    assert hooked.install().changed
    assert hooked.warnings() == []


def test_core_hooks_path_is_noticed(hooked: Place, tmp_path: Path) -> None:
    """A `core.hooksPath` that is set later displaces all hooks, silently; the next command says so (report 12)."""
    hooked.git("config", "core.hooksPath", str(tmp_path))
    (said,) = hooked.warnings()
    assert "core.hooksPath of the local configuration" in said
    (check,) = checks(hooked)
    assert check.state == "bad"
    assert check.text.startswith(
        "pre-commit, post-commit, post-checkout, post-merge, post-rewrite, pre-push: no longer"
    )
    hooked.git("config", "--unset", "core.hooksPath")
    assert hooked.warnings() == []
    assert [check.state for check in checks(hooked)] == ["good"]


def test_the_doctor_fires_only_our_block(plain: Place, tmp_path: Path) -> None:
    """The user's chain is not run by the doctor, in no working tree."""
    for name in ("pre-commit", "post-commit"):
        plain.hook(name, b"#!/bin/sh\ntouch ran\n")
    plain.hook("pre-push", b"#!/usr/bin/env python3\nopen('ran', 'w')\n")
    plain.git("worktree", "add", "-q", str(tmp_path / "linked"))
    (plain.directory / "ran").unlink(missing_ok=True)
    plain.install()
    assert [check.state for check in checks(plain)] == ["good", "good"]
    assert not (plain.directory / "ran").exists()
    assert not (tmp_path / "linked" / "ran").exists()


def test_the_doctor_says_why_a_line_does_not_arrive(hooked: Place) -> None:
    """A spool that is gone, and a script that is gone, are each named."""
    (hooked.repository.state_dir / "spool").rmdir()
    (check,) = checks(hooked)
    assert (check.state, "cannot append to" in check.text) == ("bad", True)
    hooked.install()
    (hooked.repository.state_dir / "hooks" / "event.sh").unlink()
    (check,) = checks(hooked)
    assert check.text.endswith("a block without its script is in its place")
    (hooked.repository.state_dir / "hooks" / "event.sh").write_bytes(b"exit 0\n")
    (check,) = checks(hooked)
    assert check.text.endswith("was fired, and its line did not arrive in the spool")
    hooked.install()
    (hooked.repository.git_dir / "rebase-merge").mkdir()
    assert [check.state for check in checks(hooked)] == ["good"]


def test_the_doctor_where_nothing_is_installed(plain: Place) -> None:
    """Without hooks there is nothing wrong: the doctor says how to install them."""
    (check,) = checks(plain)
    assert (check.state, "git memory hooks install" in check.text) == ("note", True)


def test_an_outdated_block_still_reaches_us(hooked: Place) -> None:
    """A block of another version works; the status says that it is older, and installing renews it."""
    path = hooked.hooks / "post-commit"
    path.write_bytes(path.read_bytes().replace(b"tells `git memory`", b"told `git memory`"))
    found = status(hooked.repository, read_record(hooked.repository))
    assert {hook.state for hook in found[0].hooks} == {"installed", "outdated"}
    assert displaced(found) == ()
    assert [check.state for check in checks(hooked)] == ["good"]
    assert hooked.install().changed and not hooked.install().changed


@pytest.mark.parametrize("content", [b"", b"{", b'{"version": 2}', b"\xff"])
def test_a_record_that_cannot_be_read_harms_nobody(hooked: Place, content: bytes) -> None:
    """Commands work, and installing makes the record anew."""
    path = hooked.repository.state_dir / "hooks" / "installed.json"
    path.write_bytes(content)
    assert hooked.warnings() == []
    hooked.install()
    assert read_record(hooked.repository) is not None
    assert hooked.uninstall()


@pytest.mark.parametrize("first", [b"#!/bin/sh\r\n", b"#!/usr/bin/env bash\r\n", b"#!/bin/bash -e\r\n"])
def test_a_first_line_that_git_cannot_run(plain: Place, first: bytes) -> None:
    """A hook whose first line ends in a carriage return is dead for Git; status and doctor say so."""
    path = plain.hook("post-commit", first + b"echo mine\n")
    plain.install()
    assert not plain.install().changed
    found = status(plain.repository, read_record(plain.repository))
    assert {hook.hook: hook.state for hook in found[0].hooks}["post-commit"] == "disabled"
    (check,) = checks(plain)
    assert (check.state, "carriage return, so Git cannot run it" in check.text) == ("bad", True)
    assert "hooks install" not in check.hint
    plain.uninstall()
    assert path.read_bytes() == first + b"echo mine\n"


@pytest.mark.parametrize("first", [b"#!/nonexistent/sh\n", b"#!/usr/bin/env -S sh -e\n", b"#!/bin/sh -\n"])
def test_the_doctor_fires_by_the_first_line_as_it_is(plain: Place, first: bytes) -> None:
    """What Git could not start is not started by another shell; what Git can start, with its argument, is well."""
    plain.hook("post-commit", first + b"true\n")
    plain.install()
    (check,) = checks(plain)
    if b"nonexistent" not in first:
        assert check.state == "good"
    else:
        assert (check.state, "/nonexistent/sh cannot be started" in check.text) == ("bad", True)
        assert "install it, or name another one" in check.hint


def test_no_advice_that_would_be_refused(hooked: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `hooks install` would refuse, neither the next command nor the doctor says that it helps."""
    monkeypatch.setattr("memgit.hosts.git_hooks.configured.has_configured_hooks", lambda: False)
    directory = hooked.directory / ".githooks"
    hooked.hook("post-commit", OTHERS, directory=directory)
    hooked.git("add", ".githooks")
    hooked.git("config", "core.hooksPath", str(directory))
    (said,) = hooked.warnings()
    assert not hooked.call("hooks.install")["ok"]
    assert "puts them back" not in said
    assert "is under version control" in said and "git memory hooks snippet" in said
    assert all("hooks install" not in check.hint and "snippet" in check.hint for check in checks(hooked))
    hooked.git("config", "core.hooksPath", "/nonexistent/hooks")
    (check,) = checks(hooked)
    assert "Make that directory" in check.hint and "Paste" not in check.hint


def test_no_advice_that_one_hook_would_refuse(plain: Place) -> None:
    """The same where a hook cannot hold the block and the place aside is taken."""
    plain.hook("post-commit", b"#!/usr/bin/env python3\n")
    plain.install()
    plain.hook("post-commit", b"#!/usr/bin/env python3\n# another\n")
    (said,) = plain.warnings()
    assert "puts them back" not in said and "before-memgit/post-commit away" in said
    assert all("Run `git memory hooks install`" not in check.hint for check in checks(plain))
