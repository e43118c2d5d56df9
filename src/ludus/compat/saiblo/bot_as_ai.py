"""A Ludus bot as a Saiblo AI: ``python -m ludus.compat.saiblo.bot_as_ai GAME FILE``.

For logics that use the messages of ``ludus.compat.saiblo.text_protocol``: Ludus games as logics,
and Saiblo games that send the same messages. What the bot prints goes to stderr.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ludus.bots.bot_seed import SEED_VARIABLE
from ludus.bots.load import load_bot
from ludus.bots.players.local import seed_generators
from ludus.compat.saiblo import text_protocol
from ludus.compat.saiblo.frames import encode_frame
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Host
from ludus.games.registry import get


def play(name: str, path: Path) -> None:
    """Answer turn after turn until the input ends."""
    outgoing = os.dup(1)
    os.dup2(2, 1)
    host = load_bot(path, get(name))
    for text in sys.stdin.buffer:
        line = text_protocol.decode_line(text)
        if isinstance(line, text_protocol.TurnMessage):
            clock = ClockView(line.left, host.seat, line.limit)
            os.write(outgoing, encode_frame(host.turn(line.moves or [], clock).encode()))
        else:
            notify_host(host, line)


def notify_host(
    host: Host,
    line: text_protocol.BoutStartMessage | text_protocol.ViewMessage | text_protocol.BoutEndMessage,
) -> None:
    if isinstance(line, text_protocol.BoutStartMessage):
        game, seed = host.game, line.seed or 0
        options = game.Options.parse(line.options)
        seed_generators(line.random_seed or os.environ.get(SEED_VARIABLE, ""))
        host.start(line.seat, options, seed, line.budget)
    elif isinstance(line, text_protocol.BoutEndMessage):
        host.end([], Outcome(line.scores, line.reason, line.detail))


if __name__ == "__main__":
    play(sys.argv[1], Path(sys.argv[2]))
