"""The original's round-robin tool: each pair plays REPEAT bouts with each player first.

``python -m ludus.compat.duel2048.round_match a.py b.py`` plays with the usual settings, each
player in a jail; with ``--in-process`` they are imported as with the original.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator, MutableSequence
from typing import Any

from ludus.compat.duel2048 import files, report
from ludus.compat.duel2048.plat import Platform, check_rounds
from ludus.compat.duel2048.players import MatchPlayer, resolve_player
from ludus.compat.jailed_players import exit_with_error, split_in_process_flag
from ludus.errors import LudusError
from ludus.games.duel2048 import constants
from ludus.lang import tr
from ludus.os_errors import describe_os_error

FOLDER_FORMAT = "%Y-%m-%d %H-%M-%S"

Platforms = dict[tuple[int, int], list[Platform]]
Tell = Callable[[str, list[report.Result]], None]


def main(
    playerList: MutableSequence[Any],
    savepath: str | Callable[[], str] | None = None,
    livequeue: Any = None,
    toSave: bool = True,
    toReport: bool = True,
    toGet: bool = False,
    debug: bool = False,
    REPEAT: int = constants.REPEAT,
    MAXTIME: float = constants.MAXTIME,
    ROUNDS: int = constants.ROUNDS,
    *,
    in_process: bool = False,
    tell: Tell | None = None,
) -> Platforms | None:
    """Play all against all and write a folder with records and reports.

    An entry of ``playerList`` is a path, a class, or ``(path or class, time0)``; such a pair is
    replaced by its first item in the caller's list, as the original does. Paths run in jails,
    classes in this process; ``in_process`` imports the paths as well, as the original did.
    ``tell`` is called at the end with the folder and the results: nothing is printed here.
    """
    rounds = check_rounds(MAXTIME, ROUNDS)
    with contextlib.ExitStack() as stack:
        entries: list[MatchPlayer] = []
        for entry in _enter_players(playerList, in_process):
            stack.callback(entry.close)
            entries.append(entry)
        return _play_all(
            entries,
            savepath,
            livequeue,
            toSave,
            toReport,
            toGet,
            debug,
            REPEAT,
            MAXTIME,
            rounds,
            tell,
        )


def _play_all(
    entries: list[MatchPlayer],
    savepath: str | Callable[[], str] | None,
    livequeue: Any,
    toSave: bool,
    toReport: bool,
    toGet: bool,
    debug: bool,
    REPEAT: int,
    MAXTIME: float,
    rounds: int,
    tell: Tell | None,
) -> Platforms | None:
    _check_schedule(len(entries), REPEAT, toReport)
    folder = _make_folder(savepath)
    platforms: Platforms = {}
    results: list[report.Result] = []
    try:
        for pair in _pairings(len(entries), REPEAT):
            states = {
                first: entries[number].state(number, first)
                for number, first in zip(pair, (True, False), strict=True)
            }
            platform = Platform(states, folder, livequeue, toSave, MAXTIME, rounds)
            results.append(platform.play())
            if toGet:
                platforms.setdefault(pair, []).append(platform)
    finally:  # players share this process: report the bouts so far whatever one of them breaks
        if toReport:
            paths = [entry.path for entry in entries]
            files.write(folder, "_.txt", report.summary(paths, results, REPEAT))
        if debug:
            files.write(folder, "_Exceptions.txt", report.exceptions(results))
    if tell is not None:
        tell(folder, results)
    return platforms if toGet else None


def _enter_players(playerList: MutableSequence[Any], in_process: bool) -> Iterator[MatchPlayer]:
    for number, given in enumerate(playerList):
        if not isinstance(given, tuple):
            yield resolve_player(given, in_process=in_process)
            continue
        if len(given) != 2:
            raise LudusError(
                f"a player with a time zero is written (player, time0), got {given!r}",
                f"带计时零点的选手写作 (选手, time0)，得到 {given!r}",
            )
        yield resolve_player(*given, in_process=in_process)
        if isinstance(playerList, MutableSequence):
            playerList[number] = given[0]


def _check_schedule(players: int, repeat: Any, to_report: bool) -> None:
    if not isinstance(repeat, int) or repeat < 1:
        raise LudusError(
            f"REPEAT must be a whole number from 1, got {repeat!r}",
            f"REPEAT 应为不小于 1 的整数，得到 {repeat!r}",
        )
    if to_report and players < 2:
        raise LudusError(
            f"a report needs at least two players, got {players}",
            f"统计报告至少需要两名选手，得到 {players} 名",
        )


def _pairings(players: int, repeat: int) -> list[tuple[int, int]]:
    """``(first, second)`` of every bout, in order."""
    pairs = itertools.combinations(range(players), 2)
    return [order for i, j in pairs for _ in range(repeat) for order in ((i, j), (j, i))]


def _make_folder(savepath: str | Callable[[], str] | None) -> str:
    """Create the folder of the match, or ``name_2``, ``name_3`` … beside those that exist."""
    wanted = savepath() if callable(savepath) else savepath
    if wanted is None:
        wanted = time.strftime(FOLDER_FORMAT)
    try:
        given = os.fspath(wanted)
        name = given.rstrip(os.sep) or given
        for number in itertools.count(1):
            folder = name if number == 1 else f"{name}_{number}"
            try:
                os.mkdir(folder)
            except FileExistsError:
                continue
            return folder
    except FileNotFoundError:
        raise LudusError(
            f"cannot create the folder {wanted!r}: the folder above it does not exist",
            f"无法创建文件夹 {wanted!r}：上级文件夹不存在",
        ) from None
    except (OSError, TypeError, ValueError) as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot create the folder {wanted!r}: {why.en}",
            f"无法创建文件夹 {wanted!r}：{why.zh}",
        ) from None
    raise AssertionError("unreachable")


def _print_wins(paths: list[str], folder: str, results: list[report.Result]) -> None:
    """Who won how often, and where the report is."""
    for number, path in enumerate(paths):
        sides = [result[side] for result in results for side in (True, False)]
        own = [side for side in sides if side["index"][0] == number]
        wins = sum(side["win"] for side in own)
        print(tr(f"{path}: {wins} of {len(own)} bouts won", f"{path}：{len(own)} 局中胜 {wins} 局"))
    file = os.path.join(folder, "_.txt")
    print(tr(f"done; the report: {file}", f"完成；统计报告：{file}"))


if __name__ == "__main__":
    try:
        words, in_process = split_in_process_flag(sys.argv[1:])
        main(words, in_process=in_process, tell=functools.partial(_print_wins, words))
    except LudusError as error:
        exit_with_error(error)
