"""How well a search finds what was said: a file of conversations with questions, ingested and asked by the protocol.

Each conversation is a project of its own in one store of a temporary repository. Every question whose evidence exists
is searched among the turns of its conversation; of the first five hits, hit@5 asks for any evidence, recall@5 for its
share, mrr@5 for the place of the first, ndcg@5 for all places. With `--unit session` the sessions are ranked, each by
its best turn. `query_ms` is one whole request in a warm process.

FILE is JSON in the form of the public LoCoMo data set: an array of conversations. Each has `conversation`, with
`session_1`, `session_2`, … (arrays of turns: `speaker`, `dia_id` such as "D1:3", `text`, and for a picture
`blip_caption`) and `session_1_date_time`, … ("1:56 pm on 8 May, 2023"); and `qa`, an array of questions: `question` and
`evidence`, an array of the `dia_id`s that answer it. MEMGIT_EVAL names a directory of corpora; by default FILE is
`locomo/locomo-dev.json` in it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.report import git, parser, progress, publish, summary, workplace
from memgit.protocol.envelope import answer

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "eval"
_EVIDENCE = re.compile(r"D\d+:\d+")
_FIVE = 5
_MOST_HITS = 100  # of one search; sessions are ranked by the hits that lead to them


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the keys of the turns or sessions that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Sessions of turns as `session.ingest` takes them, the file's name of each turn by session and number."""

    sessions: dict[str, list[dict[str, str]]]
    names: dict[tuple[str, int], str]
    questions: list[Question]


def main() -> None:
    options = parser(__doc__ or "")
    options.formatter_class = argparse.RawDescriptionHelpFormatter
    options.add_argument(
        "file", metavar="FILE", nargs="?", type=Path, default=default_file(), help="(default: %(default)s)"
    )
    options.add_argument("--unit", choices=("turn", "session"), default="turn", help="what is ranked (default turn)")
    options.add_argument("--embedder", choices=("static", "neural", "hash", "none"), default="static")
    options.add_argument("--index", choices=("auto", "whoosh", "tantivy"), default="auto", help="the lexical index")
    options.add_argument("--captions", action="store_true", help="remember what a turn's picture shows, too")
    options.add_argument("--limit", type=int, help="ask only so many questions of each conversation")
    options.add_argument("--misses", action="store_true", help="print what was missed to standard error")
    chosen = options.parse_args()
    if chosen.file is None:
        sys.exit("there is no corpus here: name a FILE, or set MEMGIT_EVAL to the directory of corpora")
    try:
        conversations = list(read(chosen.file, chosen.unit, captions=chosen.captions))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        sys.exit(f"{chosen.file} is no corpus of conversations (--help describes it): {error!r}")
    if not any(conversation.questions for conversation in conversations):
        sys.exit(f"{chosen.file} holds no question whose evidence it holds (--help describes it)")
    with workplace(chosen.directory) as place:
        prepare(place, chosen.embedder, chosen.index)
        begun = time.perf_counter()
        for number, conversation in enumerate(conversations):
            ingest(place, number, conversation)
            progress_bar("ingested", number + 1, len(conversations))
        for number in range(len(conversations)):
            ask(place, number, "anything", 1)  # the first search makes the indexes
        ingested = time.perf_counter() - begun
        publish({**measure(place, conversations, chosen), "ingest_s": round(ingested, 2)})


def default_file() -> Path | None:
    """Return the development corpus where it exists."""
    found = Path(os.environ.get("MEMGIT_EVAL") or _SHARED) / "locomo" / "locomo-dev.json"
    return found if found.exists() else None


def read(file: Path, unit: str, *, captions: bool = False) -> Iterator[Conversation]:
    """Yield the conversations of a file, with the questions whose evidence exists."""
    for item in json.loads(file.read_text(encoding="utf-8")):
        said = item["conversation"]
        numbers = sorted(
            int(key[8:]) for key in said if re.fullmatch(r"session_\d+", key) and isinstance(said[key], list)
        )
        sessions: dict[str, list[dict[str, str]]] = {}
        names: dict[tuple[str, int], str] = {}
        for number in numbers:
            session = f"session-{number}"
            when = moment(said.get(f"session_{number}_date_time"))
            sessions[session] = [turn_of(turn, when, captions=captions) for turn in said[f"session_{number}"]]
            names |= {(session, place): t["dia_id"] for place, t in enumerate(said[f"session_{number}"], 1)}
        keys = {name: name if unit == "turn" else session for (session, _), name in names.items()}
        questions = []
        for entry in item["qa"]:
            named = _EVIDENCE.findall(" ".join(map(str, entry.get("evidence") or ())))
            evidence = frozenset(keys[name] for name in named if name in keys)
            if evidence:
                questions.append(Question(entry["question"], evidence))
        yield Conversation(sessions, names, questions)


def turn_of(turn: dict[str, Any], when: str | None, *, captions: bool) -> dict[str, str]:
    """Return a turn as `session.ingest` takes it; one without words is what its picture shows."""
    text, shown = turn.get("text") or "", turn.get("blip_caption")
    if not text.strip() or (captions and shown):
        text = f"{text} (a picture: {shown or 'nothing'})".strip()
    given = {"text": text, "speaker": turn["speaker"]}
    return given | ({"time": when} if when else {})


def moment(text: str | None) -> str | None:
    """Return `1:56 pm on 8 May, 2023` in RFC 3339, or None where it is not of that form."""
    try:
        return datetime.strptime(text or "", "%I:%M %p on %d %B, %Y").strftime("%Y-%m-%dT%H:%M:00Z")
    except ValueError:
        return None


def prepare(place: Path, embedder: str, index: str) -> None:
    """Make the repository and its store."""
    git("init", "-q", str(place))
    git("config", "user.name", "Benchmark", directory=place)
    git("config", "user.email", "benchmark@example.invalid", directory=place)
    git("config", "memgit.embedder", embedder, directory=place)
    git("config", "memgit.lexicalIndex", index, directory=place)
    call(place, "store.init", {"marker": False}, None)


def ingest(place: Path, number: int, conversation: Conversation) -> None:
    """Remember a conversation, one turn a claim."""
    for session, turns in conversation.sessions.items():
        given = {"session": session, "turns": turns, "turns_per_claim": 1, "max_bytes": 8192, "allow_flagged": True}
        call(place, "session.ingest", given, number)


def measure(place: Path, conversations: Sequence[Conversation], chosen: Any) -> dict[str, Any]:
    """Ask every question and return the figures."""
    seconds: list[float] = []
    sums = [0.0, 0.0, 0.0, 0.0]
    total = sum(len(each.questions[: chosen.limit]) for each in conversations)
    for number, conversation in enumerate(conversations):
        for question in conversation.questions[: chosen.limit]:
            begun = time.perf_counter()
            limit = _FIVE if chosen.unit == "turn" else _MOST_HITS
            markers = ask(place, number, question.text, limit)
            seconds.append(time.perf_counter() - begun)
            found = keys_of(markers, conversation, chosen.unit)[:_FIVE]
            sums = [a + b for a, b in zip(sums, scores(found, question.evidence), strict=True)]
            if chosen.misses and not question.evidence & set(found):
                progress(f"missed: {question.text} {sorted(question.evidence)}")
            progress_bar("asked", len(seconds), total)
    times = summary(seconds)
    names = ("hit@5", "recall@5", "mrr@5", "ndcg@5")
    return {
        "n": total,
        **{name: round(value / max(1, total), 4) for name, value in zip(names, sums, strict=True)},
        "unit": chosen.unit,
        "embedder": chosen.embedder,
        "captions": chosen.captions,
        "query_ms_p50": times["median_ms"],
        "query_ms_p95": times["p95_ms"],
    }


def ask(place: Path, number: int, question: str, limit: int) -> list[tuple[str, ...]]:
    """Return the markers of the hits, best first."""
    hits = call(place, "search", {"query": question, "limit": limit, "kinds": ["claim"]}, number)["hits"]
    return [tuple(hit["claim"]["markers"]) for hit in hits]


def keys_of(found: list[tuple[str, ...]], conversation: Conversation, unit: str) -> list[str]:
    """Return what the hits stand for, each once: the file's names of turns, or sessions."""
    keys: list[str] = []
    for markers in found:
        values = dict(marker.split(":", 1) for marker in markers)
        turn = int(values["turn"].partition(".")[0])
        keys.append(values["session"] if unit == "session" else conversation.names[values["session"], turn])
    return list(dict.fromkeys(keys))


def scores(found: list[str], evidence: frozenset[str]) -> tuple[float, float, float, float]:
    """Return hit, recall, reciprocal rank and discounted gain of at most five keys."""
    relevant = [key in evidence for key in found]
    first = next((1 / place for place, good in enumerate(relevant, 1) if good), 0.0)
    gain = sum(1 / math.log2(place + 1) for place, good in enumerate(relevant, 1) if good)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(_FIVE, len(evidence)) + 1))
    return float(any(relevant)), sum(relevant) / len(evidence), first, gain / ideal


def call(place: Path, operation: str, given: dict[str, Any], number: int | None) -> Any:
    """Return the result of an operation; exit where it fails."""
    context = None if number is None else {"workspace_id": "locomo", "project_id": f"conversation-{number}"}
    envelope = answer({"op": operation, "input": given, "context": context}, place).envelope
    if not envelope["ok"]:
        sys.exit(f"{operation}: {envelope['error']['message']}")
    return envelope["result"]


def progress_bar(what: str, done: int, total: int) -> None:
    """Show how far it is, on one line of standard error; in a file or a pipe, now and then."""
    if not sys.stderr.isatty() and done < total and done % 100:
        return
    end = "\n" if done == total else "\r"
    print(f"{what} {done} of {total}", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
