"""One request in, one envelope out. Nothing else is written to standard output, and nothing prompts."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from memgit.environment import Environment, printable
from memgit.errors import Internal, InvalidRequest, LimitExceeded, MemgitError, UnsupportedVersion
from memgit.limits import DEFAULT
from memgit.operations.invocation import Invocation
from memgit.protocol.table import Operation, find_operation

VERSION = 1
_FIELDS = ("v", "request_id", "op", "input", "idempotency_key", "context")


class Answer(Struct, frozen=True):
    """An envelope, and the exit status that goes with it: 0 done, 1 refused or a check failed, 3 a fault."""

    envelope: dict[str, Any]
    exit_status: int

    def encode(self) -> bytes:
        """Return the envelope as one line of JSON."""
        try:
            return msgspec.json.encode(self.envelope) + b"\n"
        except UnicodeEncodeError:  # an argument or a file name that is not UTF-8 came back in a message
            return msgspec.json.encode(_encodable(self.envelope)) + b"\n"


def answer_bytes(data: bytes, directory: Path, environment: Environment | None = None) -> Answer:
    """Answer a request as it arrives: UTF-8 JSON. Never raises."""
    request: Any = None
    try:
        request = _decode(data)
        return answer(request, directory, environment)
    except MemgitError as error:
        return _failure(_request_id(request), error, [])


def answer(request: Any, directory: Path, environment: Environment | None = None) -> Answer:
    """Answer a request that is already a mapping. Never raises."""
    request_id = _request_id(request)
    warnings: list[str] = []
    try:
        operation, given = _parse(request)
        key = request.get("idempotency_key")
        if key is not None and not isinstance(key, str):
            raise InvalidRequest("`idempotency_key` is not a text", details={"field": "idempotency_key"})
        keeps_key = operation.mutates and operation.keyed
        invocation = Invocation(
            directory, environment, context=request.get("context"), idempotency_key=key if keeps_key else None
        )
        warnings = invocation.warnings
        if key is not None and not keeps_key:
            warnings.append(f"{operation.name} keeps no idempotency key: asking again is harmless")
        try:
            return run(operation, given, invocation, request_id)
        finally:
            invocation.close()
    except MemgitError as error:
        return _failure(request_id, error, warnings)
    except Exception as error:  # noqa: BLE001 - the envelope is the promise; the fault goes into it
        return _failure(request_id, _internal(error), warnings)


def run(operation: Operation, given: Struct, invocation: Invocation, request_id: str | None = None) -> Answer:
    """Run an operation on a checked request and return the success envelope. Raises what the operation raises."""
    invocation.take(given)
    if operation.context:
        invocation.context  # noqa: B018 - resolved first, so that a missing context is the first thing said
    result = operation.handler()(invocation, given)
    context = invocation.resolved_context
    envelope = {
        "v": VERSION,
        "request_id": request_id,
        "ok": True,
        "context": context.echo(invocation.reach.horizon) if context is not None and operation.context else None,
        "commit_seq": invocation.observed.seq,
        "commit": invocation.observed.commit_id,
        **_layers(invocation),
        "result": msgspec.json.decode(msgspec.json.encode(result)),  # JSON's types only, as every reader sees them
        "warnings": list(dict.fromkeys(invocation.warnings)),
    }
    found_something = getattr(result, "ok", True) is False  # `verify`: the check ran, and its answer is no
    return Answer(envelope, 1 if found_something else 0)


def _layers(invocation: Invocation) -> dict[str, Any]:
    """Return where the private layers stood that the answer unites with the shared one; nothing where none does."""
    seen = {name: {"commit_seq": at.seq, "commit": at.commit_id} for name, at in invocation.observed_layers.items()}
    return {"layers": seen} if seen else {}


def read_input(operation: Operation, fields: Any) -> Struct:
    """Return an operation's input as its struct. Raises InvalidRequest, naming the field, for anything unknown."""
    try:
        return msgspec.convert({} if fields is None else fields, operation.request_type(), strict=True)
    except msgspec.ValidationError as error:
        text, _, place = str(error).partition(" - at ")
        field = place.strip("`").removeprefix("$").lstrip(".")
        raise InvalidRequest(
            f"{operation.name}: {text}" + (f" (`{field}`)" if field else ""),
            hint=f"Compare the input with `git memory schema {operation.name}`.",
            details={"field": field or None},
        ) from None


def failure_envelope(request_id: str | None, error: MemgitError, warnings: list[str]) -> dict[str, Any]:
    """Return the envelope of a failure."""
    return {
        "v": VERSION,
        "request_id": request_id,
        "ok": False,
        "error": {
            "code": error.code,
            "message": error.message,
            "retryable": error.retryable,
            "hint": error.hint,
            "details": error.details,
        },
        "warnings": list(dict.fromkeys(warnings)),
    }


def _decode(data: bytes) -> Any:
    if len(data) > DEFAULT.request_bytes:
        raise LimitExceeded(
            f"the request has more than {DEFAULT.request_bytes} bytes",
            details={"limit": "request_bytes", "value": DEFAULT.request_bytes, "size": len(data)},
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"the request is not UTF-8 at byte {error.start}") from None
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidRequest(f"the request is not JSON: {str(error)[:200]}") from None


def _parse(request: Any) -> tuple[Operation, Struct]:
    if not isinstance(request, dict):
        raise InvalidRequest("the request is not a JSON object")
    version = request.get("v", VERSION)
    if version != VERSION or isinstance(version, bool):
        raise UnsupportedVersion(f"protocol version {str(version)[:40]!r} is not spoken here", details={"spoken": [1]})
    unknown = [name for name in request if name not in _FIELDS]
    if unknown:
        raise InvalidRequest(
            f"the request has unknown fields: {', '.join(unknown)[:200]}",
            hint=f"It may have {', '.join(_FIELDS)}.",
            details={"field": unknown[0][:80]},
        )
    operation = find_operation(request.get("op"))
    return operation, read_input(operation, request.get("input"))


def _encodable(value: Any) -> Any:
    """Return the value with lone surrogates escaped."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {_encodable(name): _encodable(item) for name, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list | tuple) else value


def _request_id(request: Any) -> str | None:
    value = request.get("request_id") if isinstance(request, dict) else None
    return value[:256] if isinstance(value, str) else None


def _failure(request_id: str | None, error: MemgitError, warnings: list[str]) -> Answer:
    return Answer(failure_envelope(request_id, error, warnings), error.exit_status)


def _internal(error: Exception) -> Internal:
    """Return a fault as an answer. The place is named, the data is not: it may be anybody's."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return Internal(f"{type(error).__name__}{place}")
