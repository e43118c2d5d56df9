"""A row of the table: whom a player meets, and how."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.yardsticks.challenge import ChallengePlayer, create_challenge_player
from bench.yardsticks.gtp import GtpPlayer, create_grhino
from bench.yardsticks.players import EngineMissing, YardstickPlayer
from bench.yardsticks.searchers import create_searcher, net_digest
from bench.yardsticks.zebra import ZebraPlayer
from ludus.games import get
from ludus.games.base import Game

EQUAL_CPU = "equal CPU"
EQUAL_CPU_NET = "equal CPU, moves by simulations"
"""Of a network, which begins with as many moves as suit the simulations of a turn; without these
words it began with as many as suit ``--simulations``."""
CHALLENGE = {"tablut.cpp": 5, "AlgiseTablut": 3, "TablutAI": 60, "uct-tablut": 3}
"""Players of the Tablut challenge, with the seconds that they are told for about one second of
thinking; TablutAI searches to a fixed depth."""
DEFAULT_RIVALS = {
    "reversi": [
        *[f"zebra:{depth}" for depth in (1, 2, 4, 6, 8, 10)],
        *[f"grhino:{level}" for level in range(1, 6)],
        "search:800",
        "strong:0.1",
    ],
    "tablut": ["depth:2", "depth:3", "depth:4", "search:800", "alphabeta:1"],
    "tablut variant=ashton": [*CHALLENGE, "search:800", "alphabeta:1"],
    "ataxx": ["greedy", "search:800", "strong:0.1"],
}


@dataclass(frozen=True, slots=True)
class Row:
    """One subject against one rival. What it consists of identifies its bouts in the log."""

    game: str
    options: tuple[tuple[str, Any], ...]
    subject: str
    """``NET.onnx`` (its name alone), ``search``, ``strong`` …"""
    digest: str
    """Of a network's file."""
    thinks: str
    """``64 simulations, 4 moves, known results`` (the moves that a search begins with; without
    them 16), ``equal CPU``, or of a network ``EQUAL_CPU_NET``."""
    rival: str
    openings: str
    seed: int

    @property
    def variant(self) -> str:
        """The game with the options that differ from the usual ones."""
        return " ".join([self.game, *[f"{name}={value}" for name, value in self.options]])

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"options": dict(self.options)}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Row:
        known = {name: found[name] for name in cls.__slots__}
        return cls(**known | {"options": tuple(sorted(found["options"].items()))})


@dataclass(frozen=True, slots=True)
class Task:
    """One bout to play."""

    row: Row
    subject: str
    """The subject as it was written, with the folder of a network."""
    simulations: int
    engines: Path
    pair: int
    seat: int
    """The subject's."""
    spent: tuple[float, int, float, int]
    """CPU seconds and moves of the subject, then of the rival, in the bouts of this row so far."""


def open_row(row: Row) -> tuple[Game, Any]:
    """The game and the options of a row."""
    game = get(row.game)
    return game, game.Options.parse(dict(row.options))


def create_rival(spec: str, game: Game, options: Any, engines: Path) -> YardstickPlayer:
    """The rival with a name: a program of other people's, or a searcher of ours.

    ``zebra:8``, ``grhino:5``, ``tablut.cpp:5`` (seconds that it is told), ``gtp:COMMAND``,
    ``tcp:SECONDS:COMMAND``, ``search:800``, ``strong:0.1`` (CPU seconds per move), ``depth:4``.
    EngineMissing says why a program cannot be had here.
    """
    kind, _, argument = spec.partition(":")
    if kind == "zebra":
        return ZebraPlayer(engines, int(argument))
    if kind == "grhino":
        return create_grhino(engines, int(argument), game, options)
    if kind == "gtp":
        return GtpPlayer(game, options, shlex.split(argument))
    if kind == "tcp":
        seconds, _, command = argument.partition(":")
        return ChallengePlayer(shlex.split(command), int(seconds))
    if kind in CHALLENGE:
        return create_challenge_player(engines, kind, int(argument or CHALLENGE[kind]))
    return create_searcher(spec, game, options, 64)


def make_row(
    subject: str, game: Game, options: Any, thinks: str, rival: str, openings: str, seed: int
) -> Row:
    """The row of a subject as it was written."""
    file = subject.partition(":")[0] if ".patterns" in subject else subject
    is_net = file.endswith((".onnx", ".patterns"))
    if is_net and not Path(file).is_file():
        raise EngineMissing(f"network file {subject} not found")
    return Row(
        game.name,
        tuple(sorted(options.as_json().items())),
        Path(subject).name if is_net else subject,
        net_digest(Path(file)) if is_net else "",
        thinks,
        rival,
        openings,
        seed,
    )
