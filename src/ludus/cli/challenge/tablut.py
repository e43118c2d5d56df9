"""``ludus challenge tablut``: a server of the Tablut challenge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli import output
from ludus.cli.command import command, option
from ludus.cli.options import JAIL_OPTION, JSON_OPTION, TRUST_OPTION
from ludus.cli.param_types import BotParam, FolderParam, IntegerParam, SecondsParam
from ludus.errors import LudusError
from ludus.lang import tr, translate

if TYPE_CHECKING:
    from ludus.compat.tablut_challenge.server import ChallengeServer, ChallengeSettings
    from ludus.match.record import Record


@command(
    en="Be a server of the Tablut challenge: White connects to port 5800, Black to port 5801."
    " Rules: variant=ashton. A seat with a bot of Ludus needs no player.",
    zh="作为 Tablut 挑战赛的服务器：白方连接端口 5800，黑方连接端口 5801。规则为 variant=ashton。"
    "已有 Ludus 的 AI 的席位不需要选手。",
)
@option(
    "--white",
    type=BotParam(),
    metavar="BOT",
    en="A bot of Ludus plays White (the defenders); by default a player connects.",
    zh="由 Ludus 的 AI 执白（防守方）；默认等选手连接。",
)
@option(
    "--black",
    type=BotParam(),
    metavar="BOT",
    en="A bot of Ludus plays Black (the attackers); by default a player connects.",
    zh="由 Ludus 的 AI 执黑（进攻方）；默认等选手连接。",
)
@option(
    "--time",
    "seconds",
    type=SecondsParam(),
    default=60.0,
    en="Seconds for a move, on the wall clock (60).",
    zh="每步秒数，按实际时间（60）。",
)
@option(
    "--bouts",
    type=IntegerParam(1),
    default=1,
    en="Bouts to play; the players connect anew for each (1).",
    zh="局数；选手每局重新连接（1）。",
)
@option(
    "--listen",
    metavar="ADDRESS",
    default="127.0.0.1",
    en="The address to listen on (127.0.0.1); 0.0.0.0: also for other machines.",
    zh="监听的地址（127.0.0.1）；0.0.0.0 表示其他机器也可连接。",
)
@option(
    "--white-port",
    type=IntegerParam(0, 65535),
    default=5800,
    en="White's port (5800); 0: any free one.",
    zh="白方端口（5800）；0 表示任意空闲端口。",
)
@option(
    "--black-port",
    type=IntegerParam(0, 65535),
    default=5801,
    en="Black's port (5801); 0: any free one.",
    zh="黑方端口（5801）；0 表示任意空闲端口。",
)
@option(
    "--wait",
    type=SecondsParam(),
    en="Seconds in which the players of a bout must connect (no limit).",
    zh="每局选手须在多少秒内连接（默认不限）。",
)
@option(
    "--save",
    type=FolderParam(),
    en="Save the records in this folder instead of $LUDUS_HOME/records.",
    zh="录像保存到此文件夹，而非 $LUDUS_HOME/records。",
)
@JAIL_OPTION
@TRUST_OPTION
@JSON_OPTION
def COMMAND(bouts: int, save: str | None, as_json: bool, **given: Any) -> int:
    from ludus.compat.tablut_challenge.server import ChallengeServer

    settings = _make_settings(given)
    with ChallengeServer(settings) as server:
        if not as_json:
            _announce_addresses(server)
        played = [_play_bout(server, number, bouts, save, as_json) for number in range(bouts)]
    if as_json:
        output.print_json(played)
    return 0


def _make_settings(given: dict[str, Any]) -> ChallengeSettings:
    from ludus.bots.resolve import resolve_bot
    from ludus.compat.tablut_challenge.server import ChallengeSettings
    from ludus.games import get

    game = get("tablut")
    named = {seat: given[side] for seat, side in enumerate(("white", "black")) if given[side]}
    if given["seconds"] <= 0:
        raise LudusError("--time must be more than 0", "--time 必须大于 0")
    return ChallengeSettings(
        bots={seat: resolve_bot(bot, game, trust=given["trust"]) for seat, bot in named.items()},
        seconds=given["seconds"],
        address=given["listen"],
        ports=(given["white_port"], given["black_port"]),
        wait=given["wait"],
        jail=given["jail"],
    )


def _announce_addresses(server: ChallengeServer) -> None:
    sides = (tr("White", "白方"), tr("Black", "黑方"))
    for seat, (address, port) in server.lobby.addresses().items():
        print(
            tr(
                f"waiting for {sides[seat]} on {address} port {port}",
                f"等待{sides[seat]}连接 {address} 端口 {port}",
            ),
            flush=True,
        )


def _play_bout(
    server: ChallengeServer, number: int, bouts: int, save: str | None, quiet: bool
) -> dict[str, Any]:
    """Play and save a bout, and print its result; returns it as JSON."""
    import secrets

    from ludus.match import record_files

    def announce(seat: int, name: str) -> None:
        if not quiet:
            side = tr(*(("White", "白方"), ("Black", "黑方"))[seat])
            shown = output.escape_unsafe(name)
            print(tr(f"{side}: {shown} has connected", f"{side}：{shown} 已连接"), flush=True)

    record = server.play_bout(secrets.randbelow(10**6), announce)
    folder = Path(save).expanduser() if save else record_files.records_folder()
    stem = record_files.make_stem("tablut", [bot.name for bot in record.bots])
    store = record_files.RecordStore(folder, record_files.BoutFileNames(stem, bouts))
    file = store.save(record, number)
    if store.failure is not None:
        raise store.failure
    if not quiet:
        _print_result(record, number, file)
    return {
        "bout": number + 1,
        "white": record.bots[0].name,
        "black": record.bots[1].name,
        "result": _result_turn(record),
        "plies": len(record.moves),
        "faults": [
            dict(seat=fault.seat, kind=fault.kind, why=fault.why) for fault in record.faults
        ],
        "record": str(file),
    }


def _result_turn(record: Record) -> str:
    white, black = record.scores
    return "DRAW" if white == black else "WHITEWIN" if white > black else "BLACKWIN"


def _describe_ending(record: Record) -> str:
    from ludus.cli.results import describe_reason, fault_name
    from ludus.games import get

    if not record.faults:
        return describe_reason(get("tablut"), record)
    return "; ".join(
        f"{record.bots[fault.seat].name}: {fault_name(fault.kind)} ({translate(fault.why)})"
        for fault in record.faults
    )


def _print_result(record: Record, number: int, file: Path | None) -> None:
    from ludus.compat.tablut_challenge.wire import RESULT_TEXTS

    white, black = (bot.name for bot in record.bots)
    result = translate(RESULT_TEXTS[_result_turn(record)])
    ending, plies = _describe_ending(record), len(record.moves)
    line = tr(
        f"{number + 1}. {white} (White) – {black} (Black): {result}, {ending}, {plies} moves",
        f"{number + 1}. {white}（白）– {black}（黑）：{result}，{ending}，{plies} 步",
    )
    print(output.escape_unsafe(line), flush=True)
    print(tr(f"   record: {file}", f"   录像：{file}"), flush=True)
