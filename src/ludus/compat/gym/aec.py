"""Games as PettingZoo environments in which one agent acts after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from ludus.compat.gym.actions import no_bout_error, read_action
from ludus.compat.gym.numbered_bout import NumberedBout
from ludus.compat.gym.rendering import RENDER_FPS, RENDER_MODES, check_render_mode, render_bout
from ludus.compat.gym.seeding import SeedSequence
from ludus.compat.gym.spaces import make_agent_names, make_observation_space
from ludus.games.base import Game


class LudusAECEnv(AECEnv[str, dict[str, Any], int | None]):  # type: ignore[misc]
    """A game as an AEC environment. Seats that move at the same time are asked one by one, and
    see nothing of each other's choice."""

    def __init__(self, bout: NumberedBout, render_mode: str | None) -> None:
        super().__init__()
        self.bout = bout
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {
            "name": f"ludus_{bout.game.name}_v{bout.game.version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        self.possible_agents = make_agent_names(bout)
        self.agents: list[str] = []
        count = bout.actions.count
        self.observation_spaces = {
            agent: make_observation_space(bout, count) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}
        self._seeds = SeedSequence()
        self._chosen: dict[int, int] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.bout.start(self._seeds.next(seed))
        self._chosen = {}
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select_next()

    def observe(self, agent: str) -> dict[str, Any]:
        return self.bout.observe(self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        if not self.agents:
            raise no_bout_error()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = read_action(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._chosen[self.possible_agents.index(agent)] = number
        if len(self._chosen) == len(self.bout.to_move):
            self.bout.play_numbers(self._chosen)
            self._chosen = {}
            self._judge()
        self._select_next()
        self._accumulate_rewards()

    def _judge(self) -> None:
        """Take over rewards and endings from the bout."""
        if self.bout.to_move:
            return
        for seat, (agent, reward) in enumerate(
            zip(self.possible_agents, self.bout.rewards(), strict=True)
        ):
            self.rewards[agent] = reward
            self.terminations[agent] = True
            self.infos[agent] = self.bout.info(seat)

    def _select_next(self) -> None:
        """The next seat that has to act; at the end of a bout each agent is asked once more."""
        waiting = [seat for seat in self.bout.to_move if seat not in self._chosen]
        self.agent_selection = self.possible_agents[waiting[0]] if waiting else self.agents[0]

    def render(self) -> Any:
        return render_bout(self.bout, self.render_mode)

    def close(self) -> None:
        """Nothing is held."""

    def state(self) -> np.ndarray[Any, Any]:
        """The board as the first seat sees it."""
        return self.bout.encoder.encode(self.bout.position, 0)["observation"]


def aec_env(
    game: str | Game,
    *,
    openings: str | Sequence[str] = "none",
    render_mode: str | None = None,
    **options: Any,
) -> LudusAECEnv:
    """The AEC environment of a game with these options: ``aec_env("reversi", size=6)``.

    ``openings`` as for ``ludus.play``; by default bouts begin at the start position.
    """
    return LudusAECEnv(NumberedBout(game, options, openings), render_mode)
