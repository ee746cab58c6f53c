"""Text becomes the same terms wherever it stands, and every input is text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.index.analysis import analyse, chunk_forms, tokens
from memgit.index.codes import compact


def shapes(text: str) -> list[tuple[str, str]]:
    """Return (shape, whole) of each chunk."""
    return [(token.chunk.shape, token.chunk.whole) for token in tokens(text)]


@pytest.mark.parametrize(
    "text",
    [
        "APP-BOUNDARY-101",
        "PAYMENT-ROUTE-OLD",
        "us-east-1",
        "CVE-2024-12345",
        "snake_case_name",
        "SCOPED_ALPHA_01",
        "path/to/file.py",
        "./src/main",
        "/etc/hosts",
        "std::vector",
        "package.module.name",
        "CommitIdFactory",
        "ORBIT7421",
        "a77f4e9",
        "https://example.org/a/b",
    ],
)
def test_what_nobody_writes_by_chance_is_an_identifier(text: str) -> None:
    """An identifier is recognised by its form, whatever stands around it."""
    assert [shape for shape, _ in shapes(text)] == ["identifier"]
    assert shapes(f"see ({text}), then")[1:2] == shapes(text)


@pytest.mark.parametrize(
    "text", ["UTF-8", "E2E", "v2", "1.2.3", "8080", "node.js", "2024-01-02", "SHA-256", "C++", "#12"]
)
def test_what_is_exact_but_common_is_a_code(text: str) -> None:
    """A code is exact, and too common to say alone what a text is about."""
    assert [shape for shape, _ in shapes(text)] == ["code"]


@pytest.mark.parametrize(
    "text", ["cold-start", "Rust/WASM", "end-to-end", "JavaScript", "GitHub", "LoCoMo", "and/or", "24-hour"]
)
def test_joined_words_are_words(text: str) -> None:
    """A hyphen, a slash or a capital inside does not make an identifier."""
    assert {shape for shape, _ in shapes(text)} <= {"word"}


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("The engines were disabling caches", ("engin", "disabl", "cach")),
        ("client's don't", ("client",)),
        ("24,000,000-byte", ("24000000", "byte")),
        ("v1.2.3 and 1.2.3", ("1.2.3", "1.2.3")),
        ("APP-BOUNDARY-101", ("app", "boundari", "101")),
        ("getUserName", ("getusernam", "get", "user", "name")),
        ("GitHub", ("github",)),
        ("C++ and C#", ("c++", "c#")),
        ("Zażółć gęślą", ("zazolc", "gesla")),
        ("naïve ﬁle STRASSE", ("naiv", "file", "strass")),
        ("缓存服务", ("缓存", "存服", "服务", "缓", "存", "服", "务")),
        ("水", ("水",)),
        ("ЁЛКИ", ("елки",)),
        ("🚀 !!! ???", ()),
        ("", ()),
    ],
)
def test_words(text: str, stems: tuple[str, ...]) -> None:
    """Stop words and punctuation are gone, the rest is folded and stemmed."""
    assert analyse(text, ("en",)).words == stems


def test_half_a_name_is_no_word() -> None:
    """`Java` is not in `JavaScript`; the halves are kept apart for ranking."""
    terms = analyse("JavaScript")
    assert "java" not in terms.words
    assert terms.parts == {"java", "script"}


def test_separators_do_not_matter_to_a_name() -> None:
    """A name meets its other spellings."""
    assert analyse("app_boundary_101").identifiers & analyse("APP-BOUNDARY-101").identifiers
    assert compact("utf-8") == compact("UTF_8".lower()) == "utf8"
    assert "writer.py" in analyse("memgit/store/writer.py:12").identifiers


def test_a_number_is_no_part_of_another() -> None:
    """A separator between two digits counts, but in a date and a UUID, where all digits are one number."""
    assert compact("5-10") == "5-10" and compact("rule_1_2") == compact("rule-1-2") != compact("rule-12")
    assert compact("2024-01-02") == "20240102"
    assert compact("550e8400-e29b-41d4-a716-446655440000") == "550e8400e29b41d4a716446655440000"
    assert not {"510", "102", "101"} & (analyse("5-10 10² 10½").identifiers | analyse("5-10 10² 10½").surfaces)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("localhost:8080", {"localhost:8080"}),
        ("src/tree.py:12", {"src/tree.py:12", "tree.py:12", "src/tree.py", "tree.py", "srctreepy", "treepy"}),
        ("10:00-12:30", {"10:00-12:30", "10:00", "12:30"}),
        ("-5 and +5ms", {"-5", "+5ms"}),
        ("Plan B, vitamin K and C-", {"b", "k", "c-"}),
        ("I made a plan. A plan for R&D", {"r", "d"}),
        ("It's Ada's and o'clock", set()),
        ("Il y a du café dans la boîte et y a-t-il de l'or", set()),
        ("方案B和A", {"a", "b"}),
        ("El plan y la casa o el perro que no es de la calle", set()),
        ("in 5 s at 3 V", set()),
        ("ls -C, 10 PM", {"-C", "pm"}),
        ("time:2026", set()),
    ],
)
def test_short_codes(text: str, codes: set[str]) -> None:
    """A port, a line, a time, a sign and a letter that names something; no article, pronoun, particle or unit."""
    assert analyse(text).identifiers - {"atil"} == codes


def test_tokens_say_where_they_stand() -> None:
    """The offsets of a token are those of its characters."""
    text = "Die Größe «Übermaß» gilt."
    assert [text[token.start : token.end] for token in tokens(text)] == ["Die", "Größe", "Übermaß", "gilt."]


@given(st.text(max_size=300))
def test_any_text_is_analysed(text: str) -> None:
    """No text fails, and its terms are those of its tokens, which stand where they say."""
    terms = analyse(text)
    assert all(terms.words) and all(terms.identifiers)
    found = list(tokens(text))
    assert {form for token in found for form in chunk_forms(token.chunk, terms.languages)} == set(terms.words)
    assert all(0 <= token.start < token.end <= len(text) for token in found)


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=100))
def test_case_does_not_matter_to_words(text: str) -> None:
    """What was shouted is found by what was said, camel case aside."""
    assert sorted(set(analyse(text.lower()).words)) == sorted(set(analyse(text.lower().upper()).words))
