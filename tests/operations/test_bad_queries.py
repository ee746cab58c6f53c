"""Whatever is asked gets one clear answer: a result, or an error that says what to do. Never a fault of the program.

More of the same stands where each part is tested: `tests/index/test_index_files.py` (an index that is deleted,
cut or replaced during a query), `tests/operations/test_nearness.py` (vectors of another model, or damaged; a model that
is missing), `tests/operations/test_models.py` (a damaged model), `tests/operations/test_horizons.py` (a broad horizon
without a reason), `tests/retrieval/test_query.py` (any text is a query).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memgit.index import index_directory
from memgit.index.whoosh_index import WhooshIndex
from memgit.limits import DEFAULT
from tests.operations.conftest import SCOPE, Memory

LOOKS = ("memory.recall", "memory.retrieve", "memory.probe", "search", "context.build")
STATEMENTS = {
    "cyrillic": ("Ключ меняют каждую весну.", "ключ весну"),
    "arabic": ("يتغير المفتاح كل ربيع.", "المفتاح ربيع"),
    "chinese": ("密钥每年春天轮换。", "密钥轮换"),
    "mixed": ("Das Token 密钥 wird im März gedreht.", "token 密钥 märz"),
}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store that the tests of this module only read."""
    directory = tmp_path_factory.mktemp("bad-queries") / "project"
    subprocess.run(["git", "init", "-q", str(directory)], check=True)
    memory = Memory(directory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMGIT_DATA_DIR", str(directory.parent / "data"))
        memory.run("store.init", **SCOPE)
        memory.artifact("The gate opens at dawn. AND OR NOT title: * ( )", "Gate rules", markers=["topic:gate"])
        memory.claim("The gate opens at dawn.", "decision")
        for statement, _ in STATEMENTS.values():
            memory.claim(statement)
        yield memory


@pytest.mark.parametrize("op", LOOKS)
@pytest.mark.parametrize("query", ["", "\n\t\u2003"])
def test_a_blank_query_is_refused(known: Memory, op: str, query: str) -> None:
    """It asks nothing, and is told what to do."""
    error = known.refused(op, query=query)
    assert (error["code"], error["details"]["field"]) == ("INVALID_REQUEST", "query")


@pytest.mark.parametrize("op", LOOKS)
def test_a_query_without_words_finds_nothing_and_says_so(known: Memory, op: str) -> None:
    """Punctuation, symbols and emoji ask for nothing; one letter is a word that is nowhere."""
    for query in ("?!", "... --- ...", "😀🚀", '"', "*", "(", "\u200b", "\u0301", "z"):
        answer = known.envelope(op, query=query)
        assert answer["ok"], (query, answer["error"])
        assert query == "z" or "the query holds no searchable words" in answer["warnings"], query
        found = answer["result"]
        if "presence" in found.get("recall", found):
            assert found.get("recall", found)["presence"] == "none", query
        assert not (found.get("hits") or found.get("manifest") or found.get("leads")), query


@pytest.mark.parametrize("op", LOOKS)
def test_a_megabyte_is_cut_and_said(known: Memory, op: str) -> None:
    """Of words, of one word, of one character repeated in four bytes."""
    for query in ("gate dawn " * 100_000, "x" * 1_000_000, "密" * 350_000, "🚀" * 260_000):
        answer = known.envelope(op, query=query)
        assert answer["ok"] and any("were considered" in warning for warning in answer["warnings"])


@pytest.mark.parametrize("script", STATEMENTS)
def test_other_scripts_are_answered(known: Memory, script: str) -> None:
    """By recall, first by search, and in a bundle."""
    statement, query = STATEMENTS[script]
    assert [claim["statement"] for claim in known.run("memory.recall", query=query)["claims"]] == [statement]
    assert known.run("search", query=query)["hits"][0]["claim"]["statement"] == statement
    assert statement in known.run("context.build", query=query)["markdown"]


@pytest.mark.parametrize(
    "query",
    [
        "gate AND (",
        "gate OR *",
        "title:gate",
        '"gate',
        "gate~2",
        "gate^3",
        "+gate -dawn",
        "[gate TO dawn]",
        "/gate/",
        "gate\\",
    ],
)
def test_query_syntax_is_text(known: Memory, query: str) -> None:
    """No operator, wildcard, field or quote of an index's own language has a meaning here."""
    assert known.run("memory.recall", query=query)["searched_horizons"] == ["ambient"]
    assert known.run("search", query=query)["hits"][0]["ranking"]["position"] == 1


@pytest.mark.parametrize(
    "filters",
    [
        {"kinds": []},
        {"kinds": ["artifact"], "types": ["decision"]},
        {"types": ["no such type"]},
        {"markers": ["topic:gate", "topic:other"]},
        {"component": "nowhere"},
        {"as_of": "2001-01-01"},
    ],
)
def test_filters_that_exclude_each_other_leave_nothing(known: Memory, filters: dict[str, Any]) -> None:
    """That is an answer, not an error."""
    assert known.run("search", query="gate dawn", **filters)["hits"] == []
    assert known.run("context.build", query="gate dawn", **filters)["manifest"] == []


@pytest.mark.parametrize(
    ("op", "field", "least", "most"),
    [
        ("search", "limit", 1, 100),
        ("context.build", "limit", 1, 100),
        ("context.build", "max_bytes", 512, 1 << 18),
        ("memory.probe", "depth", 1, 8),
        ("memory.retrieve", "depth", 1, 8),
        ("memory.recall", "max_claims", 0, 50),
        ("memory.recall", "max_artifact_refs", 0, 20),
        ("memory.recall", "max_candidate_claims", 0, 16),
        ("memory.recall", "max_candidate_artifact_refs", 0, 16),
        ("memory.recall", "max_excerpt_bytes", 16, 2048),
    ],
)
def test_numbers_out_of_bounds_are_refused(known: Memory, op: str, field: str, least: int, most: int) -> None:
    """Too few, too many, and numbers beyond what a computer counts with; the bounds themselves are allowed."""

    def error(number: object) -> Any:
        return known.envelope(op, query="nothing at all", **{field: number})["error"]

    for number in (least - 1, -(2**62), 1.5, "5", None):
        assert error(number)["code"] == "INVALID_REQUEST", number
    for number in (most + 1, 2**80):
        found = error(number)
        assert (found["code"], found["details"]["limit"], found["details"]["value"]) == ("LIMIT_EXCEEDED", field, most)
    for number in (least, most):
        assert known.envelope(op, query="nothing at all", **{field: number})["ok"], number


@pytest.mark.parametrize("value", [True, {"enabled": 1}, {"on": True}, None])
def test_recency_is_a_choice_of_one_word(known: Memory, value: Any) -> None:
    """`{"enabled": false}` turns it off; anything else is not guessed at."""
    assert known.refused("memory.recall", query="gate", recency=value)["code"] == "INVALID_REQUEST"
    (claim,) = known.run("memory.recall", query="gate dawn", recency={"enabled": False})["claims"]
    assert claim["recency"] is None
    (claim,) = known.run("memory.recall", query="gate dawn")["claims"]
    assert claim["recency"]["policy"] == "bounded_recency_v1"


@pytest.mark.parametrize("query", ["gate dawn", "gate sunrise", "kitchen", "?!"])
def test_candidates_change_nothing_but_themselves(known: Memory, query: str) -> None:
    """With and without them presence, claims, documents, conflicts and the hint are the same."""
    plain = known.run("memory.recall", query=query)
    asked = known.run("memory.recall", query=query, max_candidate_claims=16, max_candidate_artifact_refs=16)
    apart = ("candidate_claims", "candidate_artifacts")
    changing = ("evaluated_at",)
    assert {name: value for name, value in asked.items() if name not in apart + changing} == {
        name: value for name, value in plain.items() if name not in apart + changing
    }
    assert (plain["candidate_claims"], plain["candidate_artifacts"]) == ([], [])
    for item in (*asked["candidate_claims"], *asked["candidate_artifacts"]):
        assert item["why"]["tier"] is None
    if (hint := asked["candidates_hint"]) is not None:
        assert hint == {"claims": len(asked["candidate_claims"]), "artifacts": len(asked["candidate_artifacts"])}


def damages() -> dict[str, Callable[[Path], object]]:
    """Return what may befall an index while it is asked."""

    def cut(directory: Path) -> None:
        for path in directory.iterdir():
            if path.is_file() and path.suffix != ".lock":
                path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    return {"deleted": shutil.rmtree, "cut": cut}


@pytest.mark.parametrize("damage", damages())
def test_an_index_that_goes_in_mid_query_is_made_again(
    memory: Memory, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is the one that a whole index gives."""
    memory.run("config.set", name="lexicalIndex", value="whoosh")
    memory.claim("The gate opens at dawn.")
    wanted = memory.run("memory.recall", query="gate dawn")["claims"]
    ask, fate = WhooshIndex.query, [damages()[damage]]

    def interrupted(index: WhooshIndex, *arguments: Any) -> Any:
        while fate:
            index.close()
            fate.pop()(memory.directory / ".git" / "memgit" / "cache" / "lexical")
        return ask(index, *arguments)

    monkeypatch.setattr(WhooshIndex, "query", interrupted)
    answer = memory.envelope("memory.recall", query="gate dawn")
    assert answer["ok"] and not fate
    assert answer["result"]["claims"] == wanted
    assert "the lexical index was damaged and has been rebuilt" in answer["warnings"]


def test_a_locked_index_is_retryable_and_old_answers_go_on(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another process writes it, what is up to date answers, and what is not says INDEX_NOT_READY."""
    from filelock import FileLock

    memory.claim("The gate opens at dawn.")
    assert memory.run("memory.recall", query="gate dawn")["presence"] == "claims"
    monkeypatch.setattr(index_directory, "DEFAULT", replace(DEFAULT, lock_wait_ms=20))
    locks = list((memory.directory / ".git" / "memgit" / "cache").rglob("write.lock"))
    held = [FileLock(path) for path in locks if "lexical" in path.parts]
    for lock in held:
        lock.acquire()
    assert memory.run("memory.recall", query="gate dawn")["presence"] == "claims"
    memory.claim("The door opens at noon.")
    error = memory.refused("memory.recall", query="door noon")
    assert (error["code"], error["retryable"]) == ("INDEX_NOT_READY", True)
    for lock in held:
        lock.release()
    assert memory.run("memory.recall", query="door noon")["presence"] == "claims"


@pytest.mark.slow
def test_a_needle_at_the_end_of_the_largest_document(memory: Memory) -> None:
    """It is found, with its exact bytes."""
    text = ("ordinary filler text without any news\n" * 230_000)[: DEFAULT.artifact_bytes - 40]
    memory.artifact(f"{text}\nthe zebraflux needle\n", "Haystack")
    (found,) = memory.run("memory.recall", query="zebraflux needle")["artifacts"]
    assert "zebraflux needle" in found["excerpt"] and found["start_byte"] > DEFAULT.artifact_bytes - 2 * 2048
    assert memory.run("citation.get", citation=found["citation"])["content"]["data"] == found["excerpt"]
