"""Who a write is by: whom Git would name, on either back end, wherever Git is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.conftest import Place
from tests.store.scenario import git


@pytest.mark.parametrize("source", ["config", "global", "command", "author", "nothing"])
def test_who_the_user_is(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str) -> None:
    """The user is whom Git would name, wherever that is said; where nobody says it, the login, and that is told."""
    sources: dict[str, Callable[[], object]] = {
        "config": lambda: (
            git(place.path, "config", "user.name", "Ann"),
            git(place.path, "config", "user.email", "ann@x"),
        ),
        "global": lambda: (tmp_path / "global").write_text("[user]\n\tname = Ann\n\temail = ann@x\n"),
        "command": lambda: [
            monkeypatch.setenv(name, value)
            for name, value in {
                "GIT_CONFIG_COUNT": "2",
                "GIT_CONFIG_KEY_0": "user.name",
                "GIT_CONFIG_VALUE_0": "Ann",
                "GIT_CONFIG_KEY_1": "user.email",
                "GIT_CONFIG_VALUE_1": "ann@x",
            }.items()
        ],
        "author": lambda: (
            monkeypatch.setenv("GIT_AUTHOR_NAME", "Ann"),
            monkeypatch.setenv("GIT_AUTHOR_EMAIL", "ann@x"),
        ),
        "nothing": lambda: None,
    }
    (tmp_path / "global").touch()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("XDG_CONFIG_HOME")
    sources[source]()
    place.backend.refresh()

    who, known = place.backend.identity()

    assert known == (source != "nothing")
    assert not known or (who.name, who.email) == ("Ann", "ann@x")
    assert who.name and "@" in who.email
