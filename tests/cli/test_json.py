"""`--json`: the same envelope, byte for byte in form, and the same status as `call` gives."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from memgit.protocol.table import OPERATIONS
from tests.cli.conftest import Shell

NAMED = re.compile(r"\b(clm|art|rel|arev|crev|src|pjn)_[0-7][0-9a-hjkmnp-tv-z]{25}\b")
CITATION = "memoree://artifact/art_01jd0000000000000000000000@arev_01jd0000000000000000000000"
SOURCE = "src_01jd0000000000000000000000"
PROJECTION = "pjn_01jd0000000000000000000000"
TEXT = {"type": "text", "data": "words"}

# Words, what standard input gives, and the request that they stand for. ID and HEAD are a claim's, ART an artifact's.
PAIRS: list[tuple[str, str | None, str, dict[str, Any]]] = [
    ("status", None, "status", {}),
    ("context show", None, "context.resolve", {}),
    ("init", None, "store.init", {}),
    ("remember Words -", None, "", {}),
    ("remember Words --type decision --marker a", None, "remember",
     {"text": "Words", "claim_type": "decision", "markers": ["a"]}),
    ("remember - --evidence note.txt --quote words", "Text\n", "remember",
     {"text": "Text", "claim_type": "fact", "document": {"title": "note.txt", "path": "note.txt", "quote": "words",
      "media_type": "text/plain; charset=utf-8", "content": TEXT}}),
    ("claim assert Words --confidence 0.5", None, "claim.assert",
     {"statement": "Words", "claim_type": "fact", "confidence": 0.5}),
    ("claim assert --value number:4.5", None, "claim.assert",
     {"claim_type": "fact", "value": {"type": "number", "data": 4.5}}),
    (f"claim assert Words --evidence {CITATION}#0-3", None, "claim.assert",
     {"statement": "Words", "claim_type": "fact", "evidence": [{"artifact_id": "art_01jd0000000000000000000000",
      "revision_id": "arev_01jd0000000000000000000000", "start_byte": 0, "end_byte": 3}]}),
    ("claim revise ID Other --unset subject", None, "claim.revise",
     {"claim_id": "ID", "if_revision": "HEAD", "statement": "Other", "subject": None}),
    ("claim retract ID --reason Why", None, "claim.retract",
     {"claim_id": "ID", "if_revision": "HEAD", "reason": "Why"}),
    ("claim get ID", None, "claim.get", {"claim_id": "ID"}),
    ("claim history ID -n 3", None, "claim.history", {"claim_id": "ID", "limit": 3}),
    ("artifact put - --title T", "words", "artifact.put",
     {"kind": "document", "title": "T", "media_type": "text/plain; charset=utf-8", "content": TEXT}),
    ("artifact revise ART -", "words", "artifact.revise",
     {"artifact_id": "ART", "if_revision": "ART-HEAD", "content": TEXT}),
    ("artifact get ART", None, "artifact.get", {"artifact_id": "ART"}),
    ("artifact history ART", None, "artifact.history", {"artifact_id": "ART"}),
    ("artifact forget ART --reason Why", None, "artifact.forget", {"artifact_id": "ART", "reason": "Why"}),
    ("relation put ID references ART", None, "relation.put",
     {"source": "ID", "relation": "references", "target": "ART"}),
    ("relation list ID", None, "relation.list", {"anchor": "ID"}),
    ("conflict list --include-stale", None, "conflict.list", {"include_stale": True}),
    ("conflict show case_00000000000000000000000000000000", None, "conflict.get",
     {"case_id": "case_00000000000000000000000000000000"}),
    ("recall first words --max-claims 2", None, "memory.recall", {"query": "first words", "max_claims": 2}),
    ("recall first --horizon workspace", None, "memory.recall", {"query": "first", "horizon": "workspace"}),
    ("search first --kind claim", None, "search", {"query": "first", "kinds": ["claim"]}),
    (f"cat {CITATION}", None, "citation.get", {"citation": CITATION}),
    ("show ID", None, "show", {"id": "ID"}),
    ("log -n 1", None, "log", {"limit": 1}),
    ("log ID", None, "log", {"entity_id": "ID"}),
    ("log ID -p --actor test --verb assert --since 2026-01-01", None, "log",
     {"entity_id": "ID", "patch": True, "actor": "test", "verb": "assert", "since": "2026-01-01"}),
    ("blame ID", None, "blame", {"entity_id": "ID"}),
    ("diff 2000-01-01..@ --max-bytes 9000", None, "diff", {"range": "2000-01-01..@", "max_bytes": 9000}),
    ("diff @ --format markdown", None, "diff", {"range": "@", "format": "markdown"}),
    ("diff", None, "diff", {}),
    ("undo ID --reason Why", None, "undo", {"targets": ["ID"], "reason": "Why"}),
    ("undo ART ID --force", None, "undo", {"targets": ["ART", "ID"], "force": True}),
    ("conflict acknowledge case_00000000000000000000000000000000", None, "conflict.acknowledge",
     {"case_id": "case_00000000000000000000000000000000"}),
    ("remember Words --local", None, "remember", {"text": "Words", "claim_type": "fact", "layer": "local"}),
    ("remember Words --draft one", None, "remember", {"text": "Words", "claim_type": "fact", "draft": "one"}),
    ("recall first --layer shared", None, "memory.recall", {"query": "first", "layer": "shared"}),
    ("recall first --draft one", None, "memory.recall", {"query": "first", "draft": "one"}),
    ("promote ID", None, "promote", {"ids": ["ID"]}),
    ("draft list", None, "draft.list", {}),
    ("draft list --remote", None, "draft.remote", {}),
    ("draft diff one", None, "draft.diff", {"name": "one", "format": "data"}),
    ("draft merge one", None, "draft.merge", {"name": "one"}),
    ("draft drop one --yes", None, "draft.drop", {"name": "one", "yes": True}),
    ("draft drop one --remote", None, "draft.unshare", {"name": "one"}),
    ("log --layer local -n 2", None, "log", {"limit": 2, "layer": "local"}),
    ("promote", None, "promote", {"ids": []}),
    ("draft restore one", None, "draft.restore", {"name": "one"}),
    ("draft share one --remote away", None, "draft.share", {"name": "one", "remote": "away"}),
    ("draft fetch one", None, "draft.fetch", {"name": "one"}),
    ("import markdown .", None, "import.markdown", {"directory": "."}),
    ("import markdown . --readmit", None, "import.markdown", {"directory": ".", "readmit": True}),
    ("retrieve first --reformulation words", None, "memory.retrieve", {"query": "first", "reformulation": "words"}),
    ("probe first --depth 2", None, "memory.probe", {"query": "first", "depth": 2}),
    ("context build first --max-bytes 900 --include-unqualified", None, "context.build",
     {"query": "first", "max_bytes": 900, "include_unqualified": True}),
    ("feedback record helpful --query first", None, "feedback.record", {"verdict": "helpful", "query": "first"}),
    ("feedback export -n 3", None, "feedback.export", {"limit": 3}),
    ("source register wiki pages", None, "source.register", {"kind": "wiki", "name": "pages"}),
    (f"source get {SOURCE}", None, "source.get", {"source_id": SOURCE}),
    ("source list", None, "source.list", {}),
    (f"source ingest {SOURCE} page/7 12 - --title T", "words", "source.ingest",
     {"source_id": SOURCE, "external_id": "page/7", "external_revision": "12", "title": "T", "content": TEXT,
      "media_type": "text/plain; charset=utf-8"}),
    (f"source ingest {SOURCE} page/7 12 - --title T --readmit", "words", "source.ingest",
     {"source_id": SOURCE, "external_id": "page/7", "external_revision": "12", "title": "T", "content": TEXT,
      "media_type": "text/plain; charset=utf-8", "readmit": True}),
    (f"source checkpoint {SOURCE} --cursor 3", None, "source.checkpoint", {"source_id": SOURCE, "cursor": "3"}),
    (f"source withdraw {SOURCE} page/7", None, "source.withdraw", {"source_id": SOURCE, "external_id": "page/7"}),
    (f"projection put question {CITATION}#0-3 When", None, "projection.put",
     {"artifact_id": "art_01jd0000000000000000000000", "revision_id": "arev_01jd0000000000000000000000",
      "kind": "question", "spans": [{"start_byte": 0, "end_byte": 3}], "text": "When"}),
    ("projection list ART", None, "projection.list", {"artifact_id": "ART"}),
    (f"projection drop {PROJECTION}", None, "projection.drop", {"projection_id": PROJECTION}),
    ("sync nowhere --accept-purge --join", None, "sync.run", {"remote": "nowhere", "accept_purge": True, "join": True}),
    ("pull --elect", None, "sync.pull", {"elect": True}),
    ("push nowhere --allow-flagged", None, "sync.push", {"remote": "nowhere", "allow_flagged": True}),
    ("fetch", None, "sync.fetch", {}),
    ("remote status --fetch", None, "sync.status", {"fetch": True}),
    ("remember-session --session one --turns 1", '[{"text": "Words", "speaker": "Ada"}]', "session.ingest",
     {"session": "one", "turns": [{"text": "Words", "speaker": "Ada"}], "turns_per_claim": 1}),
    ("pending put Words --session one", None, "pending.put", {"text": "Words", "session": "one"}),
    ("pending put - --session one --allow-flagged", "Words", "pending.put",
     {"text": "Words", "session": "one", "allow_flagged": True}),
    ("pending list -n 3", None, "pending.list", {"limit": 3}),
    ("pending show one --allow-flagged", None, "pending.show", {"session": "one", "allow_flagged": True}),
    ("pending preview one --only 2,1 --scope here", None, "pending.preview",
     {"session": "one", "only": [2, 1], "scope": "here"}),
    ("pending apply --only 1 --scope note --expired --local", None, "pending.apply",
     {"only": [1], "scope": "note", "expired": True, "layer": "local"}),
    ("pending drop one two", None, "pending.drop", {"sessions": ["one", "two"]}),
    ("pending drop --all", None, "pending.drop", {"all": True}),
    ("checkpoint create Words --cause session-end --note -", "x" * 70_000, "", {}),
    ("checkpoint --cause two/words", None, "checkpoint.create", {"cause": "two/words"}),
    ("checkpoint list -n 3 --snapshots", None, "checkpoint.list", {"limit": 3, "snapshots": True}),
    ("checkpoint show @last", None, "checkpoint.show", {"id": "@last"}),
    ("checkpoint diff chk_7 @last a", None, "checkpoint.diff", {"id": "chk_7", "other": "@last", "paths": ["a"]}),
    ("checkpoint restore @last --paths a --no-index --dry-run", None, "checkpoint.restore",
     {"id": "@last", "paths": ["a"], "index": False, "dry_run": True}),
    ("checkpoint drop chk_7", None, "checkpoint.drop", {"ids": ["chk_7"]}),
    ("hooks install --config --push", None, "hooks.install", {"way": "config", "push": True}),
    ("hooks uninstall", None, "hooks.uninstall", {}),
    ("hooks status", None, "hooks.status", {}),
    ("hooks snippet post-commit", None, "hooks.snippet", {"hook": "post-commit"}),
    ("doctor", None, "doctor", {}),
    ("verify", None, "verify", {}),
    ("trust list", None, "trust.list", {}),
    ("remember Words --anchor note.txt:1 --anchor-symbol a", None, "remember",
     {"text": "Words", "claim_type": "fact", "anchors": [{"path": "note.txt", "lines": "1"}, {"symbol": "a"}]}),
    ("claim revise ID --no-anchors", None, "claim.revise", {"claim_id": "ID", "if_revision": "HEAD", "anchors": []}),
    ("recall words --at HEAD --differences --merged-only", None, "memory.recall",
     {"query": "words", "at": "HEAD", "differences": True, "merged_only": True}),
    ("why note.txt:1-2 --at HEAD", None, "why", {"path": "note.txt", "lines": "1-2", "at": "HEAD", "limit": 20}),
    ("for note.txt other.txt -n 3", None, "for", {"paths": ["note.txt", "other.txt"], "max_lines": 3}),
    ("stale --state gone -n 3", None, "stale", {"state": "gone", "limit": 3}),
    ("confirm ID --drop-gone", None, "confirm", {"entity_ids": ["ID"], "drop_gone": True}),
    ("check --since HEAD --format github", None, "check", {"since": "HEAD"}),
    ("trust add ada@example.invalid", None, "trust.add", {"entry": "ada@example.invalid"}),
    ("trust remove ada@example.invalid", None, "trust.remove", {"entry": "ada@example.invalid"}),
    ("config get durability", None, "config.get", {"name": "durability"}),
    ("config set durability never", None, "config.set", {"name": "durability", "value": "never"}),
    ("config list", None, "config.list", {}),
    ("model list --check", None, "model.list", {"check": True}),
    ("model install mine package:no_such_package", None, "model.install",
     {"name": "mine", "source": "package:no_such_package"}),
    ("model use none", None, "model.use", {"name": "none"}),
    ("model remove mine", None, "model.remove", {"name": "mine"}),
    ("capabilities", None, "capabilities", {}),
    ("schema status", None, "schema", {"operation": "status"}),
    ("schema", None, "schema", {}),
    ("instructions", None, "instructions", {}),
]  # fmt: skip


def normal(envelope: dict[str, Any]) -> str:
    """Return an envelope without what no two writes have in common."""
    text = NAMED.sub(r"\1", json.dumps(envelope))
    own = "commit|commit_seq|seq|digest|undo|evaluated_at|fingerprint"
    text = re.sub(rf'"({own})": ("[^"]*"|[0-9]+|null)', r'"\1"', text)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)


@pytest.mark.parametrize(("words", "given", "op", "fields"), [pair for pair in PAIRS if pair[2]])
def test_json_is_what_call_answers(
    shell: Shell, words: str, given: str | None, op: str, fields: dict[str, Any]
) -> None:
    """Each verb's flags make the request that a program would send, and print its envelope, refusals included."""
    shell.write("note.txt", "words")
    claim = shell.run("claim.assert", claim_type="fact", statement="The first words")
    artifact = shell.run("artifact.put", kind="note", title="T", content={"type": "text", "data": "x"})
    known = {"ART-HEAD": artifact["revision_id"], "ART": artifact["artifact_id"], "HEAD": claim["revision_id"]}
    known["ID"] = claim["claim_id"]

    def filled(value: Any) -> Any:
        text = json.dumps(value)
        for name, real in known.items():
            text = text.replace(f'"{name}"', f'"{real}"')
        return json.loads(text)

    twin = Shell(shell.directory.with_name("twin"))
    import shutil

    shutil.copytree(shell.directory, twin.directory)
    said = shell.type("--json", *filled(words.split(" ")), given=given)
    called = twin.type("call", given=json.dumps({"op": op, "input": filled(fields)}))
    assert normal(said.envelope).replace("/project", "/twin") == normal(called.envelope)
    assert (said.status, said.err) == (called.status, called.err)


def test_the_pairs_cover_every_operation() -> None:
    """A new operation must be added to the list."""
    assert {op for _, _, op, _ in PAIRS if op} == set(OPERATIONS)


def test_json_after_the_verb_and_before(shell: Shell) -> None:
    """Both places mean the same."""
    assert normal(shell.ok("--json", "status").envelope) == normal(shell.ok("status", "--json").envelope)
    assert normal(shell.ok("claim", "--json", "assert", "x").envelope) == normal(
        shell.ok("claim", "assert", "x", "--json").envelope
    )


def test_text_is_raw_json_for_programs(shell: Shell) -> None:
    """A program gets the text as it was stored; only people get it made safe."""
    text = "red \x1b[31m and \u202e reversed"
    claim = shell.ok("remember", text).first
    assert shell.ok("--json", "claim", "get", claim).envelope["result"]["statement"] == text


def test_an_argument_that_is_not_utf8_is_still_an_envelope(shell: Shell) -> None:
    """Bytes that no JSON can carry come back escaped in the message."""
    ends = ("\udcff" * 9, "clm_\udcff0000")
    for words in (("show", ends[0]), ("claim", "get", ends[1]), ("cat", "\udcff"), ("remember", "\udcff")):
        said = shell.type("--json", *words)
        assert said.envelope["error"]["code"] in ("INVALID_REQUEST", "NOT_FOUND"), words
        shell.refused(*words)
    assert shell.ok("recall", "\udcff").text.startswith("presence: none")


@pytest.mark.parametrize(
    ("request_text", "code"),
    [
        (b"", "INVALID_REQUEST"),
        (b"{", "INVALID_REQUEST"),
        (b"[]", "INVALID_REQUEST"),
        (b'{"op": "status\xff"}', "INVALID_REQUEST"),
        (b'{"op": "nothing"}', "UNKNOWN_OPERATION"),
        (b'{"op": "status", "v": 2}', "UNSUPPORTED_VERSION"),
        (b'{"op": "status", "more": 1}', "INVALID_REQUEST"),
        (b'{"op": "status", "input": {"more": 1}}', "INVALID_REQUEST"),
        (b"[" * 100_000, "INVALID_REQUEST"),
        (b" " * (24 * 1024 * 1024 + 1), "LIMIT_EXCEEDED"),
    ],
    ids=range(10),
)
def test_call_refuses_with_an_envelope(shell: Shell, request_text: bytes, code: str) -> None:
    """Whatever arrives, one envelope goes out, status 1, nothing on standard error."""
    said = shell.type("call", given=request_text)
    assert (said.envelope["error"]["code"], said.status, said.err) == (code, 1, "")


def test_a_reused_key_with_another_request_is_refused(shell: Shell) -> None:
    """`call` never makes a key up, and keeps the first outcome of one that it is given."""

    def asked(statement: str) -> dict[str, Any]:
        fields = {"claim_type": "fact", "statement": statement}
        request = {"op": "claim.assert", "input": fields, "idempotency_key": "k"}
        return shell.type("call", given=json.dumps(request)).envelope

    first = asked("One")
    assert asked("One")["result"] == first["result"]
    assert asked("Two")["error"]["code"] == "IDEMPOTENCY_CONFLICT"
