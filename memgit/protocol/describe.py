"""`capabilities`, `schema`, `instructions`: what the running version can do, generated from the table."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

import memgit
from memgit.errors import all_codes
from memgit.limits import DEFAULT
from memgit.operations.invocation import Invocation
from memgit.records.op import FORMAT, PAYLOAD_BY_VERB

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Capabilities(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List what this version speaks: operations, error codes, limits, formats. Takes no input."""


class CapabilityList(Struct, frozen=True, kw_only=True):
    """What this version can do."""

    program: str
    version: str
    protocol_versions: tuple[int, ...]
    record_format: int
    operations: tuple[dict[str, Any], ...]
    error_codes: tuple[dict[str, Any], ...]
    limits: dict[str, int]
    horizons: tuple[str, ...]
    verbs: tuple[str, ...]


class Schema(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Return the JSON Schema (2020-12) of an operation's input, or of every operation's."""

    operation: str | None = None


class SchemaList(Struct, frozen=True, kw_only=True):
    """Schemas of inputs by operation name."""

    dialect: str
    inputs: dict[str, Any]


class Instructions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Return what a model should know to use the memory well, as Markdown. Takes no input."""


class InstructionText(Struct, frozen=True, kw_only=True):
    """The instructions, and the operations that they mention."""

    markdown: str
    operations: tuple[str, ...]


def capabilities(invocation: Invocation, request: Capabilities) -> CapabilityList:
    """Return what this version can do. Needs no repository."""
    from memgit.protocol.table import OPERATIONS

    return CapabilityList(
        program="git-memgit",
        version=memgit.__version__,
        protocol_versions=(1,),
        record_format=FORMAT,
        operations=tuple(
            {"name": row.name, "group": row.group, "mutates": row.mutates, "summary": row.summary}
            for row in OPERATIONS.values()
        ),
        error_codes=tuple(
            {"code": code, "retryable": kind.retryable, "meaning": (kind.__doc__ or "").strip()}
            for code, kind in all_codes().items()
        ),
        limits=DEFAULT.as_dict(),
        horizons=("ambient", "workspace", "personal"),
        verbs=tuple(f"{kind}.{verb}" for kind, verb in PAYLOAD_BY_VERB),
    )


def schema(invocation: Invocation, request: Schema) -> SchemaList:
    """Return schemas of inputs. Raises UnknownOperation."""
    from memgit.protocol.table import OPERATIONS, find_operation

    rows = OPERATIONS.values() if request.operation is None else [find_operation(request.operation)]
    return SchemaList(dialect=DIALECT, inputs={row.name: input_schema(row.request_type()) for row in rows})


def input_schema(kind: type[Struct]) -> dict[str, Any]:
    """Return the JSON Schema of a request struct, self-contained, in dialect 2020-12."""
    (reference,), definitions = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    name = str(reference["$ref"]).rpartition("/")[2]
    root = definitions.pop(name)
    return {"$schema": DIALECT, **root, **({"$defs": definitions} if definitions else {})}


def instructions(invocation: Invocation, request: Instructions) -> InstructionText:
    """Return the text that a host puts in front of a model. Needs no repository."""
    from memgit.protocol.instructions import MARKDOWN, MENTIONED

    return InstructionText(markdown=MARKDOWN, operations=MENTIONED)
