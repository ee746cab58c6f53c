"""The stores of this machine, so that a request at the workspace or personal horizon knows where to look.

One JSON file in the user's data directory, readable by its owner alone. It is a convenience: every failure is reported
in the answer and none reaches the caller, and without a data directory there is simply no registry. A damaged file is
set aside, never overwritten; a file of a later version is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict, replace

from memgit import clock
from memgit.records.ids import is_scope_id, is_store_id

REGISTRY_NAME = "stores.json"
REGISTRY_VERSION = 1
REGISTRY_BYTES = 1024 * 1024  # about 3,000 stores; a larger file is not ours
REGISTRY_ENTRIES = 1_000  # a count; the least recently seen go first

_LOCK_WAIT_SECONDS = 2.0  # a write takes about a millisecond; a longer wait would be felt and gain nothing
_DATE_CHARACTERS = len("2026-01-02")  # one mark a day is enough, so that most commands write nothing


class StoreEntry(Struct, frozen=True):
    """One store. `path` is the repository's common Git directory; `last_seen` is RFC 3339 in UTC."""

    path: str
    store_id: str
    workspace_id: str
    project_id: str
    last_seen: str = ""


class Registered(Struct, frozen=True):
    """The stores that are there, most recently seen first, and what a person should hear about the registry."""

    stores: tuple[StoreEntry, ...] = ()
    warnings: tuple[str, ...] = ()


def known_stores(data_dir: Path | None) -> Registered:
    """Return the registered stores whose repositories exist. A copied repository appears once for each copy."""
    if data_dir is None:
        return Registered()
    path = data_dir / REGISTRY_NAME
    try:
        stores, skipped = _load(path)
    except FileNotFoundError:
        return Registered()
    except _Damaged as damage:
        return Registered(warnings=(_set_aside(path, damage),))
    except (_TooNew, OSError) as error:
        return Registered(warnings=(_unreadable(path, error),))
    alive = tuple(entry for entry in stores if _is_alive(entry))
    notes = (f"{path}: {skipped} malformed entries were skipped",) if skipped else ()
    return Registered(alive, notes)


def register_store(data_dir: Path | None, entry: StoreEntry) -> tuple[str, ...]:
    """Note that the store of `entry` is here, seen now, and drop the stores that are gone. Returns warnings.

    An entry is known by its path. Writes nothing where the same entry was seen today.
    """
    if data_dir is None:
        return ()
    seen = replace(entry, path=os.path.realpath(entry.path), last_seen=clock.now())
    if _is_noted_today(data_dir / REGISTRY_NAME, seen):
        return ()
    return _change(data_dir, seen.path, seen)


def forget_store(data_dir: Path | None, path: Path) -> tuple[str, ...]:
    """Take the store at this common Git directory out of the registry. Returns warnings."""
    return () if data_dir is None else _change(data_dir, os.path.realpath(path), None)


class _Damaged(Exception):
    """The file is not a registry."""


class _TooNew(Exception):
    """The file is a registry of a later version."""


def _change(data_dir: Path, path: str, entry: StoreEntry | None) -> tuple[str, ...]:
    registry = data_dir / REGISTRY_NAME
    warnings: list[str] = []
    try:
        # A directory that exists keeps its mode: it may be one that others use, and the file is private by itself.
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(registry):
            try:
                stores, _ = _load(registry)
            except FileNotFoundError:
                stores = []
            except _Damaged as damage:
                stores = []
                warnings.append(_move_aside(registry, damage))
            kept = [old for old in stores if old.path != path and _is_alive(old)]
            _write(registry, [*([entry] if entry else []), *kept][:REGISTRY_ENTRIES])
    except (_TooNew, OSError, NotImplementedError) as error:
        warnings.append(f"{registry} was not updated: {_reason(error)}")
    return tuple(warnings)


@contextmanager
def _locked(registry: Path) -> Iterator[None]:
    from filelock import FileLock

    with FileLock(f"{registry}.lock", timeout=_LOCK_WAIT_SECONDS, mode=0o600):
        yield


def _load(path: Path) -> tuple[list[StoreEntry], int]:
    """Return the well-formed entries, most recently seen first, and how many were malformed."""
    import json

    with path.open("rb") as file:
        data = file.read(REGISTRY_BYTES + 1)
    if len(data) > REGISTRY_BYTES:
        raise _Damaged(f"larger than {REGISTRY_BYTES} bytes")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise _Damaged("not JSON") from None
    version = document.get("v") if isinstance(document, dict) else None
    if type(version) is not int or not isinstance(document.get("stores"), list):
        raise _Damaged("not a registry")
    if version != REGISTRY_VERSION:
        raise _TooNew(f"it has version {version}; this program knows {REGISTRY_VERSION}")
    entries = [_entry(fields) for fields in document["stores"]]
    good = sorted((entry for entry in entries if entry), key=lambda entry: entry.last_seen, reverse=True)
    return good, len(entries) - len(good)


def _entry(fields: object) -> StoreEntry | None:
    names = StoreEntry.__struct_fields__
    if not isinstance(fields, dict) or not all(isinstance(fields.get(name), str) for name in names):
        return None
    entry = StoreEntry(**{name: fields[name] for name in names})
    well_formed = is_store_id(entry.store_id) and is_scope_id(entry.workspace_id) and is_scope_id(entry.project_id)
    return entry if well_formed and _is_safe(entry.path) and clock.parse_time(entry.last_seen) else None


def _is_safe(path: str) -> bool:
    return "\0" not in path and Path(path).is_absolute()


def _is_alive(entry: StoreEntry) -> bool:
    try:
        return (Path(entry.path) / "HEAD").is_file()
    except OSError:  # no permission to look: not a store for this user at present
        return False


def _is_noted_today(path: Path, entry: StoreEntry) -> bool:
    """Tell whether the file holds this entry with today's date. Whatever is wrong with the file, the writer reports."""
    try:
        stores, _ = _load(path)
    except (_Damaged, _TooNew, OSError):
        return False
    today = entry.last_seen[:_DATE_CHARACTERS]
    return any(
        old.last_seen[:_DATE_CHARACTERS] == today and replace(old, last_seen=entry.last_seen) == entry for old in stores
    )


def _write(path: Path, entries: Sequence[StoreEntry]) -> None:
    """Replace the file in one step. The caller holds the lock, so the temporary name is ours alone."""
    import json

    text = json.dumps({"v": REGISTRY_VERSION, "stores": [asdict(entry) for entry in entries]}, indent=1)
    temporary = path.with_name(f"{path.name}.new")
    temporary.unlink(missing_ok=True)  # of a process that died here; its mode may be another
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode("ascii") + b"\n")  # a path that is not UTF-8 is escaped, and survives
        file.flush()
        os.fsync(file.fileno())  # or a power loss leaves an empty file under the final name
    temporary.replace(path)


def _set_aside(path: Path, damage: _Damaged) -> str:
    """Move a damaged file away and return what to tell; under the lock, where a writer may have repaired it already."""
    try:
        with _locked(path):
            try:
                _load(path)
            except _Damaged as still:
                return _move_aside(path, still)
            except (FileNotFoundError, _TooNew):
                pass
            return f"{path} was damaged ({damage}) and has been replaced meanwhile"
    except (OSError, NotImplementedError) as error:
        return f"{path} is damaged ({damage}) and could not be set aside: {_reason(error)}"


def _move_aside(path: Path, damage: _Damaged) -> str:
    stamp = clock.now().translate({ord(character): None for character in "-:.TZ"})
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    path.replace(aside)
    return f"{path} was damaged ({damage}); it was moved to {aside.name}, and stores register again when they are used"


def _unreadable(path: Path, error: Exception) -> str:
    return f"{path} was not read: {_reason(error)}"


def _reason(error: Exception) -> str:
    from filelock import Timeout

    if isinstance(error, Timeout):
        return "another process holds its lock"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
