"""The log of bouts: a line of JSON for each, written as soon as it is played."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.yardsticks.rows import Row

Bouts = dict[tuple[int, int], dict[str, Any]]
"""The bouts of a row by pair and the subject's seat."""
MISSING = "missing"
"""The field of a line that says why a row could not be played."""


def read_log(paths: Iterable[Path]) -> dict[Row, Bouts]:
    """The bouts of each row. A last line that was cut off by a kill is left out."""
    found: defaultdict[Row, Bouts] = defaultdict(dict)
    for path in paths:
        if not path.is_file():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            row = Row.from_json(entry)
            bouts = found[row]
            if MISSING not in entry:
                bouts[entry["pair"], entry["seat"]] = entry
    return dict(found)


def read_missing(paths: Iterable[Path]) -> dict[Row, str]:
    """Why rows could not be played."""
    lines = [line for path in paths if path.is_file() for line in path.open(encoding="utf-8")]
    found = {}
    for line in lines:
        if f'"{MISSING}"' in line:
            entry = json.loads(line)
            found[Row.from_json(entry)] = str(entry[MISSING])
    return found


class LogWriter:
    """Appends to a log; a line that was cut off by a kill is ended first."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.read_bytes() if path.is_file() else b""
        self._file = path.open("a", encoding="utf-8")
        if written and not written.endswith(b"\n"):
            self._file.write("\n")

    def write(self, row: Row, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(row.as_json() | entry, separators=(",", ":")) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def add_up_spent(bouts: Bouts) -> tuple[float, int, float, int]:
    """CPU seconds and moves of the subject, then of the rival."""
    own = sum(bout["cpu"][0] for bout in bouts.values())
    other = sum(bout["cpu"][1] for bout in bouts.values())
    own_moves = sum(bout["moves"][0] for bout in bouts.values())
    other_moves = sum(bout["moves"][1] for bout in bouts.values())
    return own, own_moves, other, other_moves
