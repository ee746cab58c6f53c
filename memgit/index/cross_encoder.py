"""A cross-encoder: a model that reads a question and a text together and says how well they fit. It orders, no more.

Optional (extra `neural`), from a local directory or an installed model. As with `embedders.neural`, nothing is
downloaded and no code of a model is run: its files are looked at before they are loaded, and weights are safetensors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from memgit.errors import MemgitError
from memgit.index.embedders.embedder import EmbedderUnavailable
from memgit.index.embedders.install import CLASSIFIER, model_files
from memgit.index.embedders.installed import find_model
from memgit.index.embedders.neural import sentence_transformers
from memgit.index.embedders.windows import utf8

_SHOWN = 4096  # characters of a text; more than any of these models sees
_BATCH = 16


class CrossEncoderUnavailable(Exception):
    """The model cannot be used here. The message says why; the order stays as it is without."""


class CrossEncoder:
    """A loaded model, on the CPU."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers the question; only the order of the numbers means something.

        Raises CrossEncoderUnavailable where the model fails or gives no numbers.
        """
        pairs = [(_readable(question), _readable(text)) for text in texts]
        if not pairs:
            return []
        try:
            found = self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False)
            scores = [float(score) for score in found]
        except Exception as error:  # whatever the model's libraries raise
            raise CrossEncoderUnavailable(f"the model failed: {error}") from error
        if len(scores) != len(pairs) or not all(map(math.isfinite, scores)):
            raise CrossEncoderUnavailable("the model gave no usable scores")
        return scores


def open_cross_encoder(wanted: str, data_dir: Path | None) -> CrossEncoder:
    """Return the model that the setting names, loaded and used once. Raises CrossEncoderUnavailable. Takes seconds.

    `wanted` is the absolute path of a directory, or the name of an installed model.
    """
    directory = _directory(wanted, data_dir)
    _check(directory)
    try:
        library = sentence_transformers()
        model = library.CrossEncoder(
            str(directory),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except EmbedderUnavailable as error:
        raise CrossEncoderUnavailable(str(error)) from error
    except Exception as error:  # whatever the model's libraries raise
        raise CrossEncoderUnavailable(f"the model in {directory} cannot be loaded: {error}") from error
    opened = CrossEncoder(model)
    opened.scores("a", ["a"])  # the first use costs more, and shows that it works
    return opened


def _directory(wanted: str, data_dir: Path | None) -> Path:
    path = Path(wanted)
    if path.is_absolute():
        if not path.is_dir():
            raise CrossEncoderUnavailable(f"{path} is no directory")
        return path
    model = find_model(data_dir, wanted)
    if model is None:
        raise CrossEncoderUnavailable(f"there is no installed model {wanted[:64]!r}, and it is no absolute path")
    if model.problem is not None:
        raise CrossEncoderUnavailable(f"the model {wanted} is unusable: {model.problem}")
    return model.files


def _check(directory: Path) -> None:
    """Raise CrossEncoderUnavailable unless the directory holds a safe model that gives one score.

    The library would load anything else with scores that mean nothing.
    """
    try:
        files = model_files(directory)
        said = msgspec.json.decode(files["config.json"].read_bytes())
    except (MemgitError, KeyError, OSError, msgspec.DecodeError) as error:
        raise CrossEncoderUnavailable(f"{directory} holds no usable model: {error}") from error
    kinds = said.get("architectures") if isinstance(said, dict) else None
    if not isinstance(kinds, list) or not kinds or not all(str(kind).endswith(CLASSIFIER) for kind in kinds):
        raise CrossEncoderUnavailable(f"{directory} holds no cross-encoder, but {kinds or 'something else'}")
    labels = said.get("id2label")
    if labels is not None and len(labels) != 1:
        raise CrossEncoderUnavailable(f"the model in {directory} gives {len(labels)} scores for a text, not one")


def _readable(text: str) -> str:
    return utf8(text[:_SHOWN]).decode()
