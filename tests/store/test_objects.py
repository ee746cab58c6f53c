"""Raw objects: the bytes and the ids are Git's own, in both directions and in both object formats."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.errors import StoreCorrupt
from memgit.store.objects import (
    FILE_MODE,
    ObjectFormat,
    ObjectId,
    Signature,
    TreeItem,
    decode_commit,
    decode_tree,
    encode_commit,
    encode_tree,
    hash_object,
)
from tests.conftest import MakeRepository
from tests.store.scenario import git

FORMATS: list[ObjectFormat] = ["sha1", "sha256"]
WIDTHS: dict[ObjectFormat, int] = {"sha1": 40, "sha256": 64}
EMPTY_TREE = ObjectId("4b825dc642cb6eb9a060e54bf8d69288fbee4904")

# Names as Git allows them: any bytes but NUL and the slash. `.`, `..` and `.git` are for `fsck` to refuse.
names = st.binary(min_size=1, max_size=40).map(lambda data: data.replace(b"\0", b"0").replace(b"/", b"-"))
names = names.filter(lambda data: data not in (b".", b"..") and data.lower().rstrip(b". ") != b".git")
hex_digits = st.sampled_from("0123456789abcdef")


def items(width: int) -> st.SearchStrategy[TreeItem]:
    """Entries of a tree whose ids have this width."""
    oids = st.text(hex_digits, min_size=width, max_size=width).map(ObjectId)
    files = st.builds(
        lambda oid, mode: TreeItem(oid, False, mode), oids, st.sampled_from([FILE_MODE, b"100755", b"120000"])
    )
    return files | st.builds(lambda oid: TreeItem(oid, True, b"40000"), oids)


def trees(width: int) -> st.SearchStrategy[dict[str, TreeItem]]:
    """Trees by name; names that are not UTF-8 carry their bytes as surrogates."""
    text = names.map(lambda data: data.decode("utf-8", "surrogateescape"))
    return st.dictionaries(text, items(width), max_size=40)


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> dict[ObjectFormat, Path]:
    """A bare repository of each object format."""
    made = {name: tmp_path_factory.mktemp(name) for name in FORMATS}
    for name, path in made.items():
        subprocess.run(["git", "init", "-q", "--bare", f"--object-format={name}", str(path)], check=True)
    return made


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_ids_are_those_of_git(repositories: dict[ObjectFormat, Path], name: ObjectFormat, data: st.DataObject) -> None:
    """A blob has the id that `git hash-object` gives it."""
    content = data.draw(st.binary(max_size=200))

    assert hash_object("blob", content, name).oid == git(repositories[name], "hash-object", "--stdin", stdin=content)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_trees_are_those_of_git(
    repositories: dict[ObjectFormat, Path], name: ObjectFormat, data: st.DataObject
) -> None:
    """A tree has the bytes, and so the id, that `git mktree` makes of the same entries, whatever their order."""
    tree = data.draw(trees(WIDTHS[name]))
    lines = [
        b"%s %s %s\t%s\0"
        % (
            b"040000" if item.is_tree else item.mode,
            b"tree" if item.is_tree else b"blob",
            item.oid.encode(),
            entry.encode("utf-8", "surrogateescape"),
        )
        for entry, item in tree.items()
    ]

    ours = hash_object("tree", encode_tree(tree), name)

    assert ours.oid == git(repositories[name], "mktree", "--missing", "-z", stdin=b"".join(reversed(lines)))


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_a_tree_comes_back(name: ObjectFormat, data: st.DataObject) -> None:
    """Decoding undoes encoding, and encoding again gives the same bytes."""
    tree = data.draw(trees(WIDTHS[name]))
    encoded = encode_tree(tree)

    decoded = decode_tree(encoded, name)

    assert decoded == tree
    assert encode_tree(decoded) == encoded


@given(tree=trees(40).filter(bool), cut=st.integers(min_value=1))
def test_a_tree_that_is_cut_off(tree: dict[str, TreeItem], cut: int) -> None:
    """A tree that ends inside an entry is StoreCorrupt, never a shorter tree with a wrong last entry."""
    encoded = encode_tree(tree)
    ends = {0}
    for name, item in tree.items():
        entry = encode_tree({name: item})
        ends.add(encoded.index(entry) + len(entry))
    short = encoded[: cut % len(encoded)]

    if len(short) in ends:
        assert all(tree[name] == item for name, item in decode_tree(short, "sha1").items())
    else:
        with pytest.raises(StoreCorrupt):
            decode_tree(short, "sha1")


@pytest.mark.parametrize(
    "data",
    [
        b"garbage",
        b"100644 name\0short",
        b"100644 \0" + bytes(20),
        b"9 name\0" + bytes(20),
        b"100644name\0" + bytes(20),
        b"100644 name\0" + bytes(21),
        (b"100644 name\0" + bytes(20)) * 2,
    ],
)
def test_what_is_no_tree(data: bytes) -> None:
    """Bytes that are not a tree, and a tree that names an entry twice, are StoreCorrupt."""
    with pytest.raises(StoreCorrupt):
        decode_tree(data, "sha1")


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)
signatures = st.builds(
    Signature,
    name=texts,
    email=texts,
    seconds=st.integers(0, 2**33),
    offset=st.integers(-12 * 60, 14 * 60),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(author=signatures, message=texts, parents=st.lists(st.text(hex_digits, min_size=40, max_size=40), max_size=2))
def test_commits_are_sound_to_git(
    repositories: dict[ObjectFormat, Path], author: Signature, message: str, parents: list[str]
) -> None:
    """Whatever a user's name, address and words are, the commit passes `git fsck`'s checks and comes back."""
    encoded = encode_commit(EMPTY_TREE, [ObjectId(parent) for parent in parents], author, author, message)
    path = repositories["sha1"]

    oid = git(path, "hash-object", "-t", "commit", "--stdin", stdin=encoded)  # this runs fsck's checks of the format
    commit = decode_commit(encoded)

    assert oid == hash_object("commit", encoded, "sha1").oid
    assert (commit.tree, list(commit.parents)) == (EMPTY_TREE, parents)
    assert (commit.message, commit.seconds) == (message, author.seconds)


def test_a_commit_is_the_one_that_git_would_make(repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """For an ordinary author and message the id is that of `git commit-tree`."""
    path = repository("bare")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Zoë O'Hara")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "zoe@example.org")
        monkeypatch.setenv(f"GIT_{role}_DATE", "1700000000 +0530")
    tree = ObjectId(git(path, "mktree", stdin=b""))
    who = Signature("Zoë O'Hara", "zoe@example.org", 1_700_000_000, 330)
    first = git(path, "commit-tree", "-m", "first", tree)

    theirs = git(path, "commit-tree", "-p", first, "-m", "subject\n\nbody – ü", tree)
    ours = hash_object("commit", encode_commit(tree, [ObjectId(first)], who, who, "subject\n\nbody – ü\n"), "sha1")

    assert ours.oid == theirs


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"author A <a> 1 +0000\n\n", b"tree short\n\n", b"\xff\xfe", b"tree " + b"g" * 40 + b"\n\n"]
)
def test_what_is_no_commit(data: bytes) -> None:
    """Bytes without a tree line are StoreCorrupt."""
    with pytest.raises(StoreCorrupt):
        decode_commit(data)


def test_a_name_cannot_forge_a_header() -> None:
    """Line breaks and angle brackets of a name do not end the line that holds it."""
    who = Signature("A\ntree 0000", "<b>\n\ncommitter", 1)

    encoded = encode_commit(EMPTY_TREE, [], who, who, "m")

    assert encoded.decode().split("\n")[1] == "author Atree 0000 <bcommitter> 1 +0000"
    assert decode_commit(encoded).tree == EMPTY_TREE
