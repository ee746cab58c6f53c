"""The marked block goes into any hook and comes out of it without a trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.hosts.git_hooks import block
from memgit.hosts.git_hooks.shipped import HOOKS
from memgit.hosts.git_hooks.shipped import block as shipped_block

FIRST_LINES = (b"", b"#!/bin/sh\n", b"#!/bin/sh", b"#!/usr/bin/env -S bash -e\n", b"#!/bin/bash -eu\r\n")


@given(st.sampled_from(FIRST_LINES), st.binary(max_size=60), st.sampled_from(HOOKS))
def test_what_was_put_in_comes_out_byte_for_byte(first: bytes, rest: bytes, hook: str) -> None:
    """Whatever a hook holds, taking the block out restores its bytes, and a second block is never added."""
    content = first + (rest if first.endswith(b"\n") or not first else b"")
    if block.find(content) is not None or b"# >>> memgit" in content:
        return
    once = block.put_in(content, shipped_block(hook))
    assert block.put_in(once, shipped_block(hook)) == once
    assert block.find(once) is not None
    assert block.take_out(once) == content


def test_an_older_block_is_replaced_in_its_place() -> None:
    """Another version's block makes way for this one's, between the same lines."""
    old = b"#!/bin/sh\nbefore\n# >>> memgit >>> old\nsomething\n# <<< memgit <<<\nafter\n"
    new = block.put_in(old, shipped_block("post-commit"))
    assert new == b"#!/bin/sh\nbefore\n" + shipped_block("post-commit") + b"after\n"


@pytest.mark.parametrize(
    ("content", "runs"),
    [
        (b"#!/bin/sh\n", True),
        (b"#!/usr/bin/env bash\n", True),
        (b"#! /usr/bin/env -S FOO=1 dash -e\n", True),
        (b"echo no first line\n", True),
        (b"#!/usr/bin/env python3\n", False),
        (b"#!/usr/bin/fish\n", False),
        (b"#!/usr/bin/env node\n", False),
        (b"\x7fELF\0\0", False),
        (b"#!", False),
    ],
)
def test_only_what_a_posix_shell_runs_holds_the_block(content: bytes, runs: bool) -> None:
    """A program or a script of another language is no place for lines of sh."""
    assert block.is_shell(content) is runs


@pytest.mark.parametrize("hook", HOOKS)
def test_the_block_parses_in_posix_shells(hook: str, tmp_path: object) -> None:
    """The lines are sh, for a shell that knows no more than POSIX as well."""
    import shutil
    import subprocess

    for shell in ("dash", "bash", "busybox"):
        program = shutil.which(shell)
        if program is not None:
            words = [program, *(["sh"] if shell == "busybox" else []), "-n"]
            assert subprocess.run(words, input=shipped_block(hook), capture_output=True).stderr == b""
