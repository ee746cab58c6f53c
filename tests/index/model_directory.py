"""A directory that looks like a small sentence-transformers model; nothing can load it."""

from __future__ import annotations

import json
from pathlib import Path


def safetensors(rows: int = 2) -> bytes:
    """Return a whole safetensors file with one matrix."""
    entry = {"dtype": "F32", "shape": [rows, 2], "data_offsets": [0, rows * 8]}
    header = json.dumps({"weight": entry}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(rows * 8)


def write_model(directory: Path, rows: int = 2) -> Path:
    """Write the files of a model and return the directory."""
    pooling = directory / "1_Pooling"
    pooling.mkdir(parents=True)
    kinds = ["sentence_transformers.models.Transformer", "sentence_transformers.models.Pooling"]
    modules = [{"idx": n, "name": str(n), "path": "", "type": kind} for n, kind in enumerate(kinds)]
    contents = {
        "modules.json": modules,
        "config.json": {"model_type": "bert"},
        "tokenizer.json": {"version": "1.0"},
        "1_Pooling/config.json": {"word_embedding_dimension": 2},
    }
    for name, content in contents.items():
        (directory / name).write_text(json.dumps(content), "utf-8")
    (directory / "vocab.txt").write_text("heron\n", "utf-8")
    (directory / "model.safetensors").write_bytes(safetensors(rows))
    (directory / "README.md").write_text("A model.\n", "utf-8")
    return directory
