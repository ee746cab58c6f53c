"""What is judged of the files that arrive beyond their names: the bytes that others will rely on, and who began it.

Most records are judged by whoever reads them. These two kinds cannot be: a blob or a store record with other bytes
than its name says would stand where honest ones belong, because their names can be known before they are written.
"""

from __future__ import annotations

from memgit.errors import StoreCorrupt
from memgit.records.codec import digest_of
from memgit.records.paths import parse_op_path
from memgit.store.database import Database
from memgit.store.objects import ObjectId
from memgit.store.snapshot import Snapshot

MOST_STORES = 1_000  # records of stores that were joined into one


def op_above(path: str, seq: int) -> str | None:
    """Return what is wrong with an operation whose commit has this seq, None where nothing is.

    The fold orders by seq, and writers count on from a commit's: an operation above it would outweigh what they write.
    """
    name = parse_op_path(path)
    if name is None or name.seq <= seq:
        return None
    return f"an operation with sequence {name.seq}, above its commit's, {seq}"


def other_bytes(database: Database, path: str, oid: ObjectId) -> str | None:
    """Return what is wrong with the bytes of a file, None where nothing is. Raises StoreCorrupt where it is missing."""
    top, _, rest = path.partition("/")
    if top not in ("blobs", "stores"):
        return None
    named = rest.rpartition("/")[2].removesuffix(".yaml")
    if digest_of(database.read(oid, "blob")) == named:
        return None
    return "other bytes than the digest in its name says"


def without_beginning(database: Database, commit: ObjectId) -> str | None:
    """Return what is wrong with who began a store, None where nothing is."""
    snapshot = Snapshot(database, commit)
    count = sum(len(snapshot.directory(f"stores/{name}")) for name in snapshot.directory("stores"))
    if count > MOST_STORES:
        return f"{count} store records, more than {MOST_STORES}"
    try:
        if any(record.alias_of is None for record in snapshot.stores()):
            return None
    except StoreCorrupt as error:
        return error.message
    return "no record that can be used says who began it"
