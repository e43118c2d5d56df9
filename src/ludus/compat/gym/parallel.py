"""Games as PettingZoo environments in which all agents act at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from ludus.compat.gym.actions import no_bout_error
from ludus.compat.gym.numbered_bout import NumberedBout
from ludus.compat.gym.rendering import RENDER_FPS, RENDER_MODES, check_render_mode, render_bout
from ludus.compat.gym.seeding import SeedSequence
from ludus.compat.gym.spaces import make_agent_names, make_observation_space
from ludus.errors import LudusError
from ludus.games.base import Game

AgentDict = dict[str, Any]


class LudusParallelEnv(ParallelEnv[str, dict[str, Any], int]):  # type: ignore[misc]
    """A game as a parallel environment.

    Every agent acts in every step. One more action than the game has, the last one, means to wait:
    it is the only legal one for a seat that is not to move, and what such a seat chooses has no
    effect.
    """

    def __init__(self, bout: NumberedBout, render_mode: str | None) -> None:
        self.bout = bout
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {
            "name": f"ludus_{bout.game.name}_parallel_v{bout.game.version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
        }
        self.possible_agents = make_agent_names(bout)
        self.agents: list[str] = []
        self.wait = bout.actions.count
        """The number of the action that means to wait."""
        self.observation_spaces = {
            agent: make_observation_space(bout, self.wait + 1) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(self.wait + 1) for agent in self.possible_agents
        }
        self._seeds = SeedSequence()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[AgentDict, AgentDict]:
        self.bout.start(self._seeds.next(seed))
        self.agents = list(self.possible_agents)
        return self._observe_all(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[AgentDict, AgentDict, AgentDict, AgentDict, AgentDict]:
        if not self.agents:
            raise no_bout_error()
        seats = {seat: self.possible_agents[seat] for seat in self.bout.to_move}
        if missing := [agent for agent in seats.values() if agent not in actions]:
            raise LudusError(
                f"an action of {', '.join(missing)} is missing", f"缺少 {'、'.join(missing)} 的动作"
            )
        self.bout.play_numbers({seat: actions[agent] for seat, agent in seats.items()})
        over = not self.bout.to_move
        observations = self._observe_all()
        rewards = dict(zip(self.possible_agents, self.bout.rewards(), strict=True))
        terminations = dict.fromkeys(self.possible_agents, over)
        truncations = dict.fromkeys(self.possible_agents, False)
        infos = {agent: self.bout.info(seat) for seat, agent in enumerate(self.possible_agents)}
        if over:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def _observe_all(self) -> AgentDict:
        return {agent: self._observe(seat) for seat, agent in enumerate(self.possible_agents)}

    def _observe(self, seat: int) -> dict[str, Any]:
        arrays = self.bout.observe(seat)
        waits = seat not in self.bout.to_move
        arrays["action_mask"] = np.append(arrays["action_mask"], np.int8(waits))
        return arrays

    def render(self) -> Any:
        return render_bout(self.bout, self.render_mode)

    def close(self) -> None:
        """Nothing is held."""

    def state(self) -> np.ndarray[Any, Any]:
        """The board as the first seat sees it."""
        return self.bout.encoder.encode(self.bout.position, 0)["observation"]


def parallel_env(
    game: str | Game,
    *,
    openings: str | Sequence[str] = "none",
    render_mode: str | None = None,
    **options: Any,
) -> LudusParallelEnv:
    """The parallel environment of a game with these options; see ``aec_env``."""
    return LudusParallelEnv(NumberedBout(game, options, openings), render_mode)
