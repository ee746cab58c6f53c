"""The contract of a lexical index, held by every implementation of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memgit.index.documents import Document
from memgit.index.lexical import (
    GUESS_WEIGHT,
    PASSAGES_KEPT,
    Hit,
    IndexFilter,
    LexicalIndex,
    Order,
    QueryTerm,
    ScopeFilter,
    Watermark,
    is_valid,
    open_index,
)
from memgit.index.passages import passages
from memgit.records.ids import RevisionId
from memgit.records.op import Scope

from ..retrieval.memory import name

IMPLEMENTATIONS: dict[str, Callable[[Path], LexicalIndex]] = {
    "whoosh": lambda directory: open_index(directory, "whoosh"),
    "tantivy": lambda directory: open_index(directory, "tantivy"),
}

HERE = ScopeFilter("w", "p", frozenset({None}))
INSTANT = "2026-06-01T00:00:00.000000Z"


@pytest.fixture(params=IMPLEMENTATIONS)
def opens(request: pytest.FixtureRequest) -> Callable[[Path], LexicalIndex]:
    """A function that opens an index of one implementation."""
    return IMPLEMENTATIONS[request.param]


@pytest.fixture
def index(opens: Callable[[Path], LexicalIndex], tmp_path: Path) -> Iterator[LexicalIndex]:
    """An index in an empty directory."""
    opened = opens(tmp_path / "lexical")
    yield opened
    opened.close()


def claim(number: int, body: str, **fields: Any) -> Document:
    """Return a document of a claim."""
    return _document("claim", "clm", number, {"body": body, "type": "fact", **fields})


def artifact(number: int, title: str, **fields: Any) -> Document:
    """Return the description of an artifact."""
    return _document("artifact", "art", number, {"title": title, "type": "note", **fields})


def _document(kind: Any, prefix: str, number: int, fields: dict[str, Any]) -> Document:
    revision = RevisionId(name("crev" if kind == "claim" else "arev", fields.pop("revision", number)))
    defaults: dict[str, Any] = {
        "workspace": "w", "project": "p", "task": None, "status": "active", "head": True, "seq": number,
    }  # fmt: skip
    return Document(entity=name(prefix, number), kind=kind, revision=revision, **{**defaults, **fields})


def pieces(description: Document, text: str) -> list[Document]:
    """Return an artifact's description and the passages of its text."""
    cut = passages(text.encode())
    return [description, *(replace(description, title="", body=p.text, start=p.start, end=p.end) for p in cut)]


def words(text: str, **fields: Any) -> tuple[QueryTerm, ...]:
    """Return the terms of a query of plain words."""
    return tuple(QueryTerm(word, word, **fields) for word in text.split())


def put(index: LexicalIndex, documents: Iterable[Document], removed: Iterable[str] = ()) -> Watermark:
    """Apply a change on top of what is there."""
    base = index.watermark()
    mark = Watermark(f"commit {base.seq + 1}" if base else "commit 1", base.seq + 1 if base else 1)
    assert index.apply(documents, removed, mark, base)
    return mark


def ask(
    index: LexicalIndex, text: str, where: IndexFilter | None = None, limit: int = 10, order: Order = "coverage"
) -> list[Hit]:
    """Return the hits of a query of plain words."""
    return list(index.query(words(text), where or IndexFilter(HERE), limit, order))


def found(hits: Iterable[Hit]) -> list[str]:
    """Return the entities of hits, in their order."""
    return [hit.document.entity for hit in hits]


def ids(prefix: str, *numbers: int) -> list[str]:
    """Return the ids of the documents that were made with these numbers."""
    return [name(prefix, number) for number in numbers]


class TestStorage:
    """Opening, the watermark, replacing and removing."""

    def test_an_index_that_was_never_written_is_empty(self, index: LexicalIndex, tmp_path: Path) -> None:
        """Reading makes no files."""
        assert index.watermark() is None
        assert ask(index, "anything") == []
        assert index.similar_words("anything", HERE) == ()
        assert list(tmp_path.iterdir()) == []

    def test_what_was_applied_is_found_with_its_watermark(
        self, index: LexicalIndex, opens: Callable[[Path], LexicalIndex], tmp_path: Path
    ) -> None:
        """Another object on the same directory sees the same."""
        mark = put(index, [claim(1, "the cache uses redis")])
        other = opens(tmp_path / "lexical")
        for each in (index, other):
            assert each.watermark() == mark
            assert found(ask(each, "redis")) == ids("clm", 1)
        put(index, [claim(2, "redis is fast")])
        assert len(ask(other, "redis")) == 2
        other.close()

    def test_an_entity_is_replaced_as_a_whole(self, index: LexicalIndex) -> None:
        """Nothing of what it had before stays, whichever of its documents there were."""
        put(index, pieces(artifact(1, "alpha"), "beta\n" * 2000 + "gamma"))
        put(index, pieces(artifact(1, "delta"), "epsilon"))
        assert [len(ask(index, word)) for word in ("alpha", "beta", "gamma", "delta", "epsilon")] == [0, 0, 0, 1, 1]

    def test_removed_entities_are_gone(self, index: LexicalIndex) -> None:
        """Removing what is not there is no error."""
        put(index, [claim(1, "redis"), claim(2, "redis")])
        put(index, [], removed=[*ids("clm", 1), *ids("clm", 7)])
        assert found(ask(index, "redis")) == ids("clm", 2)

    def test_a_change_on_another_base_is_refused(self, index: LexicalIndex) -> None:
        """Who was slower writes nothing, not even its watermark."""
        mark = put(index, [claim(1, "redis")])
        for base in (None, Watermark("other", 9)):
            assert not index.apply([claim(2, "redis")], ids("clm", 1), Watermark("late", 2), base)
        assert index.watermark() == mark
        assert found(ask(index, "redis")) == ids("clm", 1)

    def test_an_error_of_the_source_leaves_everything_as_it_was(self, index: LexicalIndex) -> None:
        """A change is applied whole or not at all, and the next one is not in its way."""
        mark = put(index, [claim(1, "redis")])

        def failing() -> Iterator[Document]:
            yield claim(1, "valkey")
            raise RuntimeError("the source broke")

        with pytest.raises(RuntimeError, match="the source broke"):
            index.apply(failing(), (), Watermark("never", 2), mark)
        assert index.watermark() == mark
        assert found(ask(index, "redis")) == ids("clm", 1)
        put(index, [claim(2, "redis")])
        assert len(ask(index, "redis")) == 2

    def test_reset_empties_it(self, index: LexicalIndex) -> None:
        """After a reset it can be filled again from nothing."""
        put(index, [claim(1, "redis")])
        index.reset()
        assert index.watermark() is None
        assert ask(index, "redis") == []
        put(index, [claim(2, "redis")])
        assert found(ask(index, "redis")) == ids("clm", 2)

    def test_many_small_changes_add_up(self, index: LexicalIndex) -> None:
        """Merging and deletions in between lose nothing and bring nothing back."""
        for number in range(1, 31):
            put(index, [claim(number, f"redis number {number}"), claim(100, f"valkey round {number}")])
            if number % 3 == 0:
                put(index, [], removed=ids("clm", number - 1))
        assert set(found(ask(index, "redis", limit=50))) == {name("clm", n) for n in range(1, 31) if n % 3 != 2}
        assert [hit.document.seq for hit in ask(index, "valkey")] == [100]
        assert ask(index, "valkey round 30")[0].terms == {"valkey", "round", "30"}


class TestFilters:
    """Everything that may not be seen is gone before anything is ranked or cut."""

    def test_what_was_written_later_is_not_known_yet(self, index: LexicalIndex) -> None:
        """Up to a seq or a moment; the rest is left out before anything is cut."""
        day = "2026-06-0{}T00:00:00.000000Z"
        put(index, [claim(number, "the same words", seq=number, at=day.format(number)) for number in range(1, 7)])
        for where in (IndexFilter(HERE, latest_seq=2), IndexFilter(HERE, latest_at=day.format(2))):
            assert found(ask(index, "same words", where, limit=1)) == ids("clm", 2)
            assert set(found(ask(index, "same words", where))) == set(ids("clm", 1, 2))

    @pytest.mark.parametrize(
        ("scope", "numbers"),
        [
            (HERE, {1}),
            (ScopeFilter("w", "p", frozenset({None, "t"})), {1, 2}),
            (ScopeFilter("w", "p", frozenset({"t"})), {2}),
            (ScopeFilter("w", "p"), {1, 2, 3}),
            (ScopeFilter("w"), {1, 2, 3, 4}),
            (ScopeFilter(), {1, 2, 3, 4, 5}),
            (ScopeFilter("w", "p", frozenset({None}), pins=frozenset(ids("clm", 3, 5))), {1, 3, 5}),
            (ScopeFilter("nowhere"), set()),
        ],
    )
    def test_scope(self, index: LexicalIndex, scope: ScopeFilter, numbers: set[int]) -> None:
        """Workspace, project, task and pins, as `ScopeFilter.admits` has it."""
        places = [("w", "p", None), ("w", "p", "t"), ("w", "p", "u"), ("w", "q", None), ("v", "p", None)]
        put(
            index,
            [
                claim(number, "redis", workspace=workspace, project=project, task=task)
                for number, (workspace, project, task) in enumerate(places, 1)
            ],
        )
        assert set(found(ask(index, "redis", IndexFilter(scope)))) == {name("clm", number) for number in numbers}
        for number, place in enumerate(places, 1):
            assert scope.admits(Scope(*place), name("clm", number)) == (number in numbers)

    def test_lifecycle(self, index: LexicalIndex) -> None:
        """What ended and what was revised is history."""
        statuses = ["active", "superseded", "retracted", "forgotten", "void"]
        put(index, [claim(number, "redis", status=status) for number, status in enumerate(statuses, 1)])
        put(index, [claim(6, "redis", head=False, revision=60), claim(6, "redis", revision=61)])
        assert [hit.document.revision for hit in ask(index, "redis")] == [name("crev", 61), name("crev", 1)]
        everything = IndexFilter(HERE, statuses=None, heads_only=False)
        assert len(ask(index, "redis", everything)) == 7
        assert len(ask(index, "redis", IndexFilter(HERE, statuses=frozenset({"retracted"})))) == 1

    def test_validity_is_half_open(self, index: LexicalIndex) -> None:
        """[valid_from, valid_until) at one instant."""
        windows = [(None, None), (INSTANT, None), (None, INSTANT), ("2026-01-01", "2026-06-02"), ("2027-01-01", None)]
        put(
            index,
            [claim(n, "redis", valid_from=begin, valid_until=end) for n, (begin, end) in enumerate(windows, 1)],
        )
        assert set(found(ask(index, "redis", IndexFilter(HERE, instant=INSTANT)))) == set(ids("clm", 1, 2, 4))
        assert len(ask(index, "redis")) == 5

    def test_details(self, index: LexicalIndex) -> None:
        """Kind, type, component and markers."""
        put(
            index,
            [
                claim(1, "redis", type="decision", component="api", markers=("a", "b")),
                claim(2, "redis", type="fact", markers=("a",)),
                artifact(3, "redis", type="runbook"),
            ],
        )
        both = ids("clm", 1, 2)

        def of(**fields: Any) -> list[str]:
            return sorted(found(ask(index, "redis", IndexFilter(HERE, **fields))))

        assert of(kinds=frozenset({"claim"})) == both
        assert of(kinds=frozenset({"artifact"})) == ids("art", 3)
        assert of(types=frozenset({"decision", "runbook"})) == [*ids("art", 3), *ids("clm", 1)]
        assert of(component="api") == ids("clm", 1)
        assert of(markers=frozenset({"a"})) == both
        assert of(markers=frozenset({"a", "b"})) == ids("clm", 1)

    def test_no_number_of_hidden_hits_crowds_out_a_visible_one(self, index: LexicalIndex) -> None:
        """The limit counts what may be seen."""
        hidden = [
            {"project": "q"}, {"status": "superseded"}, {"head": False}, {"task": "t"}, {"valid_until": "2020-01-01"},
        ]  # fmt: skip
        put(index, [claim(n, "redis", **hidden[n % 5]) for n in range(1, 200)] + [claim(200, "redis and much else")])
        assert found(ask(index, "redis", IndexFilter(HERE, instant=INSTANT), limit=1)) == ids("clm", 200)

    def test_derived_texts_are_found_only_where_they_are_asked_for(self, index: LexicalIndex) -> None:
        """With their artifact's scope and status, and the name of the projection."""
        (passage,) = pieces(artifact(1, ""), "the stored words")[1:]
        derived = replace(passage, body="a zebra summary", projection=name("pjn", 3))
        put(index, [passage, derived, replace(derived, entity=name("art", 2), status="withdrawn")])
        assert ask(index, "zebra") == []
        (hit,) = ask(index, "zebra", IndexFilter(HERE, derived=True))
        assert (hit.document.entity, hit.document.projection) == (name("art", 1), name("pjn", 3))
        assert (hit.document.start, hit.document.end) == (passage.start, passage.end)
        (plain,) = ask(index, "stored words", IndexFilter(HERE, derived=True))
        assert plain.document.projection is None

    def test_words_of_derived_texts_are_no_vocabulary(self, index: LexicalIndex) -> None:
        """They neither stand for a misspelt word nor keep one from being a misspelt one."""
        (passage,) = pieces(artifact(1, ""), "the production rules")[1:]
        put(index, [passage, replace(passage, body="prodution zebraflux", projection=name("pjn", 3))])
        assert index.similar_words("prodution", HERE) == ("production",)
        assert index.similar_words("zebrafluxx", HERE) == ()


class TestRanking:
    """What is found, in which order, and why."""

    def test_coverage_comes_before_score(self, index: LexicalIndex) -> None:
        """A rare word repeated does not outrank two common ones, unless the score alone is asked for."""
        put(index, [claim(n, "the cache and the queue") for n in range(3, 30)])
        put(index, [claim(1, "zebra zebra zebra"), claim(2, "cache and queue")])
        assert name("clm", 1) not in found(ask(index, "zebra cache queue", order="coverage"))
        assert found(ask(index, "zebra cache queue", order="score"))[0] == name("clm", 1)

    def test_an_identifier_outweighs_words(self, index: LexicalIndex) -> None:
        """What was named exactly comes first, however few words it shares."""
        put(index, [claim(1, "see ADR-CACHE-7"), claim(2, "the cache layer keeps entries for an hour")])
        terms = (QueryTerm("adr-cache-7", identifiers=("adr-cache-7",), outweighs=True), *words("cache layer hour"))
        assert found(index.query(terms, IndexFilter(HERE), 10, "coverage")) == ids("clm", 1, 2)

    def test_a_score_is_the_sum_of_its_parts(self, index: LexicalIndex) -> None:
        """Every hit names the terms that it meets, the field of each and its share."""
        put(index, [claim(1, "Redis is the cache", title="GitHub mirror", names=("src/a.py",)), claim(2, "other")])
        terms = (*words("redis cache mirror git absent"), QueryTerm("path", identifiers=("src/a.py",)))
        (hit,) = index.query(terms, IndexFilter(HERE), 10, "score")
        fields = {match.term: match.field for match in hit.matches}
        assert fields == {"redis": "word", "cache": "word", "mirror": "title", "git": "part", "path": "identifier"}
        assert hit.score == pytest.approx(sum(match.weight for match in hit.matches))
        assert all(match.weight > 0 for match in hit.matches)
        assert hit.terms == frozenset(fields)

    def test_a_guess_counts_less(self, index: LexicalIndex) -> None:
        """What was written outranks what was only guessed."""
        put(index, [claim(1, "redis"), claim(2, "rediz")])
        (term,) = words("redis", guesses=("rediz",))
        first, second = index.query((term,), IndexFilter(HERE), 10, "score")
        assert (first.document.entity, second.document.entity) == (name("clm", 1), name("clm", 2))
        assert second.score == pytest.approx(first.score * GUESS_WEIGHT)

    def test_shorter_and_rarer_is_better(self, index: LexicalIndex) -> None:
        """The order of BM25."""
        put(index, [claim(1, "redis"), claim(2, "redis " + "and plenty of other words here " * 5), claim(3, "common")])
        put(index, [claim(n, "common") for n in range(4, 20)])
        assert found(ask(index, "redis", order="score")) == ids("clm", 1, 2)
        assert found(ask(index, "redis common", order="score"))[0] == name("clm", 1)

    def test_ties_are_settled_by_what_is_newer(self, index: LexicalIndex) -> None:
        """Equal claims come newest first, and the cut keeps the newest."""
        put(index, [claim(n, "redis", seq=100 - n) for n in range(1, 21)])
        assert found(ask(index, "redis", limit=3)) == ids("clm", 1, 2, 3)

    def test_the_answer_does_not_depend_on_how_it_was_indexed(
        self, opens: Callable[[Path], LexicalIndex], tmp_path: Path
    ) -> None:
        """One change or many, in whatever order: the same hits with the same scores."""
        chance = random.Random(7)
        vocabulary = [f"word{letter}" for letter in "abcdefghij"]
        documents = [claim(n, " ".join(chance.choices(vocabulary, k=6))) for n in range(1, 61)]
        one = opens(tmp_path / "one")
        put(one, documents)
        many = opens(tmp_path / "many")
        chance.shuffle(documents)
        for start in range(0, 60, 7):
            put(many, documents[start : start + 7])
        for order in ("coverage", "score"):
            for text in ("worda", "worda wordb wordc", "wordj wordi"):
                answers = [index.query(words(text), IndexFilter(HERE), 7, order) for index in (one, many)]  # type: ignore[arg-type]
                assert answers[0] == answers[1]
        one.close()
        many.close()

    def test_each_kind_has_its_own_limit(self, index: LexicalIndex) -> None:
        """Many claims leave room for artifacts, and the other way round."""
        put(index, [claim(n, "redis") for n in range(1, 9)] + [artifact(n, "redis") for n in range(11, 19)])
        kinds = [hit.document.kind for hit in ask(index, "redis", limit=3)]
        assert sorted(kinds) == ["artifact"] * 3 + ["claim"] * 3

    def test_a_long_document_crowds_nobody_out(self, index: LexicalIndex) -> None:
        """Of one artifact only the best passages are kept, and those that meet a further term."""
        put(index, pieces(artifact(1, "handbook"), "deployment notes\n" * 3000 + "\n\nthe zebra clause\n"))
        put(index, pieces(artifact(2, "leaflet"), "a word on deployment\n"))
        hits = ask(index, "deployment zebra", limit=10)
        assert set(found(hits)) == set(ids("art", 1, 2))
        assert found(hits).count(name("art", 1)) == PASSAGES_KEPT
        assert any("zebra" in hit.terms for hit in hits)

    def test_each_revision_of_an_artifact_has_its_places(self, index: LexicalIndex) -> None:
        """Where history is looked at, a later revision with the same words does not take an earlier one's."""
        for_revision = [
            each
            for revision in range(1, 6)
            for each in pieces(artifact(1, "x", revision=revision, head=revision == 5), "zebra clause")
        ]
        put(index, for_revision)
        hits = ask(index, "zebra", IndexFilter(HERE, heads_only=False))
        assert len({hit.document.revision for hit in hits}) == 5
        assert len(ask(index, "zebra")) == 1

    def test_derived_texts_crowd_out_no_text(self, index: LexicalIndex) -> None:
        """However many there are, the best passages of the artifact itself stay among the hits."""
        text = pieces(artifact(1, "handbook"), "a word on the zebra clause\n")
        derived = [replace(text[1], body="zebra clause", projection=name("pjn", n)) for n in range(20)]
        put(index, [*text, *derived])
        hits = ask(index, "zebra clause", IndexFilter(HERE, derived=True))
        assert [hit.document.projection is None for hit in hits].count(True) == 1
        assert len(hits) == 1 + PASSAGES_KEPT

    def test_a_needle_at_the_end_of_the_largest_artifact(self, index: LexicalIndex) -> None:
        """The last passage is found like the first, with its exact span."""
        text = "ordinary filler text without any news\n" * 27_000 + "the zebraflux needle\n"
        put(index, pieces(artifact(1, "haystack"), text))
        hit, *_ = ask(index, "zebraflux needle")
        assert hit.document.start is not None and hit.document.end == len(text)
        assert "zebraflux" in text[hit.document.start : hit.document.end]


class TestVocabulary:
    """Words that a word may stand for."""

    def test_typos_and_abbreviations(self, index: LexicalIndex) -> None:
        """Each kind of likeness is found among the words of the index."""
        put(index, [claim(1, "the browser opens a compatible production project"), artifact(2, "performance")])
        for asked, written in {
            "brwser": "browser", "opn": "opens", "prodution": "production",
            "proj": "project", "perf": "performance",
        }.items():  # fmt: skip
            expected = (written,) if asked != "opn" else ()
            assert index.similar_words(asked, HERE) == expected, asked
        assert index.similar_words("incompatible", HERE) == ()

    def test_a_known_word_is_no_typo(self, index: LexicalIndex) -> None:
        """A word that somebody wrote means itself."""
        put(index, [claim(1, "cache state"), claim(2, "stage")])
        assert index.similar_words("state", HERE) == ()
        assert index.similar_words("stale", HERE) == ("stage", "state")

    def test_what_another_scope_holds_is_no_word_here(self, index: LexicalIndex) -> None:
        """It neither keeps a slip from being one nor stands for one; whoever sees it knows it."""
        away = [claim(2, "databse databases", project="q"), claim(3, "detabase", task="t")]
        put(index, [claim(1, "the database migration"), *away])
        assert index.similar_words("databse", HERE) == ("database", "databases")  # as another form of what is here
        assert index.similar_words("migratoin", ScopeFilter("w", "q", frozenset({None}))) == ()
        assert index.similar_words("databse", ScopeFilter("w", "q")) == ()
        assert "detabase" in index.similar_words("detabasee", ScopeFilter("w", "p", frozenset({None, "t"})))
        assert "detabase" not in index.similar_words("detabasee", HERE)
        assert index.similar_words("migratoin", ScopeFilter("w", "q", pins=frozenset(ids("clm", 1)))) == ("migration",)

    def test_beginnings_of_another_scope_count_for_nothing(self, index: LexicalIndex) -> None:
        """However many words begin so elsewhere, the only one here is meant."""
        many = " ".join(f"conf{a}{b}{c}" for a in "abdefg" for b in "aeiou" for c in ("ral", "tal"))
        put(index, [claim(1, "configuration"), claim(2, many, project="q")])
        assert index.similar_words("conf", HERE) == ("configuration",)
        assert index.similar_words("conf", ScopeFilter()) == ()

    def test_a_beginning_of_many_words_abbreviates_none(self, index: LexicalIndex) -> None:
        """`con` could be anything."""
        endings = ["tract", "nect", "figure", "sist", "tain", "cept", "duct", "fess", "form", "geal"]
        put(index, [claim(1, " ".join(f"con{a}{b}" for a in endings for b in ("", "ing", "able")))])
        assert index.similar_words("con", HERE) == ()
        assert index.similar_words("contrac", HERE) != ()

    def test_numbers_and_other_scripts_stand_for_themselves(self, index: LexicalIndex) -> None:
        """Nothing is near a number."""
        put(index, [claim(1, "port 8080 缓存服务 e2e")])
        assert [index.similar_words(word, HERE) for word in ("8081", "缓存", "e2f", "", "a")] == [()] * 5


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        (None, None, True),
        (INSTANT, None, True),
        (None, INSTANT, False),
        ("2026-05-31T23:00:00-02:00", None, False),
        ("2026-05-31", "2026-06-01T00:00:00.000001Z", True),
        ("whenever", None, False),
        (None, "some day", False),
    ],
)
def test_is_valid(begin: str | None, end: str | None, expected: bool) -> None:
    """Ends are moments in any zone; an end that is no moment admits nothing."""
    assert is_valid(begin, end, INSTANT) is expected
