"""Which of a store's founding records says who this store is, where there are several.

Whoever can push can add a record, with any id. So the identity is not the least record's: it is that of the record
which this clone knew before others came, else of one that a history began with. A join adds the other store's history,
a record that somebody merely puts into a tree has none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from memgit.errors import MemgitError
from memgit.records.codec import StoreRecord
from memgit.store.database import Database
from memgit.store.git_command import run_git
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository
from memgit.store.snapshot import Snapshot

_NAME = "founders.json"  # the digest of the record that counts, by ref
_ROOTS = 100  # beginnings of histories that are looked at
_SECONDS = 300


class Founders:
    """Says whose store one ref is."""

    def __init__(self, repository: Repository, database: Database, ref: str) -> None:
        self._repository = repository
        self._database = database
        self._ref = ref
        self._path = repository.state_dir / _NAME

    def of(self, tip: ObjectId, records: Iterable[StoreRecord]) -> StoreRecord | None:
        """Return the record that says who a store is, given its tip and its records; None where none can be used."""
        founding = {record.digest: record for record in records if record.alias_of is None}
        if len(founding) > 1:
            noted = founding.get(_load(self._path).get(self._ref, ""))
            return noted or _least(self._first(tip, founding)) or _least(founding.values())
        return _least(founding.values())

    def at(self, snapshot: Snapshot) -> StoreRecord | None:
        """Return the same for a snapshot."""
        return self.of(snapshot.commit_id, snapshot.stores())

    def keep(self, record: StoreRecord | None) -> None:
        """Note the record that counts from now on, whatever comes. Raises OSError."""
        noted = _load(self._path)
        if record is None or noted.get(self._ref) == record.digest:
            return
        noted[self._ref] = record.digest
        fresh = self._path.with_name(f"{_NAME}.{os.getpid()}")
        fresh.write_text(json.dumps(noted), "utf-8")
        fresh.replace(self._path)

    def _first(self, tip: ObjectId, founding: dict[str, StoreRecord]) -> list[StoreRecord]:
        """Return those of the records that a history began with."""
        command = ["rev-list", "--max-parents=0", f"--max-count={_ROOTS}", tip]
        answer = run_git(self._repository, command, timeout=_SECONDS)
        found: list[StoreRecord] = []
        for root in answer.stdout.decode("ascii", "replace").split():
            with suppress(MemgitError):
                found += [one for one in Snapshot(self._database, ObjectId(root)).stores() if one.digest in founding]
        return [record for record in found if record.alias_of is None]


def _least(records: Iterable[StoreRecord]) -> StoreRecord | None:
    return min(records, key=lambda record: (record.store, record.digest), default=None)


def _load(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {key: value for key, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}
