"""Does memory know this? Presence, what is shown, what is kept out, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from memgit.errors import InvalidRequest, LimitExceeded
from memgit.index.lexical import ScopeFilter
from memgit.records.op import Anchor, Scope
from memgit.records.state import Status
from memgit.retrieval.citations import resolve
from memgit.retrieval.recall import RecallRequest, RecallResult, recall
from memgit.retrieval.view import Past

from .memory import AMBIENT, ELSEWHERE, NOW, Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return Memory(tmp_path)


def ask(memory: Memory, query: str, scope: ScopeFilter = AMBIENT, **fields: Any) -> RecallResult:
    """Return what recall answers, from a fresh index."""
    return recall(RecallRequest(query=query, **fields), memory.view(scope))


def statements(result: RecallResult) -> list[str | None]:
    """Return the statements of the claims."""
    return [claim.statement for claim in result.claims]


class TestPresence:
    """claims, artifacts_only or none, by qualification alone."""

    def test_claims_come_first(self, memory: Memory) -> None:
        """A claim that qualifies makes presence `claims`, with the artifacts apart."""
        memory.claim("The cache uses Redis.")
        memory.artifact("We put Redis behind the cache.", "Cache notes")
        result = ask(memory, "redis cache")
        assert (result.presence, statements(result)) == ("claims", ["The cache uses Redis."])
        assert [ref.title for ref in result.artifacts] == ["Cache notes"]

    def test_artifacts_alone_are_no_claims(self, memory: Memory) -> None:
        """Material without a claim says so."""
        memory.artifact("We put Redis behind the cache.", "Cache notes")
        result = ask(memory, "redis cache")
        assert (result.presence, result.claims) == ("artifacts_only", ())

    def test_none_is_an_answer(self, memory: Memory) -> None:
        """An empty memory, a memory of other things, a query without words."""
        assert ask(memory, "redis").presence == "none"
        memory.claim("The queue uses Kafka.")
        for query in ("redis", "kafka redis", "!!!", "🚀", "queue retention policy"):
            result = ask(memory, query)
            assert (result.presence, result.claims, result.artifacts) == ("none", (), ())

    def test_the_answer_says_what_it_looked_at(self, memory: Memory) -> None:
        """The horizon, the instant, and what of the query was left out."""
        memory.claim("The cache uses Redis.")
        view = memory.view(ScopeFilter("wsp_test"), horizon="workspace")
        result = recall(RecallRequest(query="redis " * 2000), view)
        assert (result.searched_horizons, result.evaluated_at) == (("workspace",), NOW)
        assert result.presence == "claims"
        assert "were considered" in result.warnings[0]

    @pytest.mark.parametrize("query", ["", "  \n"])
    def test_a_blank_query_is_refused(self, memory: Memory, query: str) -> None:
        """There is nothing to recall."""
        with pytest.raises(InvalidRequest):
            ask(memory, query)

    def test_everything_is_json(self, memory: Memory) -> None:
        """The result is plain data."""
        source = memory.artifact("We put Redis behind the cache.")
        memory.claim("The cache uses Redis.", evidence=(memory.evidence(source, "Redis behind"),))
        result = ask(memory, "redis cache", max_candidate_claims=3)
        assert msgspec.json.decode(msgspec.json.encode(result), type=RecallResult) == result


class TestScopeAndLifecycle:
    """What may not be seen is not there."""

    def test_other_projects_are_not_looked_at(self, memory: Memory) -> None:
        """Not in claims, artifacts, candidates, hints or conflicts."""
        foreign = memory.claim("The cache uses Redis.", scope=ELSEWHERE)
        memory.artifact("Redis notes.", "Redis", scope=ELSEWHERE)
        result = ask(memory, "redis cache", max_candidate_claims=5, max_candidate_artifact_refs=5)
        assert (result.presence, result.candidates_hint) == ("none", None)
        assert foreign not in msgspec.json.encode(result).decode()
        assert ask(memory, "redis cache", ScopeFilter("wsp_test")).presence == "claims"

    def test_tasks_and_pins(self, memory: Memory) -> None:
        """An item of a task shows in that task; a pinned artifact wherever it lives."""
        task = Scope(workspace="wsp_test", project="prj_here", task="tsk_one")
        memory.claim("The cache uses Redis.", scope=task)
        pinned = memory.artifact("The queue is Kafka.", "Queue", scope=ELSEWHERE)
        assert ask(memory, "redis").presence == "none"
        assert ask(memory, "redis", ScopeFilter("wsp_test", "prj_here", frozenset({None, "tsk_one"}))).claims
        assert ask(memory, "kafka").presence == "none"
        with_pin = ScopeFilter("wsp_test", "prj_here", frozenset({None}), frozenset({pinned}))
        assert ask(memory, "kafka", with_pin).presence == "artifacts_only"

    @pytest.mark.parametrize("status", ["superseded", "retracted", "forgotten", "void"])
    def test_what_ended_is_history(self, memory: Memory, status: Status) -> None:
        """Out by default; on request it is shown, and says why it is not current."""
        claim = memory.claim("The cache uses Redis.")
        memory.end(claim, status)
        assert ask(memory, "redis cache").presence == "none"
        (shown,) = ask(memory, "redis cache", include_historical=True).claims
        assert shown.standing == "historical"
        assert [reason.code for reason in shown.not_current] == ["undone" if status == "void" else status]

    def test_old_revisions_are_history(self, memory: Memory) -> None:
        """The current statement answers; the old one only on request, behind the current one, and says so."""
        claim = memory.claim("The cache uses Redis.")
        memory.revise(claim, "The cache uses Valkey.")
        assert ask(memory, "redis cache").presence == "none"
        both = ask(memory, "cache uses", include_historical=True)
        assert statements(both) == ["The cache uses Valkey.", "The cache uses Redis."]
        assert [[reason.code for reason in each.not_current] for each in both.claims] == [[], ["revised"]]
        (shown,) = ask(memory, "redis cache", include_historical=True).claims
        assert (shown.statement, shown.not_current[0].code) == ("The cache uses Redis.", "revised")
        assert shown.not_current[0].by == memory.entities[claim].lineage.heads

    def test_validity_is_judged_at_one_instant(self, memory: Memory) -> None:
        """[valid_from, valid_until): the end is out, the beginning in."""
        memory.claim("Redis is old.", valid_until=NOW)
        memory.claim("Redis is new.", valid_from=NOW)
        memory.claim("Redis is next.", valid_from="2999-01-01")
        assert statements(ask(memory, "redis")) == ["Redis is new."]
        result = ask(memory, "redis", include_historical=True)
        assert {claim.statement: claim.standing for claim in result.claims} == {
            "Redis is new.": "current", "Redis is old.": "historical", "Redis is next.": "historical",
        }  # fmt: skip
        assert result.claims[0].standing == "current"

    def test_markers_must_all_be_there(self, memory: Memory) -> None:
        """On claims and artifacts alike."""
        memory.claim("Redis one.", markers=("a", "b"))
        memory.claim("Redis two.", markers=("a",))
        assert statements(ask(memory, "redis", markers=("a", "b"))) == ["Redis one."]

    def test_a_past_state_judges_for_itself(self, memory: Memory) -> None:
        """A view of an earlier state shows what was current then, whatever the index has seen since."""
        claim = memory.claim("The cache uses Redis.")
        gone = memory.claim("The cache is small.")
        then = dict(memory.entities)
        memory.revise(claim, "The cache uses Valkey.")
        memory.end(gone, "retracted")
        memory.claim("The cache uses nothing.")
        index = memory.index()
        memory.entities = then
        result = recall(RecallRequest(query="cache"), memory.view(index=index, past=Past()))
        assert sorted(filter(None, statements(result))) == ["The cache is small.", "The cache uses Redis."]

    def test_what_had_ended_by_then_takes_no_places(self, memory: Memory) -> None:
        """An index cannot tell what was current in the past; more is looked at until enough was, or all is."""
        memory.claim("The cache in the gateway of the billing service uses Redis.")
        gone = [memory.claim(f"The cache{number} cache uses Redis.") for number in range(300)]
        index = memory.index()
        for claim in gone:
            memory.end(claim, "retracted")
        result = recall(RecallRequest(query="cache redis"), memory.view(index=index, past=Past()))
        assert statements(result) == ["The cache in the gateway of the billing service uses Redis."]


class TestAuthority:
    """The index proposes; the entities and the bytes decide."""

    def test_a_stale_index_makes_nothing_up(self, memory: Memory) -> None:
        """What ended, moved on or vanished since is not shown, though the index still has it."""
        ended, revised, vanished = (memory.claim(f"Redis {word}.") for word in ("one", "two", "three"))
        index = memory.index()
        memory.end(ended, "retracted")
        memory.revise(revised, "Valkey.")
        del memory.entities[vanished]
        result = recall(RecallRequest(query="redis", max_candidate_claims=9), memory.view(index=index))
        assert (result.presence, result.candidate_claims) == ("none", ())

    def test_bytes_are_read_again(self, memory: Memory) -> None:
        """A passage that the stored bytes do not hold is not quoted and qualifies nothing."""
        artifact = memory.artifact("The cache uses Redis.", "Notes")
        index = memory.index()
        blob = memory.entities[artifact].current.blob
        assert blob is not None
        for wrong in (b"The queue is a queue.", b"short", b"\xff" * 21):
            memory.blobs[blob] = wrong
            assert recall(RecallRequest(query="redis cache"), memory.view(index=index)).presence == "none"
        del memory.blobs[blob]
        assert recall(RecallRequest(query="redis cache"), memory.view(index=index)).presence == "none"

    def test_nearness_of_meaning_is_not_asked(self, memory: Memory) -> None:
        """Whatever an embedder would say: no recall opens one, not for candidates either."""

        def opened() -> None:
            raise AssertionError("a recall looked at meanings")

        memory.claim("The cache uses Redis.")
        view = memory.view(nearness=opened)
        for query in ("redis cache", "the in-memory store"):
            recall(RecallRequest(query=query, max_candidate_claims=5, max_candidate_artifact_refs=5), view)

    def test_nothing_is_read_that_cannot_qualify(self, memory: Memory) -> None:
        """Artifacts that share one word of four are not fetched to be refused."""
        for number in range(20):
            memory.artifact(f"cache number {number}")
        memory.claim("Redis eviction is lazy.")
        view = memory.view()
        memory.reads.clear()
        recall(RecallRequest(query="redis eviction lazy cache", max_artifact_refs=0), view)
        assert len(memory.reads) <= 16  # the near misses behind the hint, no more


class TestClaims:
    """What a claim brings along."""

    def test_evidence_is_exact(self, memory: Memory) -> None:
        """Revision and span as cited; each citation resolves to the quoted bytes."""
        source = memory.artifact("Größe: the cache uses Redis in production.")
        memory.claim(
            "The cache uses Redis.", evidence=(memory.evidence(source, "cache uses Redis"), memory.evidence(source))
        )
        result = ask(memory, "cache redis")
        part, whole = result.claims[0].evidence
        view = memory.view()
        assert resolve(part.citation, None, view).text == "cache uses Redis"
        assert resolve(whole.citation, None, view).data == memory.data(source)
        assert (part.start_byte, whole.start_byte) == (13, None)
        assert resolve(result.claims[0].citation, None, view).text == "The cache uses Redis."

    def test_evidence_is_referred_to_but_qualifies_nothing(self, memory: Memory) -> None:
        """The source of a returned claim comes after what qualified, marked, and never without its claim."""
        source = memory.artifact("It keeps things in memory, says Ada. " * 100, "Interview")
        memory.claim("The cache uses Redis.", evidence=(memory.evidence(source),))
        memory.artifact("Redis cache runbook.", "Runbook")
        result = ask(memory, "cache redis")
        assert [(ref.title, ref.reason) for ref in result.artifacts] == [
            ("Runbook", "match"),
            ("Interview", "evidence"),
        ]
        assert result.artifacts[1].excerpt is not None and len(result.artifacts[1].excerpt.encode()) <= 320
        assert result.artifacts[1].why is None
        assert len(ask(memory, "cache redis", max_artifact_refs=1).artifacts) == 1
        assert ask(memory, "cache redis", max_claims=0).artifacts[-1].title == "Runbook"

    def test_evidence_out_of_sight_is_cited_but_not_shown(self, memory: Memory) -> None:
        """A source of another project, or a forgotten one, stays a citation of its claim."""
        foreign = memory.artifact("Redis, says Bob.", scope=ELSEWHERE)
        forgotten = memory.artifact("Redis, says Eve.")
        memory.claim("We use it.", evidence=(memory.evidence(foreign), memory.evidence(forgotten)))
        memory.end(forgotten, "forgotten")
        result = ask(memory, "use")
        assert len(result.claims[0].evidence) == 2
        assert result.artifacts == ()

    def test_a_conflict_shows_both_sides(self, memory: Memory) -> None:
        """Both claims are returned, disputed, with the open case beside them."""
        yes, no = memory.claim("The cache uses Redis."), memory.claim("The cache does not use Redis.")
        case = memory.contradict(yes, no)
        result = ask(memory, "cache redis")
        assert [claim.standing for claim in result.claims] == ["disputed", "disputed"]
        (conflict,) = result.conflicts
        assert (conflict.case_id, conflict.kind, conflict.hidden_sides) == (case, "contradicts", 0)
        assert [side.text for side in conflict.sides] == ["The cache uses Redis.", "The cache does not use Redis."]
        for side in conflict.sides:
            assert resolve(side.citation, None, memory.view()).text == side.text

    def test_a_conflict_with_another_project_tells_only_that_it_is(self, memory: Memory) -> None:
        """The other side is counted, and neither its text nor its id is shown."""
        ours, theirs = memory.claim("The cache uses Redis."), memory.claim("It does not use Redis.", scope=ELSEWHERE)
        memory.contradict(ours, theirs)
        result = ask(memory, "cache redis")
        (conflict,) = result.conflicts
        assert (len(conflict.sides), conflict.hidden_sides) == (1, 1)
        text = msgspec.json.encode(result).decode()
        assert theirs not in text and "does not" not in text

    def test_resolved_cases_are_not_shown(self, memory: Memory) -> None:
        """Only what is open disagrees."""
        yes, no = memory.claim("The cache uses Redis."), memory.claim("The cache does not use Redis.")
        case = memory.contradict(yes, no)
        memory.cases[case] = msgspec.structs.replace(memory.cases[case], status="resolved")
        assert ask(memory, "cache redis").conflicts == ()

    def test_of_a_fork_the_head_that_qualifies_is_shown(self, memory: Memory) -> None:
        """Each entity once, at the revision that answers."""
        claim = memory.claim("The port is open.")
        memory.revise(claim, "The port is 8080.")
        memory.revise(claim, "The door is 9090.", fork=True)
        assert statements(ask(memory, "port 8080")) == ["The port is 8080."]
        assert statements(ask(memory, "door 9090")) == ["The door is 9090."]

    def test_an_anchor_is_a_name(self, memory: Memory) -> None:
        """A claim is found by the path and the file that it is anchored to."""
        memory.claim("Keep the lock short.", anchors=(Anchor(path="memgit/store/writer.py"),))
        for query in ("memgit/store/writer.py", "what about writer.py"):
            assert statements(ask(memory, query)) == ["Keep the lock short."], query

    def test_more_than_asked_for_is_counted(self, memory: Memory) -> None:
        """`claims_truncated` says that more qualify; the best come first, newer before older."""
        for number in range(8):
            memory.claim(f"Redis rule {number}")
        result = ask(memory, "redis rule")
        assert result.claims_truncated and len(result.claims) == 5
        assert statements(result)[0] == "Redis rule 7"
        assert not ask(memory, "redis rule", max_claims=8).claims_truncated
        empty = ask(memory, "redis rule", max_claims=0)
        assert (empty.presence, empty.claims, empty.claims_truncated) == ("claims", (), True)

    @pytest.mark.parametrize("wanted", [0, 3, 20])
    def test_documents_that_qualify_are_no_candidates(self, memory: Memory, wanted: int) -> None:
        """`artifacts_truncated` says that more qualify; the only one that does not is found behind all of them."""
        for _ in range(80):
            memory.artifact("The heron ledger is closed.", "Ledger")
        near = memory.artifact("A heron stands in the water and waits.", "Bird")
        result = ask(memory, "heron ledger", max_artifact_refs=wanted, max_candidate_artifact_refs=16)
        assert (len(result.artifacts), result.artifacts_truncated) == (wanted, True)
        assert [(each.artifact_id, each.why and each.why.tier) for each in result.candidate_artifacts] == [(near, None)]

    def test_all_documents_that_qualify_are_said_to_be_all(self, memory: Memory) -> None:
        """As many as were asked for, with what claims rest on among them, are not cut."""
        source = memory.artifact("The heron came in May.", "Notes")
        memory.claim("The heron ledger is closed.", evidence=(memory.evidence(source, "heron"),))
        for _ in range(2):
            memory.artifact("The heron ledger is closed.", "Ledger")
        assert not ask(memory, "heron ledger", max_artifact_refs=2).artifacts_truncated
        assert ask(memory, "heron ledger", max_artifact_refs=1).artifacts_truncated

    def test_what_meets_less_gives_way(self, memory: Memory) -> None:
        """Beside a claim that meets all of a query, one that meets a part of that is only near."""
        memory.claim("The production request cache keeps entries for one hour.")
        memory.claim("The production request cache keeps no sessions.")
        query = "production request cache keeps entries"
        result = ask(memory, query, max_candidate_claims=5)
        assert statements(result) == ["The production request cache keeps entries for one hour."]
        (near,) = result.candidate_claims
        assert (near.statement, near.why.tier) == ("The production request cache keeps no sessions.", None)

    def test_why_is_told(self, memory: Memory) -> None:
        """The tier, what was met, what was read as what."""
        memory.claim("ADR-CACHE-1: the production cache is Redis.")
        for query, tier, guessed in [
            ("ADR-CACHE-1", "exact", ()),
            ("production redis", "lexical", ()),
            ("prodution cache redis", "fuzzy", (("prodution", "production"),)),
        ]:
            why = ask(memory, query).claims[0].why
            assert (why.tier, why.guessed, why.missing) == (tier, guessed, ())
            assert why.score > 0


class TestArtifacts:
    """References to material: where, and which bytes."""

    def test_an_excerpt_is_what_its_citation_names(self, memory: Memory) -> None:
        """At most so many bytes, around the match, also deep inside a long text with other scripts."""
        memory.artifact("Einleitung über größere Dinge 水水水.\n" * 500 + "The zebraflux needle is here.\n", "Long")
        for most in (16, 64, 320, 2048):
            (ref,) = ask(memory, "zebraflux needle", max_excerpt_bytes=most).artifacts
            resolved = resolve(ref.citation, None, memory.view())
            assert resolved.text == ref.excerpt
            assert len(resolved.data) <= most
            assert ref.start_byte is not None and ref.start_byte > 15_000
            assert "zebraflux" in (ref.excerpt or "")

    def test_a_title_is_cited_without_a_span(self, memory: Memory) -> None:
        """What only the title says names the revision, not a place that has nothing to do with it."""
        memory.artifact("Nothing of the kind.\n" * 200, "ORBITAL-TITLE-742 handbook")
        (ref,) = ask(memory, "ORBITAL-TITLE-742").artifacts
        assert (ref.start_byte, ref.excerpt) == (None, None)
        assert "#" not in ref.citation

    def test_title_and_text_qualify_together(self, memory: Memory) -> None:
        """A passage is read under its title."""
        memory.artifact("Evict after an hour.", "Redis cache rules")
        (ref,) = ask(memory, "redis cache evict hour").artifacts
        assert ref.excerpt == "Evict after an hour."

    def test_a_binary_artifact_has_only_a_title(self, memory: Memory) -> None:
        """It is found by it, and cited whole."""
        memory.artifact(b"\x89PNG\x00\xff" * 100, "Cache diagram", kind="image", media_type="image/png")
        (ref,) = ask(memory, "cache diagram").artifacts
        assert (ref.excerpt, ref.kind, ref.media_type) == (None, "image", "image/png")

    def test_words_of_one_document_may_be_scattered(self, memory: Memory) -> None:
        """All words of a keyword query in distant passages of one document; a question wants them in one."""
        memory.artifact("Alphaunique begins.\n\n" + "Filler text.\n" * 2000 + "\nOmegaunique ends.\n", "Record")
        (ref,) = ask(memory, "alphaunique omegaunique").artifacts
        assert ref.why is not None and ref.why.scattered
        assert ask(memory, "Is alphaunique omegaunique?").presence == "none"
        assert ask(memory, "alphaunique omegaunique deltaunique").presence == "none"

    def test_a_very_long_document_must_answer_in_one_place(self, memory: Memory) -> None:
        """In half a megabyte, any two words meet by chance."""
        memory.artifact("Alphaunique begins.\n\n" + "Filler text.\n" * 40_000 + "\nOmegaunique ends.\n", "Record")
        assert ask(memory, "alphaunique omegaunique").presence == "none"
        assert ask(memory, "omegaunique ends").presence == "artifacts_only"

    def test_one_long_document_leaves_room(self, memory: Memory) -> None:
        """Each artifact once, at its best place."""
        memory.artifact("The cache uses Redis.\n" * 5000, "Log")
        memory.artifact("On the Redis cache.", "Memo")
        assert {ref.title for ref in ask(memory, "redis cache").artifacts} == {"Log", "Memo"}


class TestCandidates:
    """Near misses: only on request, never counted."""

    def test_candidates_never_change_presence(self, memory: Memory) -> None:
        """They have no tier and stand apart; by default there is only a hint."""
        memory.claim("The production cache uses Redis.")
        memory.artifact("Redis in production.", "Notes")
        plain = ask(memory, "redis eviction policy")
        assert (plain.presence, plain.candidate_claims, plain.candidate_artifacts) == ("none", (), ())
        assert plain.candidates_hint is not None
        assert (plain.candidates_hint.claims, plain.candidates_hint.artifacts) == (1, 1)
        asked = ask(memory, "redis eviction policy", max_candidate_claims=3, max_candidate_artifact_refs=3)
        assert (asked.presence, asked.claims, asked.artifacts) == ("none", (), ())
        assert [claim.why.tier for claim in asked.candidate_claims] == [None]
        assert [ref.excerpt for ref in asked.candidate_artifacts] == ["Redis in production."]

    def test_what_qualified_is_no_candidate(self, memory: Memory) -> None:
        """Nothing is shown twice, and there is no hint where there is an answer."""
        memory.claim("The production cache uses Redis.")
        memory.claim("Redis is written in C.")
        result = ask(memory, "production redis", max_candidate_claims=16)
        assert [claim.statement for claim in result.candidate_claims] == ["Redis is written in C."]
        assert result.candidates_hint is None


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("max_claims", -1, InvalidRequest),
        ("max_claims", 1000, LimitExceeded),
        ("max_artifact_refs", -1, InvalidRequest),
        ("max_excerpt_bytes", 0, InvalidRequest),
        ("max_excerpt_bytes", 100_000, LimitExceeded),
        ("max_candidate_claims", 17, LimitExceeded),
        ("max_candidate_artifact_refs", 17, LimitExceeded),
    ],
)
def test_numbers_out_of_bounds_are_refused(memory: Memory, field: str, value: int, error: type[Exception]) -> None:
    """Never quietly changed; the details name the field."""
    with pytest.raises(error) as caught:
        ask(memory, "redis", **{field: value})
    named = caught.value.details.get("field") or caught.value.details["limit"]  # type: ignore[attr-defined]
    assert named == field
