"""`claim`, `remember`, `relation`, `conflict`: what a person types, and what is then there."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import ID, Shell


def test_remember_prints_the_claim_and_its_citations(shell: Shell) -> None:
    """The id comes first, then the citation of the claim and that of its evidence; both resolve."""
    lines = shell.ok("remember", "Money is stored in cents.", "--type", "decision").text.splitlines()
    claim, evidence = lines[1].split()[-1], lines[2].split()[-1]
    assert ID.fullmatch(lines[0])
    assert shell.ok("cat", claim).text == "Money is stored in cents."
    assert shell.ok("cat", evidence).text == "Money is stored in cents."


def test_quiet_prints_the_id_alone(shell: Shell) -> None:
    """`id=$(git memory remember -q TEXT)` works, with the flag before or after the verb."""
    for words in (("remember", "-q", "One."), ("-q", "remember", "Two.")):
        said = shell.ok(*words)
        assert ID.fullmatch(said.text.rstrip("\n"))
        assert said.err == ""


def test_remember_from_standard_input(shell: Shell) -> None:
    """`-` reads the statement; the line end that a shell adds is not part of it."""
    claim = shell.ok("remember", "-", given="Zażółć\nin two lines\n").first
    assert shell.run("claim.get", claim_id=claim)["statement"] == "Zażółć\nin two lines"


def test_evidence_is_cited_by_its_quote(shell: Shell) -> None:
    """The file becomes an artifact, named from the top of the working tree; the quote's exact bytes are cited."""
    text = "# Money\n\nAll amounts are integers. Ä rule.\n"
    shell.write("docs/money.md", text)
    below = Shell(shell.directory / "docs")
    claim = below.ok("remember", "Money is in cents", "--evidence", "money.md", "--quote", "Ä rule.").first
    (evidence,) = shell.run("claim.get", claim_id=claim)["evidence"]
    assert text.encode()[evidence["start_byte"] : evidence["end_byte"]] == "Ä rule.".encode()
    artifact = shell.run("artifact.get", artifact_id=evidence["artifact_id"])["artifact"]
    assert artifact["provenance"] == {"path": "docs/money.md"}
    assert artifact["media_type"] == "text/markdown; charset=utf-8"


def test_the_same_evidence_is_kept_once(shell: Shell) -> None:
    """Two claims from one file cite one artifact; after an edit, its next revision."""
    shell.write("note.txt", "first")
    one = shell.ok("remember", "A", "--evidence", "note.txt")
    two = shell.ok("remember", "B", "--evidence", "note.txt")
    assert "(kept before)" in two.text and "(kept before)" not in one.text
    shell.write("note.txt", "second")
    shell.ok("remember", "C", "--evidence", "note.txt")
    assert shell.run("status")["artifacts"] == {"active": 1}


def test_evidence_outside_the_working_tree_has_no_path(shell: Shell) -> None:
    """A path that means something on this machine only is not recorded."""
    outside = shell.directory.parent / "outside.txt"
    outside.write_text("text")
    claim = shell.ok("remember", "A", "--evidence", str(outside)).first
    (evidence,) = shell.run("claim.get", claim_id=claim)["evidence"]
    artifact = shell.run("artifact.get", artifact_id=evidence["artifact_id"])["artifact"]
    assert (artifact["title"], artifact["provenance"]) == ("outside.txt", None)


def test_remember_keeps_every_flag(shell: Shell) -> None:
    """Each flag reaches the field of its name."""
    flags = "--type constraint --subject s --component c --confidence 0.5 --trust high --sensitivity internal"
    dates = "--valid-from 2026-01-01 --valid-until 2027-01-01 --marker lang:python --marker urgent"
    claim = shell.ok("remember", "Text", *flags.split(), *dates.split()).first
    view = shell.run("claim.get", claim_id=claim)
    assert (view["claim_type"], view["subject"], view["component"], view["confidence"]) == ("constraint", "s", "c", 0.5)
    assert (view["trust"], view["sensitivity"], view["markers"]) == ("high", "internal", ["lang:python", "tag:urgent"])
    assert view["valid_from"] < view["valid_until"]
    assert "confidence" in shell.ok("show", claim).text


def test_assert_with_a_typed_value(shell: Shell) -> None:
    """TYPE:DATA is written as JSON writes the type; text types need no quotes."""
    values = {"number:30": "30", "boolean:true": "true", "symbol:red": "red", 'json:{"a":1}': '{"a":1}'}
    for value, kept in values.items():
        claim = shell.ok("claim", "assert", "--subject", "x", "--value", value).first
        assert shell.run("claim.get", claim_id=claim)["value"]["data"] == kept


def test_assert_cites_evidence_that_is_there(shell: Shell) -> None:
    """A citation becomes a locator, span included."""
    citation = shell.ok("artifact", "put", "-", given="exact words").text.split()[-1]
    claim = shell.ok("claim", "assert", "Text", "--evidence", f"{citation}#0-5").first
    assert f"{citation}#0-5" in shell.ok("claim", "get", claim).text


def test_revise_builds_on_the_current_revision(shell: Shell) -> None:
    """Without --if-revision the wrapper reads it; --unset removes a field; what is not given stays."""
    claim = shell.ok("claim", "assert", "First", "--subject", "s", "--confidence", "0.5").first
    assert shell.ok("claim", "revise", claim, "Second", "--unset", "confidence").first == claim
    view = shell.run("claim.get", claim_id=claim)
    assert (view["statement"], view["subject"], view["confidence"], view["revision_number"]) == ("Second", "s", None, 2)
    history = shell.ok("claim", "history", claim).text
    assert history.index("Second") < history.index("First")
    assert "more: --before 2" in shell.ok("claim", "history", claim, "-n", "1").err


def test_a_stale_revision_is_refused_with_the_current_one(shell: Shell) -> None:
    """--if-revision holds; the answer names what is current."""
    claim = shell.ok("claim", "assert", "First").first
    old = shell.run("claim.get", claim_id=claim)["revision_id"]
    shell.ok("claim", "revise", claim, "Second", "--if-revision", old)
    new = shell.run("claim.get", claim_id=claim)["revision_id"]
    assert f"current revision: {new}" in shell.refused("claim", "revise", claim, "Third", "--if-revision", old)
    assert new in shell.refused("claim", "retract", claim, "--reason", "x", "--if-revision", old)


def test_a_fork_lists_its_heads_until_all_are_named(shell: Shell) -> None:
    """Where two people revised at once nothing is chosen in silence; --all-heads continues both."""
    claim = shell.ok("claim", "assert", "First").first
    heads = shell.fork(claim, "Left", "Right")
    assert len(heads) == 2
    refusal = shell.refused("claim", "revise", claim, "Both")
    assert all(f"current revision: {head}" in refusal for head in heads)
    assert "--all-heads" in refusal
    assert "disputed" in shell.ok("claim", "get", claim).text
    shell.ok("claim", "revise", claim, "Both", "--all-heads")
    assert shell.run("claim.get", claim_id=claim)["disputed"] is False


def test_retract_needs_a_reason_and_ends(shell: Shell) -> None:
    """A retracted claim stays readable with its reason and takes no more revisions."""
    claim = shell.ok("claim", "assert", "First").first
    assert "Missing option '--reason'" in shell.refused("claim", "retract", claim, status=2)
    assert shell.ok("claim", "retract", claim, "--reason", "It was wrong.").text == f"retracted {claim}\n"
    shown = shell.ok("show", claim).text
    assert "retracted" in shown and "It was wrong." in shown
    shell.refused("claim", "revise", claim, "Again")


def test_ids_by_unique_beginning(shell: Shell) -> None:
    """A beginning stands for the id, with or without prefix; one that fits several is refused with the candidates."""
    claim = shell.ok("claim", "assert", "Text").first
    for typed in (claim, claim[:14], claim[4:14], claim.upper()):
        assert claim in shell.ok("claim", "get", typed).text
    other = shell.ok("claim", "assert", "Other").first
    refusal = shell.refused("claim", "get", claim[:6])
    assert claim in refusal and other in refusal
    artifact = shell.ok("artifact", "put", "-", given="x").first
    assert "not of a claim" in shell.refused("claim", "get", artifact[:20])
    for words in (("claim", "revise", artifact, "x"), ("claim", "retract", artifact, "--reason", "x")):
        assert "is not the id of a claim" in shell.refused(*words)
    assert "is not the id of an artifact" in shell.refused("artifact", "revise", claim, "-", given="x")


def test_relations_read_as_a_sentence(shell: Shell) -> None:
    """SOURCE RELATION TARGET; the list shows the direction seen from the anchor."""
    old, new = shell.ok("claim", "assert", "Old").first, shell.ok("claim", "assert", "New").first
    edge = shell.ok("relation", "put", new, "supersedes", old, "--metadata", '{"why": "newer"}').first
    assert shell.ok("relation", "list", old).text.startswith(f"<- {edge}")
    assert shell.ok("relation", "list", new, "--direction", "out").text.startswith(f"-> {edge}")
    assert shell.ok("relation", "list", new, "--relation", "supports").err == "nothing is related to it\n"
    assert '{"why":"newer"}' in shell.ok("show", edge).text
    assert edge in shell.ok("show", old).text


def test_conflicts_show_both_sides(shell: Shell) -> None:
    """A contradiction opens a case that list and show tell, by a beginning of its id too."""
    left, right = shell.ok("claim", "assert", "Tabs").first, shell.ok("claim", "assert", "Spaces").first
    assert shell.ok("conflict", "list").err == "no conflicts\n"
    shell.ok("relation", "put", left, "contradicts", right)
    listed = shell.ok("conflict", "list").text
    assert "Tabs" in listed and "Spaces" in listed and "open" in listed
    case = listed.split()[0]
    shown = shell.ok("conflict", "show", case[:12]).text
    assert shell.ok("show", case[:12]).text == shown
    for text in (listed, shown):
        for claim in (left, right):
            assert shell.run("claim.get", claim_id=claim)["revision_id"] in text
        assert text.count("Test Person <test@example.org>") == 2 and text.count("Z  Test Person") == 2
    assert (
        "git memory undo rel_" in shown
        and left in shown
        and "git memory conflict show CASE" in (shell.ok("conflict", "list").err)
    )
    assert "is the id of a conflict" in shell.refused("log", case)
    assert "1 open conflict case" in shell.ok("status").text


def test_a_fork_says_how_it_is_resolved(shell: Shell) -> None:
    """Each command that a case names resolves it; a case that is not open names none."""
    claim = shell.ok("claim", "assert", "One").first
    shell.fork(claim, "Ours", "Theirs")
    case = shell.run("conflict.list")["items"][0]
    assert f"git memory claim revise {claim} TEXT --all-heads" in case["resolved_by"]
    undo = re.findall(r"`git memory (undo \S+)`", shell.ok("conflict", "show", case["case_id"]).text)
    assert len(undo) == 2
    shell.ok(*undo[0].split())
    assert shell.run("conflict.get", case_id=case["case_id"])["resolved_by"] is None
    shell.ok("undo", "@last")
    shell.ok("claim", "revise", claim, "Both", "--all-heads")
    assert shell.ok("conflict", "list").err == "no conflicts\n"


@pytest.mark.parametrize(
    "words",
    [
        ("claim", "assert"),
        ("claim", "assert", ""),
        ("claim", "assert", "x", "--confidence", "2"),
        ("claim", "assert", "x", "--valid-from", "someday"),
        ("claim", "assert", "x", "--valid-from", "2026-02-01", "--valid-until", "2026-01-01"),
        ("claim", "assert", "x", "--marker", ":"),
        ("claim", "assert", "x", "--value", "number:1e999"),
        ("claim", "assert", "x" * 9000),
        ("claim", "assert", "x", "--evidence", "nonsense"),
        ("remember", "x", "--subject", "two\nlines"),
        ("claim", "get", "clm_../../etc/passwd"),
        ("claim", "get", "clm_01jd0000000000000000000000"),
        ("claim", "history", "clm_01jd0000000000000000000000"),
        ("relation", "list", "x"),
        ("relation", "list", "clm_01jd0000000000000000000000", "-n", "0"),
        ("conflict", "list", "--horizon", "workspace"),
        ("conflict", "list", "--cursor", "nonsense"),
        ("conflict", "show", "nonsense"),
    ],
)
def test_bad_values_are_refused(shell: Shell, words: tuple[str, ...]) -> None:
    """One clear error with a hint, exit 1, nothing written; with --json the envelope says the same."""
    shell.refused(*words)


@pytest.mark.parametrize(
    "words",
    [
        ("claim", "assert", "x", "--type", "rumour"),
        ("claim", "assert", "x", "--value", "42"),
        ("claim", "assert", "x", "--value", "number:many"),
        ("claim", "assert", "x", "--confidence", "high"),
        ("claim", "revise", "clm_01jd0000000000000000000000"),
        ("relation", "put", "a", "hates", "b"),
        ("relation", "put", "a", "supports", "b", "--metadata", "{"),
        ("remember",),
        ("remember", "two", "words"),
        ("remember", "x", "--quote", "y"),
        ("remember", "-", "--evidence", "-"),
    ],
)
def test_wrong_usage_is_status_2(shell: Shell, words: tuple[str, ...]) -> None:
    """A command line that cannot be meant is told apart from a refused request."""
    assert " -h` shows the usage" in shell.refused(*words, status=2)


def test_a_part_of_an_id_that_names_nothing_is_named_as_typed(shell: Shell) -> None:
    """What is too short says that; what nothing matches is named without a prefix that nobody typed."""
    shell.ok("claim", "assert", "One")
    for words in (("show",), ("claim", "get"), ("log",), ("blame",), ("undo",)):
        assert "'xq1' is too short" in shell.refused(*words, "xq1")
        said = shell.refused(*words, "xqv4b13")
        assert "xqv4b13" in said and "clm_" not in said
