"""Canonical YAML of a record: block style, UTF-8, no anchors, aliases or tags, every scalar a string to the reader.

The emitter and the parser are libyaml's (through PyYAML), driven event by event, so that nothing resolves a type:
the schema does that (`memgit.records.codec`). The digest of a record is taken over the stored bytes, never over a
second serialisation, because the C and the Python emitter of PyYAML differ.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import lru_cache

import yaml

from memgit.limits import DEFAULT, Limits

Raw = str | list["Raw"] | dict[str, "Raw"]
"""What a record is before its schema: strings, lists and mappings."""

Plain = None | bool | int | float | str | Sequence["Plain"] | Mapping[str, "Plain"]
"""What can be written: a mapping's entries that are None are left out."""


class YamlRefused(ValueError):
    """The text is not a record: not YAML, too large, too deep, or of a form that a record never has."""


def dump(record: Mapping[str, Plain]) -> bytes:
    """Return the record as canonical YAML bytes, keys in the given order.

    Raises YamlRefused for text that UTF-8 cannot carry (lone surrogates).
    """
    buffer = io.BytesIO()
    dumper = yaml.CSafeDumper(buffer, allow_unicode=True, encoding="utf-8", width=_WIDTH)
    try:
        dumper.emit(yaml.StreamStartEvent(encoding="utf-8"))
        dumper.emit(yaml.DocumentStartEvent(explicit=False))
        _emit(dumper, record)
        dumper.emit(yaml.DocumentEndEvent(explicit=False))
        dumper.emit(yaml.StreamEndEvent())
    except UnicodeEncodeError as error:
        raise YamlRefused(f"text that UTF-8 cannot carry: {error.reason}") from None
    finally:
        dumper.dispose()
    return buffer.getvalue()


def load(data: bytes, limits: Limits = DEFAULT) -> dict[str, Raw]:
    """Return the mapping that `data` holds, every scalar as the string that was written.

    Raises YamlRefused, with the reason, for anything but one bounded block of mappings, lists and scalars.
    """
    if len(data) > limits.record_bytes:
        raise YamlRefused(f"{len(data)} bytes, more than {limits.record_bytes}")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise YamlRefused(f"not UTF-8 at byte {error.start}") from None
    loader = yaml.CBaseLoader(data)
    try:
        return _Builder(loader, limits).document()
    except yaml.YAMLError as error:
        raise YamlRefused(_first_line(error)) from None
    finally:
        loader.dispose()


_WIDTH = 1 << 30  # never fold a line: folding would make the bytes depend on the width
_PLAIN_OR_QUOTED = (True, True)


def _emit(dumper: yaml.CSafeDumper, value: Plain) -> None:
    if isinstance(value, str):
        dumper.emit(yaml.ScalarEvent(None, None, _PLAIN_OR_QUOTED, value, style=_style(value)))
    elif isinstance(value, Mapping):
        dumper.emit(yaml.MappingStartEvent(None, None, True, flow_style=not value))
        for key, entry in value.items():
            if entry is not None:
                _emit(dumper, key)
                _emit(dumper, entry)
        dumper.emit(yaml.MappingEndEvent())
    elif isinstance(value, Sequence):
        dumper.emit(yaml.SequenceStartEvent(None, None, True, flow_style=not value))
        for entry in value:
            _emit(dumper, entry)
        dumper.emit(yaml.SequenceEndEvent())
    else:
        dumper.emit(yaml.ScalarEvent(None, None, _PLAIN_OR_QUOTED, _scalar(value)))


def _scalar(value: bool | int | float | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else repr(value)


def _style(text: str) -> str | None:
    """Return the style in which every YAML reader, ours or another, takes `text` for a string."""
    if "\u2028" in text or "\u2029" in text:
        return '"'  # escaped: these end a line in YAML 1.1, but not in 1.2
    if "\n" in text:
        return "|"
    resolves = _short_resolves(text) if len(text) <= _SHORT else _resolves(text)
    return "'" if resolves else None


_SHORT = 64  # keys, verbs, ids and digests come again and again; a cache of statements would only hold them in memory


@lru_cache(maxsize=4096)
def _short_resolves(text: str) -> bool:
    return not text or _resolves(text)


def _resolves(text: str) -> bool:
    """Tell whether YAML's own resolver would take the plain text for something else than a string."""
    for _, pattern in _RESOLVERS.get(text[0], ()):
        if pattern.match(text):
            return True
    return text[0] in "0123456789+-." and _is_number(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.startswith(("0o", "0x", "0b"))
    return True


_RESOLVERS = yaml.SafeLoader.yaml_implicit_resolvers


class _Builder:
    """Builds the raw mapping from parse events, within the bounds, without recursion."""

    def __init__(self, loader: yaml.CBaseLoader, limits: Limits) -> None:
        self._next = loader.get_event
        self._limits = limits

    def document(self) -> dict[str, Raw]:
        root: dict[str, Raw] | None = None
        current: dict[str, Raw] | list[Raw] | None = None
        key: str | None = None
        stack: list[tuple[dict[str, Raw] | list[Raw] | None, str | None]] = []
        nodes = 0
        while True:
            event = self._next()
            if isinstance(event, yaml.ScalarEvent):
                self._check(event)
                nodes += 1
                if isinstance(current, list):
                    current.append(event.value)
                elif current is None:
                    raise YamlRefused("the record is not a mapping")
                elif key is None:
                    key = self._new_key(event.value, current)
                else:
                    current[key] = event.value
                    key = None
            elif isinstance(event, yaml.CollectionStartEvent):
                self._check(event)
                nodes += 1
                node: dict[str, Raw] | list[Raw] = {} if isinstance(event, yaml.MappingStartEvent) else []
                if current is None:
                    root = self._root(root, node)
                elif isinstance(current, list):
                    current.append(node)
                elif key is None:
                    raise YamlRefused("a key is not a scalar")
                else:
                    current[key] = node
                stack.append((current, key))
                current, key = node, None
                if len(stack) > self._limits.record_depth:
                    raise YamlRefused(f"nested deeper than {self._limits.record_depth}")
            elif isinstance(event, yaml.CollectionEndEvent):
                current, _ = stack.pop()
                key = None
            elif isinstance(event, yaml.AliasEvent):
                raise YamlRefused("an alias")
            elif isinstance(event, yaml.StreamEndEvent):
                break
            if nodes > self._limits.record_nodes:
                raise YamlRefused(f"more than {self._limits.record_nodes} values")
        if root is None:
            raise YamlRefused("empty")
        return root

    @staticmethod
    def _check(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        if event.anchor is not None:
            raise YamlRefused("an anchor")
        if event.tag is not None:
            raise YamlRefused(f"a tag ({event.tag})")

    @staticmethod
    def _new_key(name: str, mapping: dict[str, Raw]) -> str:
        if name in mapping:
            raise YamlRefused(f"the key {name!r} twice")
        return name

    @staticmethod
    def _root(root: dict[str, Raw] | None, node: dict[str, Raw] | list[Raw]) -> dict[str, Raw]:
        if root is not None:
            raise YamlRefused("more than one document")
        if isinstance(node, list):
            raise YamlRefused("the record is not a mapping")
        return node


def _first_line(error: yaml.YAMLError) -> str:
    return " ".join(str(error).split())[:200]
