"""What an anchor holds, and what cannot be anchored."""

from __future__ import annotations

import os
import subprocess

import pytest

from memgit.anchors.capture import Wanted, capture, parse_place
from memgit.errors import InvalidRequest, NotFound
from memgit.limits import DEFAULT
from memgit.records.codec import digest_of
from tests.anchors.conftest import Code, function


@pytest.mark.parametrize(
    ("text", "path", "start", "end"),
    [
        ("src/a.py", "src/a.py", None, None),
        ("src/a.py:7", "src/a.py", 7, 7),
        ("src/a.py:7-9", "src/a.py", 7, 9),
        ("odd:12:", "odd:12", None, None),
        ("odd:12:3", "odd:12", 3, 3),
        ("odd:name", "odd:name", None, None),
    ],
)
def test_a_place_is_a_path_and_perhaps_lines(text: str, path: str, start: int | None, end: int | None) -> None:
    """`PATH`, `PATH:N` and `PATH:N-M` are told apart; one more colon says that a number belongs to the name."""
    assert parse_place(text) == Wanted(path=path, start_line=start, end_line=end)


@pytest.mark.parametrize("text", ["", ":", "a.py:0", "a.py:9-3", "a\0b"])
def test_what_is_no_place_is_refused(text: str) -> None:
    """Lines count from 1 and run forwards, and a path is not empty."""
    with pytest.raises(InvalidRequest):
        parse_place(text)


def test_an_anchor_holds_what_finds_it_again(code: Code) -> None:
    """Commit, tree, blob, patch id, a copy of the lines, and digests of them and of what is around them."""
    code.commit(a_py="first\n")
    commit = code.commit(a_py="".join(f"line {n}\n" for n in range(1, 10)))
    anchor = code.anchor("a.py:4-5")
    assert (anchor.path, anchor.start_line, anchor.end_line) == ("a.py", 4, 5)
    assert (anchor.commit, anchor.tree) == (commit, code.git("rev-parse", "HEAD^{tree}"))
    assert anchor.blob == code.git("rev-parse", "HEAD:a.py")
    assert anchor.text == "line 4\nline 5\n"
    assert anchor.text_digest == digest_of(b"line 4\nline 5\n")
    assert anchor.before_digest == digest_of(b"line 1\nline 2\nline 3\n")
    assert anchor.after_digest == digest_of(b"line 6\nline 7\nline 8\n")
    patch = subprocess.run(["git", "show", "HEAD"], cwd=code.path, capture_output=True, check=True).stdout
    stable = subprocess.run(["git", "patch-id", "--stable"], cwd=code.path, input=patch, capture_output=True).stdout
    assert anchor.patch_id == stable.decode().split()[0]


def test_a_long_text_is_cut_at_a_line_and_its_digest_is_whole(code: Code) -> None:
    """The copy stays within its limit, and the digest is of all of it."""
    text = "".join(f"line number {n} of many\n" for n in range(1000))
    code.commit(a_py=text)
    anchor = code.anchor("a.py")
    assert anchor.text is not None and anchor.text.endswith("\n") and text.startswith(anchor.text)
    assert DEFAULT.anchor_text_bytes - 40 < len(anchor.text) <= DEFAULT.anchor_text_bytes
    assert anchor.text_digest == digest_of(text.encode())


def test_line_ends_are_lf_and_a_last_one_is_added(code: Code) -> None:
    """CRLF and a missing last line end make no other text."""
    code.commit(a_py=b"one\r\ntwo\r\nthree", b_py=b"one\ntwo\nthree\n")
    assert code.anchor("a.py:2-3").text_digest == code.anchor("b.py:2-3").text_digest
    assert code.anchor("a.py:3").text == "three\n"


def test_what_cannot_be_anchored_says_why(code: Code) -> None:
    """A binary file, a directory, a link, what lies beyond one, a submodule, lines past the end, no such file."""
    code.write("dir/a.py", "one\ntwo\n")
    code.write("image.png", b"\x89PNG\0\0")
    os.symlink("dir/a.py", code.path / "link")
    os.symlink("dir", code.path / "linked")
    code.commit()
    (code.path / "sub").mkdir()
    subprocess.run(["git", "init", "--quiet", str(code.path / "sub")], check=True)
    code.write("sub/b.py", "one\n")
    said = {}
    for place in ("image.png", "dir", "link", "linked/a.py", "sub/b.py", "dir/a.py:2-3", "../a.py", "/etc/passwd"):
        with pytest.raises(InvalidRequest) as refused:
            code.anchor(place)
        said[place] = refused.value.message
    assert "binary" in said["image.png"]
    assert "directory" in said["dir"]
    assert "symbolic link" in said["link"] and "symbolic link" in said["linked/a.py"]
    assert "submodule" in said["sub/b.py"]
    assert "2 lines" in said["dir/a.py:2-3"]
    for place, at in (("link", "HEAD"), ("dir", "HEAD"), ("image.png", "HEAD")):
        with pytest.raises(InvalidRequest):
            code.anchor(place, at)
    for place, at in (("none.py", None), ("none.py", "HEAD"), ("dir/a.py", "no-such-branch")):
        with pytest.raises(NotFound):
            code.anchor(place, at)


def test_without_a_commit_the_text_alone_is_held(code: Code) -> None:
    """In an empty repository an anchor names no commit and says so; a committed place cannot be named."""
    code.write("a.py", "one\n")
    captured = code.captured("a.py:1")
    assert captured.anchor.commit is None and captured.anchor.text == "one\n"
    assert "not committed" in captured.notes[0]
    with pytest.raises(NotFound):
        code.anchor("a.py:1", "HEAD")
    assert code.locate(captured.anchor).state == "fresh"


def test_uncommitted_text_keeps_what_is_committed_of_it(code: Code) -> None:
    """Lines that are the same at HEAD are named as there; lines that are not are held as text, and it is said."""
    commit = code.commit(a_py="one\ntwo\nthree\n")
    code.write("a.py", "new\none\ntwo\nthree\n")
    same, new = code.captured("a.py:3"), code.captured("a.py:1")
    assert (same.anchor.start_line, same.anchor.text) == (2, "two\n")
    assert same.anchor.blob == code.git("rev-parse", "HEAD:a.py") and "2-2" in same.notes[0]
    assert (new.anchor.commit, new.anchor.blob, new.anchor.text) == (commit, None, "new\n")
    assert "not committed" in new.notes[0]
    code.write("b.py", "one\n")
    assert "not committed" in code.captured("b.py").notes[0]


def test_a_path_counts_from_the_directory_that_is_named(code: Code) -> None:
    """A relative path is below the prefix, and may leave it, but not the repository."""
    code.write("dir/a.py", "one\n")
    code.commit(b_py="two\n")
    found = [capture(code.repository, Wanted(path=path), prefix="dir").anchor.path for path in ("a.py", "../b.py")]
    assert found == ["dir/a.py", "b.py"]
    with pytest.raises(InvalidRequest):
        capture(code.repository, Wanted(path="../../b.py"), prefix="dir")


def test_a_name_that_is_not_utf_8_is_encoded(code: Code) -> None:
    """The path holds Git's bytes, percent-encoded, and the anchor is found under it."""
    name = os.fsdecode(b"caf\xe9 100%.py")
    code.write(name, "one\ntwo\n")
    code.commit()
    anchor = code.anchor(f"{name}:2")
    assert (anchor.path, anchor.path_encoded) == ("caf%E9 100%25.py", True)
    assert code.locate(anchor).state == "fresh"


def test_a_symbol_is_the_lines_of_its_definition(code: Code) -> None:
    """In Python with its decorators, by a dotted name too; elsewhere from its first line to its closing brace."""
    code.write(
        "a.py", "import os\n\n\nclass Box:\n    @property\n    def size(self):\n        return 1\n\n\nLIMIT = 3\n"
    )
    code.write("b.c", "int other(void);\n\nstatic int\nunused;\n\nint size_of(int x)\n{\n  return x;\n}\n\nint z;\n")
    code.write("c.go", "func Area(x int) int {\n\treturn x\n}\n\nfunc Other() {\n}\n")
    code.commit()
    found = [
        (item.path, item.start_line, item.end_line, item.symbol)
        for item in (code.symbol("Box.size"), code.symbol("LIMIT"), code.symbol("size_of"), code.symbol("Area"))
    ]
    assert found == [
        ("a.py", 5, 7, "Box.size"),
        ("a.py", 10, 10, "LIMIT"),
        ("b.c", 6, 9, "size_of"),
        ("c.go", 1, 3, "Area"),
    ]


def test_definitions_in_other_languages(code: Code) -> None:
    """Methods and functions that are values, methods with a receiver; a bracket in a text closes nothing."""
    code.write(
        "a.js",
        "export const handler = async (a) => {\n  return '}';\n};\n"
        "class Box {\n  run(a) {\n    run(a, () => {\n    });\n  }\n}\n",
    )
    code.write(
        "b.go",
        'type S struct {\n\tA int\n}\n\nfunc (s *S) Start(x S) error {\n\ts := "}" // }\n\treturn nil\n}\n',
    )
    code.commit()
    names = (("handler", "a.js"), ("run", "a.js"), ("Box", "a.js"), ("S", "b.go"), ("Start", "b.go"))
    found = [(item.start_line, item.end_line) for item in (code.symbol(*name) for name in names)]
    assert found == [(1, 3), (5, 8), (4, 9), (1, 3), (5, 8)]


def test_a_symbol_that_is_ambiguous_names_the_candidates(code: Code) -> None:
    """Two definitions in one file, or in two files, are refused with their places; none is not found."""
    code.commit(
        a_py=f"class A:\n{function('run', '    ')}\nclass B:\n{function('run', '    ')}", b_py=function("twice")
    )
    code.commit(c_py=function("twice"))
    with pytest.raises(InvalidRequest, match=r"A\.run \(a\.py:2-5\), B\.run \(a\.py:8-11\)"):
        code.symbol("run", "a.py")
    with pytest.raises(InvalidRequest, match=r"b\.py, c\.py"):
        code.symbol("twice")
    with pytest.raises(NotFound):
        code.symbol("nowhere")
    assert code.symbol("B.run").start_line == 8


def test_a_symbol_that_very_many_files_name_needs_its_file(code: Code) -> None:
    """More than fifty files are looked into, very many are not, and then nothing is guessed; untracked ones count."""
    code.commit(**{f"a{n:03}_py": "use(twice)\n" for n in range(60)}, z_py=function("twice"))
    assert code.symbol("twice").path == "z.py"
    code.write("untracked.py", function("brand_new"))
    assert code.symbol("brand_new").path == "untracked.py"
    code.commit(**{f"b{n:03}_py": "use(twice)\n" for n in range(150)})
    with pytest.raises(InvalidRequest, match="211 files name twice"):
        code.symbol("twice")
    assert code.symbol("twice", "z.py").start_line == 1


def test_a_commit_can_be_anchored_alone(code: Code) -> None:
    """It is fresh in a history that has it, and not in another; a merge has no patch id."""
    first = code.commit(a_py="one\n")
    code.commit(a_py="two\n")
    anchor = capture(code.repository, Wanted(commit="HEAD")).anchor
    assert anchor.path is None and anchor.patch_id is not None
    assert code.locate(anchor).state == "fresh"
    assert (code.locate(anchor, first).state, code.locate(anchor, first).certainty) == ("gone", "certain")
