"""Records to bytes and back. The digest is taken over the stored bytes, and a stored byte is never rewritten.

Decoding is where a semantic fault is found: bytes whose digest is not their name, fields that contradict the path, a
payload that is not of the verb's form. Such a file stays in the tree; the fold ignores it and `verify` reports it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from blake3 import blake3
from msgspec import Struct

from memgit import clock
from memgit.errors import FormatTooNew, StoreCorrupt
from memgit.limits import DEFAULT
from memgit.records import ids
from memgit.records.ids import BlobDigest, EntityId, OpDigest, StoreId
from memgit.records.op import (
    CREATING_VERBS,
    FORMAT,
    PAYLOAD_BY_VERB,
    PAYLOAD_TAG,
    REVISING_VERBS,
    ArtifactPayload,
    CheckpointPayload,
    ClaimPayload,
    Envelope,
    Evidence,
    External,
    Op,
    ProjectionPayload,
    RelationPayload,
    SourcePayload,
)
from memgit.records.paths import OpPath

_S = TypeVar("_S", bound=Struct)
_FORMAT_LINE = re.compile(rb"format: ([0-9]{1,9})\r?\n")
_BLOB_LINE = re.compile(rb"^blob: ('?)([0-9a-f]{64})\1$", re.MULTILINE)  # quoted where it could be a number


class StoreRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who began a store; `alias_of` names the store that it joined. `digest` is the record's own."""

    digest: str
    store: StoreId
    workspace: str
    project: str
    at: str
    alias_of: StoreId | None = None


class Receipt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of a request with an idempotency key. `request` is the digest of the request, `result` JSON text."""

    digest: str
    operation: str
    request: str
    seq: int
    at: str
    result: str


class PurgeMarker(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Entities that may never come back."""

    digest: str
    entities: tuple[EntityId, ...]
    at: str
    reason: str | None = None


def digest_of(data: bytes) -> str:
    """Return BLAKE3-256 of `data` in lower-case hexadecimal."""
    return blake3(data).hexdigest()


def blob_digest(data: bytes) -> BlobDigest:
    """Return the name of stored artifact bytes."""
    return BlobDigest(digest_of(data))


def encode_op(op: Op) -> tuple[Op, bytes]:
    """Return the op with its digest, and the bytes that the digest names. The given op's digest is ignored."""
    fields = msgspec.to_builtins(op)
    del fields["digest"]
    fields.get("payload", {}).pop(PAYLOAD_TAG, None)
    data = _encode(fields)
    return msgspec.structs.replace(op, digest=OpDigest(digest_of(data))), data


def decode_op(data: bytes, path: OpPath) -> Op:
    """Return the operation that `data` holds.

    Raises StoreCorrupt where the bytes contradict their name, the path or the schema, and FormatTooNew for a record of
    a later version.
    """
    if digest_of(data) != path.digest:
        raise StoreCorrupt(f"{path.name}: the bytes are not those that the name's digest names")
    fields = decode_fields(data, path.name)
    payload_type = PAYLOAD_BY_VERB.get((ids.kind_of(path.entity), path.verb))
    if "sealed" in fields:  # reserved for encrypted payloads (docs/decisions/0010)
        raise StoreCorrupt(f"{path.name}: the payload is sealed, and this version opens none")
    raw_payload = fields.pop("payload", {})
    payload = None if payload_type is None else convert(raw_payload, payload_type, path.name)
    envelope = convert({**fields, "digest": path.digest}, Envelope, path.name)
    op = Op(**msgspec.structs.asdict(envelope), payload=payload)
    fault = _envelope_fault(op, path) or _payload_fault(op)
    if not fault and op.kind == "artifact" and referenced_blob(data) != op.blob:
        fault = "a scan of the bytes does not find the blob that they name"
    if fault:
        raise StoreCorrupt(f"{path.name}: {fault}")
    return op


def encode_record(record: StoreRecord | Receipt | PurgeMarker) -> tuple[str, bytes]:
    """Return the record's digest and the bytes that it names. The given record's digest is ignored."""
    fields = msgspec.to_builtins(record)
    del fields["digest"]
    data = _encode(fields)
    return digest_of(data), data


def decode_record(data: bytes, digest: str, kind: type[_S]) -> _S:
    """Return a store record, receipt or purge marker. Raises StoreCorrupt or FormatTooNew as `decode_op` does."""
    if digest_of(data) != digest:
        raise StoreCorrupt(f"{digest}.yaml: the bytes are not those that the name's digest names")
    fields = decode_fields(data, f"{digest}.yaml")
    record = convert({**fields, "digest": digest}, kind, f"{digest}.yaml")
    if isinstance(record, StoreRecord) and (fault := _store_fault(record)):
        raise StoreCorrupt(f"{digest}.yaml: {fault}")
    return record


def _store_fault(record: StoreRecord) -> str | None:
    """Return what in a founding record is not of its form, or None: every reader takes the ids in it for ids."""
    for name, value in (("workspace", record.workspace), ("project", record.project)):
        if not ids.is_scope_id(value):
            return f"the {name} is not an id"
    for store in (record.store, *((record.alias_of,) if record.alias_of is not None else ())):
        if not ids.is_store_id(store):
            return f"{store[:80]!r} is not the id of a store"
    return None if clock.parse_time(record.at) == record.at else "the time is not RFC 3339 in UTC with microseconds"


def decode_fields(data: bytes, name: str) -> dict[str, Any]:
    """Return a record's raw fields without `format`. The version is judged from the bytes, before any decoding."""
    match = _FORMAT_LINE.match(data)
    if match is None:
        raise StoreCorrupt(f"{name}: no format line")
    if int(match[1]) > FORMAT:
        raise FormatTooNew(f"{name}: record format {int(match[1])}; this program reads {FORMAT}")
    if int(match[1]) < FORMAT:
        raise StoreCorrupt(f"{name}: record format {int(match[1])}, which never was")
    from memgit.records import yaml_text

    try:
        fields: dict[str, Any] = yaml_text.load(data)
    except yaml_text.YamlRefused as error:
        raise StoreCorrupt(f"{name}: {error}") from None
    del fields["format"]
    return fields


def convert(fields: Any, kind: type[_S], name: str) -> _S:
    """Return raw fields (all strings) as a struct; the schema decides each type. StoreCorrupt where they do not fit."""
    try:
        value = msgspec.convert(fields, kind, strict=False)
    except msgspec.ValidationError as error:
        raise StoreCorrupt(f"{name}: {error}") from None
    if _is_misspelt(fields, value):
        raise StoreCorrupt(f"{name}: a number or a truth value is not in its one spelling")
    return value


def _is_misspelt(raw: Any, value: Any) -> bool:
    """Tell whether an integer or a boolean is written otherwise than in decimal, `true` or `false`.

    The converter also takes `1.0`, `1e2` or `True`; another reader may not, and would fold another state. No integer of
    a record is negative or beyond 2^53 - 1, which not every reader holds.
    """
    kind = type(value)
    if kind is int:
        return bool(raw != str(value)) or not 0 <= value <= DEFAULT.sequence
    if kind is bool:
        return bool(raw != ("true" if value else "false"))
    if isinstance(value, Struct):
        return any(_is_misspelt(item, getattr(value, key, None)) for key, item in raw.items())
    if kind is tuple:
        return any(map(_is_misspelt, raw, value))
    return False


def referenced_blob(data: bytes) -> BlobDigest | None:
    """Return the blob that a stored op names, without decoding it.

    Exact for what we write, where every top-level key stands in the first column and every continued scalar is
    indented; `decode_op` refuses an artifact operation for which it is not.
    """
    match = _BLOB_LINE.search(data)
    return BlobDigest(match[2].decode()) if match else None


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys and no spaces: the text of structured values and the input of request digests."""
    return msgspec.json.encode(value, order="deterministic").decode()


def _encode(fields: Mapping[str, Any]) -> bytes:
    from memgit.records import yaml_text  # what only reads derived files needs no YAML

    return yaml_text.dump({"format": FORMAT, **fields})


def _envelope_fault(op: Op, path: OpPath) -> str | None:
    """Return what contradicts the path or the envelope's own rules, or None."""
    if (op.entity, op.seq, op.verb) != (path.entity, path.seq, path.verb):
        return "the record contradicts its path"
    if not 0 < op.seq <= DEFAULT.sequence:
        return f"the sequence {op.seq} is out of bounds"
    if clock.parse_time(op.at) != op.at:
        return "the time is not RFC 3339 in UTC with microseconds"
    for name, value in (("workspace", op.scope.workspace), ("project", op.scope.project), ("task", op.scope.task)):
        if value is not None and not ids.is_scope_id(value):
            return f"the {name} is not an id"
    if op.payload is None:
        return None
    return _lineage_fault(op)


def _lineage_fault(op: Op) -> str | None:
    kind = op.kind
    revises = op.verb in REVISING_VERBS and kind in ids.REVISION_PREFIX
    if revises != (op.revision is not None):
        return "the verb and its revision id do not go together"
    prefix = ids.REVISION_PREFIX.get(kind)
    for revision in (*op.parents, *((op.revision,) if op.revision else ())):
        if not ids.is_revision_id(revision) or not revision.startswith(f"{prefix}_"):
            return f"{revision!r} is not a revision id of a {kind}"
    if op.verb in CREATING_VERBS and op.parents:
        return "a creating operation has parents"
    if op.verb == "revise" and not op.parents:
        return "a revision without parents"
    if kind == "artifact" and revises and (op.blob is None or not ids.is_digest(op.blob)):
        return "an artifact revision names no blob"
    if op.verb == "undo" and not (op.cancels and all(ids.is_digest(digest) for digest in op.cancels)):
        return "an undo names no operation"
    return None


def _payload_fault(op: Op) -> str | None:
    payload = op.payload
    if isinstance(payload, ClaimPayload | ArtifactPayload) and (fault := _description_fault(payload)):
        return fault
    if isinstance(payload, ClaimPayload):
        if payload.statement is None and payload.value is None:
            return "a claim without a statement or a value"
        if len(payload.evidence) > DEFAULT.evidence_per_claim:
            return f"more than {DEFAULT.evidence_per_claim} locators of evidence"
        if payload.statement is not None and len(payload.statement.encode()) > DEFAULT.statement_bytes:
            return f"a statement of more than {DEFAULT.statement_bytes} bytes"
        if any(
            moment is not None and clock.parse_time(moment) != moment
            for moment in (payload.valid_from, payload.valid_until)
        ):
            return "a validity that is not RFC 3339 in UTC with microseconds"
        if payload.confidence is not None and not 0.0 <= payload.confidence <= 1.0:
            return "a confidence outside 0 to 1"
        return next((fault for item in payload.evidence if (fault := _evidence_fault(item))), None)
    if isinstance(payload, SourcePayload | CheckpointPayload):
        return _source_fault(payload)
    if isinstance(payload, ProjectionPayload):
        return _projection_fault(payload)
    if isinstance(payload, RelationPayload):
        for end in (payload.source, payload.target):
            if not ids.is_entity_id(end) or ids.kind_of(end) not in ids.REVISION_PREFIX:
                return f"{end!r} is not the id of a claim or an artifact"
        if payload.source == payload.target:
            return "a relation from an entity to itself"
    return None


def _source_fault(payload: SourcePayload | CheckpointPayload) -> str | None:
    texts: tuple[tuple[str, str | None], ...]
    if isinstance(payload, SourcePayload):
        texts = (("kind", payload.kind), ("name", payload.name), ("uri", payload.uri))
    else:
        texts = (("cursor", payload.cursor), ("message", payload.message))
    return next((fault for name, text in texts if (fault := _name_fault(name, text))), None)


def _projection_fault(payload: ProjectionPayload) -> str | None:
    if not payload.text.strip() or len(payload.text.encode()) > DEFAULT.statement_bytes:
        return f"a derived text that is blank or has more than {DEFAULT.statement_bytes} bytes"
    if not 0 < len(payload.spans) <= DEFAULT.evidence_per_claim:
        return f"no span, or more than {DEFAULT.evidence_per_claim}"
    spans = (Evidence(payload.artifact, payload.revision, span.start, span.end) for span in payload.spans)
    return next((fault for item in spans if (fault := _evidence_fault(item))), None)


def _external_fault(external: External) -> str | None:
    if not (ids.is_entity_id(external.source) and external.source.startswith("src_")):
        return f"{external.source!r} is not the id of a source"
    return _name_fault("item", external.item) or _name_fault("revision", external.revision)


def _name_fault(name: str, text: str | None) -> str | None:
    """Return what is wrong with a name that another system gave, or None."""
    if text is not None and (not text.strip() or len(text.encode()) > DEFAULT.external_bytes):
        return f"a {name} that is blank or has more than {DEFAULT.external_bytes} bytes"
    return None


def _description_fault(payload: ClaimPayload | ArtifactPayload) -> str | None:
    """Return what of the markers and anchors is beyond what a writer may write, or None."""
    if len(payload.markers) > DEFAULT.markers_per_claim:
        return f"more than {DEFAULT.markers_per_claim} markers"
    if len(payload.anchors) > DEFAULT.anchors_per_claim:
        return f"more than {DEFAULT.anchors_per_claim} anchors"
    if any(len((anchor.text or "").encode()) > DEFAULT.anchor_text_bytes for anchor in payload.anchors):
        return f"an anchor with a copy of more than {DEFAULT.anchor_text_bytes} bytes"
    if isinstance(payload, ArtifactPayload) and payload.external is not None:
        return _external_fault(payload.external)
    return None


def _evidence_fault(item: Evidence) -> str | None:
    if not (ids.is_entity_id(item.artifact) and item.artifact.startswith("art_")):
        return f"{item.artifact!r} is not the id of an artifact"
    if not (ids.is_revision_id(item.revision) and item.revision.startswith("arev_")):
        return f"{item.revision!r} is not the revision id of an artifact"
    if (item.start is None) != (item.end is None):
        return "half a span"
    if item.start is not None and item.end is not None and not 0 <= item.start < item.end:
        return "a span that is empty or runs backwards"
    return None
