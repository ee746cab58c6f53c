"""How entries lie in a tantivy index: the fields, and terms that say roughly how much they weigh.

tantivy scores by its own BM25, which Python cannot replace. So a term is stored also with the step of a scale that its
weight reaches at most, a query gives each step its score, and tantivy ranks by a bound from above; the exact weight is
computed from the stored counts of the few documents that come near the top (`tantivy_scan`). The analysis is `entries`'
alone: every value here is one ready-made term.
"""

from __future__ import annotations

import bisect
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import tantivy

from memgit.index.analysis import ANALYSIS_VERSION
from memgit.index.entries import FIELDS, KINDS, SEPARATOR, Entry, bm25, stored
from memgit.index.index_digests import replace_file
from memgit.index.lexical import Stored
from memgit.index.similarity import trigrams

FORMAT = (4, ANALYSIS_VERSION)
"""Stored with the watermark; an index of another format is rebuilt."""

WORD, WATERMARK, LANGUAGE = "word", "watermark", "language:"
"""Under `own`: the index's own entries, as in the Whoosh index."""

_COMMON = tuple(round(0.8 + 0.02 * step, 2) for step in range(26))
STEPS = (0.2, 0.4, 0.6, 0.7, *_COMMON, 1.35, 1.4, 1.45, 1.5, 1.6, 1.7, 1.8, 1.9)
"""The scale: each step is a bound from above. A weight is below k1 + 1 = 1.9; most words stand once in a text of usual
length, which gives 0.8 to 1.3, so the steps are finest there."""

MARKS = tuple(f"{SEPARATOR}{chr(ord('a') + step)}" for step in range(len(STEPS)))
_WEIGHED = ("word", "title")

_BLOCK_BYTES = 1024
"""Of what is stored, compressed together. A query reads some hundred documents from all over the index, each with its
block: tantivy's 16 KiB took 8 µs a document, these take 2 and need a quarter more of the disk."""


class Watermarked(msgspec.Struct, array_like=True):
    """The entry of the watermark. `generation` counts the commits, and tells which recent documents belong to one."""

    format: tuple[int, ...]
    generation: int
    commit: str
    seq: int


class Kept(msgspec.Struct, array_like=True):
    """What is stored of an entry: its details, and what its exact weights are computed from."""

    details: Stored
    word: tuple[float, dict[str, int]]
    title: tuple[float, dict[str, int]]
    identifiers: frozenset[str]
    parts: frozenset[str]

    def weight(self, field: str, form: str) -> float:
        """Return how much a form weighs in a field, 0 where it is absent."""
        if field == "word":
            norm, counts = self.word
        elif field == "title":
            norm, counts = self.title
        else:
            return float(form in (self.identifiers if field == "identifier" else self.parts))
        return bm25(counts[form], norm) if form in counts else 0.0


KEPT = msgspec.msgpack.Decoder(Kept)
WATERMARKED = msgspec.msgpack.Decoder(Watermarked)


def schema() -> Any:
    """Return the schema of an index."""
    builder = tantivy.SchemaBuilder()
    names = ["facet", "entity", "own", "surface", "trigram"]
    for name in names + [field_of(kind, field) for kind in KINDS for field in FIELDS]:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("data", stored=True)
    return builder.build()


def create(directory: Path) -> Any:
    """Return a new index in a directory that exists, its stored documents in small blocks.

    The Python package cannot say how large these are, so that is said in the file where tantivy keeps it. That is
    replaced in one step, as tantivy does: another process may be reading it, and this one may die.
    """
    tantivy.Index(schema(), path=str(directory))
    contents = directory / "meta.json"
    with suppress(ValueError, KeyError):  # of a tantivy that keeps it elsewhere: then blocks are as large as usual
        meta = json.loads(contents.read_bytes())
        if not meta["segments"]:
            meta["index_settings"]["docstore_blocksize"] = _BLOCK_BYTES
            replace_file(contents, json.dumps(meta).encode())
    return tantivy.Index.open(str(directory))


def field_of(kind: str, field: str) -> str:
    """Return the field of the index that holds what `field` says of documents of this kind."""
    return f"{kind}_{field}"


def terms_of(field: str, form: str) -> list[tuple[str, float]]:
    """Return the terms that say how much a form may weigh in a field; the form itself says that it stands there."""
    if field not in _WEIGHED:
        return [(form, 1.0)]
    return [(form + mark, most) for mark, most in zip(MARKS, STEPS, strict=True)]


def keep(entry: Entry) -> Kept:
    """Return what to store of an entry."""
    return Kept(
        stored(entry.details),
        (entry.word.norm, entry.word.counts),
        (entry.title.norm, entry.title.counts),
        entry.identifiers,
        entry.parts,
    )


def entry_document(kept: Kept, facet: str) -> Any:
    """Return an entry as tantivy's writer takes it."""
    kind = kept.details.kind
    fields: dict[str, list[str]] = {
        "identifier": sorted(kept.identifiers),
        "word": _marked(*kept.word),
        "title": _marked(*kept.title),
        "part": sorted(kept.parts),
    }
    filled: dict[str, Any] = {field_of(kind, name): values for name, values in fields.items() if values}
    return tantivy.Document(facet=facet, entity=kept.details.entity, data=msgspec.msgpack.encode(kept), **filled)


def word_document(word: str) -> Any:
    """Return a vocabulary entry."""
    return tantivy.Document(own=WORD, surface=word, trigram=sorted(trigrams(word)), data=word.encode())


def language_document(language: str) -> Any:
    """Return the entry that says that some document is of a language."""
    return tantivy.Document(own=LANGUAGE + language, data=b"")


def watermark_document(watermarked: Watermarked) -> Any:
    """Return the entry that says what was observed."""
    return tantivy.Document(own=WATERMARK, data=msgspec.msgpack.encode(watermarked))


def _marked(norm: float, counts: dict[str, int]) -> list[str]:
    steps = (min(bisect.bisect_left(STEPS, bm25(count, norm)), len(MARKS) - 1) for count in counts.values())
    return [*counts, *(form + MARKS[step] for form, step in zip(counts, steps, strict=True))]
