"""Paths: where a file is follows from its ids and digests, and nothing else is well-formed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.records import paths
from memgit.records.ids import PREFIX_BY_KIND, BlobDigest, OpDigest
from memgit.records.paths import OpPath

from .strategies import BASE32, World, law, worlds

ULID = "01jb3hxkq00000000000000xyz"
DIGEST = "ab" + "cd" * 31
OP = f"claims/z/y/x/clm_{ULID}.7-assert-{DIGEST}.yaml"

op_paths = st.builds(
    OpPath,
    st.builds(
        "{}_{}{}".format,
        st.sampled_from(sorted(PREFIX_BY_KIND.values())),
        st.sampled_from("01234567"),
        st.text(BASE32, min_size=25, max_size=25),
    ),
    st.integers(0, 10**16 - 1),
    st.from_regex(r"[a-z][a-z_]{0,31}", fullmatch=True),
    st.builds(OpDigest, st.text("0123456789abcdef", min_size=64, max_size=64)),
)


@law
@given(op_paths)
def test_an_operations_path_reads_back(path: OpPath) -> None:
    """The path says entity, seq, verb and digest, and its directories are the end of the entity's id, backwards."""
    assert paths.parse_op_path(path.path) == path
    assert paths.parse_op_name(path.name) == path
    assert paths.is_wellformed(path.path)
    top, *shards, _ = path.path.split("/")
    assert paths.KIND_BY_DIRECTORY[top] == paths.kind_of(path.entity)
    assert shards == list(path.entity[:-4:-1])


@law
@given(worlds())
def test_every_file_of_a_store_is_wellformed(world: World) -> None:
    """Whatever clones write has its place in the grammar."""
    for clone in world.clones:
        assert all(map(paths.is_wellformed, clone.files))


@law
@given(st.lists(st.sampled_from([*OP.split("/"), "..", "", ".", "blobs", "ab", "cd", DIGEST, "purges"])).map("/".join))
def test_any_other_arrangement_of_the_parts_is_refused(path: str) -> None:
    """Directories that are missing, doubled, swapped or odd make another path, and only one is an operation's."""
    assert paths.is_wellformed(path) == (path in (OP, f"blobs/ab/cd/{DIGEST}"))


def test_where_things_are() -> None:
    """The form of each kind of path."""
    assert paths.shard_of(f"clm_{ULID}") == "claims/z/y/x"
    assert OpPath(f"clm_{ULID}", 7, "assert", OpDigest(DIGEST)).path == OP
    assert paths.blob_path(BlobDigest(DIGEST)) == f"blobs/ab/cd/{DIGEST}"
    assert paths.receipt_directory(DIGEST) == f"receipts/ab/{DIGEST}"
    assert paths.purge_path(DIGEST) == f"purges/{DIGEST}.yaml"
    assert paths.FORMAT_PATH == "format/1"


@pytest.mark.parametrize(
    "path",
    [
        OP,
        f"projections/z/y/x/pjn_{ULID}.1-put-{DIGEST}.yaml",
        f"blobs/ab/cd/{DIGEST}",
        f"receipts/ab/{DIGEST}/{DIGEST}.yaml",
        f"stores/sto_{ULID}/{DIGEST}.yaml",
        f"purges/{DIGEST}.yaml",
        "format/1",
        "format/2",
    ],
)
def test_wellformed_paths(path: str) -> None:
    """Each kind of file has one form; a later format is well-formed, and refused by its number elsewhere."""
    assert paths.is_wellformed(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "readme",
        "claims",
        f"/{OP}",
        f"{OP}/",
        f"{OP}\n",
        OP.replace("claims", "artifacts"),
        OP.replace("claims", "notes"),
        OP.replace("z/y/x", "x/y/z"),
        OP.replace("z/y/x", "z/y"),
        OP.replace(".7-", ".07-"),
        OP.replace(".7-", ".-7-"),
        OP.replace(".7-", ".12345678901234567-"),
        OP.replace(".7-", ".٣-"),
        OP.replace("assert", "Assert"),
        OP.replace("assert", "a" * 33),
        OP.replace(DIGEST, DIGEST.upper()),
        OP.replace(".yaml", ".yml"),
        OP.replace("clm_", "xyz_"),
        OP.replace("clm_", "crev_"),
        f"blobs/ab/ce/{DIGEST}",
        f"blobs/cd/ab/{DIGEST}",
        f"blobs/ab/{DIGEST}",
        f"blobs/ab/cd/{DIGEST}.yaml",
        f"blobs/ab/cd/{DIGEST}/x",
        f"receipts/cd/{DIGEST}/{DIGEST}.yaml",
        f"receipts/ab/{DIGEST}/{DIGEST}",
        f"stores/{ULID}/{DIGEST}.yaml",
        f"stores/sto_{ULID}/{DIGEST}",
        f"stores/sto_{ULID}",
        f"purges/{DIGEST}",
        f"purges/ab/{DIGEST}.yaml",
        "format/0",
        "format/01",
        "format/one",
        "format/1/x",
        "format",
        "../format/1",
    ],
)
def test_malformed_paths(path: str) -> None:
    """What has no place in the grammar is a structural fault."""
    assert not paths.is_wellformed(path)
