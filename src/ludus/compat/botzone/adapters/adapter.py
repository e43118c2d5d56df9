"""The interface of an adapter, and the turns of one seat in one bout."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import UNSET

from ludus.bots.players.base import SeatBout
from ludus.games.host import Ply
from ludus.sandbox.bot_fault import BotFault, FaultKind


@dataclasses.dataclass(slots=True)
class BotTurn:
    """One request to a bot, and its answer."""

    request: Any
    """A JSON value."""
    response: Any = UNSET
    """The answer as a JSON value; ``UNSET`` if it is the bot that decides."""
    forced: bool = False
    """Whether Botzone asks the bot here although the rules leave one answer only: ``response``.
    Ludus never asks then, so the bot is asked later, together with its next turn."""


class BoutTranslator(Protocol):
    """Translates one bout for one seat."""

    def advance(self, plies: Sequence[Ply]) -> list[BotTurn]:
        """The turns of this seat in ``plies``, which were played since the last call, and the one
        it has to answer now, last. Turns that the seat has answered have its move as response."""

    def read_move(self, response: Any) -> str:
        """The move of a bot's answer; BotFault (illegal) if the answer means none."""

    def check_forced(self, response: Any, turn: BotTurn) -> None:
        """BotFault (illegal) if the answer to a forced turn is another than ``turn.response``."""


class BotzoneAdapter(Protocol):
    """Serves one game to bots of Botzone."""

    @property
    def has_simple_interaction(self) -> bool:
        """Whether Botzone has simple interaction for the game: ``write_text``, ``read_text``."""

    def open_bout(self, bout: SeatBout) -> BoutTranslator:
        """A bout begins; LudusError if Botzone has no such options."""

    def write_text(self, message: Any) -> str:
        """A request or response in the words of simple interaction."""

    def read_text(self, text: str) -> Any:
        """The response that a bot printed in simple interaction, as the JSON value that
        ``BoutTranslator.read_move`` reads; BotFault if it is none."""


def illegal_response(shown: str, en: str, zh: str) -> BotFault:
    """The fault of a bot whose response means no move."""
    return BotFault(
        FaultKind.ILLEGAL, f"it answered {shown[:200]}: {en}", f"它回答了 {shown[:200]}：{zh}"
    )
