"""The safetensors format, as far as it is needed: what a file says it holds, and one matrix of it as a memory map.

The format is a length of 8 bytes, a JSON object of that length, and raw tensors (safetensors' own README). It cannot
hold code, which is why no other format of weights is accepted here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from memgit.index.embedders.embedder import Vectors

_HEADER_BYTES = 100 * 1024 * 1024  # the format's own bound
_TYPES = {"F16": ("<f2", 2), "F32": ("<f4", 4)}


class WeightsDamaged(Exception):
    """The file is no safetensors file, or not a whole one."""


def read_header(path: Path) -> tuple[dict[str, Any], int]:
    """Return the tensors that a file describes, by name, and where their bytes begin.

    Raises WeightsDamaged, also where the file is shorter or longer than its header says; OSError where it cannot be
    read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(_HEADER_BYTES, size - 8):
            raise WeightsDamaged(f"{path.name} is no safetensors file")
        try:
            header = msgspec.json.decode(file.read(length), type=dict[str, dict[str, Any]])
            tensors = {name: entry for name, entry in header.items() if name != "__metadata__"}
            end = max(int(entry["data_offsets"][1]) for entry in tensors.values())
        except (msgspec.DecodeError, LookupError, TypeError, ValueError) as error:
            raise WeightsDamaged(f"{path.name} has a damaged header") from error
    if 8 + length + end != size:
        raise WeightsDamaged(f"{path.name} has {size} bytes where its header says {8 + length + end}")
    return tensors, 8 + length


def map_matrix(path: Path, name: str) -> Vectors:
    """Return a tensor of two dimensions, float16 or float32, mapped and not read.

    Raises WeightsDamaged where there is none of this name or it has another form; OSError where it cannot be read.
    """
    import numpy as np

    tensors, begin = read_header(path)
    try:
        entry = tensors[name]
        kind, width = _TYPES[entry["dtype"]]
        rows, columns = map(int, entry["shape"])
        start, end = map(int, entry["data_offsets"])
    except (LookupError, TypeError, ValueError) as error:
        raise WeightsDamaged(f"{path.name} holds no matrix {name}") from error
    if rows < 1 or columns < 1 or end - start != rows * columns * width:
        raise WeightsDamaged(f"{path.name}: {name} is not {rows} x {columns}")
    return np.memmap(path, np.dtype(kind), "r", begin + start, (rows, columns))
