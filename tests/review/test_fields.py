"""What two revisions differ in, field by field."""

from __future__ import annotations

from memgit.records.ids import ArtifactId, RevisionId
from memgit.records.op import ClaimPayload, Evidence, Value
from memgit.review.fields import TEXT_CHARACTERS, changed_fields, fields_of, text_of

ONE = Evidence(ArtifactId("art_" + "0" * 26), RevisionId("arev_" + "0" * 26), 0, 4)


def test_each_difference_is_one_change() -> None:
    """Single fields as old and new, repeated ones as gone or come."""
    old = ClaimPayload(claim_type="fact", statement="a b", confidence=0.5, markers=("x:1", "x:2"))
    new = ClaimPayload(claim_type="fact", statement="a c", subject="s", markers=("x:2", "x:3"), evidence=(ONE,))
    found = {(change.name, change.old, change.new) for change in changed_fields(old, new)}
    assert found == {
        ("statement", "a b", "a c"),
        ("confidence", "0.5", None),
        ("subject", None, "s"),
        ("marker", "x:1", None),
        ("marker", None, "x:3"),
        ("evidence", None, f"memoree://artifact/{ONE.artifact}@{ONE.revision}#0-4"),
    }


def test_the_first_revision_is_all_new_and_the_same_one_none() -> None:
    """Nothing to compare with: every field; nothing that differs: no change."""
    payload = ClaimPayload(claim_type="fact", value=Value("number", "42"), subject="answer")
    assert [(change.name, change.new) for change in changed_fields(None, payload)] == fields_of(payload)
    assert changed_fields(payload, payload) == ()
    assert text_of(payload) == "answer: 42"


def test_a_very_long_value_is_cut_and_says_so() -> None:
    """A typed value may have 64 KiB; a difference shows its beginning."""
    payload = ClaimPayload(claim_type="fact", value=Value("text", "x" * 10_000))
    (change,) = [change for change in changed_fields(None, payload) if change.name == "value"]
    assert change.new is not None and len(change.new) < TEXT_CHARACTERS + 50 and change.new.endswith("more characters)")
