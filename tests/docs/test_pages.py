"""The pages written by hand: links lead somewhere, tests that are named exist, and nothing is said that must not be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_MODULE = re.compile(r"`(memgit/[\w/]+\.py|fixtures/[\w./-]+)`")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_NEEDED_WORDS = (
    *(
        "anchor",
        "checkpoint",
        "freshness",
        "session",
        "layer",
        "draft",
        "seal",
        "stale",
        "promote",
        "claim",
        "artifact",
    ),
    *(
        "relation",
        "revision",
        "head",
        "fork",
        "tombstone",
        "conflict case",
        "horizon",
        "pin",
        "scope",
        "context",
        "seq",
    ),
    *("watermark", "receipt", "epoch", "purge marker", "snapshot", "tip", "state cache", "presence", "qualification"),
    *("citation", "evidence", "marker", "project marker", "provenance", "registry", "store", "back end"),
)


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link names a file, and its fragment a heading of it."""
    for target in _LINK.findall(_without_code(page.read_text("utf-8"))):
        if "://" in target:
            continue
        path, _, fragment = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target} in {_name(page)}"
        if fragment:
            assert fragment in set(_anchors(file)), f"{target} in {_name(page)}"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_tests_and_files_that_are_named_exist(page: Path) -> None:
    """A promise that names its test names one that is there."""
    text = page.read_text("utf-8")
    for file, name in _TEST.findall(text):
        assert (ROOT / file).is_file(), f"{file} in {_name(page)}"
        assert name in _functions(ROOT / file), f"{file}::{name} in {_name(page)}"
    for path in _MODULE.findall(text):
        assert (ROOT / path).exists(), f"{path} in {_name(page)}"


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=_name)
def test_nothing_is_said_that_must_not_be(page: Path) -> None:
    """The distribution's name is git-memgit; the page speaks of no machine of ours."""
    text = page.read_text("utf-8")
    assert not re.search(r"pip3? install (?:-\S+ )*memgit\b", text)
    assert not re.search(r"/(?:home|root|Users|tmp|work)/\w", text)


def test_the_glossary_has_one_meaning_for_each_word() -> None:
    """The words that the project's pages and code rely on are there, each once, in order."""
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    words = re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.MULTILINE)
    assert not [word for word in _NEEDED_WORDS if word not in words]
    assert words == sorted(set(words), key=str.lower)


def test_decisions_are_numbered_without_gaps() -> None:
    """0001 to the last, each with the sections that a reader looks for."""
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        text = page.read_text("utf-8")
        assert text.startswith(f"# {page.name[:4]}. ")
        for section in ("Context", "Decision", "Consequences", "Alternatives", "Held by"):
            assert f"\n## {section}\n" in text, f"{section} in {_name(page)}"


def _without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE))


def _anchors(file: Path) -> Iterator[str]:
    """Yield the fragments of a page's headings, as GitHub makes them."""
    for heading in _HEADING.findall(file.read_text("utf-8")):
        plain = re.sub(r"[`*]|\]\(.*?\)|\[", "", heading).lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def _functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
