"""The golden data of the original Eraser."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "eraser"


@cache
def lines(name: str) -> list[dict[str, Any]]:
    with gzip.open(GOLDEN / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def cells(move: str) -> tuple[int, int]:
    """The two cells of a swap."""
    x1, y1, x2, y2 = map(int, move)
    return 6 * x1 + y1, 6 * x2 + y2


def moves_of(game: dict[str, Any]) -> list[str]:
    """The moves of a golden game that were played."""
    return [turn[0] for turn in game["turns"] if turn[0] != "!"]
