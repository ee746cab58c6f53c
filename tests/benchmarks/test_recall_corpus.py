"""The benchmark of retrieval cases says what does not hold, and why, on any directory of the form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpus import Store, isolate, read
from benchmarks.recall_corpus import _Bar, measure

HERE = {"workspace_id": "wsp", "project_id": "here"}
THERE = {"workspace_id": "wsp", "project_id": "there"}


def artifact(label: str, text: str, context: dict[str, str] = HERE, **fields: Any) -> dict[str, Any]:
    """Return a line of a seed."""
    content = {"type": "text", "data": text}
    return {"entity": "artifact", "label": label, "context": context, "content": content, **fields}


def claim(label: str, statement: str, *cited: tuple[str, str], **fields: Any) -> dict[str, Any]:
    """Return a line of a seed; `cited` are labels with quotes."""
    evidence = [{"artifact_label": source, "quote": quote} for source, quote in cited]
    return {"entity": "claim", "label": label, "context": HERE, "statement": statement, "evidence": evidence, **fields}


SEED = [
    artifact("birds", "Notes: ünusual herons dive at noon. They rest at dusk.\n", kind="note", title="Field notes"),
    claim("dive", "Herons dive at noon.", ("birds", "herons dive at noon")),
    claim("no_dive", "Herons do not dive at noon.", claim_type="observation"),
    {"entity": "relation", "source_label": "dive", "relation": "contradicts", "target_label": "no_dive"},
    artifact("secret", "The ORBIT7421 plan.\n", THERE),
    artifact(
        "long",
        "Start.\n",
        content_repeat={"unit": "Plain filler lines stand here.\n", "count": 900, "suffix": "Quokka."},
    ),
]


def case(name: str, query: str, **fields: Any) -> dict[str, Any]:
    """Return a case with as little as one may have; its context is that of the seed's first line."""
    return {"case_id": name, "query": query, **fields}


HOLDING = [
    case(
        "both_sides", "herons dive noon", relevant_claims=["dive", "no_dive"], relevant_artifacts=["birds"],
        expected_conflicts=[["no_dive", "dive"]], slice="conflict",
    ),
    case("hidden", "ORBIT7421", expected_presence="none", forbidden=["secret"], gate="report", slice="scope"),
    case("elsewhere", "ORBIT7421", horizon="workspace", relevant_artifacts=["secret"], slice="scope"),
    case("deep", "quokka", relevant_artifacts=["long"], require_artifact_spans=True),
]  # fmt: skip


def corpus(directory: Path, cases: list[dict[str, Any]], recovery: dict[str, Any] | None = None) -> Path:
    """Write a corpus and return its directory."""
    directory.mkdir()
    for name, lines in (("seed", SEED), ("cases", cases)):
        (directory / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n\n" for line in lines), "utf-8")
    if recovery is not None:
        (directory / "probe-recovery.json").write_text(json.dumps(recovery), "utf-8")
    return directory


def figures(tmp_path: Path, cases: list[dict[str, Any]], recovery: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return what the benchmark measures, in this process."""
    isolate(tmp_path)
    store = Store(tmp_path / "repository", {"embedder": "hash", "lexicalIndex": "whoosh"})
    bar = _Bar(quiet=True)
    found = read(corpus(tmp_path / "corpus", cases, recovery))
    store.load(found.seed, bar.of("seeded", len(found.seed)))
    return measure(found, store, bar)


def whys(found: dict[str, Any]) -> dict[str, str]:
    """Return why each hard case failed."""
    return {failure["case_id"]: failure["why"] for failure in found["gates"]["hard"]["failures"]}


@pytest.mark.slow
def test_it_prints_its_figures_as_json(tmp_path: Path) -> None:
    """Of a whole process: JSON on standard output, how far it is on standard error, nothing left behind."""
    command = [sys.executable, "-m", "benchmarks.recall_corpus", str(corpus(tmp_path / "corpus", HOLDING))]
    done = subprocess.run([*command, "--directory", str(tmp_path)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["gates"]["hard"] == {"passed": 3, "failed": 0, "failures": []}
    assert found["gates"]["report"] == {"passed": 1, "failed": 0, "failures": []}
    assert "asked 4 of 4" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


def test_cases_that_hold(tmp_path: Path) -> None:
    """With the fewest fields, by gate and slice; a case without a gate is hard."""
    found = figures(tmp_path, HOLDING)
    assert whys(found) == {}
    assert found["gates"]["hard"]["passed"] == 3 and found["gates"]["report"]["passed"] == 1
    assert found["slices"] == {
        "conflict": {"passed": 1, "of": 1},
        "scope": {"passed": 2, "of": 2},
        "unnamed": {"passed": 1, "of": 1},
    }
    assert (found["false_answers"], found["scope_leaks"], found["citation_failures"]) == (0, 0, 0)
    assert found["recovery"]["of"] == 0


def test_what_does_not_hold_is_said(tmp_path: Path) -> None:
    """Each kind of fault, with its case."""
    found = figures(
        tmp_path,
        [
            case("too_much", "herons dive noon", expected_presence="none"),
            case("nothing", "zebras", relevant_claims=["dive"]),
            case("not_there", "herons dive noon", relevant_claims=["dive"], relevant_artifacts=["long"]),
            case("forbidden", "herons dive noon", relevant_claims=["dive"], forbidden=["no_dive"]),
            case("at_peace", "quokka", relevant_artifacts=["long"], expected_conflicts=[["dive", "no_dive"]]),
        ],
    )
    why = whys(found)
    assert "recall says claims, expected is none" in why["too_much"] and "bundle holds something" in why["too_much"]
    assert "recall says none, expected is claims" in why["nothing"] and "dive is not among" in why["nothing"]
    assert why["not_there"] == "long is not among the artifacts"
    assert why["forbidden"] == "no_dive appears"
    assert "no open conflict of dive and no_dive" in why["at_peace"]
    assert found["false_answers"] == 1 and found["gates"]["hard"]["failed"] == 5


def test_a_leak_and_a_broken_citation_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an answer shows what the horizon does not reach, or a citation gives other bytes."""
    real = Store.ask

    def ask(self: Store, operation: str, given: Any, context: Any, key: str | None = None) -> Any:
        outcome = real(self, operation, given, context, key)
        if operation == "citation.get" and outcome.result:
            outcome.result["content"]["data"] += "!"
        if operation == "search":
            outcome.result["hits"].append({"of": self.ids["secret"]})
        return outcome

    monkeypatch.setattr(Store, "ask", ask)
    found = figures(tmp_path, [case("one", "herons dive noon", relevant_claims=["dive"])])
    assert found["scope_leaks"] == 1 and found["citation_failures"] >= 3
    assert "secret is outside the horizon" in whys(found)["one"]


def test_recoveries(tmp_path: Path) -> None:
    """One call shows the source and the refined query recalls the claim; what shows nothing is a false abstention."""
    cases = [
        case("paraphrase", "When do wading birds plunge?", relevant_claims=["dive"], gate="report"),
        case("lost", "Which mammals swim?", relevant_claims=["dive"], gate="report"),
    ]
    entries = [
        {
            "case_id": "paraphrase",
            "probe_query": "At which time of day might herons plunge into water, perhaps noon?",
            "selected_sources": ["birds"],
            "refined_query": "herons dive noon",
        },
        {
            "case_id": "lost",
            "probe_query": "Which mammals move in water?",
            "selected_sources": ["birds"],
            "verdict": "supported",
            "refined_query": "mammals",
        },
        {"case_id": "lost", "probe_query": "Which mammals move in water?", "verdict": "unsupported"},
    ]
    found = figures(tmp_path, cases, {"cases": entries})
    recovery = found["recovery"]
    assert (recovery["recovered"], recovery["of"], recovery["false_abstentions"]) == (1, 2, 1)
    assert (recovery["refuted"], recovery["refuted_of"]) == (1, 1)
    assert 0 < recovery["max_packet_bytes"] <= 12 * 1024
    assert [one["case_id"] for one in recovery["not_recovered"]] == ["lost"]


def test_a_seed_that_is_refused_ends_it(tmp_path: Path) -> None:
    """With the label and the reason, instead of figures about half a corpus."""
    isolate(tmp_path)
    store = Store(tmp_path / "repository", {})
    with pytest.raises(SystemExit, match="the quote is not in birds"):
        store.load([SEED[0], claim("wrong", "Herons fly.", ("birds", "herons fly"))], lambda _: None)
    with pytest.raises(SystemExit, match="no corpus"):
        read(tmp_path)
