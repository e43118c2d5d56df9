"""``ludus judge``: a Saiblo match, its logic and AIs unmodified."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli import output
from ludus.cli.command import argument, command, option
from ludus.cli.options import JAIL_OPTION, JSON_OPTION
from ludus.cli.param_types import ChoiceParam, FileParam, GameParam, IntegerParam, SecondsParam
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line
from ludus.lang import tr, translate
from ludus.os_errors import describe_os_error

if TYPE_CHECKING:
    from ludus.compat.saiblo.remote_room import RemoteRoom
    from ludus.compat.saiblo.report import JudgerReport
    from ludus.compat.saiblo.run import SeatOccupant
    from ludus.compat.saiblo.settings import JudgerSettings
    from ludus.sandbox import Limits, Program

HUMAN = "human"


@command(
    en="Judge a Saiblo match: LOGIC AI… REPLAY. Exit code 0: the logic ended it; 1: the logic"
    " failed.",
    zh="运行 Saiblo 对局：LOGIC AI… REPLAY。退出码 0：逻辑正常结束；1：逻辑出错。",
)
@argument(
    "named",
    nargs=-1,
    metavar="LOGIC AI… REPLAY",
    en="Each a source file, a folder with a ludus.toml, or a command with + for blanks"
    " (python3+logic.py). An AI may be human (over a WebSocket) or bot:GAME/BOT (a Ludus bot)."
    " With --serve there is no LOGIC, with --console nothing at all.",
    zh="每项为源文件、带 ludus.toml 的文件夹，或用 + 代替空格的命令（python3+logic.py）。"
    "AI 可写 human（真人，经 WebSocket）或 bot:游戏/AI（Ludus 的 AI）。"
    "使用 --serve 时没有 LOGIC，使用 --console 时没有参数。",
)
@option(
    "--protocol",
    type=ChoiceParam(("v1", "v1.1", "v2")),
    default="v2",
    en="The version of the protocol (v2).",
    zh="协议版本（v2）。",
)
@option(
    "--early",
    type=ChoiceParam(("hold", "drop", "forward")),
    en="What to do with an answer that the logic does not listen for yet: keep, drop or forward it"
    " (hold; drop in v1 and v1.1).",
    zh="尚未监听时收到的回答：保留、丢弃或照样转发（默认 hold；v1 与 v1.1 为 drop）。",
)
@option(
    "--config",
    en="The config for the logic: JSON, or @FILE.",
    zh="传给逻辑的配置：JSON，或 @文件。",
)
@option(
    "--time",
    type=SecondsParam(),
    default=3.0,
    en="Seconds per round, until the logic sets another limit (3).",
    zh="每回合秒数，逻辑可另行设定（3）。",
)
@option(
    "--length",
    type=IntegerParam(),
    default=2048,
    en="Bytes per answer, until the logic sets another limit (2048).",
    zh="每条回答的字节数上限，逻辑可另行设定（2048）。",
)
@option(
    "--silence",
    type=SecondsParam(),
    default=60.0,
    en="Seconds that the logic may take when it is its turn (60).",
    zh="轮到逻辑时，它最多可用的秒数（60）。",
)
@option(
    "--match-time",
    type=SecondsParam(),
    en="Seconds that the whole match may take (no limit).",
    zh="整场对局的秒数上限（默认不限）。",
)
@option(
    "--freeze",
    is_flag=True,
    en="Freeze AIs while the logic does not listen to them.",
    zh="逻辑未监听的 AI 暂停运行。",
)
@option(
    "--one-core",
    is_flag=True,
    en="Run all programs on one core, which is fastest if answers come at once.",
    zh="所有程序固定在一个核上：回答很快时这样最快。",
)
@option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:0",
    en="Where people connect (127.0.0.1, any free port).",
    zh="真人玩家连接的地址（127.0.0.1，任意空闲端口）。",
)
@option(
    "--transcript",
    metavar="FILE",
    en="Write all messages to this file (.jsonl or .jsonl.gz).",
    zh="记录全部通信内容（.jsonl 或 .jsonl.gz）。",
)
@option(
    "--serve",
    "game",
    type=GameParam(),
    en="The logic is this Ludus game; the replay is a record.",
    zh="以此 Ludus 游戏作为逻辑；回放即录像。",
)
@option(
    "--console",
    is_flag=True,
    en="An interactive console to seat players and start the match (the original's test_mode).",
    zh="交互式控制台（原版的 test_mode）。",
)
@option(
    "--again",
    metavar="RECORD",
    type=FileParam(),
    en="Replay a record's answers to its game's logic: are its messages the same?",
    zh="把录像中的回答再次交给该游戏的逻辑：它的消息是否相同？",
)
@JAIL_OPTION
@JSON_OPTION
def COMMAND(named: tuple[str, ...], console: bool, as_json: bool, **given: Any) -> int:
    if given["again"]:
        return _rerun_record(Path(given["again"]), as_json=as_json)
    terms = parse_match_settings(given)
    if console:
        return _run_console(terms, named)
    logic, players, replay = parse_programs(named, given["game"], terms)
    report = _run_match(logic, players, replay, terms, given)
    if as_json:
        import msgspec

        output.print_json(msgspec.to_builtins(report))
    else:
        print_report(report, replay)
    return 0 if report.ended else 1


def _rerun_record(path: Path, *, as_json: bool) -> int:
    import msgspec

    from ludus.compat.saiblo.verify import rerun
    from ludus.match.record import read
    from ludus.match.replay import verify

    record = read(path)
    verify(record)
    found = rerun(record)
    if as_json:
        output.print_json(msgspec.to_builtins(found))
    else:
        output.stdout_console().print(translate(found.why), style="green" if found.same else "red")
    return 0 if found.same else 1


def parse_match_settings(given: dict[str, Any]) -> JudgerSettings:
    """The settings of the match from the command line."""
    import math

    from ludus.compat.saiblo.settings import JudgerSettings
    from ludus.compat.saiblo.versions import find_version
    from ludus.sandbox import choose_level

    version = find_version(given["protocol"])
    return JudgerSettings(
        version=version,
        early=given["early"],
        freeze=given["freeze"],
        time=given["time"],
        length=given["length"],
        config=parse_config(given["config"], as_text=version.config == "text"),
        silence=given["silence"],
        match_time=given["match_time"] or math.inf,
        level=choose_level(given["jail"]),
    )


def parse_config(text: str | None, *, as_text: bool) -> Any:
    """A config from the command line or from a file."""
    import json

    if text is None:
        return None
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = describe_os_error(error)
            raise LudusError(f"{text[1:]}: {why.en}", f"{text[1:]}：{why.zh}") from None
    if as_text:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LudusError(f"the config is not JSON: {error}", f"配置不是 JSON：{error}") from None


def parse_programs(
    named: tuple[str, ...], game: str | None, terms: JudgerSettings
) -> tuple[Program, list[SeatOccupant], str]:
    """The logic, the players and the replay file from the command line."""
    from ludus.compat.saiblo import programs
    from ludus.games.registry import get

    wanted = 1 if game else 2
    if len(named) < wanted:
        raise LudusError(
            "name LOGIC AI… REPLAY" if not game else "name AI… REPLAY",
            "请给出 LOGIC AI… REPLAY" if not game else "请给出 AI… REPLAY",
        )
    *ais, replay = named
    here = Path.cwd()
    if game:
        logic = programs.make_logic_program(get(game))
    else:
        logic = _find_program(ais.pop(0), here, terms.logic_limits, terms.level)
    _refuse_rivals_files(ais, here)
    return logic, [parse_player(ai, here, terms) for ai in ais], replay


def _refuse_rivals_files(ais: list[str], here: Path) -> None:
    """LudusError if an AI that is a file or folder would see another one's files."""
    from ludus.bots.rival_files import refuse_rival_files
    from ludus.compat.saiblo.command import find_source

    refuse_rival_files([source for ai in ais if (source := find_source(ai, here))])


def parse_player(spec: str, here: Path, terms: JudgerSettings) -> SeatOccupant:
    from ludus.compat.saiblo import programs
    from ludus.compat.saiblo.run import Person

    if spec == HUMAN:
        return Person.REMOTE
    if spec.startswith(programs.BOT_PREFIX):
        return programs.make_ai_program(spec.removeprefix(programs.BOT_PREFIX))
    return _find_program(spec, here, terms.ai_limits, terms.level)


def _find_program(spec: str, here: Path, limits: Limits, level: str | None) -> Program:
    """The program that a person named; LudusError if it or its file is not there."""
    from ludus.compat.saiblo.command import find_typed_program

    program = find_typed_program(spec, here, limits, level)
    if program is None or (missing := _missing_file(spec, here)):
        what = spec if program is None else missing
        raise LudusError(
            f"program or file {what!r} not found; the current folder is {here}",
            f"找不到程序或文件 {what!r}；当前文件夹是 {here}",
        )
    return program


def _missing_file(spec: str, here: Path) -> str:
    """The first source file in a command that does not exist; else empty."""
    from ludus.bots.languages.registry import language_of
    from ludus.compat.saiblo.command import split_command

    if (here / spec).exists():
        return ""
    files = (word for word in split_command(spec)[1:] if language_of(Path(word)))
    return next((word for word in files if not (here / word).exists()), "")


def _run_match(
    logic: Program | None,
    players: list[SeatOccupant],
    replay: str,
    terms: JudgerSettings,
    given: dict[str, Any],
) -> JudgerReport:
    from ludus.compat.saiblo.run import Person, judge_match
    from ludus.compat.saiblo.transcript import Transcript
    from ludus.match.series import pin_to_one_core

    people = any(isinstance(player, Person) for player in players)
    host, _, port = given["listen"].rpartition(":")
    with contextlib.ExitStack() as stack:
        tap = None
        if given["one_core"]:
            stack.enter_context(pin_to_one_core())
        if given["transcript"]:
            path = Path(given["transcript"])
            tap = stack.enter_context(
                contextlib.closing(Transcript(path, protocol=terms.version.name))
            )
        return judge_match(
            logic,
            players,
            replay,
            terms,
            tap=tap,
            address=(host or "127.0.0.1", _parse_port(port)) if people else None,
            on_room_open=(lambda room: print_seat_links(room, host or "127.0.0.1"))
            if people
            else None,
        )


def _parse_port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise LudusError(
            f"--listen takes HOST:PORT, got the port {text!r}",
            f"--listen 需要 主机:端口，得到端口 {text!r}",
        )
    return int(text)


def print_seat_links(room: RemoteRoom, host: str) -> None:
    """Print the addresses by which people take their seats."""
    from ludus.compat.saiblo.remote_seat import encode_token

    console = output.stderr_console()
    for seat in room.seats:
        address = f"{host}:{room.port}/{'/'.join(seat.path_pattern)}"
        console.print(
            tr(f"seat {seat.path_pattern[-1]}: ", f"座位 {seat.path_pattern[-1]}：")
            + f"ws://{address}"
        )
        console.print(f"  {tr('token', '令牌')} {encode_token(address)}")
    watching = f"{host}:{room.port}/_{room.match_id}"
    console.print(tr("spectators: ", "旁观：") + f"ws://{watching}")
    console.print(f"  {tr('token', '令牌')} {encode_token(watching)}")


def _run_console(terms: JudgerSettings, named: tuple[str, ...]) -> int:
    import os

    from ludus.compat.saiblo.command_reader import CommandReader
    from ludus.compat.saiblo.console import Console

    if named:
        raise LudusError("--console takes no arguments", "--console 不带参数")

    def out(data: bytes) -> None:
        sys.stdout.flush()
        while data:
            data = data[os.write(1, data) :]

    Console(terms, Path.cwd(), out).run(CommandReader(0))
    return 0


def print_report(report: JudgerReport, replay: str) -> None:
    """Print a report as tables."""
    from rich.table import Table

    console = output.stdout_console()
    table = Table(box=None, pad_edge=False)
    for title in (
        tr("seat", "座位"),
        tr("score", "得分"),
        tr("verdict", "判定"),
        tr("CPU s", "CPU 秒"),
        tr("MB", "MB"),
    ):
        table.add_column(title, justify="right")
    for number, seat in enumerate(report.seats):
        score = "–" if report.scores is None else f"{report.scores[number]:g}"
        memory = f"{seat.memory >> 20}" if seat.memory else "–"
        table.add_row(str(number), score, seat.verdict, f"{seat.cpu:.2f}", memory)
    console.print(table)
    console.print(
        tr(
            f"{report.rounds} rounds in {report.seconds:g} s",
            f"{report.rounds} 回合，{report.seconds:g} 秒",
        )
    )
    for note in report.notes:
        console.print(escape_to_one_line(translate(note)), style="yellow")
    if not report.ended:
        why = escape_to_one_line(translate(report.why))
        console.print(tr("the logic failed: ", "逻辑出错：") + why, style="red")
    _print_stderr(report)


def _print_stderr(report: JudgerReport) -> None:
    console = output.stderr_console()
    outputs = [(tr("the logic", "逻辑"), report.logic_stderr)]
    outputs += [(tr(f"seat {n}", f"座位 {n}"), seat.stderr) for n, seat in enumerate(report.seats)]
    for who, text in outputs:
        if text.strip():
            console.print(tr(f"{who} wrote to stderr:", f"{who}的标准错误输出："), style="dim")
            for line in text.rstrip().splitlines():
                console.print(f"| {escape_to_one_line(line)}")
