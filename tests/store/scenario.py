"""What the tests of the store share: claims to write, what a fresh look finds, and Git's own judgement."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import memgit
from memgit.records import codec, ids
from memgit.records.ids import OpDigest
from memgit.records.op import Actor, ClaimPayload, Op, Scope
from memgit.records.paths import parse_op_path
from memgit.records.state import Problem
from memgit.store.repository import Repository, discover
from memgit.store.store import Store, StoreOptions
from memgit.store.transaction import Transaction
from memgit.store.writer import Build, RequestKey, Result, Written

REF = "refs/memgit/store"
SCOPE = Scope("wsp_test", "prj_test")
WRITER = Path(__file__).with_name("writer_process.py")


def open_store(path: Path, **options: object) -> Store:
    """Return the store of the repository that `path` lies in."""
    return Store(discover(path), StoreOptions(**options))  # type: ignore[arg-type]


def new_store(path: Path, **options: object) -> Store:
    """Return the store, initialized."""
    store = open_store(path, **options)
    store.initialize(SCOPE.workspace, SCOPE.project)
    return store


def claim(statement: str) -> Op:
    """Return a draft that asserts a claim."""
    return Op(
        digest=OpDigest(""),
        verb="assert",
        entity=ids.new_entity_id("claim"),
        seq=0,
        at="",
        scope=SCOPE,
        actor=Actor("", ""),
        revision=ids.new_revision_id("claim"),
        payload=ClaimPayload(claim_type="fact", statement=statement),
    )


def claims(*statements: str) -> Build:
    """Return what stages one claim a statement; its result names them."""

    def build(transaction: Transaction) -> Result:
        return {"claims": [transaction.stage(claim(statement), statement).entity for statement in statements]}

    return build


def write(store: Store, statement: str, key: str | None = None) -> Written:
    """Assert one claim, with an idempotency key where one is given."""
    return store.write(claims(statement), None if key is None else request_key(key, statement))


def request_key(key: str, request: str) -> RequestKey:
    """Return the key of a request."""
    return RequestKey(codec.digest_of(key.encode()), codec.digest_of(request.encode()), "claim.assert")


def statements(path: Path, **options: object) -> list[str]:
    """Return the statement of every claim that a fresh look at the store finds, in the order of their seqs.

    Each record is read and decoded, so that one that is missing or damaged fails the test.
    """
    store = open_store(path, **options)
    try:
        snapshot = store.snapshot()
        found = []
        for name, oid in snapshot.files("claims"):
            parsed = parse_op_path(name)
            assert parsed is not None, name
            op = snapshot.decode(parsed, oid)
            assert not isinstance(op, Problem), op
            assert isinstance(op.payload, ClaimPayload) and op.payload.statement is not None
            found.append((op.seq, op.payload.statement))
        return [statement for _, statement in sorted(found)]
    finally:
        store.close()


def git(path: Path, *arguments: str, check: bool = True, stdin: bytes | None = None) -> str:
    """Run Git in a directory and return what it prints."""
    done = subprocess.run(
        ["git", "-C", str(path), *arguments], input=stdin or b"", capture_output=True, check=False, timeout=120
    )
    assert not check or done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def fsck(path: Path) -> None:
    """Fail unless Git finds every object of the repository whole and in its place."""
    done = subprocess.run(
        ["git", "-C", str(path), "fsck", "--full", "--strict", "--no-dangling", "--no-progress"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("notice:")]
    assert done.returncode == 0 and not complaints, complaints


def everything(store: Store) -> dict[str, bytes]:
    """Return every file of the Git directory but the lock and its note, with its bytes."""
    root = store.repository.common_dir
    files = (path for path in root.rglob("*") if path.is_file() and not path.name.startswith("writer."))
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def loose_path(store: Store, oid: str) -> Path:
    """Return where an object's loose file is, or would be."""
    return store.repository.common_dir / "objects" / oid[:2] / oid[2:]


def loose_count(repository: Repository) -> int:
    """Return how many loose objects a repository has."""
    return sum(1 for _ in (repository.common_dir / "objects").glob("[0-9a-f][0-9a-f]/*"))


def packs(repository: Repository) -> set[str]:
    """Return the names of a repository's packs."""
    return {path.stem for path in (repository.common_dir / "objects" / "pack").glob("pack-*.pack")}


class WriterProcess:
    """A process that writes claims and prints the statement of each after its write has returned."""

    def __init__(self, path: Path, *arguments: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(Path(memgit.__file__).parents[1])}
        self.process = subprocess.Popen(
            [sys.executable, str(WRITER), str(path), *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def output(self) -> IO[str]:
        """What it prints."""
        assert self.process.stdout is not None
        return self.process.stdout

    def await_ready(self) -> None:
        """Wait until it has opened the store."""
        line = self.output.readline()
        assert line == "ready\n", self.finish()

    def go(self) -> None:
        """Let it write."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def finish(self) -> list[str]:
        """Wait for its end and return what it acknowledged; a traceback fails the test."""
        assert self.process.stderr is not None
        with self.process:  # closes the pipes and waits
            output, errors = self.output.read(), self.process.stderr.read()
        assert "Traceback" not in errors, errors
        # A line that SIGKILL cut is no acknowledgement.
        return [line for line in output.splitlines(keepends=True) if line.endswith("\n")]


def start_writers(path: Path, count: int, *arguments: str) -> list[WriterProcess]:
    """Start writers and let them go together, once all have opened the store."""
    writers = [WriterProcess(path, f"w{number}", *arguments) for number in range(count)]
    for writer in writers:
        writer.await_ready()
    for writer in writers:
        writer.go()
    return writers


def acknowledged(writers: Sequence[WriterProcess]) -> list[str]:
    """Return the statements that ended writers acknowledged."""
    return [line.strip() for writer in writers for line in writer.finish()]
