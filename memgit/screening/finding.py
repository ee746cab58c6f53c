"""What a screening says: which rule, and where. Never the text, so that a report can be logged, sent and shown.

Owns the value and the refusal built from it. Refuses to hold, hash or shorten what was found: a hash of a weak password
is the password.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from memgit.errors import JsonValue, SecretDetected

FINDINGS_REPORTED = 20  # in one refusal: enough to find them all, little enough to read


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters that a rule takes for a secret."""

    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret that was found, by position. `where` is the caller's name of the text, `line` and `column` count from 1.

    `start` and `end` count from 0, half-open: characters of a text, bytes of binary data. `column` counts likewise.
    """

    rule: str
    where: str
    line: int
    column: int
    start: int
    end: int

    @property
    def place(self) -> str:
        """What to tell a person: the rule, and where to look."""
        return f"{self.rule} at line {self.line}, column {self.column}"

    def as_details(self) -> dict[str, JsonValue]:
        """Return the finding as an error's details show it."""
        return dict(asdict(self))


def refuse(findings: Sequence[Finding]) -> None:
    """Raise SecretDetected where there is any finding; return otherwise.

    `details.findings` lists at most 20 of them (rule, where, line, column, start, end), `details.count` says how many
    there are.
    """
    if not findings:
        return
    first, more = findings[0], len(findings) - 1
    others = f", and {more} more" if more else ""
    raise SecretDetected(
        f"`{first.where}` looks as if it held a secret: {first.place}{others}; nothing was written",
        details={
            "count": len(findings),
            "findings": [finding.as_details() for finding in findings[:FINDINGS_REPORTED]],
        },
    )
