"""The lexical index on tantivy, the faster of the two: opening, the watermark, writing, and damage.

As the Whoosh index, it has one writer at a time by a lock, a watermark in the same commit as the data, and whatever a
damaged file makes tantivy raise becomes IndexDamaged. Single writes go to a file of recent documents
(`tantivy_recent`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import tantivy

from memgit.errors import IndexNotReady
from memgit.index import tantivy_recent, tantivy_scan, tantivy_schema
from memgit.index.documents import Document
from memgit.index.entries import entry_of
from memgit.index.index_digests import NAME as DIGESTS
from memgit.index.index_digests import IndexDigests, read_list
from memgit.index.index_directory import Files, delete_files, files_in, guarded, is_intact, translated, writer_lock
from memgit.index.lexical import Hit, IndexDamaged, IndexFilter, Order, QueryTerm, ScopeFilter, Watermark
from memgit.index.similarity import comparable
from memgit.index.tantivy_opening import TantivyFiles, await_lock, await_room
from memgit.index.tantivy_recent import Recent, RecentDocument
from memgit.index.tantivy_scan import Opened
from memgit.index.tantivy_schema import WATERMARK, WATERMARKED, Watermarked
from memgit.index.tantivy_words import TantivyVocabulary
from memgit.index.vocabulary import similar_words
from memgit.records.ids import EntityId

_T = TypeVar("_T")

_META = "meta.json"  # tantivy's table of contents, which it replaces by a rename
_CURRENT = (_META, tantivy_recent.NAME)  # what a write replaces
_WRITER_BYTES = 64_000_000  # of one thread, before it writes a segment; 100,000 claims make three


class TantivyIndex:
    """A `LexicalIndex` in a directory. One object may be used from several threads; they take turns."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._turn = threading.RLock()
        self._tantivy = TantivyFiles(directory)
        self._digests = IndexDigests(directory)
        self._files: Files = {}
        self._opened: Opened | None = None

    def watermark(self) -> Watermark | None:
        """Return what the index has observed, or None where it is empty. IndexDamaged also for another format."""
        with self._turn:
            opened = self._ask(self._current)
            return opened.recent.watermark if opened else None

    def apply(
        self,
        documents: Iterable[Document],
        removed: Iterable[EntityId],
        watermark: Watermark,
        base: Watermark | None,
    ) -> bool:
        """Replace and remove entities and move the watermark, in one step: see `LexicalIndex.apply`."""
        with self._turn, writer_lock(self._directory):
            if self.watermark() != base:
                return False
            opened = self._ask(self._current)
            if opened is not None:
                translated(self._adopt)
            change = _Change(self._directory, opened, watermark)
            try:
                _translated(self._directory, change.start)
                for entity in removed:
                    _translated(self._directory, change.replace, entity)
                for document in documents:
                    _translated(self._directory, change.add, document)
                if _translated(self._directory, change.finish):
                    translated(self._note)
            except BaseException:
                change.cancel()
                raise
            return True

    def query(self, terms: tuple[QueryTerm, ...], where: IndexFilter, limit: int, order: Order) -> tuple[Hit, ...]:
        """Return up to `limit` hits of each kind, best first: see `LexicalIndex.query`."""
        with self._turn:
            return self._ask(self._read, lambda opened: tantivy_scan.scan(opened, terms, where, limit, order))

    def similar_words(self, word: str, scope: ScopeFilter) -> tuple[str, ...]:
        """Return the words of a scope that `word` may stand for: see `LexicalIndex.similar_words`."""
        with self._turn:
            return self._ask(self._read, lambda opened: similar_words(TantivyVocabulary(opened, scope), word))

    def reset(self) -> None:
        """Delete everything but the lock, once no other process writes."""
        with self._turn, writer_lock(self._directory):
            self.close()
            translated(delete_files, self._directory)

    def close(self) -> None:
        """Release files. The next call opens them again."""
        with self._turn:
            self._opened = None
            self._tantivy.close()

    def _ask(self, action: Callable[..., _T], *arguments: Any) -> _T:
        answer: _T = guarded(self.close, _unpanicked, action, *arguments)
        return answer

    def _read(self, question: Callable[[Opened], tuple[Any, ...]]) -> tuple[Any, ...]:
        opened = self._current()
        return () if opened is None else question(opened)

    def _current(self) -> Opened | None:
        """Return the newest moment of the index, or None where there is none yet."""
        files = files_in(self._directory)
        if _META not in files:
            self.close()
            return None
        if files == self._files and self._opened is not None:
            return self._opened
        if not is_intact(self._files, files):
            self.close()
        self._digests.check(self._stamp(), files)  # first: tantivy may end the process over a file that is damaged
        if self._opened is None or any(self._files.get(name) != files.get(name) for name in _CURRENT):
            self._opened = _open(self._tantivy.newest(files), self._directory)
        self._files = files
        return self._opened

    def _stamp(self) -> int:
        """Return what tantivy counts operations by, as of the newest commit. A rebuilt index counts anew."""
        return int(msgspec.json.decode((self._directory / _META).read_bytes())["opstamp"])

    def _adopt(self) -> None:
        """List the files of a writer that died between its commit and its list. Nobody else writes now."""
        listed = read_list(self._directory)
        if listed is None or listed.generation != self._stamp():
            self._note()

    def _note(self) -> None:
        files = files_in(self._directory)
        self._digests.note(self._stamp(), _META, [name for name in files if _is_of_the_index(name)], files)


def _is_of_the_index(name: str) -> bool:
    """Tell whether a file is one that a commit consists of: neither a lock, nor replaced between commits."""
    return not name.startswith((".", tantivy_recent.NAME, DIGESTS))


def _open(index: Any, directory: Path) -> Opened | None:
    """Return the newest commit with the recent documents that belong to it, or None before the first commit."""
    recent = tantivy_recent.read_recent(directory)
    searcher = index.searcher()
    if not searcher.num_docs:
        return None
    mark = _observed(index, searcher)
    if recent is None or recent.generation != mark.generation:
        recent = Recent(mark.generation, mark.commit, mark.seq)
    languages = tantivy_scan.languages_in(searcher)
    return Opened(
        searcher=searcher,
        schema=index.schema,
        recent=recent,
        languages=tuple(sorted(recent.languages.union(languages))),
        facets=tuple(facet for facet, _ in searcher.terms_with_prefix("facet", "")),
        living=tantivy_scan.living_documents(searcher, languages),
    )


def _observed(index: Any, searcher: Any) -> Watermarked:
    query = tantivy.Query.term_query(index.schema, "own", WATERMARK, "basic")
    hits = searcher.search(query, limit=1).hits
    if not hits:
        raise IndexDamaged("the index has no watermark")
    mark = WATERMARKED.decode(searcher.doc(hits[0][1]).get_first("data"))
    if mark.format != tantivy_schema.FORMAT:
        raise IndexDamaged(f"the index has format {mark.format}; this program writes {tantivy_schema.FORMAT}")
    return mark


def _unpanicked(action: Callable[..., _T], *arguments: Any) -> _T:
    """Return what `action` returns; a panic of Rust code, which is no Exception, becomes IndexDamaged."""
    try:
        return action(*arguments)
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise IndexDamaged(f"tantivy panicked: {error}") from error
        raise


def _translated(directory: Path, action: Callable[..., _T], *arguments: object) -> _T:
    """Return what `action` returns; a full disk is no damage, nor a lock that another program holds."""
    try:
        answer: _T = translated(_unpanicked, action, *arguments)
        return answer
    except IndexDamaged as error:
        if "LockBusy" in str(error):
            raise IndexNotReady("another program is writing the index") from error
        if "writer was killed" in str(error):
            translated(await_room, directory)
        raise


class _Change:
    """One change in the making: kept in memory while it is small, else given to tantivy's writer."""

    def __init__(self, directory: Path, opened: Opened | None, watermark: Watermark) -> None:
        self._directory = directory
        self._opened = opened
        self._before = opened.recent if opened else Recent(0, "", 0)
        self._watermark = watermark
        self._writer: Any = None
        self._replaced: set[str] = set()
        self._added: list[RecentDocument] = []
        self._words = set(self._before.words)
        self._languages = set(self._before.languages)
        self._committed = tantivy_scan.languages_in(opened.searcher) if opened else ()

    def start(self) -> None:
        """Begin with a commit where there is none to add to."""
        if self._opened is None:
            self._begin()

    def replace(self, entity: str) -> None:
        """Drop all documents that the index has of an entity; once, however often it is named."""
        if entity not in self._replaced:
            self._replaced.add(entity)
            if self._writer is not None:
                self._writer.delete_documents_by_term("entity", entity)

    def add(self, document: Document) -> None:
        """Add a document, and what its entity had before goes."""
        self.replace(document.entity)
        entry = entry_of(document)
        for word in entry.surfaces:
            self._learn(word)
        for language in entry.languages:
            if language not in self._languages and language not in self._committed:
                self._languages.add(language)
                self._write(tantivy_schema.language_document(language))
        made = RecentDocument(tantivy_schema.keep(entry), entry.facet)
        if self._writer is not None:
            self._write(tantivy_schema.entry_document(made.kept, made.facet))
            return
        self._added.append(made)
        if len(self._added) > tantivy_recent.MOST:
            self._begin()

    def finish(self) -> bool:
        """Move the watermark, with a commit where there is more than the file of recent documents should hold.

        Tells whether there was a commit.
        """
        if self._writer is None:
            recent = self._recent()
            if len(recent.documents) <= tantivy_recent.MOST and len(recent.hidden) <= tantivy_recent.MOST:
                tantivy_recent.write_recent(self._directory, recent)
                return False
            self._begin()
        generation = self._before.generation + 1
        mark = Watermarked(tantivy_schema.FORMAT, generation, self._watermark.commit, self._watermark.seq)
        self._writer.delete_documents_by_term("own", WATERMARK)
        self._write(tantivy_schema.watermark_document(mark))
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._writer = None
        tantivy_recent.write_recent(self._directory, Recent(generation, mark.commit, mark.seq))
        return True

    def cancel(self) -> None:
        """Give up; what was written so far is never committed."""
        if self._writer is not None:
            with suppress(Exception):  # what made the change fail may make this fail too; its files are swept later
                self._writer.rollback()
            self._writer = None

    def _recent(self) -> Recent:
        """Return what is recent with this change."""
        assert self._opened is not None
        frequency = self._opened.searcher.doc_freq
        left = tuple(document for document in self._before.documents if document.entity not in self._replaced)
        return Recent(
            self._before.generation,
            self._watermark.commit,
            self._watermark.seq,
            self._before.hidden.union(entity for entity in self._replaced if frequency("entity", entity)),
            (*left, *self._added),
            frozenset(self._words),
            frozenset(self._languages),
        )

    def _begin(self) -> None:
        """Open tantivy's writer and give it what is already known: the recent documents, and this change so far."""
        await_lock(self._directory)
        is_new = self._opened is None
        if is_new:
            (self._directory / DIGESTS).unlink(missing_ok=True)
        index = tantivy_schema.create(self._directory) if is_new else tantivy.Index.open(str(self._directory))
        self._writer = index.writer(_WRITER_BYTES, 1)
        for entity in self._before.hidden | self._replaced:
            self._writer.delete_documents_by_term("entity", entity)
        left = [document for document in self._before.documents if document.entity not in self._replaced]
        for document in left + self._added:
            self._write(tantivy_schema.entry_document(document.kept, document.facet))
        for word in self._words:
            self._write(tantivy_schema.word_document(word))
        for language in self._languages:
            self._write(tantivy_schema.language_document(language))
        self._added = []

    def _write(self, document: Any) -> None:
        """Give a document to tantivy's writer, where there is one yet."""
        if self._writer is not None:
            self._writer.add_document(document)

    def _learn(self, word: str) -> None:
        """Add a word to the vocabulary unless it is known."""
        if word in self._words or not comparable(word):
            return
        if self._opened is None or not self._opened.searcher.doc_freq("surface", word):
            self._words.add(word)
            self._write(tantivy_schema.word_document(word))
