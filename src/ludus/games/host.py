"""Runs one bot on its own replica of the position, the same way in every process.

A replica is advanced by moves, so a turn costs a few bytes. The host of a native bot is below;
a game's ``dialect.py`` subclasses it for bots that were written for another system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from ludus.games.base import Bot, ClockView, Game, Outcome, Position

Ply = Mapping[int, str]
"""The moves of one step: seat → move."""


class Host:
    """Runs a native bot: a class ``Bot`` with ``move(position, clock)``."""

    mark: ClassVar[str] = "Bot"
    """The top-level name by which a bot file of this kind is recognised."""
    needs: ClassVar[tuple[str, ...]] = ("move",)
    """The methods that an object of that name must have."""
    modules: ClassVar[Mapping[str, str]] = {}
    """Modules that bots of this kind import by the original's name → ours."""

    position: Position
    seat: int
    namespace: Mapping[str, Any] = MappingProxyType({})
    """Everything the bot's file defines, for kinds of bots that are whole modules."""

    def __init__(self, game: Game, make: Any) -> None:
        self.game = game
        self.make = make

    @classmethod
    def accepts(cls, bot: Any) -> bool:
        """Whether the object under ``mark`` is a bot of this kind."""
        return all(callable(getattr(bot, name, None)) for name in cls.needs)

    def start(self, seat: int, options: Any, seed: int, budget: float) -> None:
        """Start a bout: create the bot anew and pass it its seat."""
        self.seat = seat
        self.position = self.game.start(options, seed)
        self.bot: Bot = self.make()
        if set_game := getattr(self.bot, "set_game", None):
            set_game(self.game)
        if start := getattr(self.bot, "start", None):
            start(seat, self.position.copy())

    def turn(self, plies: Sequence[Ply], clock: ClockView) -> str:
        """Catch up with the moves made since the last turn and answer with the bot's move."""
        self.follow(plies)
        return to_move_text(self.bot.move(self.position.copy(), clock))

    def end(self, plies: Sequence[Ply], outcome: Outcome) -> None:
        """The bout is over."""
        if end := getattr(self.bot, "end", None):
            end(outcome)

    def close(self) -> None:
        """The match is over; there is a second or so left for last words."""

    def follow(self, plies: Sequence[Ply]) -> None:
        """Advance the replica."""
        for ply in plies:
            self.position.play(ply)


def to_move_text(answer: Any) -> str:
    """The bot's answer as move text; anything else becomes a text that no game allows."""
    return answer if isinstance(answer, str) else illegal_move_text(answer)


def illegal_move_text(answer: Any) -> str:
    """A move text that is illegal everywhere and shows what the bot answered."""
    try:
        shown = repr(answer)
    except Exception as error:
        shown = f"<{type(answer).__name__} whose repr raises {type(error).__name__}>"
    return "?" + shown[:200]
