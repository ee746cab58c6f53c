"""Ids as people type them: whole, or by a unique end or beginning, with or without the prefix of their kind."""

from __future__ import annotations

from memgit.cli.front import Front
from memgit.errors import InvalidRequest, NotFound
from memgit.records import ids
from memgit.records.ids import EntityKind

_CASE_CHARACTERS = len("case_") + 32

_NAMES: dict[str, str] = {"claim": "claim_id", "artifact": "artifact_id", "relation": "relation_id"}


def whole_id(front: Front, typed: str, kind: EntityKind | None = None) -> str:
    """Return the id that a person means. What is whole is not looked up: the operation judges it.

    Raises NotFound; InvalidRequest where a beginning is not unique or belongs to another kind.
    """
    wanted = typed.strip().lower()
    if ids.is_entity_id(wanted):
        return wanted
    from memgit.operations.show import Shown

    try:
        shown = front.ask("show", {"id": wanted}, Shown)
    except NotFound as error:
        if kind is None or "_" in wanted or "/" in wanted:
            raise
        try:
            shown = front.ask("show", {"id": f"{ids.PREFIX_BY_KIND[kind]}_{wanted}"}, Shown)
        except NotFound:
            raise error from None  # it names what was typed
    if shown.kind not in _NAMES or (kind is not None and shown.kind != kind):
        wanted_kind = kind or "claim, artifact or relation"
        raise InvalidRequest(
            f"{typed} is the id of a {shown.kind}, not of a {wanted_kind}", hint=f"`git memory show {typed}` shows it."
        )
    return str(shown.item[_NAMES[shown.kind]])


def whole_source(front: Front, typed: str) -> str:
    """Return the id of the one source of this project that ends or starts with what was typed.

    Raises InvalidRequest where several do; what fits none is the operation's to refuse.
    """
    wanted = typed.strip().lower()
    if ids.is_entity_id(wanted):
        return wanted
    from memgit.operations.sources import Sources

    known = [source.source_id for source in front.ask("source.list", {}, Sources).items]
    found = [name for name in known if name.endswith(wanted) or name.removeprefix("src_").startswith(wanted)]
    found = found or [name for name in known if name.startswith(wanted)]
    if len(found) > 1:
        raise InvalidRequest(f"{typed} fits several sources", hint="Give more of the id: `git memory source list`.")
    return found[0] if found else wanted


def whole_case(front: Front, typed: str) -> str:
    """Return the id of the one conflict case that starts with what was typed, with or without `case_`."""
    wanted = f"case_{typed.strip().lower().removeprefix('case_')}"
    if len(wanted) >= _CASE_CHARACTERS:
        return wanted
    from memgit.operations.conflicts import ConflictPage

    found: list[str] = []
    cursor: dict[str, object] | None = {}
    while cursor is not None:
        page = front.ask("conflict.list", {"include_stale": True, "limit": 100, **cursor}, ConflictPage)
        found += [case.case_id for case in page.items if case.case_id.startswith(wanted)]
        cursor = {"cursor": page.next_cursor} if page.next_cursor else None
    if len(found) > 1:
        raise InvalidRequest(f"{typed} is the beginning of several cases", hint="Give more of the id.")
    return found[0] if found else wanted


def base_revision(
    front: Front, entity: str, kind: EntityKind, if_revision: str | None, all_heads: bool
) -> dict[str, object]:
    """Return the field that says what a change builds on.

    A person who names no revision means the current one. Where there are several, one is named on purpose, so that
    the operation refuses and lists them; `all_heads` names them all.
    """
    if if_revision is not None:
        return {"if_revision": if_revision}
    current = list(_heads(front, entity, kind))
    if all_heads:
        return {"if_revisions": current}
    return {"if_revision": current[-1]} if current else {}


def _heads(front: Front, entity: str, kind: EntityKind) -> tuple[str, ...]:
    """Return the current revisions, the greatest last. Of an artifact the history tells them without its bytes."""
    from memgit.operations.views import ClaimView, HistoryPage

    if kind == "claim":
        return front.ask("claim.get", {"claim_id": entity}, ClaimView).heads
    page = front.ask("artifact.history", {"artifact_id": entity, "limit": 1}, HistoryPage)
    return page.items[0].heads if page.items else ()
