"""The house bots of each game: the strongest against the weakest.

    .venv/bin/python bench/house_bots.py [GAME …] [--bouts 100]

Seats are swapped on equal seeds; the clock is shorter than the game's own, so that the table takes
minutes and not hours.
"""

from __future__ import annotations

import sys

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, get, names
from ludus.match.series import series

STRONG = {
    "duel2048": ("strong", 0.5),
    "eraser": ("two_ply", 10.0),
    "paperio": ("hunter", 30.0),
    "reversi": ("strong", 1.0),
    "tablut": ("alphabeta", 2.0),
}
"""The strongest bot of each game, and its seconds for a bout."""
WEAK = "random"


def row(name: str, bouts: int) -> str:
    game = get(name)
    strong, seconds = STRONG[name]
    players = [create_player(resolve_bot(bot, game), game) for bot in (strong, WEAK)]
    played = list(series(game, game.Options(), players, bouts, 2026, clock=Clock(budget=seconds)))
    points = sum(bout.score(0) for bout in played)
    faults = sum(bool(bout.record.faults) for bout in played)
    longest = max(max(used[0] for used in bout.record.times.used) for bout in played)
    return (
        f"| {name} | {strong} – {WEAK} | {points:g} of {bouts} | {faults} |"
        f" {longest:.2f} of {seconds:g} s |"
    )


def main(arguments: list[str]) -> None:
    bouts = 100
    if "--bouts" in arguments:
        at = arguments.index("--bouts")
        bouts = int(arguments[at + 1])
        del arguments[at : at + 2]
    print(
        "| game | bots | points | faults | most CPU in a bout |", "|---|---|---|---|---|", sep="\n"
    )
    for name in arguments or names():
        print(row(name, bouts), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
