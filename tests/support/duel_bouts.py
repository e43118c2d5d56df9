"""Bouts between house bots of Duel 2048, with the CPU time that each took."""

import importlib.util
import random
import time
from dataclasses import dataclass
from typing import Any

from ludus.games.base import ClockView, Outcome
from ludus.games.duel2048 import GAME, DuelOptions
from ludus.games.duel2048.dialect import PlayerHost
from ludus.games.host import Host
from ludus.gc_pause import disable_gc


def host(name: str) -> Host:
    spec = importlib.util.spec_from_file_location(f"house_{name}", GAME.bots()[name])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "Bot"):
        return Host(GAME, module.Bot)
    return PlayerHost(GAME, module.Player)


@dataclass
class Bout:
    outcome: Outcome
    used: list[float]
    """CPU seconds of each seat."""


def play(first: str, second: str, seed: int, rounds: int, budget: float = 1.0) -> Bout:
    """A bout; an illegal move raises. Bots that draw lots draw the same ones every time."""
    random.seed(seed)
    options = DuelOptions(rounds=rounds)
    position = GAME.start(options, seed)
    hosts = (host(first), host(second))
    news: list[list[dict[int, str]]] = [[], []]
    used = [0.0, 0.0]

    def timed(seat: int, call: Any, *arguments: Any) -> Any:
        before = time.thread_time()
        answer = call(*arguments)
        used[seat] += time.thread_time() - before
        return answer

    with disable_gc():  # what other tests have left would be walked through on a bot's clock
        for seat in (0, 1):
            timed(seat, hosts[seat].start, seat, options, seed, budget)
        while position.to_move:
            (seat,) = position.to_move
            left = (budget - used[0], budget - used[1])
            move = timed(seat, hosts[seat].turn, news[seat], ClockView(left, seat, left[seat]))
            position.play({seat: move})
            news[seat] = []
            for told in news:
                told.append({seat: move})
    assert position.outcome is not None
    return Bout(position.outcome, used)


def wins(bot: str, rival: str, seeds: range, rounds: int, budget: float) -> int:
    """How many bouts the bot wins, one in each seat for every seed."""
    as_first = [play(bot, rival, seed, rounds, budget).outcome.winner for seed in seeds]
    as_second = [play(rival, bot, seed, rounds, budget).outcome.winner for seed in seeds]
    return as_first.count(0) + as_second.count(1)
