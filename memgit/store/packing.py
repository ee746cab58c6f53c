"""Keeping the store small: our loose objects into packs before they hurt, our packs into few.

Only objects that the ref already reaches are packed; the log's are, because each of its entries is the tip or an
ancestor of it. Git's `repack -ad` lists the packs first and what is reachable second, so a pack that it finds and
removes was made of objects that it also packs anew; a pack of objects that nothing reached yet would be lost. No one
else's packs are touched, and no loose object is removed that has not just been packed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from memgit.store.backend import Backend
from memgit.store.bulk import remove_leftovers
from memgit.store.database import Database
from memgit.store.git_command import run_git
from memgit.store.loose import remove_loose
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository

MAX_LOG_BYTES = 32 * 1024 * 1024  # large artifacts: pack before the log outgrows a reader's patience
_MOST_PACKS = 8  # far below `gc.autoPackLimit` (50), so that ours never make a user's `gc` repack everything
_FEWEST_UNITED = 5
_PACK_SECONDS = 120


def imports_dir(repository: Repository) -> Path:
    """Return where bulk imports are prepared."""
    return repository.state_dir / "imports"


def pack_log(database: Database, repository: Repository, tip: ObjectId) -> bool:
    """Pack what the log holds, drop the loose copies, restart the log at the tip. Needs the writer's lock.

    Returns False, and leaves everything as it is, where Git could not pack.
    """
    paths = {oid: path for entry in database.log.entries() for oid, _, _, path in entry.objects}
    packs = PackList(repository, database.backend)
    if paths and not packs.add(paths):
        # One that is missing or damaged stops Git; it is looked for only now, because that costs as much as packing.
        database.replay()
        if not packs.add(paths):
            return False
    database.log.restart(tip)
    database.backend.refresh()
    remove_loose(database.backend.objects_dir, paths)
    packs.consolidate()
    remove_leftovers(imports_dir(repository), Path(database.backend.objects_dir))
    return True


class PackList:
    """The packs that memgit made, by name, so that they can be united without touching others."""

    def __init__(self, repository: Repository, backend: Backend) -> None:
        self._path = repository.packs_file
        self._backend = backend
        self._directory = Path(backend.objects_dir) / "pack"

    def add(self, paths: Mapping[ObjectId, str]) -> bool:
        """Make a pack of the objects and note it. Returns False where Git could not.

        With the objects' paths Git finds the deltas between versions of one directory: two thirds of the size.
        """
        name = self._pack((f"{oid} {path}" for oid, path in paths.items()), window=10)
        if name is not None:
            self.note([name])
        return name is not None

    def note(self, names: Iterable[str]) -> None:
        """Note packs that memgit made."""
        self._save([*self._load(), *names])

    def consolidate(self) -> None:
        """Unite our smallest packs when there are too many.

        Where there is a multi-pack index, packs are the business of `git maintenance`: it unites them itself, and its
        index must not name one that is gone.
        """
        sizes = {name: size for name in self._load() if (size := self._size(name)) is not None}
        self._save(sizes)
        if len(sizes) <= _MOST_PACKS or (self._directory / "multi-pack-index").exists():
            return
        small = smallest(sizes)
        oids = {oid for name in small for oid in self._content(name)}
        united = self._pack(oids, window=0)
        if united is None or not oids <= self._content(united):
            return
        self._save([*(name for name in sizes if name not in small), united])
        for name in small:
            if name != united:
                for suffix in ("idx", "rev", "promisor", "pack"):  # the index first: what Git looks for
                    self._file(name, suffix).unlink(missing_ok=True)
        self._backend.refresh()

    def _pack(self, lines: Iterable[str], *, window: int) -> str | None:
        """Make a pack of the listed objects and return its name. Deltas that exist are kept; `window` 0 seeks none."""
        answer = run_git(
            self._backend.repository,
            ["pack-objects", "-q", f"--window={window}", str(self._directory / "pack")],
            stdin="".join(f"{line}\n" for line in lines).encode(),
            timeout=_PACK_SECONDS,
        )
        return answer.stdout.decode().strip() or None if answer.returncode == 0 else None

    def _content(self, name: str) -> set[ObjectId]:
        """Return what a pack holds, from its index. Raises OSError where the index cannot be read."""
        index = self._file(name, "idx").read_bytes()
        answer = run_git(self._backend.repository, ["show-index"], stdin=index)
        if answer.returncode != 0:
            raise OSError(f"git show-index failed for {name}")
        return {ObjectId(line.split()[1]) for line in answer.stdout.decode().splitlines()}

    def _size(self, name: str) -> int | None:
        """Return a pack's size, or None where it is gone, or somebody wants to keep it."""
        if self._file(name, "keep").exists():
            return None
        with suppress(FileNotFoundError):
            return self._file(name, "pack").stat().st_size
        return None

    def _file(self, name: str, suffix: str) -> Path:
        return self._directory / f"pack-{name}.{suffix}"

    def _load(self) -> list[str]:
        try:
            names = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return []  # forgetting a name costs nothing but a pack that a later `git gc` unites
        return [name for name in names if isinstance(name, str) and name.isalnum()] if isinstance(names, list) else []

    def _save(self, names: Iterable[str]) -> None:
        fresh = self._path.with_name(self._path.name + ".new")
        fresh.write_text(json.dumps(list(dict.fromkeys(names))), "utf-8")
        fresh.replace(self._path)


def pack_names(backend: Backend) -> frozenset[str]:
    """Return the names of the packs that a repository has."""
    directory = Path(backend.objects_dir) / "pack"
    return frozenset(path.stem.removeprefix("pack-") for path in directory.glob("pack-*.idx"))


def new_packs(backend: Backend, before: frozenset[str], commit: ObjectId) -> list[str]:
    """Return the packs that came since `before` and hold a commit: those of the fetch that brought it."""
    found = []
    for name in sorted(pack_names(backend) - before):
        index = Path(backend.objects_dir) / "pack" / f"pack-{name}.idx"
        with suppress(OSError):
            if commit.encode() in run_git(backend.repository, ["show-index"], stdin=index.read_bytes()).stdout:
                found.append(name)
    return found


def smallest(sizes: dict[str, int]) -> list[str]:
    """Return the packs to unite: the smallest, and each next one that is not twice as large as these together.

    So sizes stay in a geometric progression, and an object is rewritten a logarithmic number of times.
    """
    names = sorted(sizes, key=lambda name: sizes[name])
    total = 0
    for count, name in enumerate(names):
        if count >= _FEWEST_UNITED and sizes[name] > 2 * total:
            return names[:count]
        total += sizes[name]
    return names
