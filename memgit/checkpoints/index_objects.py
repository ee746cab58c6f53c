"""Objects that an index needs, given back to the user's repository before the index names them.

What was staged then may have been collected since. Only what is missing is written; Git keeps what the index names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from memgit.checkpoints import plumbing
from memgit.checkpoints.archive import Archive
from memgit.checkpoints.record import shown_path
from memgit.checkpoints.snapshot import CONFLICTS, STAGED
from memgit.checkpoints.trees import GITLINK, Entry
from memgit.errors import InvalidRequest
from memgit.store.loose import write_loose
from memgit.store.objects import TreeItem, hash_object

_LISTED = re.compile(rb"(?:blob|tree) ([0-9a-f]+)\t([^\0]*)\0", re.DOTALL)
_UNPACKED = 500  # objects that come as loose files; more come as a pack


def lend_back(
    archive: Archive, items: Mapping[str, TreeItem], extra: Iterable[tuple[bytes, Entry]], present: Collection[str]
) -> None:
    """Let the user's repository have all that the index of a snapshot needs: blobs, and the trees that it caches.

    `extra` are entries that the snapshot's trees may lack, `present` objects that the user's repository has. Raises
    InvalidRequest where an object is in neither.
    """
    empty = hash_object("blob", b"", archive.object_format)
    paths = {entry.oid: path for path, entry in extra if entry.mode != GITLINK} | {empty.oid: b""}
    for part in (STAGED, CONFLICTS):
        if part in items:
            listed = plumbing.ask(archive.repository, ["ls-tree", "-r", "-t", "-z", items[part].oid])
            paths |= {oid.decode(): path for oid, path in _LISTED.findall(listed)}
    paths[items[STAGED].oid] = b""
    theirs = plumbing.as_objects_of(archive.owner)
    wanted = plumbing.missing(archive.repository, paths.keys() - present, theirs)
    if empty.oid in wanted:  # what an intended addition names, and no snapshot holds
        write_loose(str(archive.owner.common_dir / "objects"), [empty])
    gone = plumbing.missing(archive.repository, wanted - {empty.oid})
    if gone:
        raise _gone(sorted(shown_path(paths[oid]) for oid in gone))
    _send(archive, sorted(wanted - {empty.oid}))


def _send(archive: Archive, oids: list[str]) -> None:
    if not oids:
        return
    lines = "".join(f"{oid}\n" for oid in oids).encode()
    pack = plumbing.ask(archive.repository, ["pack-objects", "-q", "--stdout"], stdin=lines)
    command = ["unpack-objects", "-q"] if len(oids) <= _UNPACKED else ["index-pack", "--stdin"]
    plumbing.ask(archive.owner, command, stdin=pack)


def _gone(names: list[str]) -> InvalidRequest:
    shown = ", ".join(names[:10]) + (f", and {len(names) - 10} more" if len(names) > 10 else "")
    return InvalidRequest(
        f"the index of that checkpoint names what nobody has any more: {shown}; nothing was changed",
        hint="`--no-index` restores the files alone: what looked like a secret was staged then, and not kept.",
        details={"field": "index"},
    )
