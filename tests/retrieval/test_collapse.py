"""What says the same is shown once; what might not is shown apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.retrieval.candidates import Candidate
from memgit.retrieval.collapse import collapsed
from memgit.retrieval.qualification import Match

from .memory import ELSEWHERE, Memory


def claims(memory: Memory, *ids: str) -> list[Candidate]:
    """Return candidates for these claims."""
    entities = [memory.entities[name] for name in ids]
    return [Candidate(entity, entity.current, (), Match("lexical", (), ()), 1.0, ()) for entity in entities]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We pin every dependency.", "we pin every dependency"),
        ("The limit is 100 requests.", "A limit is 100 requests!"),
        ("Never push to main.", "never push to  main"),
        ("The pager is `less`, always.", "Pager is “less” always"),
        ("Retry three times (at most).", "retry three times, at most"),
        ("Le cache est chiffré", "le Cache est chiffre\u0301."),
    ],
)
def test_the_same_is_shown_once(tmp_path: Path, one: str, other: str) -> None:
    """Case, articles and punctuation make no other statement; the first is kept, and says so."""
    memory = Memory(tmp_path)
    first, second = memory.claim(one), memory.claim(other)
    ((kept, same),) = collapsed(claims(memory, first, second))
    assert (kept.id, same) == (first, (second,))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The cache is encrypted.", "The cache is not encrypted."),
        ("The cache is shared.", "The cache isn't shared."),
        ("The port is 80.", "The port is 8080."),
        ("Version 1.2.3 is pinned.", "Version 1.2.4 is pinned."),
        ("RULE-17 applies.", "RULE-18 applies."),
        ("Redis replaces Memcached.", "Memcached replaces Redis."),
        ("Push to main.", "Push to main without review."),
        ("Deploys happen on Tuesdays.", "Only deploys happen on Tuesdays."),
        ("We use Redis.", "We use Postgres."),
        ("Retry more than 3 times", "Retry less than 3 times"),
        ("Deploy before the freeze", "Deploy after the freeze"),
        ("Caching is on", "Caching is off"),
        ("Timeouts above 3 s are logged", "Timeouts below 3 s are logged"),
        ("Scale up at night", "Scale down at night"),
        ("All tests run nightly", "Some tests run nightly"),
        ("Any host may join", "Every host may join"),
        ("Most builds pass", "Few builds pass"),
        ("Both keys are needed", "Either key is needed"),
        ("You may rebase", "You must rebase"),
        ("You must rebase", "You should rebase"),
        ("Logs go from stdout to stderr", "Logs go to stdout from stderr"),
        ("She owns the release", "He owns the release"),
        ("Deploy with approval", "Deploy without approval"),
        ("We always squash", "We never squash"),
        ("Merge if it is green", "Merge unless it is green"),
        ("The server restarts nightly", "The servers restart nightly"),
        ("We move to Postgres", "We moved to Postgres"),
        ("A few retries are allowed", "Few retries are allowed"),
        ("No, caching is on", "No caching is on"),
        ("Stop. Deploying is safe", "Stop deploying is safe"),
        ("We pin dependencies?", "We pin dependencies."),
        ("Use git -c", "Use git -C"),
        ("Send it to US", "Send it to us"),
        ("Plan A is dropped", "Plan is dropped"),
        ("Call close", "Call close()"),
        ("Keep n > 3", "Keep n < 3"),
        (
            "Staging reads are not cached, production writes are cached",
            "Staging reads are cached, production writes are not cached",
        ),
        ("Team A owns it", "Team B owns it"),
        ("Bind 10.0.0.1:80", "Bind 10.0.0.1:81"),
        ("Offset is -5", "Offset is 5"),
        ("Offset is −5", "Offset is 5"),
        ("Fee is 5%", "Fee is 5$"),
        ("Build ✅", "Build ❌"),
        ("Use http://a.example", "Use https://a.example"),
        ("Set a = b", "Set a != b"),
        ("Keep n ≥ 3", "Keep n ≤ 3"),
        ("Run a + b", "Run a - b"),
        ("Run a && b", "Run a || b"),
        ("Run a | b", "Run a. B"),
        ("Read .env", "Read env"),
        ("Use --force", "Use force"),
        ("Read /etc/x", "Read etc/x"),
        ("Pin ~1.2", "Pin ^1.2"),
        ("Only admins may write", "Admins may write only"),
        ("We rebase", "You rebase"),
        ("Use localhost:8080", "Use localhost:9090"),
        ("Retro at 10:30", "Retro at 10:45"),
        ("See app.py:12", "See app.py:340"),
        ("Pull redis:7", "Pull redis:6"),
        ("Wait 5–10 minutes", "Wait 510 minutes"),
        ("Use 10²", "Use 102"),
        ("Quota is 1,5 TB", "Quota is 15 TB"),
        ("Split at `,`", "Split at `;`"),
        ("End lines with a .", "End lines with a ;"),
        ("Set [x]", "Set x"),
        ("Cut at 5'", 'Cut at 5"'),
        ("Stop; deploying is safe", "Stop deploying is safe"),
        ("It was, not cached", "It was not, cached"),
    ],
)
def test_what_may_differ_is_kept_apart(tmp_path: Path, one: str, other: str) -> None:
    """A number, a name, a sign, an order, an inflection or any other word is another statement: function words, too."""
    memory = Memory(tmp_path)
    found = collapsed(claims(memory, memory.claim(one), memory.claim(other)))
    assert [same for _, same in found] == [(), ()]


def test_a_conflict_is_never_collapsed(tmp_path: Path) -> None:
    """Both sides of a dispute stay visible, even where their words agree."""
    memory = Memory(tmp_path)
    first, second = memory.claim("We pin every dependency."), memory.claim("We pin every dependency.")
    memory.contradict(first, second)
    assert len(collapsed(claims(memory, first, second))) == 2


def test_other_types_scopes_and_validity_are_kept_apart(tmp_path: Path) -> None:
    """The same words of another kind, place or time are another claim."""
    memory = Memory(tmp_path)
    text = "We pin every dependency."
    ids = [
        memory.claim(text),
        memory.claim(text, claim_type="constraint"),
        memory.claim(text, scope=ELSEWHERE),
        memory.claim(text, valid_from="2026-01-01T00:00:00.000000Z"),
        memory.claim(text, subject="builds"),
    ]
    assert len(collapsed(claims(memory, *ids))) == len(ids)
