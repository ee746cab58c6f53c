"""Text for people: safe to show, whole, and not wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.cli.terminal import moment, one_line
from memgit.records.visible import visible
from tests.cli.conftest import Shell


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("bell\x07 back\x08 del\x7f c1\x9b", "bell\\x07 back\\x08 del\\x7f c1\\x9b"),
        ("over\rwrite", "over\\x0dwrite"),
        ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\u202eevil\u2066\u200f", "\\u202eevil\\u2066\\u200f"),
        ("zero\u200bwidth \ufeff \U000e0041", "zero\\u200bwidth \\ufeff \\U000e0041"),
        ("soft\xadhyphen \u3164 \u034f \U000e0100", "soft\\xadhyphen \\u3164 \\u034f \\U000e0100"),
        ("line\u2028end", "line\\u2028end"),
        ("lone \udcff", "lone \\udcff"),
        ("می\u200cخواهم 👨\u200d👩 日本語 Zażółć", "می\u200cخواهم 👨\u200d👩 日本語 Zażółć"),
    ],
)
def test_escape(text: str, shown: str) -> None:
    """Controls, escape sequences, reversals and hidden characters are shown; letters and joiners stay."""
    assert visible(text) == shown


@given(st.text())
def test_escaped_text_is_stable_and_can_be_encoded(text: str) -> None:
    """Escaping again changes nothing, nothing that a terminal obeys is left, and UTF-8 can carry it."""
    shown = visible(text)
    assert visible(shown) == shown
    assert not any(character < " " and character not in "\n\t" for character in shown)
    shown.encode()


def test_one_line_and_moment() -> None:
    """Long lines are cut where asked; times are to the second."""
    assert one_line("a\n  b\tc") == "a b c"
    assert one_line("abcdefghij", 8) == "abcde..."
    assert moment("2026-11-30T16:41:07.123456Z") == "2026-11-30 16:41:07Z"


EVIL = "start \x1b[2J\x1b]0;t\x07 \u202edesrever\u202c \x9b31m end"


def test_stored_text_never_reaches_a_terminal_raw(shell: Shell) -> None:
    """Wherever stored text is shown, in every verb: no escape byte, no reversal."""
    claim = shell.ok("remember", EVIL, "--subject", "s\x1b[1m", "--component", "\u202ec").first
    shell.run("claim.assert", claim_type="fact", statement=EVIL + "\nsecond line " + EVIL)
    artifact = shell.run(
        "artifact.put",
        kind="k\x1b[1m",
        title="t\x1b[1m \u202e",
        content={"type": "text", "data": EVIL},
        provenance={"path": "\x1b[1m.md"},
    )["artifact_id"]
    edge = shell.ok("relation", "put", claim, "contradicts", artifact, "--metadata", '{"a": "\\u001b[1m"}').first
    shell.ok("artifact", "history", artifact)
    verbs = [
        ("show", claim), ("show", artifact), ("show", edge), ("claim", "get", claim), ("claim", "history", claim),
        ("artifact", "history", artifact), ("relation", "list", claim), ("conflict", "list"), ("status",), ("log",),
        ("recall", "start", "end", "desrever"), ("search", "start end"), ("claim", "get", claim[:14]),
    ]  # fmt: skip
    for words in verbs:
        out = shell.ok(*words).text
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\u202c"} & set(out), words
    assert "\\x1b[2J" in shell.ok("show", claim).text
    retracted = shell.ok("claim", "assert", "x").first
    shell.ok("claim", "retract", retracted, "--reason", EVIL)
    assert "\x1b" not in shell.ok("show", retracted).text


def test_what_was_typed_comes_back_safe_in_errors(shell: Shell) -> None:
    """An error repeats input, never raw."""
    evil = "\x1b[31m-------"
    for words in (("show", evil), (evil,), ("config", "get", evil), ("-C", evil, "log")):
        said = shell.type(*words)
        assert said.status in (1, 2) and "\x1b" not in said.err, words


def test_a_pipe_gets_long_lines_whole(shell: Shell) -> None:
    """No wrapping and no cutting of what was remembered, whatever COLUMNS says."""
    text = "word " * 200 + "end"
    claim = shell.ok("remember", text).first
    for words in (("show", claim), ("recall", "word", "end"), ("search", "word end")):
        assert text in shell.ok(*words).text
