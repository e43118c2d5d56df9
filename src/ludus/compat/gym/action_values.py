"""A small learner, to try an environment with and to begin an own one from.

It learns how much each action is worth on average, whatever the position: the mean reward of the
bouts in which it was chosen. That is little, but in Reversi it finds the corners.
"""

from __future__ import annotations

from typing import Any, Self

import gymnasium
import numpy as np
import numpy.typing as npt


class ActionValues:
    """The mean reward of each action in one Gymnasium environment with masks.

    Its methods are called as those of Stable-Baselines: ``learn`` and ``predict``.
    """

    def __init__(self, env: gymnasium.Env[dict[str, Any], Any], curiosity: float = 0.3) -> None:
        """``curiosity`` is the share of random actions while it learns."""
        self.env, self.curiosity = env, curiosity
        count = int(env.action_space.n)  # type: ignore[attr-defined]
        self.tries: npt.NDArray[np.float64] = np.ones(count)
        self.totals: npt.NDArray[np.float64] = np.zeros(count)
        self._generator = np.random.default_rng()

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """What each action was worth so far, from -1 to 1."""
        means: npt.NDArray[np.float64] = self.totals / self.tries
        return means

    def learn(self, total_timesteps: int, seed: int | None = None) -> Self:
        """Play at least so many steps, in whole bouts, and learn from each bout."""
        self._generator = np.random.default_rng(seed)
        steps = 0
        while steps < total_timesteps:
            chosen, reward = self._play_bout(self.curiosity, seed if steps == 0 else None)
            np.add.at(self.tries, chosen, 1)
            np.add.at(self.totals, chosen, reward)
            steps += len(chosen)
        return self

    def predict(self, observation: dict[str, Any]) -> int:
        """The legal action that was worth most."""
        values = np.where(observation["action_mask"] > 0, self.values, -np.inf)
        return int(np.argmax(values))

    def evaluate(self, bouts: int = 50, seed: int | None = None) -> float:
        """The mean reward of bouts in which it always chooses the best action it knows."""
        rewards = [self._play_bout(0.0, seed if not bout else None)[1] for bout in range(bouts)]
        return float(np.mean(rewards))

    def _play_bout(self, curiosity: float, seed: int | None) -> tuple[list[int], float]:
        """The actions that were chosen in a bout, and what it ended with."""
        observation, _ = self.env.reset(seed=seed)
        chosen: list[int] = []
        over, reward = not observation["action_mask"].any(), 0.0
        while not over:
            action = self.predict(observation)
            if self._generator.random() < curiosity:
                action = int(self._generator.choice(np.flatnonzero(observation["action_mask"])))
            chosen.append(action)
            observation, got, over, _, _ = self.env.step(action)
            reward = float(got)
        return chosen, reward
