"""Both implementations find the same, whatever was written and whatever is asked."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memgit.index import tantivy_recent
from memgit.index.documents import Document
from memgit.index.lexical import Hit, IndexFilter, LexicalIndex, Order, QueryTerm, ScopeFilter, open_index
from memgit.records.op import Scope

from ..retrieval.memory import name
from .test_lexical import HERE, artifact, claim, ids, pieces, put

WORDS = [
    "cache", "redis", "queue", "kafka", "deploy", "rollback", "schema", "latency", "budget", "vault", "token", "retry",
    "backoff", "Schlüssel", "Schlüsseln", "verschlüsselt", "clés", "expirent", "密钥轮换", "サーバー", "ключи",
    "ADR-CACHE-7", "src/app/main.py", "GitHub", "getUserName", "1.2.3", "8080",
]  # fmt: skip
ORDERS: tuple[Order, ...] = ("coverage", "score")


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[LexicalIndex, LexicalIndex]]:
    """An index of each implementation, empty."""
    made = open_index(tmp_path / "one", "whoosh"), open_index(tmp_path / "other", "tantivy")
    yield made
    for index in made:
        index.close()


def random_documents(chance: random.Random, numbers: range) -> list[Document]:
    """Return claims and artifacts of random words, in a few scopes and states."""
    found: list[Document] = []
    for number in numbers:
        text = " ".join(chance.choices(WORDS, weights=range(len(WORDS), 0, -1), k=chance.randint(3, 30)))
        where = {"project": chance.choice(["p", "p", "p", "q"]), "status": chance.choice(["active", "active", "void"])}
        if chance.random() < 0.15:
            made = pieces(artifact(number, text[:60], **where), text * chance.randint(1, 40))
            derived = [replace(made[-1], body=text, projection=name("pjn", n)) for n in range(chance.randint(0, 5))]
            found += [*made, *derived]
        else:
            title = chance.choice(WORDS) if chance.random() < 0.3 else ""
            found.append(claim(number, text, title=title, task=chance.choice([None, None, "t"]), **where))
    return found


def random_terms(chance: random.Random) -> tuple[QueryTerm, ...]:
    """Return a query of some words, one of them perhaps an identifier or a guess."""
    picked = dict.fromkeys(chance.choices(WORDS, k=chance.randint(1, 5)))
    terms = [QueryTerm(word.casefold(), word.lower(), (word.casefold(),)) for word in picked]
    if chance.random() < 0.3:
        terms[0] = replace(terms[0], outweighs=True)
    if chance.random() < 0.3:
        terms.append(QueryTerm("guessed", guesses=("budget", "vault")))
    return tuple(terms)


def described(hits: tuple[Hit, ...]) -> list[object]:
    """Return what must be the same of hits."""
    return [(hit.document, {(match.term, match.field) for match in hit.matches}) for hit in hits]


def met(hits: tuple[Hit, ...]) -> dict[str, set[str]]:
    """Return the entities of hits, with all that their documents meet."""
    found: dict[str, set[str]] = {}
    for hit in hits:
        found.setdefault(hit.document.entity, set()).update(hit.terms)
    return found


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))])
@pytest.mark.parametrize("most_recent", [0, 40, 10_000])
def test_the_same_documents_in_the_same_order(
    both: tuple[LexicalIndex, LexicalIndex], seed: int, most_recent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every hit, its fields, its score and its place, with few results and with many, and under every filter.

    Also where all documents, some or none are among the recent ones of tantivy.
    """
    monkeypatch.setattr(tantivy_recent, "MOST", most_recent)
    chance = random.Random(seed)
    changes = [random_documents(chance, numbers) for numbers in (range(1, 3), range(3, 60), range(60, 120))]
    for index in both:
        for documents in changes:
            put(index, documents)
    pins = frozenset(ids("clm", 3, 5, 7))
    filters = [
        IndexFilter(HERE), IndexFilter(ScopeFilter()), IndexFilter(HERE, statuses=None, kinds=frozenset({"claim"})),
        IndexFilter(ScopeFilter("w", "q", frozenset({"t"}), pins)), IndexFilter(HERE, derived=True),
    ]  # fmt: skip
    for _ in range(40):
        terms, where, limit = random_terms(chance), chance.choice(filters), chance.choice([1, 3, 10, 200])
        for order in ORDERS:
            expected, found = (index.query(terms, where, limit, order) for index in both)
            assert described(found) == described(expected)
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected])


@pytest.mark.parametrize("most_recent", [0, 10, 10_000])
def test_the_same_after_any_changes(
    both: tuple[LexicalIndex, LexicalIndex], most_recent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replacing and removing leaves the same. Only the rarity of a word may still count what is gone, in tantivy."""
    monkeypatch.setattr(tantivy_recent, "MOST", most_recent)
    chance = random.Random(11)
    for round_ in range(12):
        documents = random_documents(chance, range(1 + 5 * (round_ % 4), 20 + 5 * (round_ % 4)))
        removed = ids("clm", *chance.sample(range(1, 60), 4))
        for index in both:
            put(index, [each for each in documents if each.entity not in removed], removed)
        for _ in range(6):
            terms = random_terms(chance)
            answers = [index.query(terms, IndexFilter(ScopeFilter(), statuses=None), 500, "score") for index in both]
            assert met(answers[1]) == met(answers[0])


def test_the_same_words_are_similar(both: tuple[LexicalIndex, LexicalIndex]) -> None:
    """Typos and abbreviations, for words that the index holds and for others."""
    chance = random.Random(5)
    syllables = [a + b for a in "bcdfglmnprst" for b in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(2, 5))) for _ in range(300)]
    documents = [claim(number, " ".join(chance.sample(words, 12))) for number in range(1, 60)]
    for index in both:
        put(index, documents[:40])
        put(index, documents[40:])
    asked = [*words, *(word[:-1] for word in words), *(word[:3] for word in words), *(f"in{word}" for word in words)]
    for scope in (HERE, ScopeFilter()):
        assert [both[1].similar_words(each, scope) for each in asked] == [
            both[0].similar_words(each, scope) for each in asked
        ]
    assert sum(bool(both[0].similar_words(word, HERE)) for word in asked) > 100


@pytest.mark.parametrize("most_recent", [0, 10_000])
def test_words_of_other_scopes_are_as_if_they_were_not_there(
    tmp_path: Path, most_recent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scope's similar words are those of an index of that scope alone, whatever others hold, task and pins included.

    But for other forms of a word that the scope holds: those qualify nothing that the word itself would not.
    """
    monkeypatch.setattr(tantivy_recent, "MOST", most_recent)
    chance = random.Random(7)
    syllables = [a + b for a in "bcdlmnrst" for b in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) + "n" for _ in range(60)]
    places = [{}, {"project": "q"}, {"workspace": "x"}, {"task": "t"}, {"status": "retracted"}, {"head": False}]
    documents = [
        claim(number, " ".join(chance.sample(words, 3)), **chance.choice(places)) for number in range(1, 60)
    ]  # fmt: skip
    scope = replace(HERE, pins=frozenset(ids("clm", 3, 5, 7, 11)))
    seen = [each for each in documents if scope.admits(Scope(each.workspace, each.project, each.task), each.entity)]
    asked = [*words, *(word[:-1] for word in words), *(word[:3] for word in words), *(f"in{word}" for word in words)]
    for implementation in ("whoosh", "tantivy"):
        mixed, alone = (open_index(tmp_path / f"{implementation}{each}", implementation) for each in ("mixed", "alone"))
        put(mixed, documents[:30]), put(mixed, documents[30:]), put(alone, seen)
        wrong = [word for word in asked if mixed.similar_words(word, scope) != alone.similar_words(word, ScopeFilter())]
        assert wrong == [] and sum(bool(mixed.similar_words(word, scope)) for word in asked) > 20
        mixed.close(), alone.close()


def test_three_hundred_equal_texts(both: tuple[LexicalIndex, LexicalIndex]) -> None:
    """The newest come first, however many are equal."""
    for index in both:
        put(index, [claim(number, "the very same text", seq=number) for number in range(1, 301)])
        hits = index.query((QueryTerm("same", "same"), QueryTerm("text", "text")), IndexFilter(HERE), 5, "score")
        assert [hit.document.seq for hit in hits] == [300, 299, 298, 297, 296]


@pytest.mark.parametrize(
    "text",
    [
        "AND (", "*", "field:", '"', "'", "title:redis", "redis^2", "[a TO b]", "a\x1fb", "\x00", "🚀", "ÿ" * 300,
        "x" * 70_000, " ", "redis OR 1=1", "~redis", "+redis -kafka", "/re.*/", "\\", "缓", "ก", "가", "م",
    ],
)  # fmt: skip
def test_any_text_is_a_term(both: tuple[LexicalIndex, LexicalIndex], text: str) -> None:
    """Nothing in a term is syntax, and no length fails."""
    for index in both:
        put(index, [claim(1, f"redis {text} kafka", names=(text,)), claim(2, "redis")])
        term = QueryTerm("asked", text, (text,), (text,))
        hits = index.query((term,), IndexFilter(HERE), 10, "coverage")
        assert {hit.document.entity for hit in hits} <= set(ids("clm", 1))
        index.similar_words(text, HERE)
