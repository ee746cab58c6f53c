"""The versions of files that an anchor meets on its way, each read once."""

from __future__ import annotations

from collections import OrderedDict

from memgit.anchors.text import Text
from memgit.store.backend import ObjectMissing
from memgit.store.code_history import CodeHistory
from memgit.store.line_diff import Hunk, hunks
from memgit.store.objects import ObjectId

_KEPT_BYTES = 64 << 20  # of texts; a long history of a large file goes through here
_KEPT_DIFFERENCES = 4096
_FOLLOWED_BYTES = 4 << 20  # of one file; larger ones are generated, and each comparison takes seconds


class OldTextMissing(Exception):
    """A version of a file is not in this clone (a partial one, or a damaged one). The argument is the blob's id."""


class Files:
    """Texts by blob and the differences between them, kept while an answer is worked out."""

    def __init__(self, history: CodeHistory) -> None:
        self._history = history
        self._texts: OrderedDict[ObjectId, Text] = OrderedDict()
        self._differences: OrderedDict[tuple[ObjectId, ObjectId], list[Hunk]] = OrderedDict()
        self._bytes = 0

    def text(self, blob: ObjectId) -> Text:
        """Return a blob's text. Raises OldTextMissing."""
        if blob in self._texts:
            self._texts.move_to_end(blob)
            return self._texts[blob]
        try:
            data = self._history.blob(blob)
        except ObjectMissing:
            raise OldTextMissing(blob) from None
        text = Text(data)
        self._texts[blob] = text
        self._bytes += len(data)
        while self._bytes > _KEPT_BYTES and len(self._texts) > 2:
            _, oldest = self._texts.popitem(last=False)
            self._bytes -= len(oldest.data)
        return text

    def differences(self, old: ObjectId, new: ObjectId) -> list[Hunk]:
        """Return what differs between two blobs. Raises OldTextMissing."""
        key = (old, new)
        if key not in self._differences:
            self._differences[key] = compared(self.text(old), self.text(new))
            if len(self._differences) > _KEPT_DIFFERENCES:
                self._differences.popitem(last=False)
        return self._differences[key]


def compared(old: Text, new: Text) -> list[Hunk]:
    """Return what differs between two texts; very large ones differ as a whole."""
    if max(len(old.data), len(new.data)) > _FOLLOWED_BYTES and old.data != new.data:
        return [Hunk(0, len(old.lines), 0, len(new.lines))]
    return hunks(old.data, new.data)
