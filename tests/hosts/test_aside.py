"""Hooks that are moved aside run as what they are: by their own name, with what lies beside them, and come back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.hosts.conftest import Place, listing

DISPATCHER = b"""#!/usr/bin/env python3
import os, sys
name = os.path.basename(sys.argv[0])
if name not in ("pre-commit", "post-commit"):
    sys.exit(f"unknown hook {name}")
open("ran", "a").write(name + "\\n")
"""


def ran(place: Place) -> str:
    """Return the names by which the dispatcher ran, and forget them."""
    path = place.directory / "ran"
    text = path.read_text("utf-8") if path.exists() else ""
    path.unlink(missing_ok=True)
    return text


@pytest.mark.parametrize("target", ["dispatch.py", "./dispatch.py", "../tools/dispatch.py", "absolute"])
def test_a_link_to_a_program_that_goes_by_its_name(plain: Place, target: str) -> None:
    """A hook that is a link, whether relative or not, still sees its own name, and is the same link afterwards."""
    where = plain.hooks / (target if target != "absolute" else "../dispatch.py")
    plain.hook(where.name, DISPATCHER, directory=where.parent)
    for name in ("pre-commit", "post-commit"):
        plain.hooks.mkdir(exist_ok=True)
        (plain.hooks / name).symlink_to(os.path.realpath(where) if target == "absolute" else target)
    before = listing(plain.repository.common_dir / "hooks")
    plain.install()
    plain.commit("second")
    assert ran(plain) == "pre-commit\npost-commit\n"
    assert [event.kind for event in plain.events()] == ["commit"]
    assert not plain.install().changed
    plain.uninstall()
    assert listing(plain.repository.common_dir / "hooks") == before


def test_a_program_finds_what_lies_beside_it(plain: Place) -> None:
    """A hook that loads a file or a directory of its own directory finds it; nothing of that stays afterwards."""
    text = b"#!/usr/bin/env python3\nimport beside, lib.deep\nopen('ran', 'w').write(beside.SAID + lib.deep.SAID)\n"
    plain.hook("pre-commit", text)
    plain.hook("beside.py", b"SAID = 'beside'\n", 0o644)
    plain.hook("deep.py", b"SAID = ' and below'\n", 0o644, directory=plain.hooks / "lib")
    before = listing(plain.hooks)
    plain.install()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    plain.commit("second", environment=environment)
    assert ran(plain) == "beside and below"
    plain.uninstall()
    assert listing(plain.hooks) == before
    assert not (plain.hooks / "before-memgit").exists()


def test_a_hook_whose_runner_was_deleted_runs_again(plain: Place) -> None:
    """Where our file is gone, as where a process died between two renames, installing runs what waits aside."""
    plain.hook("post-commit", DISPATCHER)
    plain.install()
    (plain.hooks / "post-commit").unlink()
    plain.install()
    plain.commit("second")
    assert ran(plain) == "post-commit\n"
    plain.uninstall()
    assert (plain.hooks / "post-commit").read_bytes() == DISPATCHER


def test_a_hook_that_nobody_runs_any_more_is_named(plain: Place) -> None:
    """Where a tool took the place of our file, what waits aside is named by the doctor, `install` and `uninstall`."""
    plain.hook("post-commit", DISPATCHER)
    plain.install()
    plain.hook("post-commit", b"#!/bin/sh\n# another tool's\n")
    aside = str(plain.hooks / "before-memgit" / "post-commit")
    assert any(aside in str(check) and "does not run it" in str(check) for check in _checks(plain))
    assert any(aside in str(text) for text in _list(plain.call("hooks.install")["warnings"]))
    result = plain.call("hooks.uninstall")["result"]
    assert isinstance(result, dict)
    assert any(aside in text for text in result["left"])
    assert Path(aside).read_bytes() == DISPATCHER


def test_half_a_block_is_named(hooked: Place) -> None:
    """A block whose last line somebody took out is refused, and named where it stays; nothing beside it is lost."""
    path = hooked.hooks / "post-commit"
    text = path.read_bytes().replace(b"# <<< memgit <<<\n", b"") + b"echo mine\n"
    path.write_bytes(text)
    assert any("without its last line" in str(check) for check in _checks(hooked))
    answer = hooked.call("hooks.install")
    assert "has lost its last line" in str(answer["error"])
    result = hooked.call("hooks.uninstall")["result"]
    assert isinstance(result, dict)
    assert [text for text in result["left"] if "post-commit has a block without its last line" in text]
    assert path.read_bytes() == text


def _checks(place: Place) -> list[object]:
    result = place.call("doctor")["result"]
    assert isinstance(result, dict)
    return list(result["checks"])


def _list(value: object) -> list[object]:
    assert isinstance(value, (list, tuple))
    return list(value)
