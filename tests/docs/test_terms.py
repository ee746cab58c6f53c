"""Terms of the specification that are promises of the whole program, and that no single room's tests hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memgit.store.lock import WriterLock
from tests.operations.conftest import SCOPE, Memory, empty, memory, own_registry

__all__ = ["empty", "memory", "own_registry"]  # fixtures


def test_min_commit_seq_is_met_or_refused(memory: Memory) -> None:
    """A read that names a seq or a commit sees it, or says what it has seen; never an older view in silence."""
    written = memory.envelope("claim.assert", claim_type="fact", statement="The gate opens at nine.")
    seq, commit = written["commit_seq"], written["commit"]
    for op, fields in _reads():
        found = memory.envelope(op, min_commit_seq=seq, min_commit=commit, **fields)
        assert found["ok"], found
        assert found["commit_seq"] >= seq
        error = memory.refused(op, min_commit_seq=seq + 1, **fields)
        assert (error["code"], error["retryable"]) == ("INDEX_NOT_READY", True)
        assert error["details"] == {"requested": seq + 1, "observed": seq}
        elsewhere = memory.refused(op, min_commit="1" * 40, **fields)
        assert elsewhere["code"] == "INDEX_NOT_READY"
        assert elsewhere["details"] == {"requested": "1" * 40, "observed": commit}


def _reads() -> list[tuple[str, dict[str, Any]]]:
    query: dict[str, Any] = {"query": "when does the gate open"}
    return [("memory.recall", query), ("search", query), ("conflict.list", {})]


def test_commit_seq_grows_with_each_write(memory: Memory) -> None:
    """Each write's answer carries a greater seq than the one before, and the commit that `git` shows."""
    seqs = []
    for number in range(3):
        written = memory.envelope("claim.assert", claim_type="fact", statement=f"Number {number}.")
        assert written["commit"] == memory.tip()
        seqs.append(written["commit_seq"])
    assert seqs == sorted(set(seqs))
    assert memory.envelope("status")["commit_seq"] == seqs[-1]


def test_ids_do_not_come_from_directory_names(tmp_path: Path) -> None:
    """Two directories of one name have different ids, and a renamed one keeps its own."""
    found = []
    for parent in ("one", "two"):
        directory = tmp_path / parent / "billing"
        directory.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(directory)], check=True)
        store = Memory(directory).run("store.init")
        found.append((store["workspace_id"], store["project_id"]))
        assert "billing" not in "".join(found[-1])
    assert found[0] != found[1]
    renamed = directory.rename(tmp_path / "two" / "invoicing")
    context = Memory(renamed).run("context.resolve")
    assert (context["workspace_id"], context["project_id"]) == found[1]


def test_an_empty_ambient_answer_never_broadens(memory: Memory) -> None:
    """What another project knows stays there without a horizon and a reason; the answer says how far it went."""
    other = {**SCOPE, "project_id": "prj-other"}
    memory.run("claim.assert", context=other, claim_type="fact", statement="The gate opens at nine.")
    memory.run("claim.assert", claim_type="fact", statement="The gate is green.")
    answer = memory.envelope("memory.recall", query="The gate opens at nine.")
    assert answer["result"]["presence"] == "none"
    assert answer["result"]["claims"] == []
    assert answer["result"]["searched_horizons"] == ["ambient"]
    assert (answer["context"]["horizon"], answer["context"]["broadened"]) == ("ambient", False)
    hint = answer["result"]["candidates_hint"]
    assert hint is None or hint["claims"] <= 1
    wide = memory.envelope("memory.recall", query="The gate opens at nine.", horizon="workspace", reason="a test")
    assert wide["result"]["presence"] == "claims"
    assert (wide["context"]["horizon"], wide["context"]["broadened"]) == ("workspace", True)


def test_an_empty_answer_hints_at_candidates_of_its_own_horizon(memory: Memory) -> None:
    """Near misses are counted, not shown, and do not change presence."""
    memory.run("claim.assert", claim_type="fact", statement="The gate is green and the fence is white.")
    result = memory.run("memory.recall", query="gate colour policy of the southern harbour")
    assert result["presence"] == "none"
    assert result["candidates_hint"] == {"claims": 1, "artifacts": 0}
    assert result["candidate_claims"] == []


def test_one_writer_at_a_time_and_a_structured_busy_error(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one holds the lock another is refused in time, with the lock's name, and may retry; reads go on."""
    monkeypatch.setenv("MEMGIT_LOCK_WAIT", "100")
    fields = {"claim_type": "fact", "statement": "The gate opens at nine."}
    state = memory.directory / ".git" / "memgit" / "state"
    with WriterLock(state, 1.0).held():
        error = memory.refused("claim.assert", **fields)
        assert (error["code"], error["retryable"]) == ("STORE_BUSY", True)
        assert error["details"] == {"lock": str(state / "writer.lock"), "waited_ms": 100}
        assert memory.run("status")["claims"] == {}
    assert memory.run("claim.assert", **fields)["claim_id"]


def test_the_lock_of_a_killed_writer_is_free(memory: Memory) -> None:
    """The kernel releases it: nothing has to be removed by hand."""
    state = memory.directory / ".git" / "memgit" / "state"
    program = (
        "import sys; from pathlib import Path; from memgit.store.lock import WriterLock\n"
        "with WriterLock(Path(sys.argv[1]), 5.0).held():\n    print('held', flush=True); sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(state)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
    assert memory.run("claim.assert", claim_type="fact", statement="The gate opens at nine.")["claim_id"]
