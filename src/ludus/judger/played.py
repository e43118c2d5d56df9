"""A Ludus bot as a Saiblo AI: ``python -m ludus.judger.played GAME FILE``.

For logics that talk as ``ludus.judger.lines`` says: served Ludus games, and games written for
Saiblo in the same words. What the bot prints goes to stderr.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ludus.bots.load import load
from ludus.bots.local import seed_generators
from ludus.bots.random_seed import SEED_VARIABLE
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Host
from ludus.games.registry import get
from ludus.judger import lines
from ludus.judger.protocol import frame


def play(name: str, path: Path) -> None:
    """Answer turn after turn until the logic has said everything."""
    outgoing = os.dup(1)
    os.dup2(2, 1)
    host = load(path, get(name))
    for text in sys.stdin.buffer:
        line = lines.read(text)
        if isinstance(line, lines.Turn):
            clock = ClockView(line.left, host.seat, line.limit)
            os.write(outgoing, frame(host.turn(line.moves or [], clock).encode()))
        else:
            tell(host, line)


def tell(host: Host, line: lines.Start | lines.View | lines.End) -> None:
    if isinstance(line, lines.Start):
        game, seed = host.game, line.seed or 0
        options = game.Options.parse(line.options)
        seed_generators(line.random_seed or os.environ.get(SEED_VARIABLE, ""))
        host.start(line.seat, options, seed, line.budget)
    elif isinstance(line, lines.End):
        host.end([], Outcome(line.scores, line.reason, line.detail))


if __name__ == "__main__":
    play(sys.argv[1], Path(sys.argv[2]))
