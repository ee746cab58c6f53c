"""The embedder as the vector index sees it: what every one of them promises, and the identity that its vectors carry.

It owns the contract (`tests/index/test_embedders.py` holds all to it). A vector has unit length, or it is all zeros
where there is nothing to embed; it is never NaN. No embedder touches the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """One row a text, or a single vector."""


class EmbedderUnavailable(Exception):
    """The embedder cannot be used here. The message says why and what would help; the answer is the next embedder."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells one embedder's vectors from another's. Vectors of two identities are never compared.

    `digest` is BLAKE3-256 over everything that decides what the vectors are: files, and the version of our own steps.
    """

    name: str
    revision: str
    digest: str
    dimensions: int


class Span(NamedTuple):
    """The bytes [start, end) of a text in UTF-8; both ends between code points."""

    start: int
    end: int


class Embedder(Protocol):
    """Turns texts into vectors that lie near each other where the texts are alike."""

    @property
    def identity(self) -> Identity:
        """Which embedder this is."""

    def windows(self, text: str) -> list[Span]:
        """Return the pieces of `text` that are embedded one by one: in order, covering it, each within the model's
        window.

        None for a text without anything to embed.
        """

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, of unit length or all zeros. What lies beyond the model's window is not seen.

        Raises EmbedderUnavailable where the model fails.
        """

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, which some models embed in another way than what answers it."""
