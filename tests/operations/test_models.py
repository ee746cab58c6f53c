"""`model.*`: models are installed deliberately, whole and harmless, and nothing is fetched that nobody named."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from memgit.limits import DEFAULT
from tests.index.model_directory import safetensors, write_model
from tests.operations.conftest import Memory


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The directory of a model."""
    return write_model(tmp_path / "source")


def models(memory: Memory, **fields: Any) -> dict[str, dict[str, Any]]:
    """Return the listed models by name."""
    return {row["name"]: row for row in memory.run("model.list", **fields)["models"]}


def test_built_in_embedders_are_listed(empty: Memory) -> None:
    """Static, neural and hash are always there, static in use, each ready or with what it lacks."""
    listed = models(empty)
    assert list(listed) == ["static", "neural", "hash"]
    assert [name for name, row in listed.items() if row["in_use"]] == ["static"]
    assert (listed["hash"]["state"], listed["hash"]["problem"]) == ("ready", None)
    assert all((row["state"] == "ready") == (row["problem"] is None) for row in listed.values())


def test_install_use_and_remove(empty: Memory, source: Path, tmp_path: Path) -> None:
    """A model is copied with its digests, can be chosen, and goes again; the source may vanish meanwhile."""
    installed = empty.run("model.install", name="mine", source=str(source))
    assert (installed["kind"], installed["source"], len(installed["digest"])) == ("installed", str(source), 64)
    assert installed["bytes"] == sum(p.stat().st_size for p in source.rglob("*") if p.is_file() and p.suffix != ".md")
    files = tmp_path / "data" / "models" / "mine" / "files"
    assert sorted(p.relative_to(files).as_posix() for p in files.rglob("*") if p.is_file()) == [
        "1_Pooling/config.json", "config.json", "model.safetensors", "modules.json", "tokenizer.json", "vocab.txt"
    ]  # fmt: skip
    for path in source.rglob("*"):
        if path.is_file():
            path.unlink()
    assert empty.run("model.use", name="mine")["name"] == "mine"
    assert empty.git("config", "memgit.embedder") == "mine"
    assert models(empty, check=True)["mine"]["in_use"]
    envelope = empty.envelope("model.remove", name="mine")
    assert envelope["ok"] and "still names mine" in envelope["warnings"][0]
    assert "mine" not in models(empty)
    assert not list((tmp_path / "data" / "models").iterdir())
    assert empty.run("model.use", name="static")["name"] == "static"


def test_a_directory_can_be_used_as_it_is(empty: Memory, source: Path, tmp_path: Path) -> None:
    """By its absolute path, after a look at its files; nothing is copied, and the list does not miss it."""
    assert empty.run("model.use", name=str(source))["name"] == str(source)
    assert not any("not installed" in warning for warning in empty.envelope("model.list")["warnings"])
    assert empty.refused("model.use", name=str(tmp_path))["code"] == "INVALID_REQUEST"


def test_the_same_model_again_changes_nothing(empty: Memory, source: Path, tmp_path: Path) -> None:
    """Installing twice is a no-op; another model under the name is refused; a damaged one is replaced."""
    first = empty.run("model.install", name="mine", source=str(source))
    assert empty.run("model.install", name="mine", source=str(source)) == first
    other = write_model(tmp_path / "other", rows=3)
    assert "another model mine" in empty.refused("model.install", name="mine", source=str(other))["message"]
    (tmp_path / "data" / "models" / "mine" / "manifest.json").write_text("{", "utf-8")
    assert models(empty)["mine"]["state"] == "damaged"
    assert empty.run("model.install", name="mine", source=str(other))["digest"] != first["digest"]


def test_a_changed_byte_is_found_by_a_check(empty: Memory, source: Path, tmp_path: Path) -> None:
    """A change that keeps size and time passes the quick look, and `check` finds it; such a model cannot be chosen."""
    empty.run("model.install", name="mine", source=str(source))
    weights = tmp_path / "data" / "models" / "mine" / "files" / "model.safetensors"
    status = weights.stat()
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    os.utime(weights, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert models(empty)["mine"]["state"] != "damaged"
    assert models(empty, check=True)["mine"]["problem"] == "model.safetensors is damaged"
    assert "damaged" in empty.refused("model.use", name="mine")["message"]


def test_a_copy_with_other_times_is_still_whole(empty: Memory, source: Path, tmp_path: Path) -> None:
    """A restored backup has new times; the digests decide."""
    empty.run("model.install", name="mine", source=str(source))
    for path in (tmp_path / "data" / "models" / "mine" / "files").rglob("*"):
        os.utime(path, (1, 1))
    assert models(empty)["mine"]["state"] != "damaged"


def _pickle_only(source: Path) -> None:
    (source / "model.safetensors").rename(source / "pytorch_model.bin")


def _no_weights(source: Path) -> None:
    (source / "model.safetensors").unlink()


def _short(source: Path) -> None:
    (source / "model.safetensors").write_bytes(safetensors()[:-3])


def _renamed_pickle(source: Path) -> None:
    (source / "model.safetensors").write_bytes(b"\x80\x04\x95" + bytes(500))


def _link_out(source: Path) -> None:
    secret = source.parent / "secret.json"
    secret.write_text("{}", "utf-8")
    (source / "added.json").symlink_to(secret)


def _link_to_directory(source: Path) -> None:
    (source / "more").symlink_to("/etc")


def _broken_link(source: Path) -> None:
    (source / "added.json").symlink_to(source / "nothing.json")


def _auto_map(source: Path) -> None:
    (source / "config.json").write_text('{"auto_map": {"AutoModel": "evil.Model"}}', "utf-8")


def _foreign_module(source: Path) -> None:
    (source / "modules.json").write_text('[{"type": "os.system"}]', "utf-8")


def _no_modules(source: Path) -> None:
    (source / "modules.json").unlink()


def _not_json(source: Path) -> None:
    (source / "tokenizer.json").write_bytes(b"{\xff")


def _deep(source: Path) -> None:
    (source / "tokenizer.json").write_text("[" * 100_000, "utf-8")


def _huge(source: Path) -> None:
    with (source / "vocab.txt").open("r+b") as file:
        file.truncate(DEFAULT.model_bytes + 1)  # sparse: takes no space


def _many(source: Path) -> None:
    for number in range(DEFAULT.model_files + 1):
        (source / f"{number}.txt").touch()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (_pickle_only, "only weights that can hold code (pytorch_model.bin)"),
        (_no_weights, "no safetensors weights"),
        (_short, "its header says"),
        (_renamed_pickle, "no safetensors file"),
        (_link_out, "symbolic link that leaves"),
        (_link_to_directory, "symbolic link that leaves"),
        (_broken_link, "symbolic link that leaves"),
        (_auto_map, "code of the model's own"),
        (_foreign_module, "code of the model's own"),
        (_no_modules, "modules.json is missing"),
        (_not_json, "tokenizer.json is not JSON"),
        (_deep, "tokenizer.json is not JSON"),
        (_huge, "at most"),
        (_many, "at most"),
    ],
)
def test_what_is_no_safe_model_is_refused(
    empty: Memory, source: Path, tmp_path: Path, harm: Callable[[Path], None], said: str
) -> None:
    """Code, links that leave, damage and absurd sizes are refused by name, and nothing is left behind."""
    harm(source)
    assert said in empty.refused("model.install", name="mine", source=str(source))["message"]
    assert not list((tmp_path / "data").rglob("*.safetensors"))
    assert list(models(empty)) == ["static", "neural", "hash"]


def test_a_link_inside_the_model_is_followed(empty: Memory, source: Path) -> None:
    """A symbolic link to another file of the model is copied as that file."""
    (source / "again.txt").symlink_to("vocab.txt")
    assert empty.run("model.install", name="mine", source=str(source))["digest"]
    assert models(empty, check=True)["mine"]["state"] != "damaged"


@pytest.mark.parametrize("name", ["static", "none", "Mine", "a/b", "../x", ".hidden", "", "a" * 65, "x..y", "ü", "-f"])
def test_unusable_names_are_refused(empty: Memory, source: Path, name: str) -> None:
    """A name that is taken, or is no plain file name, is refused; the same for `remove`, which then finds nothing."""
    assert empty.refused("model.install", name=name, source=str(source))["code"] == "INVALID_REQUEST"
    assert empty.refused("model.remove", name=name)["code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("", "INVALID_REQUEST"),
        ("nowhere", "NOT_FOUND"),
        ("a\0b", "INVALID_REQUEST"),
        ("package:", "INVALID_REQUEST"),
        ("package:../x", "INVALID_REQUEST"),
        ("package:no_such_package_at_all", "NOT_FOUND"),
        ("package:json", "NOT_FOUND"),
        ("hub:nonsense", "INVALID_REQUEST"),
        ("hub:owner/name", "INVALID_REQUEST"),
        ("hub:owner/name@main", "INVALID_REQUEST"),
        ("hub:owner/name@v1.0", "INVALID_REQUEST"),
        ("hub:../name@" + "a" * 40, "INVALID_REQUEST"),
    ],
)
def test_unusable_sources_are_refused(empty: Memory, source: str, code: str) -> None:
    """Nothing, a package without a model, a model of a hub without its exact revision: refused before any request."""
    assert empty.refused("model.install", name="mine", source=source)["code"] == code


def test_a_hub_that_cannot_be_reached_is_said(empty: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a network the install fails with one sentence, and leaves nothing."""
    if find_spec("huggingface_hub") is None:
        pytest.skip("huggingface_hub is not installed")
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    error = empty.refused("model.install", name="mine", source="hub:owner/name@" + "a" * 40)
    assert error["code"] == "REMOTE_UNAVAILABLE" and "\n" not in error["message"]
    assert not (tmp_path / "data" / "models").exists()


def test_without_the_hubs_library_it_is_named(empty: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A source that needs a package says which extra brings it."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    error = empty.refused("model.install", name="mine", source="hub:owner/name@" + "a" * 40)
    assert "git-memgit[neural]" in error["hint"]


def test_a_package_is_looked_at_and_not_run(empty: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that carries a model gives it without being imported; one that carries two must be told apart."""
    package = tmp_path / "site" / "carries_a_model"
    write_model(package / "model")
    (package / "__init__.py").write_text("raise SystemExit('imported')", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    installed = empty.run("model.install", name="mine", source="package:carries-a-model")
    assert installed["source"] == "package:carries_a_model"
    write_model(package / "second")
    assert "carries 2 models" in empty.refused("model.install", name="two", source="package:carries_a_model")["message"]
    assert "carries no model" in empty.refused("model.install", name="module", source="package:os")["message"]


def test_an_unknown_model_cannot_be_chosen(empty: Memory) -> None:
    """Choosing what is not there changes no setting."""
    assert empty.refused("model.use", name="nothing")["code"] == "NOT_FOUND"
    assert empty.git("config", "--default", "", "--get", "memgit.embedder") == ""


def test_a_setting_that_names_nothing_is_said(empty: Memory) -> None:
    """A list warns where the setting names a model that is not installed."""
    empty.git("config", "memgit.embedder", "gone")
    envelope = empty.envelope("model.list")
    assert envelope["result"]["used"] == "gone" and "gone, which is not installed" in envelope["warnings"][0]


def test_without_a_data_directory_nothing_is_installed(
    empty: Memory, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the user has no directory for data, installing says what to set, and a list still works."""
    for name in ("HOME", "XDG_DATA_HOME", "MEMGIT_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert "data directory" in empty.refused("model.install", name="mine", source=str(source))["message"]
    assert list(models(empty)) == ["static", "neural", "hash"]


def test_the_manifest_says_where_it_comes_from(empty: Memory, source: Path, tmp_path: Path) -> None:
    """Source, revision, time, and size, time and digest of each file are kept beside the model."""
    empty.run("model.install", name="mine", source=str(source))
    manifest = json.loads((tmp_path / "data" / "models" / "mine" / "manifest.json").read_bytes())
    assert set(manifest) == {"version", "name", "source", "revision", "digest", "installed_at", "files"}
    assert {len(file["digest"]) for file in manifest["files"]} == {64}
    assert manifest["revision"] == manifest["digest"][:12]


def test_what_a_neural_model_costs_is_said(empty: Memory, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is chosen: that each process loads it anew, or what to install; a light one needs no word."""
    empty.run("model.install", name="mine", source=str(source))
    monkeypatch.setattr("memgit.operations.models._library_missing", lambda: None)
    assert any("processes that stay" in warning for warning in empty.envelope("model.use", name="mine")["warnings"])
    assert empty.envelope("model.use", name="hash")["warnings"] == []
    monkeypatch.setattr("memgit.operations.models.find_spec", lambda name: None)
    assert any('git-memgit[neural]"' in warning for warning in empty.envelope("model.use", name="neural")["warnings"])
