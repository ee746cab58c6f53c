"""Settings in Git config: read with one bounded `git config`, written with one. The only place that starts it.

Git keeps its own rules: `memgit.x` in the repository wins over the user's, and `git -c memgit.x=y memory …` over both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memgit.config.settings import Setting, find_setting
from memgit.config.values import parse_value
from memgit.environment import git_child_environment
from memgit.errors import InvalidRequest, NotARepository, StoreBusy, StoreReadOnly

if TYPE_CHECKING:
    import subprocess

GIT_TIMEOUT_SECONDS = 20  # `git config` takes 3 ms; a network file system may be slow
CONFIG_BYTES = 1024 * 1024  # of all memgit.* values together

_WANTED = r"^(memgit|user|author|committer|include|includeif)\."
"""In one process: whoever reads settings may have to know the user, and whether other files take part."""

_NO_MATCH = 1  # `git config --get-regexp`: nothing of this name
_NOTHING_UNSET = 5  # `git config --unset-all`: it was not set
_NO_REPOSITORY = "/dev/null"  # as GIT_DIR: the system's and the user's configuration alone, even inside a repository


def read_git_config(git_dir: Path | None, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return every `memgit.*` value by its key in lower case; of several values the last, as Git has it.

    Errors as `read_git_pairs`.
    """
    return last_values(read_git_pairs(git_dir, variables))


def last_values(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the `memgit.*` values of such pairs; of several the last."""
    return {key: value for key, value in pairs if key.startswith("memgit.")}


def read_git_pairs(git_dir: Path | None, variables: Mapping[str, str] | None = None) -> tuple[tuple[str, str], ...]:
    """Return every value that Git config has for memgit and for who the user is, in Git's order, keys in lower case.

    `git_dir` is a Git directory whose owner was checked when it was discovered; without one, the user's and the
    system's configuration are read. A key without a value is `true`. Raises InvalidRequest where the configuration is
    malformed, NotARepository where there is no `git`, StoreBusy where it does not answer.
    """
    done = _git(git_dir, ["config", "-z", "--get-regexp", _WANTED], variables)
    if done.returncode not in (0, _NO_MATCH):
        raise InvalidRequest(f"Git config cannot be read: {_said(done)}", hint="Correct the file that Git names.")
    if len(done.stdout) > CONFIG_BYTES:
        raise InvalidRequest(f"the memgit.* values of Git config exceed {CONFIG_BYTES} bytes", hint="Remove some.")
    return tuple(_pairs(done.stdout))


def parse_git_config(output: bytes) -> dict[str, str]:
    """Return keys and values from the output of `git config -z --get-regexp`; of several the last."""
    return dict(_pairs(output))


class ScopedValue(NamedTuple):
    """One value of a key, and who says it: Git's scope (`local`, `global`, `system`, …), and the file or option."""

    scope: str
    origin: str
    value: str


def read_scoped_values(
    key: str, git_dir: Path | None, variables: Mapping[str, str] | None = None
) -> tuple[ScopedValue, ...]:
    """Return every value of a key, in Git's order. Errors as `read_git_pairs`."""
    done = _git(git_dir, ["config", "-z", "--show-scope", "--show-origin", "--get-all", key], variables)
    if done.returncode not in (0, _NO_MATCH):
        raise InvalidRequest(f"Git config cannot be read: {_said(done)}", hint="Correct the file that Git names.")
    parts = [_text(part) for part in done.stdout.split(b"\0")[:-1]]
    return tuple(ScopedValue(*parts[at : at + 3]) for at in range(0, len(parts) - 2, 3))


def add_value(
    key: str,
    value: str,
    git_dir: Path | None,
    *,
    for_user: bool = False,
    variables: Mapping[str, str] | None = None,
) -> None:
    """Add a value to a key that may have several. Errors as `set_value`; the value is the caller's to check."""
    _write(["--add", key, value], git_dir, for_user, variables)


def replace_value(
    key: str,
    value: str,
    git_dir: Path | None,
    *,
    for_user: bool = False,
    variables: Mapping[str, str] | None = None,
) -> None:
    """Give a key this one value. Errors as `set_value`; the value is the caller's to check."""
    _write(["--replace-all", key, value], git_dir, for_user, variables)


def remove_value(
    key: str,
    value: str,
    git_dir: Path | None,
    *,
    for_user: bool = False,
    variables: Mapping[str, str] | None = None,
) -> bool:
    """Remove exactly this value of a key, however often it is there; return whether it was. Errors as `set_value`."""
    return _write(["--fixed-value", "--unset-all", key, value], git_dir, for_user, variables)


def _pairs(output: bytes) -> Iterator[tuple[str, str]]:
    for record in output.split(b"\0")[:-1]:
        key, separator, value = record.partition(b"\n")
        yield _text(key).lower(), _text(value) if separator else "true"


def set_value(
    name: str,
    text: str,
    git_dir: Path | None,
    *,
    for_user: bool = False,
    variables: Mapping[str, str] | None = None,
) -> Setting:
    """Check and write a setting into the repository's Git config, or with `for_user` into the user's; return it.

    Raises InvalidRequest for an unknown setting or a wrong value, NotARepository where there is no repository to write
    to, StoreBusy where Git's configuration is locked, StoreReadOnly where it cannot be written.
    """
    setting = _writable(name)
    parse_value(setting, text, setting.name)
    assert setting.git_key is not None
    _write(["--replace-all", setting.git_key, text.strip()], git_dir, for_user, variables)
    return setting


def unset_value(
    name: str,
    git_dir: Path | None,
    *,
    for_user: bool = False,
    variables: Mapping[str, str] | None = None,
) -> bool:
    """Remove a setting from Git config; return whether it was there. Raises as `set_value` does."""
    setting = _writable(name)
    assert setting.git_key is not None
    return _write(["--unset-all", setting.git_key], git_dir, for_user, variables)


def _writable(name: str) -> Setting:
    setting = find_setting(name)
    if not setting.writable:
        raise InvalidRequest(
            f"{setting.name} is part of the ambient context, not a setting",
            hint="Write it in .memoree.toml, or start a session with `git memory session exec`.",
        )
    return setting


def _write(arguments: list[str], git_dir: Path | None, for_user: bool, variables: Mapping[str, str] | None) -> bool:
    if git_dir is None and not for_user:
        raise NotARepository("there is no repository whose configuration could be written")
    done = _git(git_dir, ["config", "--global" if for_user else "--local", *arguments], variables)
    if done.returncode == 0:
        return True
    if done.returncode == _NOTHING_UNSET and "--unset-all" in arguments:
        return False
    said = _said(done)
    if "could not lock" in said and "exists" in said:
        raise StoreBusy(f"Git config is locked: {said}", hint="Retry; if no other Git runs, remove the lock file.")
    if "could not lock" in said or "could not write" in said:
        raise StoreReadOnly(f"Git config cannot be written: {said}")
    raise InvalidRequest(f"Git config was not written: {said}", hint="Correct what Git names.")


def _git(
    git_dir: Path | None, arguments: list[str], variables: Mapping[str, str] | None
) -> subprocess.CompletedProcess[bytes]:
    import subprocess

    extra = {"GIT_DIR": _NO_REPOSITORY if git_dir is None else str(git_dir)}
    try:
        return subprocess.run(
            ["git", *arguments],
            env=git_child_environment(variables, keep_configuration=True, extra=extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_TIMEOUT_SECONDS,
        )
    except FileNotFoundError:
        raise NotARepository("the `git` command is not on the PATH", hint="Install Git.") from None
    except subprocess.TimeoutExpired:
        raise StoreBusy(f"`git config` did not answer within {GIT_TIMEOUT_SECONDS} s") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    line = _text(done.stderr).strip().splitlines()
    return line[0][:200] if line else f"exit status {done.returncode}"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
