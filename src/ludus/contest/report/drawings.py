"""Brackets and rating plots as SVG, with the colours of the page around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from ludus.lang import Text
from ludus.rating.elo import EloEstimate

BOX_SIZE_PX = (190, 44)
BOX_GAP_PX = (46, 32)
ROW_HEIGHT_PX = 24

LEFT, RIGHT = 200, 150
PLOT_WIDTH_PX = 860


def draw_bracket(nodes: Sequence[dict[str, Any]], language: str) -> str:
    """Columns of matches, each in the middle of those that its sides come from."""
    drawn = [node for node in nodes if not node["skipped"]]
    places = _place_nodes(drawn)
    width = max((x for x, _ in places.values()), default=0) + BOX_SIZE_PX[0] + 10
    height = max((y for _, y in places.values()), default=0) + BOX_SIZE_PX[1] + 30
    parts = [
        _draw_connectors(drawn, places),
        *(_draw_box(node, places[node["key"]], language) for node in drawn),
    ]
    return (
        f'<svg class="bracket" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img">{"".join(parts)}</svg>'
    )


def _column(key: str, rounds: int) -> int:
    """Which column a node stands in; the losers' side and the third place come below."""
    if key.startswith("gf"):
        return rounds + int(key[2:])
    if key == "third":
        return rounds
    return int(key[1:].partition(".")[0])


def _place_nodes(nodes: Sequence[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    winners = [node["key"] for node in nodes if node["key"][0] == "w"]
    rounds = max((_column(key, 0) for key in winners), default=0)
    places: dict[str, tuple[float, float]] = {}
    bottom = {"w": 24.0, "l": 0.0}
    for side in "wl":
        keys = [node["key"] for node in nodes if node["key"][0] == side]
        if side == "l" and keys:
            bottom["l"] = max(y for _, y in places.values()) + BOX_SIZE_PX[1] + 50
        for key in keys:
            places[key] = _place_node(key, nodes, places, bottom[side], rounds)
    for node in nodes:
        key = node["key"]
        if key not in places:
            y = max((y for _, y in places.values()), default=0) if key == "third" else 24
            below = (
                y + BOX_SIZE_PX[1] + 40
                if key == "third"
                else 24 + (BOX_SIZE_PX[1] + BOX_GAP_PX[1]) / 2
            )
            places[key] = ((_column(key, rounds) - 1) * (BOX_SIZE_PX[0] + BOX_GAP_PX[0]) + 4, below)
    return places


def _place_node(
    key: str,
    nodes: Sequence[dict[str, Any]],
    places: dict[str, tuple[float, float]],
    top: float,
    rounds: int,
) -> tuple[float, float]:
    column = _column(key, rounds)
    x = (column - 1) * (BOX_SIZE_PX[0] + BOX_GAP_PX[0]) + 4
    node = next(each for each in nodes if each["key"] == key)
    feeding = [
        places[side["key"]][1]
        for side in node["sides"]
        if side["from"] == "winner" and side["key"] in places and side["key"][0] == key[0]
    ]
    if feeding:
        return x, sum(feeding) / len(feeding)
    number = int(key.partition(".")[2]) - 1
    return x, top + number * (BOX_SIZE_PX[1] + BOX_GAP_PX[1])


def _draw_connectors(
    nodes: Sequence[dict[str, Any]], places: dict[str, tuple[float, float]]
) -> str:
    lines = []
    for node in nodes:
        x, y = places[node["key"]]
        for side in node["sides"]:
            if side["from"] != "winner" or side["key"] not in places:
                continue
            from_x, from_y = places[side["key"]]
            middle = x - BOX_GAP_PX[0] / 2
            lines.append(
                f'<path class="way" d="M{from_x + BOX_SIZE_PX[0]:.0f}'
                f" {from_y + BOX_SIZE_PX[1] / 2:.0f}"
                f'H{middle:.0f}V{y + BOX_SIZE_PX[1] / 2:.0f}H{x:.0f}"/>'
            )
    return "".join(lines)


def _draw_box(node: dict[str, Any], place: tuple[float, float], language: str) -> str:
    x, y = place
    width, height = BOX_SIZE_PX
    title = escape(node["title"].get(language, ""))
    if node["ending"] == "lot":
        title += Text(" · by lot", " · 抽签")[language]
    parts = [
        f'<text class="round" x="{x:.0f}" y="{y - 5:.0f}">{title}</text>',
        f'<rect class="box" x="{x:.0f}" y="{y:.0f}" width="{width}" height="{height}" rx="5"/>',
    ]
    for side in range(2):
        name = node["names"][side]
        shown = "…" if name is None else name or "—"
        won = ' class="won"' if name and name == node["winner"] else ""
        line = y + 17 + side * 20
        score = "" if node["scores"] is None else f"{node['scores'][side]:g}"
        parts.append(
            f'<text{won} x="{x + 9:.0f}" y="{line:.0f}">{escape(_truncate(shown, 20))}</text>'
        )
        parts.append(
            f'<text{won} text-anchor="end" x="{x + width - 9:.0f}" y="{line:.0f}">{score}</text>'
        )
    return "".join(parts)


def _truncate(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def draw_rating_plot(rows: Sequence[dict[str, Any]]) -> str:
    """A dot and an interval for every entrant, best first; groups in alternating shades."""
    if not rows:
        return ""
    low = min(float(row["low"]) for row in rows)
    high = max(float(row["high"]) for row in rows)
    step = _tick_step(high - low)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    scale = (PLOT_WIDTH_PX - LEFT - RIGHT) / max(high - low, 1e-9)

    def x(elo: float) -> float:
        return LEFT + (elo - low) * scale

    height = ROW_HEIGHT_PX * len(rows) + 30
    parts = []
    for number, row in enumerate(rows):
        top = ROW_HEIGHT_PX * number
        if row["group"] % 2 == 0:
            parts.append(
                f'<rect class="band" x="0" y="{top}" width="{PLOT_WIDTH_PX}"'
                f' height="{ROW_HEIGHT_PX}"/>'
            )
    tick = low
    while tick <= high + 1e-9:
        parts.append(
            f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="0" y2="{height - 26}"/>'
            f'<text class="tick" text-anchor="middle" x="{x(tick):.1f}" y="{height - 8}">'
            f"{_format_elo(tick)}</text>"
        )
        tick += step
    for number, row in enumerate(rows):
        y = ROW_HEIGHT_PX * number + ROW_HEIGHT_PX / 2
        parts.append(
            f'<text text-anchor="end" x="{LEFT - 12}"'
            f' y="{y + 4}">{escape(_truncate(row["name"], 24))}'
            f'</text><line class="interval" x1="{x(row["low"]):.1f}" x2="{x(row["high"]):.1f}"'
            f' y1="{y}" y2="{y}"/><circle class="dot" cx="{x(row["elo"]):.1f}" cy="{y}" r="4.5"/>'
            f'<text class="tick" text-anchor="end" x="{PLOT_WIDTH_PX - 8}"'
            f' y="{y + 4}">{_format_interval(row)}'
            "</text>"
        )
    return (
        f'<svg class="ratings" viewBox="0 0 {PLOT_WIDTH_PX} {height}"'
        f' width="{PLOT_WIDTH_PX}" height="{height}"'
        f' role="img">{"".join(parts)}</svg>'
    )


def _format_elo(elo: float) -> str:
    return f"{elo:+.0f}".replace("-", "−") if round(elo) else "0"


def _format_interval(row: dict[str, Any]) -> str:
    return EloEstimate(row["elo"], row["low"], row["high"]).format().replace("-", "−")


def _tick_step(span: float) -> float:
    """A round distance between ticks: five to ten of them."""
    rough = max(span, 1.0) / 6
    size = 10.0 ** math.floor(math.log10(rough))
    return next(size * f for f in (1.0, 2.0, 5.0, 10.0) if size * f >= rough)
