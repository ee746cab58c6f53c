"""Writing a store's files as a commit, whatever they say: what a clone might hold."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from memgit.records import codec
from memgit.records.codec import StoreRecord
from memgit.records.paths import FORMAT_PATH, FORMAT_TEXT, store_directory
from memgit.store.backend import open_backend
from memgit.store.database import Database
from memgit.store.objects import ObjectId, Signature, encode_commit
from memgit.store.repository import discover
from memgit.store.snapshot import Snapshot
from memgit.store.tree_edit import add_files
from memgit.store.write_ahead_log import WriteAheadLog

AUTHOR = Signature("Test", "test@example.org", 1_700_000_000)


def open_database(directory: Path) -> Database:
    """Return the objects of a new bare repository."""
    subprocess.run(["git", "init", "-q", "--bare", str(directory)], check=True)
    repository = discover(directory)
    return Database(open_backend(repository), WriteAheadLog(repository.state_dir / "log"))


def write_snapshot(database: Database, files: Mapping[str, bytes], seq: int) -> Snapshot:
    """Return the snapshot of a commit that holds exactly these files, and a store record."""
    record = StoreRecord(
        digest="", store="sto_" + "0" * 26, workspace="wsp", project="prj", at="2026-01-01T00:00:00.000000Z"
    )  # type: ignore[arg-type]
    digest, data = codec.encode_record(record)
    whole = {**files, FORMAT_PATH: FORMAT_TEXT, f"{store_directory(record.store)}/{digest}.yaml": data}
    blobs = {path: database.make("blob", content) for path, content in whole.items()}
    tree, trees = add_files(database, None, {path: blob.oid for path, blob in blobs.items()})
    message = f"test\n\nMemgit-Seq: {seq}\n"
    commit = database.make("commit", encode_commit(tree, [], AUTHOR, AUTHOR, message))
    database.write([*blobs.values(), *trees, commit])
    return Snapshot(database, ObjectId(commit.oid))
