"""The original's ``local_debugger.py``: player1.py against player2.py, two games on one board.

``python -m ludus.compat.eraser.local_debugger`` leaves ``replay1.json`` (player2 moves first)
and ``replay2.json`` (player1 moves first) in the current folder. The players run in jails; with
``--in-process`` they are modules of this process, so that ``breakpoint()`` works in them.
"""

from __future__ import annotations

import random
import sys

from ludus.compat.eraser.game import Game_play
from ludus.compat.eraser.layout import Summary
from ludus.compat.eraser.players import Players, open_players
from ludus.compat.jailed_players import exit_with_error, split_in_process_flag
from ludus.errors import LudusError
from ludus.lang import tr

SEED_COUNT = 1000


def main(seed: int | None = None, *, in_process: bool = False) -> list[Summary]:
    """Play both games; a seed makes them repeatable."""
    seed = random.randrange(1, SEED_COUNT) if seed is None else seed
    with open_players("player1", "player2", in_process) as pair:
        return _play_games(pair, seed)


def _play_games(given: Players, seed: int) -> list[Summary]:
    summaries = []
    for order, pair in enumerate((given, given[::-1])):
        game = Game_play(*pair)
        about = game.play(seed, order)
        game.save(f"replay{order + 1}.json")
        print(_format_result(game, about, order + 1))
        summaries.append(about)
    return summaries


def _format_result(game: Game_play, about: Summary, number: int) -> str:
    left, right = game.names
    score = f"{left} {about.scores[0]} - {about.scores[1]} {right}"
    winner, reason = game.names[about.winner], game.log_data()["reason"]
    return tr(
        f"replay{number}.json: {score}; {right} moved first; {winner} wins: {reason}",
        f"replay{number}.json：{score}；{right} 先手；{winner} 胜：{reason}",
    )


if __name__ == "__main__":
    try:
        main(in_process=split_in_process_flag(sys.argv[1:])[1])
    except LudusError as error:
        exit_with_error(error)
