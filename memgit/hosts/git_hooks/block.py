"""The marked block in a hook's bytes: found, put in, replaced, taken out so that the bytes are as before. Pure."""

from __future__ import annotations

import re

_BEGIN = rb"^# >>> memgit >>>"
_BLOCK = re.compile(
    _BEGIN + rb"(?:(?!" + _BEGIN + rb").)*?^# <<< memgit <<<[ \t\r]*(?:\n|\Z)", re.MULTILINE | re.DOTALL
)
_HALF = re.compile(_BEGIN, re.MULTILINE)
_SHEBANG = re.compile(rb"#![ \t]*(?P<program>\S+)(?:[ \t]+(?P<rest>[^\r\n]*))?\r?(?:\n|\Z)")
_SHELLS = frozenset((b"sh", b"bash", b"dash", b"ash", b"ksh", b"mksh"))


def find(content: bytes) -> bytes | None:
    """Return the block, marks included, or None where there is none."""
    found = _BLOCK.search(content)
    return found[0] if found else None


def has_half(content: bytes) -> bool:
    """Tell whether a block begins and does not end, as where somebody took its last line out."""
    return _HALF.search(take_out(content)) is not None


def ends_in_return(content: bytes) -> bool:
    """Tell whether the first line names a program and a carriage return with it, which no system but Windows runs."""
    return content.startswith(b"#!") and content.split(b"\n", 1)[0].endswith(b"\r")


def is_shell(content: bytes) -> bool:
    """Tell whether Git would have a POSIX shell run this: by its first line, or by the lack of one."""
    if b"\0" in content:
        return False
    if not content.startswith(b"#!"):
        return True  # the system does not know what runs it, and Git then takes the shell
    first = _SHEBANG.match(content)
    if first is None:
        return False
    words = [first["program"], *(first["rest"] or b"").split()]
    names = [word.rsplit(b"/", 1)[-1] for word in words]
    if names[0] == b"env":
        names = [name for name in names[1:] if not name.startswith(b"-") and b"=" not in name]
    return bool(names) and names[0] in _SHELLS


def put_in(content: bytes, block: bytes) -> bytes:
    """Return the bytes with the block: in the place of an older one, else right after the first line of a script."""
    if find(content) is not None:
        return _BLOCK.sub(lambda found: block if found[0].endswith(b"\n") else block.removesuffix(b"\n"), content, 1)
    first = _SHEBANG.match(content)
    at = first.end() if first else 0
    if first and not first[0].endswith(b"\n"):
        return content + b"\n" + block.removesuffix(b"\n")  # that the block ends without one says whose the first is
    return content[:at] + block + content[at:]


def take_out(content: bytes) -> bytes:
    """Return the bytes without any block, as they were."""
    while (found := _BLOCK.search(content)) is not None:
        begin, end = found.span()
        if not found[0].endswith(b"\n") and begin:
            begin -= 1
        content = content[:begin] + content[end:]
    return content
