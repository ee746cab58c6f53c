"""The README's own examples do what they promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memgit.protocol.envelope import answer

README = Path(__file__).resolve().parents[2] / "README.md"


def examples() -> list[tuple[str, str, str]]:
    """Return (what is remembered, its options, the question after it) in the order of the page."""
    commands = re.findall(r"git memory (remember|recall) \"([^\"]+)\"([^\n#]*)", README.read_text("utf-8"))
    remembered, found = ("", ""), []
    for verb, text, rest in commands:
        if verb == "remember":
            remembered = (text, rest)
        else:
            found.append((*remembered, text))
    return found


def test_there_are_examples() -> None:
    """Two questions, each after what it is about."""
    assert len(examples()) >= 2


@pytest.mark.parametrize(("statement", "options", "question"), examples())
def test_each_question_finds_its_claim(tmp_path: Path, statement: str, options: str, question: str) -> None:
    """Presence `claims`, with the statement just remembered."""
    import subprocess

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for op, fields in (
        ("store.init", {"workspace_id": "w", "project_id": "p"}),
        ("remember", {"text": statement}),
    ):
        assert answer({"op": op, "input": fields}, tmp_path).envelope["ok"]
    result = answer({"op": "memory.recall", "input": {"query": question}}, tmp_path).envelope["result"]
    assert [claim["statement"] for claim in result["claims"]] == [statement]
