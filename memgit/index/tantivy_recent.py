"""The documents of the last few writes, in a file beside a tantivy index.

A commit of tantivy waits for the disk a dozen times. An index is derived and can be rebuilt, so it need not: single
writes are kept here, in one small file that is replaced as a whole, until there are enough of them for a commit. The
file belongs to one commit of the index, by its generation; beside another, or damaged, it is as if it were not there,
and what it held is read from the commits again.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from memgit.index.index_digests import framed, replace_file, unframed
from memgit.index.lexical import Watermark
from memgit.index.tantivy_schema import Kept

NAME = "recent.msgpack"
MOST = 128  # documents; each is looked at by every query, which costs about 5 µs


class RecentDocument(msgspec.Struct, array_like=True, frozen=True):
    """A document as it is kept, and its facet."""

    kept: Kept
    facet: str

    @property
    def entity(self) -> str:
        """The entity that the document is of."""
        return self.kept.details.entity


class Recent(msgspec.Struct, array_like=True, frozen=True):
    """What was written after the commit of `generation`, with its words and languages where these are new.

    `hidden`: entities whose documents in that commit are void.
    """

    generation: int
    commit: str
    seq: int
    hidden: frozenset[str] = frozenset()
    documents: tuple[RecentDocument, ...] = ()
    words: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()

    @property
    def watermark(self) -> Watermark:
        """What has been observed with these documents."""
        return Watermark(self.commit, self.seq)


_DECODER = msgspec.msgpack.Decoder(Recent)


def read_recent(directory: Path) -> Recent | None:
    """Return what the file says, or None where there is none or it is damaged. It begins with its BLAKE3."""
    try:
        body = unframed((directory / NAME).read_bytes())
        return _DECODER.decode(body) if body is not None else None
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def write_recent(directory: Path, recent: Recent) -> None:
    """Replace the file. Raises OSError where it cannot be written."""
    replace_file(directory / NAME, framed(msgspec.msgpack.encode(recent)))
