"""Does a memory answer as a corpus of cases says it must? A real store in a temporary repository, asked by operations.

DIR holds `seed.jsonl`, `cases.jsonl` and, where there is one, `probe-recovery.json`.

A line of `seed.jsonl` is a JSON object with `entity` (artifact, claim or relation) and `context` (`workspace_id`,
`project_id`). An artifact has `label`, `title`, `kind` and `content` ({"type": "text", "data": …}; `content_repeat`
with `unit`, `count` and `suffix` makes it long). A claim has `label`, `claim_type`, `statement` and `evidence`:
`artifact_label` and a `quote` that stands in it once. A relation has `relation`, `source_label`, `target_label`.
A line of `cases.jsonl` has `case_id`, `slice`, `gate` (hard or report), `context`, `query`, perhaps `horizon` and its
`reason`, `expected_presence`, and labels: `relevant_claims`, `relevant_artifacts`, `forbidden`, `expected_conflicts`
(pairs).
`probe-recovery.json` has `cases`: `case_id`, `probe_query`, `refined_query`, `selected_sources` (labels), `verdict`.

A case holds when
  - recall and retrieve say the expected presence;
  - every relevant claim is among recall's claims and every relevant artifact among its artifacts (where nothing is
    expected to qualify: among retrieve's leads);
  - no forbidden label is anywhere in recall, retrieve (leads and packet too) or the context bundle;
  - expected conflicts are open and shown, by recall and by the bundle;
  - every citation of a claim, its evidence, an artifact, a lead and the packet gives the stored bytes and names itself;
  - the bundle has at most 8,192 bytes and renders the evidence citations of its claims and of the relevant ones;
  - nothing from outside the horizon is in recall, retrieve, the bundle or a search.
A case without a gate is hard.

false_answers: cases where recall or retrieve says more than is expected (anything where `none` is, claims where
`artifacts_only` is) or where `none` is expected and the bundle holds anything; and recoveries whose one call does.
scope_leaks and citation_failures: single entities and citations, over all cases and recoveries.

recovery, of the entries with the verdict `supported` (or none): `memory.retrieve` is called once with the case's query
and the entry's `probe_query` as the reformulation. `recovered`: a selected source is in the packet of evidence (or
qualifies in the same call), and the refined query recalls every relevant claim and a selected source.
`false_abstentions`: the one call shows no selected source, neither qualified nor as evidence nor as a lead, or the
refined query recalls nothing. `by_leads`: as recovered, with sources among the leads too. `refuted`: entries with
another verdict whose one call qualifies nothing. `max_packet_bytes`: the largest packet of the run, as JSON.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpus import Corpus, Record, Store, isolate, read
from benchmarks.corpus_cases import (
    Fault,
    ask,
    asked,
    citation_faults,
    expected_presence,
    faults,
    leaks,
    packet_bytes,
    says_too_much,
)
from benchmarks.report import parser, progress, publish, workplace

_LEADS = 8  # most that may be asked for


def main() -> None:
    options = parser(__doc__ or "")
    options.formatter_class = argparse.RawDescriptionHelpFormatter
    options.add_argument("corpus", metavar="DIR", type=Path, help="the directory of the corpus")
    options.add_argument("--embedder", default="static", help="static, neural, hash or none (default static)")
    options.add_argument("--lexical", choices=("auto", "whoosh", "tantivy"), default="auto", help="(default auto)")
    options.add_argument("--quiet", action="store_true", help="no progress")
    chosen = options.parse_args()
    corpus = read(chosen.corpus)
    with workplace(chosen.directory) as place:
        isolate(place)
        settings = {"embedder": chosen.embedder, "lexicalIndex": chosen.lexical}
        store = Store(place / "repository", settings)
        bar = _Bar(quiet=chosen.quiet)
        store.load(corpus.seed, bar.of("seeded", len(corpus.seed)))
        publish({"corpus": chosen.corpus.name, **settings, **measure(corpus, store, bar)})


def measure(corpus: Corpus, store: Store, bar: _Bar) -> dict[str, Any]:
    """Return the figures of all cases and recoveries."""
    count = _Count()
    tell = bar.of("asked", len(corpus.cases))
    for number, case in enumerate(corpus.cases, 1):
        found = ask(case, store)
        count.case(case, list(faults(found, store)), 0 if found.errors else packet_bytes(found.retrieve))
        tell(number)
    entries = corpus.recovery.get("cases") or []
    cases = {case["case_id"]: case for case in corpus.cases}
    tell = bar.of("recovered", len(entries))
    for number, entry in enumerate(entries, 1):
        if entry["case_id"] in cases:
            count.recovery(entry, cases[entry["case_id"]], corpus.recovery, store)
        tell(number)
    return count.figures()


class _Count:
    """What has been found so far."""

    def __init__(self) -> None:
        self._gates: dict[str, dict[str, Any]] = {
            name: {"passed": 0, "failed": 0, "failures": []} for name in ("hard", "report")
        }
        self._slices: dict[str, dict[str, int]] = {}
        self._kinds: Counter[str] = Counter()  # of single faults
        self._false_answers = 0
        self._packet = 0
        self._recovery = {"recovered": 0, "of": 0, "false_abstentions": 0, "by_leads": 0, "refuted": 0, "refuted_of": 0}
        self._not_recovered: list[Record] = []

    def case(self, case: Record, found: Sequence[Fault], packet: int) -> None:
        """Count a case and what of it does not hold."""
        gate = self._gates.setdefault(case.get("gate") or "hard", {"passed": 0, "failed": 0, "failures": []})
        part = self._slices.setdefault(case.get("slice") or "unnamed", {"passed": 0, "of": 0})
        part["of"] += 1
        part["passed"] += not found
        gate["failed" if found else "passed"] += 1
        if found:
            gate["failures"].append({"case_id": case["case_id"], "why": "; ".join(fault.why for fault in found)})
        self._note(found, packet)

    def recovery(self, entry: Record, case: Record, file: Record, store: Store) -> None:
        """Make the one call of an entry, and the refined recall, and count what they give."""
        depth = min(_LEADS, file.get("lead_depth") or _LEADS)
        once = asked(store, case, "memory.retrieve", reformulation=entry["probe_query"], depth=depth)
        refined = asked(store, case, "memory.recall", query=entry.get("refined_query") or entry["probe_query"])
        if once.error or refined.error:
            sys.exit(f"{case['case_id']}: {once.error or refined.error}")
        found = [*leaks(case, store, once.result, refined.result)]
        found += citation_faults(refined.result, once.result, store, case)
        if says_too_much(once.result["recall"]["presence"], expected_presence(case)):
            found.append(Fault("false answer", "the one call says more than is expected"))
        self._note(found, packet_bytes(once.result))
        if entry.get("verdict", "supported") != "supported":
            self._recovery["refuted_of"] += 1
            self._recovery["refuted"] += once.result["recall"]["presence"] == "none"
            return
        sources = {store.ids.get(label) for label in entry.get("selected_sources") or ()}
        shown = _sources(once.result)
        evidence = bool(sources & (shown["qualified"] | shown["packet"]))
        anywhere = evidence or bool(sources & shown["leads"])
        proven = _recalled(refined.result, case, sources, store)
        self._recovery["of"] += 1
        self._recovery["recovered"] += evidence and proven
        self._recovery["by_leads"] += anywhere and proven
        self._recovery["false_abstentions"] += not anywhere or refined.result["presence"] == "none"
        if not (evidence and proven):
            where = ", ".join(name for name, ids in shown.items() if sources & ids) or "nowhere"
            self._not_recovered.append({"case_id": case["case_id"], "source_in": where, "refined_recalls": proven})

    def figures(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "gates": self._gates,
            "slices": self._slices,
            "false_answers": self._false_answers,
            "scope_leaks": self._kinds["leak"],
            "citation_failures": self._kinds["citation"],
            "recovery": {
                **self._recovery,
                "max_packet_bytes": self._packet,
                "not_recovered": self._not_recovered,
            },
        }

    def _note(self, found: Sequence[Fault], packet: int) -> None:
        self._kinds.update(fault.kind for fault in found)
        self._false_answers += any(fault.kind == "false answer" for fault in found)
        self._packet = max(self._packet, packet)


def _sources(once: Record) -> dict[str, set[str]]:
    """Return the artifacts that one call shows: qualified, in the packet, among the leads."""
    recall = once["recall"]
    qualified = {item["artifact_id"] for item in recall["artifacts"]}
    qualified |= {item["artifact_id"] for claim in recall["claims"] for item in claim["evidence"]}
    leads = (once["probe"] or {}).get("leads", ())
    return {
        "qualified": qualified,
        "packet": {_artifact(piece["citation"]) for piece in once["unqualified_evidence"]},
        "leads": {source["artifact_id"] for lead in leads for source in lead["sources"]},
    }


def _artifact(citation: str) -> str:
    return citation.rpartition("/")[2].partition("@")[0]


def _recalled(result: Record, case: Record, sources: set[str | None], store: Store) -> bool:
    """Tell whether a refined query recalls every relevant claim and one of the sources."""
    claims = {item["claim_id"] for item in result["claims"]}
    relevant = {store.ids.get(label) for label in case.get("relevant_claims") or ()}
    cited = {item["artifact_id"] for claim in result["claims"] for item in claim["evidence"]}
    return relevant <= claims and bool(sources & (cited | {item["artifact_id"] for item in result["artifacts"]}))


class _Bar:
    """How far it is, on one line of standard error; in a file or a pipe, now and then."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def of(self, what: str, total: int) -> Any:
        """Return what takes how many are done."""

        def tell(done: int) -> None:
            if self._quiet:
                return
            if sys.stderr.isatty():
                print(f"{what} {done} of {total}", end="\n" if done == total else "\r", file=sys.stderr, flush=True)
            elif done == total or done % 20 == 0:
                progress(f"{what} {done} of {total}")

        return tell


if __name__ == "__main__":
    main()
