"""What a screening returns: exact positions, nothing of the text, the same for text and for bytes of any kind."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from memgit.errors import SecretDetected
from memgit.screening import Finding, refuse, screen_bytes, screen_text
from memgit.screening.screen import SPANS_KEPT
from memgit.screening.table import rule_names
from tests.screening.keys import ALNUM, KINDS, draw

TOKEN = KINDS["github"][0](Random(1)).text
REPOSITORY = Path(__file__).parents[2]


def test_positions_are_exact() -> None:
    """Line and column count from 1, start and end are the secret's characters; CRLF and emoji change nothing."""
    text = f"first\r\nzweite Zeile: ключ 🔑\nuse {TOKEN} now\n"
    (finding,) = screen_text(text, "note")
    assert text[finding.start : finding.end] == TOKEN
    assert finding == Finding("github-token", "note", 3, 5, text.index(TOKEN), text.index(TOKEN) + 40)


def test_findings_come_in_order_and_do_not_overlap() -> None:
    """Several secrets are reported one by one, by position; one that two rules find is reported once."""
    other = KINDS["aws-key-id"][0](Random(2)).text
    text = f"api_key={TOKEN}\n{other}\npassword" + " = 'Falcon" + "-falcon62'\n"
    findings = screen_text(text, "note")
    assert [finding.rule for finding in findings] == ["github-token", "aws-access-key-id", "assigned-password"]
    assert [finding.line for finding in findings] == [1, 2, 3]
    assert all(first.end <= second.start for first, second in pairwise(findings))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_positions_in_bytes(encoding: str) -> None:
    """In a blob, positions are bytes of the blob as stored, with its byte order mark."""
    text = f"schlüssel 🔑\ntoken: {TOKEN}\n"
    mark = {"utf-8": b"", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[encoding]
    data = mark + text.encode(encoding)
    (finding,) = screen_bytes(data, "blob")
    assert data[finding.start : finding.end].decode(encoding) == TOKEN
    assert (finding.line, finding.column) == (2, len("token: ".encode(encoding)) + 1)


def test_binary_data() -> None:
    """Of binary data the printable runs are screened; what surrounds them neither hides a secret nor makes one."""
    noise = bytes(range(256)) * 4
    data = noise + b"\x00" + TOKEN.encode() + b"\x00" + noise
    (finding,) = screen_bytes(data, "blob")
    assert data[finding.start : finding.end] == TOKEN.encode()
    assert screen_bytes(Random(1).randbytes(200_000), "blob") == ()
    assert screen_bytes(b"\x89PNG\r\n\x1a\n" + noise + b"password\x00hunter2abc\x00", "blob") == ()


def test_a_finding_holds_no_text() -> None:
    """Neither a finding nor the refusal built from it holds any part of the secret, nor a hash of it."""
    findings = screen_text(f"{TOKEN}\npassword = 'Falcon" + "-falcon62'", "note")
    with pytest.raises(SecretDetected) as caught:
        refuse(findings)
    said = repr(findings) + caught.value.message + caught.value.hint + json.dumps(caught.value.details)
    assert TOKEN[:8] not in said
    assert "falcon" not in said.lower()
    assert {field.name for field in dataclasses.fields(Finding)} == {"rule", "where", "line", "column", "start", "end"}


def test_refusal_names_rules_and_positions() -> None:
    """The refusal lists the findings, at most 20, and says how many there are; without findings nothing happens."""
    refuse(())
    text = "".join(f"{KINDS['github'][0](Random(seed)).text}\n" for seed in range(30))
    with pytest.raises(SecretDetected) as caught:
        refuse(screen_text(text, "note"))
    details = caught.value.details
    assert details["count"] == 30
    assert isinstance(details["findings"], list)
    assert details["findings"][1] == {
        "rule": "github-token", "where": "note", "line": 2, "column": 1, "start": 41, "end": 81,
    }  # fmt: skip
    assert len(details["findings"]) == 20
    assert caught.value.message == (
        "`note` looks as if it held a secret: github-token at line 1, column 1, and 29 more; nothing was written"
    )


def test_a_lead_gives_context_and_is_not_part_of_the_text() -> None:
    """What stands in front says what a text is; positions are the text's, and what the lead holds is not told."""
    password = "Falcon" + "-falcon62"
    assert screen_text(password, "value") == ()
    (found,) = screen_text(password, "value", "password: ")
    assert (found.line, found.column, found.start, found.end) == (1, 1, 0, len(password))
    assert screen_text("see above", "value", f"{TOKEN}: ") == ()
    second = screen_text(f"one\npassword = {password}", "value", "about: ")
    assert [(found.line, found.column, found.start) for found in second] == [(2, 12, 15)]
    cut = screen_text(TOKEN[10:], "value", TOKEN[:10])
    assert [(found.start, found.end) for found in cut] == [(0, len(TOKEN) - 10)]


def test_what_a_report_says_is_no_secret() -> None:
    """A refusal, kept in a receipt or quoted in a note, is not refused in its turn, whatever the rule's name."""
    for name in (*rule_names(), "assigned-password", "assigned-secret", "assigned-key", "secret-in-context"):
        place = Finding(name, "statement", 12, 345, 0, 1).place
        said = (
            f"it looks as if it held a secret: {place}, and 2 more",
            f"`statement` looks as if it held a secret: {place}; nothing was written",
            f'{{"reason":"it looks as if it held a secret: {place}"}}',
        )
        for text in said:
            assert screen_text(text, "text") == (), text


def test_a_text_of_nothing_but_secrets() -> None:
    """No more than a few hundred findings are kept: such a text is refused in any case."""
    random = Random(4)
    text = "".join(f"API_KEY={draw(random, ALNUM, 32)}\n" for _ in range(3 * SPANS_KEPT))
    assert SPANS_KEPT <= len(screen_text(text, "note")) <= 3 * SPANS_KEPT


def test_the_repository_passes_its_own_screening() -> None:
    """Neither the rules nor these tests hold anything that is taken for a secret."""
    for directory in ("memgit/screening", "tests/screening"):
        for path in sorted((REPOSITORY / directory).glob("*.py")):
            assert screen_bytes(path.read_bytes(), path.name) == (), path.name


def test_importing_reads_nothing_and_loads_little() -> None:
    """The room needs the standard library and memgit's errors only: it is part of every write."""
    program = "import sys, memgit.screening; print([name for name in sys.modules if name.startswith('memgit')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    loaded = {name for name in json.loads(done.stdout.replace("'", '"')) if not name.startswith("memgit.screening")}
    assert loaded == {"memgit", "memgit.errors"}
