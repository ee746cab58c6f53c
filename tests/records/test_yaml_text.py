"""Canonical YAML: text comes back as it was, other readers agree, and what a record never has is refused."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memgit.limits import Limits
from memgit.records import yaml_text
from memgit.records.yaml_text import YamlRefused

from .strategies import law

AWKWARD = [
    "",
    " ",
    "\t",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "a\r\nb",
    " lead",
    "trail ",
    "\tlead",
    "trail\t",
    "line\nline",
    "ends\n",
    "ends twice\n\n",
    "\nbegins",
    " \nbegins",
    "  indented\nand not",
    "blank at end \nof a line",
    "tab at end\t\nof a line",
    "a\n \nb",
    "a\n\t\nb\n \n",
    "no",
    "No",
    "yes",
    "on",
    "true",
    "null",
    "Null",
    "~",
    "12",
    "-12",
    "+1",
    "0o17",
    "017",
    "0x1F",
    "0b11",
    "1_000",
    "1.5",
    "1e5",
    "12e03",
    ".5",
    ".inf",
    "-.INF",
    ".nan",
    "nan",
    "infinity",
    "12:30:00",
    "1:2",
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "=",
    "<<",
    "-",
    "- item",
    "? key",
    "key: value",
    ": value",
    "#comment",
    "text # comment",
    "&anchor",
    "*alias",
    "!tag",
    "|",
    ">",
    "%directive",
    "@at",
    "`tick",
    "'single'",
    '"double"',
    "{flow}",
    "[flow]",
    "a, b",
    "---",
    "--- text",
    "...",
    "a\n---\nb",
    "a\n...\nb",
    "\x00",
    "\x07bell",
    "a\x1bb",
    "\x7f",
    "\x80",
    "\x85",
    "a\x85b",
    "a\n\x85b",
    "\xa0",
    "\u2028",
    "a\u2028b",
    "a\nb\u2028c\u2029",
    "\ufeff",
    "\ufeffafter a mark",
    "a\n\ufeffb",
    "\ufffe\uffff",
    "\U0001f600",
    "e\u0301",
    "\u0663",
    "\u200b\u202e",
    "x" * 5000,
    "9" * 400,
    "1" * 65,
]

texts = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(),
    st.text(st.sampled_from("ab \t\n\r\x85\u2028\ufeff\x00:#-'\"|>&*!%@`{}[],?~=.019_eE+xo"), max_size=12),
)
values: st.SearchStrategy[Any] = st.recursive(
    texts,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)
records = st.dictionaries(texts, values, min_size=1, max_size=5)


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_comes_back(text: str) -> None:
    """Whatever looks like another type, or like YAML, or cannot be seen, is the same string in every reader."""
    record = {"text": text, "list": [text, text], "below": {text: {"text": text}}}
    data = yaml_text.dump(record)
    assert yaml_text.load(data) == record
    assert yaml.safe_load(data) == record
    assert yaml.load(data, yaml.CSafeLoader) == record


@law
@given(records)
def test_any_record_comes_back(record: dict[str, Any]) -> None:
    """Lists and mappings of any text read back as they were, in the same order of keys."""
    loaded = yaml_text.load(yaml_text.dump(record))
    assert loaded == record
    assert list(loaded) == list(record)


@law
@given(records)
def test_other_readers_see_the_same_strings(record: dict[str, Any]) -> None:
    """A reader that resolves types finds strings, and nothing else."""
    assert yaml.load(yaml_text.dump(record), yaml.CSafeLoader) == record


@law
@given(records)
def test_the_same_record_is_the_same_bytes(record: dict[str, Any]) -> None:
    """Dumping is deterministic, and block style throughout: no anchors, aliases, tags or folding."""
    data = yaml_text.dump(record)
    assert data == yaml_text.dump(dict(record))
    assert yaml_text.dump(yaml_text.load(data)) == data  # type: ignore[arg-type]
    assert data.endswith(b"\n")


def test_what_records_look_like() -> None:
    """One line a text where it has one, literal blocks where it has more, empty collections in flow style."""
    record = {"a": "plain", "b": ["x", {"c": "two\nlines\n"}], "d": {}, "e": [], "f": "no", "g": "long " * 40 + "end"}
    assert yaml_text.dump(record).decode() == (
        f"a: plain\nb:\n- x\n- c: |\n    two\n    lines\nd: {{}}\ne: []\nf: 'no'\ng: {'long ' * 40}end\n"
    )


def test_separators_that_only_some_readers_take_for_line_ends_are_escaped() -> None:
    """U+2028, U+2029 and U+0085 end a line in YAML 1.1 and not in 1.2: as escapes they mean the same in both."""
    assert yaml_text.dump({"a": "x\u2028y", "b": "x\ny\u2029", "c": "\x85"}) == (
        b'a: "x\\Ly"\nb: "x\\ny\\P"\nc: "\\N"\n'
    )


def test_other_plain_values_are_written_for_the_schema() -> None:
    """Numbers and truth values are plain; an entry that is None is left out."""
    assert yaml_text.dump({"a": 1, "b": True, "c": False, "d": 0.25, "e": None, "f": [None]}) == (
        b"a: 1\nb: true\nc: false\nd: 0.25\nf:\n- null\n"
    )
    assert yaml_text.load(b"a: 1\nb: true\nc: 12:30:00\nd: no\n") == {"a": "1", "b": "true", "c": "12:30:00", "d": "no"}


def test_text_that_utf8_cannot_carry_is_refused() -> None:
    """A lone surrogate has no bytes."""
    with pytest.raises(YamlRefused, match="UTF-8"):
        yaml_text.dump({"a": "\ud83d"})


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"# nothing\n", "empty"),
        (b"just text\n", "not a mapping"),
        (b"- a\n- b\n", "not a mapping"),
        (b"a: &x 1\nb: *x\n", "an anchor"),
        (b"a: *x\n", "an alias"),
        (b"a: &x [1]\n", "an anchor"),
        (b"a: !!str 1\n", "a tag"),
        (b"a: !!python/object:os.system {}\n", "a tag"),
        (b"a: !local {}\n", "a tag"),
        (b"&x a: 1\n", "an anchor"),
        (b"!!map\na: 1\n", "a tag"),
        (b"a: 1\na: 2\n", "twice"),
        (b"a:\n  b: 1\n  b: 2\n", "twice"),
        (b"a: 1\n'a': 2\n", "twice"),
        (b"? [a]\n: 1\n", "not a scalar"),
        (b"? {a: 1}\n: 1\n", "not a scalar"),
        (b"a: 1\n---\nb: 2\n", "more than one document"),
        (b"a: 1\n---\ntext\n", "not a mapping"),
        (b"a: [\n", "parsing"),
        (b"a: 'x\n", "quoted"),
        (b"a: 1\n b: 2\n", "mapping values"),
        (b"a: \x07\n", "control characters"),
        (b"a: \xff\n", "not UTF-8 at byte 3"),
        (b"\xff\xfea\x00:\x00 \x001\x00\n\x00", "not UTF-8"),
        ("a: \ud83d\n".encode("utf-8", "surrogatepass"), "not UTF-8"),
        (b"a: {" + b"x: {" * 40 + b"}" * 41, "nested deeper than 16"),
        (b"a: " + b"[" * 100_000, "maximum nesting depth"),  # libyaml's own bound
        (b"a:\n" + b"- " * 100_000, "nested deeper than 16"),
        (b"a:\n" + b"- x\n" * 20_001, "more than 20000 values"),
        (b"a: " + b"x" * 10 * 1024 * 1024, "10485763 bytes, more than 262144"),
    ],
)
def test_what_is_refused(data: bytes, reason: str) -> None:
    """Anything but one bounded block of mappings, lists and plain scalars is refused, with the reason, and quickly."""
    with pytest.raises(YamlRefused, match=reason):
        yaml_text.load(data)


def test_the_bounds_are_exact() -> None:
    """Each limit lets pass what is as large as it says."""
    limits = Limits(record_bytes=20, record_depth=3, record_nodes=5)
    assert yaml_text.load(b"a: " + b"x" * 17, limits) == {"a": "x" * 17}
    assert yaml_text.load(b"a: {b: {c: d}}", Limits(record_depth=3)) == {"a": {"b": {"c": "d"}}}
    assert yaml_text.load(b"a: 1\nb: 2", limits) == {"a": "1", "b": "2"}
    for data in (b"a: " + b"x" * 18, b"a: {b: {c: {}}}", b"a: 1\nb: 2\nc: 3"):
        with pytest.raises(YamlRefused):
            yaml_text.load(data, limits)
