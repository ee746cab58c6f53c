"""The envelope: one request, one answer, every refusal with a code, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.errors import all_codes
from memgit.limits import DEFAULT
from memgit.protocol.envelope import answer, answer_bytes
from memgit.protocol.table import OPERATIONS


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "INVALID_REQUEST"),
        (b"{", "INVALID_REQUEST"),
        (b"[]", "INVALID_REQUEST"),
        (b'"x"', "INVALID_REQUEST"),
        (b"\xff\xfe", "INVALID_REQUEST"),
        (b'{"op": "status", "input": {"a": "\xff"}}', "INVALID_REQUEST"),
        (b"[" * 100_000, "INVALID_REQUEST"),
        (b'{"op": "status"} {"op": "status"}', "INVALID_REQUEST"),
        (b'{"v": 2, "op": "status"}', "UNSUPPORTED_VERSION"),
        (b'{"v": "1", "op": "status"}', "UNSUPPORTED_VERSION"),
        (b'{"v": true, "op": "status"}', "UNSUPPORTED_VERSION"),
        (b'{"op": "claim.assrt"}', "UNKNOWN_OPERATION"),
        (b"{}", "UNKNOWN_OPERATION"),
        (b'{"op": 7}', "UNKNOWN_OPERATION"),
        (b'{"op": "capabilities", "colour": 1}', "INVALID_REQUEST"),
        (b'{"op": "capabilities", "input": {"colour": 1}}', "INVALID_REQUEST"),
        (b'{"op": "capabilities", "input": []}', "INVALID_REQUEST"),
        (b'{"op": "claim.get", "input": {"claim_id": 7}}', "INVALID_REQUEST"),
        (b'{"op": "claim.get", "idempotency_key": 7, "input": {"claim_id": "x"}}', "INVALID_REQUEST"),
    ],
)
def test_requests_that_are_none_are_refused(tmp_path: Path, data: bytes, code: str) -> None:
    """Each has its code, and exit status 1."""
    reply = answer_bytes(data, tmp_path)
    assert (reply.envelope["ok"], reply.envelope["error"]["code"], reply.exit_status) == (False, code, 1)
    assert json.loads(reply.encode()) == reply.envelope


def test_a_request_over_the_limit_is_refused(tmp_path: Path) -> None:
    """LIMIT_EXCEEDED before anything is parsed."""
    reply = answer_bytes(b" " * (DEFAULT.request_bytes + 1), tmp_path)
    assert reply.envelope["error"]["details"]["limit"] == "request_bytes"


def test_a_misspelt_operation_gets_a_suggestion(tmp_path: Path) -> None:
    """The hint names the nearest one."""
    assert "claim.assert" in answer({"op": "claim.asert"}, tmp_path).envelope["error"]["hint"]


def test_the_request_id_comes_back(tmp_path: Path) -> None:
    """In success and failure."""
    assert answer({"op": "capabilities", "request_id": "r1"}, tmp_path).envelope["request_id"] == "r1"
    assert answer({"op": "nothing", "request_id": "r2"}, tmp_path).envelope["request_id"] == "r2"


def test_a_fault_of_ours_is_an_envelope_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """INTERNAL, exit status 3, and neither the traceback nor the data in the text."""

    def broken(*_: object) -> None:
        raise ValueError("the user's words")

    monkeypatch.setattr("memgit.protocol.describe.capabilities", broken)
    reply = answer({"op": "capabilities"}, tmp_path)
    assert (reply.envelope["error"]["code"], reply.exit_status) == ("INTERNAL", 3)
    assert "the user's words" not in json.dumps(reply.envelope)


@settings(max_examples=150)
@given(data=st.binary(max_size=200))
def test_any_bytes_get_an_envelope(data: bytes) -> None:
    """Never an exception, never two answers."""
    reply = answer_bytes(data, Path("/"))
    assert json.loads(reply.encode())["ok"] in (True, False)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300)
@given(op=st.sampled_from(sorted(OPERATIONS)), fields=st.dictionaries(st.text(max_size=12), json_values, max_size=4))
def test_any_input_to_any_operation_gets_an_envelope(op: str, fields: dict[str, object]) -> None:
    """Outside a repository, every operation refuses or describes; none breaks."""
    reply = answer({"op": op, "input": fields}, Path("/"))
    if not reply.envelope["ok"]:
        assert reply.envelope["error"]["code"] != "INTERNAL", reply.envelope
        assert reply.envelope["error"]["code"] in all_codes()
