"""The second screen: what is about to be pushed, and the remote does not have, is looked through for secrets again.

The first screen stands in front of each write; this one catches what came in otherwise: records of a version without
it, or with fewer rules, and what another program put into the ref. What somebody looked at in this clone and let in is
believed (`memgit.store.allowed`). Findings only: whoever pushes decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from memgit.errors import FormatTooNew, JsonValue, SecretDetected, StoreCorrupt
from memgit.records import codec
from memgit.records.codec import PurgeMarker, Receipt
from memgit.records.ids import EntityId
from memgit.records.op import Op
from memgit.records.paths import parse_op_path
from memgit.records.texts import Text, op_texts, record_texts
from memgit.screening import Finding, screen_bytes, screen_text
from memgit.store.database import Database
from memgit.store.objects import ObjectId, Tree, TreeItem, subtree

REPORTED = 20  # files in one refusal
_NAMED = 3  # files in its message
_UNSCREENED = ("format", "stores")  # a constant, and the ids that the project marker holds


@dataclass(frozen=True, slots=True)
class FlaggedFile:
    """A file of the store that looks as if it held a secret. `digest` is what `AllowedList.add` takes to let it pass.

    `entity` is what the file is an operation of, or for a blob the artifact that names it; None where there is none.
    """

    path: str
    digest: str
    entity: EntityId | None
    findings: tuple[Finding, ...]


def screen_outgoing(
    database: Database, tip: ObjectId, known: Collection[ObjectId] = (), allowed: Collection[str] = ()
) -> tuple[FlaggedFile, ...]:
    """Return what is flagged among the files that the commit `tip` has and none of the commits `known` has, by path.

    `known` are commits that the remote has and this clone can read; `allowed` are digests of files to pass over, as
    `AllowedList.digests` returns them. Subtrees that a known commit has are not read. Only files are looked at: the
    commits' messages repeat nothing that is not in one. Raises StoreCorrupt where an object is lost.
    """
    older = [subtree(database.commit(commit_id).tree) for commit_id in known]
    flagged: list[FlaggedFile] = []
    owners: dict[str, EntityId] = {}
    for path, item in _added(database, subtree(database.commit(tip).tree), older):
        digest = _digest_of(path)
        data = b"" if digest in allowed or path.partition("/")[0] in _UNSCREENED else database.read(item.oid, "blob")
        op = _decode_op(path, data)
        if op is not None and op.blob is not None:
            owners.setdefault(op.blob, op.entity)
        findings = tuple(_findings(path, data, op)) if data else ()
        if findings:
            parsed = parse_op_path(path)
            flagged.append(FlaggedFile(path, digest, parsed.entity if parsed is not None else None, findings))
    flagged.sort(key=lambda file: file.path)
    return tuple(replace(file, entity=file.entity or owners.get(file.digest)) for file in flagged)


def allowed_outgoing(
    database: Database, tip: ObjectId, known: Collection[ObjectId], allowed: Collection[str]
) -> tuple[str, ...]:
    """Return what goes out although it looks like a secret, because somebody let it: entities, sorted.

    A file without an entity, such as a receipt, is named by its path. Arguments as `screen_outgoing`.
    """
    if not allowed:
        return ()
    older = [subtree(database.commit(commit_id).tree) for commit_id in known]
    names: dict[str, str] = {}  # by digest
    owners: dict[str, str] = {}
    for path, item in _added(database, subtree(database.commit(tip).tree), older):
        parsed = parse_op_path(path)
        if _digest_of(path) in allowed:
            names[_digest_of(path)] = parsed.entity if parsed is not None else path
        if parsed is not None and parsed.entity.startswith("art_"):
            op = _decode_op(path, database.read(item.oid, "blob"))
            owners |= {op.blob: op.entity} if op is not None and op.blob is not None else {}
    return tuple(sorted({owners.get(digest, name) for digest, name in names.items()}))


def refuse_outgoing(flagged: Collection[FlaggedFile], draft: str | None = None) -> None:
    """Raise SecretDetected where anything is flagged; it names entities, fields, rules and positions, never the text.

    `draft` is the draft that was to be sent, None for the memory.
    `details.files` lists at most 20 of them, `details.count` says how many there are.
    """
    if not flagged:
        return
    files = list(flagged)
    named = "; ".join(f"{_name(file)}: `{file.findings[0].where}`, {file.findings[0].place}" for file in files[:_NAMED])
    more = f"; and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    what = "1 record looks" if len(files) == 1 else f"{len(files)} records look"
    held_back = "the memory was not pushed" if draft is None else f"the draft {draft} was not shared"
    command = "git memory push" if draft is None else f"git memory draft share {draft}"
    raise SecretDetected(
        f"{what} as if there were a secret inside, so {held_back}: {named}{more}",
        hint=(
            f"Look at each with `git memory show ID`. If none is a secret: `{command} --allow-flagged`. If one "
            "is, change that password or key now, and do not push: retracting or forgetting does not help, since the "
            "bytes stay in the history until they are purged."
        ),
        details={"count": len(files), "files": [_details(file) for file in files[:REPORTED]]},
    )


def _added(database: Database, root: TreeItem, older: Iterable[TreeItem]) -> Iterator[tuple[str, TreeItem]]:
    """Yield the files below `root` that none of the older trees has at the same path."""
    stack = [_Place("", root, tuple(older))]
    while stack:
        path, item, others = stack.pop()
        if item in others:
            continue
        if not item.is_tree:
            yield path, item
            continue
        trees = [database.tree(other.oid) for other in others if other.is_tree]
        for name, below in database.tree(item.oid).items():
            stack.append(_Place(f"{path}/{name}" if path else name, below, _named(trees, name)))


class _Place(NamedTuple):
    path: str
    item: TreeItem
    others: tuple[TreeItem, ...]


def _named(trees: Iterable[Tree], name: str) -> tuple[TreeItem, ...]:
    return tuple(tree[name] for tree in trees if name in tree)


def _digest_of(path: str) -> str:
    """Return the digest that ends a file's name: an operation's, a record's, a blob's."""
    return path.rpartition("/")[2].removesuffix(".yaml").rpartition("-")[2]


def _decode_op(path: str, data: bytes) -> Op | None:
    parsed = parse_op_path(path) if data else None
    if parsed is None:
        return None
    try:
        return codec.decode_op(data, parsed)
    except (StoreCorrupt, FormatTooNew):
        return None


def _findings(path: str, data: bytes, op: Op | None) -> Iterator[Finding]:
    """Yield what is found in a file: in its fields, or in its bytes where it is no record that can be read."""
    texts = list(op_texts(op)) if op is not None and op.payload is not None else _record_texts(path, data)
    if texts is None:
        yield from screen_bytes(data, "content" if path.startswith("blobs/") else "record")
        return
    for field, text, lead in dict.fromkeys(texts):
        yield from screen_text(text, field, lead)


def _record_texts(path: str, data: bytes) -> list[Text] | None:
    kinds: dict[str, type[Receipt] | type[PurgeMarker]] = {"receipts": Receipt, "purges": PurgeMarker}
    kind = kinds.get(path.partition("/")[0])
    if kind is None:
        return None
    try:
        return list(record_texts(codec.decode_record(data, _digest_of(path), kind)))
    except (StoreCorrupt, FormatTooNew):
        return None


def _name(file: FlaggedFile) -> str:
    return file.entity or file.path


def _details(file: FlaggedFile) -> dict[str, JsonValue]:
    findings: list[JsonValue] = [finding.as_details() for finding in file.findings[:REPORTED]]
    return {"path": file.path, "entity": file.entity, "findings": findings}
