"""An anchor on its way through a history: where it is after each step, or where its way ended."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memgit.anchors.located import Certainty, Place, less_certain
from memgit.store.objects import ObjectId


@dataclass(frozen=True, slots=True)
class Spot:
    """Lines [start, end) of one version of a file, counted from 0; no lines mean the whole file.

    `blob` is None for a working file. `why` tells the weakest step so far, where there was one that says something.
    """

    path: str  # bytes that are not UTF-8 as surrogates
    blob: ObjectId | None
    start: int | None
    end: int | None
    certainty: Certainty = "certain"
    why: str = ""
    has_rival: bool = False  # another line of descent put the lines elsewhere, where they may still be

    @property
    def is_whole(self) -> bool:
        """Whether the file as such is meant."""
        return self.start is None

    def at(self, path: str, blob: ObjectId | None, start: int | None, end: int | None) -> Spot:
        """Return the spot somewhere else, as sure as before."""
        return replace(self, path=path, blob=blob, start=start, end=end)

    def weaker(self, certainty: Certainty, why: str) -> Spot:
        """Return the spot after a step of that certainty."""
        return replace(self, certainty=less_certain(self.certainty, certainty), why=why)

    def place(self) -> Place:
        """Return the spot as an answer shows it."""
        path, encoded = written_path(self.path)
        if self.start is None or self.end is None:
            return Place(path, encoded)
        return Place(path, encoded, self.start + 1, self.end)


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a way: the last spot, the commit that ended it, how sure that is, and places that look the same."""

    last: Spot
    commit: ObjectId | None
    certainty: Certainty
    why: str
    others: tuple[Spot, ...] = ()


Way = Spot | Ended


def written_path(path: str) -> tuple[str, bool]:
    """Return a path as an anchor holds it, and whether it had to be percent-encoded."""
    try:
        path.encode()
    except UnicodeEncodeError:
        data = path.encode("utf-8", "surrogateescape")
        plain = frozenset(b"/-._~+,=@ ()[]{}!#$&';^`")
        return "".join(chr(byte) if _is_plain(byte, plain) else f"%{byte:02X}" for byte in data), True
    return path, False


def read_path(path: str, encoded: bool) -> str:
    """Return an anchor's path with its bytes that are not UTF-8 as surrogates."""
    if not encoded:
        return path
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(path).decode("utf-8", "surrogateescape")


def _is_plain(byte: int, plain: frozenset[int]) -> bool:
    return byte < 128 and (chr(byte).isalnum() or byte in plain)
