"""The lexical index by itself: building, refreshing after one write, and asking, over generated claims.

Words are drawn from a Zipf-like distribution over a made-up vocabulary, so that a few words are in many claims and most
in few, as in real text. A query takes words of one claim, so it has an answer. Times are of one warm process.
"""

from __future__ import annotations

import bisect
import itertools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report import parser, progress, publish, summary, workplace
from memgit.index.analysis import analyse
from memgit.index.documents import Document
from memgit.index.lexical import IndexFilter, LexicalIndex, Order, QueryTerm, ScopeFilter, Watermark, open_index
from memgit.records.ids import ClaimId, RevisionId

VOCABULARY = 60_000
WORDS_PER_CLAIM = (8, 24)
WORDS_PER_QUERY = (2, 6)
_FUNCTION_WORDS = (
    "the ",
    "of the ",
    "is ",
    "and ",
    "for ",
    "with a ",
    "",
    "",
    "",
    "",
    "",
    "",
)  # it is English, or no language
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"


@dataclass(frozen=True)
class Corpus:
    """Claims with these texts, all in one project."""

    texts: list[str]

    def documents(self) -> Iterator[Document]:
        """Yield the documents of all claims."""
        for number, text in enumerate(self.texts):
            yield claim(number, text)


def claim(number: int, text: str) -> Document:
    """Return the document of the claim with a number."""
    return Document(
        entity=ClaimId(f"clm_{number:026d}"),
        kind="claim",
        workspace="wsp",
        project="prj",
        task=None,
        status="active",
        revision=RevisionId(f"crev_{number:026d}"),
        head=True,
        seq=number,
        type="fact",
        body=text,
    )


def generate(records: int, chance: random.Random) -> Corpus:
    """Return that many claims; the word of rank r is drawn with a probability like 1 / (r + 2.7)."""
    words = vocabulary(chance)
    sums = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    texts = []
    for _ in range(records):
        drawn = (
            words[bisect.bisect(sums, chance.random() * sums[-1])] for _ in range(chance.randint(*WORDS_PER_CLAIM))
        )
        texts.append(" ".join(f"{chance.choice(_FUNCTION_WORDS)}{word}" for word in drawn))
    return Corpus(texts)


def vocabulary(chance: random.Random) -> list[str]:
    """Return made-up words of two to four syllables, commonest first."""
    syllables = [a + b for a in _CONSONANTS for b in _VOWELS]
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(chance.choices(syllables, k=chance.randint(2, 4))) + chance.choice(_CONSONANTS)] = None
    return list(found)


def queries(corpus: Corpus, count: int, chance: random.Random) -> list[tuple[QueryTerm, ...]]:
    """Return queries of words that stand together in some claim."""
    found = []
    for _ in range(count):
        words = sorted(analyse(chance.choice(corpus.texts)).surfaces)
        picked = chance.sample(words, min(len(words), chance.randint(*WORDS_PER_QUERY)))
        found.append(tuple(QueryTerm(word, word) for word in picked))
    return found


def measure(index: LexicalIndex, directory: Path, corpus: Corpus, count: int, chance: random.Random) -> dict[str, Any]:
    """Return what building, refreshing and asking cost."""
    progress(f"building from {len(corpus.texts)} claims")
    began = time.perf_counter()
    assert index.apply(corpus.documents(), (), Watermark("commit 0", 0), None)
    built = time.perf_counter() - began
    size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
    asked = queries(corpus, count, chance)
    where = IndexFilter(ScopeFilter("wsp", "prj", frozenset({None})), instant="2026-06-01T00:00:00.000000Z")

    def ask(terms: tuple[QueryTerm, ...], order: Order) -> None:
        index.query(terms, where, 64, order)

    for terms in asked[:20]:
        ask(terms, "score")
    figures: dict[str, Any] = {}
    for order in ("score", "coverage"):
        progress(f"asking {count} queries by {order}")
        figures[f"query_by_{order}"] = timed([lambda t=terms, o=order: ask(t, o) for terms in asked])  # type: ignore[misc]
    progress("looking for similar words")
    typos = [chance.choice(terms).word[:-1] + "q" for terms in asked[:100]]
    figures["similar_words"] = timed([lambda word=word: index.similar_words(word, where.scope) for word in typos])  # type: ignore[misc]
    progress("refreshing after single writes")
    figures["refresh_after_one_write"] = timed(list(refreshes(index, corpus, where)))
    return {
        "records": len(corpus.texts), "build_s": round(built, 2), "per_s": round(len(corpus.texts) / built),
        "index_bytes": size, **figures,
    }  # fmt: skip


def refreshes(index: LexicalIndex, corpus: Corpus, where: IndexFilter) -> Iterator[Callable[[], object]]:
    """Yield changes of one claim each, followed by the first look of a reader."""
    for number in range(30):
        text = corpus.texts[number] + " refreshed"

        def change(seq: int = number + 1, number: int = number, text: str = text) -> None:
            assert index.apply(
                [claim(len(corpus.texts) + number, text)], (), Watermark(f"commit {seq}", seq), index.watermark()
            )
            assert index.query((QueryTerm("refreshed", "refreshed"),), where, 64, "score")

        yield change


def timed(actions: list[Callable[[], object]]) -> dict[str, float]:
    """Return a summary of the time that each action takes."""
    seconds = []
    for action in actions:
        began = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - began)
    return summary(seconds)


def main() -> None:
    """Measure and print."""
    arguments = parser(__doc__ or "")
    arguments.add_argument("--records", type=int, default=10_000, help="how many claims (default: 10000)")
    arguments.add_argument("--queries", type=int, default=200, help="how many queries (default: 200)")
    arguments.add_argument("--index", choices=["whoosh", "tantivy"], action="append", help="which; default: both")
    arguments.add_argument("--seed", type=int, default=1, help="of the random numbers (default: 1)")
    options = arguments.parse_args()
    progress("generating")
    corpus = generate(options.records, random.Random(options.seed))
    figures: dict[str, Any] = {}
    for name in options.index or ["whoosh", "tantivy"]:
        progress(name)
        with workplace(options.directory) as directory:
            index = open_index(directory / "index", name)
            figures[name] = measure(index, directory, corpus, options.queries, random.Random(options.seed + 1))
            index.close()
    publish(figures)


if __name__ == "__main__":
    main()
