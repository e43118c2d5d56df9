"""The original's ``local_debugger.py``: player1.py against player2.py, two games on one board.

``python -m ludus.originals.eraser.local_debugger`` leaves ``replay1.json`` (player2 moves first)
and ``replay2.json`` (player1 moves first) in the current folder.
"""

from __future__ import annotations

import random
import sys

from ludus.errors import LudusError
from ludus.lang import tr
from ludus.originals.eraser.game import Game_play
from ludus.originals.eraser.layout import Summary
from ludus.originals.eraser.players import load

SEEDS = 1000


def main(seed: int | None = None) -> list[Summary]:
    """Play both games; a seed makes them repeat themselves."""
    seed = random.randrange(1, SEEDS) if seed is None else seed
    player_1, player_2 = load("player1"), load("player2")
    found = []
    for order, pair in enumerate(((player_1, player_2), (player_2, player_1))):
        game = Game_play(*pair)
        about = game.play(seed, order)
        game.save(f"replay{order + 1}.json")
        print(_told(game, about, order + 1))
        found.append(about)
    return found


def _told(game: Game_play, about: Summary, number: int) -> str:
    left, right = game.names
    score = f"{left} {about.scores[0]} - {about.scores[1]} {right}"
    winner, reason = game.names[about.winner], game.log_data()["reason"]
    return tr(
        f"replay{number}.json: {score}; {right} moved first; {winner} wins: {reason}",
        f"replay{number}.json：{score}；{right} 先手；{winner} 胜：{reason}",
    )


if __name__ == "__main__":
    try:
        main()
    except LudusError as error:
        print(error, error.detail, sep="\n", file=sys.stderr)
        sys.exit(2)
