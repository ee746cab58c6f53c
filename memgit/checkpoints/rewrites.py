"""Which commits became which: what `post-rewrite` told, for whoever holds a commit's id that a rebase replaced.

One line a pair in a file of `state/`: the old commit, the new one, the moment. It is bounded: the oldest go.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from memgit.store.repository import Repository

KEPT_PAIRS = 50_000  # 6 MB; a large rebase has some hundreds
_ROOM = 5_000  # pairs beyond that before the file is written anew
_LINE = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (\S+)")


def rewrites_file(repository: Repository) -> Path:
    """Return where the pairs are."""
    return repository.state_dir / "rewrites"


def rewrites(repository: Repository) -> dict[str, str]:
    """Return the new commit for each old one, oldest pair first; the latest where one was rewritten twice."""
    return {old: new for old, (new, _) in _read(rewrites_file(repository)).items()}


def rewritten_to(pairs: Mapping[str, str], commit: str) -> str:
    """Return what a commit is now, after all rewrites; itself where none names it, or where they go in a circle."""
    seen = {commit}
    now = commit
    while now in pairs:
        now = pairs[now]
        if now in seen:
            return commit
        seen.add(now)
    return now


def add_rewrites(repository: Repository, pairs: Iterable[tuple[str, str]], at: str) -> int:
    """Add pairs of (old, new) and return how many were not known. Needs the checkpoints' lock. Raises OSError."""
    path = rewrites_file(repository)
    known = _read(path)
    fresh = {old: (new, at) for old, new in pairs if known.get(old, ("", ""))[0] != new}
    if not fresh:
        return 0
    whole = {old: pair for old, pair in known.items() if old not in fresh} | fresh
    if len(whole) > KEPT_PAIRS + _ROOM:
        _write_anew(path, list(whole.items())[-KEPT_PAIRS:])
    else:
        _append(path, fresh.items())
    return len(fresh)


def _read(path: Path) -> dict[str, tuple[str, str]]:
    """Return the pairs by their old commit. What is no pair, such as a line that was cut off, is left out."""
    found: dict[str, tuple[str, str]] = {}
    try:
        text = path.read_text("ascii", "replace")
    except OSError:
        return found
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        if match is not None:
            found.pop(match[1], None)
            found[match[1]] = (match[2], match[3])
    return found


def _append(path: Path, pairs: Iterable[tuple[str, tuple[str, str]]]) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "rb+") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                file.write(b"\n")  # a line that was cut off ends here
        file.write(_lines(pairs))


def _write_anew(path: Path, pairs: Iterable[tuple[str, tuple[str, str]]]) -> None:
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_bytes(_lines(pairs))
    fresh.chmod(0o600)
    fresh.replace(path)


def _lines(pairs: Iterable[tuple[str, tuple[str, str]]]) -> bytes:
    return "".join(f"{old} {new} {at}\n" for old, (new, at) in pairs).encode()
