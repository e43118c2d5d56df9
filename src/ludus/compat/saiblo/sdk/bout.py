"""For logics that talk with their AIs in Ludus' words: JSON, one object per line.

Bots written for Ludus, the AI kits' ``run`` and the page understand such games without knowing
them: ``start`` once, ``turn`` whenever a seat has to move, ``view`` when something changed for a
seat that need not move, ``end`` at last. An AI answers a turn with its move as text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .logic import Answer, Table  # relative: the folder may be copied to where there is no Ludus

View = Mapping[str, Any]


class Bout:
    """One bout at a table; making it tells every seat that it begins.

    ``seconds`` is what a program may take for a move, ``patience`` what a person may.
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
        """``names``: the seats'. ``open_moves``: everybody may know every move, and the seed."""
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
        """Ask a seat for its move; the answer may be anything."""
        limit = self._patience if seat in self._table.people else self._seconds
        self._table.limit(seconds=limit)
        self._turns[seat] += 1
        said = {
            "type": "turn",
            "n": self._turns[seat],
            "left": [limit] * len(self._turns),
            "limit": limit,
            "legal": list(legal),
            "view": view,
        }
        if self._open:
            said["moves"], self._news[seat] = self._news[seat], []
        return self._table.ask({seat: _line(said)})[seat]

    def played(self, seat: int, move: str) -> None:
        """A move was made: everybody hears of it with their next turn, if moves are open."""
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
        """Tell every seat how the bout ended, and what it sees at last.

        Then save the replay and end the match.
        """
        said = {"type": "end", "scores": list(scores), "reason": reason, "detail": detail}
        for seat in self._table.seats:
            self._tell(seat, {**said, "view": views[seat]})

    def _tell(self, seat: int, said: Mapping[str, Any]) -> None:
        self._table.tell(seat, _line(said))


def _line(said: Mapping[str, Any]) -> str:
    return json.dumps(said, ensure_ascii=False) + "\n"
