"""Which remote memory goes to: one, elected, and never another one by itself.

The election is Git config `memgit.remote`. A remote is named, never given as a URL or a path, so that what people push
their code to takes no memory along by accident.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memgit.config.values import is_store_ref
from memgit.errors import InvalidRequest, NoRemote
from memgit.store.git_command import run_git
from memgit.store.repository import Repository

_MARKED_KEYS = ("url", "pushurl", "vcs")  # what makes a section of the configuration a remote
_REF_VARIABLE = "memgitRef"
_TAKEN = {"store", "lost", "drafts"}  # what stands behind a remote's name in its tracking refs
_COMPONENT = re.compile(r"(?!\.)[^\x00-\x20\x7f~^:?*\[\\\udc80-\udcff]+")  # of a ref's name, as Git has it
_LOOKS_LIKE_PLACE = re.compile(r"[:/\\]|^\.|^~")


@dataclass(frozen=True, slots=True)
class Election:
    """The remote that a request is about. `fresh`: it was not elected before, and this request elects it."""

    name: str
    fresh: bool = False
    elected: bool = True


def configured_remotes(repository: Repository) -> dict[str, str]:
    """Return the URL of each remote by its name, as Git config has them."""
    answer = run_git(repository, ["config", "-z", "--get-regexp", r"^remote\..*\.(url|pushurl|vcs)$"])
    found: dict[str, str] = {}
    for record in answer.stdout.decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = record.partition("\n")
        section, _, rest = key.partition(".")
        name, _, variable = rest.rpartition(".")
        if section == "remote" and name and variable in _MARKED_KEYS:
            found.setdefault(name, value)
    return found


def ref_key(remote: str) -> str:
    """Return the key of Git config that says in which ref a remote keeps the memory.

    It stands in the remote's own section, so that `git remote rename` and `git remote remove` take it along.
    """
    return f"remote.{remote}.{_REF_VARIABLE}"


def chosen_ref(repository: Repository, remote: str) -> str | None:
    """Return the ref in which a remote keeps the memory, None where nobody has said. Raises InvalidRequest."""
    answer = run_git(repository, ["config", "-z", "--get", ref_key(remote)])
    value = answer.stdout.decode("utf-8", "replace").partition("\0")[0]
    if not value:
        return None
    if not is_store_ref(value):
        raise InvalidRequest(
            f"Git config {ref_key(remote)}: {value[:60]!a} is no ref that memory can be kept in",
            hint=f"`git config {ref_key(remote)} refs/heads/memgit` names a branch; `git config --unset "
            f"{ref_key(remote)}` goes back to refs/memgit/store.",
            details={"remote": remote},
        )
    return value


def drafts_below(ref: str, private: str) -> str:
    """Return what stands before a draft's name on a remote that keeps the memory in `ref`.

    Where that is a branch, the remote may take nothing but branches; else it is `private`.
    """
    return f"{ref}-drafts/" if ref.startswith("refs/heads/") else private


def elect(remotes: Mapping[str, str], asked: str | None, elected: str | None, *, change: bool = False) -> Election:
    """Return the remote that memory is exchanged with. Raises NoRemote, whose hint says what helps."""
    if asked is not None:
        _check_name(remotes, asked)
    if asked is not None and (elected is None or change or asked == elected):
        return Election(asked, fresh=asked != elected)
    if elected is not None:
        _check_elected(remotes, elected)
        if asked is not None:
            raise NoRemote(
                f"memory goes to {elected!r}, not to {asked!r}",
                hint=f"`git memory sync {asked} --elect` changes that; `git memory fetch {asked}` only looks.",
                details={"elected": elected, "asked": asked},
            )
        return Election(elected)
    return Election(_only(remotes), fresh=True)


def choose(remotes: Mapping[str, str], asked: str | None, elected: str | None) -> Election:
    """Return the remote to look at: any that is named, else the elected one, else the only one. Elects nothing."""
    if asked is not None:
        _check_name(remotes, asked)
        return Election(asked, elected=asked == elected)
    if elected is not None:
        _check_elected(remotes, elected)
        return Election(elected)
    return Election(_only(remotes), elected=False)


def _only(remotes: Mapping[str, str]) -> str:
    if not remotes:
        raise NoRemote(
            "this repository has no remote",
            hint="`git remote add NAME URL` adds one; `git memory sync NAME` sends memory there.",
        )
    if len(remotes) > 1:
        names = sorted(remotes)
        raise NoRemote(
            f"this repository has {len(names)} remotes, and none was chosen for memory: {', '.join(names)}",
            hint=f"`git memory sync {names[0]}` chooses one, and is needed once.",
            details={"remotes": list(names)},
        )
    only = next(iter(remotes))
    _check_name(remotes, only)
    return only


def _check_name(remotes: Mapping[str, str], name: str) -> None:
    if name in remotes:
        if not _is_usable(name):
            raise NoRemote(
                f"the remote name {name[:80]!a} cannot be used for memory",
                hint="`git remote rename` gives it another name.",
            )
        return
    if _LOOKS_LIKE_PLACE.search(name):
        raise NoRemote(
            "memory goes to a named remote, not to a URL or a path",
            hint="`git remote add NAME URL`, then `git memory sync NAME`.",
            details={"asked": name},
        )
    raise NoRemote(
        f"there is no remote {name!r}",
        hint=f"There is {', '.join(sorted(remotes))}." if remotes else f"`git remote add {name} URL` adds it.",
        details={"asked": name, "remotes": [*sorted(remotes)]},
    )


def _is_usable(name: str) -> bool:
    """Tell whether a remote can be named to Git, and its tracking refs can stand beside those of any other remote."""
    parts = name.split("/")
    if "=" in name or name.startswith("-") or ".." in name or "@{" in name or _TAKEN & set(parts[1:]):
        return False
    return all(_COMPONENT.fullmatch(part) and not part.endswith((".", ".lock")) for part in parts)


def _check_elected(remotes: Mapping[str, str], elected: str) -> None:
    if elected in remotes:
        _check_name(remotes, elected)
        return
    shown = "a URL or a path" if _LOOKS_LIKE_PLACE.search(elected) else repr(elected)
    others = sorted(remotes)
    other = f"`git memory sync {others[0]} --elect` chooses one that is here; " if others else ""
    raise NoRemote(
        f"memory goes to the remote that memgit.remote names, and {shown} is none of this repository; "
        "no other one is used instead",
        hint=f"{other}`git remote add {'NAME' if shown != repr(elected) else elected} URL` adds that one.",
        details={"elected": elected, "remotes": list(others)},
    )
