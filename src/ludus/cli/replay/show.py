"""``ludus replay show``: shows the board of a record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli import output
from ludus.cli.command import argument, command, option
from ludus.cli.param_types import FileParam, IntegerParam, SecondsParam
from ludus.errors import LudusError
from ludus.lang import tr, translate
from ludus.sandbox import UNJAILED

if TYPE_CHECKING:
    from ludus.bots.players.base import PlayerUsage
    from ludus.cli.replay.reel import ReplayCursor
    from ludus.match.record import Record


@command(
    en="Show a record: its last board, or any step of it, with the notes of your bots.",
    zh="显示录像：最后的棋盘，或任意一步，以及你的 AI 的注记。",
)
@argument(
    "file",
    type=FileParam(),
    required=False,
    en="The record; the one saved last if not given.",
    zh="录像；默认为最近保存的。",
)
@option("--step", type=IntegerParam(0), en="This step; 0 is the start.", zh="第几步；0 为开局。")
@option("--all", "every", is_flag=True, en="Every step.", zh="每一步。")
@option("--view", is_flag=True, en="The position as JSON.", zh="以 JSON 显示局面。")
@option("--play", is_flag=True, en="Step through it on the terminal.", zh="在终端逐步播放。")
@option(
    "--delay",
    type=SecondsParam(),
    default=0.15,
    en="With --play: seconds per step (0.15).",
    zh="与 --play 合用：每步秒数（0.15）。",
)
def COMMAND(
    file: str | None, step: int | None, every: bool, view: bool, play: bool, delay: float
) -> int:
    from ludus.cli.replay.reel import ReplayCursor
    from ludus.compat.reading import read_verified
    from ludus.match import record_files
    from ludus.match.note_files import read_notes

    path = Path(file).expanduser() if file else record_files.find_newest_record()
    record = read_verified(path)
    console = output.stdout_console()
    reel = ReplayCursor(record, console, read_notes(record, path))
    if play and console.is_terminal and sys.stdin.isatty():
        from ludus.cli.replay.projector import play_record

        play_record(reel, console, max(0.0, delay))
        return 0
    wanted = _select_steps(reel, step, every)
    if view:
        _print_views(reel, wanted)
        return 0
    console.print(_format_header(path, record), soft_wrap=True)
    for number in wanted:
        reel.go_to_step(number)
        console.print()
        console.print(reel.render())
    _print_faults(reel)
    return 0


def _select_steps(reel: ReplayCursor, step: int | None, every: bool) -> range:
    if every:
        return range(reel.last_step + 1)
    number = reel.last_step if step is None else step
    if number > reel.last_step:
        raise LudusError(
            f"the record has {reel.last_step} steps, so step {number} does not exist",
            f"录像共 {reel.last_step} 步，没有第 {number} 步",
        )
    return range(number, number + 1)


def _print_views(reel: ReplayCursor, wanted: range) -> None:
    import msgspec

    for number in wanted:
        reel.go_to_step(number)
        notes = {str(seat): msgspec.to_builtins(note) for seat, note in reel.notes.items()}
        shown = {"step": number, **reel.view()}
        output.print_json({**shown, "notes": notes} if notes else shown)


def _format_header(path: Path, record: Record) -> str:
    clock = record.clock
    measure = "CPU" if clock.measure == "cpu" else tr("wall", "实际")
    budget = tr(f"{clock.budget:g} s {measure}", f"{clock.budget:g} 秒 {measure}")
    options = ", ".join(f"{name}={value}" for name, value in record.options.items())
    rows = [
        (tr("record", "录像"), str(path)),
        (tr("game  ", "游戏"), f"{record.game} v{record.version}  {options}".rstrip()),
        (tr("seed  ", "种子"), str(record.seed)),
        (tr("played", "时间"), f"{record.times.began}  ({record.engine})"),
        (tr("clock ", "计时"), budget),
    ]
    usages = record.times.usage or [None] * len(record.bots)
    for entrant, used, usage in zip(record.bots, record.times.used, usages, strict=True):
        digest = f"{entrant.digest[:8]}  " if entrant.digest else ""
        spent = tr(f"{used[0]:.3f} s CPU", f"CPU {used[0]:.3f} 秒")
        who = f"{entrant.name}  {digest}{_describe_isolation(entrant.isolation)}  {spent}"
        rows.append((tr("bot   ", "AI  "), who))
        if usage is not None:
            rows.append((tr("used  ", "用量"), _describe_usage(usage)))
    return "\n".join(f"{name}  {output.escape_unsafe(value)}" for name, value in rows)


def _describe_usage(usage: PlayerUsage) -> str:
    """The requests, tokens and cost of a player that is a service elsewhere."""
    text = tr(
        f"{usage.requests} requests ({usage.failures} failed, {usage.illegal} without a legal"
        f" move), {usage.tokens_in} + {usage.tokens_out} tokens",
        f"{usage.requests} 次请求（失败 {usage.failures} 次，无合法着法 {usage.illegal} 次），"
        f"{usage.tokens_in} + {usage.tokens_out} 个 token",
    )
    return f"{text}, {usage.cost:g} {usage.currency}".rstrip() if usage.cost else text


def _describe_isolation(isolation: str) -> str:
    from ludus.bots.players.local import LocalPlayer
    from ludus.sandbox import JailLevel

    if isolation == UNJAILED:
        return tr("without a jail (--trust)", "未进沙箱（--trust）")
    if isolation == LocalPlayer.isolation:
        return tr("in Ludus' own process", "本进程内")
    if isolation in tuple(JailLevel):
        return tr(f"jail: {isolation}", f"沙箱：{isolation}")
    return isolation


def _print_faults(reel: ReplayCursor) -> None:
    from ludus.cli.results import FaultRow
    from ludus.cli.tables import format_fault

    for fault in reel.record.faults:
        name = reel.names[fault.seat]
        row = FaultRow(fault.seat, name, fault.kind.value, translate(fault.why), fault.trace)
        console = output.stdout_console()
        console.print()
        console.print(format_fault(row, reel.game.seat_names[fault.seat]))
