"""``ludus debug``: a bot at any moment of a recorded bout, in this process, under a debugger."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ludus.cli.command import argument, command, option
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import BotParam, FileParam, IntegerParam
from ludus.cli.recorded_bot import choose_record, find_faulty_bot, refuse_several
from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.match.record import Record

HASH_SEED = {"PYTHONHASHSEED": "0"}
"""As in jails, so that sets and dicts of a bot have the order they had in the bout."""


@command(
    en="Put a bot into a moment of a recorded bout, with everything it knew there, and stop before"
    " its move: under pdb, or under your editor's debugger. It runs in this process, without a"
    " jail. With --diff: where do two versions answer differently? Exit code 0: nowhere; 1: they"
    " differ.",
    zh="让 AI 回到录像中的某一步，带着它当时知道的一切，停在它走棋之前：用 pdb，或编辑器的调试器。"
    "它在本进程中运行，不进沙箱。加 --diff：两个版本在哪里回答不同？退出码 0：没有；1：有不同。",
)
@argument(
    "records",
    type=FileParam(),
    metavar="[RECORD]",
    nargs=-1,
    en="The record; with --diff also a folder of records. The one saved last if not given.",
    zh="录像；与 --diff 合用时也可以是装有录像的文件夹。默认为最近保存的。",
)
@option(
    "--bot",
    type=BotParam(),
    en="The bot's file or folder; by default that of the bot that failed, from the current folder.",
    zh="AI 的文件或文件夹；默认为出现异常的 AI 在当前文件夹中的文件。",
)
@option(
    "--step",
    type=IntegerParam(1),
    en="Stop before the move of this step; by default where the bot failed.",
    zh="停在这一步走棋之前；默认为 AI 出错处。",
)
@option("--to", type=IntegerParam(1), en="Play on up to this step.", zh="继续演算到这一步。")
@option(
    "--seat",
    metavar="SEAT",
    en="The bot's seat, by number from 0 or by name; by default the one to move.",
    zh="AI 的座位：编号（从 0 起）或名称；默认为该步行棋的一方。",
)
@option(
    "--fresh",
    is_flag=True,
    en="Do not replay the earlier bouts of the match first: quicker, but the bot does not remember"
    " them.",
    zh="不先重新演算同一场中此前的各局：更快，但 AI 不记得其中的内容。",
)
@option(
    "--listen",
    type=IntegerParam(1, 65535),
    is_flag=False,
    flag_value=5678,
    en="Wait for an editor's debugger (debugpy) on this port of this machine; 5678 if none is"
    " given.",
    zh="在本机的此端口等待编辑器的调试器（debugpy）；不给端口则为 5678。",
)
@option("--no-stop", is_flag=True, en="Only show what it answers.", zh="不停下，只显示它的回答。")
@option(
    "--diff",
    type=BotParam(),
    metavar="OTHER",
    en="Ask another version the same questions, both in jails.",
    zh="用同样的问题询问另一个版本，两者都在沙箱中运行。",
)
@JSON_OPTION
def COMMAND(
    records: tuple[str, ...],
    bot: str | None,
    step: int | None,
    to: int | None,
    seat: str | None,
    fresh: bool,
    listen: int | None,
    no_stop: bool,
    diff: str | None,
    as_json: bool,
) -> int:
    record = refuse_several(records)
    if diff is not None:
        from ludus.cli.debug_diff import show_differences

        flags = {"fresh": fresh or None, "no_stop": no_stop or None}
        _refuse_together("--diff", step=step, to=to, listen=listen, **flags)
        if bot is None:
            raise LudusError("--diff needs --bot FILE", "--diff 需与 --bot 文件 合用")
        bots = [bot, diff] if seat is None else []
        return show_differences(choose_record(record, *bots), bot, diff, seat, as_json)
    if as_json:
        raise LudusError("--json belongs to --diff", "--json 需与 --diff 合用")
    if no_stop:
        _refuse_together("--no-stop", listen=listen)
    _restart_with_fixed_hashes()
    from ludus.cli.debug_session import DebugSession
    from ludus.compat.reading import read_verified

    path = choose_record(record, *([] if seat is not None or bot is None else [bot]))
    if bot is None:
        bot = find_faulty_bot(read_verified(path), path)
    session = DebugSession(path, bot, seat, step, to, fresh=fresh)
    return session.run(listen=listen, stop=not no_stop)


def _refuse_together(name: str, **others: object) -> None:
    for other, value in others.items():
        if value is not None:
            shown = f"--{other.replace('_', '-')}"
            raise LudusError(
                f"{name} cannot be combined with {shown}", f"{name} 不能与 {shown} 合用"
            )


def _restart_with_fixed_hashes() -> None:
    """Start this very command again with the hash seed of jails, unless it has it."""
    is_own_process = sys.argv[1:2] == ["debug"]
    if sys.flags.hash_randomization and is_own_process and "debugpy" not in sys.modules:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | HASH_SEED)


def choose_seat(record: Record, seat: str | None, step: int | None, own: Sequence[int]) -> int:
    """The seat that the user means: the one given, or that of ``own``, the bot's seats, which
    decides a step or, without a step, failed."""
    from ludus.analysis.recorded_turns import position_before
    from ludus.match.record import load_game

    game, _ = load_game(record)
    if seat is not None:
        return parse_seat(game.seat_keys, seat)
    if step is None:
        moving: Sequence[int] = sorted({fault.seat for fault in record.faults})
    else:
        moving = position_before(record, step).to_move
    seats = [number for number in own if number in moving]
    if len(seats) == 1 or (own and moving and not seats):
        return (seats or own)[0]
    if len(own) == 1:
        return own[0]
    names = ", ".join(f"{number} {game.seat_keys[number]}" for number in seats)
    if not seats:
        raise LudusError(
            "no bot failed in this bout, so say where to stop: --step N",
            "此局没有 AI 出现异常，请指明停在哪一步：--step N",
        )
    raise LudusError(
        f"several seats move there; say which one with --seat: {names}",
        f"有多个座位在此行棋；请用 --seat 指明：{names}",
    )


def parse_seat(keys: list[str], seat: str) -> int:
    if seat in keys:
        return keys.index(seat)
    if seat.isdigit() and int(seat) < len(keys):
        return int(seat)
    known = ", ".join(f"{number} {key}" for number, key in enumerate(keys))
    raise LudusError(
        f"there is no seat {seat!r}; there are: {known}", f"没有座位 {seat!r}；现有：{known}"
    )
