"""No checkpoint is memory: no read of the memory ever shows one."""

from __future__ import annotations

import json
import time

from tests.checkpoints.workplace import Place, hook_line

WORD = "quokkaword"


def test_no_read_of_the_memory_shows_a_checkpoint(place: Place) -> None:
    """None of them knows the text, the names or the files, and no derived file does."""
    place.run("remember", text="Herons dive at noon.")
    place.write(f"{WORD}.txt", f"{WORD} in a file\n")
    place.git("add", ".")
    place.checkpoint(f"{WORD} in the text", session=f"{WORD}-session", cause=f"{WORD}-cause")
    head = place.git("rev-parse", "HEAD")
    hook_line(place, "post-commit", before=None, after=head, seconds=time.time(), branch=f"refs/heads/{WORD}")
    before = place.tip()
    asked = {
        "memory.recall": {"query": WORD},
        "memory.retrieve": {"query": WORD},
        "memory.probe": {"query": WORD},
        "search": {"query": WORD},
        "context.build": {"query": WORD, "max_bytes": 8000},
        "log": {},
        "diff": {"range": "seq:1..@"},
        "status": {},
        "verify": {},
        "feedback.export": {},
    }
    for op, fields in asked.items():
        answer = place.envelope(op, **fields)
        assert answer["ok"], (op, answer)
        shown = json.dumps(answer["result"])
        assert "chk_" not in shown and shown.count(WORD) <= json.dumps(fields).count(WORD), op
    assert place.run("memory.recall", query=WORD)["presence"] != "claims"
    assert len(place.ids()) == 2
    assert place.tip() == before
    derived = (place.directory / ".git/memgit/cache").rglob("*")
    assert not [path for path in derived if path.is_file() and WORD.encode() in path.read_bytes()]
