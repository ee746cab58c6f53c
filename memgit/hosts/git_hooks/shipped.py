"""The sh that ships with memgit, as the texts that go into a repository."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from memgit.errors import Internal

HOOKS = ("pre-commit", "post-commit", "post-checkout", "post-merge", "post-rewrite", "pre-push")
"""The hooks that memgit listens to, in the order in which people meet them."""

_WITH_INPUT = ("post-rewrite",)  # `pre-push` has input too, but the event needs none of it, so nobody touches it

# A rebase runs `post-commit` for each commit that it picks, and `post-rewrite` tells of all: not even a subshell
# is spent on a step. While it rests for a person (`stopped-sha`), commits are theirs.
_STEP = b"""\
[ ! -d "$memgit/rebase-merge" ] || [ -f "$memgit/rebase-merge/stopped-sha" ] || [ -n "${MEMGIT_HOOK_PROBE-}" ] ||
    memgit=/dev/null # a step of a rebase, which tells of all of them at its end
"""
_SHEBANG = b"#!/bin/sh\n"
MADE = b"# memgit made this file; nothing else is in it.\n"


def event_script() -> bytes:
    """Return the script that the blocks run, which appends the line."""
    return _text("event.sh")


def block(hook: str) -> bytes:
    """Return the lines that go into a hook, from the first mark to the last."""
    name = "block-with-input.sh" if hook in _WITH_INPUT else "block.sh"
    step = _STEP if hook == "post-commit" else b""
    return _text(name).replace(b"HOOK", hook.encode()).replace(b"STEP\n", step)


def own_file(hook: str) -> bytes:
    """Return a hook file where there was none."""
    return _SHEBANG + block(hook) + MADE


def chained_file(hook: str) -> bytes:
    """Return a hook file beside which another hook waits, which it runs."""
    return _SHEBANG + block(hook) + chain(hook)


def chain(hook: str) -> bytes:
    """Return the lines that run the hook that was there before."""
    return _text("chain.sh").replace(b"HOOK", hook.encode())


def snippet(hook: str) -> str:
    """Return what a person pastes into a hook that memgit must not write."""
    return block(hook).decode()


@cache
def _text(name: str) -> bytes:
    package = Path(__file__).resolve().parents[2]
    for directory in (package.parent / "hooks", package / "_shipped" / "hooks"):
        path = directory / name
        if path.is_file():
            return path.read_bytes()
    raise Internal(f"{name} is not installed beside memgit", hint="Reinstall git-memgit.")
