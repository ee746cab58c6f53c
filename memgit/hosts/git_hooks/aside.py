"""Hooks that were moved aside: to a directory beside the hooks, under their own name, and back.

A hook may go by its own name, so that stays. What lies beside it is linked there, since it may look for that as well; a
link that is moved leads where it led.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from memgit.hosts.git_hooks.shipped import HOOKS

DIRECTORY = "before-memgit"


def place_of(path: Path, hook: str) -> Path:
    """Return where the hook is, or would be, that stood at a path."""
    return path.parent / DIRECTORY / hook


def waiting(directory: Path) -> list[str]:
    """Return the hooks of a directory that were moved aside, whether or not anything still runs them."""
    return [hook for hook in HOOKS if os.path.lexists(directory / DIRECTORY / hook)]


def move(path: Path, fresh: Path, aside: Path) -> None:
    """Put a fresh file in the place of a hook, which goes aside. Raises OSError; then all is as it was."""
    made = not aside.parent.is_dir()
    aside.parent.mkdir(exist_ok=True)
    try:
        if path.is_symlink():
            aside.symlink_to(_inward(os.readlink(path)))  # noqa: PTH115 - a Path drops the `./` of a target
        else:
            path.rename(aside)
        fresh.replace(path)
    except OSError:
        if os.path.lexists(path):
            with suppress(OSError):
                aside.unlink(missing_ok=True)
        else:
            aside.rename(path)
        if made:
            aside.parent.rmdir()
        raise
    _link_beside(path.parent)


def bring_back(path: Path, fresh: Path, aside: Path) -> None:
    """Put a hook back to its place, as it was. `fresh` is a free name beside it. Raises OSError."""
    if aside.is_symlink():
        fresh.symlink_to(_outward(os.readlink(aside)))  # noqa: PTH115
        fresh.replace(path)
        aside.unlink()
    else:
        aside.replace(path)
    tidy(path.parent)


def tidy(directory: Path) -> None:
    """Remove what was made for hooks aside where none is left."""
    place = directory / DIRECTORY
    if waiting(directory):
        return
    with suppress(OSError):
        for link in place.iterdir():
            if link.is_symlink() and os.readlink(link) == _inward(link.name):  # noqa: PTH115
                link.unlink()
        place.rmdir()


def _link_beside(directory: Path) -> None:
    """Link what lies beside the hooks; where a system has no links, a hook does without."""
    with suppress(OSError, NotImplementedError):
        for path in directory.iterdir():
            link = directory / DIRECTORY / path.name
            is_hook = path.name.partition(".")[0] in HOOKS or path.name.startswith(tuple(f".{hook}." for hook in HOOKS))
            if path.name != DIRECTORY and path.suffix != ".sample" and not is_hook and not os.path.lexists(link):
                link.symlink_to(_inward(path.name))


def _inward(target: str) -> str:
    """Return where a link leads that goes one directory down."""
    return target if Path(target).is_absolute() else f"../{target}"


def _outward(target: str) -> str:
    return target if Path(target).is_absolute() else target.removeprefix("../")
