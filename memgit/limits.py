"""All default limits, each with its reason. `capabilities` reports them; nothing else defines one."""

from __future__ import annotations

from dataclasses import dataclass, fields

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes unless a field says otherwise."""

    artifact_bytes: int = 8 * MIB  # the memoree contract's bound
    statement_bytes: int = 8 * KIB  # a claim is one atomic statement, not a document
    encoded_content_bytes: int = 12 * MIB  # an artifact of 8 MiB in base64, with room
    request_bytes: int = 24 * MIB  # JSON may escape each byte of the content
    response_citation_bytes: int = 8 * KIB  # one citation fills at most this much of a reader's context
    evidence_per_claim: int = 16  # a count
    markers_per_claim: int = 64  # a count
    anchors_per_claim: int = 16  # a count
    marker_bytes: int = 256
    title_bytes: int = 512
    external_bytes: int = 2 * KIB  # a name, cursor or address that another system gives
    subject_bytes: int = 512
    component_bytes: int = 256
    reason_bytes: int = 2 * KIB
    metadata_bytes: int = 16 * KIB  # provenance and relation metadata, as JSON text
    json_depth: int = 32  # nesting of free-form JSON; readers of other languages recurse
    value_bytes: int = 64 * KIB  # a typed value, as text
    anchor_text_bytes: int = 4 * KIB  # the copy of the anchored lines that survives the user's own gc
    note_bytes: int = 4 * KIB  # a continuity note, its truncation mark included: a page, not a transcript
    note_input_bytes: int = 64 * KIB  # what is put as a note; more is refused before it is read to its end
    notes: int = 1_000  # a count, of sessions whose notes wait
    note_claims: int = 50  # a count, of claims that one note may become
    query_bytes: int = 4 * KIB  # longer queries are cut at a word, and the answer says so
    history_page: int = 100  # a count
    blame_bytes: int = 1 * MIB  # one document; its revisions are compared line by line
    diff_bytes: int = 4 * MIB  # one difference, in JSON or Markdown
    idempotency_key_bytes: int = 256
    record_bytes: int = 256 * KIB  # one YAML record as stored; the sum of the above stays below
    record_depth: int = 16  # nesting of one YAML record; ours need 6
    record_nodes: int = 20_000  # scalars and collections in one YAML record
    sequence: int = 2**53 - 1  # exact in every JSON reader
    sequence_room: int = 2**32  # a tip that leaves less room than this is refused
    bulk_operations: int = 1_000_000  # a count, one transaction
    import_documents: int = 20_000  # a count, one `import`
    lock_wait_ms: int = 15_000  # longer than the 10 s after which a dead process's ref lock may be removed
    pins: int = 64  # a count
    model_bytes: int = 2048 * MIB  # an installed model; a sentence embedding model has 20 to 1,300 MB
    model_files: int = 256  # a count; such a model has 10 to 20
    checkpoint_file_bytes: int = 16 * MIB  # one file that is not committed as it is; larger ones are named and left out
    checkpoint_new_bytes: int = 128 * MIB  # of all such files of one snapshot; screening them takes 0.2 s a MiB
    checkpoint_untracked_files: int = 10_000  # a count, of one snapshot; more is a build that nobody ignored
    checkpoint_text_bytes: int = 4 * KIB  # what a checkpoint says; as a continuity note

    def as_dict(self) -> dict[str, int]:
        """Return the limits by name, in source order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


DEFAULT = Limits()
