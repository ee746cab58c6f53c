"""Write the generated parts of the pages from the code that they describe.

    python docs/generate.py            write them
    python docs/generate.py --check    write nothing; exit 1, and say where, if a page says something else

A generated part stands between `<!-- generated: begin NAME -->` and `<!-- generated: end -->`. Everything around it is
written by hand. A part whose name is not known, or that is not ended, is an error.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Struct, UnsetType

from memgit import limits
from memgit.config.settings import PRECEDENCE, SETTINGS
from memgit.config.values import describe_values
from memgit.errors import JsonValue, MemgitError
from memgit.protocol.instructions import MARKDOWN
from memgit.protocol.table import OPERATIONS, Operation
from memgit.scope.marker import MARKER_KEYS
from memgit.scope.resolve import PRECEDENCE as CONTEXT_SOURCES
from memgit.scope.session import SESSION_FIELDS

DOCS = Path(__file__).resolve().parent
_PART = re.compile(r"(<!-- generated: begin ([a-z-]+) -->\n)(.*?)(<!-- generated: end -->)", re.DOTALL)
_BEGIN = "<!-- generated: begin"
_PLAIN = {str: "text", int: "integer", float: "number", bool: "boolean", NoneType: "null", Any: "any JSON"}


def main(arguments: list[str]) -> int:
    """Write or check every page; return the exit status."""
    stale = [page for page in sorted(DOCS.rglob("*.md")) if _is_stale(page)]
    names = [page.relative_to(DOCS.parent).as_posix() for page in stale]
    if "--check" in arguments:
        lines = [f"{name}: its generated part is out of date; run `python docs/generate.py`\n" for name in names]
        sys.stdout.write("".join(lines) or "generated parts are up to date\n")
        return 1 if names else 0
    for page in stale:
        page.write_text(rendered(page.read_text("utf-8")), "utf-8")
    sys.stdout.write("".join(f"{name}\n" for name in names) or "nothing to write\n")
    return 0


def rendered(text: str) -> str:
    """Return a page's text with its generated parts as the code has them now. Raises ValueError for a broken part."""
    if text.count(_BEGIN) != len(_PART.findall(text)):
        raise ValueError("a generated part is not ended, or has no name")
    return _PART.sub(lambda part: f"{part[1]}\n{_body(part[2])}\n{part[4]}", text)


def _body(name: str) -> str:
    if name not in PARTS:
        raise ValueError(f"there is no generated part {name!r}")
    return "\n".join(PARTS[name]()).strip() + "\n"


def _is_stale(page: Path) -> bool:
    text = page.read_text("utf-8")
    return rendered(text) != text


def _limits() -> Iterator[str]:
    """Yield a row for each limit, with the reason that its comment gives."""
    reasons = _comments(Path(limits.__file__), "Limits")
    yield from _head("limit", "value", "unit", "reason")
    for field in dataclasses.fields(limits.Limits):
        reason = reasons.get(field.name, "")
        unit, comma, rest = reason.partition(",")
        counted = unit.strip() in ("a count", "a number")
        unit = (
            "milliseconds"
            if field.name.endswith("_ms")
            else "count"
            if counted or "byte" not in field.name
            else "bytes"
        )
        text = (rest if counted and comma else "" if counted else reason).strip()
        yield _row(f"`{field.name}`", f"{getattr(limits.DEFAULT, field.name):,}", unit, text)


def _comments(source: Path, name: str) -> dict[str, str]:
    """Return the comment beside each field of a class."""
    lines = source.read_text("utf-8").splitlines()
    tree = ast.parse("\n".join(lines))
    owner = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    fields = [node for node in owner.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)]
    found = {}
    for node in fields:
        assert isinstance(node.target, ast.Name)
        found[node.target.id] = lines[(node.end_lineno or node.lineno) - 1].partition("  # ")[2]
    return found


def _errors() -> Iterator[str]:
    yield from _head("code", "exit", "retryable", "meaning", "what to do")
    for kind in _kinds(MemgitError):
        yield _row(
            f"`{kind.code}`",
            str(kind.exit_status),
            "yes" if kind.retryable else "no",
            _sentence(kind.__doc__),
            kind.default_hint,
        )


def _kinds(root: type[MemgitError]) -> Iterator[type[MemgitError]]:
    for kind in root.__subclasses__():
        if kind.__module__ == root.__module__:
            yield kind
            yield from _kinds(kind)


def _settings() -> Iterator[str]:
    yield from _head("setting", "Git config", "environment", "takes", "default", "meaning")
    for setting in SETTINGS:
        if setting.writable:
            default = "none" if setting.default is None else f"`{setting.default}`"
            names = (f"`{setting.name}`", f"`{setting.git_key}`", f"`{setting.environment}`")
            yield _row(*names, describe_values(setting), default, setting.description)


def _sources() -> Iterator[str]:
    yield from _head("#", "source", "settings that it may give")
    for number, source in enumerate(PRECEDENCE, 1):
        yield _row(str(number), source, _settable(source))


def _settable(source: Any) -> str:
    if source == "default":
        return "all that have one"
    names = [setting.name for setting in SETTINGS if setting.key(source) is not None]
    everything = [setting.name for setting in SETTINGS if setting.writable]
    return "all but the context" if names == everything else ", ".join(f"`{name}`" for name in names)


def _context() -> Iterator[str]:
    yield from _head("#", "source", "where")
    places = {
        "request": "the field `context` of the request",
        "session": "the variable `MEMOREE_CONTEXT`",
        "marker": "the nearest `.memoree.toml`",
        "store": "the record of who began the store",
        "personal": "the settings `personalWorkspace` and `personalProject`",
    }
    for number, source in enumerate(CONTEXT_SOURCES, 1):
        yield _row(str(number), source, places[source])
    yield ""
    yield from _head("field", "request", "session", "project marker")
    for name in dict.fromkeys([*SESSION_FIELDS, *MARKER_KEYS]):
        request = "no" if name in ("v", "task") else "yes"
        session = "yes" if name in SESSION_FIELDS else "no"
        yield _row(f"`{name}`", request, session, "yes" if name in MARKER_KEYS else "no")


def _operations() -> Iterator[str]:
    """Yield a table of all operations, a section for each, and the shapes that they share."""
    yield from _head("operation", "group", "writes", "what it does")
    for row in OPERATIONS.values():
        link = f"[`{row.name}`](#{row.name.replace('.', '')})"
        yield _row(link, row.group, "yes" if row.mutates else "", _sentence(row.summary))
    shapes: dict[str, type[Struct]] = {}
    for row in OPERATIONS.values():
        yield from _operation(row, shapes)
    yield "\n### Shapes\n"
    done: set[str] = set()
    while rest := [name for name in sorted(shapes) if name not in done]:
        for name in rest:
            done.add(name)
            yield f"\n#### {name}\n"
            yield f"{_sentence(shapes[name].__doc__)}\n"
            yield from _fields(shapes[name], shapes)


def _operation(row: Operation, shapes: dict[str, type[Struct]]) -> Iterator[str]:
    yield f"\n### {row.name}\n"
    writes = "Writes." if row.mutates else "Reads."
    context = "The context is resolved and echoed." if row.context else "Needs no context."
    yield f"{_sentence(row.summary)} {writes} {context}\n"
    if msgspec.structs.fields(row.request_type()):
        yield from _fields(row.request_type(), shapes)
        yield ""
    result = get_type_hints(row.handler())["return"]
    yield f"Result: {_sentence(result.__doc__)}\n"
    yield from _fields(result, shapes, given=False)


def _fields(kind: type[Struct], shapes: dict[str, type[Struct]], *, given: bool = True) -> Iterator[str]:
    """Yield a row for each field. `given`: it is part of a request, so that its default matters."""
    hints = get_type_hints(kind)
    yield from _head("field", "type", *(["default"] if given else []))
    for field in msgspec.structs.fields(kind):
        default = [_default(field)] if given else []
        yield _row(f"`{field.encode_name}`", type_name(hints[field.name], shapes), *default)


def _default(field: Any) -> str:
    if field.required:
        return "needed"
    if field.default is UNSET:
        return "unchanged"
    if field.default is None:
        return ""
    if field.default == () or field.default is msgspec.NODEFAULT:
        return "none"
    return f"`{msgspec.json.encode(field.default).decode()}`"


def type_name(kind: Any, shapes: dict[str, type[Struct]]) -> str:
    """Return a type for people, in JSON's words; structs on the way are added to `shapes`."""
    if kind == JsonValue:
        return "any JSON"
    if isinstance(kind, NewType):
        return type_name(kind.__supertype__, shapes)
    origin = get_origin(kind)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    if origin in (Union, UnionType):
        return _union(get_args(kind), shapes)
    if origin is tuple or origin is list:
        items = [item for item in get_args(kind) if item is not Ellipsis]
        names = [type_name(item, shapes) for item in items]
        return f"list of {names[0]}" if Ellipsis in get_args(kind) or origin is list else f"[{', '.join(names)}]"
    if origin is dict or kind is dict:
        return "object"
    if isinstance(kind, type) and issubclass(kind, Struct):
        if shapes.setdefault(kind.__name__, kind) is not kind:
            raise ValueError(f"two shapes are called {kind.__name__}")
        return f"[{kind.__name__}](#{kind.__name__.lower()})"
    return _PLAIN.get(kind, getattr(kind, "__name__", str(kind)))


def _union(kinds: tuple[Any, ...], shapes: dict[str, type[Struct]]) -> str:
    if set(get_args(JsonValue)) <= set(kinds):
        return "any JSON"
    ordered = [kind for kind in kinds if kind not in (NoneType, UnsetType)]
    names = list(dict.fromkeys(type_name(kind, shapes) for kind in ordered))
    return " or ".join([*names, "null"] if NoneType in kinds else names)


def _instructions() -> Iterator[str]:
    yield "````markdown"
    yield MARKDOWN.strip()
    yield "````"


def _decisions() -> Iterator[str]:
    yield from _head("#", "decision")
    for page in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        title = page.read_text("utf-8").splitlines()[0].removeprefix("# ")
        number, _, text = title.partition(". ")
        yield _row(number, f"[{text}]({page.name})")


def _head(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield "|" + "---|" * len(names)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _sentence(text: str | None) -> str:
    """Return a docstring's first paragraph on one line, in JSON's words, with `<`, which would be HTML, escaped."""
    paragraph = (text or "").strip().partition("\n\n")[0]
    return re.sub(r"\bNone\b", "null", " ".join(paragraph.split())).replace("<", "&lt;")


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "limits": _limits,
    "errors": _errors,
    "settings": _settings,
    "sources": _sources,
    "context": _context,
    "operations": _operations,
    "instructions": _instructions,
    "decisions": _decisions,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
