"""``ludus judge``: a Saiblo match, its logic and AIs unmodified."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli import output
from ludus.cli.command import argument, command, option
from ludus.cli.options import JAIL, JSON
from ludus.cli.param_types import Count, GameName, OneOf, RecordFile, Seconds
from ludus.errors import LudusError
from ludus.escape import one_line
from ludus.lang import tr, words

if TYPE_CHECKING:
    from ludus.compat.saiblo.match import Terms
    from ludus.compat.saiblo.remote import Room
    from ludus.compat.saiblo.report import Report
    from ludus.compat.saiblo.run import Player
    from ludus.sandbox import Program

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
    type=OneOf(("v1", "v1.1", "v2")),
    default="v2",
    en="The version of the protocol (v2).",
    zh="协议版本（v2）。",
)
@option(
    "--early",
    type=OneOf(("hold", "drop", "forward")),
    en="What happens to an answer before it is listened to: it waits, is lost, or is passed on"
    " (hold; drop in v1 and v1.1).",
    zh="尚未监听时收到的回答：保留、丢弃或照样转发（默认 hold；v1 与 v1.1 为 drop）。",
)
@option(
    "--config",
    en="What the logic gets as config: JSON, or @FILE with it.",
    zh="传给逻辑的配置：JSON，或 @文件。",
)
@option(
    "--time",
    type=Seconds(),
    default=3.0,
    en="Seconds of a round until the logic sets them (3).",
    zh="每回合秒数，逻辑可另行设定（3）。",
)
@option(
    "--length",
    type=Count(),
    default=2048,
    en="Bytes of an answer until the logic sets them (2048).",
    zh="每条回答的字节数上限，逻辑可另行设定（2048）。",
)
@option(
    "--silence",
    type=Seconds(),
    default=60.0,
    en="Seconds that the logic may take when it is its turn (60).",
    zh="轮到逻辑时，它最多可用的秒数（60）。",
)
@option(
    "--match-time",
    type=Seconds(),
    en="Seconds that the whole match may take (no limit).",
    zh="整场对局的秒数上限（默认不限）。",
)
@option(
    "--freeze",
    is_flag=True,
    en="AIs stand still while the logic does not listen to them.",
    zh="逻辑未监听的 AI 暂停运行。",
)
@option(
    "--one-core",
    is_flag=True,
    en="Keep everybody on one core: the fastest way where answers come at once.",
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
    en="Write down everything that is said (.jsonl or .jsonl.gz).",
    zh="记录全部通信内容（.jsonl 或 .jsonl.gz）。",
)
@option(
    "--serve",
    "game",
    type=GameName(),
    en="The logic is this Ludus game; the replay is a record.",
    zh="以此 Ludus 游戏作为逻辑；回放即录像。",
)
@option(
    "--console",
    is_flag=True,
    en="Seat players and start the match by typing (the original's test_mode).",
    zh="交互式控制台（原版的 test_mode）。",
)
@option(
    "--again",
    metavar="RECORD",
    type=RecordFile(),
    en="Give a record's answers to its game's logic once more: does it say the same?",
    zh="把录像中的回答再次交给该游戏的逻辑：它的消息是否相同？",
)
@JAIL
@JSON
def COMMAND(named: tuple[str, ...], console: bool, as_json: bool, **given: Any) -> int:
    if given["again"]:
        return _again(Path(given["again"]), as_json=as_json)
    terms = terms_of(given)
    if console:
        return _console(terms, named)
    logic, players, replay = table_of(named, given["game"], terms)
    report = _judge(logic, players, replay, terms, given)
    if as_json:
        import msgspec

        output.print_json(msgspec.to_builtins(report))
    else:
        tell(report, replay)
    return 0 if report.ended else 1


def _again(path: Path, *, as_json: bool) -> int:
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
        output.out().print(words(found.why), style="green" if found.same else "red")
    return 0 if found.same else 1


def terms_of(given: dict[str, Any]) -> Terms:
    """What was typed as the terms of the match."""
    import math

    from ludus.compat.saiblo.match import Terms
    from ludus.compat.saiblo.protocol import version_named
    from ludus.sandbox import choose

    version = version_named(given["protocol"])
    return Terms(
        version=version,
        early=given["early"],
        freeze=given["freeze"],
        time=given["time"],
        length=given["length"],
        config=config_of(given["config"], as_text=version.config == "text"),
        silence=given["silence"],
        match_time=given["match_time"] or math.inf,
        level=choose(given["jail"]),
    )


def config_of(said: str | None, *, as_text: bool) -> Any:
    """A config from the command line or from a file."""
    import json

    if said is None:
        return None
    if said.startswith("@"):
        try:
            said = Path(said[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise LudusError(f"{said[1:]}: {error}", f"{said[1:]}：{error}") from None
    if as_text:
        return said
    try:
        return json.loads(said)
    except (ValueError, RecursionError) as error:
        raise LudusError(f"the config is not JSON: {error}", f"配置不是 JSON：{error}") from None


def table_of(
    named: tuple[str, ...], game: str | None, terms: Terms
) -> tuple[Program | None, list[Player], str]:
    """The logic, the players and where the replay goes."""
    from ludus.compat.saiblo import programs
    from ludus.compat.saiblo.command import program_of
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
        logic: Program | None = programs.served(get(game))
    else:
        logic = program_of(ais.pop(0), here, terms.logic_limits, terms.level)
    _refuse_rivals_files(ais, here)
    return logic, [player_of(ai, here, terms) for ai in ais], replay


def _refuse_rivals_files(ais: list[str], here: Path) -> None:
    """Of AIs that are files or folders; commands see the folders of the files that they name."""
    from ludus.bots.rival_files import refuse_rivals_files
    from ludus.compat.saiblo.command import source_of

    refuse_rivals_files([source for ai in ais if (source := source_of(ai, here))])


def player_of(spec: str, here: Path, terms: Terms) -> Player:
    from ludus.compat.saiblo import programs
    from ludus.compat.saiblo.command import program_of
    from ludus.compat.saiblo.run import Person

    if spec == HUMAN:
        return Person.REMOTE
    if spec.startswith(programs.BOT_OF):
        return programs.played(spec.removeprefix(programs.BOT_OF))
    program = program_of(spec, here, terms.ai_limits, terms.level)
    if program is None or (missing := _missing_file(spec, here)):
        what = spec if program is None else missing
        raise LudusError(
            f"there is no program or file {what!r}; you are in {here}",
            f"没有程序或文件 {what!r}；当前文件夹是 {here}",
        )
    return program


def _missing_file(spec: str, here: Path) -> str:
    """A source file that a command names and that is not there; empty if there is none such."""
    from ludus.bots.languages import language_of
    from ludus.compat.saiblo.command import words_of

    if (here / spec).exists():
        return ""
    files = (word for word in words_of(spec)[1:] if language_of(Path(word)))
    return next((word for word in files if not (here / word).exists()), "")


def _judge(
    logic: Program | None, players: list[Player], replay: str, terms: Terms, given: dict[str, Any]
) -> Report:
    from ludus.compat.saiblo.run import Person, judge
    from ludus.compat.saiblo.transcript import Transcript
    from ludus.match.series import one_core

    people = any(isinstance(player, Person) for player in players)
    host, _, port = given["listen"].rpartition(":")
    with contextlib.ExitStack() as stack:
        tap = None
        if given["one_core"]:
            stack.enter_context(one_core())
        if given["transcript"]:
            path = Path(given["transcript"])
            tap = stack.enter_context(
                contextlib.closing(Transcript(path, protocol=terms.version.name))
            )
        return judge(
            logic,
            players,
            replay,
            terms,
            tap=tap,
            address=(host or "127.0.0.1", _port(port)) if people else None,
            invite=(lambda room: invite(room, host or "127.0.0.1")) if people else None,
        )


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise LudusError(
            f"--listen takes HOST:PORT, got the port {text!r}",
            f"--listen 需要 主机:端口，得到端口 {text!r}",
        )
    return int(text)


def invite(room: Room, host: str) -> None:
    """Tell people where their seats are."""
    from ludus.compat.saiblo.remote import coded

    console = output.err()
    for seat in room.seats:
        address = f"{host}:{room.port}/{'/'.join(seat.place)}"
        console.print(
            tr(f"seat {seat.place[-1]}: ", f"座位 {seat.place[-1]}：") + f"ws://{address}"
        )
        console.print(f"  {tr('token', '令牌')} {coded(address)}")
    watching = f"{host}:{room.port}/_{room.match}"
    console.print(tr("spectators: ", "旁观：") + f"ws://{watching}")
    console.print(f"  {tr('token', '令牌')} {coded(watching)}")


def _console(terms: Terms, named: tuple[str, ...]) -> int:
    import os

    from ludus.compat.saiblo.command_reader import Intake
    from ludus.compat.saiblo.console import Console

    if named:
        raise LudusError("--console takes no arguments", "--console 不带参数")

    def out(data: bytes) -> None:
        sys.stdout.flush()
        while data:
            data = data[os.write(1, data) :]

    Console(terms, Path.cwd(), out).run(Intake(0))
    return 0


def tell(report: Report, replay: str) -> None:
    """The report for a person."""
    from rich.table import Table

    console = output.out()
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
        console.print(one_line(words(note)), style="yellow")
    if not report.ended:
        why = one_line(words(report.why))
        console.print(tr("the logic failed: ", "逻辑出错：") + why, style="red")
    _tell_stderr(report)


def _tell_stderr(report: Report) -> None:
    console = output.err()
    said = [(tr("the logic", "逻辑"), report.logic_stderr)]
    said += [(tr(f"seat {n}", f"座位 {n}"), seat.stderr) for n, seat in enumerate(report.seats)]
    for who, text in said:
        if text.strip():
            console.print(tr(f"{who} wrote to stderr:", f"{who}的标准错误输出："), style="dim")
            for line in text.rstrip().splitlines():
                console.print(f"| {one_line(line)}")
