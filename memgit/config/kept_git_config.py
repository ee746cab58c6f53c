"""Git config in a process that answers many requests: read again when one of its files has changed, or after a while.

Starting `git config` costs some milliseconds, as much as the rest of an answer. What is kept holds as long as no file
that Git would read has another stamp, and not beyond _LONGEST: the system's file may be anywhere. Where some file
includes others, nothing is kept.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from memgit.config.git_config import read_git_pairs
from memgit.environment import git_child_environment

Pairs = tuple[tuple[str, str], ...]

_LONGEST = 10.0  # seconds
_SETTLED = 2.0  # seconds; what is younger may change again without another stamp, on coarse file systems
_MOST = 32  # repositories
_LOCATIONS = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "PATH")

_Stamp = tuple[int, ...] | None


class _Kept(NamedTuple):
    pairs: Pairs
    stamps: dict[Path, _Stamp]
    read_at: float  # by the monotonic clock


_kept: dict[tuple[Path, frozenset[tuple[str, str]]], _Kept] = {}


def kept_git_pairs(git_dir: Path, common_dir: Path) -> Pairs:
    """Return what `read_git_pairs` does of a repository, without starting Git where nothing has changed."""
    variables = git_child_environment(keep_configuration=True)
    said = {name: value for name, value in variables.items() if name.startswith("GIT_") or name in _LOCATIONS}
    stamps = {path: _stamp(path) for path in _files(git_dir, common_dir, said)}
    key = (git_dir, frozenset(said.items()))
    known = _kept.get(key)
    if known is not None and known.stamps == stamps and time.monotonic() - known.read_at < _LONGEST:
        return known.pairs
    _kept.pop(key, None)
    pairs = read_git_pairs(git_dir)
    if _is_settled(stamps) and not any(name.startswith(("include.", "includeif.")) for name, _ in pairs):
        while len(_kept) >= _MOST:
            _kept.pop(next(iter(_kept)), None)
        _kept[key] = _Kept(pairs, stamps, time.monotonic())
    return pairs


def _files(git_dir: Path, common_dir: Path, said: dict[str, str]) -> list[Path]:
    """Return the files that Git reads, whether they exist or not; see gitconfig's "FILES"."""
    found = [common_dir / "config", git_dir / "config.worktree"]
    if "GIT_CONFIG_GLOBAL" in said:
        found.append(Path(said["GIT_CONFIG_GLOBAL"]))
    elif home := said.get("HOME") or said.get("USERPROFILE"):
        found.append(Path(home, ".gitconfig"))
        found.append(Path(said.get("XDG_CONFIG_HOME") or Path(home, ".config"), "git", "config"))
    if "GIT_CONFIG_NOSYSTEM" not in said:
        found.append(Path(said.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig")))
    return found


def _stamp(path: Path) -> _Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _is_settled(stamps: dict[Path, _Stamp]) -> bool:
    """Tell whether no file was changed so lately that it could change again and keep its stamp."""
    before = (time.time() - _SETTLED) * 1e9
    return all(stamp is None or max(stamp[3:]) < before for stamp in stamps.values())
