"""For logics that send their AIs the messages of Ludus games: JSON, one object per line.

Bots written for Ludus, the AI kits' ``run`` and the page understand such games without knowing
them: ``start`` once, ``turn`` whenever a seat has to move, ``view`` when something changed for a
seat that does not have to move, and ``end``. An AI answers a turn with its move as text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .logic import Answer, Table  # relative: the folder may be copied to where there is no Ludus

View = Mapping[str, Any]


class Bout:
    """One bout at a table; creating it sends every seat ``start``.

    ``seconds`` is what a program may take for a move, ``patience`` what a person may take.
    """

    def __init__(
        self,
        table: Table,
        game: str,
        names: Sequence[str],
        *,
        version: int = 1,
        options: Mapping[str, Any] | None = None,
        seconds: float = 3.0,
        patience: float = 300.0,
        open_moves: bool = True,
    ) -> None:
        """``names`` are the names of the seats. With ``open_moves`` all seats are sent all
        moves, and the seed."""
        self._table = table
        self._seconds, self._patience = seconds, patience
        self._open = open_moves
        self._turns = {seat: 0 for seat in table.seats}
        self._news: dict[int, list[dict[str, str]]] = {seat: [] for seat in table.seats}
        start = {"game": game, "version": version, "seats": list(names), "options": options or {}}
        if open_moves:
            start["seed"] = table.seed
        for seat in table.seats:
            self._tell(seat, {"type": "start", "seat": seat, **start, "budget": 0.0})

    def turn(self, seat: int, legal: Sequence[str], view: View) -> Answer:
        """Ask a seat for its move. The answer is not checked."""
        limit = self._patience if seat in self._table.people else self._seconds
        self._table.limit(seconds=limit)
        self._turns[seat] += 1
        message = {
            "type": "turn",
            "n": self._turns[seat],
            "left": [limit] * len(self._turns),
            "limit": limit,
            "legal": list(legal),
            "view": view,
        }
        if self._open:
            message["moves"], self._news[seat] = self._news[seat], []
        return self._table.ask({seat: _line(message)})[seat]

    def played(self, seat: int, move: str) -> None:
        """Record a move: if moves are open, all seats are sent it with their next turn."""
        if self._open:
            for news in self._news.values():
                news.append({str(seat): move})

    def show(self, seat: int, view: View) -> None:
        """Show a seat what has changed."""
        self._tell(seat, {"type": "view", "view": view})

    def watch(self, view: View) -> None:
        """Show the spectators what has changed."""
        self._table.watch(_line({"type": "view", "view": view}))

    def end(
        self, scores: Sequence[float], reason: str, detail: Mapping[str, Any], views: Sequence[View]
    ) -> None:
        """Send every seat the outcome and its last view.

        After this, save the replay and end the match.
        """
        message = {"type": "end", "scores": list(scores), "reason": reason, "detail": detail}
        for seat in self._table.seats:
            self._tell(seat, {**message, "view": views[seat]})

    def _tell(self, seat: int, message: Mapping[str, Any]) -> None:
        self._table.tell(seat, _line(message))


def _line(message: Mapping[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False) + "\n"
