"""A cross-encoder is loaded from safe files alone, gives one score for each text, and anything else is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from memgit.errors import InvalidRequest
from memgit.index.cross_encoder import CrossEncoder, CrossEncoderUnavailable, open_cross_encoder
from memgit.index.embedders.install import model_files
from tests.index.cross_encoder_directory import write_cross_encoder
from tests.index.model_directory import safetensors, write_model

TEXTS = ["the heron dives at noon", "a cache", "", "water " * 5000, "the heron dives at noon"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real model, where its libraries are installed."""
    if find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed")
    return write_cross_encoder(tmp_path_factory.mktemp("models") / "model")


@pytest.mark.neural
@pytest.mark.slow
def test_a_real_model_scores_texts(model: Path) -> None:
    """One number for each, the same for the same text, whatever stands around it."""
    opened = open_cross_encoder(str(model), None)
    scores = opened.scores("the heron dives", TEXTS)
    assert len(scores) == len(TEXTS) and scores[0] == pytest.approx(scores[4], abs=1e-5)
    assert len({round(score, 4) for score in scores}) > 1
    assert opened.scores("the heron dives", TEXTS[:1])[0] == pytest.approx(scores[0], abs=1e-5)
    assert opened.scores("\ud800 ?", ["\udfff"]) and opened.scores("a", []) == []


@pytest.mark.neural
@pytest.mark.slow
def test_it_opens_no_connection_and_says_nothing(model: Path) -> None:
    """Not even where its library would look for news of the model."""
    program = (
        "import socket\n"
        "def refuse(*names): raise AssertionError('a connection')\n"
        "socket.socket.connect = socket.create_connection = refuse\n"
        "from memgit.index.cross_encoder import open_cross_encoder\n"
        f"assert open_cross_encoder({str(model)!r}, None).scores('a', ['a heron'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.neural
@pytest.mark.slow
def test_several_scores_for_a_text_are_refused(model: Path, tmp_path: Path) -> None:
    """A classifier of topics is no cross-encoder."""
    with pytest.raises(CrossEncoderUnavailable, match="3 scores"):
        open_cross_encoder(str(write_cross_encoder(tmp_path / "three", labels=3)), None)


def test_a_classifier_can_be_installed_without_modules(tmp_path: Path) -> None:
    """As cross-encoders are published; another model of transformers alone cannot."""
    directory = _bare(tmp_path / "one", {"architectures": ["BertForSequenceClassification"]})
    assert model_files(directory).keys() == {"config.json", "model.safetensors"}
    with pytest.raises(InvalidRequest, match=r"modules\.json is missing"):
        model_files(_bare(tmp_path / "two", {"architectures": ["BertModel"]}))


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"architectures": ["BertModel"]}, "modules.json is missing"),
        ({"architectures": "BertForSequenceClassification"}, "modules.json is missing"),
        ([], "modules.json is missing"),
        ({"architectures": ["BertForSequenceClassification"], "auto_map": {}}, "auto_map"),
        ({"architectures": ["BertForSequenceClassification"], "id2label": {"0": "a", "1": "b"}}, "2 scores"),
        ({"architectures": ["BertForSequenceClassification", "BertModel"]}, "no cross-encoder"),
    ],
)
def test_what_is_no_safe_cross_encoder_is_refused(tmp_path: Path, config: Any, said: str) -> None:
    """Before any library is loaded."""
    with pytest.raises(CrossEncoderUnavailable, match=said):
        open_cross_encoder(str(_bare(tmp_path / "model", config)), None)


def test_an_embedder_and_unsafe_weights_are_refused(tmp_path: Path) -> None:
    """The library would read the first with scores that mean nothing, and run the second."""
    with pytest.raises(CrossEncoderUnavailable, match="no cross-encoder"):
        open_cross_encoder(str(write_model(tmp_path / "embedder")), None)
    unsafe = _bare(tmp_path / "unsafe", {"architectures": ["BertForSequenceClassification"]})
    (unsafe / "model.safetensors").rename(unsafe / "pytorch_model.bin")
    with pytest.raises(CrossEncoderUnavailable, match="can hold code"):
        open_cross_encoder(str(unsafe), None)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    """Half a file of weights, and files that are gone."""
    directory = _bare(tmp_path / "half", {"architectures": ["BertForSequenceClassification"]})
    (directory / "model.safetensors").write_bytes(safetensors()[:-1])
    with pytest.raises(CrossEncoderUnavailable, match="damaged"):
        open_cross_encoder(str(directory), None)
    for wanted in (str(tmp_path / "nothing"), "nothing", "../half", "", "a" * 5000):
        with pytest.raises(CrossEncoderUnavailable):
            open_cross_encoder(wanted, tmp_path)


@pytest.mark.parametrize("given", [[float("nan")], [1.0, 2.0], ["x"], None])
def test_scores_that_are_no_numbers_are_refused(given: Any) -> None:
    """A damaged model may give them."""

    class Model:
        def predict(self, pairs: Any, **options: Any) -> Any:
            return given

    with pytest.raises(CrossEncoderUnavailable):
        CrossEncoder(Model()).scores("a", ["a"])


def _bare(directory: Path, config: Any) -> Path:
    """Write a model of one configuration and one file of weights."""
    directory.mkdir()
    (directory / "config.json").write_text(json.dumps(config), "utf-8")
    (directory / "model.safetensors").write_bytes(safetensors())
    return directory
