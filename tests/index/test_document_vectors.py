"""The vectors of a store answer each question with its own vector, whatever else is asked meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memgit.index.document_vectors import DocumentVectors
from memgit.index.embedders.hashing import HashEmbedder
from memgit.index.lexical import IndexFilter, ScopeFilter, Watermark

from .test_lexical import claim, ids

WHERE = IndexFilter(ScopeFilter())


class Interrupted(DocumentVectors):
    """Another thread puts a question of its own as soon as one has been kept."""

    _kept: Any = None
    _interrupts = True

    @property  # type: ignore[override]
    def _asked(self) -> Any:
        return self._kept

    @_asked.setter
    def _asked(self, asked: Any) -> None:
        self._kept = asked
        if asked is not None and self._interrupts:
            self._interrupts = False
            list(self.nearest("locomotive engines", WHERE, 1))


def test_a_question_is_answered_with_its_own_vector(tmp_path: Path) -> None:
    """What is kept for the next request belongs to all threads; an answer does not."""
    vectors = Interrupted(tmp_path, HashEmbedder())
    documents = [claim(1, "apples and pears"), claim(2, "locomotive engines")]
    assert vectors.apply(documents, (), Watermark("commit", 1), None)
    ((document, _),) = vectors.nearest("apples and pears", WHERE, 1)
    assert [document.entity] == ids("clm", 1)
    vectors.close()
