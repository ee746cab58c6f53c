"""Loading the memoree evaluation corpora through the protocol, as an agent would write them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memgit.protocol.envelope import answer_bytes

PROJECT = Path(__file__).resolve().parents[2]


def corpus(version: str) -> Path | None:
    """Return the directory of a corpus, or None where it is not on this machine."""
    root = Path(os.environ.get("MEMGIT_EVAL", PROJECT.parent / "shared" / "eval"))
    directory = root / "memoree" / version
    return directory if (directory / "seed.jsonl").is_file() else None


def records(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


class Loader:
    """Writes seeds to a store and remembers what each label became."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.ids: dict[str, str] = {}
        self.revisions: dict[str, str] = {}
        self.bytes: dict[str, bytes] = {}
        self.quotes: list[tuple[str, bytes]] = []  # (claim label, quoted bytes) in the order of the evidence

    def call(self, op: str, fields: dict[str, Any], context: dict[str, Any] | None, key: str | None = None) -> Any:
        """Send one request as JSON text and return its result."""
        request: dict[str, Any] = {"op": op, "input": fields, "context": context}
        if key is not None:
            request["idempotency_key"] = key
        reply = answer_bytes(json.dumps(request).encode(), self.directory)
        envelope = json.loads(reply.encode())
        assert envelope["ok"], envelope
        return envelope["result"]

    def load(self, file: Path) -> None:
        """Write every record of a seed file."""
        for record in records(file):
            getattr(self, f"_{record['entity']}")(record)

    def _artifact(self, record: dict[str, Any]) -> None:
        content = self._content(record)
        fields = {name: record[name] for name in ("kind", "title", "media_type") if name in record}
        written = self.call("artifact.put", {**fields, "content": content}, record["context"], record["label"])
        label = record["label"]
        self.ids[label], self.revisions[label] = written["artifact_id"], written["revision_id"]
        self.bytes[label] = content["data"].encode()

    @staticmethod
    def _content(record: dict[str, Any]) -> dict[str, str]:
        content = dict(record["content"])
        repeat = record.get("content_repeat")
        if repeat is not None:
            content["data"] += repeat["unit"] * repeat["count"] + repeat.get("suffix", "")
        return content

    def _claim(self, record: dict[str, Any]) -> None:
        evidence = []
        for item in record.get("evidence", ()):
            source = item["artifact_label"]
            locator = {"artifact_id": self.ids[source], "revision_id": self.revisions[source]}
            quote = item["quote"].encode()
            start = self.bytes[source].index(quote)
            evidence.append({**locator, "start_byte": start, "end_byte": start + len(quote)})
            self.quotes.append((record["label"], quote))
        known = ("claim_type", "statement", "valid_from", "valid_until", "confidence", "component", "subject")
        fields = {name: record[name] for name in known if record.get(name) is not None}
        written = self.call("claim.assert", {**fields, "evidence": evidence}, record["context"], record["label"])
        self.ids[record["label"]], self.revisions[record["label"]] = written["claim_id"], written["revision_id"]

    def _relation(self, record: dict[str, Any]) -> None:
        fields = {
            "source": self.ids[record["source_label"]],
            "target": self.ids[record["target_label"]],
            "relation": record["relation"],
        }
        self.call("relation.put", fields, record["context"], record.get("label"))
