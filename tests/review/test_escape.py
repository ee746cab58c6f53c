"""Stored text in Markdown: a host's parser finds it inside code, whole, and nothing else of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memgit.records.visible import visible
from memgit.review.escape import code_block, code_element, code_span, flat
from tests.records.strategies import law

_PIECES = (
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "\n",
    "\r\n",
    "\t",
    " ",
    "a",
    "@b",
    "#1",
    "<i>",
    "</code>",
    "</details>",
    "&lt;",
)
_MORE = ("|", "\\", "[x](y)", "* ", "- ", "> ", "---", "https://x.y", "\x1b[1m", "\x00", "\u2028", "\u202e", "é")
NASTY = st.lists(st.sampled_from(_PIECES + _MORE), max_size=8).map("".join) | st.text()


@law
@given(NASTY)
def test_a_span_is_one_code_element_with_the_text(text: str) -> None:
    """In a list item or a sentence alike."""
    (inline,) = [token for token in MarkdownIt().parse(f"- by {code_span(text)}, today") if token.type == "inline"]
    kinds = [(child.type, child.content) for child in inline.children or ()]
    assert [kind for kind, _ in kinds] == ["text", "code_inline", "text"]
    assert kinds[1][1].strip(" ") == flat(text)


@law
@given(st.lists(NASTY, max_size=4))
def test_a_block_ends_where_it_should(lines: list[str]) -> None:
    """No line of it closes the fence; what follows is read as ours."""
    page = "\n".join(["<details>", "", *code_block(lines, "diff"), "", "</details>", "", "after"])
    tokens = MarkdownIt("commonmark").parse(page)
    assert [token.type for token in tokens] == [
        "html_block",
        "fence",
        "html_block",
        "paragraph_open",
        "inline",
        "paragraph_close",
    ]
    wanted = "".join(f"{line}\n" for text in lines for line in visible(text).split("\n"))
    assert tokens[1].content.replace("\t", " ") == wanted.replace("\t", " ")


@law
@given(NASTY)
def test_an_element_holds_no_html(text: str) -> None:
    """Nothing closes it but its own end."""
    inside = code_element(text).removeprefix("<code>").removesuffix("</code>")
    assert "<" not in inside and ">" not in inside and "\n" not in inside


def test_what_hides_is_shown() -> None:
    """Characters without a width or that reverse a line are spelled out in every form."""
    for shown in (code_span("a\xad\u3164b"), code_element("a\xad\u3164b"), code_block(["a\xad\u3164b"])[1]):
        assert "a\\xad\\u3164b" in shown
