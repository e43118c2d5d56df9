"""Steps per CPU second of other people's environments; prints JSON. ``bench/gym.py`` runs it.

It needs open_spiel, pettingzoo, chess and pygame, and nothing of Ludus: it is run by an interpreter
that has them. Actions are random legal ones; masks and observations are read as each offers them.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any


def rate(play_bout: Callable[[], int], seconds: float) -> float:
    """Steps per CPU second of whole bouts, best of three runs."""
    best = 0.0
    for _ in range(3):
        steps, began = 0, time.process_time()
        while time.process_time() - began < seconds:
            steps += play_bout()
        best = max(best, steps / (time.process_time() - began))
    return best


def spiel_bout(game: Any, observe: bool) -> int:
    """One bout of an OpenSpiel game."""
    state, steps = game.new_initial_state(), 0
    while not state.is_terminal():
        legal = state.legal_actions()
        if observe:
            state.legal_actions_mask()
            state.observation_tensor()
        state.apply_action(legal[int(random.random() * len(legal))])
        steps += 1
    return steps


def aec_bout(env: Any) -> int:
    """One bout of a PettingZoo environment, as its documentation plays it."""
    env.reset()
    steps = 0
    for agent in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            env.step(env.action_space(agent).sample(seen["action_mask"]))
            steps += 1
    return steps


def measure(seconds: float) -> dict[str, float]:
    import pyspiel
    from pettingzoo.classic import chess_v6, connect_four_v3, tictactoe_v3

    othello = pyspiel.load_game("othello")
    found = {
        "OpenSpiel othello, moves only": rate(lambda: spiel_bout(othello, False), seconds),
        "OpenSpiel othello": rate(lambda: spiel_bout(othello, True), seconds),
    }
    for name, module in (
        ("tictactoe", tictactoe_v3),
        ("connect_four", connect_four_v3),
        ("chess", chess_v6),
    ):
        env = module.raw_env()
        found[f"PettingZoo {name}"] = rate(partial(aec_bout, env), seconds)
    return found


if __name__ == "__main__":
    print(json.dumps(measure(float(sys.argv[1]))))
