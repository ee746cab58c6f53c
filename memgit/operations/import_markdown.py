"""`import.markdown`: a directory of documents as artifacts; importing again changes only what changed."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from memgit.errors import InvalidRequest
from memgit.exchange.markdown import SUFFIXES, Document, Skipped, find_documents
from memgit.limits import DEFAULT
from memgit.operations import checks
from memgit.operations.artifacts import stage_artifact
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import artifact_payload, head_revision, read_lineage, snapshot_of
from memgit.operations.writing import WriteRequest
from memgit.records.codec import canonical_json, digest_of
from memgit.records.marker import canonical_marker
from memgit.records.op import ArtifactPayload
from memgit.records.state import Lineage
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

_BULK_FROM = 100  # documents; below it, loose objects are cheaper than a pack
_LISTED_BYTES = 16 * 1024  # of the paths of each kind; three kinds are far below what a receipt may hold
_MEDIA_TYPE = "text/markdown; charset=utf-8"


class ImportMarkdown(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Import the Markdown files below a directory, each as an artifact. `dry_run` only says what would change.

    Documents are named by their place in the working tree; `prefix` names those of a directory outside it.
    """

    directory: str
    prefix: str | None = None
    dry_run: bool = False


class SkippedView(Struct, frozen=True, kw_only=True):
    """A file that was left out, or a part of one, and why."""

    path: str
    reason: str


class Imported(Struct, frozen=True, kw_only=True):
    """What changed, counted, with the first paths of each kind.

    `missing` were imported before and are no longer there; they are left as they are.
    """

    added: int
    revised: int
    unchanged: int
    missing: int
    added_paths: tuple[str, ...]
    revised_paths: tuple[str, ...]
    missing_paths: tuple[str, ...]
    skipped: tuple[SkippedView, ...]


def run(invocation: Invocation, request: ImportMarkdown) -> Imported:
    """Write new and changed documents in one commit."""
    if "\0" in request.directory:
        raise InvalidRequest("a directory's name holds no NUL", details={"field": "directory"})
    directory = (invocation.directory / request.directory).resolve()
    if not directory.is_dir():
        raise InvalidRequest(f"{request.directory} is not a directory", details={"field": "directory"})
    name = _name(invocation, request, directory)
    found = list(find_documents(directory, name))
    documents = [item for item in found if isinstance(item, Document)]
    skipped = tuple(SkippedView(path=item.path, reason=item.reason) for item in found if isinstance(item, Skipped))
    prefix = f"{name}/" if name else ""

    def build(transaction: Transaction) -> Result:
        return _stage(invocation, transaction, documents, prefix, dry_run=request.dry_run)

    bulk = len(documents) >= _BULK_FROM and not request.dry_run
    result = invocation.write("import.markdown", request, build, bulk=bulk).result
    return Imported(**result, skipped=skipped)


def _stage(
    invocation: Invocation, transaction: Transaction, documents: list[Document], prefix: str, *, dry_run: bool
) -> Result:
    snapshot = snapshot_of(transaction)
    scope = invocation.context.scope
    known = invocation.state_of(snapshot).artifact_paths(scope)
    added: list[str] = []
    revised: list[str] = []
    for document in documents:
        payload = _payload(document, invocation.context.component)
        entity = known.get(document.path)
        lineage = read_lineage(snapshot, entity) if entity is not None else None
        if lineage is None:
            added.append(document.path)
            if not dry_run:
                stage_artifact(transaction, scope, payload, document.data)
        elif not _is_same(lineage, payload):
            revised.append(document.path)
            if not dry_run:
                stage_artifact(transaction, lineage.scope, payload, document.data, lineage, lineage.heads)
    here = {document.path for document in documents}
    gone = (path for path in known if path.startswith(prefix) and path.lower().endswith(SUFFIXES))
    missing = sorted(path for path in gone if path not in here)
    return {
        "added": len(added),
        "revised": len(revised),
        "unchanged": len(documents) - len(added) - len(revised),
        "missing": len(missing),
        "added_paths": _first(added),
        "revised_paths": _first(revised),
        "missing_paths": _first(missing),
    }


def _first(paths: list[str]) -> list[str]:
    """Return as many paths as an answer, and a receipt, should hold."""
    shown: list[str] = []
    room = _LISTED_BYTES
    for path in paths:
        room -= len(path.encode()) + 1
        if room < 0:
            break
        shown.append(path)
    return shown


def _payload(document: Document, component: str | None) -> ArtifactPayload:
    provenance: dict[str, object] = {"importer": "markdown", "path": document.path}
    described: dict[str, object] = {"front_matter": document.front_matter, "headings": list(document.headings)}
    whole = provenance | {name: value for name, value in described.items() if value}
    return ArtifactPayload(
        kind="document",
        title=document.title,
        media_type=_MEDIA_TYPE,
        size=len(document.data),
        digest=digest_of(document.data),
        component=component,
        provenance=_within_limit(whole, provenance),
        markers=checks.markers(_tags(document)),
    )


def _within_limit(whole: dict[str, object], least: dict[str, object]) -> str:
    """Return the provenance as JSON text; a huge outline is left out, since the bytes hold it anyway."""
    text = canonical_json(whole)
    return text if len(text.encode()) <= DEFAULT.metadata_bytes else canonical_json(least)


def _tags(document: Document) -> list[str]:
    """Return the front matter's tags that can be markers."""
    tags = document.front_matter.get("tags")
    words = tags if isinstance(tags, list) else str(tags).split(",") if isinstance(tags, str) else []
    named = [f"tag:{word}" for word in words if isinstance(word, str) and word.strip() and ":" not in word]
    return [tag for tag in named if canonical_marker(tag) is not None][: DEFAULT.markers_per_claim]


def _is_same(lineage: Lineage, payload: ArtifactPayload) -> bool:
    head = artifact_payload(head_revision(lineage))
    return head.digest == payload.digest and head.title == payload.title


def _name(invocation: Invocation, request: ImportMarkdown, directory: Path) -> str:
    """Return what stands in front of the paths: the prefix that is asked for, or the place in the working tree.

    Raises InvalidRequest for a directory elsewhere without a prefix: its paths could be taken for the project's own.
    """
    if request.prefix is not None:
        parts = request.prefix.strip("/").split("/")
        checks.required_text(request.prefix, "prefix", "title_bytes", one_line=True)
        if not all(parts) or any(part in (".", "..") for part in parts):
            raise InvalidRequest(f"{request.prefix[:80]!r} is not a prefix of paths", details={"field": "prefix"})
        return "/".join(parts)
    top = invocation.repository.work_tree
    if top is not None and directory.is_relative_to(top.resolve()):
        relative = directory.relative_to(top.resolve()).as_posix()
        return "" if relative == "." else relative
    raise InvalidRequest(
        f"{directory} is outside the working tree",
        hint="Name its documents with a prefix of their own: `--as PREFIX`.",
        details={"field": "prefix"},
    )
