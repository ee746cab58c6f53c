"""Capabilities, schema and instructions describe what really runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memgit.errors import all_codes
from memgit.limits import DEFAULT
from memgit.protocol.envelope import answer
from memgit.protocol.table import OPERATIONS


def result(op: str, **fields: Any) -> dict[str, Any]:
    """Run an operation that needs no repository."""
    envelope = answer({"op": op, "input": fields}, Path("/")).envelope
    assert envelope["ok"], envelope
    found: dict[str, Any] = envelope["result"]
    return found


def test_capabilities_list_every_operation_code_and_limit() -> None:
    """One table dispatches and documents."""
    listed = result("capabilities")
    assert [row["name"] for row in listed["operations"]] == list(OPERATIONS)
    assert all(row["summary"] for row in listed["operations"])
    assert {row["code"] for row in listed["error_codes"]} == set(all_codes())
    assert listed["limits"] == DEFAULT.as_dict()


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_every_schema_is_valid_and_closed(name: str) -> None:
    """JSON Schema 2020-12, and unknown fields are refused by it as by the program."""
    schema = result("schema", operation=name)["inputs"][name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"no such field": 1}, schema)


def test_the_schema_accepts_what_the_program_accepts() -> None:
    """A request from the instructions validates."""
    schema = result("schema", operation="claim.assert")["inputs"]["claim.assert"]
    jsonschema.validate({"claim_type": "fact", "statement": "x", "evidence": [], "confidence": 0.5}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"claim_type": "opinion", "statement": "x"}, schema)


def test_all_schemas_come_at_once() -> None:
    """Without a name, every operation's."""
    assert set(result("schema")["inputs"]) == set(OPERATIONS)


def test_the_instructions_name_only_operations_that_exist() -> None:
    """And stay short: about 1,000 tokens at four bytes a token."""
    text = result("instructions")
    assert set(text["operations"]) <= set(OPERATIONS)
    assert len(text["markdown"].encode()) < 4_000
