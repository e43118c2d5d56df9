"""Bots written for the original Paper.io: modules with ``play(stat, storage)``.

``load``, ``summary``, ``init`` and ``summaryall`` are called where a module defines them.
``stat`` is one dict per bout and ``storage`` one per match; both are the bot's own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from ludus.games.base import ClockView, Outcome
from ludus.games.host import Host, Ply
from ludus.games.paperio.frames import OriginalFrames
from ludus.games.paperio.rules import REASONS, PaperPosition

RESULT_TYPES = {reason: number for number, reason in REASONS.items()} | {"timeout": -2}
ERROR_TYPE = -1
"""What ends a bout otherwise (an exception, too much memory, …) is the original's ``-1``."""


def to_move_letter(answer: Any) -> str:
    """What ``play`` returned, as a move: nothing but a text that begins with l or r turns."""
    if isinstance(answer, str) and answer:
        turn = answer[0].upper()
        if turn in ("L", "R"):
            return turn
    return "S"


def original_result(outcome: Outcome) -> tuple[int | None, int]:
    """The first two elements of the original's result: winner and type."""
    return outcome.winner, RESULT_TYPES.get(outcome.reason, ERROR_TYPE)


def make_first_stat(
    film: OriginalFrames, seat: int, timeleft: tuple[float, float]
) -> dict[str, Any]:
    """What a bot is given at the beginning of a bout."""
    frame = film.private(seat, timeleft)
    return {"size": (film.field.width, film.field.height), "log": [frame], "now": frame}


class PlayHost(Host):
    """Runs a module with ``play(stat, storage)``; one for a whole match."""

    mark = "play"
    needs = ()
    signatures = {"play": "play(stat, storage)", "load": "load(stat, storage)"}
    notes_are_prints = True

    position: PaperPosition
    storage: dict[Any, Any] | None = None

    @classmethod
    def accepts(cls, bot: Any) -> bool:
        return callable(bot)

    def start(self, seat: int, options: Any, seed: int, budget: float) -> None:
        self.seat = seat
        position = self.game.start(options, seed)
        assert isinstance(position, PaperPosition)
        self.position = position
        self.film = OriginalFrames(position.field)
        self.left = (budget, budget)
        self.stat = make_first_stat(self.film, seat, self.left)
        if self.storage is None:
            self.storage = {}
            self._call_optional("init", self.storage)
        if load := self.namespace.get("load"):
            load(self.stat, self.storage)

    def turn(self, plies: Sequence[Ply], clock: ClockView) -> str:
        first, second = clock.left
        # Before its first move a seat's clock shows 0: it still has all its time.
        self.left = (first or self.left[0], second or self.left[1])
        self.follow(plies)
        return to_move_letter(self.make(self.stat, self.storage))

    def follow(self, plies: Sequence[Ply]) -> None:
        for ply in plies:
            self.position.play(ply)
            self.film.develop()
            frame = self.film.private(self.seat, self.left)
            self.stat["log"].append(frame)
            self.stat["now"] = frame

    def end(self, plies: Sequence[Ply], outcome: Outcome) -> None:
        self.follow(plies)
        self._call_optional("summary", original_result(outcome), self.stat, self.storage)

    def close(self) -> None:
        if self.storage is not None:
            self._call_optional("summaryall", self.storage)
            self.storage = None

    def _call_optional(self, name: str, *args: Any) -> None:
        """Call a function that the bot may have; whatever it raises is its own affair."""
        if function := self.namespace.get(name):
            with contextlib.suppress(Exception, SystemExit):
                function(*args)
