"""A corpus of retrieval cases on the disk, and a real store that holds its seed. All writes and reads are operations.

A corpus is a directory with `seed.jsonl` (artifacts, claims with quotes of evidence, relations, in order),
`cases.jsonl`, and where there is one `probe-recovery.json`. Fields that are not here are as if they were empty; a
record without a context has that of the first that has one.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.report import git, progress
from memgit.protocol.envelope import answer
from memgit.protocol.table import find_operation

Record = dict[str, Any]
_OWN_PREFIXES = ("GIT_", "MEMGIT_", "MEMOREE_")


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the files say. `recovery` is empty where there is no such file."""

    seed: list[Record]
    cases: list[Record]
    recovery: Record


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operation answered: `result`, or the message and details of its error."""

    result: Record = field(default_factory=dict)
    error: str = ""
    details: Record = field(default_factory=dict)


def read(directory: Path) -> Corpus:
    """Return the corpus of a directory. Exits where a file is missing or is not JSON."""
    recovery = directory / "probe-recovery.json"
    try:
        seed, cases = list(_lines(directory / "seed.jsonl")), list(_lines(directory / "cases.jsonl"))
        refined = json.loads(recovery.read_text(encoding="utf-8")) if recovery.exists() else {}
    except (OSError, ValueError) as error:
        sys.exit(f"{directory} is no corpus: {error}")
    found = [record["context"] for record in (*seed, *cases) if record.get("context")]
    context = found[0] if found else {"workspace_id": "benchmark", "project_id": "benchmark"}
    for number, record in enumerate(cases, 1):
        record.setdefault("case_id", f"case {number}")
    for record in (*seed, *cases):
        record.setdefault("context", context)
    return Corpus(seed, cases, refined)


def isolate(place: Path) -> None:
    """Let nothing of the user's own settings, context and other stores take part in this process."""
    for name in [name for name in os.environ if name.startswith(_OWN_PREFIXES)]:
        del os.environ[name]
    os.environ |= {
        "MEMGIT_DATA_DIR": str(place / "data"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


class Store:
    """A store in a repository of its own, and what each label of the seed was called in it."""

    def __init__(self, directory: Path, settings: dict[str, str]) -> None:
        self.directory = directory
        self.ids: dict[str, str] = {}
        self.contexts: dict[str, Record] = {}  # by id, of artifacts and claims
        self.texts: dict[str, bytes] = {}  # by the id of an artifact
        self.quotes: dict[str, list[str | None]] = {}  # by the id of a claim; None where the whole document is cited
        self._revisions: dict[str, str] = {}
        git("init", "-q", str(directory))
        config = {"user.name": "Benchmark", "user.email": "benchmark@example.invalid"}
        for name, value in (config | {f"memgit.{name}": value for name, value in settings.items()}).items():
            git("config", name, value, directory=directory)

    def ask(self, operation: str, given: Record, context: Record | None, key: str | None = None) -> Outcome:
        """Return what an operation answers in a context whose pins may be labels."""
        request = {"op": operation, "input": given, "context": self._with_ids(context), "idempotency_key": key}
        envelope = answer(request, self.directory).envelope
        if envelope["ok"]:
            return Outcome(envelope["result"])
        return Outcome(error=f"{operation}: {envelope['error']['message']}", details=envelope["error"]["details"])

    def load(self, seed: list[Record], tell: Callable[[int], None]) -> None:
        """Write a seed, record by record. Exits where one is refused."""
        scope = seed[0]["context"] if seed else {"workspace_id": "benchmark", "project_id": "benchmark"}
        given = {"workspace_id": scope["workspace_id"], "project_id": scope["project_id"], "marker": False}
        self._must("store.init", given, None)
        writers = {"artifact": self._artifact, "claim": self._claim, "relation": self._relation}
        for number, record in enumerate(seed, 1):
            writer = writers.get(record.get("entity", ""))
            if writer is None:
                sys.exit(f"line {number} of the seed is no artifact, claim or relation: {record.get('entity')!r}")
            writer(record)
            tell(number)

    def _artifact(self, record: Record) -> None:
        content = dict(record["content"])
        repeat = record.get("content_repeat") or {}
        content["data"] += repeat.get("unit", "") * repeat.get("count", 0) + repeat.get("suffix", "")
        given = {"kind": "document", "title": record["label"], **_known(record, "artifact.put"), "content": content}
        written = self._must("artifact.put", given, record)
        self._note(record, written["artifact_id"], written["revision_id"])
        self.texts[written["artifact_id"]] = content["data"].encode()

    def _claim(self, record: Record) -> None:
        items = record.get("evidence") or []
        given = {"claim_type": "fact", **_known(record, "claim.assert"), "evidence": [self._cited(it) for it in items]}
        written = self._must("claim.assert", given, record)
        self._note(record, written["claim_id"], written["revision_id"])
        self.quotes[written["claim_id"]] = [item.get("quote") for item in items]

    def _relation(self, record: Record) -> None:
        ends = {"source": self.ids[record["source_label"]], "target": self.ids[record["target_label"]]}
        self._must("relation.put", _known(record, "relation.put") | ends, record)

    def _cited(self, item: Record) -> Record:
        """Return an item of evidence with the span of its quote."""
        label = item["artifact_label"]
        artifact = self.ids[label]
        cited: Record = {"artifact_id": artifact, "revision_id": self._revisions[artifact]}
        quote = (item.get("quote") or "").encode()
        if quote:
            times = self.texts[artifact].count(quote)
            if times == 0:
                sys.exit(f"the quote is not in {label}: {item['quote']!r}")
            if times > 1:
                progress(f"a quote stands {times} times in {label}; the first is cited")
            start = self.texts[artifact].index(quote)
            cited |= {"start_byte": start, "end_byte": start + len(quote)}
        return cited

    def _note(self, record: Record, name: str, revision: str) -> None:
        self.ids[record["label"]] = name
        self.contexts[name] = record["context"]
        self._revisions[name] = revision

    def _must(self, operation: str, given: Record, record: Record | None) -> Record:
        if "allow_flagged" in find_operation(operation).request_type().__struct_fields__:
            given = given | {"allow_flagged": True}  # a corpus may hold what looks like a secret
        context, key = (record["context"], record.get("label")) if record else (None, None)
        outcome = self.ask(operation, given, context, key)
        if outcome.error:
            sys.exit(f"the seed was refused{f' at {key}' if key else ''}: {outcome.error}")
        return outcome.result

    def _with_ids(self, context: Record | None) -> Record | None:
        if context is None or "pins" not in context:
            return context
        return context | {"pins": [self.ids.get(pin, pin) for pin in context["pins"]]}


def _known(record: Record, operation: str) -> Record:
    """Return the fields of a record that an operation has under the same name."""
    fields = find_operation(operation).request_type().__struct_fields__
    return {name: record[name] for name in fields if record.get(name) is not None and name not in ("evidence", "label")}


def _lines(file: Path) -> Iterator[Record]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
