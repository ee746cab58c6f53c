"""The `static` embedder: a weighted sum of trained vectors of word pieces, from the table that `wordllama` carries.

The files of the installed package are read in place: the table is mapped, and only the rows of a text's own pieces are
touched. The package itself is never imported; that costs 230 ms, configures logging for the whole process, and could
download. Nothing here can.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit.index.embedders.embedder import EmbedderUnavailable, Identity, Span
from memgit.index.embedders.weights import WeightsDamaged, map_matrix
from memgit.index.embedders.windows import batches, cut, first_window, utf8

if TYPE_CHECKING:
    from memgit.index.embedders.embedder import Vectors

REVISION = "l2_supercat_256"
"""The one table in the package's wheel: 32,000 pieces of 256 dimensions in float16, with the tokenizer of Llama 2."""

WINDOW_BYTES = 1024  # a few sentences; the mean of a longer text is near to everything

_TENSOR = "embedding.weight"
_FIRST_LEARNT = 259  # before it: three special pieces and the 256 bytes of what has no piece
_SIGNS = re.compile(
    r"(?<!\w)['’]|['’](?!\w)|[\s!-&(-/:-@\[-`{-~¡-©«-±´¶-¸»¿×÷\u2000-\u2018\u201a-\u206f\u3000-\u303f\uff01-\uff0f]+"
)
"""What separates words: blanks and punctuation, but for an apostrophe inside a word. Emoji and letters stay."""

_SHORTEST = 1e-6  # a length to divide by; the table has none below 0.3
_VERSION = 1  # of what is done here with the files
_BATCH = 256


class StaticEmbedder:
    """An `Embedder` over a table of word pieces and its tokenizer."""

    def __init__(self, table: Vectors, tokenizer: Any, identity: Identity) -> None:
        self._table = table
        self._tokenizer = tokenizer
        self._identity = identity

    @property
    def identity(self) -> Identity:
        """Which embedder this is: the digest of both files and of our own version."""
        return self._identity

    def windows(self, text: str) -> list[Span]:
        """Return pieces of at most WINDOW_BYTES."""
        return cut(utf8(text), WINDOW_BYTES)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text. A row depends on its text alone, not on what it is embedded with."""
        import numpy as np

        sums = [row for batch in batches(texts, _BATCH) for row in self._sums(self._pieces(batch))]
        rows = np.stack(sums) if sums else np.zeros((0, self._identity.dimensions), np.float32)
        norms = np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1, keepdims=True))
        usable = norms > 0  # NaN, which a damaged table may hold, is not
        return np.where(usable, rows / np.where(usable, norms, 1), 0).astype(np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, made as any other."""
        row: Vectors = self.embed([text])[0]
        return row

    def _sums(self, pieces: list[list[int]]) -> Iterator[Vectors]:
        """Yield for each text the sum of its pieces' vectors, each times log(1 + rank) / sqrt(length).

        A piece's number is its rank by frequency, so that the rare ones count more (Zipf's law in place of counts, as
        in Model2Vec, github.com/MinishLab/model2vec). The table's longest vectors are too loud for retrieval; the root
        halves that. Measured on the LoCoMo dev file in decision 0026.
        """
        import numpy as np

        numbers = np.array([number for found in pieces for number in found], np.intp)
        vectors = self._table[numbers].astype(np.float32)
        ranks = np.maximum(numbers - (_FIRST_LEARNT - 1), 1).astype(np.float32)
        lengths = np.sqrt(np.square(vectors).sum(axis=1))
        vectors *= (np.log1p(ranks) / np.sqrt(np.maximum(lengths, _SHORTEST)))[:, np.newaxis]
        start = 0
        for found in pieces:
            yield vectors[start : start + len(found)].sum(axis=0)
            start += len(found)

    def _pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of each text's word pieces; none for a blank text, whose one piece would be a mark."""
        shown = [_words(first_window(text, WINDOW_BYTES)) for text in texts]
        encoded = self._tokenizer.encode_batch_fast(shown, add_special_tokens=False)
        known = len(self._table)
        return [
            [number for number in found.ids if number < known] if text else []
            for text, found in zip(shown, encoded, strict=True)
        ]


def _words(text: str) -> str:
    """Return the words of a text in lower case with one blank between them, or all of it where it holds no word."""
    return _SIGNS.sub(" ", text.lower()).strip() or text.strip()


def open_static() -> StaticEmbedder:
    """Return the embedder over the installed package's files. Raises EmbedderUnavailable."""
    try:
        spec = find_spec("wordllama")  # finds the folder and runs nothing of it
    except (ImportError, ValueError) as error:
        raise EmbedderUnavailable(f"the package wordllama cannot be found: {error}") from error
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailable("the package wordllama is not installed")
    folder = Path(next(iter(spec.submodule_search_locations)))
    return open_table(
        folder / "weights" / f"{REVISION}.safetensors",
        folder / "tokenizers" / "l2_supercat_tokenizer_config.json",
    )


def open_table(weights: Path, tokenizer: Path) -> StaticEmbedder:
    """Return the embedder over a table and its tokenizer. Raises EmbedderUnavailable for what is missing or damaged."""
    try:
        from blake3 import blake3
        from tokenizers import Tokenizer

        table = map_matrix(weights, _TENSOR)
        digest = blake3(f"memgit static {_VERSION}".encode())
        for path in (weights, tokenizer):
            digest.update(blake3().update_mmap(path).digest())
        loaded = Tokenizer.from_file(str(tokenizer))
        loaded.no_padding()
        loaded.no_truncation()
    except (OSError, ImportError, WeightsDamaged) as error:
        raise EmbedderUnavailable(f"the word vectors cannot be read: {error}") from error
    except Exception as error:  # the tokenizer's library raises nothing more precise
        raise EmbedderUnavailable(f"{tokenizer.name} cannot be read: {error}") from error
    return StaticEmbedder(table, loaded, Identity("static", REVISION, digest.hexdigest(), int(table.shape[1])))
