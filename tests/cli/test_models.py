"""`git memory model`, as a person types it."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Shell
from tests.index.model_directory import write_model


def test_a_model_from_a_directory(empty: Shell) -> None:
    """List, install from a relative path, use, and remove, each with its own words."""
    write_model(Path(empty.directory) / "models" / "own")
    assert empty.ok("model", "install", "mine", "models/own").text == "mine\n"
    listed = empty.ok("model", "list").text
    assert "static" in listed and "mine" in listed and str(empty.directory) in listed
    assert "embedder is mine" in empty.ok("model", "use", "mine").err
    assert empty.ok("config", "get", "embedder").text == "mine\n"
    assert "mine is gone" in empty.ok("model", "remove", "mine").err


def test_what_cannot_be_installed_is_one_error(empty: Shell) -> None:
    """A missing directory, a branch of a hub, a name that is taken: one sentence and what to do."""
    assert "no directory" in empty.refused("model", "install", "mine", "nowhere")
    assert "exact revision" in empty.refused("model", "install", "mine", "hub:owner/name@main")
    assert "cannot name a model" in empty.refused("model", "install", "static", "nowhere")
    assert "no model 'nothing'" in empty.refused("model", "use", "nothing")
    assert "no installed model" in empty.refused("model", "remove", "nothing")
