"""Games with a judge of Botzone: its requests go to the bots as they are, and their responses back.

Simple interaction, where a game has it, is a line of the values of some keys: ``botzone.toml``
names them, and ``{"x": 3, "y": 4}`` is then ``3 4``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ludus.bots.players.base import SeatBout
from ludus.compat.botzone.adapters.adapter import BotTurn
from ludus.compat.botzone.game import BotzoneGame
from ludus.compat.botzone.position import read_step, write_json
from ludus.games.host import Ply

INTEGER = re.compile(r"[+-]?\d{1,9}")


class JudgedGameAdapter:
    """The adapter of one game with a judge."""

    def __init__(self, game: BotzoneGame) -> None:
        self._keys = game.manifest.simpleio

    @property
    def has_simple_interaction(self) -> bool:
        return bool(self._keys)

    def open_bout(self, bout: SeatBout) -> JudgedBout:
        return JudgedBout(bout)

    def write_text(self, message: Any) -> str:
        if not isinstance(message, dict):
            return _write_word(message)
        return " ".join(_write_word(message[key]) for key in self._keys if key in message)

    def read_text(self, text: str) -> Any:
        """The values by their keys; any other text goes to the judge as it is."""
        words = text.split()
        if len(words) != len(self._keys) or not all(map(INTEGER.fullmatch, words)):
            return text
        return dict(zip(self._keys, map(int, words), strict=True))


def _write_word(value: Any) -> str:
    return value if isinstance(value, str) else write_json(value)


class JudgedBout:
    """The turns of one seat as the judge asked them."""

    def __init__(self, bout: SeatBout) -> None:
        assert isinstance(bout.game, BotzoneGame)
        self._seat, self._seats = bout.seat, len(bout.game.seats)
        self._position = bout.game.start(bout.options, bout.seed)

    def advance(self, plies: Sequence[Ply]) -> list[BotTurn]:
        turns: list[BotTurn] = []
        for ply in plies:
            responses, _ = read_step(ply, self._seats)
            if answered := responses.get(self._seat):
                turns.append(BotTurn(self._position.request(self._seat), answered.response))
            self._position.play(ply)
        return [*turns, BotTurn(self._position.request(self._seat))]

    def read_move(self, response: Any) -> str:
        return write_json(response)

    def check_forced(self, response: Any, turn: BotTurn) -> None:
        """No turn of this adapter is forced: the judge asks for each."""
