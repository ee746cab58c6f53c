"""The verbs of `git memory`, in the order of the help. The module of a verb is imported when the verb is used."""

from __future__ import annotations

import importlib
from typing import cast

import click

SECTIONS: dict[str, tuple[str, ...]] = {
    "Begin": ("init", "status", "context", "demo"),
    "Write": (
        "remember",
        "remember-session",
        "claim",
        "artifact",
        "relation",
        "source",
        "projection",
        "undo",
        "import",
        "pending",
    ),
    "Read": (
        "recall",
        "retrieve",
        "probe",
        "search",
        "why",
        "for",
        "show",
        "cat",
        "log",
        "blame",
        "diff",
        "conflict",
    ),
    "Share": ("sync", "push", "fetch", "pull", "remote", "draft", "promote"),
    "Look after": (
        "stale",
        "confirm",
        "check",
        "checkpoint",
        "verify",
        "doctor",
        "hooks",
        "feedback",
        "trust",
        "model",
        "config",
        "session",
    ),
    "For programs": ("call", "capabilities", "schema", "instructions"),
}

VERBS: tuple[str, ...] = tuple(verb for verbs in SECTIONS.values() for verb in verbs)

# What cannot name a module.
_MODULES = {"import": "import_documents", "remember-session": "remember_session", "for": "for_path"}


def load(verb: str) -> click.Command | None:
    """Return a verb's command, or None where there is no such verb."""
    if verb not in VERBS:
        return None
    module = importlib.import_module(f"memgit.cli.commands.{_MODULES.get(verb, verb)}")
    return cast(click.Command, module.command)
