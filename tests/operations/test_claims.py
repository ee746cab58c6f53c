"""Claims: atomic statements with immutable revisions, evidence that resolves, and refusals that write nothing."""

from __future__ import annotations

import pytest

from tests.operations.conftest import SCOPE, Memory


def test_a_claim_reads_back_as_it_was_asserted(memory: Memory) -> None:
    """Every field of a claim round-trips."""
    fields = {
        "subject": "billing",
        "component": "invoices",
        "confidence": 0.75,
        "valid_from": "2026-01-01",
        "valid_until": "2027-01-01T00:00:00+02:00",
        "trust": "user_confirmed",
        "sensitivity": "internal",
        "markers": ["tag:money", "area:core", "urgent"],
    }
    written = memory.claim("Invoices are immutable: no, really — 12:30:00", "constraint", **fields)
    claim = memory.run("claim.get", claim_id=written["claim_id"])
    assert claim["statement"] == "Invoices are immutable: no, really — 12:30:00"
    assert claim["claim_type"] == "constraint"
    assert (claim["subject"], claim["component"], claim["confidence"]) == ("billing", "invoices", 0.75)
    assert claim["valid_from"] == "2026-01-01T00:00:00.000000Z"
    assert claim["valid_until"] == "2026-12-31T22:00:00.000000Z"
    assert claim["markers"] == ["area:core", "tag:money", "tag:urgent"]
    assert (claim["status"], claim["revision_number"], claim["is_current"]) == ("active", 1, True)


@pytest.mark.parametrize("claim_type", ["fact", "decision", "constraint", "preference", "procedure", "observation"])
def test_each_claim_type_is_accepted(memory: Memory, claim_type: str) -> None:
    """The six types of the contract exist, and no other."""
    memory.claim("One thing.", claim_type)
    assert memory.refused("claim.assert", claim_type="opinion", statement="x")["code"] == "INVALID_REQUEST"


def test_a_typed_value_stands_in_for_a_statement(memory: Memory) -> None:
    """A claim may carry a value with its type instead of a sentence."""
    written = memory.run("claim.assert", claim_type="fact", subject="retries", value={"type": "number", "data": 3})
    claim = memory.run("claim.get", claim_id=written["claim_id"])
    assert claim["value"] == {"type": "number", "data": "3"}
    assert claim["statement"] == "retries: 3"


@pytest.mark.parametrize(
    "value",
    [
        {"type": "number", "data": "3"},
        {"type": "number", "data": True},
        {"type": "boolean", "data": "true"},
        {"type": "timestamp", "data": "2026-01-01T00:00:00"},
        {"type": "text", "data": "  "},
        {"type": "number", "data": 2**63},
    ],
)
def test_a_value_of_another_type_is_refused(memory: Memory, value: dict[str, object]) -> None:
    """The type decides; nothing is coerced."""
    assert memory.refused("claim.assert", claim_type="fact", value=value)["code"] == "INVALID_REQUEST"


def test_revision_keeps_what_is_left_out_and_clears_what_is_null(memory: Memory) -> None:
    """A revision is whole: absent fields stay, null removes, lists are replaced."""
    first = memory.claim("Retries: 3", subject="http", confidence=0.5, markers=["a"])
    memory.run(
        "claim.revise", claim_id=first["claim_id"], if_revision=first["revision_id"], statement="Retries: 4",
        confidence=None, markers=[],
    )  # fmt: skip
    claim = memory.run("claim.get", claim_id=first["claim_id"])
    assert (claim["statement"], claim["subject"]) == ("Retries: 4", "http")
    assert (claim["confidence"], claim["markers"], claim["revision_number"]) == (None, [], 2)


def test_a_stale_revision_is_refused_with_the_current_one(memory: Memory) -> None:
    """`if_revision` protects a concurrent edit: REVISION_CONFLICT names what is current."""
    first = memory.claim("One")
    second = memory.run("claim.revise", claim_id=first["claim_id"], if_revision=first["revision_id"], statement="Two")
    error = memory.refused(
        "claim.revise", claim_id=first["claim_id"], if_revision=first["revision_id"], statement="Three"
    )
    assert error["code"] == "REVISION_CONFLICT"
    assert error["details"]["current"] == second["revision_id"]
    assert error["details"]["heads"] == [second["revision_id"]]


def test_a_write_without_a_revision_is_refused(memory: Memory) -> None:
    """Nobody revises or retracts what they have not read."""
    first = memory.claim("One")
    assert memory.refused("claim.revise", claim_id=first["claim_id"], statement="Two")["code"] == "INVALID_REQUEST"
    assert memory.refused("claim.retract", claim_id=first["claim_id"], reason="x")["code"] == "INVALID_REQUEST"


def test_a_retracted_claim_stays_readable_and_is_terminal(memory: Memory) -> None:
    """Retraction ends a claim; its history remains; it cannot be revised."""
    first = memory.claim("One")
    identity = {"claim_id": first["claim_id"], "if_revision": first["revision_id"]}
    memory.run("claim.retract", **identity, reason="wrong")
    claim = memory.run("claim.get", claim_id=first["claim_id"])
    assert (claim["status"], claim["ended_because"], claim["statement"]) == ("retracted", "wrong", "One")
    assert memory.refused("claim.revise", **identity, statement="Two")["details"]["status"] == "retracted"


def test_history_is_newest_first_in_pages_with_present_lifecycle(memory: Memory) -> None:
    """Revision fields are historical, lifecycle fields present, on every page; pages do not overlap."""
    first = memory.claim("Text 1")
    revision = first["revision_id"]
    for number in range(2, 6):
        revision = memory.run(
            "claim.revise", claim_id=first["claim_id"], if_revision=revision, statement=f"Text {number}"
        )["revision_id"]
    memory.run("claim.retract", claim_id=first["claim_id"], if_revision=revision, reason="done")
    page = memory.run("claim.history", claim_id=first["claim_id"], limit=3)
    assert [item["statement"] for item in page["items"]] == ["Text 5", "Text 4", "Text 3"]
    assert {item["status"] for item in page["items"]} == {"retracted"}
    rest = memory.run(
        "claim.history", claim_id=first["claim_id"], before_revision_number=page["next_before_revision_number"]
    )
    assert [item["revision_number"] for item in rest["items"]] == [2, 1]
    assert rest["next_before_revision_number"] is None


@pytest.mark.parametrize("limit", [0, -1, 101])
def test_history_limits_are_checked(memory: Memory, limit: int) -> None:
    """A page has 1 to 100 items."""
    first = memory.claim("One")
    error = memory.refused("claim.history", claim_id=first["claim_id"], limit=limit)
    assert error["code"] in ("INVALID_REQUEST", "LIMIT_EXCEEDED")


def test_evidence_resolves_to_the_quoted_bytes(memory: Memory) -> None:
    """A claim cites a whole revision or exact bytes, and the citation gives those bytes back."""
    text = "Zürich decided: PostgreSQL. Nothing else."
    artifact = memory.artifact(text)
    start = text.encode().index(b"PostgreSQL")
    locator = {"artifact_id": artifact["artifact_id"], "revision_id": artifact["revision_id"]}
    span = {**locator, "start_byte": start, "end_byte": start + 10}
    written = memory.claim("We use PostgreSQL", "decision", evidence=[span, locator])
    evidence = memory.run("claim.get", claim_id=written["claim_id"])["evidence"]
    assert memory.run("citation.get", citation=evidence[0]["citation"])["content"] == {
        "type": "text",
        "data": "PostgreSQL",
    }
    assert memory.run("citation.get", citation=evidence[1]["citation"])["content"]["data"] == text


@pytest.mark.parametrize(
    ("start", "end", "kind"),
    [
        (1, 2, "split_code_point"),
        (0, 1_000, "invalid_range"),
        (3, 3, "invalid_range"),
        (5, 2, "invalid_range"),
        (-1, 2, "invalid_range"),
        (0, None, "invalid_range"),
    ],
)
def test_evidence_that_names_no_bytes_is_refused(memory: Memory, start: int, end: int | None, kind: str) -> None:
    """A span that splits a character, runs past the end or backwards is refused before anything is written."""
    artifact = memory.artifact("é is two bytes")
    locator = {"artifact_id": artifact["artifact_id"], "revision_id": artifact["revision_id"]}
    error = memory.refused(
        "claim.assert", claim_type="fact", statement="x", evidence=[{**locator, "start_byte": start, "end_byte": end}]
    )
    assert (error["code"], error["details"]["kind"]) == ("CITATION_ERROR", kind)


def test_evidence_must_exist(memory: Memory) -> None:
    """An unknown artifact and an unknown revision are told apart."""
    artifact = memory.artifact("text")
    other = "0" * 26
    unknown = {"artifact_id": f"art_{other}", "revision_id": artifact["revision_id"]}
    error = memory.refused("claim.assert", claim_type="fact", statement="x", evidence=[unknown])
    assert error["details"]["kind"] == "unknown_artifact"
    unknown = {"artifact_id": artifact["artifact_id"], "revision_id": f"arev_{other}"}
    error = memory.refused("claim.assert", claim_type="fact", statement="x", evidence=[unknown])
    assert error["details"]["kind"] == "unknown_revision"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"statement": "  "},
        {"statement": "x", "confidence": 1.5},
        {"statement": "x", "confidence": "high"},
        {"statement": "x", "valid_from": "yesterday"},
        {"statement": "x", "valid_from": "2026-01-01T00:00:00"},
        {"statement": "x", "valid_from": "2026-02-01", "valid_until": "2026-01-01"},
        {"statement": "x", "markers": ["bad dimension!:x"]},
        {"statement": "x", "markers": ["status:active"]},
        {"statement": "x", "colour": "red"},
        {"statement": "x", "subject": "two\nlines"},
    ],
)
def test_fields_that_do_not_fit_are_refused(memory: Memory, fields: dict[str, object]) -> None:
    """Each wrong field is named, and nothing is written."""
    assert memory.refused("claim.assert", claim_type="fact", **fields)["code"] == "INVALID_REQUEST"


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"statement": "x" * 8193}, "statement_bytes"),
        ({"statement": "é" * 4097}, "statement_bytes"),
        ({"statement": "x", "markers": [f"m{n}" for n in range(65)]}, "markers_per_claim"),
        ({"statement": "x", "subject": "s" * 513}, "subject_bytes"),
    ],
)
def test_limits_say_which_and_how_large(memory: Memory, fields: dict[str, object], limit: str) -> None:
    """LIMIT_EXCEEDED names the limit, its value and the size seen."""
    error = memory.refused("claim.assert", claim_type="fact", **fields)
    assert error["code"] == "LIMIT_EXCEEDED"
    assert error["details"]["limit"] == limit
    assert error["details"]["size"] > error["details"]["value"]


@pytest.mark.parametrize(
    "claim_id", ["../../etc/passwd", "clm_", "art_" + "0" * 26, "clm_" + "0" * 25 + "/", "", "x" * 500]
)
def test_ids_with_slashes_or_dots_are_refused(memory: Memory, claim_id: str) -> None:
    """An id is a prefix and a ULID; nothing else reaches a path."""
    assert memory.refused("claim.get", claim_id=claim_id)["code"] == "INVALID_REQUEST"


def test_an_unknown_claim_is_not_found(memory: Memory) -> None:
    """A well-formed id that names nothing is NOT_FOUND."""
    assert memory.refused("claim.get", claim_id="clm_" + "0" * 26)["code"] == "NOT_FOUND"


def test_exact_ids_cross_scope_but_writes_do_not(memory: Memory) -> None:
    """Exact lookup is read visibility, not write authority: SCOPE_VIOLATION comes before anything is written."""
    written = memory.claim("Ours")
    other = {"workspace_id": SCOPE["workspace_id"], "project_id": "elsewhere"}
    assert memory.run("claim.get", context=other, claim_id=written["claim_id"])["statement"] == "Ours"
    for op, fields in (("claim.revise", {"statement": "Theirs"}), ("claim.retract", {"reason": "mine"})):
        error = memory.refused(
            op, context=other, claim_id=written["claim_id"], if_revision=written["revision_id"], **fields
        )
        assert error["code"] == "SCOPE_VIOLATION"


def test_every_write_stamps_head_and_branch(memory: Memory) -> None:
    """A claim says where the user's own repository stood."""
    unborn = memory.run("claim.get", claim_id=memory.claim("Before")["claim_id"])
    assert unborn["code"]["head"] is None
    assert unborn["code"]["branch"].startswith("refs/heads/")
    memory.git("commit", "-q", "--allow-empty", "-m", "one")
    stamped = memory.run("claim.get", claim_id=memory.claim("After")["claim_id"])
    assert stamped["code"]["head"] == memory.git("rev-parse", "HEAD")


def test_the_contexts_component_is_the_default(memory: Memory) -> None:
    """A claim and an artifact that name no component get the context's."""
    context = {**SCOPE, "component": "billing"}
    claim = memory.claim("One", context=context)["claim_id"]
    named = memory.claim("Two", context=context, component="other")["claim_id"]
    artifact = memory.artifact("x", context=context)["artifact_id"]
    assert memory.run("claim.get", claim_id=claim)["component"] == "billing"
    assert memory.run("claim.get", claim_id=named)["component"] == "other"
    assert memory.run("artifact.get", artifact_id=artifact)["artifact"]["component"] == "billing"


def test_a_new_text_over_old_evidence_is_said(memory: Memory) -> None:
    """A revision that says something else and keeps its evidence warns, unless the evidence says it or was changed."""
    made = memory.run("remember", text="The port is 80. It was 8080.")
    locator = {"artifact_id": made["artifact_id"], "revision_id": made["artifact_revision_id"]}

    def warnings(**fields: object) -> list[str]:
        """Return what a revision is answered with."""
        head = memory.run("claim.get", claim_id=made["claim_id"])["revision_id"]
        envelope = memory.envelope("claim.revise", claim_id=made["claim_id"], if_revision=head, **fields)
        assert envelope["ok"], envelope
        found: list[str] = envelope["warnings"]
        return found

    (said,) = warnings(statement="The port is 81.")
    assert "evidence was not changed" in said and made["artifact_id"] in said
    assert warnings(statement="The port is 80.") == []
    assert warnings(confidence=0.5) == []
    assert warnings(statement="The port is 82.", evidence=[locator]) == []
    assert warnings(statement="The port is 83.", evidence=[]) == []
