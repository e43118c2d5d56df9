"""Draws how strength grew by minute.

    .venv/bin/python bench/learn_curve.py RUN/log.jsonl STRENGTH.jsonl > curve.svg

The first file is the run's log, the second what ``bench/learn_strength.py`` printed of its
networks (``net-000012.onnx``: after wave 12). A table of the same goes to standard error.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

WIDE, HIGH, EDGE = 640, 320, 48
COLOURS = ("#2563eb", "#d97706", "#059669", "#dc2626", "#7c3aed", "#475569")


def rows(path: str) -> list[dict[str, Any]]:
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def points(log: str, strength: str) -> dict[str, list[tuple[float, float]]]:
    """For each rival the minutes of training and the share of points."""
    minutes = {row["wave"]: row["seconds"] / 60 for row in rows(log)}
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows(strength):
        number = re.search(r"net-(\d+)", row["net"])
        wave = int(number[1]) if number else max(minutes)
        raw = "policy alone, " if row["net"].startswith("policy:") else ""
        found.setdefault(raw + row["rival"], []).append((minutes[wave], row["share"]))
    return {name: sorted(some) for name, some in sorted(found.items())}


def svg(curves: dict[str, list[tuple[float, float]]]) -> str:
    last = max(minute for some in curves.values() for minute, _ in some)

    def place(minute: float, share: float) -> str:
        across = EDGE + minute / last * (WIDE - 2 * EDGE)
        return f"{across:.1f},{EDGE / 2 + (1 - share) * (HIGH - 2 * EDGE):.1f}"

    grey = 'stroke="#94a3b8" stroke-width="0.5"'
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        (left, height), right = place(0, share).split(","), place(last, share).split(",")[0]
        parts.append(f'<line x1="{left}" x2="{right}" y1="{height}" y2="{height}" {grey}/>')
        parts.append(f'<text x="{EDGE - 8}" y="{height}" text-anchor="end">{share:.0%}</text>')
    apart = next(each for each in (1, 2, 5, 10, 20, 60, 180) if last / each <= 12 or each == 180)
    for minute in range(0, int(last) + 1, apart):
        across, low = place(minute, 0).split(",")
        parts.append(f'<text x="{across}" y="{float(low) + 16}">{minute}</text>')
    for number, (name, some) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(place(*each) for each in some)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        down = HIGH - 2 * EDGE - 14 * (len(curves) - number) + EDGE / 4
        parts.append(f'<text x="{WIDE / 2}" y="{down}" fill="{colour}">{name}</text>')
    style = 'font-family="sans-serif" font-size="11" fill="#64748b"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" {style}>'
    return "\n".join([head, *parts, "</svg>\n"])


def table(curves: dict[str, list[tuple[float, float]]]) -> str:
    times = sorted({minute for some in curves.values() for minute, _ in some})
    lines = ["| minutes | " + " | ".join(curves) + " |", "|---" * (len(curves) + 1) + "|"]
    for time in times:
        shares = [next((s for m, s in some if m == time), None) for some in curves.values()]
        cells = ["" if share is None else f"{share:.1%}" for share in shares]
        lines.append(f"| {time:.1f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    drawn = points(sys.argv[1], sys.argv[2])
    print(svg(drawn), end="")
    print(table(drawn), file=sys.stderr)
