"""Another number, port, letter or range is another thing; a prefix that denies is no slip. What is the same meets."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.index.lexical import open_index
from memgit.retrieval.qualification import lexicon, match
from memgit.retrieval.query import analyse_query
from memgit.retrieval.recall import RecallRequest, recall

from .memory import Memory


@pytest.mark.parametrize(
    ("query", "text", "missing"),
    [
        ("localhost:9090", "The service is on localhost:8080", ("localhost:9090",)),
        ("http://localhost:9090", "See http://localhost:8080", ("localhost:9090",)),
        ("db.example.org:3306", "Use db.example.org:5432", ("db.example.org:3306",)),
        ("src/tree.py:999", "See src/tree.py:12", ("src/tree.py:999",)),
        ("tree.py:999", "See tree.py:12", ("tree.py:999",)),
        ("tree.py:12", "See tree.py", ("tree.py:12",)),
        ("app.py:12-14", "See app.py:12-15", ("app.py:12-14",)),
        ("retro 10:45", "The retro is at 10:30", ("10:45",)),
        ("port 80:8080", "The port is 80:9090", ("80:8080",)),
        ("image pull redis:6", "Image pull uses redis:7", ("redis:6",)),
        ("what is plan B?", "Plan A is to wait", ("b",)),
        ("plan b", "Plan A is to wait", ("b",)),
        ("Team A", "A team owns it", ("a",)),
        ("is it written in R?", "It is written in C", ("r",)),
        ("vitamin K", "Vitamin D helps", ("k",)),
        ("category B waste", "Category A waste is burnt", ("b",)),
        ("drive D:", "The drive C: is full", ("d",)),
        ("grade A+", "The grade is A-", ("a+",)),
        ("type I error", "A type II error", ("i",)),
        ("option -c", "The option -C", ("-c",)),
        ("retro 10 am", "The retro is at 10 pm", ("am",)),
        ("План А", "План Б ждёт", ("а",)),
        ("方案B", "方案A", ("b",)),
        ("B-tree index", "The R-tree index", ("b",)),
        ("x.z is set", "x.y is set", ("x.z",)),
        ("is lab port 8090 open?", "Lab ports are 80-90 open", ("8090",)),
        ("section 12", "See section 1-2", ("12",)),
        ("rule-1-2", "Use rule-12", ("rule-1-2",)),
        ("wait 510 minutes", "Wait 5-10 minutes", ("510",)),
        ("wait 5-10 minutes", "Wait 5-20 minutes", ("5-10",)),
        ("volume 102", "The volume is 10²", ("102",)),
        ("volume 10", "The volume is 10²", ("10",)),
        ("size 101", "The size is 10½", ("101",)),
        ("quota 5 TB", "The quota is 1,5 TB", ("5",)),
        ("quota 15 TB", "The quota is 1,5 TB", ("15",)),
        ("+5 hours", "The shift is -5 hours", ("+5",)),
        ("-5 hours", "The shift is 5 hours", ("-5",)),
        ("5 hours", "The shift is −5 hours", ("5",)),
    ],
)
def test_another_code_is_missing(query: str, text: str, missing: tuple[str, ...]) -> None:
    """However near it is, the text does not qualify, and the answer names what it lacks."""
    found = match(analyse_query(query), lexicon(text))
    assert (found.tier, found.missing) == (None, missing)


SAME = [
    ("localhost", "It listens on localhost:8080"),
    ("localhost:8080", "It listens on localhost:8080"),
    ("localhost 8080", "It listens on localhost:8080"),
    ("port 8080", "Set port:8080"),
    ("tree.py", "See tree.py:12"),
    ("tree.py:12", "See tree.py:12"),
    ("tree.py:12", "See src/tree.py:12"),
    ("src/tree.py:12", "See src/tree.py:12"),
    ("redis", "Pull redis:7"),
    ("redis:7", "Pull redis:7"),
    ("redis 7", "Pull redis:7"),
    ("db.example.org", "Use db.example.org:5432"),
    ("http://localhost:8080/x", "See http://localhost:8080/x"),
    ("retro 10:30", "The retro is at 10:30"),
    ("retro 9:30", "The retro is at 09:30"),
    ("free at 10:30", "Free: 10:30–12:00"),
    ("plan B", "Plan B is to wait"),
    ("what is plan b", "Plan B is to wait"),
    ("what is plan a", "We follow plan A"),
    ("what do I plan", "Plans are made"),
    ("Why Is There A Plan", "Plans are made"),
    ("client's plan", "The plan of a client"),
    ("is it written in R", "It is written in R."),
    ("where is Team A", "Team A sits in Rome"),
    ("retro 10 a.m.", "The retro is at 10 AM"),
    ("3 s timeout", "The timeout is 3 s"),
    ("x.y is set", "x.y is set"),
    ("B-tree index", "The btree index"),
    ("t shirt size", "The size of a t-shirt"),
    ("5-10 minutes", "Wait 5–10 minutes"),
    ("port 80", "The ports are 80-90"),
    ("quota 1,5 TB", "The quota is 1.5 TB"),
    ("24,000,000 bytes", "At most 24000000 bytes"),
    ("+5 hours", "The shift is +5 hours"),
    ("shift 5 hours", "The shift is +5 hours"),
    ("-5 hours", "The shift is −5 hours"),
    ("volume 10²", "The volume is 10^2"),
    ("2024-01-02", "On 2024-01-02"),
    ("tickets 5", "Tickets 3,4,5 are open"),
]


@pytest.mark.parametrize(("query", "text"), SAME)
def test_the_same_code_meets(query: str, text: str) -> None:
    """Also the bare name of what stands with a suffix, and other spellings of one number."""
    found = match(analyse_query(query), lexicon(text))
    assert found.tier in {"exact", "lexical"} and not found.missing


@pytest.mark.parametrize("implementation", ["whoosh", "tantivy"])
def test_an_index_proposes_what_meets(implementation: str, tmp_path: Path) -> None:
    """What an index knows of a text is what the text is compared by: each of these is found among all."""
    memory = Memory(tmp_path, opened=open_index(tmp_path, implementation))
    ids = {text: memory.claim(text) for _, text in SAME}
    view = memory.view()
    for query, text in SAME:
        result = recall(RecallRequest(query=query, max_claims=20), view)
        assert ids[text] in [claim.claim_id for claim in result.claims], query


def test_one_identifier_answers_and_names_the_other(tmp_path: Path) -> None:
    """What is known about one of two is shown, and `missing` says that the other is not in it."""
    memory = Memory(tmp_path)
    memory.claim("APP-BOUNDARY-101 solves in the engine.")
    query = "does APP-BOUNDARY-101 replace APP-BOUNDARY-202?"
    (found,) = recall(RecallRequest(query=query), memory.view()).claims
    assert (found.why.tier, found.why.missing) == ("exact", ("replace", "app-boundary-202"))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("are tape backups encrypted at rest?", "Tape backups are unencrypted at rest"),
        ("immutable ledger entries", "Ledger entries are mutable"),
        ("symmetric session keys", "Session keys are asymmetric"),
        ("synchronous job queue", "The job queue is asynchronous"),
        ("unlimited guest quota", "The guest quota is limited"),
        ("trusted build runner", "The build runner is untrusted"),
        ("reversible schema migrations", "Schema migrations are irreversible"),
        ("connected worker nodes", "Worker nodes are disconnected"),
        ("blocking socket reads", "Socket reads are nonblocking"),
        ("deduplicated table rows", "Table rows are duplicated"),
        ("resources list update", "Sources list update"),
        ("state of server sessions", "Server sessions are stateless"),
        ("кэш зашифрован", "Кэш незашифрован"),
        ("доступ надежный сегодня", "Доступ ненадежный сегодня"),
        ("causal ordering", "Casual ordering is fine"),
    ],
)
def test_the_opposite_is_no_slip(tmp_path: Path, query: str, text: str) -> None:
    """A prefix makes another word, and of two words one of the same letters may be meant as it stands."""
    memory = Memory(tmp_path)
    claim = memory.claim(text)
    result = recall(RecallRequest(query=query, max_candidate_claims=1), memory.view())
    assert result.presence == "none"
    assert [near.claim_id for near in result.candidate_claims] == [claim]
