"""Players that do what golden data says, and the data itself."""

from __future__ import annotations

import builtins
import gzip
import json
import random
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ludus.compat.duel2048 import plat
from ludus.games.duel2048.board import set_tile

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "duel2048"
RECORDS = GOLDEN / "records"
EXAMPLE = RECORDS / "round_match_example"
BOTS = GOLDEN / "bots"

Step = list[Any]
"""``[round, seat, mode, decision]``"""


@cache
def golden_games() -> list[dict[str, Any]]:
    with gzip.open(GOLDEN / "games.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def record_files() -> list[Path]:
    return sorted(path for path in RECORDS.rglob("*.txt") if not path.name.startswith("_"))


def act(decision: Any) -> Any:
    """Do what a step of a golden game says."""
    match decision:
        case list():
            return tuple(decision)
        case {"py": text}:
            return eval(text)
        case {"raise": name, "msg": text}:
            raise getattr(builtins, name)(eval(text) if name == "KeyError" else text)
        case {"sleep": seconds, **rest}:
            time.sleep(seconds)
            return act(rest.get("then"))
    return decision


class Scripted:
    """A player whose every call is written down."""

    def __init__(self, isFirst: bool, array: tuple[int, ...]) -> None:
        self.seat = 0 if isFirst else 1
        self.array = array
        if self.init[self.seat] != "ok":
            act(self.init[self.seat])

    def output(self, currentRound: int, board: Any, mode: str) -> Any:
        step = next(self.script)
        self.calls.append([currentRound, self.seat, mode, step[3]])
        return act(step[3])

    init: list[Any]
    script: Iterator[Step]
    calls: list[Step]


def scripted(steps: list[Step], init: tuple[Any, Any] | list[Any] = ("ok", "ok")) -> type[Scripted]:
    """A class of players, both of which follow the steps."""
    facts = {"init": list(init), "script": iter(steps), "calls": []}
    return type("Player", (Scripted,), facts)


def states(
    first: type, second: type, paths: tuple[Any, Any] = ("a.py", "b.py"), time0: Any = (0, 0)
) -> dict[bool, dict[str, Any]]:
    """The accounts that a platform wants."""
    return {
        side: {
            "player": object.__new__(make),
            "path": paths[number],
            "time": time0[number],
            "time0": time0[number],
            "error": False,
            "exception": None,
            "index": (number, side),
        }
        for number, (side, make) in enumerate([(True, first), (False, second)])
    }


def platform_of(game: dict[str, Any], player: type) -> plat.Platform:
    """The platform on which a golden game was played."""
    random.seed(game["seed"])
    accounts = states(player, player, time0=game["time0"])
    platform = plat.Platform(accounts, "", None, False, game["maxtime"], game["rounds"])
    for row, column, level, mine in game["prefill"] or []:
        set_tile(platform.board, row * 8 + column, level, mine)
    return platform


def bout(
    answer: Callable[[int, Any, str], Any] | None = None,
    *,
    rounds: int = 3,
    maxtime: float = 60,
    livequeue: Any = None,
    second: type | None = None,
) -> plat.Platform:
    """A platform whose first player gives this answer and whose second plays steadily."""

    class Player(Steady):
        def output(self, currentRound: int, board: Any, mode: str) -> Any:
            given = answer and answer(currentRound, board, mode)
            return super().output(currentRound, board, mode) if given is None else given

    accounts = states(Player, second or Steady)
    return plat.Platform(accounts, "", livequeue, False, maxtime, rounds)


class Steady:
    """Always its own cell, else any; the first direction that does something."""

    def __init__(self, isFirst: bool, array: tuple[int, ...]) -> None:
        self.isFirst = isFirst

    def output(self, currentRound: int, board: Any, mode: str) -> Any:
        if mode == "position":
            free = board.getNone(not self.isFirst)
            return board.getNext(self.isFirst, currentRound) or free[0]
        if mode == "direction":
            return next(d for d in range(4) if board.copy().move(self.isFirst, d))
        return None
