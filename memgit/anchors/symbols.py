"""Where a function or a class is defined, as far as that can be told without a parser for each language.

Python is parsed by Python. For the rest, the lines that begin a definition are told by a keyword or a type before the
name, much as Git's own patterns for hunk headers do. A map of the source, where there is one, knows better.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memgit.anchors.text import Text
from memgit.errors import InvalidRequest, NotFound

_NAMED = 8  # candidates that an error names
_NAME = re.compile(r"[\w$.:~-]{1,200}")
# The lines that begin a definition, in most languages that name what they define: a keyword or a type, then the name.
_KEYWORDS = (
    r"(?:fun|func|fn|function|def|class|struct|enum|trait|interface|impl|type|module|macro_rules!|sub|proc|object"
    r"|record)"
)
_JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
_RECEIVER = re.compile(r"^func\s*\([^)]*\)\s*")  # of a method in Go
_TEXT = re.compile(r"""\"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|//.*""")
_TEXT_OR_CHARACTER = re.compile(r"""\"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'|//.*""")  # elsewhere `'` begins other things


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition's lines [start, end), counted from 0, and its full name."""

    name: str
    start: int
    end: int


def definition(text: Text, path: str, symbol: str) -> Definition:
    """Return the one definition of a name in a file. Raises NotFound, and InvalidRequest where there are several.

    In Python, `Class.method` names a method; a name alone is looked for on every level.
    """
    if _NAME.fullmatch(symbol) is None:
        raise InvalidRequest(f"{symbol!r} is not the name of a symbol")
    found = [item for item in definitions(text, path, symbol) if _is_named(item.name, symbol)]
    exact = [item for item in found if item.name == symbol]
    chosen = exact if len(exact) == 1 else found
    if not chosen:
        raise NotFound(f"{path} defines no {symbol}", hint="Name the lines instead: `--anchor PATH:LINE-LINE`.")
    if len(chosen) > 1:
        names = ", ".join(f"{item.name} ({path}:{item.start + 1}-{item.end})" for item in chosen[:_NAMED])
        raise InvalidRequest(f"{symbol} is defined {len(chosen)} times: {names}", hint="Name the lines of one of them.")
    return chosen[0]


def definitions(text: Text, path: str, symbol: str) -> list[Definition]:
    """Return what a file defines; outside Python only what may have this name."""
    if path.endswith((".py", ".pyi")):
        try:
            tree = ast.parse(text.data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return _by_lines(text, path, symbol)
        return list(_in_python(tree, ""))
    return _by_lines(text, path, symbol)


def _in_python(node: ast.AST, prefix: str) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            start = min([child.lineno, *(item.lineno for item in child.decorator_list)])
            yield Definition(name, start - 1, child.end_lineno or child.lineno)
            yield from _in_python(child, f"{name}.")
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield Definition(f"{prefix}{target.id}", child.lineno - 1, child.end_lineno or child.lineno)
        else:
            yield from _in_python(child, prefix)


def _is_named(name: str, symbol: str) -> bool:
    return name == symbol or name.endswith(f".{symbol}")


def _by_lines(text: Text, path: str, symbol: str) -> list[Definition]:
    name = re.escape(symbol.rpartition(".")[2])
    # The name comes before any parameter: what is in brackets after it is the type of something else.
    keyword = re.compile(rf"^\s*(?:[\w@()]+\s+)*?{_KEYWORDS}\b[^=;(]*?(?<![\w$]){name}(?![\w$])")
    typed = re.compile(rf"^[A-Za-z_][\w\s*&:<>,]*?[\s*&:]{name}\s*\([^;]*$")
    patterns = [keyword, typed, *(_in_javascript(name) if path.endswith(_JAVASCRIPT) else ())]
    lines = [_RECEIVER.sub("func ", _without_texts(line.decode("utf-8", "replace"), path)) for line in text.lines]
    starts = [at for at, line in enumerate(lines) if any(pattern.match(line) for pattern in patterns)]
    return [Definition(symbol, at, _end(lines, at)) for at in starts]


def _in_javascript(name: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a function that is a value, and of a method."""
    words = r"(?:(?:public|private|protected|static|async|get|set|override|readonly)\s+|\*\s*)*"
    return (
        re.compile(rf"^\s*(?:export\s+)?(?:const|let|var)\s+{name}\s*(?::[^=]*)?="),
        re.compile(rf"^\s*{words}#?{name}\s*(?:<[^>]*>)?\([^;()]*\)\s*(?::[^={{]+)?\{{\s*$"),
    )


def _without_texts(line: str, path: str) -> str:
    """Return a line without its texts and its comment, in which a bracket closes nothing."""
    return (_TEXT if path.endswith(_JAVASCRIPT) else _TEXT_OR_CHARACTER).sub("", line)


def _end(lines: list[str], start: int) -> int:
    """Return where a definition ends: at its closing brace, or before the next line that is not indented deeper."""
    indent = _indent(lines[start])
    depth, opened = 0, False
    for at in range(start, len(lines)):
        depth += lines[at].count("{") - lines[at].count("}")
        opened = opened or "{" in lines[at]
        if opened and depth <= 0:
            return at + 1
        if not opened and at > start and lines[at].strip() and _indent(lines[at]) <= indent and "{" not in lines[at]:
            return at
    return len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
