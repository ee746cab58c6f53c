"""The lexical index on Whoosh: opening, the watermark, one atomic commit per change, and damage.

One writer at a time, across processes, by a lock beside the index; readers never wait for it, because Whoosh replaces
its table of contents by a rename and never changes a segment. The watermark is a document of that same commit, so it
cannot be ahead of the data. Whatever a damaged file makes Whoosh raise becomes IndexDamaged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from whoosh.codec.whoosh3 import W3Codec
from whoosh.index import LockError, create_in, open_dir
from whoosh.writing import MERGE_SMALL, OPTIMIZE

from memgit.errors import IndexNotReady
from memgit.index import whoosh_scan, whoosh_schema
from memgit.index.documents import Document
from memgit.index.entries import entry_of
from memgit.index.index_digests import NAME as DIGESTS
from memgit.index.index_digests import IndexDigests, read_list
from memgit.index.index_directory import Files, delete_files, files_in, guarded, is_intact, translated, writer_lock
from memgit.index.lexical import Hit, IndexDamaged, IndexFilter, Order, QueryTerm, ScopeFilter, Watermark
from memgit.index.similarity import comparable
from memgit.index.vocabulary import similar_words
from memgit.index.whoosh_postings import BLOCK, numbers_of
from memgit.index.whoosh_words import WhooshVocabulary
from memgit.records.ids import EntityId

_T = TypeVar("_T")

_NAME = "MAIN"  # Whoosh's default, with which all of its files' names begin

_WRITER_MEGABYTES = (
    512  # by Whoosh's generous estimate; 100,000 claims stay below, and runs on disk cost 80 % more time
)
_DELETED_SHARE = 0.3  # of all documents; above, the dead ones cost more per query than one rewrite
_FEW_DOCUMENTS = 1000  # below, a rewrite is not worth its own cost


class WhooshIndex:
    """A `LexicalIndex` in a directory. One object may be used from several threads; they take turns."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._turn = threading.RLock()
        self._reader: Any = None
        self._languages: tuple[str, ...] = ()
        self._digests = IndexDigests(directory)
        self._tocs: Files = {}
        self._files: Files = {}

    def watermark(self) -> Watermark | None:
        """Return what the index has observed, or None where it is empty. IndexDamaged also for another format."""
        with self._turn:
            return self._ask(self._read_watermark)

    def apply(
        self,
        documents: Iterable[Document],
        removed: Iterable[EntityId],
        watermark: Watermark,
        base: Watermark | None,
    ) -> bool:
        """Replace and remove entities and move the watermark, in one commit: see `LexicalIndex.apply`."""
        with self._turn, writer_lock(self._directory):
            if self.watermark() != base:
                return False
            reader = self._ask(self._current_reader)
            translated(self._adopt)
            writer = _Writer(_translated(self._open_writer), reader, self._languages if reader is not None else ())
            try:
                for entity in removed:
                    _translated(writer.remove, entity)
                for document in documents:
                    _translated(writer.add, document)
                _translated(writer.finish, watermark)
            except BaseException:
                with suppress(Exception):  # what made the change fail may make this fail too
                    writer.cancel()
                raise
            translated(self._note)
            return True

    def query(self, terms: tuple[QueryTerm, ...], where: IndexFilter, limit: int, order: Order) -> tuple[Hit, ...]:
        """Return up to `limit` hits of each kind, best first: see `LexicalIndex.query`."""
        with self._turn:
            return self._ask(self._scan, terms, where, limit, order)

    def similar_words(self, word: str, scope: ScopeFilter) -> tuple[str, ...]:
        """Return the words of a scope that `word` may stand for: see `LexicalIndex.similar_words`."""
        with self._turn:
            return self._ask(self._read, self._similar_words, (), word, scope)

    def reset(self) -> None:
        """Delete everything but the lock, once no other process writes."""
        with self._turn, writer_lock(self._directory):
            self.close()
            translated(delete_files, self._directory)

    def close(self) -> None:
        """Release files. The next call opens them again."""
        with self._turn:
            if self._reader is not None:
                self._reader.close()
            self._reader = None

    def _scan(self, terms: tuple[QueryTerm, ...], where: IndexFilter, limit: int, order: Order) -> tuple[Hit, ...]:
        reader = self._current_reader()
        return () if reader is None else whoosh_scan.scan(reader, self._languages, terms, where, limit, order)

    def _similar_words(self, reader: Any, word: str, scope: ScopeFilter) -> tuple[str, ...]:
        return similar_words(WhooshVocabulary(reader, self._languages, scope), word)

    def _ask(self, action: Callable[..., _T], *arguments: Any) -> _T:
        return guarded(self.close, action, *arguments)

    def _read_watermark(self) -> Watermark | None:
        data = self._read(whoosh_scan.observed, None)
        if data is None:
            return None
        if tuple(data[:2]) != whoosh_schema.FORMAT:
            raise IndexDamaged(f"the index has format {data[:2]}; this program writes {whoosh_schema.FORMAT}")
        return Watermark(*data[2:])

    def _read(self, question: Callable[..., _T], nothing: _T, *arguments: Any) -> _T:
        reader = self._current_reader()
        return nothing if reader is None else question(reader, *arguments)

    def _current_reader(self) -> Any:
        """Return a reader of the newest commit, or None where there is none yet."""
        files = files_in(self._directory)
        tocs = {name: files[name] for name in files if name.endswith(".toc")}
        if not tocs:
            self.close()
            return None
        if files == self._files and self._reader is not None:
            return self._reader
        self._digests.check(_generation(tocs), files)
        if self._reader is None or tocs != self._tocs or not is_intact(self._files, files):
            self.close()
            index: Any = open_dir(str(self._directory))
            self._reader = index.reader()
            self._languages = whoosh_scan.languages(self._reader)
        self._tocs, self._files = tocs, files
        return self._reader

    def _adopt(self) -> None:
        """List the files of a writer that died between its commit and its list. Nobody else writes now."""
        tocs = [name for name in files_in(self._directory) if name.endswith(".toc")]
        listed = read_list(self._directory)
        if tocs and (listed is None or listed.generation != _generation(tocs)):
            self._note()

    def _note(self) -> None:
        files = files_in(self._directory)
        generation = _generation(name for name in files if name.endswith(".toc"))
        contents = f"_{_NAME}_{generation}.toc"
        self._digests.note(generation, contents, [name for name in files if _is_of_the_index(name)], files)

    def _open_writer(self) -> Any:
        if not any(name.endswith(".toc") for name in files_in(self._directory)):
            (self._directory / DIGESTS).unlink(missing_ok=True)
            create_in(str(self._directory), whoosh_schema.schema())
        codec = W3Codec(blocklimit=BLOCK)  # type: ignore[no-untyped-call]  # Whoosh annotates only part of itself
        return open_dir(str(self._directory)).writer(limitmb=_WRITER_MEGABYTES, codec=codec)


class _Writer:
    """One commit in the making: Whoosh's writer, what it replaces, and the words that are new to the vocabulary."""

    def __init__(self, writer: Any, reader: Any, languages: tuple[str, ...]) -> None:
        self._writer = writer
        self._reader = reader
        self._languages = set(languages)
        self._replaced: set[EntityId] = set()
        self._words: set[str] = set()

    def remove(self, entity: EntityId) -> None:
        """Drop all documents that the index has of an entity; once, however often it is named."""
        if entity in self._replaced:
            return
        self._replaced.add(entity)
        if self._reader is not None:
            self._drop("entity", entity)

    def add(self, document: Document) -> None:
        """Add a document, and what its entity had before goes."""
        self.remove(document.entity)
        entry = entry_of(document)
        self._writer.add_document(**whoosh_schema.document_fields(entry))
        for language in entry.languages:
            if language not in self._languages:
                self._languages.add(language)
                self._writer.add_document(**whoosh_schema.language_fields(language))
        for word in entry.surfaces - self._words:
            self._words.add(word)
            if comparable(word) and not (self._reader is not None and ("surface", word) in self._reader):
                self._writer.add_document(**whoosh_schema.word_fields(word))

    def finish(self, watermark: Watermark) -> None:
        """Commit, with the watermark among the documents."""
        if self._reader is not None:
            self._drop("own", whoosh_schema.WATERMARK)
        self._writer.add_document(**whoosh_schema.watermark_fields(watermark.commit, watermark.seq))
        self._writer.commit(mergetype=_merge)

    def cancel(self) -> None:
        """Give up and release Whoosh's own lock; what was written so far is swept by the next commit."""
        if not self._writer.is_closed:
            self._writer.cancel()

    def _drop(self, field: str, term: str) -> None:
        for leaf, base in self._reader.leaf_readers():
            for number in numbers_of(leaf, field, term):
                self._writer.delete_document(base + number)


def _is_of_the_index(name: str) -> bool:
    """Tell whether a file is one that a commit consists of."""
    return name.endswith(".toc") or (name.startswith(f"{_NAME}_") and not name.endswith("LOCK"))


def _generation(tocs: Iterable[str]) -> int:
    """Return the newest generation of some tables of contents, `_MAIN_12.toc`."""
    return max(int(name.removesuffix(".toc").rpartition("_")[2]) for name in tocs)


def _merge(writer: Any, segments: list[Any]) -> list[Any]:
    """Merge small segments as Whoosh does, and all of them once too many documents are dead."""
    dead = sum(segment.deleted_count() for segment in segments)
    everything = sum(segment.doc_count_all() for segment in segments)
    policy = OPTIMIZE if dead > _DELETED_SHARE * max(everything, _FEW_DOCUMENTS) else MERGE_SMALL
    merged: list[Any] = policy(writer, segments)  # type: ignore[no-untyped-call]  # Whoosh annotates only part of itself
    return merged


def _translated(action: Callable[..., _T], *arguments: Any) -> _T:
    try:
        return translated(action, *arguments)
    except IndexDamaged as error:
        if isinstance(error.__cause__, LockError):
            raise IndexNotReady("another program is writing the index") from error
        raise
