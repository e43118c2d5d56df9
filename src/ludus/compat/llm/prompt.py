"""What a language model is told, and how a move is found in what it answers."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from typing import Any

from ludus.games.base import Game, Position
from ludus.games.describe import option_help
from ludus.games.host import Ply

MAX_BOARD_CHARS = 20_000
MAX_SHOWN_PLIES = 60
MAX_LEGAL_MOVES = 2000
MOVE_LINE = re.compile(r"move\s*:\s*(\S.*)", re.IGNORECASE)
DECORATION = " \t`*\"'.;()[]<>"
THINKING_END = "</think>"


def describe_game(game: Game, options: Any) -> str:
    """The rules, the options of this bout and the form of an answer."""
    rules = game.rules_text(options).strip() or f"You play {game.title['en']}."
    lines = [
        f"You play the board game {game.title['en']} in a tournament of programs.",
        "",
        rules,
        *_describe_options(options),
        "",
        "You are told the position and all legal moves, and choose one of them. Think briefly. End"
        " your answer with a line of its own that holds nothing but your move, written exactly as"
        " in the list of legal moves:",
        "MOVE: <move>",
    ]
    return "\n".join(lines)


def _describe_options(options: Any) -> list[str]:
    given = options.as_json()
    helps = {field.name: option_help(field).en for field in dataclasses.fields(options)}
    if not given:
        return []
    return ["", "Options of this bout:", *(f"- {n} = {v}: {helps[n]}" for n, v in given.items())]


def describe_turn(game: Game, position: Position, seat: int, plies: Sequence[Ply]) -> str:
    """The position as the seat may see it, the last moves and the legal ones."""
    parts = [f"You are {game.seats[seat]['en']}."]
    if plies:
        left_out = len(plies) - MAX_SHOWN_PLIES
        shown = [_format_ply(game, ply) for ply in plies[-MAX_SHOWN_PLIES:]]
        parts.append(("Last moves: … " if left_out > 0 else "Moves so far: ") + "; ".join(shown))
    parts.append(f"The position:\n{draw_position(game, position, seat)[:MAX_BOARD_CHARS]}")
    parts.append("Legal moves: " + "  ".join(position.legal(seat)[:MAX_LEGAL_MOVES]))
    return "\n\n".join(parts)


def _format_ply(game: Game, ply: Ply) -> str:
    return ", ".join(f"{game.seats[seat]['en']} {game.spoken(move)}" for seat, move in ply.items())


def draw_position(game: Game, position: Position, seat: int) -> str:
    """The board as a picture, and the rest of what the seat may see."""
    view = position.view(seat)
    facts = {name: view[name] for name in ("counters", "bars", "marks") if view.get(name)}
    phase = view.get("phase", {}).get("en", "")
    own_picture = type(position).__str__ is not object.__str__
    if own_picture and not game.hidden:
        board = str(position)
    else:  # only the view leaves out what the seat must not see
        board = json.dumps(view.get("layers", {}), ensure_ascii=False)
    return "\n".join(part for part in (board, phase, json.dumps(facts) if facts else "") if part)


def find_move(answer: str, legal: Sequence[str]) -> str | None:
    """The legal move that an answer names, or None if that is not clear.

    The last line ``MOVE: …`` counts; without one, an answer or a last line that is just a move, or
    the only legal move that is named at all.
    """
    answer = answer.rpartition(THINKING_END)[2]
    known = {move.lower(): move for move in legal}
    if marked := MOVE_LINE.findall(answer):
        return known.get(marked[-1].strip(DECORATION).lower())
    lines = [line.strip(DECORATION).lower() for line in answer.strip().splitlines()]
    if lines and lines[-1] in known:
        return known[lines[-1]]
    named = [move for move in legal if _mentions(answer, move)]
    return named[0] if len(named) == 1 else None


def _mentions(text: str, move: str) -> bool:
    return re.search(rf"(?<![\w,]){re.escape(move)}(?!\w|,\w)", text, re.IGNORECASE) is not None


def describe_retry(legal: Sequence[str]) -> str:
    """What a model is told that named no legal move."""
    return (
        "That names no legal move. Choose one of: "
        + "  ".join(legal[:MAX_LEGAL_MOVES])
        + "\nAnswer with one line: MOVE: <move>"
    )
