"""The `neural` embedder: a sentence-transformers model from a local directory. Importing its libraries takes seconds.

Nothing is downloaded and no code of a model is run: the hub is switched off before the libraries load, weights are
safetensors, and remote code is refused. One text gives the same vector up to about 2e-7 in each component, whatever it
is embedded with; the same batch gives the same bytes. The index keeps a vector as long as its text is the same, so
nothing depends on more.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit.index.embedders.embedder import EmbedderUnavailable, Identity, Span
from memgit.index.embedders.windows import cut_by_count, utf8

if TYPE_CHECKING:
    from memgit.index.embedders.embedder import Vectors

_LONGEST_WINDOW = 512  # tokens; a longer one blurs what it holds, and its cost grows with the square
_BYTES_PER_TOKEN = 4  # English; where a text has more tokens, its window is halved until it fits
_BATCH = 32
_QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",  # else it warns whenever a process starts another
}


class NeuralEmbedder:
    """An `Embedder` over a sentence-transformers model, on the CPU."""

    def __init__(self, model: Any, identity: Identity) -> None:
        self._model = model
        self._identity = identity
        tokenizer = model.tokenizer
        window = min(int(model.max_seq_length or _LONGEST_WINDOW), _LONGEST_WINDOW)
        self._most = max(1, window - int(tokenizer.num_special_tokens_to_add()))

    @property
    def identity(self) -> Identity:
        """Which embedder this is: the digest of the model's files."""
        return self._identity

    def windows(self, text: str) -> list[Span]:
        """Return pieces that the model sees whole, by its own tokenizer."""
        return cut_by_count(utf8(text), self._most, max(8, self._most * _BYTES_PER_TOKEN), self._count)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text; the model cuts off what lies beyond its window."""
        return self._encode(self._model.encode_document, texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, with the model's own prompt for questions where it has one."""
        row: Vectors = self._encode(self._model.encode_query, [text])[0]
        return row

    def _encode(self, encode: Any, texts: Sequence[str]) -> Vectors:
        import numpy as np

        rows = np.zeros((len(texts), self._identity.dimensions), np.float32)
        shown = {number: utf8(text).decode() for number, text in enumerate(texts) if text.strip()}
        if not shown:
            return rows
        try:
            found = encode(list(shown.values()), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False)
        except Exception as error:  # whatever the model's libraries raise
            raise EmbedderUnavailable(f"the model {self._identity.name} failed: {error}") from error
        rows[list(shown)] = np.nan_to_num(np.asarray(found, np.float32), nan=0.0, posinf=0.0, neginf=0.0)
        return rows

    def _count(self, texts: list[str]) -> list[int]:
        sure = [len(text) * 4 <= self._most for text in texts]  # no token is shorter than a byte
        if all(sure):
            return [0] * len(texts)
        found = self._model.tokenizer(texts, add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
        return [len(tokens) for tokens in found]


def open_model(directory: Path, name: str, revision: str, digest: str) -> NeuralEmbedder:
    """Return the embedder of the model in `directory`. Raises EmbedderUnavailable. Takes seconds.

    `digest` stands for the model's files; whoever opens the model has compared them with it.
    """
    model = _load(directory)
    try:
        dimensions = len(model.encode("a", show_progress_bar=False))  # and so it is known to work
        return NeuralEmbedder(model, Identity(name, revision, digest, dimensions))
    except Exception as error:  # a model of some other kind
        raise EmbedderUnavailable(f"{directory} holds no sentence embedding model: {error}") from error


def sentence_transformers() -> Any:
    """Return the library, imported with its hub switched off and in silence. Raises EmbedderUnavailable."""
    os.environ.update(_QUIET)  # read when the libraries are imported
    try:
        library: Any = importlib.import_module("sentence_transformers")
    except ImportError as error:
        raise EmbedderUnavailable(
            'the package sentence-transformers is not installed; `pip install "git-memgit[neural]"` brings it'
        ) from error
    with suppress(Exception):  # progress bars and advice on standard error
        messages: Any = importlib.import_module("transformers.utils.logging")
        messages.disable_progress_bar()
        messages.set_verbosity_error()
    return library


def _load(directory: Path) -> Any:
    library = sentence_transformers()
    try:
        return library.SentenceTransformer(
            str(directory),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:  # whatever the model's libraries raise
        raise EmbedderUnavailable(f"the model in {directory} cannot be loaded: {error}") from error
