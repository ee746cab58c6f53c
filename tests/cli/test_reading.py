"""`recall`, `search`, `show`, `log`, `status`, `context`, `verify`: what a person reads."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Shell


@pytest.fixture
def filled(shell: Shell) -> Shell:
    """A memory with a document, and two claims."""
    shell.write("docs/money.md", "# Money\n\nAll amounts are stored in cents, as integers.\n")
    shell.ok("import", "markdown", "docs")
    shell.ok("remember", "Amounts are stored in cents.", "--type", "decision", "--evidence", "docs/money.md")
    shell.ok("remember", "We deploy on Tuesdays.", "--type", "procedure")
    return shell


def test_recall_shows_claims_with_their_evidence(filled: Shell) -> None:
    """Presence first, then type, statement and citations that resolve; documents after them."""
    text = filled.ok("recall", "how", "are", "amounts", "stored").text
    assert text.startswith("presence: claims\n")
    assert "decision  current" in text and "    Amounts are stored in cents." in text
    citation = next(line.split()[-1] for line in text.splitlines() if line.startswith("    evidence"))
    assert b"cents" in filled.ok("cat", citation).out
    assert "Tuesdays" not in text


def test_recall_says_that_it_knows_nothing(filled: Shell) -> None:
    """Absence is an answer, not a failure; what to do next is said beside it."""
    said = filled.ok("recall", "kubernetes")
    assert said.text == "presence: none\nNothing in this memory qualifies as an answer.\n"
    assert "git memory" in said.err
    assert filled.ok("-q", "recall", "kubernetes").err == ""


def test_recall_marks_what_is_disputed(filled: Shell) -> None:
    """A claim with an open conflict is marked, and both sides are there."""
    one = filled.ok("claim", "assert", "Retries stop after three attempts.").first
    two = filled.ok("claim", "assert", "Retries stop after five attempts.").first
    filled.ok("relation", "put", one, "contradicts", two)
    text = filled.ok("recall", "when do retries stop").text
    assert "disputed" in text and "conflict (contradicts, open)" in text
    assert "three attempts" in text and "five attempts" in text


def test_what_says_the_same_is_counted(filled: Shell) -> None:
    """Repetitions are one line beside the claim that stands for them; without age, nothing tells of age."""
    for text in ("The harbour closes at noon.", "the harbour closes at noon", "HARBOUR CLOSES AT NOON!"):
        filled.ok("claim", "assert", text)
    text = filled.ok("recall", "harbour noon").text
    assert text.count("clm_") == 1 and "and 2 that say the same" in text
    for verb in (("recall",), ("search",), ("retrieve",), ("context", "build")):
        assert '"policy"' not in filled.ok(*verb, "harbour noon", "--no-recency", "--json").text
    assert '"bounded_recency_v1"' in filled.ok("recall", "harbour noon", "--json").text


def test_recall_takes_every_flag(filled: Shell) -> None:
    """Sizes, history and markers reach the operation."""
    flags = "--max-claims 1 --max-artifact-refs 1 --max-excerpt-bytes 40 --include-historical"
    text = filled.ok("recall", "amounts stored", *flags.split()).text
    assert text.count("decision") == 1
    assert filled.ok("recall", "amounts stored", "--marker", "nothing").text.startswith("presence: none")
    assert "amounts" in filled.ok("recall", "amounts", "--horizon", "personal", "--reason", "test").text.lower()


def test_search_ranks_leads(filled: Shell) -> None:
    """Hits are numbered, best first, and can be limited to a kind."""
    text = filled.ok("search", "cents", "-n", "5", "--kind", "claim").text
    assert text.startswith(" 1  clm_") and "document" not in text
    assert filled.ok("search", "cents", "--kind", "artifact").text.startswith(" 1  art_")
    assert filled.ok("search", "zebra").out == b""
    assert "reason" in filled.refused("search", "cents", "--horizon", "workspace")
    filled.refused("search", "cents", "-n", "0")
    filled.refused("search", status=2)


def test_what_comes_close_is_counted_without_noughts(shell: Shell) -> None:
    """A hint names claims and documents as far as there are some."""
    shell.write("ledger.md", "# Ledger\n\nThe ledger closes at noon.\n")
    shell.ok("artifact", "put", "ledger.md")
    said = shell.ok("recall", "which", "dragon", "painted", "the", "ledger", "blue").err
    assert "1 more document comes close" in said and "shows it" in said and "0 claims" not in said


def test_show_tells_whatever_an_id_names(filled: Shell) -> None:
    """Claims, artifacts and citations of old revisions."""
    claim = filled.ok("claim", "assert", "First").first
    citation = filled.ok("show", claim).text.split("citation")[1].split()[0]
    filled.ok("claim", "revise", claim, "Second")
    assert "Second" in filled.ok("show", claim).text
    assert "First" in filled.ok("show", citation).text and "current)" not in filled.ok("show", citation).text
    for wrong in ("nothing-like-this", "x", "clm_zzzzzzz", "memoree://claim/x", "case_0", "../../etc/passwd", "ż" * 9):
        filled.refused("show", wrong)


def test_log_lists_writes(filled: Shell) -> None:
    """One line a write, newest first; of one entity alone; in pages."""
    claim = filled.ok("claim", "assert", "Logged").first
    lines = filled.ok("log").text.splitlines()
    assert "claim assert: Logged" in lines[0] and "Test Person" in lines[0] and "store init" in lines[-1]
    assert len(filled.ok("log", claim[:14]).text.splitlines()) == 1
    page = filled.ok("log", "-n", "1")
    assert len(page.text.splitlines()) == 1
    assert filled.ok("log", "-n", "1", "--cursor", page.err.split()[-1]).text != page.text
    filled.refused("log", "-n", "101")


def test_status_counts(filled: Shell) -> None:
    """What is here, what is in the store, and the latest claims."""
    text = filled.ok("status").text
    assert "claims: 2 active" in text and "artifacts: 2 active" in text
    assert "We deploy on Tuesdays." in text
    assert filled.ok().text == text


def test_without_a_verb_and_without_a_store(empty: Shell) -> None:
    """A short text on how to begin, not an error."""
    assert "git memory init" in empty.ok().text
    outside = empty.directory.parent / "nowhere"
    outside.mkdir()
    assert "git memory demo" in Shell(outside).ok().text
    assert empty.type("--json").envelope["error"]["code"] == "NO_AMBIENT_CONTEXT"


def test_context_names_its_source(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A marker, then a session."""
    assert f"marker: {shell.directory}/.memoree.toml" in shell.ok("context", "show").text
    document = '{"v":1,"workspace_id":"w","project_id":"p","task_id":"tsk_01jd0000000000000000000000","task":"Fix"}'
    monkeypatch.setenv("MEMOREE_CONTEXT", document)
    text = shell.ok("context", "show").text
    assert "tsk_01jd0000000000000000000000 (Fix)" in text and "session" in text


def test_verify_reports_and_exits_with_1(filled: Shell) -> None:
    """A clean store is status 0; a foreign file in the tree is a finding, status 1, in both forms."""
    assert filled.ok("verify").text.rstrip().endswith(": ok")
    blob = filled.git("hash-object", "-w", "--stdin")
    tree = filled.git("rev-parse", "refs/memgit/store^{tree}")
    listed = filled.git("ls-tree", tree) + f"\n100644 blob {blob}\tforeign.txt\n"
    import subprocess

    made = subprocess.check_output(["git", "mktree"], cwd=filled.directory, input=listed, text=True).strip()
    message = filled.git("log", "-1", "--format=%B", "refs/memgit/store")
    commit = filled.git("commit-tree", made, "-p", "refs/memgit/store", "-m", message)
    filled.git("update-ref", "refs/memgit/store", commit)
    said = filled.type("verify")
    assert said.status == 1 and "foreign.txt" in said.text and said.text.rstrip().endswith(": not ok")
    as_json = filled.type("--json", "verify")
    assert (as_json.status, as_json.envelope["ok"], as_json.envelope["result"]["ok"]) == (1, True, False)


def test_an_answer_shows_where_a_document_came_from(filled: Shell) -> None:
    """By its path it is found, and its path is shown, by recall, search and probe."""
    for verb in ("recall", "search"):
        assert "    path      docs/money.md\n" in filled.ok(verb, "docs/money.md").text
    assert "Money  docs/money.md" in filled.ok("probe", "integers gold").text


def test_a_turn_shows_who_said_it_and_when(shell: Shell) -> None:
    """Beside what was said; a question says that it is one, and what was said next that it came after."""
    turns = [
        {"text": "Who cuts the next release?", "speaker": "Ben", "time": "2026-07-06T10:00:00Z"},
        {"text": "I will.", "speaker": "Cleo"},
    ]
    shell.ok("remember-session", "--session", "s1", "--turns", "1", given="\n".join(map(json.dumps, turns)))
    text = shell.ok("recall", "who cuts the release?", "--max-candidate-claims", "2").text
    assert text.startswith("presence: none\n")
    assert "    said      by Ben, 2026-07-06 10:00:00Z, in s1\n    it only asks\n" in text
    assert "    I will.\n    said      by Cleo, in s1\n    said after the question clm_" in text
    assert "I will." in shell.ok("retrieve", "who cuts the release?").text


def test_an_answer_of_another_time_says_so(filled: Shell) -> None:
    """The moment stands beside it, and a moment that lies ahead is told; without --as-of there is no word of it."""
    for verb in (("recall",), ("search",), ("retrieve",), ("probe",), ("context", "build")):
        said = filled.ok(*verb, "cents", "--as-of", "2999-01-01").err
        assert "as of 2999-01-01 00:00:00Z" in said and "lies ahead" in said, verb
        assert "as of" not in filled.ok(*verb, "cents").err


def test_a_source_is_named_by_the_end_of_its_id(shell: Shell) -> None:
    """As other things are; what fits none is refused with the verb that lists them."""
    name = shell.ok("source", "register", "wiki", "pages").first
    assert name in shell.ok("source", "get", name[-6:]).text
    shell.write("page.md", "# Page\n")
    shell.ok("source", "ingest", name[-6:], "page-1", "rev-1", "page.md")
    shell.ok("source", "checkpoint", name[-6:], "--cursor", "1")
    assert "git memory source list" in shell.refused("source", "get", "zzzzzz")
    assert "git memory projection list" in shell.refused("projection", "drop", "zzzzzz")


def test_status_marks_what_is_not_valid_now(filled: Shell) -> None:
    """A claim that has expired stands among the latest with a mark; the others bear none."""
    filled.ok("claim", "assert", "The sale is on.", "--valid-until", "2020-01-01")
    lines = filled.ok("status").text.splitlines()
    assert [line.endswith("not valid now") for line in lines if "clm_" in line] == [True, False, False]


def test_candidates_stand_before_what_is_said_of_them(shell: Shell) -> None:
    """What is shown already is not offered elsewhere; of more, it is said where it is."""
    shell.ok("claim", "assert", "The ledger closes at noon.")
    asked = ("recall", "which dragon painted the ledger blue")
    assert "1 claim comes close" in shell.ok(*asked).err
    said = shell.ok(*asked, "--max-candidate-claims", "1")
    assert "nothing else comes close" in said.err and "shows it" not in said.err
    assert said.text.index("qualifies as an answer") < said.text.index("close, but not qualified")
