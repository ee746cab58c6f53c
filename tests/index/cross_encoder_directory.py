"""A directory with a real cross-encoder: a small BERT with random weights."""

from __future__ import annotations

from pathlib import Path

_WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] the heron egret stork dives into cold water a cache at noon"


def write_cross_encoder(directory: Path, labels: int = 1) -> Path:
    """Write the model as safetensors and return the directory."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    directory.mkdir(parents=True)
    (directory / "vocab.txt").write_text("\n".join(_WORDS.split()) + "\n", "utf-8")
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(_WORDS.split()),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=1.0,
        num_labels=labels,
    )
    BertForSequenceClassification(config).save_pretrained(directory)
    BertTokenizerFast(vocab_file=str(directory / "vocab.txt")).save_pretrained(directory)
    return directory
