"""The default install in a fresh virtual environment: its size, and that nothing heavy came along."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.report import parser, progress, publish, workplace

PROJECT = Path(__file__).resolve().parents[1]
_HEAVY = {"torch", "sentence-transformers", "transformers", "onnxruntime", "psycopg", "mcp", "scipy"}


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--project", type=Path, default=PROJECT, help="what to install (default: this checkout)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        python = _environment(place / "venv")
        empty = _size(place / "venv")
        progress("installing")
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(chosen.project)], check=True)
        listed = subprocess.run([python, "-m", "pip", "list", "--format=json"], check=True, capture_output=True)
        names = sorted(item["name"].lower() for item in json.loads(listed.stdout))
        packages = {
            path.name: round(_size(path) / 1e6, 1)
            for path in next((place / "venv").glob("l*/**/site-packages")).iterdir()
            if path.is_dir() and path.suffix != ".dist-info"
        }
        publish(
            {
                "megabytes": round((_size(place / "venv") - empty) / 1e6, 1),
                "packages": [name for name in names if name not in ("pip", "setuptools")],
                "heavy": sorted(_HEAVY & set(names)),
                "largest_megabytes": dict(sorted(packages.items(), key=lambda item: -item[1])[:8]),
            }
        )


def _environment(directory: Path) -> str:
    subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
    found = [*directory.glob("bin/python"), *directory.glob("Scripts/python.exe")]
    return str(found[0])


def _size(directory: Path) -> int:
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file() and not file.is_symlink())


if __name__ == "__main__":
    main()
