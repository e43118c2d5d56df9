"""``ludus why``: explains why a bout was lost by a fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.called import program_name
from ludus.cli import output
from ludus.cli.command import argument, command, option
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import BotParam, FileParam
from ludus.cli.recorded_bot import (
    choose_record,
    did_not_play_error,
    find_own_file,
    find_seats,
    refuse_several,
)
from ludus.escape import escape_to_one_line, escape_unsafe
from ludus.lang import tr, translate

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.analysis.fault_report import FaultReport
    from ludus.games.base import Game
    from ludus.match.record import Record

MAX_SHOWN_MOVES = 40
"""Legal moves that are listed; the rest is counted."""
MAX_TRACE_LINES = 40
BAR_WIDTH = 24


@command(
    en="Explain a loss by fault: what the bot answered, what was legal, the line where it failed,"
    " how its clock ran.",
    zh="解释因异常而输的一局：AI 回答了什么、哪些着法合法、出错的行、时间怎样用掉。",
)
@argument(
    "records",
    type=FileParam(),
    metavar="[RECORD]",
    nargs=-1,
    en="The record; the one saved last if not given.",
    zh="录像；默认为最近保存的。",
)
@option(
    "--bot",
    type=BotParam(),
    en="The bot's file or folder, to show the line that failed; by default one of its name here.",
    zh="AI 的文件或文件夹，用于显示出错的行；默认为当前文件夹中同名的。",
)
@JSON_OPTION
def COMMAND(records: tuple[str, ...], bot: str | None, as_json: bool) -> int:
    from ludus.analysis.fault_report import explain_faults
    from ludus.compat.reading import read_verified
    from ludus.match.record import load_game

    source = _refuse_missing(bot)
    path = choose_record(refuse_several(records), *([] if bot is None else [bot]))
    found = read_verified(path)
    game, _ = load_game(found)
    own = find_seats(found, bot) if bot is not None else []
    if bot is not None and not own:
        raise did_not_play_error(found, bot, path)
    reports = explain_faults(
        found, lambda seat: source if source and seat in own else find_own_file(found, seat)
    )
    if as_json:
        output.print_json(_as_json(path, found, game, reports))
        return 0
    console = output.stdout_console()
    if not reports:
        for line in _explain_rules(path, found, game):
            console.print(line, soft_wrap=True, highlight=False, markup=False)
    for report in reports:
        _print_report(path, found, game, report)
    return 0


def _refuse_missing(bot: str | None) -> Path | None:
    from ludus.errors import LudusError

    if bot is None:
        return None
    path = Path(bot).expanduser()
    if not path.exists():
        raise LudusError(f"{path} does not exist", f"{path} 不存在")
    return path


def _explain_rules(path: Path, record: Record, game: Game) -> Iterator[str]:
    """A bout without a fault."""
    reason = translate(game.explain(record.outcome))
    if game.turn_source:
        yield tr(
            f"the program of {game.name} decided this bout ({reason}), and only it judges what bots"
            " do wrong; what was said step by step:",
            f"此局由 {game.name} 的程序裁定（{reason}），AI 做错了什么也只由它判断；逐步的消息：",
        )
        yield f"  {program_name()} replay show {path} --all"
        return
    if record.winner is None:
        yield tr(f"no seat failed: the bout is a draw ({reason})", f"没有异常：平局（{reason}）")
    else:
        name = escape_to_one_line(record.bots[record.winner].name)
        yield tr(
            f"no seat failed: {name} won by the rules ({reason})",
            f"没有异常：{name} 按规则获胜（{reason}）",
        )
    yield tr(
        f"which moves cost the bout: {program_name()} analyse {path}",
        f"哪些着法输掉了这一局：{program_name()} analyse {path}",
    )


def _print_report(path: Path, record: Record, game: Game, report: FaultReport) -> None:
    console = output.stdout_console()

    def say(line: str = "", style: str = "") -> None:
        console.print(line, style=style, soft_wrap=True, highlight=False, markup=False)

    say(_headline(record, game, report), "bold red")
    say(translate(report.meaning))
    say()
    say(f"{tr('what happened: ', '经过：')}{escape_to_one_line(translate(report.fault.why))}")
    if report.fault.move is not None:
        say(f"{tr('it answered:   ', '它的回答：')}{escape_to_one_line(_shown_answer(report))}")
    if report.legal is not None:
        say(f"{tr('legal moves:   ', '合法着法：')}{_format_legal(game, report)}")
    for line in _trace_lines(report):
        say(line, "dim")
    for line in _excerpt_lines(report):
        say(line)
    if report.clock:
        say()
        say(_describe_clock(record))
        console.print(_clock_table(game, record, report))
    say()
    say(f"→ {translate(report.advice)}")
    if report.step:
        for line in _way_on(path, record, game, report):
            say(f"  {line}")


def _way_on(path: Path, record: Record, game: Game, report: FaultReport) -> Iterator[str]:
    """The command that shows more: the debugger, for bots that can run in it."""
    source, name = report.source, record.bots[report.fault.seat].name
    shown = str(source) if source else name if name in game.bots() else "FILE"
    if source is None or is_debuggable(source):
        seat = f" --seat {report.fault.seat}" if len(record.faults) > 1 else ""
        yield f"{program_name()} debug {path} --bot {shown}{seat}"
        return
    yield tr(
        "it is not a Python bot, which a debugger could stop; to keep what it writes to stderr:",
        "它不是 Python AI，调试器无法让它停下；保存它写到 stderr 的内容：",
    )
    yield f"{program_name()} play {record.game} {shown} … --bout-seed {record.seed} --logs logs"
    yield tr("how another version answers:", "比较另一个版本的回答：")
    yield f"{program_name()} debug {path} --bot {shown} --diff OTHER"


def is_debuggable(source: Path) -> bool:
    """Whether a bot's file can run inside a debugger, as far as its name tells."""
    from ludus.bots.languages.registry import PYTHON, language_of
    from ludus.bots.manifest import MANIFEST_NAME, read_manifest
    from ludus.errors import LudusError

    if not source.is_dir():
        return language_of(source) in (None, PYTHON)
    try:
        facts = read_manifest(source / MANIFEST_NAME, source / MANIFEST_NAME)
    except LudusError:
        return True
    return facts.language in ("", PYTHON.name) and facts.run is None


def _shown_answer(report: FaultReport) -> str:
    """What the bot answered, as Python shows it if that was no text."""
    from ludus.match.verdict import show_answer

    move = report.fault.move or ""
    shown = show_answer(move)
    return move if shown is None else shown


def _headline(record: Record, game: Game, report: FaultReport) -> str:
    from ludus.cli.results import fault_name

    fault = report.fault
    name = escape_to_one_line(record.bots[fault.seat].name)
    seat, kind = game.seat_names[fault.seat], fault_name(fault.kind.value)
    if not report.step:
        return tr(
            f"✗ {name} ({seat}) failed before the first move: {kind}",
            f"✗ {name}（{seat}）在第一步之前出错：{kind}",
        )
    return tr(
        f"✗ {name} ({seat}) failed at step {report.step}: {kind}",
        f"✗ {name}（{seat}）在第 {report.step} 步出错：{kind}",
    )


def _format_legal(game: Game, report: FaultReport) -> str:
    """The legal moves in a line, as the bot answers them; of many, the first."""
    legal = report.legal or ()
    moves = [report.kind.show_move(move) for move in legal[:MAX_SHOWN_MOVES]]
    if moves == legal[:MAX_SHOWN_MOVES]:
        moves = list(map(game.spoken, moves))
    shown = " ".join(map(escape_to_one_line, moves))
    more = len(legal) - MAX_SHOWN_MOVES
    return shown if more <= 0 else f"{shown} … {tr(f'and {more} more', f'另有 {more} 种')}"


def _trace_lines(report: FaultReport) -> list[str]:
    lines = escape_unsafe(report.fault.trace).rstrip().splitlines()
    if len(lines) > MAX_TRACE_LINES:
        lines = ["…", *lines[-MAX_TRACE_LINES:]]
    return ["", *(f"    {line}" for line in lines)] if lines else []


def _excerpt_lines(report: FaultReport) -> Iterator[str]:
    from ludus.analysis.fault_report import read_excerpt

    source = report.source
    if report.place is None or source is None:
        return
    excerpt = read_excerpt(report.place, source)
    if excerpt is None:
        return
    yield ""
    yield tr(f"  {source}, line {report.place.line}:", f"  {source} 第 {report.place.line} 行：")
    for number, text in excerpt:
        mark = "→" if number == report.place.line else " "
        yield f"  {mark} {number:5}  {escape_unsafe(text.expandtabs(4))}"


def _describe_clock(record: Record) -> str:
    clock = record.clock
    measure = tr("of CPU time", " CPU 时间") if clock.measure == "cpu" else tr("of time", "时间")
    text = tr(
        f"its clock: {clock.budget:g} s {measure} for the bout",
        f"计时：每局 {clock.budget:g} 秒{measure}",
    )
    if clock.increment:
        text += tr(
            f", {clock.increment:g} s more after each move", f"，每步加 {clock.increment:g} 秒"
        )
    if clock.per_move is not None:
        text += tr(f", at most {clock.per_move:g} s a move", f"，每步至多 {clock.per_move:g} 秒")
    return text


def _clock_table(game: Game, record: Record, report: FaultReport) -> Table:
    from ludus.cli.tables import make_table

    table = make_table()
    table.add_column(tr("step", "步"), justify="right")
    table.add_column(tr("move", "着法"))
    table.add_column(tr("used s", "用时（秒）"), justify="right")
    table.add_column(tr("left s", "剩余（秒）"), justify="right")
    table.add_column("")
    budget = record.clock.budget
    for row in report.clock:
        step = str(row.step) if row.step else tr("start", "启动")
        move = escape_to_one_line(game.spoken(row.move)) if row.move is not None else ""
        if row is report.clock[-1] and row.move is None:
            move = "✗"
        length = min(BAR_WIDTH, round(BAR_WIDTH * row.spent / budget)) if budget else 0
        table.add_row(step, move, f"{row.spent:.3f}", f"{row.left:.3f}", "█" * length)
    return table


def _as_json(path: Path, record: Record, game: Game, reports: list[FaultReport]) -> dict[str, Any]:
    from ludus.analysis.fault_report import read_excerpt

    faults = []
    for report in reports:
        fault, place, source = report.fault, report.place, report.source
        lines = read_excerpt(place, source) if place is not None and source is not None else None
        faults.append(
            {
                "seat": fault.seat,
                "seat_name": game.seat_keys[fault.seat],
                "bot": record.bots[fault.seat].name,
                "kind": fault.kind.value,
                "step": report.step,
                "why": dict(fault.why),
                "meaning": dict(report.meaning),
                "advice": dict(report.advice),
                "answer": fault.move,
                "legal": report.legal,
                "trace": fault.trace,
                "place": place and {"file": place.file, "line": place.line},
                "excerpt": [{"line": number, "text": text} for number, text in lines or ()],
                "clock": [
                    {"step": row.step, "move": row.move, "spent": row.spent, "left": row.left}
                    for row in report.clock
                ],
            }
        )
    return {
        "record": str(path),
        "game": record.game,
        "verdict": record.verdict,
        "winner": record.winner,
        "reason": dict(game.explain(record.outcome)) if not reports else None,
        "faults": faults,
    }
