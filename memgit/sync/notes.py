"""What this clone remembers of each remote between two syncs, in `state/sync.json`.

Losing it costs a second look at what arrived before, and the time of the last sync.
"""

from __future__ import annotations

import os

import msgspec
from msgspec import Struct

from memgit.store.repository import Repository

_MOST_REFUSED = 50


class RemoteNote(Struct, frozen=True, omit_defaults=True):
    """One remote: the last tip of its that was good, those that were not, and when.

    `refused` maps tips to why they were not taken. `lost` is a tip that the remote had once, that it no longer reaches,
    and that was not united here yet; `dropped` are ancestors of the tip that hold files which the tip may lack.
    """

    accepted: str | None = None
    lost: str | None = None
    dropped: tuple[str, ...] = ()
    refused: dict[str, str] = {}
    fetched_at: str | None = None
    synced_at: str | None = None


class SyncNotes:
    """The notes of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._path = repository.state_dir / "sync.json"

    def read(self, remote: str) -> RemoteNote:
        """Return what is known of a remote."""
        return self._load().get(remote, RemoteNote())

    def change(self, remote: str, **fields: object) -> RemoteNote:
        """Change some fields of a remote's note and return it. Raises OSError."""
        notes = self._load()
        note = msgspec.structs.replace(notes.get(remote, RemoteNote()), **fields)
        if len(note.refused) > _MOST_REFUSED:
            note = msgspec.structs.replace(note, refused=dict(list(note.refused.items())[-_MOST_REFUSED:]))
        notes[remote] = note
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        fresh.write_bytes(msgspec.json.encode(notes))
        fresh.replace(self._path)
        return note

    def _load(self) -> dict[str, RemoteNote]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, RemoteNote])
        except (OSError, msgspec.MsgspecError):
            return {}
