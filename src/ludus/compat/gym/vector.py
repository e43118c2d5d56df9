"""Many bouts of a game in lockstep, as arrays: for learners that play against themselves.

    bouts = VectorBouts("reversi", 256)
    step = bouts.reset(seed=1)
    while learning:
        actions = choose(step.observations, step.masks)
        step = bouts.step(actions)

In every bout the seat to move acts. A bout that ends begins anew at once: ``rewards`` and ``done``
tell of the end, observation and mask are already those of the next bout. Games with compiled
positions and planes (Reversi, the Tablut family) run in compiled code, all others in Python.
Neither Gymnasium nor PettingZoo is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compat.gym.numbered_bout import NumberedBout
from ludus.compat.gym.observations import PlaneEncoder
from ludus.compat.gym.search_batch import IS_COMPILED, SearchBatch
from ludus.compat.gym.seeding import SeedSequence
from ludus.compat.gym.text_batch import TextBatch
from ludus.errors import LudusError
from ludus.games.base import Game


class VectorStep(NamedTuple):
    """What all bouts look like after a step; the first axis of each array counts the bouts."""

    observations: npt.NDArray[Any]
    """Planes, rows and columns, as the seat to move sees them."""
    masks: npt.NDArray[np.int8]
    """1 for each legal action of the seat to move."""
    rewards: npt.NDArray[np.float32]
    """What each of the two seats got by this step: 1, 0 or -1 at the end of a bout, else 0."""
    done: npt.NDArray[np.bool_]
    """Whether the bout ended with this step, and a new one began."""
    seats: npt.NDArray[np.int8]
    """The seat to move now."""


class VectorBouts:
    """So many bouts of a game of two seats that take turns."""

    def __init__(
        self,
        game: str | Game,
        count: int,
        *,
        openings: str | Sequence[str] = "none",
        copy: bool = True,
        **options: Any,
    ) -> None:
        """``openings`` as for ``ludus.play``. With ``copy=False`` the arrays of a step are written
        again by the next one, which saves a little time."""
        self._bout = NumberedBout(game, options, openings)
        self.game = self._bout.game
        if count < 1:
            raise LudusError(
                f"count must be at least 1, got {count}", f"count 至少为 1，得到 {count}"
            )
        if len(self.game.seats) != 2 or len(self._bout.to_move) != 1:
            raise LudusError(
                f"bouts in lockstep need two seats that take turns, and {self.game.name} has"
                " others; use aec_env or parallel_env",
                f"批量环境要求两个座位轮流走子，{self.game.name} 不是这样；"
                "请用 aec_env 或 parallel_env",
            )
        self.count, self.actions = count, self._bout.actions.count
        self.observation_shape = self._bout.encoder.shapes["observation"].shape
        self._copy = copy
        self._compiled = isinstance(self._bout.encoder, PlaneEncoder)
        self._seeds = SeedSequence()
        varied = self.game.is_seeded(self._bout.options) or openings != "none"
        self._fixed_start = None if varied else self._make_start(0)
        self._batch = self._make_batch()

    @property
    def is_compiled(self) -> bool:
        """Whether steps are played by compiled code."""
        return self._compiled and IS_COMPILED

    def reset(self, seed: int | None = None) -> VectorStep:
        """Begin all bouts anew; the same seed gives the same bouts."""
        first = self._seeds.next(seed)
        self._batch = self._make_batch()
        self._batch.seed(first & 0xFFFFFFFF)
        return self._read()

    def step(self, actions: npt.ArrayLike) -> VectorStep:
        """Play an action in every bout. If one of them is not legal, LudusError says which, and
        no bout has changed."""
        try:
            chosen = np.ascontiguousarray(actions, np.int64)
        except (TypeError, ValueError):
            raise LudusError(
                f"actions are {self.count} whole numbers, not {actions!r:.80}",
                f"动作是 {self.count} 个整数，而不是 {actions!r:.80}",
            ) from None
        if chosen.shape != (self.count,):
            raise LudusError(
                f"expected {self.count} actions, got an array of shape {chosen.shape}",
                f"应为 {self.count} 个动作，得到形状为 {chosen.shape} 的数组",
            )
        ended = self._batch.step(chosen)
        if ended < 0:
            bout = -1 - ended
            raise LudusError(
                f"action {chosen[bout]} of bout {bout} is not legal",
                f"第 {bout} 局的动作 {chosen[bout]} 不合法",
            )
        if ended:
            for bout in np.flatnonzero(self._batch.done_rows):
                self._batch.restart(int(bout), self._next_start())
        return self._read()

    def sample(self) -> npt.NDArray[np.int64]:
        """A random legal action for every bout."""
        chosen = np.empty(self.count, np.int64)
        self._batch.sample(chosen)
        return chosen

    def _read(self) -> VectorStep:
        batch = self._batch
        observations = batch.observation_rows.reshape(self.count, *self.observation_shape)
        step = (observations, batch.mask_rows, batch.reward_rows, batch.seat_rows)
        if self._copy:
            step = tuple(array.copy() for array in step)
        looks, masks, rewards, seats = step
        return VectorStep(looks, masks, rewards, batch.done_rows.astype(np.bool_), seats)

    def _make_batch(self) -> Any:
        starts = [self._next_start() for _ in range(self.count)]
        return SearchBatch(starts) if self._compiled else TextBatch(self._bout, starts)

    def _next_start(self) -> Any:
        if self._fixed_start is not None:
            return self._fixed_start.copy()
        return self._make_start(self._seeds.next(None))

    def _make_start(self, seed: int) -> Any:
        self._bout.start(seed)
        position = self._bout.position
        return self.game.search_position(position) if self._compiled else position
