"""What to say of a claim that says something new and still cites what the old text rested on."""

from __future__ import annotations

from contextlib import suppress

from memgit.errors import FormatTooNew, NotFound, StoreCorrupt
from memgit.operations.lineages import read_lineage
from memgit.operations.views import statement_of
from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload, Evidence
from memgit.retrieval.citations import ArtifactCitation
from memgit.store.snapshot import Snapshot

_NAMED = 3  # citations


def outdated_evidence(snapshot: Snapshot, claim: EntityId, old: ClaimPayload, new: ClaimPayload) -> list[str]:
    """Return a sentence where a claim's text was changed, its evidence was not, and that does not say the new text."""
    if (old.statement, old.value) == (new.statement, new.value) or not new.evidence:
        return []
    said = statement_of(new).encode()
    if any(said in _cited(snapshot, item) for item in new.evidence):
        return []
    cited = [str(ArtifactCitation(item.artifact, item.revision, item.start, item.end)) for item in new.evidence]
    shown = ", ".join(cited[:_NAMED]) + (", …" if len(cited) > _NAMED else "")
    return [
        f"the evidence was not changed: {claim} still cites what its earlier text rested on ({shown}), which does not "
        "say the new one; revise the evidence as well, or assert a new claim that supersedes this one"
    ]


def _cited(snapshot: Snapshot, item: Evidence) -> bytes:
    """Return the bytes that evidence names; of what is not here, nothing."""
    with suppress(NotFound, StoreCorrupt, FormatTooNew):
        revisions = read_lineage(snapshot, item.artifact).revisions
        blob = next((one.blob for one in revisions if one.id == item.revision), None)
        data = snapshot.blob(blob) if blob is not None else None
        return (data or b"")[item.start : item.end]
    return b""
