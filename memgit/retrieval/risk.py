"""Signals that a retrieved text tries to do more than inform. Deterministic and explainable; a warning, no filter.

That a signal is absent makes no text trusted: everything retrieved is untrusted in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

Signal = Literal["instruction_override", "role_spoofing", "tool_execution", "sensitive_data", "hidden_text"]

_PATTERNS: tuple[tuple[Signal, re.Pattern[str]], ...] = (
    (
        "instruction_override",
        re.compile(
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|system)\b"
            r".{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|directions?|messages?|constraints?)\b"
            r"|\byou are now\b|\bnew instructions?\s*:|\bdo not (?:tell|inform|mention|reveal)\b.{0,30}\buser\b",
            re.IGNORECASE | re.DOTALL,
        ),
    ),
    (
        "role_spoofing",
        re.compile(
            r"^\W{0,8}(?:system|assistant|developer|user|human|tool)\W{0,4}\s*:"
            r"|<\|?/?(?:im_start|im_end|system|assistant|user|endoftext)\|?>|\[/?INST\]|<</?SYS>>",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    (
        "tool_execution",
        re.compile(
            r"\b(?:run|execute|invoke|call)\b.{0,30}\b(?:command|script|shell|tool|function|code)\b"
            r"|\b(?:curl|wget)\b[^\n]{0,200}\|\s*(?:ba|z|da)?sh\b|\brm\s+-[a-z]*[rf]|\bsudo\s|</?(?:tool|function)_calls?>",
            re.IGNORECASE,
        ),
    ),
    (
        "sensitive_data",
        re.compile(
            r"\b(?:pass(?:word|phrase)s?|api[ _-]?keys?|secret[ _-]?keys?|private[ _-]?keys?|access[ _-]?tokens?"
            r"|credentials?|ssn|social security)\b",
            re.IGNORECASE,
        ),
    ),
    ("hidden_text", re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")),
)


class RiskSignal(Struct, frozen=True, kw_only=True):
    """A kind of language that was met, and the citations of the texts that hold it."""

    signal: Signal
    citations: tuple[str, ...]


def signals_in(text: str) -> tuple[Signal, ...]:
    """Return the signals that a text gives, in a fixed order."""
    return tuple(signal for signal, pattern in _PATTERNS if pattern.search(text))


def risk_signals(texts: Iterable[tuple[str, str]]) -> tuple[RiskSignal, ...]:
    """Return the signals of (citation, text) pairs, in a fixed order."""
    found: dict[Signal, dict[str, None]] = {}
    for citation, text in texts:
        for signal in signals_in(text):
            found.setdefault(signal, {})[citation] = None
    return tuple(
        RiskSignal(signal=signal, citations=tuple(found[signal])) for signal, _ in _PATTERNS if signal in found
    )
