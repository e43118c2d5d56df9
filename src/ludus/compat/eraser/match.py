"""The original's ``match.py``: N games between two players, each board played from both sides.

``python -m ludus.compat.eraser.match NAME1 NAME2 20`` plays NAME1.py against NAME2.py of the
current folder, each in a jail, prints the table and leaves the replays in ``NAME1_VS_NAME2``.
With ``--in-process`` the players are modules of this process, as with the original.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus.compat.eraser.errors import TIMEOUT_LINE, last_line
from ludus.compat.eraser.game import MAX_TIME, Game_play
from ludus.compat.eraser.layout import Summary
from ludus.compat.eraser.players import Players, open_players
from ludus.compat.eraser.table import MatchTable, MatchTableRow
from ludus.compat.jailed_players import exit_with_error, split_in_process_flag
from ludus.errors import LudusError
from ludus.games.eraser.rules import STUCK
from ludus.os_errors import describe_os_error

SEED_COUNT = 1000007


def main(
    name_1: str,
    name_2: str,
    games: int | str = 20,
    *,
    tie_breaks: bool = True,
    max_time: float = MAX_TIME,
    say: Callable[[str], None] = print,
    in_process: bool = False,
) -> MatchTable:
    """Play a match. Without ``tie_breaks`` equal points are a draw, of a game and of the match."""
    count = _parse_game_count(games)
    with open_players(name_1, name_2, in_process) as pair:
        return _play_games(pair, count, tie_breaks, max_time, say)


def _play_games(
    modules: Players, count: int, tie_breaks: bool, max_time: float, say: Callable[[str], None]
) -> MatchTable:
    title = "_VS_".join(module.__name__ for module in modules)
    folder = _new_folder(title)
    table = MatchTable((modules[0].__name__, modules[1].__name__))
    say(table.header())
    for number in range(count):
        if number % 2 == 0:
            seed = _seed()
        order = number % 2
        game = Game_play(*_order_players(modules, order))
        about = game.play(seed, max_time=max_time)
        game.save(folder / f"{title}_Game{number + 1}.json")
        say(table.add(make_row(game, about, order, tie_breaks)))
    say(table.summary(tie_breaks))
    return table


def _parse_game_count(games: int | str) -> int:
    try:
        count = int(games)
    except ValueError:
        count = 0
    if count < 2 or count % 2:
        raise LudusError(
            f"the number of games must be even, like 20; got {games!r}",
            f"局数必须是偶数，例如 20；得到 {games!r}",
        )
    return count


def _new_folder(title: str) -> Path:
    try:
        os.mkdir(title)
    except FileExistsError:
        raise LudusError(
            f"the folder {title!r} exists already; move it away first",
            f"文件夹 {title!r} 已经存在；请先移走",
        ) from None
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot create the folder {title!r}: {why.en}",
            f"无法创建文件夹 {title!r}：{why.zh}",
        ) from None
    return Path(title)


def _seed() -> int:
    """A seed from the clock, as in the original; never 0, which means no seed."""
    return int(time.time() * 1000) % SEED_COUNT or 1


def _order_players(modules: Players, order: int) -> tuple[Any, Any]:
    return (modules[1], modules[0]) if order else modules


def make_row(game: Game_play, about: Summary, order: int, tie_breaks: bool) -> MatchTableRow:
    """A game as a line of the table. With ``order`` 1 the players sit the other way round."""
    failed = game.failure is not None
    scores = about.scores
    drawn = not tie_breaks and not failed and scores[0] == scores[1]
    times = (about.time[0], about.time[1])
    return MatchTableRow(
        winner=None if drawn else about.winner ^ order,
        first=1 ^ order,
        reason=_word(game, about),
        turns=about.length,
        scores=(scores[1], scores[0]) if order else scores,
        times=(times[1], times[0]) if order else times,
        failed=failed,
    )


def _word(game: Game_play, about: Summary) -> str:
    if game.failure is not None:
        return "TLE" if last_line(game.failure.message) == TIMEOUT_LINE else "ERROR"
    return "KO" if about.ending == STUCK else "CMPL"


if __name__ == "__main__":
    try:
        words, in_process = split_in_process_flag(sys.argv[1:])
        if len(words) not in (2, 3):
            raise LudusError(
                "usage: match NAME1 NAME2 [GAMES] [--in-process]",
                "用法：match 名字1 名字2 [局数] [--in-process]",
            )
        main(*words, in_process=in_process)
    except LudusError as error:
        exit_with_error(error)
