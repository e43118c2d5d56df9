"""Says what happened in a bout: why it ended, how it went, what was wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ludus.compat.mcp.texts import MAX_ROWS, MAX_TEXT_CHARS, sample, shorten
from ludus.compat.mcp.workspace import Workspace
from ludus.compat.notebook.board_text import draw_text
from ludus.compat.reading import read_verified
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.lang import translate
from ludus.match.record import SUFFIX, Record, load_game
from ludus.match.replay import replay_steps

TURNING_POINTS = 3
MAX_RECORDS = 400
"""The most records that one folder may have to be summed up."""


def summarize_record(record: Record) -> dict[str, Any]:
    """How a bout ended, in a few fields."""
    game, _ = load_game(record)
    names = [bot.name for bot in record.bots]
    winner = record.winner
    return {
        "bots": dict(zip(game.seat_keys, names, strict=True)),
        "winner": None if winner is None else names[winner],
        "winning_seat": None if winner is None else game.seat_keys[winner],
        "scores": list(record.scores),
        "ended_by": explain_end(record, game),
        "faults": [describe_fault(record, game, number) for number in range(len(record.faults))],
        "moves_count": len(record.moves),
        "cpu_seconds": [round(used[0], 3) for used in record.times.used],
    }


def explain_end(record: Record, game: Game) -> str:
    """Why the bout ended, as a sentence."""
    if record.faults:
        fault = record.faults[0]
        return f"{record.bots[fault.seat].name} ({fault.kind.value}): {translate(fault.why)}"
    return translate(game.explain(record.outcome))


def describe_fault(record: Record, game: Game, number: int) -> dict[str, Any]:
    fault = record.faults[number]
    return {
        "bot": record.bots[fault.seat].name,
        "seat": game.seat_keys[fault.seat],
        "kind": fault.kind.value,
        "why": shorten(translate(fault.why)),
        "move": fault.move,
        "trace": shorten(fault.trace),
    }


def explain_record(path: Path, workspace: Workspace) -> dict[str, Any]:
    """A bout from its record: its end, its moves, its scores over time and its faults."""
    record = read_verified(path)
    game, options = load_game(record)
    steps = [(ply, position.view()) for ply, position in replay_steps(record)]
    scene = game.scene(options)
    last = steps[-1][1]
    return {
        "record": workspace.name(path),
        "game": record.game,
        "options": record.options,
        "seed": record.seed,
        **summarize_record(record),
        "opening_moves": record.opening_moves,
        "moves": shorten(" ".join(game.spoken(move) for move in record.moves)),
        "over_time": chart_counters(scene, [view for _, view in steps]),
        "turning_points": find_turning_points(game, scene, steps),
        "slowest_moves_ms": slowest_moves(record, game),
        "final_position": shorten(draw_text(scene, last)),
    }


def chart_counters(
    scene: Mapping[str, Any], views: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """What the game counts, at a few steps of the bout."""
    numbers = sample(len(views))
    return [
        {
            "name": translate(chart["name"]),
            "steps": numbers,
            "values": [_counter(views[number], chart["key"]) for number in numbers],
        }
        for chart in scene.get("charts", [])
    ]


def _counter(view: Mapping[str, Any], key: str) -> Any:
    return view.get("counters", {}).get(key, view.get("bars", {}).get(key))


def find_turning_points(
    game: Game,
    scene: Mapping[str, Any],
    steps: Sequence[tuple[Mapping[int, str], Mapping[str, Any]]],
) -> list[dict[str, Any]]:
    """The steps that changed most in what the first chart counts for two seats."""
    charts = scene.get("charts", [])
    if not charts or len(game.seats) != 2:
        return []
    values = [_counter(view, charts[0]["key"]) for _, view in steps]
    if not all(isinstance(value, list) and len(value) == 2 for value in values):
        return []
    leads = [value[0] - value[1] for value in values]
    changes = [(leads[n] - leads[n - 1], n) for n in range(1, len(leads))]
    changes.sort(key=lambda change: (-abs(change[0]), change[1]))
    return [
        {
            "step": step,
            "moves": {game.seat_keys[seat]: move for seat, move in steps[step][0].items()},
            "change_for_first_seat": change,
        }
        for change, step in changes[:TURNING_POINTS]
        if change
    ]


def slowest_moves(record: Record, game: Game) -> dict[str, int]:
    """The CPU time of the slowest move of each seat."""
    slowest = dict.fromkeys(game.seat_keys, 0)
    place = 0
    for ply, _ in replay_steps(record):
        for seat in ply:
            if place < len(record.times.cpu):
                name = game.seat_keys[seat]
                slowest[name] = max(slowest[name], record.times.cpu[place])
            place += 1
    return slowest


def summarize_folder(folder: Path, workspace: Workspace) -> dict[str, Any]:
    """All records of a folder: every bot's results, and a line for each bout."""
    paths = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else [folder]
    workspace.require_inside((path.resolve() for path in paths), workspace.name(folder))
    if not paths or len(paths) > MAX_RECORDS:
        raise LudusError(
            f"{workspace.name(folder)} has {len(paths)} records; expected 1 to {MAX_RECORDS}",
            f"{workspace.name(folder)} 中有 {len(paths)} 个录像；应为 1 到 {MAX_RECORDS} 个",
        )
    records = [(path, read_verified(path)) for path in paths]
    rows = [{"record": workspace.name(path), **summarize_record(one)} for path, one in records]
    for row in rows:
        for fault in row["faults"]:
            fault["trace"] = shorten(fault["trace"], MAX_TEXT_CHARS // MAX_ROWS)
    return {
        "bots": total_results(record for _, record in records),
        "bouts": rows[:MAX_ROWS],
        "bouts_count": len(rows),
    }


def total_results(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Bouts, wins, draws, losses and faults by the names of the bots."""
    totals: dict[str, dict[str, Any]] = {}
    for record in records:
        faulty = {fault.seat for fault in record.faults}
        for seat, bot in enumerate(record.bots):
            empty = {"bot": bot.name, "bouts": 0, "won": 0, "drawn": 0, "lost": 0, "faults": 0}
            row = totals.setdefault(bot.name, empty)
            row["bouts"] += 1
            row["faults"] += seat in faulty
            row[_result_of(record, seat)] += 1
    return list(totals.values())


def _result_of(record: Record, seat: int) -> str:
    if record.winner is None:
        return "drawn"
    return "won" if record.winner == seat else "lost"
