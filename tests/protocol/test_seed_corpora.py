"""The memoree corpora, loaded through the protocol: every citation resolves to the quoted bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.protocol.corpora import Loader, corpus, records

SCOPE = {"workspace_id": "wsp", "project_id": "prj"}


@pytest.fixture(params=["v1", "v2-dev"])
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Loader, Path]:
    """A repository with a corpus in its memory."""
    directory = corpus(request.param)
    if directory is None:
        pytest.skip("the evaluation corpora are not on this machine; MEMGIT_EVAL names their directory")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    loader = Loader(tmp_path)
    loader.call("store.init", SCOPE, None)
    loader.load(directory / "seed.jsonl")
    return loader, directory


def test_every_citation_resolves_to_the_quoted_bytes(loaded: tuple[Loader, Path]) -> None:
    """From claim to evidence to bytes, through `call` alone."""
    loader, _ = loaded
    found: list[tuple[str, bytes]] = []
    for label in dict.fromkeys(label for label, _ in loader.quotes):
        claim = loader.call("claim.get", {"claim_id": loader.ids[label]}, SCOPE)
        for item in claim["evidence"]:
            cited = loader.call("citation.get", {"citation": item["citation"]}, SCOPE)
            assert cited["citation"] == item["citation"]
            found.append((label, cited["content"]["data"].encode()))
    assert found == loader.quotes
    assert loader.call("verify", {}, SCOPE)["ok"] is True


def test_every_excerpt_of_a_recall_is_the_bytes_of_its_citation(loaded: tuple[Loader, Path]) -> None:
    """Whatever is quoted round-trips through `citation.get`."""
    loader, directory = loaded
    checked = 0
    for case in records(directory / "cases.jsonl"):
        fields = {"query": case["query"], "max_artifact_refs": 10}
        if "horizon" in case:
            fields |= {"horizon": case["horizon"], "reason": case["reason"]}
        for item in loader.call("memory.recall", fields, case["context"])["artifacts"]:
            if item["excerpt"] is not None:
                cited = loader.call("citation.get", {"citation": item["citation"]}, case["context"])
                assert cited["content"]["data"] == item["excerpt"]
                checked += 1
    assert checked > 0


def test_loading_again_is_a_no_op(loaded: tuple[Loader, Path]) -> None:
    """The labels are idempotency keys: the second load changes nothing."""
    loader, directory = loaded
    before = dict(loader.ids)
    tip = subprocess.run(
        ["git", "rev-parse", "refs/memgit/store"], cwd=loader.directory, capture_output=True, check=True
    ).stdout
    loader.load(directory / "seed.jsonl")
    after = subprocess.run(
        ["git", "rev-parse", "refs/memgit/store"], cwd=loader.directory, capture_output=True, check=True
    ).stdout
    assert (loader.ids, after) == (before, tip)
