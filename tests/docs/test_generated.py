"""The generated parts of the pages say what the code says, and the script that writes them notices when they do not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from memgit.errors import all_codes
from memgit.limits import DEFAULT
from memgit.protocol.table import OPERATIONS


def test_generated_parts_are_up_to_date(root: Path) -> None:
    """`python docs/generate.py --check` finds nothing to write."""
    command = [sys.executable, str(root / "docs" / "generate.py"), "--check"]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert (answer.returncode, answer.stdout) == (0, "generated parts are up to date\n"), answer.stdout + answer.stderr


def test_drift_is_found(generate: ModuleType, root: Path) -> None:
    """A changed generated part is not what the script would write; a change around it is nobody's business."""
    text = (root / "docs" / "limits.md").read_text("utf-8")
    assert generate.rendered(text) == text
    assert generate.rendered(text.replace("| 100 |", "| 101 |")) == text
    assert generate.rendered(text + "\nMore.\n") == text + "\nMore.\n"


@pytest.mark.parametrize(
    "text",
    [
        "<!-- generated: begin limits -->\n",
        "<!-- generated: begin -->\n<!-- generated: end -->\n",
        "<!-- generated: begin nonsense -->\n<!-- generated: end -->\n",
    ],
)
def test_broken_parts_are_errors(generate: ModuleType, text: str) -> None:
    """A part that is not ended, has no name, or an unknown one, is not passed over."""
    with pytest.raises(ValueError):
        generate.rendered(text)


def test_every_operation_code_limit_and_setting_is_on_its_page(root: Path) -> None:
    """Nothing that the program has is missing from the pages."""
    pages = {name: (root / "docs" / f"{name}.md").read_text("utf-8") for name in ("protocol", "errors", "limits")}
    assert all(f"\n### {name}\n" in pages["protocol"] for name in OPERATIONS)
    assert all(f"| `{code}` |" in pages["errors"] for code in all_codes())
    assert all(f"| `{name}` |" in pages["limits"] for name in DEFAULT.as_dict())
