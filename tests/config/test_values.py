"""Text becomes a value only where the setting allows it; a wrong one says what would be right."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memgit.config.settings import SETTINGS, find_setting
from memgit.config.values import TEXT_BYTES, is_store_ref, parse_value
from memgit.errors import InvalidRequest

# The first text that hypothesis draws on a machine takes a second to prepare; that says nothing about ours.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("durability", "Safe", "safe"),
        ("durability", " safe ", "safe"),
        ("lockWait", "0", 0),
        ("lockWait", "600000", 600_000),
        ("packEvery", "0150", 150),
        ("ref", "refs/heads/memgit", "refs/heads/memgit"),
        ("remote", "origin", "origin"),
        ("remote", "git@example.org:a/b.git", "git@example.org:a/b.git"),
        ("personalProject", "prj_x", "prj_x"),
        ("pager", "less -FRX", "less -FRX"),
    ],
)
def test_right_values(name: str, text: str, value: object) -> None:
    """Choices in any case, whole numbers within bounds, names and one line of text."""
    assert parse_value(find_setting(name), text, "test") == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("durability", ""),
        ("durability", "paranoid"),
        ("lockWait", "-1"),
        ("lockWait", "600001"),
        ("lockWait", "1_000"),
        ("lockWait", "1.5"),
        ("lockWait", "٣"),
        ("lockWait", "9" * 10_000),
        ("ref", "HEAD"),
        ("remote", "--upload-pack=touch /tmp/x"),
        ("remote", "a b"),
        ("remote", ""),
        ("personalProject", "a/b"),
        ("pager", "less\n"),
        ("pager", "\x1b[31m"),
        ("pager", "x" * (TEXT_BYTES + 1)),
    ],
)
def test_wrong_values_say_what_would_be_right(name: str, text: str) -> None:
    """The message names the origin and the setting, the hint the values; neither carries a control character."""
    with pytest.raises(InvalidRequest) as caught:
        parse_value(find_setting(name), text, "Git config memgit.x")
    assert caught.value.message.startswith("Git config memgit.x: ") and caught.value.message.isprintable()
    assert name in caught.value.hint and len(caught.value.message) < 200


def test_a_choice_names_its_values() -> None:
    """People and programs get the allowed values."""
    with pytest.raises(InvalidRequest) as caught:
        parse_value(find_setting("durability"), "x", "test")
    assert caught.value.hint == "durability takes balanced or safe."
    assert caught.value.details == {"setting": "durability", "allowed": ["balanced", "safe"]}


@pytest.mark.parametrize(
    "name",
    [
        "HEAD",
        "refs/memgit",
        "memgit/store",
        "refs/heads/HEAD",
        "refs/heads/a..b",
        "refs/heads/.a",
        "refs/heads/a.",
        "refs/heads/a.lock",
        "refs/heads/a.lock/b",
        "refs/heads//a",
        "refs/heads/a/",
        "refs/heads/a b",
        "refs/heads/a\n",
        "refs/heads/a@{1}",
        "refs/heads/a~1",
        "refs/heads/a*",
        "refs/heads/é",
        'refs/heads/a"b',
        "refs/heads/" + "a" * 200,
        "refs/tags/memgit",
        "refs/remotes/origin/store",
        "refs/memgit/remotes",
        "refs/memgit/remotes/origin/store",
        "refs/worktree/memgit",
        "refs/bisect/memgit",
    ],
)
def test_refs_that_cannot_hold_a_store(name: str) -> None:
    """Not a full name, not portable, or in a namespace that Git or a fetch overwrites or keeps per working tree."""
    assert not is_store_ref(name)


PART = st.text(st.sampled_from("ab.@{-_~^:\\*[ é/"), min_size=1, max_size=6) | st.sampled_from(["heads", "x.lock", "@"])


@settings(calm, max_examples=60)
@given(st.lists(PART, min_size=2, max_size=3).map(lambda parts: "refs/" + "/".join(parts)))
@example("refs/memgit/store")
@example("refs/heads/memgit")
@example("refs/x/@")
def test_what_we_accept_git_accepts(name: str) -> None:
    """Our check is at least as strict as `git check-ref-format`."""
    if is_store_ref(name):
        assert subprocess.run(["git", "check-ref-format", name]).returncode == 0


@calm
@given(st.sampled_from([setting for setting in SETTINGS if setting.kind != "context"]), st.text(max_size=30))
def test_any_text_gives_a_value_or_a_reported_error(setting: object, text: str) -> None:
    """Configuration is untrusted: nothing in it crashes."""
    from memgit.config.settings import Setting

    assert isinstance(setting, Setting)
    try:
        value = parse_value(setting, text, "test")
    except InvalidRequest as error:
        assert error.message.isprintable()
    else:
        assert value is not None
