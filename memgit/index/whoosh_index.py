"""The lexical index on Whoosh: opening, the watermark, one atomic commit per change, and damage.

One writer at a time, across processes, by a lock beside the index; readers never wait for it, because Whoosh replaces
its table of contents by a rename and never changes a segment. The watermark is a document of that same commit, so it
cannot be ahead of the data. Whatever a damaged file makes Whoosh raise becomes IndexDamaged.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from whoosh.index import LockError, create_in, open_dir
from whoosh.writing import MERGE_SMALL, OPTIMIZE

from memgit.errors import IndexNotReady, MemgitError, StoreReadOnly
from memgit.index import whoosh_scan, whoosh_schema
from memgit.index.documents import Document
from memgit.index.lexical import Hit, IndexDamaged, IndexFilter, Order, QueryTerm, Watermark
from memgit.index.similarity import comparable
from memgit.limits import DEFAULT
from memgit.records.ids import EntityId

_T = TypeVar("_T")

LOCK_NAME = "write.lock"
_WRITER_MEGABYTES = (
    512  # by Whoosh's generous estimate; 100,000 claims stay below, and runs on disk cost 80 % more time
)
_DELETED_SHARE = 0.3  # of all documents; above, the dead ones cost more per query than one rewrite
_FEW_DOCUMENTS = 1000  # below, a rewrite is not worth its own cost
_ATTEMPTS = 2  # Whoosh itself tries ten times to open the files of one table of contents
_UNWRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT}


class WhooshIndex:
    """A `LexicalIndex` in a directory. One object may be used from several threads; they take turns."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._turn = threading.RLock()
        self._reader: Any = None
        self._opened: frozenset[tuple[str, int, int]] = frozenset()

    def watermark(self) -> Watermark | None:
        """Return what the index has observed, or None where it is empty. IndexDamaged also for another format."""
        with self._turn:
            return self._guarded(self._read_watermark)

    def apply(
        self,
        documents: Iterable[Document],
        removed: Iterable[EntityId],
        watermark: Watermark,
        base: Watermark | None,
    ) -> bool:
        """Replace and remove entities and move the watermark, in one commit: see `LexicalIndex.apply`."""
        with self._turn, self._lock():
            if self.watermark() != base:
                return False
            reader = self._guarded(self._current_reader)
            writer = _Writer(_translated(self._open_writer), reader)
            try:
                for entity in removed:
                    _translated(writer.remove, entity)
                for document in documents:
                    _translated(writer.add, document)
                _translated(writer.finish, watermark)
            except BaseException:
                writer.cancel()
                raise
            return True

    def query(self, terms: tuple[QueryTerm, ...], where: IndexFilter, limit: int, order: Order) -> tuple[Hit, ...]:
        """Return up to `limit` hits of each kind, best first: see `LexicalIndex.query`."""
        with self._turn:
            return self._guarded(self._read, whoosh_scan.scan, (), terms, where, limit, order)

    def similar_words(self, word: str) -> tuple[str, ...]:
        """Return the words of the index that `word` may stand for: see `LexicalIndex.similar_words`."""
        with self._turn:
            return self._guarded(self._read, whoosh_scan.similar_words, (), word)

    def reset(self) -> None:
        """Delete everything but the lock, once no other process writes."""
        with self._turn, self._lock():
            self.close()
            _translated(self._delete_files)

    def close(self) -> None:
        """Release files. The next call opens them again."""
        with self._turn:
            if self._reader is not None:
                self._reader.close()
            self._reader = None

    def _read_watermark(self) -> Watermark | None:
        data = self._read(whoosh_scan.observed, None)
        if data is None:
            return None
        if tuple(data[:2]) != whoosh_schema.FORMAT:
            raise IndexDamaged(f"the index has format {data[:2]}; this program writes {whoosh_schema.FORMAT}")
        return Watermark(*data[2:])

    def _delete_files(self) -> None:
        for path in self._directory.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != LOCK_NAME:
                path.unlink()

    def _read(self, question: Callable[..., _T], nothing: _T, *arguments: Any) -> _T:
        reader = self._current_reader()
        return nothing if reader is None else question(reader, *arguments)

    def _current_reader(self) -> Any:
        """Return a reader of the newest commit, or None where there is none yet."""
        state = _state(self._directory)
        if not state:
            self.close()
        elif self._reader is None or state != self._opened:
            self.close()
            index: Any = open_dir(str(self._directory))
            self._reader = index.reader()
            self._opened = state
        return self._reader

    def _open_writer(self) -> Any:
        if not _state(self._directory):
            create_in(str(self._directory), whoosh_schema.schema())
        return open_dir(str(self._directory)).writer(limitmb=_WRITER_MEGABYTES)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Hold the writer's lock. Raises IndexNotReady where another process keeps it for too long."""
        from filelock import FileLock, Timeout

        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._directory / LOCK_NAME, timeout=DEFAULT.lock_wait_ms / 1000)
            lock.acquire()
        except Timeout:
            raise IndexNotReady(f"another process is writing the index in {self._directory}") from None
        except OSError as error:
            raise StoreReadOnly(f"the index in {self._directory} cannot be written: {error.strerror}") from error
        try:
            yield
        finally:
            lock.release()

    def _guarded(self, action: Callable[..., _T], *arguments: Any) -> _T:
        """Return what `action` returns; try again where another process replaced the files that were just listed."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return _translated(action, *arguments)
            except IndexDamaged:
                self.close()
        return _translated(action, *arguments)


class _Writer:
    """One commit in the making: Whoosh's writer, what it replaces, and the words that are new to the vocabulary."""

    def __init__(self, writer: Any, reader: Any) -> None:
        self._writer = writer
        self._reader = reader
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
        fields, surfaces = whoosh_schema.document_fields(document)
        self._writer.add_document(**fields)
        for word in surfaces - self._words:
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
            for number in whoosh_scan.numbers(leaf, field, term):
                self._writer.delete_document(base + number)


def _merge(writer: Any, segments: list[Any]) -> list[Any]:
    """Merge small segments as Whoosh does, and all of them once too many documents are dead."""
    dead = sum(segment.deleted_count() for segment in segments)
    everything = sum(segment.doc_count_all() for segment in segments)
    policy = OPTIMIZE if dead > _DELETED_SHARE * max(everything, _FEW_DOCUMENTS) else MERGE_SMALL
    merged: list[Any] = policy(writer, segments)  # type: ignore[no-untyped-call]  # Whoosh annotates only part of itself
    return merged


def _state(directory: Path) -> frozenset[tuple[str, int, int]]:
    """Return what tells one commit from another, also after a reset has begun to count anew; empty for no index."""
    try:
        with os.scandir(directory) as entries:
            found = [(entry.name, entry.stat()) for entry in entries if entry.name.endswith(".toc")]
    except FileNotFoundError:
        return frozenset()
    return frozenset((name, status.st_ino, status.st_mtime_ns) for name, status in found)


def _translated(action: Callable[..., _T], *arguments: Any) -> _T:
    """Return what `action` returns; what a damaged or unwritable file makes it raise is given its proper name."""
    try:
        return action(*arguments)
    except (MemgitError, IndexDamaged):
        raise
    except LockError as error:
        raise IndexNotReady("another program is writing the index") from error
    except OSError as error:
        if error.errno in _UNWRITABLE:
            raise StoreReadOnly(f"the index cannot be written: {error.strerror}") from error
        raise IndexDamaged(str(error)) from error
    except Exception as error:
        raise IndexDamaged(f"{type(error).__name__}: {error}") from error
