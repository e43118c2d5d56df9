"""Games with judges for tests, written as short scripts, and players in this process for them."""

import json
import textwrap
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.compat.botzone.game import BotzoneGame
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Ply
from ludus.games.registry import open_game

EXAMPLES = Path(__file__).parents[2] / "examples" / "botzone"
JUDGE_HEAD = """
import json, os, sys, time

def ask(display=None, **requests):
    output = {"command": "request", "content": {k.strip("_"): v for k, v in requests.items()}}
    print(json.dumps({**output, "display": display}), flush=True)

def finish(*scores, display=None):
    content = {str(seat): score for seat, score in enumerate(scores)}
    print(json.dumps({"command": "finish", "content": content, "display": display}), flush=True)

def keep():
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
"""


def write_game(folder: Path, judge: str, manifest: str = "", name: str = "judged") -> Path:
    """The folder of a game with this judge, whose file has a name that no other has."""
    folder.mkdir(parents=True, exist_ok=True)
    file = f"judge_{uuid.uuid4().hex}.py"
    (folder / file).write_text(JUDGE_HEAD + textwrap.dedent(judge))
    (folder / "botzone.toml").write_text(f'name = "{name}"\njudge = "{file}"\n{manifest}\n')
    return folder


def open_judged(folder: Path, players: int | None = None) -> BotzoneGame:
    game = open_game(str(folder) if players is None else f"{folder}:{players}")
    assert isinstance(game, BotzoneGame)
    return game


class Responder:
    """A player in this process that answers what a function says of each request."""

    digest = ""
    isolation = "in-process"

    def __init__(self, respond: Callable[[Any], Any], name: str = "responder") -> None:
        self.name, self._respond = name, respond
        self.outcome: Outcome | None = None
        self.requests: list[Any] = []

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        assert isinstance(bout.game, BotzoneGame)
        self._position = bout.game.start(bout.options, bout.seed)
        self._seat = bout.seat
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        for ply in plies:
            self._position.play(ply)
        request = self._position.request(self._seat)
        self.requests.append(request)
        return MoveAnswer(0.0, 0.0, json.dumps(self._respond(request)))

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        self.outcome = outcome
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        pass
