"""A checkpoint: where the work stood at one moment, as a record of YAML.

Owns the value, its form on the disk and its id. It is no operation of the memory: nothing folds, indexes or exchanges
one. `archive.py` keeps them, with the snapshots that some of them have.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from blake3 import blake3
from msgspec import Struct

from memgit import clock
from memgit.errors import FormatTooNew, StoreCorrupt
from memgit.records.ids import ULID

CHECKPOINT_FORMAT = 1
CHANGED_KEPT = 200  # paths named in a record; a checkout of another branch may change all
THROUGH_KEPT = 1000  # commits named in a record; a rebase of more is rare
RANDOM_CHARACTERS = 16  # of an id: what comes after its moment

_ID = re.compile(rf"chk_{ULID}")
_FORMAT_LINE = re.compile(rb"format: ([0-9]{1,9})\n")
_BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"


class ChangedPath(Struct, frozen=True):
    """A path that an action changed, with Git's letter for how: A, D, M or T."""

    status: str
    path: str


class SnapshotSummary(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a snapshot holds: counts of files, and the new bytes that had to be kept for it.

    `staged` differ between HEAD and the index, `changed` between the index and the working tree. `listed` tells whether
    all paths that were left out are named in the archive.
    """

    files: int
    staged: int
    changed: int
    untracked: int
    bytes: int
    left_out: int = 0
    listed: bool = True


class Checkpoint(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where the work stood. Only what is known is there.

    `cause` is `manual`, the kind of a hook's event, or what a host calls its own. `before` and `after` are commits of
    HEAD, `tree` that of `after`. `worktree` is the Git directory of the working tree relative to the common one. `runs`
    counts the hook runs that this unites, `during` names what Git was doing, `through` the commits that HEAD was at in
    between, `rewritten` counts pairs of commits.
    """

    id: str
    at: str
    cause: str
    worktree: str
    text: str | None = None
    before: str | None = None
    after: str | None = None
    branch: str | None = None
    tree: str | None = None
    during: str | None = None
    remote: str | None = None
    runs: int = 1
    through: tuple[str, ...] = ()
    rewritten: int = 0
    changed: tuple[ChangedPath, ...] = ()
    changed_more: int = 0
    task: str | None = None
    session: str | None = None
    agent: str | None = None
    snapshot: SnapshotSummary | None = None


def is_checkpoint_id(text: str) -> bool:
    """Tell whether a text has the form of a checkpoint's id."""
    return _ID.fullmatch(text) is not None


def new_checkpoint_id() -> str:
    """Return a fresh id. Ids sort by their moment."""
    return f"chk_{clock.new_ulid()}"


def event_checkpoint_id(seconds: float, key: str) -> str:
    """Return the id of an event's checkpoint: its last `RANDOM_CHARACTERS` follow from the event's key alone.

    So an event that is given twice, because a process died after it had recorded it, is recorded once.
    """
    random_end = int.from_bytes(blake3(key.encode()).digest(10), "big")
    number = (max(0, int(seconds * 1000)) & ((1 << 48) - 1)) << 80 | random_end
    return "chk_" + "".join(_BASE32[(number >> (5 * place)) & 31] for place in range(25, -1, -1))


def encode_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Return a checkpoint's YAML."""
    from memgit.records import yaml_text

    return yaml_text.dump({"format": CHECKPOINT_FORMAT, **msgspec.to_builtins(checkpoint)})


def decode_checkpoint(data: bytes, name: str) -> Checkpoint:
    """Return the checkpoint that `data` holds. Raises FormatTooNew before anything is decoded, StoreCorrupt."""
    from memgit.records import yaml_text
    from memgit.records.codec import convert

    match = _FORMAT_LINE.match(data)
    if match is None:
        raise StoreCorrupt(f"{name}: no format line")
    if int(match[1]) > CHECKPOINT_FORMAT:
        raise FormatTooNew(f"{name}: checkpoint format {int(match[1])}; this program reads {CHECKPOINT_FORMAT}")
    try:
        fields: dict[str, Any] = yaml_text.load(data)
    except yaml_text.YamlRefused as error:
        raise StoreCorrupt(f"{name}: {error}") from None
    del fields["format"]
    found = convert(fields, Checkpoint, name)
    if found.id != name:
        raise StoreCorrupt(f"{name}: the record says that it is {found.id[:80]!r}")
    return found


def shown_path(path: bytes) -> str:
    """Return a path as text for people and JSON; what is not UTF-8 is escaped."""
    return path.decode("utf-8", "backslashreplace")
