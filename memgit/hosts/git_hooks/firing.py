"""Firing our block, and nothing else, as Git would: in a working tree, by what the hook's first line names.

A hook's own chain is never run. The block gets a word, and the line with that word in the spool proves that it works.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from memgit.checkpoints.spool import find_probe
from memgit.environment import git_child_environment
from memgit.hosts.git_hooks import block, configured, managers
from memgit.hosts.git_hooks.notices import failure_files, what_failed
from memgit.hosts.git_hooks.record import hooks_state
from memgit.hosts.git_hooks.status import HookStatus, TreeStatus
from memgit.store.repository import Repository

FIRE_SECONDS = 10.0  # a block takes a few milliseconds


def fire(repository: Repository, tree: TreeStatus, hook: HookStatus) -> str | None:
    """Run the block of a hook in a working tree; return why its line did not arrive, or None where it did."""
    word = secrets.token_hex(8)
    script = hooks_state(repository) / f"fired-{word}"
    command: list[str] | None = None
    try:
        command = _command(repository, tree, hook, script)
        if command is None:
            return "its block is gone"
        subprocess.run(
            command,
            cwd=tree.tree.top,
            env=_environment(tree, word),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=FIRE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"its block did not end within {FIRE_SECONDS:.0f} s"
    except OSError as error:
        what = command[0] if command else os.fspath(script)
        return f"{what} cannot be {'started' if command else 'written'}: {error.strerror or error}"
    finally:
        with suppress(OSError):
            script.unlink(missing_ok=True)
    if find_probe(repository, word):
        return None
    return _failure(repository) or "its line did not arrive in the spool"


def _command(repository: Repository, tree: TreeStatus, hook: HookStatus, script: Path) -> list[str] | None:
    """Return what runs the block alone: as Git does, a script whose first line is the hook's."""
    if hook.path.name == managers.FRAMEWORK:
        return [_shell(), os.fspath(hooks_state(repository) / "event.sh"), hook.hook]
    if hook.by == "Git config":
        return [_shell(), "-c", configured.command(hook.hook), hook.hook]
    try:
        content = hook.path.read_bytes()
    except OSError:
        return None
    found = block.find(content)
    if found is None:
        return None
    script.write_bytes(found)
    is_projects = hook.path == managers.project_file(tree.tree.hooks / hook.hook)  # which husky has a shell run
    return [*([_shell()] if is_projects else _interpreter(content)), os.fspath(script), hook.hook]


def _interpreter(content: bytes) -> list[str]:
    """Return the program that a hook's first line names and its one argument, as a system reads them; else a shell."""
    if not content.startswith(b"#!"):
        return [_shell()]
    line = content[2:].split(b"\n", 1)[0].strip(b" \t")
    named = [os.fsdecode(word) for word in re.split(rb"[ \t]+", line, maxsplit=1)]
    if os.name == "nt":  # Git for Windows looks for the program by its name
        return [shutil.which(Path(named[0].strip()).name) or "sh", *(word.strip() for word in named[1:])]
    return named


def _shell() -> str:
    return "/bin/sh" if Path("/bin/sh").is_file() else shutil.which("sh") or "sh"


def _environment(tree: TreeStatus, word: str) -> Mapping[str, str]:
    """Return the environment that Git gives a hook, with the word."""
    extra = {"MEMGIT_HOOK_PROBE": word}
    if tree.tree.is_bare or tree.tree.name != "." or not (tree.tree.top / ".git").exists():
        extra["GIT_DIR"] = str(tree.tree.git_dir)
    return git_child_environment(extra=extra)


def _failure(repository: Repository) -> str | None:
    """Return, and forget, what the block left word of."""
    said = [what_failed(path) for path in failure_files(repository)]
    return next((one[1] for one in said if one is not None), None)
