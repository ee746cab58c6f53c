"""The nearest marker counts, whole; a broken one stops the search; a marker cannot broaden or choose a task."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.errors import FormatTooNew, InvalidRequest, MemgitError, StoreReadOnly
from memgit.scope.marker import MARKER_BYTES, MARKER_KEYS, MARKER_NAME, nearest_marker, read_marker, write_marker

# The first text that hypothesis draws on a machine takes a second to prepare; that says nothing about ours.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

PutMarker = Callable[..., Path]
GOOD = 'workspace_id = "w"\nproject_id = "p"\n'
PIN = "art_01jd0000000000000000000000"


def test_the_nearest_ancestor_wins(tmp_path: Path, put_marker: PutMarker) -> None:
    """Of several markers above a directory the closest is read, and it says where it is."""
    put_marker(tmp_path, project="outer")
    path = put_marker(tmp_path / "a", project="inner")
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    marker = nearest_marker(deep)
    assert marker is not None
    assert marker.context.project_id == "inner"
    assert marker.context.resolved_from == "marker"
    assert marker.context.where == str(path.resolve())


def test_a_marker_above_the_repository_counts(tmp_path: Path, put_marker: PutMarker) -> None:
    """A folder of repositories may share one project."""
    put_marker(tmp_path, project="shared")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    marker = nearest_marker(tmp_path / "repository")
    assert marker is not None and marker.context.project_id == "shared"


def test_a_ceiling_ends_the_search(tmp_path: Path, put_marker: PutMarker) -> None:
    """A ceiling directory is not looked at, unless the search starts there."""
    put_marker(tmp_path)
    (tmp_path / "a").mkdir()
    assert nearest_marker(tmp_path / "a", [tmp_path]) is None
    assert nearest_marker(tmp_path, [tmp_path]) is not None


def test_no_marker_is_none(tmp_path: Path) -> None:
    """Absence is a value, for a directory that does not exist too."""
    assert nearest_marker(tmp_path, [tmp_path.parent]) is None
    assert nearest_marker(tmp_path / "gone" / "deeper", [tmp_path.parent]) is None


def test_a_malformed_marker_never_falls_through(tmp_path: Path, put_marker: PutMarker) -> None:
    """The good marker of an ancestor is not used in place of a broken nearer one."""
    put_marker(tmp_path)
    path = put_marker(tmp_path / "a", 'workspace_id = "w"\nproject_id = \n')
    with pytest.raises(InvalidRequest, match="line 2") as caught:
        nearest_marker(tmp_path / "a")
    assert caught.value.details == {"path": str(path.resolve()), "line": 2}
    assert str(path.resolve()) in caught.value.message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"", None),
        (b"workspace_id = 'w'\n", None),
        (b"workspace_id = 'w'\nproject_id = ''\n", 2),
        (b"workspace_id = 'w'\n\nproject_id = 'a/b'\n", 3),
        (b"workspace_id = 'w'\r\nproject_id = 3\r\n", 2),
        (GOOD.encode() + b"component = 7\n", 3),
        (GOOD.encode() + b"pins = 'art'\n", 3),
        (GOOD.encode() + b"pins = ['clm_01jd0000000000000000000000']\n", 3),
        (GOOD.encode() + b"[component]\nx = 1\n", 3),
        (b"workspace_id = 'w'\nworkspace_id = 'x'\n", 2),
        (b"a = 1\nb = \xff\n", 2),
        ("workspace_id = 'w'".encode("utf-16"), 1),
        (b"a = " + b"[" * 5_000, 1),
        (b"a = " + b"9" * 6_000, 1),
        (b"a = \x00\n", 1),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, put_marker: PutMarker, text: bytes, line: int | None
) -> None:
    """Syntax, encoding and values alike: file and line, where one line is to blame."""
    path = put_marker(tmp_path, text)
    with pytest.raises(InvalidRequest) as caught:
        read_marker(path)
    assert caught.value.details.get("line") == line
    assert caught.value.details["path"] == str(path)
    assert str(path) in caught.value.message and (line is None or f"line {line}" in caught.value.message)
    assert caught.value.hint


def test_bom_and_crlf_are_read(tmp_path: Path, put_marker: PutMarker) -> None:
    """An editor on Windows writes both."""
    path = put_marker(tmp_path, b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_marker(path).context.project_id == "p"


def test_unknown_keys_are_warnings(tmp_path: Path, put_marker: PutMarker) -> None:
    """A later version's key, or a typo, is told and changes nothing."""
    path = put_marker(tmp_path, GOOD + "colour = 'red'\n[metrics]\nenabled = true\n")
    marker = read_marker(path)
    assert marker.context.project_id == "p"
    assert marker.warnings == (f"{path}: unknown keys are ignored: 'colour', 'metrics'",)


@pytest.mark.parametrize("key", ["horizon", "default_horizon"])
def test_a_marker_cannot_broaden(tmp_path: Path, put_marker: PutMarker, key: str) -> None:
    """A broad default horizon is refused outright; the ambient one is what holds anyway."""
    for value in ("'workspace'", "'personal'", "7", "['ambient']"):
        with pytest.raises(InvalidRequest, match=r"line 3.*never a default"):
            read_marker(put_marker(tmp_path, GOOD + f"{key} = {value}\n"))
    marker = read_marker(put_marker(tmp_path, GOOD + f"{key} = 'ambient'\n"))
    assert marker.warnings == ()


@pytest.mark.parametrize("key", ["task", "task_id", "default_task"])
def test_a_marker_cannot_choose_a_task(tmp_path: Path, put_marker: PutMarker, key: str) -> None:
    """A task in a file would be the task of every agent there at once."""
    with pytest.raises(InvalidRequest, match=r"line 3.*task") as caught:
        read_marker(put_marker(tmp_path, GOOD + f"{key} = 't'\n"))
    assert "session exec" in caught.value.hint


def test_versions(tmp_path: Path, put_marker: PutMarker) -> None:
    """Version 1 is read and assumed, a later one is refused as such, nonsense as nonsense."""
    assert read_marker(put_marker(tmp_path, "v = 1\n" + GOOD)).warnings == ()
    with pytest.raises(FormatTooNew):
        read_marker(put_marker(tmp_path, "v = 2\n" + GOOD))
    for nonsense in ("true", "'1'", "0", "1.0"):
        with pytest.raises(InvalidRequest):
            read_marker(put_marker(tmp_path, f"v = {nonsense}\n" + GOOD))


def test_a_large_file_is_not_read_whole(tmp_path: Path, put_marker: PutMarker) -> None:
    """A megabyte under this name is refused; exactly the bound is read."""
    with pytest.raises(InvalidRequest, match=f"{MARKER_BYTES} bytes"):
        read_marker(put_marker(tmp_path, GOOD + "#" * 1024 * 1024))
    assert read_marker(put_marker(tmp_path, GOOD + "#" * (MARKER_BYTES - len(GOOD)))).context.project_id == "p"


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_symbolic_links(tmp_path: Path, put_marker: PutMarker) -> None:
    """A link to a file is followed and named by its own path; a dangling one is a broken marker, not an absent one."""
    real = put_marker(tmp_path / "elsewhere", project="linked")
    put_marker(tmp_path, project="outer")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / MARKER_NAME).symlink_to(real)
    marker = nearest_marker(inner)
    assert marker is not None and marker.context.project_id == "linked"
    assert marker.path == inner.resolve() / MARKER_NAME
    real.unlink()
    with pytest.raises(InvalidRequest):
        nearest_marker(inner)


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_the_physical_directory_counts(tmp_path: Path, put_marker: PutMarker) -> None:
    """Someone who reaches a project through a link is in that project, as Git sees it."""
    put_marker(tmp_path / "real", project="real")
    put_marker(tmp_path / "links", project="links")
    (tmp_path / "links" / "here").symlink_to(tmp_path / "real")
    marker = nearest_marker(tmp_path / "links" / "here")
    assert marker is not None and marker.context.project_id == "real"


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    """A directory or a pipe of this name is an error, and a pipe does not block."""
    (tmp_path / MARKER_NAME).mkdir()
    with pytest.raises(InvalidRequest, match="regular file"):
        nearest_marker(tmp_path)
    if hasattr(os, "mkfifo"):
        (tmp_path / "a").mkdir()
        os.mkfifo(tmp_path / "a" / MARKER_NAME)
        with pytest.raises(InvalidRequest, match="regular file"):
            nearest_marker(tmp_path / "a")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_marker_is_an_error(tmp_path: Path, put_marker: PutMarker) -> None:
    """No permission to read is not absence."""
    put_marker(tmp_path).chmod(0)
    with pytest.raises(InvalidRequest, match="cannot be read"):
        nearest_marker(tmp_path)


@calm
@given(
    workspace=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,20}", fullmatch=True),
    component=st.none() | st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=40),
    pins=st.sampled_from([(), (PIN,)]),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, workspace: str, component: str | None, pins: tuple[str, ...]
) -> None:
    """A written marker gives back its values without a warning."""
    directory = tmp_path_factory.mktemp("marker")
    if component is not None and not component.strip():
        component = None
    path = write_marker(directory, workspace_id=workspace, project_id="p", component=component, pins=pins)
    marker = read_marker(path)
    assert marker.warnings == ()
    assert (marker.context.workspace_id, marker.context.component, marker.context.pins) == (workspace, component, pins)
    assert b"\r" not in path.read_bytes()


def test_writing_overwrites_nothing(tmp_path: Path, put_marker: PutMarker) -> None:
    """A file, a directory and a dangling link of this name are left as they are."""
    before = put_marker(tmp_path).read_bytes()
    with pytest.raises(InvalidRequest, match="exists already"):
        write_marker(tmp_path, workspace_id="x", project_id="y")
    assert (tmp_path / MARKER_NAME).read_bytes() == before
    if sys.platform != "win32":
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / MARKER_NAME).symlink_to(tmp_path / "target")
        with pytest.raises(InvalidRequest):
            write_marker(tmp_path / "a", workspace_id="x", project_id="y")
        assert not (tmp_path / "target").exists()


def test_writing_checks_values_and_places(tmp_path: Path) -> None:
    """A wrong value writes nothing; a directory that is not there is reported."""
    with pytest.raises(InvalidRequest):
        write_marker(tmp_path, workspace_id="a b", project_id="y")
    assert not (tmp_path / MARKER_NAME).exists()
    with pytest.raises(StoreReadOnly):
        write_marker(tmp_path / "gone", workspace_id="x", project_id="y")


EXAMPLE = Path(__file__).parents[2] / ".memoree.toml.example"


def test_the_example_shows_every_key(tmp_path: Path, put_marker: PutMarker) -> None:
    """The example is a valid marker as it stands; with its optional lines on it has every key that the code knows."""
    import re
    import tomllib

    text = EXAMPLE.read_text(encoding="utf-8")
    plain = read_marker(put_marker(tmp_path, text))
    assert plain.warnings == ()
    assert (plain.context.component, list(plain.context.pins)) == (MARKER_KEYS["component"], MARKER_KEYS["pins"])
    full = re.sub(r"(?m)^# (?=[a-z_]+ = )", "", text)
    assert set(tomllib.loads(full)) == set(MARKER_KEYS)
    assert read_marker(put_marker(tmp_path, full)).warnings == ()
    assert f"Default: {MARKER_KEYS['v']}" in text


@calm
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: (GOOD + text).encode(errors="replace")))
def test_any_bytes_give_a_marker_or_a_reported_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """A marker comes from other people: nothing in it crashes."""
    path = tmp_path_factory.mktemp("any") / MARKER_NAME
    path.write_bytes(data)
    try:
        read_marker(path)
    except MemgitError as error:
        assert error.message.isprintable()
