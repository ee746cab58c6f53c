"""Continuity notes: put, listed, shown, previewed, applied and dropped, as a program asks for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from memgit import clock
from memgit.checkpoints.quarantine import file_name
from memgit.protocol.envelope import answer
from tests.operations.conftest import SCOPE, Memory
from tests.screening.keys import KINDS

DAY = 86_400
START = 1_800_000_000.0
TOKEN = KINDS["github"][0](Random(1)).text
TEXT = """\
# State of the work

- The retry test hangs on a slow disk.
- Decision: retries are capped
  at five é.

Constraint: no new dependencies
"""


def directory(memory: Memory) -> Path:
    """Return where the notes are."""
    return memory.directory / ".git" / "memgit" / "state" / "pending"


def put(memory: Memory, text: str = TEXT, session: str | None = "one", **more: Any) -> dict[str, Any]:
    """Put a note."""
    return memory.run("pending.put", text=text, session=session, **more)


def sessions(memory: Memory) -> list[str]:
    """Return whose notes there are."""
    return [item["session"] for item in memory.run("pending.list")["items"]]


def test_a_note_knows_where_it_was_written(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Project, task, component, branch, HEAD, agent and working tree of that time."""
    memory.git("commit", "-q", "--allow-empty", "-m", "one")
    head = memory.git("rev-parse", "HEAD")
    monkeypatch.setenv("MEMGIT_AGENT", "robot")
    context = {**SCOPE, "task_id": "tsk-1", "component": "ui"}
    memory.run("pending.put", context=context, text="Here", session="one")
    memory.git("checkout", "-q", "-b", "other")
    (found,) = memory.run("pending.list")["items"]
    known = {name: found[name] for name in ("project_id", "workspace_id", "task_id", "component", "head", "agent")}
    assert known == {**context, "head": head, "agent": "robot"}
    assert found["branch"] in ("refs/heads/main", "refs/heads/master") and found["worktree"] == "."
    assert (found["here"], found["state"], found["first_line"]) == (False, "waiting", "Here")


@pytest.mark.parametrize("kind", ["detached", "unborn"])
def test_head_without_a_branch_or_a_commit(memory: Memory, kind: str) -> None:
    """What there is of either is known."""
    if kind == "detached":
        memory.git("commit", "-q", "--allow-empty", "-m", "one")
        memory.git("checkout", "-q", "--detach")
    put(memory)
    note = memory.run("pending.show")["note"]
    assert (note["head"] is None, note["branch"] is None) == (kind == "unborn", kind == "detached")


def test_the_session_is_what_is_named_or_the_environments_or_the_working_trees(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request, then MEMGIT_SESSION, then the task of the environment, then the working tree; all in one place."""
    memory.git("commit", "-q", "--allow-empty", "-m", "one")
    memory.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Memory(tmp_path / "linked")
    put(memory, session=None)
    linked.run("pending.put", context=SCOPE, text="From the side")
    monkeypatch.setenv("MEMOREE_CONTEXT", json.dumps({"v": 1, **SCOPE, "task_id": "tsk-7"}))
    put(memory, session=None)
    monkeypatch.setenv("MEMGIT_SESSION", "agent-3")
    put(memory, session=None)
    put(memory, session="named")
    assert sorted(sessions(memory)) == ["agent-3", "default", "named", "tsk-7", "worktree-linked"]
    monkeypatch.setenv("MEMGIT_SESSION", "../x")
    assert "MEMGIT_SESSION" in memory.refused("pending.put", text="x")["message"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"text": ""}, "INVALID_REQUEST"),
        ({"text": " \n "}, "INVALID_REQUEST"),
        ({"text": "a\0b"}, "INVALID_REQUEST"),
        ({"text": "\udcff"}, "INVALID_REQUEST"),
        ({"text": "x" * 65_537}, "LIMIT_EXCEEDED"),
        ({"text": f"Use {TOKEN}"}, "SECRET_DETECTED"),
        ({"text": "x" * 60_000 + f" {TOKEN}"}, "SECRET_DETECTED"),
        ({"text": "x", "session": TOKEN}, "SECRET_DETECTED"),
        ({"text": "x", "session": "a/b"}, "INVALID_REQUEST"),
        ({"text": "x", "session": ".."}, "INVALID_REQUEST"),
        ({"text": "x", "session": ""}, "INVALID_REQUEST"),
    ],
)
def test_what_is_refused_leaves_the_note_before(memory: Memory, fields: dict[str, Any], code: str) -> None:
    """Whatever is wrong with the next one; what looks like a secret is not repeated, also where it would be cut off."""
    put(memory, "Before")
    error = memory.refused("pending.put", **{"session": "one", **fields})
    assert error["code"] == code
    assert TOKEN not in json.dumps(error)
    assert memory.run("pending.show", session="one")["text"] == "Before"
    assert sessions(memory) == ["one"]


def test_nothing_is_left_in_a_repository_without_a_memory(empty: Memory) -> None:
    """A marker alone is none."""
    error = empty.refused("pending.put", context=SCOPE, text="x")
    assert error["code"] == "STORE_NOT_INITIALIZED"
    assert not (empty.directory / ".git" / "memgit" / "state").exists()


def test_a_long_note_is_cut_with_a_mark(memory: Memory) -> None:
    """4 KiB are kept, and the answer says so; what the cut divides is no claim."""
    text = "".join(f"- Point number {number} of the list é\n" for number in range(300))
    done = put(memory, text)
    assert (done["truncated"], done["given_bytes"]) == (True, len(text.encode()))
    assert 4090 <= done["kept_bytes"] <= 4096
    plan = memory.run("pending.preview")
    assert plan["text"].endswith(f"[truncated: the note had {len(text.encode())} bytes]")
    assert len(plan["claims"]) == 50
    assert plan["left_out"][-1]["reason"] == "the truncation cut it off"


def test_a_preview_is_what_is_applied(memory: Memory) -> None:
    """The same document and claims, with the same bytes; the preview writes nothing, twice it is the same."""
    put(memory)
    before = {path: path.read_bytes() for path in directory(memory).iterdir()}
    tip = memory.tip()
    plan = memory.run("pending.preview", session="one")
    assert memory.run("pending.preview", session="one") == plan
    assert (memory.tip(), {path: path.read_bytes() for path in directory(memory).iterdir()}) == (tip, before)
    assert [(claim["claim_type"], claim["statement"]) for claim in plan["claims"]] == [
        ("observation", "The retry test hangs on a slow disk."),
        ("decision", "retries are capped at five é."),
        ("constraint", "no new dependencies"),
    ]

    done = memory.run("pending.apply", session="one")
    artifact = memory.run("artifact.get", artifact_id=done["artifact_id"])
    view = artifact["artifact"]
    assert artifact["content"]["data"] == plan["text"] == TEXT
    written = {
        "kind": view["artifact_kind"], "title": view["title"], "media_type": view["media_type"],
        "digest": view["digest"], "size": view["size"],
    }  # fmt: skip
    assert written == plan["artifact"]
    assert view["provenance"]["continuity_note"]["session"] == "one"
    for planned, claim in zip(plan["claims"], done["claims"], strict=True):
        shown = memory.run("claim.get", claim_id=claim["claim_id"])
        (evidence,) = shown["evidence"]
        assert (claim["number"], shown["revision_id"]) == (planned["number"], claim["revision_id"])
        assert (shown["claim_type"], shown["statement"]) == (planned["claim_type"], planned["statement"])
        cited = memory.run("citation.get", citation=evidence["citation"])
        span = TEXT.encode()[planned["start_byte"] : planned["end_byte"]].decode()
        assert cited["content"]["data"] == span
    assert sessions(memory) == []
    assert memory.refused("pending.apply", session="one")["code"] == "NOT_FOUND"


def test_some_of_it_is_applied(memory: Memory) -> None:
    """By the numbers of the preview, whatever their order; the whole text is evidence, and the note is gone."""
    put(memory)
    for only in ([], [0], [4], [-1], [1, 99]):
        assert memory.refused("pending.apply", only=only)["details"] == {"field": "only"}
    done = memory.run("pending.apply", only=[3, 1, 3])
    assert [claim["number"] for claim in done["claims"]] == [1, 3]
    assert memory.run("status")["here"]["claims"] == 2
    assert sessions(memory) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from memgit.checkpoints.quarantine import Quarantine
from memgit.protocol.envelope import answer
Quarantine.remove = lambda *given: os.kill(os.getpid(), signal.SIGKILL)
answer({"op": "pending.apply", "input": {}}, Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
def test_twice_changes_nothing(memory: Memory) -> None:
    """Killed between the write and the note's end: the note is there, applying again writes nothing and removes it."""
    put(memory)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(memory.directory)])
    assert killed.returncode == -signal.SIGKILL
    tip = memory.tip()
    assert sessions(memory) == ["one"] and memory.run("status")["here"]["claims"] == 3
    error = memory.refused("pending.apply", only=[1])
    assert error["code"] == "IDEMPOTENCY_CONFLICT" and "applied before" in error["message"]
    again = memory.run("pending.apply")
    assert again["replayed"] and again["gone"] and len(again["claims"]) == 3
    assert (memory.tip(), sessions(memory)) == (tip, [])


def test_a_note_that_was_put_meanwhile_stays(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what was applied goes."""
    from memgit.operations import pending_apply

    put(memory)
    real = pending_apply._write

    def write(*given: Any) -> Any:
        done = real(*given)
        put(memory, "Newer")
        return done

    monkeypatch.setattr(pending_apply, "_write", write)
    answered = memory.envelope("pending.apply")
    assert answered["result"]["gone"] is False
    assert any("another note meanwhile" in warning for warning in answered["warnings"])
    assert memory.run("pending.show")["text"] == "Newer"


def test_the_note_stays_where_the_write_is_refused(memory: Memory) -> None:
    """Nothing is removed before the write is acknowledged."""
    put(memory)
    memory.git("config", "memgit.lockWait", "50")
    lock = memory.directory / ".git" / "refs" / "memgit" / "store.lock"
    lock.touch()
    assert memory.envelope("pending.apply")["error"]["code"] == "STORE_BUSY"
    lock.unlink()
    assert sessions(memory) == ["one"]
    assert memory.run("pending.apply")["gone"]


def test_a_note_of_another_task_is_not_applied_here(memory: Memory) -> None:
    """Unless somebody says which counts: the note's own scope, or the present one."""
    task = {**SCOPE, "task_id": "tsk-1"}
    for session in ("one", "two"):
        memory.run("pending.put", context=task, text="Left for later", session=session)
    error = memory.refused("pending.apply", session="one")
    assert error["code"] == "SCOPE_VIOLATION" and "tsk-1" in error["message"]
    plan = memory.run("pending.preview", session="one")
    assert plan["task_id"] == "tsk-1" and "tsk-1" in plan["refused"][0]
    theirs = memory.run("pending.apply", session="one", scope="note")["claims"][0]["claim_id"]
    ours = memory.run("pending.apply", session="two", scope="here")["claims"][0]["claim_id"]
    assert memory.run("pending.list")["total"] == 0
    hits = memory.run("search", context=task, query="left for later", kinds=["claim"])["hits"]
    tasks = {hit["claim"]["claim_id"]: hit["claim"]["scope"].get("task") for hit in hits}
    assert tasks == {theirs: "tsk-1", ours: None}


def test_an_expired_note_is_listed_and_needs_to_be_asked_for(memory: Memory) -> None:
    """After 14 days it is still shown and previewed; `apply` wants `expired`."""
    with clock.pinned(START):
        put(memory)
    with clock.pinned(START + 14 * DAY):
        (listed,) = memory.run("pending.list")["items"]
        assert (listed["state"], listed["expires_at"]) == ("expired", clock.format_time(START + 14 * DAY))
        assert "expired" in memory.run("pending.preview")["refused"][0]
        error = memory.refused("pending.apply")
        assert "expired" in error["message"] and "--expired" in error["hint"]
        assert memory.run("pending.apply", expired=True)["gone"]


def test_a_note_goes_two_weeks_after_it_was_seen_to_have_expired(memory: Memory) -> None:
    """With the next note that is put, which says so."""
    for days in (0, 14, 27):
        with clock.pinned(START + days * DAY):
            put(memory, session=f"day-{days}")
    assert sessions(memory) == ["day-0", "day-14", "day-27"]
    with clock.pinned(START + 28 * DAY):
        answered = memory.envelope("pending.put", text="x", session="new")
    assert answered["result"]["removed"] == ["day-0"]
    assert any("day-0" in warning for warning in answered["warnings"])
    assert sessions(memory) == ["day-14", "day-27", "new"]


def test_what_looks_like_a_secret_is_never_shown_unasked(memory: Memory) -> None:
    """Not in the list, the note, the plan or the refusal; it is applied only where that is said again."""
    put(memory, f"- Use {TOKEN}\n- Other", allow_flagged=True)
    operations = ("pending.list", "pending.show", "pending.preview", "pending.apply", "status")
    answers = [memory.envelope(operation) for operation in operations]
    assert TOKEN not in json.dumps(answers)
    assert (answers[0]["result"]["items"][0]["flagged"], answers[1]["result"]["text"]) == (True, None)
    assert [answered["error"]["code"] for answered in answers[2:4]] == ["SECRET_DETECTED"] * 2
    assert TOKEN in memory.run("pending.show", allow_flagged=True)["text"]
    assert TOKEN in memory.run("pending.preview", allow_flagged=True)["claims"][0]["statement"]
    assert memory.run("pending.apply", allow_flagged=True)["gone"]
    assert TOKEN not in memory.git("log", "--format=%B", "refs/memgit/store")


def test_what_is_known_already_is_said(memory: Memory) -> None:
    """The very words, and a rewording; the claims of another project, and another matter, are not."""
    same = memory.claim("The retry test hangs on a slow disk.")["claim_id"]
    near = memory.claim("Retries get capped at five")["claim_id"]
    memory.claim("Retries are logged at debug level")
    memory.run(
        "claim.assert", context={**SCOPE, "project_id": "other"}, claim_type="fact", statement="no new dependencies"
    )
    put(memory)
    found = [claim["repeats"] for claim in memory.run("pending.preview")["claims"]]
    assert [[(each["claim_id"], each["same"]) for each in claim] for claim in found] == [
        [(same, True)],
        [(near, False)],
        [],
    ]
    warnings = memory.envelope("pending.apply")["warnings"]
    assert any(same in warning and near in warning for warning in warnings)


def test_a_note_goes_to_the_layer_that_is_asked_for(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """As any write: local, a draft, or what MEMGIT_DRAFT says."""
    for session, fields in (("one", {"layer": "local"}), ("two", {"draft": "mine"})):
        put(memory, session=session)
        done = memory.run("pending.apply", session=session, **fields)
        shown = memory.run("claim.get", claim_id=done["claims"][0]["claim_id"], draft=fields.get("draft"))
        assert shown["layer"] == fields.get("layer", "draft:mine")
    assert memory.git("rev-list", "--count", "refs/memgit/store") == "1"
    put(memory)
    monkeypatch.setenv("MEMGIT_DRAFT", "mine")
    memory.run("pending.apply")
    assert memory.git("rev-list", "--count", "refs/memgit/store") == "1"


def test_a_note_that_states_nothing_is_not_applied(memory: Memory) -> None:
    """An artifact alone would be found by chance and prove nothing."""
    put(memory, "# Only a title\n```\ncode\n```\n")
    assert "states nothing" in memory.refused("pending.apply")["message"]
    assert "states nothing" in memory.refused("pending.preview")["message"]
    assert sessions(memory) == ["one"]


def test_a_session_may_be_shortened_or_left_out(memory: Memory) -> None:
    """Where one note is meant; else the refusal names them, and nothing is dropped."""
    assert memory.refused("pending.show")["code"] == "NOT_FOUND"
    for session in ("agent-1", "agent-2", "agent", "bee"):
        put(memory, session, session=session)
    assert memory.run("pending.show", session="be")["text"] == "bee"
    assert memory.run("pending.show", session="agent")["text"] == "agent"
    assert "agent-1, agent-2" in memory.refused("pending.show", session="agent-")["message"]
    assert "4 sessions" in memory.refused("pending.apply")["message"]
    assert memory.refused("pending.drop", sessions=["bee", "nobody"])["code"] == "NOT_FOUND"
    assert len(sessions(memory)) == 4


def test_what_is_dropped_is_gone(memory: Memory) -> None:
    """No file holds its words; all go at once where that is said."""
    assert memory.run("pending.drop", all=True)["count"] == 0
    assert memory.refused("pending.drop", sessions=["one"])["code"] == "NOT_FOUND"
    for session in ("one", "two", "three"):
        put(memory, "heronhost", session=session)
    assert memory.run("pending.drop", sessions=["two", "two"]) == {"sessions": ["two"], "count": 1}
    refused: tuple[dict[str, Any], ...] = ({}, {"all": True, "sessions": ["one"]})
    for fields in refused:
        assert memory.refused("pending.drop", **fields)["code"] == "INVALID_REQUEST"
    assert memory.run("pending.drop", all=True)["count"] == 2
    files = [path for path in (memory.directory / ".git" / "memgit").rglob("*") if path.is_file()]
    assert not any(b"heronhost" in path.read_bytes() for path in files)


def test_a_damaged_note_is_named_and_the_others_go_on(memory: Memory) -> None:
    """Listing, showing and applying others; `drop` takes it away by its session or its file's name."""
    for session in ("one", "two", "three"):
        put(memory, session=session)
    for session in ("two", "three"):
        (directory(memory) / file_name(session)).write_bytes(b"\xff")
    page = memory.run("pending.list")
    assert [item["session"] for item in page["items"]] == ["one"]
    assert sorted(item["file"] for item in page["damaged"]) == sorted(map(file_name, ("two", "three")))
    assert memory.refused("pending.show", session="two")["code"] == "STORE_CORRUPT"
    assert memory.run("pending.apply", session="one")["gone"]
    assert memory.run("pending.drop", sessions=["two", file_name("three")])["count"] == 2
    assert memory.run("pending.list") == {"items": [], "damaged": [], "total": 0}


def test_the_status_says_what_waits(memory: Memory) -> None:
    """How many, how many are expired, and which expires next; nothing where nothing waits, and damage is no failure."""
    assert memory.run("status")["pending"] is None
    for days in (0, 5, 9):
        with clock.pinned(START + days * DAY):
            put(memory, session=f"day-{days}")
    with clock.pinned(START + 15 * DAY):
        assert memory.run("status")["pending"] == {
            "waiting": 2,
            "expired": 1,
            "damaged": 0,
            "next": "day-5",
            "next_expires_at": clock.format_time(START + 19 * DAY),
        }
        path = directory(memory) / file_name("day-5")
        path.write_bytes(b"")
        os.utime(path, (START + 5 * DAY, START + 5 * DAY))
        pending = memory.run("status")["pending"]
        assert (pending["waiting"], pending["expired"], pending["damaged"], pending["next"]) == (1, 1, 1, "day-9")


def test_where_nothing_can_be_written(memory: Memory) -> None:
    """One clear error; what is there is still listed and shown."""
    put(memory)
    (directory(memory) / "lock").unlink()
    (directory(memory) / "lock").mkdir()
    assert memory.refused("pending.put", text="x")["code"] == "STORE_BUSY"
    assert memory.refused("pending.drop", sessions=["one"])["code"] == "STORE_BUSY"
    answered = memory.envelope("pending.apply")
    assert answered["ok"] and answered["result"]["gone"] is False
    assert any("is still there" in warning for warning in answered["warnings"])
    assert memory.run("pending.show")["text"] == TEXT


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom modes of files bind")
def test_in_a_repository_that_is_read_only(memory: Memory) -> None:
    """Notes are read and not written."""
    put(memory)
    subprocess.run(["chmod", "-R", "a-w", str(memory.directory / ".git")], check=True)
    try:
        assert memory.run("pending.show")["text"] == TEXT
        assert memory.envelope("pending.put", text="x")["error"]["code"] == "STORE_BUSY"
        assert memory.envelope("pending.drop", sessions=["one"])["error"]["code"] == "STORE_BUSY"
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(memory.directory / ".git")], check=True)


def test_a_program_may_put_a_note_itself(memory: Memory) -> None:
    """`put_note` is what the operation does."""
    from memgit.operations.invocation import Invocation
    from memgit.operations.pending_put import put_note

    invocation = Invocation(memory.directory)
    assert put_note(invocation, "From a program").session == "default"
    invocation.close()
    assert answer({"op": "pending.show"}, memory.directory).envelope["result"]["text"] == "From a program"
