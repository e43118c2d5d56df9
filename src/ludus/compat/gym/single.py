"""A seat of a game as a Gymnasium environment: one agent learns against bots.

The bouts are played by the referee: a rival that crashes, answers illegally or runs out of time
loses, just as in a match, and every bout has a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ludus.bots.bot_like import BotLike, create_players, refuse_wrong_jail, resolve_bot_like
from ludus.bots.players.base import Player
from ludus.compat.gym.actions import no_bout_error, read_action
from ludus.compat.gym.learner import LearnerPlayer, RivalGenerators, derive_rival_seed
from ludus.compat.gym.numbered_bout import NumberedBout
from ludus.compat.gym.rendering import RENDER_FPS, RENDER_MODES, check_render_mode, render_bout
from ludus.compat.gym.seeding import SeedSequence
from ludus.compat.gym.spaces import make_observation_space
from ludus.errors import LudusError
from ludus.games.base import Clock, Game
from ludus.match.record import Record
from ludus.match.referee import BoutReferee, PlayerTurns


class SingleSeatEnv(gymnasium.Env[dict[str, Any], int]):
    """A game in which one seat learns and bots sit on the others."""

    def __init__(
        self,
        bout: NumberedBout,
        rivals: Sequence[Player],
        seat: int | None,
        clock: Clock | None,
        render_mode: str | None,
    ) -> None:
        self.bout = bout
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}
        self.action_space: spaces.Discrete[Any] = spaces.Discrete(bout.actions.count)
        self.observation_space: spaces.Dict = make_observation_space(bout, bout.actions.count)
        self.record: Record | None = None
        """The record of the bout that ended last."""
        self.seat = seat or 0
        """The learner's seat in this bout."""
        self._alternates = seat is None
        self._rivals, self._clock = list(rivals), clock or bout.game.clock
        self._learner = LearnerPlayer()
        self._generators = RivalGenerators()
        self._seeds = SeedSequence()
        self._bouts = -1
        """How many bouts have begun since the last one that was given a seed."""
        self._referee: BoutReferee | None = None
        self._turns: PlayerTurns | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        self._bouts = 0 if seed is not None else self._bouts + 1
        if self._alternates:
            self.seat = self._bouts % self.bout.seats
        self._begin(self._seeds.next(seed))
        return self.bout.observe(self.seat), self._info()

    def _begin(self, seed: int) -> None:
        bout = self.bout
        players: list[Player] = list(self._rivals)
        players.insert(self.seat, self._learner)
        self._referee = BoutReferee(
            bout.game,
            bout.options,
            seed,
            players,
            self._clock,
            watch=None,
            opening=bout.openings.draw(seed),
            position=None,
            random_seeds=[derive_rival_seed(seed, seat) for seat in range(bout.seats)],
        )
        self._turns = PlayerTurns(self._referee, None)
        bout.follow(self._referee.position, self._referee.faults)
        with self._generators.in_use():
            self._referee.begin(self._turns)
            self._turns.start_players()
            self._play_rivals()

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        if self._turns is None:
            raise no_bout_error()
        bout, number = self.bout, read_action(action)
        move = bout.actions.text(bout.position, self.seat, number)
        self._learner.next_move = f"?action {number}" if move is None else move
        with self._generators.in_use():
            self._turns.ask(bout.position.to_move)
            self._play_rivals()
        reward = bout.rewards()[self.seat]
        return bout.observe(self.seat), reward, self._turns is None, False, self._info()

    def _play_rivals(self) -> None:
        """Let the rivals move until the learner has to, or the bout is over."""
        assert self._turns is not None and self._referee is not None
        while (seats := self.bout.to_move) and self.seat not in seats:
            self._turns.ask(seats)
        if not seats:
            self.record = self._referee.finish(self._turns)
            self._turns = None

    def _info(self) -> dict[str, Any]:
        return {"seat": self.seat, **self.bout.info(self.seat)}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal, as sb3-contrib's MaskablePPO asks for it."""
        return self.bout.mask(self.seat).astype(np.bool_)

    def render(self) -> Any:
        return render_bout(self.bout, self.render_mode)

    def close(self) -> None:
        """Stop the rivals."""
        for player in self._rivals:
            player.close()


def single_env(
    game: str | Game,
    opponent: BotLike | Sequence[BotLike] = "random",
    *,
    seat: int | None = None,
    clock: Clock | None = None,
    openings: str | Sequence[str] = "none",
    render_mode: str | None = None,
    isolate: bool | None = None,
    jail: str | None = None,
    **options: Any,
) -> SingleSeatEnv:
    """One seat of a game against a bot: ``single_env("reversi", "greedy", size=6)``.

    ``opponent`` is a bot as for ``ludus.play``, or a list of bots, one for each other seat. The
    learner sits on ``seat``; by default it changes seats from bout to bout, and begins on the first
    after a ``reset`` with a seed.
    """
    refuse_wrong_jail(jail)
    bout = NumberedBout(game, options, openings)
    others = bout.seats - 1
    named: Sequence[Any] = opponent if isinstance(opponent, list | tuple) else [opponent] * others
    if len(named) != others or not (seat is None or 0 <= seat < bout.seats):
        raise LudusError(
            f"{bout.game.name} has {bout.seats} seats: name {others} opponents and a seat from 0"
            f" to {others}, got {len(named)} and {seat}",
            f"{bout.game.name} 有 {bout.seats} 个座位：请给出 {others} 个对手和 0 到 {others}"
            f" 的座位，得到 {len(named)} 个和 {seat}",
        )
    found = [resolve_bot_like(each, bout.game, bout.options) for each in named]
    rivals = create_players(found, bout.game, isolate, jail)
    return SingleSeatEnv(bout, rivals, seat, clock, render_mode)
