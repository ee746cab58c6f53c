"""The private repository: where the layers live that no command of Git's takes along.

A bare repository in `state/`, owner-only, without alternates, made when something is first written to it. It shares the
lock and the directories of the repository that it belongs to. What is here needs neither pygit2 nor YAML: a read asks
for tips only.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from memgit.environment import git_child_environment
from memgit.errors import InvalidRequest, NotFound, StoreReadOnly
from memgit.store.quick_tip import quick_tip
from memgit.store.repository import GIT_TIMEOUT_SECONDS, Repository

SHARED, LOCAL = "shared", "local"
DRAFT_PREFIX = "draft:"
LOCAL_REF = "refs/memgit/local"
DRAFTS = "refs/memgit/drafts/"
_SHARED_DRAFTS = "refs/memgit/remotes/"  # <remote>/drafts/<name>: what a remote was last known to have
DROPPED = "refs/memgit/dropped/"  # <unix seconds>/<name>: what a draft was, until it is too old to be asked for

KEPT_SECONDS = 30 * 24 * 3600  # how long a dropped draft can be had back

_DRAFT_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_CONFIGURATION = "[gc]\n\tauto = 0\n[core]\n\tlogAllRefUpdates = false\n"


@dataclass(frozen=True, slots=True)
class PrivateRepository(Repository):
    """The private repository of another one, whose lock, logs and caches it shares."""

    owner: Repository

    @property
    def private_dir(self) -> Path:
        """memgit's own directory, that of the owner."""
        return self.owner.private_dir

    @property
    def packs_file(self) -> Path:
        """Where the names of the packs that memgit made are noted."""
        return self.common_dir / "memgit-packs.json"

    @property
    def root(self) -> Path:
        """The directory that people would name."""
        return self.owner.root


def private_repository(owner: Repository) -> PrivateRepository:
    """Return where a repository's private one is, whether or not it exists."""
    path = owner.state_dir / "private.git"
    return PrivateRepository(path, path, None, owner)


class Dropped(NamedTuple):
    """A draft that was dropped or merged. `until` is when it may go for good, in seconds since 1970."""

    name: str
    commit: str
    ref: str
    until: int


def exists(repository: PrivateRepository) -> bool:
    """Tell whether the private repository has been made."""
    return (repository.common_dir / "HEAD").exists()


def make(repository: PrivateRepository, object_format: str) -> None:
    """Make the private repository, whole or not at all; one that exists is left as it is. Raises StoreReadOnly.

    It keeps no reflogs: the write-ahead log remembers, and a reflog would keep what was dropped.
    """
    if exists(repository):
        return
    import shutil

    path = repository.common_dir
    fresh = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        fresh.mkdir(parents=True, mode=0o700)
        _initialize(fresh, object_format)
        with suppress(FileExistsError):
            fresh.rename(path)  # where another process was faster, its own is there and holds something
    except OSError as error:
        if not exists(repository):
            raise StoreReadOnly(f"{path} cannot be made: {error.strerror or error}") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def layer_ref(layer: str) -> str:
    """Return the ref of a private layer: of `local`, or of `draft:NAME`."""
    return LOCAL_REF if layer == LOCAL else DRAFTS + layer.removeprefix(DRAFT_PREFIX)


def draft_layer(name: str) -> str:
    """Return the layer of a draft. Raises InvalidRequest for what cannot name one."""
    odd = ".." in name or name.endswith((".", ".lock", ".new", ".previous"))  # Git's, and those of our logs
    if odd or not _DRAFT_NAME.fullmatch(name):
        raise InvalidRequest(
            f"{name[:80]!r} cannot name a draft",
            hint="A name is 1 to 64 of a-z, 0-9, '.', '_' and '-', begins with a letter or a digit, and has no '..'.",
            details={"field": "draft"},
        )
    return DRAFT_PREFIX + name


def quick_layer_tip(repository: PrivateRepository, layer: str) -> str | None:
    """Return the commit that a private layer is at, as far as its ref's file says."""
    return quick_tip(repository, layer_ref(layer))


def has_log(repository: PrivateRepository, layer: str) -> bool:
    """Tell whether a write-ahead log remembers the layer: then it exists, whatever became of its ref."""
    return (repository.state_dir / "log" / quote(layer_ref(layer), safe="")).exists()


def is_begun(repository: PrivateRepository, layer: str) -> bool:
    """Tell whether something was ever written to a layer that has not been taken away; from files alone."""
    return quick_layer_tip(repository, layer) is not None or has_log(repository, layer)


def no_draft(name: str) -> NotFound:
    """Return the error for a draft that is not there."""
    return NotFound(
        f"there is no draft {name}",
        hint="`git memory draft list` shows the drafts; the first write with `--draft NAME` begins one.",
        details={"draft": name},
    )


def draft_gone(name: str) -> NotFound:
    """Return the error for a draft that somebody takes away while it is used."""
    return NotFound(
        f"the draft {name} is gone: it was merged or dropped just now",
        hint=f"`git memory draft list` shows what can be had back; `git memory draft restore {name}` does that.",
        details={"draft": name},
    )


def composite_id(shared: str, private: Mapping[str, str]) -> str:
    """Return the id of a combination of tips; the shared tip's own where there is no other layer."""
    return shared + "".join(f"+{layer}={tip}" for layer, tip in sorted(private.items()))


def combination(layers: Sequence[str]) -> str:
    """Return what the names of derived files say of the private layers in them; nothing where there are none."""
    return f".{'+'.join(layers).replace(':', '-')}" if layers else ""


def layers(repository: PrivateRepository) -> list[str]:
    """Return the private layers that exist: `local` first, then the drafts by name. From files alone."""
    # Each write asks this, so no ref is read: a file's name is enough. A log remembers a ref that was damaged or lost.
    names = {name.removeprefix(DRAFTS) for name in _packed_refs(repository) if name.startswith(DRAFTS)}
    names.update(_file_names(repository.common_dir / DRAFTS))
    prefix = quote(DRAFTS, safe="")
    logs = _file_names(repository.state_dir / "log")
    names.update(log.removeprefix(prefix) for log in logs if log.startswith(prefix))
    names = {name for name in names if not name.endswith((".lock", ".previous", ".new"))}
    found = [DRAFT_PREFIX + name for name in sorted(names) if _DRAFT_NAME.fullmatch(name)]
    return [LOCAL, *found] if is_begun(repository, LOCAL) else found


def dropped_drafts(repository: PrivateRepository) -> list[Dropped]:
    """Return what drafts were when they were dropped or merged, the latest first. From files alone."""
    found = []
    for ref, commit in quick_refs(repository, DROPPED):
        seconds, _, name = ref.removeprefix(DROPPED).partition("/")
        if seconds.isdecimal():
            found.append(Dropped(name, commit, ref, int(seconds) + KEPT_SECONDS))
    return sorted(found, key=lambda one: (-one.until, one.name))


def shared_draft_ref(remote: str, name: str) -> str:
    """Return the private ref that notes what a remote has of a draft."""
    return f"{_SHARED_DRAFTS}{remote}/drafts/{name}"


def shared_drafts(repository: PrivateRepository, name: str) -> dict[str, str]:
    """Return what each remote was last known to have of a draft, by the remote's name. From files alone."""
    end = f"/drafts/{name}"
    found = quick_refs(repository, _SHARED_DRAFTS)
    return {ref.removeprefix(_SHARED_DRAFTS).removesuffix(end): tip for ref, tip in found if ref.endswith(end)}


def all_shared_drafts(repository: PrivateRepository) -> Iterator[tuple[str, str, str]]:
    """Yield (remote, draft, commit) of what remotes were last known to have of drafts. From files alone."""
    for ref, tip in quick_refs(repository, _SHARED_DRAFTS):
        remote, _, name = ref.removeprefix(_SHARED_DRAFTS).rpartition("/drafts/")
        if remote:
            yield remote, name, tip


def quick_refs(repository: Repository, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield (name, commit) of the refs below a prefix that ends in a slash, sorted by name, from files alone."""
    found = {name: oid for name, oid in _packed_refs(repository).items() if name.startswith(prefix)}
    base = repository.common_dir / prefix
    for path in base.rglob("*") if base.is_dir() else ():
        if path.is_file() and not path.name.endswith(".lock"):
            name = prefix + path.relative_to(base).as_posix()
            tip = quick_tip(repository, name)
            if tip is not None:
                found[name] = tip
    yield from sorted(found.items())


def _packed_refs(repository: Repository) -> dict[str, str]:
    try:
        text = (repository.common_dir / "packed-refs").read_text("utf-8", "replace")
    except OSError:
        return {}
    pairs = (line.partition(" ") for line in text.splitlines())
    return {name: oid for oid, _, name in pairs if name.startswith("refs/")}


def _file_names(directory: Path) -> list[str]:
    try:
        return [path.name for path in directory.iterdir()]
    except OSError:
        return []


def _initialize(path: Path, object_format: str) -> None:
    done = subprocess.run(
        ["git", "init", "-q", "--bare", "--template=", f"--object-format={object_format}", str(path)],
        cwd=path,
        env=git_child_environment(extra={"GIT_DEFAULT_REF_FORMAT": "files"}),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=GIT_TIMEOUT_SECONDS,
    )
    if done.returncode != 0:
        raise OSError(f"git init: {done.stderr.decode('utf-8', 'replace').strip()}")
    with (path / "config").open("a", encoding="utf-8") as config:
        config.write(_CONFIGURATION)
