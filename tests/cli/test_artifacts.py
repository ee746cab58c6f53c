"""`artifact`, `cat`, `import`: documents in, exact bytes out."""

from __future__ import annotations

import pytest

from memgit.cli.documents import media_type
from memgit.limits import DEFAULT
from tests.cli.conftest import Shell

BINARY = bytes(range(256))


def test_put_and_get_give_the_same_bytes(shell: Shell) -> None:
    """Text, CR LF and every byte value come back as they were, through a pipe and into a file."""
    for name, data in (("a.txt", b"one\r\ntwo"), ("b.bin", BINARY), ("c.txt", "\ufeffZażółć".encode()), ("empty", b"")):
        shell.write(name, data)
        artifact = shell.ok("artifact", "put", name).first
        assert shell.ok("artifact", "get", artifact).out == data
        shell.ok("artifact", "get", artifact, "--output", "out")
        assert (shell.directory / "out").read_bytes() == data
        assert shell.ok("cat", artifact).out == data


def test_put_describes_what_it_keeps(shell: Shell) -> None:
    """Path, media type and title come from the file; flags win; standard input has no path."""
    shell.write("docs/a.md", "# A")
    shown = shell.ok("show", shell.ok("artifact", "put", "docs/a.md").first).text
    assert "docs/a.md" in shown and "text/markdown; charset=utf-8" in shown
    flags = ("--kind", "log", "--title", "A run", "--media-type", "text/x-log", "--component", "ci", "--marker", "ok")
    shown = shell.ok("show", shell.ok("artifact", "put", "-", *flags, given="x").first).text
    assert all(word in shown for word in ("log", "A run", "text/x-log", "ci", "tag:ok")) and "path" not in shown


def test_revise_history_forget(shell: Shell) -> None:
    """A revision adds bytes, the old ones stay citable, and a forgotten artifact says why."""
    put = shell.ok("artifact", "put", "-", given="first")
    artifact, citation = put.first, put.text.split()[-1]
    shell.ok("artifact", "revise", artifact[:14], "-", "--title", "New title", given="second")
    assert shell.ok("artifact", "get", artifact).out == b"second"
    assert shell.ok("cat", citation).out == b"first"
    assert "New title" in shell.ok("artifact", "history", artifact).text
    assert shell.ok("artifact", "forget", artifact, "--reason", "Obsolete").text == f"forgotten {artifact}\n"
    assert "Obsolete" in shell.ok("show", artifact).text
    assert shell.ok("cat", citation).out == b"first"


def test_cat_gives_exactly_the_span(shell: Shell) -> None:
    """Bytes, not lines: nothing is added, and a span beyond the protocol's ceiling is whole."""
    data = ("Zażółć gęślą jaźń.\n" * 2000).encode()
    shell.write("long.txt", data)
    citation = shell.ok("artifact", "put", "long.txt").text.split()[-1]
    assert shell.ok("cat", f"{citation}#4-8").out == data[4:8]
    assert shell.ok("cat", f"{citation}#0-{len(data)}").out == data
    assert shell.ok("cat", citation).out == data
    assert shell.type("--json", "cat", citation).envelope["error"]["details"]["kind"] == "range_required"


@pytest.mark.parametrize(
    ("span", "kind"),
    [
        ("#0-999", "invalid_range"),
        ("#4-2", "invalid_range"),
        ("#0-3", "split_code_point"),
        ("#3-4", "split_code_point"),
    ],
)
def test_a_span_that_is_not_there_is_refused(shell: Shell, span: str, kind: str) -> None:
    """Past the end, backwards, inside a code point: by cat and as evidence."""
    citation = shell.ok("artifact", "put", "-", given="Zażółć").text.split()[-1]
    shell.refused("cat", citation + span)
    assert shell.type("--json", "cat", citation + span).envelope["error"]["details"]["kind"] == kind
    shell.refused("claim", "assert", "Text", "--evidence", citation + span)


def test_evidence_of_an_unknown_revision_is_refused(shell: Shell) -> None:
    """A citation must name what is there."""
    citation = shell.ok("artifact", "put", "-", given="x").text.split()[-1]
    unknown = citation.rpartition("@")[0] + "@arev_01jd0000000000000000000000"
    assert "revision" in shell.refused("claim", "assert", "Text", "--evidence", unknown)
    shell.refused("cat", unknown)
    shell.refused("cat", "memoree://artifact/art_01jd0000000000000000000000@arev_01jd0000000000000000000000")


def test_what_is_too_large_is_not_read_whole(shell: Shell) -> None:
    """One byte over the limit is refused by every verb that reads files, and standard input is bounded too."""
    large = shell.write("large", b"x" * (DEFAULT.artifact_bytes + 1))
    for words in (("artifact", "put", "large"), ("remember", "x", "--evidence", "large")):
        assert str(DEFAULT.artifact_bytes) in shell.refused(*words)
    assert "standard input" in shell.refused("artifact", "put", "-", given=large.read_bytes())
    assert shell.type("--json", "artifact", "put", "large").envelope["error"]["code"] == "LIMIT_EXCEEDED"


@pytest.mark.parametrize("name", ["nothing", ".", "a\0b", "nothing/at/all"])
def test_files_that_cannot_be_read(shell: Shell, name: str) -> None:
    """Absent, a directory, not a name: each says so."""
    shell.refused("artifact", "put", name)
    shell.refused("remember", "x", "--evidence", name)


def test_output_that_cannot_be_written(shell: Shell) -> None:
    """The error names the place."""
    artifact = shell.ok("artifact", "put", "-", given="x").first
    said = shell.type("artifact", "get", artifact, "--output", "no/such/place")
    assert (said.status, said.out) == (1, b"") and said.err.startswith("error: no/such/place cannot be written")
    assert "exclude" in shell.type("artifact", "get", artifact, "-o", "x", "--json").envelope["error"]["message"]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.md", b"# A", "text/markdown; charset=utf-8"),
        ("a.unknown", b"text", "text/plain; charset=utf-8"),
        ("a.unknown", b"\xff\xfe", "application/octet-stream"),
        ("a.txt", b"\xff", "application/octet-stream"),
        ("a.txt", b"a\0b", "application/octet-stream"),
        ("a.json", b"{}", "application/json"),
        ("a.svg", b"<svg/>", "image/svg+xml"),
        ("a.png", b"\x89PNG\xff", "image/png"),
        ("a.png", b"not a picture", "text/plain; charset=utf-8"),
        ("a.ts", b"const a = 1", "text/plain; charset=utf-8"),
        ("Makefile", b"all:", "text/plain; charset=utf-8"),
    ],
)
def test_media_types_follow_name_and_bytes(name: str, data: bytes, expected: str) -> None:
    """The ending counts as far as the bytes agree, and the machine's own tables do not count."""
    assert media_type(name, data) == expected


def test_import_writes_only_what_changed(shell: Shell) -> None:
    """New, changed and unchanged are told; a dry run writes nothing; what is gone is named and kept."""
    shell.write("docs/a.md", "# A\n\nText.\n")
    shell.write("docs/sub/b.md", "# B\n")
    before = shell.refs()
    assert "2 would be new" in shell.ok("import", "markdown", "docs", "--dry-run").text
    assert shell.refs() == before
    assert shell.ok("import", "markdown", "docs").text.splitlines()[-1] == "2 new, 0 changed, 0 unchanged"
    shell.write("docs/a.md", "# A\n\nOther text.\n")
    (shell.directory / "docs/sub/b.md").unlink()
    said = Shell(shell.directory / "docs").ok("import", "markdown", ".")
    assert "  changed  docs/a.md\n1 would" not in said.text and "0 new, 1 changed, 0 unchanged" in said.text
    assert said.err == "gone, kept as it was: docs/sub/b.md\n"
    shell.refused("import", "markdown", "nothing")
    shell.refused("import", status=2)
