"""Reading a whole store and naming everything in it that memgit did not write, or that does not add up.

Structural faults and damaged bytes are errors; what the fold ignores by rule (an unknown verb, say) is a note. It
repairs nothing: `backup` and a clone do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memgit.errors import FormatTooNew, StoreCorrupt
from memgit.index.index_check import check_indexes
from memgit.index.state_cache import StateCache
from memgit.records import codec, paths
from memgit.records.codec import PurgeMarker, Receipt, StoreRecord
from memgit.records.fold import fold
from memgit.records.ids import BlobDigest
from memgit.records.op import ClaimPayload, Op
from memgit.records.span import span_fault
from memgit.records.state import Lineage, Problem, Revision, State
from memgit.store.believing import unbelievable
from memgit.store.objects import FILE_MODE, ObjectId
from memgit.store.snapshot import LaterOp, LostOp, Snapshot


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is wrong."""

    severity: Literal["error", "note"]
    where: str
    what: str
    do: str


class Report(Struct, frozen=True, kw_only=True):
    """What was checked, by kind, and what was found, by place."""

    checked: dict[str, int]
    findings: tuple[Finding, ...]


_RESTORE = "Fetch the object from a clone or restore a backup; answers leave it out until then."
_DELETE = "Delete the directory memgit/cache in the Git directory; it is rebuilt."
_FAULTS = 8  # of one file; more say no more
_REPORT = "Another program or a later version wrote it; it is kept and ignored."


def verify_store(snapshot: Snapshot, state: Callable[[], StateCache], history: Iterator[Snapshot]) -> Report:
    """Return what is wrong with a snapshot, with the cache of it, and with the commits that led to it."""
    check = _Check(snapshot)
    check.files()
    try:
        check.references()
        check.cache(state())
    except StoreCorrupt as error:  # the files have been named already; what builds on them cannot be checked
        check.not_checked(error)
    check.commits(history)
    return Report(checked=dict(check.counts), findings=tuple(sorted(check.findings, key=lambda item: item.where)))


def verify_indexes(cache_dir: Path) -> Report:
    """Return what is wrong with the files of the indexes: each is read wholly."""
    checked = check_indexes(cache_dir)
    findings = tuple(
        Finding(severity="error", where=fault.where, what=fault.what, do=_DELETE) for fault in checked.faults
    )
    return Report(checked={"indexed": checked.files}, findings=findings)


def verify_layer(layer: str, snapshot: Snapshot, history: Iterator[Snapshot]) -> Report:
    """Return what is wrong with the files and the commits of a private layer; its references reach into the shared one.

    Findings name the layer, counts are under its name.
    """
    check = _Check(snapshot)
    check.files()
    check.commits(history)
    return Report(
        checked={f"{layer} {name}": count for name, count in check.counts.items()},
        findings=tuple(
            Finding(severity=found.severity, where=f"{layer}: {found.where}", what=found.what, do=found.do)
            for found in sorted(check.findings, key=lambda item: item.where)
        ),
    )


class _Check:
    def __init__(self, snapshot: Snapshot) -> None:
        self.counts: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self._snapshot = snapshot
        self._ops: list[Op] = []
        self._blobs: dict[BlobDigest, ObjectId] = {}
        self._receipts: list[tuple[str, Receipt]] = []
        self._state: State | None = None
        self._stores = 0

    def files(self) -> None:
        """Read every file once: its place, its mode, its digest, its form."""
        for path, item in self._snapshot.entries():
            top = path.partition("/")[0]
            self.counts[top] += 1
            if item.mode != FILE_MODE or not paths.is_wellformed(path):
                self._error(path, "no memgit writes a file like this", "Move it out of the store's ref.")
                continue
            try:
                self._file(top, path, item.oid)
            except FormatTooNew as error:
                self._note(path, error.message, "Upgrade git-memgit to read it.")
            except StoreCorrupt as error:
                self._error(path, error.message, _RESTORE)

    def references(self) -> None:
        """Fold the operations and look for what they name."""
        self._state = fold(self._ops, self._snapshot.purged())
        for problem in self._state.problems:
            self._note(problem.path, problem.reason, _REPORT)
        for entity in self._state.entities.values():
            for revision in entity.lineage.revisions:
                self._revision(entity.lineage, revision)
        for relation in self._state.relations.values():
            for end in (relation.payload.source, relation.payload.target):
                if end not in self._state.entities:
                    self._note(relation.id, f"it names {end}, which is not here", "Sync with the clone that has it.")
        if not self._stores:
            self._error("stores", "no usable record says whose store this is", "Run `git memory init`: it writes one.")
        for path, receipt in self._receipts:
            why = unbelievable(receipt, self._snapshot)
            if why is not None:
                self._note(path, f"this receipt does not count: {why}", _REPORT)
        named = {op.blob for op in self._ops if op.blob}
        for digest in self._blobs.keys() - named:
            self._note(paths.blob_path(digest), "no operation names these bytes", "`git memory gc` drops them.")

    def cache(self, state: StateCache) -> None:
        """Compare the state cache with the fold."""
        assert self._state is not None
        cached = {entity.lineage.id: entity for entity in state.entities()}
        different = [name for name, entity in self._state.entities.items() if cached.get(name) != entity]
        different += [name for name in cached if name not in self._state.entities]
        cases = {case.id: case for case in state.cases(open_only=False)}
        fresh = self._state.cases
        different += [name for name in cases.keys() | fresh.keys() if cases.get(name) != fresh.get(name)]
        self.counts["cached"] = len(cached)
        if different:
            what = f"{len(different)} entries differ from a fresh fold, first {different[0]}"
            self._error("cache/state", what, _DELETE)
        for fault in state.faults()[:_FAULTS]:
            self._error("cache/state", fault, _DELETE)

    def not_checked(self, error: StoreCorrupt) -> None:
        """Say that the rest could not be looked at."""
        self._error("references", f"not checked: {error.message}", _RESTORE)

    def commits(self, history: Iterator[Snapshot]) -> None:
        """Follow the history: each commit has a seq that is not below its parents', and at most two of these."""
        seqs: dict[str, int] = {}
        parents: list[tuple[str, str]] = []
        try:
            for seen in history:
                self.counts["commits"] += 1
                seqs[seen.commit_id] = seen.seq
                parents += [(seen.commit_id, parent) for parent in seen.commit.parents]
                if len(seen.commit.parents) > 2:
                    self._error(seen.commit_id, "the commit has more than two parents", _RESTORE)
        except (StoreCorrupt, FormatTooNew) as error:
            self._error("history", error.message, _RESTORE)
        for commit, parent in parents:
            if seqs.get(parent, 0) > seqs[commit]:
                self._error(commit, f"its seq {seqs[commit]} is below that of its parent {parent}", _RESTORE)

    def _file(self, top: str, path: str, oid: ObjectId) -> None:
        data = self._snapshot.read_file(oid)
        digest = path.rpartition("/")[2].removesuffix(".yaml")
        if top in paths.KIND_BY_DIRECTORY:
            name = paths.parse_op_path(path)
            assert name is not None
            decoded = self._snapshot.decode(name, oid)
            if isinstance(decoded, LaterOp):
                raise FormatTooNew(decoded.reason)
            if isinstance(decoded, Problem) and not isinstance(decoded, LostOp):
                self._error(path, decoded.reason, _REPORT)
                return
            if isinstance(decoded, Problem):
                raise StoreCorrupt(decoded.reason)
            self._ops.append(decoded)
        elif top == "blobs":
            if codec.digest_of(data) != digest:
                raise StoreCorrupt("the bytes are not those that the name's digest names")
            self._blobs[BlobDigest(digest)] = oid
        elif top == "receipts":
            self._receipts.append((path, codec.decode_record(data, digest, Receipt)))
        elif top == "stores":
            record = codec.decode_record(data, digest, StoreRecord)
            if not path.startswith(f"{paths.store_directory(record.store)}/"):
                raise StoreCorrupt(f"the record speaks of another store, {record.store}")
            self._stores += 1
        elif top == "purges":
            codec.decode_record(data, digest, PurgeMarker)

    def _revision(self, lineage: Lineage, revision: Revision) -> None:
        if revision.blob is not None and revision.blob not in self._blobs:
            self._error(lineage.id, f"the bytes of {revision.id} are missing ({revision.blob})", _RESTORE)
        if not isinstance(revision.payload, ClaimPayload):
            return
        for item in revision.payload.evidence:
            fault = self._evidence_fault(item.artifact, item.revision, item.start, item.end)
            if fault:
                what = f"evidence of {revision.id}: {fault}"
                self._note(lineage.id, what, "Revise the claim, or sync what it cites.")

    def _evidence_fault(self, artifact: str, wanted: str, start: int | None, end: int | None) -> str | None:
        assert self._state is not None
        entity = self._state.entities.get(artifact)
        if entity is None:
            return f"{artifact} is not here"
        revision = next((item for item in entity.lineage.revisions if item.id == wanted), None)
        if revision is None:
            return f"{artifact} has no revision {wanted}"
        if start is None or end is None or revision.blob not in self._blobs:
            return None
        data = self._snapshot.read_file(self._blobs[revision.blob])
        fault = span_fault(data, start, end, is_text=False)
        return f"{fault.reason} ({start} to {end} of {len(data)})" if fault else None

    def _error(self, where: str, what: str, do: str) -> None:
        self.findings.append(Finding(severity="error", where=where, what=what, do=do))

    def _note(self, where: str, what: str, do: str) -> None:
        self.findings.append(Finding(severity="note", where=where, what=what, do=do))
