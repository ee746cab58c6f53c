"""`import.markdown`: a directory of documents as artifacts; importing again changes only what changed.

A document that looks as if it held a secret is left out and named, so that the others still come in.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from memgit.errors import InvalidRequest
from memgit.exchange.markdown import SUFFIXES, Document, Skipped, find_documents, other_files
from memgit.limits import DEFAULT
from memgit.operations import checks
from memgit.operations.artifacts import stage_artifact
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import (
    artifact_payload,
    continues_here,
    head_revision,
    read_lineage,
    snapshot_of,
)
from memgit.operations.writing import WriteRequest
from memgit.records.codec import canonical_json, digest_of
from memgit.records.marker import canonical_marker
from memgit.records.op import ArtifactPayload
from memgit.records.state import Lineage
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

if TYPE_CHECKING:
    from memgit.screening import Finding

_BULK_FROM = 100  # documents; below it, loose objects are cheaper than a pack
_LISTED_BYTES = 16 * 1024  # of the paths of each kind; four kinds are far below what a receipt may hold
_KINDS_NAMED = 5  # of the files that are no Markdown
_FINDINGS_NAMED = 3  # of one document: enough to find the place
_NAMELESS = "(a name that looks like a secret)"
_FORGOTTEN = "it was forgotten; `readmit` takes it in again"
_MEDIA_TYPE = "text/markdown; charset=utf-8"


class ImportMarkdown(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Import the Markdown files below a directory, each as an artifact. `dry_run` only says what would change.

    Documents are named by their place in the working tree; `prefix` names those of a directory outside it. What a
    person forgot stays forgotten, whatever it says now; `readmit` takes it in all the same, as a new artifact.
    """

    directory: str
    prefix: str | None = None
    dry_run: bool = False
    readmit: bool = False


class SkippedView(Struct, frozen=True, kw_only=True):
    """A file that was left out, or a part of one, and why."""

    path: str
    reason: str


class Imported(Struct, frozen=True, kw_only=True):
    """What changed, counted, with the first paths of each kind.

    `missing` were imported before and are no longer there; they are left as they are. `flagged` look as if they held a
    secret and were left out, and so were the `forgotten`; `skipped` names the first of them too. `others` counts the
    files that are no Markdown, and `other_kinds` the most frequent ends of their names.
    """

    added: int
    revised: int
    unchanged: int
    missing: int
    flagged: int
    added_paths: tuple[str, ...]
    revised_paths: tuple[str, ...]
    missing_paths: tuple[str, ...]
    skipped: tuple[SkippedView, ...]
    forgotten: int = 0
    others: int = 0
    other_kinds: dict[str, int] = {}


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
        return _stage(invocation, transaction, documents, prefix, request)

    bulk = len(documents) >= _BULK_FROM and not request.dry_run
    result = dict(invocation.write("import.markdown", request, build, bulk=bulk).result)
    flagged = tuple(SkippedView(**item) for item in result.pop("flagged_documents", ()))
    forgotten = tuple(SkippedView(path=path, reason=_FORGOTTEN) for path in result.pop("forgotten_paths", ()))
    others = other_files(directory)
    return Imported(
        **{"flagged": 0, **result},
        skipped=skipped + flagged + forgotten,
        others=others.total(),
        other_kinds={_printable(suffix): count for suffix, count in others.most_common(_KINDS_NAMED)},
    )


def _printable(name: str) -> str:
    """Return a part of a file's name as text; bytes that are not UTF-8 are replaced."""
    return name.encode("utf-8", "replace").decode()


def _stage(
    invocation: Invocation,
    transaction: Transaction,
    documents: list[Document],
    prefix: str,
    request: ImportMarkdown,
) -> Result:
    snapshot = snapshot_of(transaction)
    scope = invocation.context.scope
    state = invocation.state_of(snapshot)
    known = state.artifact_paths(scope)
    ended = set() if request.readmit else state.forgotten_paths(scope) - known.keys()
    added: list[str] = []
    revised: list[str] = []
    forgotten: list[str] = []
    flagged: list[dict[str, str]] = []
    for document in documents:
        if document.path in ended:
            forgotten.append(document.path)
            continue
        payload = _payload(document, invocation.context.component)
        entity = known.get(document.path)
        lineage = read_lineage(snapshot, entity) if entity is not None else None
        if lineage is not None and _is_same(lineage, payload):
            continue
        if lineage is not None and not continues_here(transaction, lineage.id):
            lineage = None
        findings = transaction.would_refuse(payload, document.data, document.path)
        if findings:
            flagged.append(_flagged(transaction, document, findings))
            continue
        (added if lineage is None else revised).append(document.path)
        if request.dry_run:
            continue
        if lineage is None:
            stage_artifact(transaction, scope, payload, document.data)
        else:
            kept = replace(payload, anchors=artifact_payload(head_revision(lineage)).anchors)
            stage_artifact(transaction, lineage.scope, kept, document.data, lineage, lineage.heads)
    here = {document.path for document in documents}
    gone = (path for path in known if path.startswith(prefix) and path.lower().endswith(SUFFIXES))
    missing = sorted(path for path in gone if path not in here)
    return {
        "added": len(added),
        "revised": len(revised),
        "unchanged": len(documents) - len(added) - len(revised) - len(flagged) - len(forgotten),
        "missing": len(missing),
        "flagged": len(flagged),
        "forgotten": len(forgotten),
        "added_paths": _first(transaction, added),
        "revised_paths": _first(transaction, revised),
        "missing_paths": _first(transaction, missing),
        "forgotten_paths": _first(transaction, forgotten),
        "flagged_documents": _named(flagged),
    }


def _first(transaction: Transaction, paths: list[str]) -> list[str]:
    """Return as many paths as an answer, and a receipt, should hold; none that itself looks like a secret."""
    shown: list[str] = []
    room = _LISTED_BYTES
    for path in paths:
        room -= len(path.encode()) + 1
        if room < 0:
            break
        if transaction.is_clean(path):
            shown.append(path)
    return shown


def _named(flagged: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return as many of what is left out as an answer, and a receipt, should hold."""
    room = accumulate(len(item["path"].encode()) + len(item["reason"]) for item in flagged)
    return [item for item, size in zip(flagged, room, strict=True) if size <= _LISTED_BYTES]


def _flagged(transaction: Transaction, document: Document, findings: tuple[Finding, ...]) -> dict[str, str]:
    """Return a document that is left out, with the places to look at."""
    places = [
        f"{found.rule} at line {found.line}, column {found.column}"
        if found.where == document.path
        else f"{found.rule} in its {found.where}"
        for found in findings[:_FINDINGS_NAMED]
    ]
    more = f", and {len(findings) - len(places)} more" if len(findings) > len(places) else ""
    name = document.path if transaction.is_clean(document.path) else _NAMELESS
    return {"path": name, "reason": f"it looks as if it held a secret: {', '.join(places)}{more}"}


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
