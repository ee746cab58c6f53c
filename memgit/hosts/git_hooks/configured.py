"""Hooks that Git's configuration names (`hook.<name>.command`, since Git 2.54): no file of anybody's is touched.

Whether this Git has them is tried out, not read from its version.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from memgit.errors import StoreBusy, StoreReadOnly
from memgit.hosts.git_hooks.layout import ask
from memgit.hosts.git_hooks.shipped import HOOKS

_WORD = b"memgit-fired"

# One line of sh that Git runs where it runs hooks, with their arguments after it. A script that is gone is no failure.
_COMMAND = (
    'm=${{GIT_DIR:-.git}}; [ ! -f "$m" ] || IFS=\' \' read -r w m <"$m"; '
    '[ ! -f "$m/commondir" ] || {{ IFS= read -r w <"$m/commondir"; '
    "case $w in /*|?:*) m=$w ;; *) m=$m/$w ;; esac; }}; "
    'm=$m/memgit/state/hooks/event.sh; [ -f "$m" ] || exit 0; sh "$m" {hook}'
)


def has_configured_hooks() -> bool:
    """Tell whether this Git runs hooks that its configuration names."""
    with tempfile.TemporaryDirectory(prefix="memgit-") as made:
        place = Path(made)
        if ask(place, "init", "-q", "--bare", "--template=", ".").returncode != 0:
            return False
        tried = ask(
            place,
            *("-c", f"hook.memgit-probe.command=echo {_WORD.decode()}", "-c", "hook.memgit-probe.event=post-commit"),
            *("hook", "run", "--ignore-missing", "post-commit"),
        )
        return _WORD in tried.stdout + tried.stderr


def command(hook: str) -> str:
    """Return what Git's configuration has for one of our hooks."""
    return _COMMAND.format(hook=hook)


def configure(common_dir: Path) -> bool:
    """Name our hooks in the repository's configuration; return whether anything changed. Raises StoreBusy."""
    wanted = [hook for hook in HOOKS if not is_configured(common_dir, hook)]
    for hook in wanted:
        for key, value in (("command", command(hook)), ("event", hook)):
            _write(common_dir, "--replace-all", f"hook.{_name(hook)}.{key}", value)
    return bool(wanted)


def unconfigure(common_dir: Path) -> bool:
    """Take our hooks out of the repository's configuration; return whether any was there. Raises StoreBusy."""
    there = list(_there(common_dir))
    for hook in there:
        _write(common_dir, "--remove-section", f"hook.{_name(hook)}")
    return bool(there)


def is_configured(common_dir: Path, hook: str) -> bool:
    """Tell whether the repository's configuration names one of our hooks as it should."""
    said = ask(common_dir, "config", "--local", "--get-all", f"hook.{_name(hook)}.command").stdout.decode()
    event = ask(common_dir, "config", "--local", "--get-all", f"hook.{_name(hook)}.event").stdout.decode()
    return (said.rstrip("\n"), event.split()) == (command(hook), [hook])


def runs(top: Path, hook: str) -> bool:
    """Tell whether Git would run our configured hook in a working tree."""
    listed = ask(top, "hook", "list", hook)
    return _name(hook).encode() in listed.stdout.split()


def _there(common_dir: Path) -> Iterator[str]:
    keys = ask(common_dir, "config", "--local", "--name-only", "--get-regexp", r"^hook\.memgit-").stdout.decode()
    names = {key.split(".")[1] for key in keys.splitlines() if key.count(".") >= 2}
    yield from (hook for hook in HOOKS if _name(hook) in names)


def _name(hook: str) -> str:
    return f"memgit-{hook}"


def _write(common_dir: Path, *arguments: str) -> None:
    done = ask(common_dir, "config", "--local", *arguments)
    if done.returncode == 0:
        return
    said = done.stderr.decode("utf-8", "replace").strip()[:200]
    kind = StoreBusy if "exists" in said else StoreReadOnly
    raise kind(f"Git config was not written: {said}")
