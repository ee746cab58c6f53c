"""The vectors of a store's documents, kept as a lexical index is: `refresh` brings them to a commit, a filter restricts
what may rank.

It owns what of a document is embedded and how the vector index names it: descriptions, passages of what is current,
and the texts that were derived from it. It ranks nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.index.documents import Document
from memgit.index.embedders.embedder import Embedder
from memgit.index.entries import facet_of, judge_facet
from memgit.index.lexical import IndexFilter, Watermark
from memgit.index.vectors import Admission, DenseHit, Item, OtherEmbedder, VectorIndex
from memgit.records.ids import EntityId, RevisionId

if TYPE_CHECKING:
    from memgit.index.embedders.embedder import Vectors

Part = tuple[RevisionId, int | None, int | None, EntityId | None]
"""A revision, or the bytes [start, end) of an artifact's; at last the text that was derived from them, if it is one."""


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

    def nearest(
        self, question: str, where: IndexFilter, limit: int, admits: Callable[[EntityId, RevisionId], bool]
    ) -> Iterator[tuple[EntityId, Part, float]]:
        """Yield the `limit` documents nearest to a question with their cosines, best first.

        `where` judges lifecycle and scope; `admits` is asked last, for what is finer.
        """
        admission = Admission(
            groups=lambda group: all(judge_facet(group, where)),
            besides=where.scope.pins,
            accepts=lambda owner, part: _accepts(_part(part), where) and admits(EntityId(owner), _part(part)[0]),
        )
        for hit in self._search(question, limit, admission):
            yield EntityId(hit.owner), _part(hit.part), hit.score

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
        if self._asked is None or self._asked[0] != question:
            self._asked = (question, self._embedder.embed_query(question))
        return self._vectors.search(self._asked[1], limit, admission) if limit else ()


def _accepts(part: Part, where: IndexFilter) -> bool:
    return where.derived or part[3] is None


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
        yield Item(document.entity, f"{document.revision}{span}{derived}", text, facet_of(document))


def _part(name: str) -> Part:
    place, _, derived = name.partition("@")
    revision, _, span = place.partition("#")
    start, _, end = span.partition("-")
    projection = EntityId(derived) if derived else None
    return (
        (RevisionId(revision), int(start), int(end), projection) if span else (RevisionId(revision), None, None, None)
    )
