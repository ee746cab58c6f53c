"""Keeping the store small: our loose objects into packs before they hurt, our packs into few.

Only objects that the ref already reaches are packed. Git's `repack -ad` lists the packs first and what is reachable
second, so a pack that it finds and removes was made of objects that it also packs anew; a pack of objects that nothing
reached yet would be lost. No one else's objects are touched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from memgit.store.backend import Backend
from memgit.store.bulk import SCRATCH_PREFIX
from memgit.store.database import Database
from memgit.store.git_command import run_git
from memgit.store.objects import ObjectId, RawObject
from memgit.store.process import is_running
from memgit.store.repository import Repository
from memgit.store.write_ahead_log import Entry

MAX_LOG_BYTES = 32 * 1024 * 1024  # large artifacts: pack before the log outgrows a reader's patience
_MOST_PACKS = 8  # far below `gc.autoPackLimit` (50), so that ours never make a user's `gc` repack everything
_PACK_SECONDS = 120


def pack_log(database: Database, state_dir: Path, ref: str, tip: ObjectId) -> bool:
    """Pack what the log holds and the tip reaches, drop the loose copies, restart the log. Needs the writer's lock.

    Returns False, and leaves everything as it is, where Git could not pack; a later write tries again.
    """
    objects = _reachable(list(database.log.entries()), tip)
    restore_missing(database, objects)
    packs = PackList(state_dir / "packs.json", database.backend)
    if objects and not packs.add(objects):
        return False
    database.log.restart(ref, tip)
    database.backend.refresh()
    _remove_loose(database.backend, (item.oid for item in objects))
    packs.consolidate()
    remove_scratch_refs(database.backend)
    return True


def restore_missing(database: Database, objects: Iterable[RawObject]) -> int:
    """Store again what Git has dropped of objects that the log holds; return how many that were."""
    missing = [item for item in objects if not database.backend.contains(item.oid)]
    database.write(missing)
    return len(missing)


def remove_scratch_refs(backend: Backend) -> None:
    """Delete the refs of bulk imports that died. Needs the writer's lock and no import of this process under way."""
    listed = run_git(backend.repository, ["for-each-ref", "--format=%(refname) %(objectname)", SCRATCH_PREFIX])
    for line in listed.stdout.decode().splitlines():
        name, _, oid = line.partition(" ")
        pid = name.removeprefix(SCRATCH_PREFIX).partition("-")[0]
        if pid.isdecimal() and not is_running(int(pid)):
            backend.delete_ref(name, ObjectId(oid))


class PackList:
    """The packs that memgit made, by name, so that they can be united without touching others."""

    def __init__(self, path: Path, backend: Backend) -> None:
        self._path = path
        self._backend = backend
        self._directory = backend.repository.common_dir / "objects" / "pack"

    def add(self, objects: Iterable[RawObject]) -> bool:
        """Make a pack of the objects and note it. Returns False where Git could not."""
        return self._pack(item.oid for item in objects)

    def note(self, names: Iterable[str]) -> None:
        """Note packs that a bulk import made."""
        self._save([*self._load(), *names])

    def consolidate(self) -> None:
        """Unite the smallest of our packs when there are too many: each object is rewritten a few times only."""
        packs = [name for name in self._load() if self._file(name, "pack").exists()]
        if len(packs) <= _MOST_PACKS:
            self._save(packs)
            return
        packs.sort(key=lambda name: self._file(name, "pack").stat().st_size)
        small = packs[: _MOST_PACKS - 1]
        oids = {oid for name in small for oid in self._content(name)}
        self._save(packs)
        if not self._pack(oids):
            return
        kept = self._load()
        fresh = kept[-1]
        for name in small:
            if name != fresh:
                for suffix in ("idx", "rev", "pack"):
                    self._file(name, suffix).unlink(missing_ok=True)
        self._save([name for name in kept if name not in small or name == fresh])
        self._backend.refresh()

    def _pack(self, oids: Iterable[ObjectId]) -> bool:
        listing = "".join(f"{oid}\n" for oid in oids)
        base = str(self._directory / "pack")
        # A window of 10 finds the deltas between the trees of neighbouring commits, which is most of the gain.
        answer = run_git(
            self._backend.repository,
            ["pack-objects", "-q", "--window=10", base],
            stdin=listing.encode(),
            timeout=_PACK_SECONDS,
        )
        name = answer.stdout.decode().strip()
        if answer.returncode != 0 or not name:
            return False
        self._save([*self._load(), name])
        return True

    def _content(self, name: str) -> list[ObjectId]:
        """Return what a pack holds, from its index."""
        index = self._file(name, "idx").read_bytes()
        answer = run_git(self._backend.repository, ["show-index"], stdin=index)
        return [ObjectId(line.split()[1]) for line in answer.stdout.decode().splitlines()]

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


def _reachable(entries: list[Entry], tip: ObjectId) -> list[RawObject]:
    """Return the objects of the entries that lead to the tip, each once.

    An entry whose ref never moved belongs to a writer that died before its acknowledgement; it is dropped.
    """
    wanted: set[ObjectId | None] = {tip}
    objects: dict[ObjectId, RawObject] = {}
    for entry in reversed(entries):
        if entry.new in wanted:
            wanted.add(entry.old)
            for oid, kind, data in entry.objects:
                objects[oid] = RawObject(oid, kind, data)
    return list(objects.values())


def _remove_loose(backend: Backend, oids: Iterable[ObjectId]) -> None:
    directory = backend.repository.common_dir / "objects"
    for oid in oids:
        try:
            (directory / oid[:2] / oid[2:]).unlink(missing_ok=True)
        except OSError:
            return  # a copy too many harms nobody



def pack_names(repository: Repository) -> frozenset[str]:
    """Return the names (40 or 64 hexadecimal characters) of the packs that the repository has."""
    directory = repository.common_dir / "objects" / "pack"
    return frozenset(path.stem.removeprefix("pack-") for path in directory.glob("pack-*.pack"))
