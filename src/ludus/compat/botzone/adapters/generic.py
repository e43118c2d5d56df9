"""Any game of Ludus in one JSON request: for bots that know no format of Botzone's for the game.

A request says everything that a bot needs to answer it::

    {"game": "tablut", "seat": 0, "seats": ["defenders", "attackers"], "options": {…},
     "clock": {"budget": 10.0, "increment": 0.0, "per_move": null, "measure": "cpu"},
     "step": 4, "moves": [{"0": "e4e3"}, {"1": "a4b4"}], "legal": ["e3e2", …],
     "rows": 9, "columns": 9, "view": {"layers": {…}, "phase": {…}, "to_move": [0], …}}

The response is one of ``legal``, as a JSON string. ``moves`` are the steps since the seat's last
turn, its own included, each by seat. In the history (``requests``) of a program that is started
for every turn, all requests but the last keep ``step`` and ``moves`` only, so the history holds
every move of the bout once; what a position looked like follows from them. In a game with hidden
information ``moves`` is left out: ``view`` is all that the seat may know.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ludus.bots.players.base import SeatBout
from ludus.compat.botzone.adapters.adapter import BotTurn, illegal_response
from ludus.games.base import Position
from ludus.games.host import Ply

VIEW_PARTS = ("layers", "phase", "to_move", "counters", "bars", "marks")
"""The parts of a view that a bot gets: what ``legal`` says already is left out."""
HISTORY_PARTS = ("step", "moves")
"""The parts of a request that stay in the history."""


class GenericAdapter:
    """The adapter of every game that has none of its own."""

    has_simple_interaction = False

    def open_bout(self, bout: SeatBout) -> GenericBout:
        return GenericBout(bout)

    def write_text(self, message: Any) -> str:
        raise NotImplementedError

    def read_text(self, text: str) -> Any:
        raise NotImplementedError


class GenericBout:
    """The turns of one seat, with the position that the requests describe."""

    def __init__(self, bout: SeatBout) -> None:
        self._seat, self._hidden = bout.seat, bout.game.hidden
        self._position: Position = bout.game.start(bout.options, bout.seed)
        self._facts = _make_facts(bout)
        self._step = 0
        self._new_moves: list[dict[str, str]] = []
        """The steps since the seat's last turn."""
        self._last_request: dict[str, Any] = {}

    def advance(self, plies: Sequence[Ply]) -> list[BotTurn]:
        _keep_history_parts(self._last_request)
        turns: list[BotTurn] = []
        for ply in plies:
            if self._seat in ply:
                turns.append(BotTurn(self._take_history_request(), ply[self._seat]))
            self._position.play(ply)
            self._step += 1
            self._new_moves.append({str(seat): move for seat, move in ply.items()})
        self._last_request = {**self._facts, **self._take_history_request(), **self._look()}
        return [*turns, BotTurn(self._last_request)]

    def _take_history_request(self) -> dict[str, Any]:
        moves, self._new_moves = self._new_moves, []
        return {"step": self._step} if self._hidden else {"step": self._step, "moves": moves}

    def _look(self) -> dict[str, Any]:
        view = self._position.view(self._seat)
        return {
            "legal": list(self._position.legal(self._seat)),
            "view": {name: view[name] for name in VIEW_PARTS if name in view},
        }

    def read_move(self, response: Any) -> str:
        if isinstance(response, str):
            return response
        shown = msgspec.json.encode(response).decode(errors="replace")
        raise illegal_response(
            shown, "expected a move as a JSON string", "应为 JSON 字符串形式的着法"
        )

    def check_forced(self, response: Any, turn: BotTurn) -> None:
        """No turn of this adapter is forced."""


def _make_facts(bout: SeatBout) -> dict[str, Any]:
    """What stays the same through a bout."""
    game, clock = bout.game, bout.clock
    scene = game.scene(bout.options)
    return {
        "game": game.name,
        "seat": bout.seat,
        "seats": game.seat_keys,
        "options": _as_json(dataclasses.asdict(bout.options)),
        "clock": {
            "budget": bout.budget,
            "increment": clock.increment,
            "per_move": clock.per_move,
            "measure": clock.measure,
        },
        "rows": scene["rows"],
        "columns": scene["columns"],
    }


def _as_json(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in options.items()
    }


def _keep_history_parts(request: dict[str, Any]) -> None:
    """Shorten a request that was answered: the session keeps it in the bot's history, where the
    boards of all turns together would be far longer than everything else."""
    for name in set(request) - set(HISTORY_PARTS):
        del request[name]
