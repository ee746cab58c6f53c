"""The vectors of a store's documents, kept as a lexical index is: `refresh` brings them to a commit, a filter restricts
what may rank.

It owns what of a document is embedded and how the vector index names it: descriptions, passages of what is current,
and the texts that were derived from it. It ranks nothing itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from memgit.index.documents import Document
from memgit.index.embedders.embedder import Embedder
from memgit.index.entries import details_of, facet_of, judge_facet, stored
from memgit.index.lexical import IndexFilter, Stored, Watermark
from memgit.index.vectors import Admission, DenseHit, Item, OtherEmbedder, VectorIndex
from memgit.records.ids import EntityId

if TYPE_CHECKING:
    from memgit.index.embedders.embedder import Vectors

_DETAILS = msgspec.msgpack.Decoder(tuple[Any, ...])


class DocumentVectors:
    """The vectors that live in a directory, for one embedder. Those of another give way at the first look.

    Every method may raise IndexDamaged, and EmbedderUnavailable where the model fails.
    """

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        self._vectors = VectorIndex(directory, embedder)
        self._embedder = embedder
        self._asked: tuple[str, Vectors] | None = None  # a request asks the same twice, and a model may take long

    def watermark(self) -> Watermark | None:
        """Return what the vectors have observed, or None where there are none of this embedder."""
        try:
            return self._vectors.watermark()
        except OtherEmbedder:
            self._vectors.reset()
            return None

    def apply(
        self,
        documents: Iterable[Document],
        removed: Iterable[EntityId],
        watermark: Watermark,
        base: Watermark | None,
    ) -> bool:
        """Replace and remove entities and move the watermark: see `LexicalIndex.apply`."""
        return self._vectors.apply(_items(documents), removed, watermark, base)

    def nearest(self, question: str, where: IndexFilter, limit: int) -> Iterator[tuple[Stored, float]]:
        """Yield the `limit` documents nearest to a question that `where` admits with their cosines, best first."""
        admission = Admission(
            groups=lambda group: all(judge_facet(group, where)),
            besides=where.scope.pins,
            accepts=lambda owner, part, details: _accepts(_document(details), where),
        )
        for hit in self._search(question, limit, admission):
            yield _document(hit.details), hit.score

    def of(self, question: str, entities: Collection[EntityId], where: IndexFilter) -> Mapping[EntityId, float]:
        """Return the best cosine of each of these entities whose lifecycle and scope `where` admits."""
        admission = Admission(groups=lambda group: all(judge_facet(group, where)), owners=entities)
        best: dict[EntityId, float] = {}
        for hit in self._search(question, 8 * len(entities), admission):
            best.setdefault(EntityId(hit.owner), hit.score)
        return best

    def reset(self) -> None:
        """Delete everything."""
        self._vectors.reset()

    def close(self) -> None:
        """Release files."""
        self._vectors.close()

    def _search(self, question: str, limit: int, admission: Admission) -> tuple[DenseHit, ...]:
        asked = self._asked  # another thread may put its own question there at any moment
        if asked is None or asked[0] != question:
            self._asked = asked = (question, self._embedder.embed_query(question))
        return self._vectors.search(asked[1], limit, admission) if limit else ()


def _accepts(document: Stored, where: IndexFilter) -> bool:
    return document.kind in where.kinds and where.admits_details(document)


def _document(details: bytes) -> Stored:
    return stored(_DETAILS.decode(details))


def _items(documents: Iterable[Document]) -> Iterator[Item]:
    """Yield what is embedded: a description as it is read, a passage of an artifact, or a text derived from it.

    The past of an artifact is left to words: it says mostly what the present says.
    """
    for document in documents:
        if document.kind == "artifact" and not document.head:
            continue
        text = (
            f"{document.title}\n{document.body}" if document.title and document.body else document.title + document.body
        )
        span = "" if document.start is None else f"#{document.start}-{document.end}"
        derived = "" if document.projection is None else f"@{document.projection}"
        details = msgspec.msgpack.encode(details_of(document))
        yield Item(document.entity, f"{document.revision}{span}{derived}", text, facet_of(document), details)
