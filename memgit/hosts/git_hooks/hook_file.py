"""One hook in one directory: what is there, our block beside it, and all of it taken out again.

A shell hook gets the block after its first line. What a shell does not run (a program, a script of another language, a
symbolic link, a file that is not executable) is moved aside as it is and run from a file of ours. Nothing is
overwritten, and no file is changed in place: a new one takes its name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memgit.errors import InvalidRequest, StoreReadOnly
from memgit.hosts.git_hooks import aside, block, managers
from memgit.hosts.git_hooks.shipped import HOOKS, MADE, chain, chained_file, own_file
from memgit.hosts.git_hooks.shipped import block as shipped_block

State = Literal["installed", "outdated", "foreign", "disabled", "missing"]
HOOK_BYTES = 4 * 1024 * 1024  # a larger file is a program
RETURNS = "a first line that ends in a carriage return"
_SHEBANG = b"#!/bin/sh\n"


@dataclass(frozen=True, slots=True)
class HookFile:
    """What Git finds under a hook's name. `by` is the tool or file that was found; `path` holds, or would, our block.

    `foreign`: somebody else's hook runs, ours does not. `disabled`: the file that holds the block is not executable, or
    Git cannot run it because of its first line (`by` is `RETURNS` then).
    """

    hook: str
    path: Path
    state: State
    by: str | None


def look(directory: Path, hook: str) -> HookFile:
    """Return what is under a hook's name, and whether our block runs from it."""
    path = directory / hook
    content = _read(path)
    if content is None:
        return HookFile(hook, path, "missing", None)
    by = managers.manager(path, content)
    for candidate in _that_run(path, by):
        text = content if candidate == path else _read(candidate)
        found = block.find(text) if text is not None else None
        if text is not None and found is not None:
            is_dead = _is_run_by_git(candidate, path) and os.name != "nt" and block.ends_in_return(text)
            state = "disabled" if is_dead else _state(candidate, path, found, hook)
            return HookFile(hook, candidate, state, RETURNS if is_dead else by)
    return HookFile(hook, _target(path, by), "foreign" if os.access(path, os.X_OK) else "missing", by or "another hook")


def refusal(directory: Path, hook: str) -> InvalidRequest | None:
    """Return why `put_in` would refuse, or None where it would not. Nothing is changed."""
    found = look(directory, hook)
    path = found.path
    place = aside.place_of(path, hook)
    if path.is_dir():
        return InvalidRequest(f"{path} is a directory, so no hook runs there", hint="Remove or rename it.")
    content = _read(path)
    if content is not None and block.has_half(content):
        return InvalidRequest(
            f"{path} holds a block of memgit that has lost its last line",
            hint="Take the lines of memgit out of it, or put `# <<< memgit <<<` where they end.",
        )
    if not _moves(found, content):
        return None
    if os.path.lexists(place.parent) and not place.parent.is_dir():
        return InvalidRequest(
            f"{path} cannot hold the block, and {place.parent} is no directory", hint="Remove or rename it."
        )
    if not os.path.lexists(place):
        return None
    return InvalidRequest(
        f"{path} cannot hold the block, and {place} is there already",
        hint=f"Move {place} away, or paste what `git memory hooks snippet {hook}` prints.",
    )


def put_in(directory: Path, hook: str) -> bool:
    """Make our block run from a hook; return whether anything changed. Raises InvalidRequest, StoreReadOnly."""
    found = look(directory, hook)
    if found.state == "installed":
        return False
    why = refusal(directory, hook)
    if why is not None:
        raise why
    path = found.path
    if found.state == "disabled" and found.by != RETURNS:
        _take_out_of(path, hook)  # what its owner switched off stays off, and ours runs beside it
    content = _read(path)
    if not os.path.lexists(path):
        waits = os.path.lexists(aside.place_of(path, hook))  # somebody took our file away, and with it that hook
        _write(path, (chained_file if waits else own_file)(hook), 0o777 & ~_umask() | 0o100)
    elif content is not None and _takes_block(path, content):
        fresh = block.put_in(content, shipped_block(hook))
        if fresh == content:
            return False
        _write(path, fresh, path.stat().st_mode)
    else:
        _move_aside(path, hook)
    return True


def leftovers(directory: Path) -> list[str]:
    """Return, for people, what of ours is in a directory and runs nothing: half blocks, hooks that nobody runs."""
    found = []
    for hook in HOOKS:
        texts = [(path, _read(path) or b"") for path in _candidates(directory, hook)]
        found += [f"{path} has a block without its last line" for path, text in texts if block.has_half(text)]
        place = aside.place_of(directory / hook, hook)
        if os.path.lexists(place) and not any(chain(hook) in text for _, text in texts):
            found.append(f"{place} was moved aside, and what took the place of our hook does not run it")
    return found


def holds_block(directory: Path, hook: str) -> bool:
    """Tell whether `take_out` would find a block."""
    return any(block.find(_read(path) or b"") is not None for path in _candidates(directory, hook))


def require_writable(directory: Path) -> None:
    """Raise StoreReadOnly where no file can be made in a directory."""
    _fresh(directory / "probe", b"").unlink()


def take_out(directory: Path, hook: str) -> bool:
    """Take our block out of all files that a hook has or had; return whether anything changed. Raises StoreReadOnly."""
    taken = [_take_out_of(one, hook) for one in _candidates(directory, hook)]
    return any(taken)


def _candidates(directory: Path, hook: str) -> list[Path]:
    """Return the files of a hook that may hold our block."""
    return [directory / f"{hook}{end}" for end in ("", managers.LEGACY, managers.OLD)]


def _that_run(path: Path, by: str | None) -> Iterator[Path]:
    """Yield the files that run when Git runs the hook, as far as they are known."""
    yield path
    if managers.runs_legacy(by):
        yield path.with_name(path.name + managers.LEGACY)
    project = managers.project_file(path)
    if project is not None:
        yield project


def _target(path: Path, by: str | None) -> Path:
    """Return the file that takes the block."""
    return path.with_name(path.name + managers.LEGACY) if managers.runs_legacy(by) else path


def _is_run_by_git(candidate: Path, path: Path) -> bool:
    """Tell whether a file is run by its first line; husky has a shell run those of the project."""
    return candidate == path or candidate != managers.project_file(path)


def _state(candidate: Path, path: Path, found: bytes, hook: str) -> State:
    if not os.access(path, os.X_OK) or (_is_run_by_git(candidate, path) and not os.access(candidate, os.X_OK)):
        return "disabled"
    return "installed" if found.rstrip() == shipped_block(hook).rstrip() else "outdated"


def _moves(found: HookFile, content: bytes | None) -> bool:
    """Tell whether the file under a hook's name would be moved aside."""
    if not os.path.lexists(found.path):
        return False
    if found.state == "disabled" and found.by != RETURNS and content is not None:
        return block.take_out(content) not in (_SHEBANG + chain(found.hook), _SHEBANG + MADE)
    return content is None or not _takes_block(found.path, content)


def _takes_block(path: Path, content: bytes) -> bool:
    """Tell whether a file is a shell script that Git runs and that may be written."""
    is_plain = not path.is_symlink() and os.access(path, os.X_OK) and len(content) <= HOOK_BYTES
    return is_plain and (block.find(content) is not None or block.is_shell(content))


def _move_aside(path: Path, hook: str) -> None:
    """Put a file of ours in the place of one that cannot hold the block, and run that one from it."""
    fresh = _fresh(path, chained_file(hook))
    try:
        fresh.chmod(0o777 & ~_umask() | 0o100)
        aside.move(path, fresh, aside.place_of(path, hook))
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise _read_only(path, error) from None


def _take_out_of(path: Path, hook: str) -> bool:
    content = _read(path)
    if content is None or path.is_symlink() or block.find(content) is None:
        return False
    place = aside.place_of(path, hook)
    try:
        rest = block.take_out(content if len(content) <= HOOK_BYTES else path.read_bytes())  # it may have grown since
        if rest == _SHEBANG + chain(hook) and os.path.lexists(place):
            aside.bring_back(path, _fresh_name(path), place)
        elif rest in (_SHEBANG + MADE, _SHEBANG + chain(hook)):
            path.unlink()
        else:
            _write(path, rest.replace(MADE, b""), path.stat().st_mode)
    except OSError as error:
        raise _read_only(path, error) from None
    return True


def _read(path: Path) -> bytes | None:
    """Return a file's first bytes, or None where there is no file that can be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(HOOK_BYTES + 1)
    except OSError:
        return None


def _write(path: Path, content: bytes, mode: int) -> None:
    try:
        fresh = _fresh(path, content)
        fresh.chmod(mode & 0o7777)
        fresh.replace(path)
    except OSError as error:
        raise _read_only(path, error) from None


def _fresh_name(path: Path) -> Path:
    return path.with_name(f".{path.name}.memgit-{os.getpid()}")


def _fresh(path: Path, content: bytes) -> Path:
    fresh = _fresh_name(path)
    try:
        fresh.write_bytes(content)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise _read_only(path, error) from None
    return fresh


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _read_only(path: Path, error: OSError) -> StoreReadOnly:
    return StoreReadOnly(
        f"{path} cannot be written: {error.strerror or error}", hint="Make the directory of the hooks writable."
    )
