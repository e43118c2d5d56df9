"""A bout whose moves are numbers, step by step: the common core of all environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ludus.compat.gym.actions import ActionMask, make_actions, read_action
from ludus.compat.gym.observations import Arrays, make_encoder
from ludus.errors import LudusError
from ludus.games.base import Game, IllegalMove, Outcome, Position
from ludus.games.openings import resolve_openings
from ludus.games.registry import get
from ludus.lang import translate
from ludus.match.verdict import SeatFault, decide_fault_outcome, from_illegal


class NumberedBout:
    """One bout after the other of a game, with actions, masks, observations and rewards.

    An action that is not legal ends the bout, and its seat loses, as a bot's illegal move would.
    """

    def __init__(
        self, game: str | Game, options: Mapping[str, Any], openings: str | Sequence[str] = "none"
    ) -> None:
        self.game = get(game) if isinstance(game, str) else game
        if self.game.turn_source:
            raise LudusError(
                f"the rules of {self.game.name} are a program of its own, which has no environment",
                f"{self.game.name} 的规则是独立的程序，没有对应的环境",
            )
        self.options = self.game.Options.parse(options)
        self.openings = resolve_openings(openings, self.game, self.options)
        self.actions = make_actions(self.game, self.options)
        self.encoder = make_encoder(self.game, self.options)
        self.scene = self.game.scene(self.options)
        self.start(0)

    @property
    def seats(self) -> int:
        return len(self.game.seats)

    def start(self, seed: int) -> None:
        """Begin a new bout; the seed fixes its start and its opening."""
        self.seed = seed
        self.position: Position = self.game.start(self.options, seed)
        self.faults: list[SeatFault] = []
        left = list(self.openings.draw(seed))
        while left:
            ply = dict(zip(self.position.to_move, left, strict=False))
            del left[: len(ply)]
            self.position.play(ply)

    def follow(self, position: Position, faults: list[SeatFault]) -> None:
        """Look at a bout that is played elsewhere."""
        self.position, self.faults = position, faults

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats that have to act; none when the bout is over."""
        return () if self.faults else self.position.to_move

    def mask(self, seat: int) -> ActionMask:
        """1 for each legal action of a seat; all 0 for a seat that has nothing to decide."""
        if seat in self.to_move:
            return self.actions.mask(self.position, seat)
        return np.zeros(self.actions.count, np.int8)

    def observe(self, seat: int) -> Arrays:
        """What a seat sees, with its mask; new arrays, which nothing changes later."""
        arrays = self.encoder.encode(self.position, seat)
        arrays["action_mask"] = self.mask(seat)
        return arrays

    def play_numbers(self, chosen: Mapping[int, int]) -> None:
        """Play an action for each seat that has to act."""
        ply = {}
        for seat in self.to_move:
            number = read_action(chosen[seat])
            move = self.actions.text(self.position, seat, number)
            if move is None:
                error = IllegalMove(seat, f"?action {number}", "its mask is 0", "它的掩码为 0")
                self.faults.append(from_illegal(error))
            else:
                ply[seat] = move
        if not self.faults:
            self.position.play(ply)

    @property
    def outcome(self) -> Outcome | None:
        """None while a seat has to act."""
        if self.faults:
            return decide_fault_outcome(self.faults, self.seats)
        return self.position.outcome

    def rewards(self) -> list[float]:
        """0 while the bout goes on; then each seat's lead over the others' mean score.

        With two seats that is 1 for a win, 0 for a draw and -1 for a loss.
        """
        outcome = self.outcome
        if outcome is None:
            return [0.0] * self.seats
        total, others = sum(outcome.scores), max(self.seats - 1, 1)
        return [score - (total - score) / others for score in outcome.scores]

    def info(self, seat: int) -> dict[str, Any]:
        """Why the bout ended, once it has."""
        for fault in self.faults:
            if fault.seat == seat:
                return {"fault": translate(fault.why)}
        outcome = self.outcome
        return {} if outcome is None else {"reason": outcome.reason}
