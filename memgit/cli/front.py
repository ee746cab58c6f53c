"""One command's way to the operations: where it runs, what it asks, and in which form the answer goes out.

A verb hands over an operation's name and the fields that its flags gave. With `--json` the answer is the envelope that
`call` prints for that request; else the typed result goes to the verb's own text. No idempotency key is made up here:
one that nobody could repeat would leave a receipt for nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from memgit.cli.terminal import Output, complain, show_progress, write_bytes
from memgit.environment import Environment
from memgit.errors import MemgitError

if TYPE_CHECKING:
    from msgspec import Struct

    from memgit.operations.invocation import Invocation
    from memgit.protocol.table import Operation

ResultT = TypeVar("ResultT", bound="Struct")


class Front:
    """The state of one command line. `directory` is where `-C` leads; paths that people type start there."""

    def __init__(self, directory: Path, environment: Environment | None = None) -> None:
        self.directory = directory
        self.environment = environment or Environment.read()
        self.as_json = False
        self.out = Output(self._wants_colour)
        self.write_fields: dict[str, object] = {}  # how to write, as the verb's flags say
        self.read_fields: dict[str, object] = {}  # which layers to read, as the verb's flags say
        self._told: set[str] = set()
        self._last: Invocation | None = None

    def perform(
        self, name: str, fields: Mapping[str, object], kind: type[ResultT], show: Callable[[ResultT], None]
    ) -> ResultT | None:
        """Run an operation and print its answer; return the result, or None where the envelope was printed.

        Raises what the operation raises, and click's Exit where the envelope says more than "done".
        """
        if self.as_json:
            self._print_envelope(name, fields)
            return None
        result = self.ask(name, fields, kind)
        written = tuple(self._last.written) if self._last is not None else ()
        show(result)  # which may ask for more
        self._say_where(name, written)
        return result

    def ask(self, name: str, fields: Mapping[str, object], kind: type[ResultT]) -> ResultT:
        """Run an operation and return its result, printing nothing but its warnings."""
        from memgit.protocol.envelope import read_input
        from memgit.protocol.table import find_operation

        operation = find_operation(name)
        given = read_input(operation, self._with_write_fields(operation, fields))
        invocation = self.invocation()
        try:
            invocation.take(given)
            if operation.context:
                invocation.context  # noqa: B018 - as `envelope.run`: a missing context is the first thing said
            result = operation.handler()(invocation, given)
        finally:
            self._warn(invocation.warnings)
            invocation.close()
            self._last = invocation
        assert isinstance(result, kind), f"{name} answers with {type(result).__name__}"
        return result

    def invocation(self) -> Invocation:
        """Return a fresh reach for what is no operation; whoever takes it closes it."""
        from memgit.operations.invocation import Invocation

        invocation = Invocation(self.directory, self.environment)
        if sys.stderr.isatty() and not self.as_json:
            invocation.attended = sys.stdin.isatty()
            invocation.progress = None if self.out.quiet or self.environment.dumb_terminal else show_progress
        return invocation

    def path(self, typed: str) -> Path:
        """Return the path that a person means, seen from where the command runs."""
        return self.directory / typed

    def _print_envelope(self, name: str, fields: Mapping[str, object]) -> None:
        from memgit.protocol.envelope import answer
        from memgit.protocol.table import find_operation

        whole = self._with_write_fields(find_operation(name), fields)
        answered = answer({"op": name, "input": whole}, self.directory, self.environment)
        write_bytes(answered.encode())
        if answered.exit_status:
            raise click.exceptions.Exit(answered.exit_status)

    def _with_write_fields(self, operation: Operation, fields: Mapping[str, object]) -> dict[str, object]:
        if operation.group == "write":
            return {**fields, **self.write_fields}
        taken = operation.request_type().__struct_fields__ if self.read_fields else ()
        return {**fields, **{name: value for name, value in self.read_fields.items() if name in taken}}

    def _say_where(self, name: str, written: Iterable[str]) -> None:
        """Say in which layer a write went where nothing of it is for everybody."""
        from memgit.protocol.table import find_operation

        layers = tuple(written)
        if "shared" not in layers and find_operation(name).group == "write":
            for layer in layers:
                self.out.note(f"written to the {layer_name(layer)}")

    def _warn(self, warnings: Iterable[str]) -> None:
        """Say each warning once: a verb may need several operations that all notice the same."""
        for text in dict.fromkeys(warnings):
            if text not in self._told and not self.out.quiet and not self.as_json:
                complain(f"warning: {text}")
            self._told.add(text)

    def _wants_colour(self) -> bool:
        """Tell whether standard output gets colours: what the setting says, else whether it is a capable terminal."""
        is_terminal = sys.stdout.isatty() and not self.environment.dumb_terminal and sys.platform != "win32"
        if self.environment.no_color:
            return False
        wanted = "auto"
        with suppress(MemgitError):
            wanted = (self._last or self.invocation()).config.text("color")  # `_last` has read Git config already
        return is_terminal if wanted == "auto" else wanted == "always"


def layer_name(layer: str) -> str:
    """Return what people call a layer."""
    return f"draft {layer.removeprefix('draft:')}" if layer.startswith("draft:") else f"{layer} layer"


def layer_label(layer: str) -> str:
    """Return what stands behind an item that is not shared; nothing for what is."""
    return "" if layer == "shared" else f"  ({layer.replace(':', ' ')})"


def given(**fields: object) -> dict[str, object]:
    """Return the fields that a flag gave a value to; what was not given is left to the operation's default."""
    return {name: value for name, value in fields.items() if value is not None and value != () and value is not False}
