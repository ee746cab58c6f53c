"""Ids: their grammar, and fresh ones."""

from __future__ import annotations

import pytest

from memgit import clock
from memgit.records import ids

ULID = "01jb3hxkq0000000000000000z"


@pytest.mark.parametrize("kind", list(ids.PREFIX_BY_KIND))
def test_a_fresh_entity_id_names_its_kind(kind: ids.EntityKind) -> None:
    """Each kind has its prefix; a fresh id is well-formed and never the same twice."""
    first, second = ids.new_entity_id(kind), ids.new_entity_id(kind)
    assert ids.is_entity_id(first)
    assert ids.kind_of(first) == kind
    assert first != second


def test_fresh_revision_scope_and_store_ids_are_wellformed() -> None:
    """Claims and artifacts have revisions, other kinds do not."""
    assert ids.is_revision_id(ids.new_revision_id("claim"))
    assert ids.new_revision_id("artifact").startswith("arev_")
    assert all(ids.is_scope_id(ids.new_scope_id(kind)) for kind in ("wsp", "prj", "tsk"))
    assert ids.is_store_id(ids.new_store_id())
    with pytest.raises(KeyError):
        ids.new_revision_id("relation")


def test_ids_can_be_pinned() -> None:
    """With a pinned clock the same ids come again."""
    with clock.pinned(0.0, first_ulid=0):
        first = ids.new_entity_id("claim")
    with clock.pinned(0.0, first_ulid=0):
        assert ids.new_entity_id("claim") == first == "clm_" + "0" * 25 + "1"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "clm_",
        ULID,
        f"xyz_{ULID}",
        f"crev_{ULID}",
        f"clm_{ULID.upper()}",
        f"CLM_{ULID}",
        f"clm_{ULID[:-1]}",
        f"clm_{ULID}0",
        f"clm_{ULID}\n",
        f" clm_{ULID}",
        f"clm_8{ULID[1:]}",
        *(f"clm_{ULID[:-1]}{letter}" for letter in "ilou-_/.é٣"),
    ],
)
def test_what_is_no_entity_id(text: str) -> None:
    """A ULID is 26 lower-case Crockford characters, the first at most 7; nothing stands around it."""
    assert not ids.is_entity_id(text)


@pytest.mark.parametrize(("text", "expected"), [(f"crev_{ULID}", True), (f"arev_{ULID}", True), (f"clm_{ULID}", False)])
def test_revision_ids(text: str, expected: bool) -> None:
    """Claims and artifacts have their own prefixes for revisions."""
    assert ids.is_revision_id(text) is expected
    assert not ids.is_revision_id(text + "\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a" * 64, True),
        ("0" * 64, True),
        ("A" * 64, False),
        ("g" * 64, False),
        ("a" * 63, False),
        ("a" * 65, False),
        ("a" * 64 + "\n", False),
    ],
)
def test_digests(text: str, expected: bool) -> None:
    """A digest is 64 lower-case hexadecimal characters."""
    assert ids.is_digest(text) is expected


@pytest.mark.parametrize("text", ["a", "prj_one", "A.b-C_9", "7", "x" * 128, f"wsp_{ULID}"])
def test_scope_ids(text: str) -> None:
    """Other systems name their workspaces, projects and tasks in short slugs."""
    assert ids.is_scope_id(text)


@pytest.mark.parametrize("text", ["", ".", "..", ".a", "-a", "_a", "a..b", "a/b", "a b", "a\n", "x" * 129, "é", "a\\b"])
def test_what_is_no_scope_id(text: str) -> None:
    """No separators, nothing hidden, no way up."""
    assert not ids.is_scope_id(text)


def test_store_ids() -> None:
    """A store's id has its own prefix."""
    assert ids.is_store_id(f"sto_{ULID}")
    assert not ids.is_store_id(f"clm_{ULID}")
    assert not ids.is_store_id(f"sto_{ULID}\n")
