"""Bots that repeat a recorded game of the original, and a clock that only they advance."""

import ast
import builtins
from types import SimpleNamespace
from typing import Any


class FakeClock:
    """Stands for ``perf_counter``."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def raised(name: str, text: str) -> Exception:
    """The recorded exception."""
    kind = getattr(builtins, name)
    if kind is KeyError:
        return KeyError(text.strip("'"))
    return kind(text) if text else kind()


class Script:
    """Both bots of a recorded game."""

    def __init__(self, game: dict[str, Any], clock: FakeClock) -> None:
        self.game, self.clock = game, clock
        self.step = 0

    def bots(self) -> list[Any]:
        return [self.bot(seat) for seat in range(2)]

    def bot(self, seat: int) -> Any:
        bot = SimpleNamespace(play=lambda stat, storage: self.play(seat))
        loads = self.game.get("load")
        if loads and loads[seat]:
            bot.load = lambda stat, storage: self.call(loads[seat])
        elif loads and seat == 1 and loads[0]:
            bot.load = lambda stat, storage: self.call({"cost": 0.0, "raised": "KeyError"})
        return bot

    def call(self, told: dict[str, Any]) -> None:
        """Take the recorded time and raise the recorded exception."""
        self.clock.now += told["cost"] or 0.0
        if told["raised"]:
            extra = self.game["result"]["extra"]
            raise raised(told["raised"], extra["str"])

    def play(self, seat: int) -> Any:
        if self.step == len(self.game["moves"]):
            self.call(self.game["last_call"])
            return self.game["last_call"]["returned"]
        costs = self.game.get("costs")
        self.clock.now += costs[self.step] if costs else 0.0
        move = self.game.get("raw", {}).get(str(self.step))
        self.step += 1
        if move is None:
            return self.game["moves"][self.step - 1]
        return object if move == "<class 'object'>" else ast.literal_eval(move)
