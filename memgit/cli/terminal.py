"""Text on its way to a person: made safe, coloured where that is wanted, never wrapped.

Stored text is anybody's text. What moves a cursor, recolours a screen, reverses a line or hides in it is shown as an
escape (`\\x1b`), whether or not a terminal is there: output gets redirected into files that people look at later.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import IO

from memgit.errors import MemgitError
from memgit.records.visible import visible

Part = str | tuple[str, str]
"""A piece of a line: plain text, or a style's name and text. Only a style adds escape sequences."""

_STYLES = {"id": "33", "bad": "31", "good": "32", "dim": "2", "strong": "1"}


class ClosedPipe(Exception):
    """Whoever read our output has gone; there is nobody to tell."""


class OutputRefused(MemgitError):
    """Standard output cannot be written, to a full disk for example."""

    default_hint = "Give the output another place."


def one_line(text: str, most: int = 0) -> str:
    """Return text on one line, safe as of `visible`; with `most`, at most that many characters."""
    line = " ".join(visible(text).split())
    return line if not most or len(line) <= most else line[: most - 3].rstrip() + "..."


def moment(time: str) -> str:
    """Return an RFC 3339 time in UTC to the second, as a person reads it."""
    return f"{time[:10]} {time[11:19]}Z" if len(time) > 19 else time


def counted(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun; `nouns` is the plural where it is not the noun with an s."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


class Output:
    """Standard output and standard error for people. `colour` is asked once, when the first style is used."""

    def __init__(self, colour: Callable[[], bool], *, quiet: bool = False) -> None:
        self._colour = colour
        self._coloured: bool | None = None
        self.quiet = quiet

    def line(self, *parts: Part) -> None:
        """Write one line of data."""
        write(sys.stdout, "".join(self._shown(part) for part in parts) + "\n")

    def block(self, text: str, indent: str = "    ") -> None:
        """Write a text of several lines, indented."""
        for line in visible(text).split("\n"):
            write(sys.stdout, (indent + line).rstrip() + "\n")

    def table(self, rows: Sequence[Sequence[str]], headings: Sequence[str]) -> None:
        """Write rows: as a table on a terminal, tab-separated and without headings into a pipe."""
        if sys.stdout.isatty():
            self._rich_table(rows, headings)
            return
        for row in rows:
            write(sys.stdout, "\t".join(one_line(cell) for cell in row).rstrip() + "\n")

    def data(self, data: bytes) -> None:
        """Write bytes exactly as they are, except to a terminal, which gets them as text that it does not obey."""
        if not sys.stdout.isatty():
            write_bytes(data)
            return
        text = data.decode("utf-8", "replace")
        shown = visible(text)
        write(sys.stdout, shown if shown.endswith("\n") else shown + "\n")
        if shown.encode("utf-8", "replace") != data:
            self.note("control characters are shown escaped; redirect the output for the exact bytes")

    def note(self, text: str) -> None:
        """Say something beside the data, on standard error, unless silence is asked for."""
        if not self.quiet:
            complain(text)

    def _shown(self, part: Part) -> str:
        if isinstance(part, str):
            return one_line_kept(part)
        style, text = part
        if self._coloured is None:
            self._coloured = self._colour()
        safe = one_line_kept(text)
        return f"\x1b[{_STYLES[style]}m{safe}\x1b[0m" if self._coloured and safe else safe

    def _rich_table(self, rows: Sequence[Sequence[str]], headings: Sequence[str]) -> None:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        if self._coloured is None:
            self._coloured = self._colour()
        header = "bold" if self._coloured else ""
        table = Table(*headings, box=None, pad_edge=False, header_style=header)
        for row in rows:
            table.add_row(*(Text(one_line(cell), overflow="fold") for cell in row))
        Console(file=sys.stdout, no_color=not self._coloured, highlight=False).print(table)


def one_line_kept(text: str) -> str:
    """Return a part of a line: safe, its spaces as they are, line ends as spaces."""
    return visible(text).replace("\n", " ")


def complain(*lines: str) -> None:
    """Write lines to standard error, safe to show. A closed standard error is nobody's business."""
    try:
        sys.stdout.flush()
        sys.stderr.write("".join(visible(line) + "\n" for line in lines))
        sys.stderr.flush()
    except OSError:
        pass


def show_progress(line: str) -> None:
    """Show on one line of a terminal's standard error how far it is; an empty line removes it."""
    import shutil

    width = shutil.get_terminal_size().columns
    try:
        sys.stderr.write(f"\r\x1b[K{one_line(line, max(20, width - 1))}")
        sys.stderr.flush()
    except OSError:
        pass


def write(stream: IO[str], text: str) -> None:
    """Write to standard output. Raises ClosedPipe, OutputRefused."""
    _guarded(lambda: stream.write(text))


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output, after what was written as text. Raises ClosedPipe, OutputRefused."""

    def send() -> None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    _guarded(send)


def flush() -> None:
    """Make sure that all output has gone out. Raises ClosedPipe, OutputRefused."""
    _guarded(sys.stdout.flush)


def _guarded(action: Callable[[], object]) -> None:
    try:
        action()
    except BrokenPipeError:
        raise ClosedPipe from None
    except OSError as error:
        raise OutputRefused(f"standard output cannot be written: {error.strerror or error}") from None
