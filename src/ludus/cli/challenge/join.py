"""``ludus challenge join``: a bot of Ludus as a player on a server of the Tablut challenge."""

from __future__ import annotations

import contextlib
from typing import Any

from ludus.cli import output
from ludus.cli.command import argument, command, option
from ludus.cli.options import JAIL_OPTION, TRUST_OPTION
from ludus.cli.param_types import BotParam, ChoiceParam, IntegerParam, SecondsParam
from ludus.errors import LudusError
from ludus.lang import tr, translate


@command(
    en="Let a bot of Ludus play one game on a server of the Tablut challenge. Exit code 0: the game"
    " was played to its end.",
    zh="让 Ludus 的 AI 在 Tablut 挑战赛的服务器上下一局。退出码 0：对局已正常结束。",
)
@argument(
    "side",
    type=ChoiceParam(("white", "black")),
    en="white (the defenders, who open) or black (the attackers).",
    zh="white（防守方，先走）或 black（进攻方）。",
)
@argument(
    "bot",
    type=BotParam(),
    en="A house bot of tablut, a source file, a folder or zip, or cmd:PROGRAM.",
    zh="tablut 的自带 AI、源文件、文件夹或 zip，或 cmd:程序。",
)
@argument(
    "address",
    required=False,
    default="127.0.0.1",
    en="The server's address (127.0.0.1).",
    zh="服务器的地址（127.0.0.1）。",
)
@option(
    "--time",
    "seconds",
    type=SecondsParam(),
    default=60.0,
    en="Seconds that the server gives for a move (60); some of it is kept back.",
    zh="服务器给每步的秒数（60）；会留出一点余量。",
)
@option(
    "--port",
    type=IntegerParam(1, 65535),
    en="The server's port (5800 for White, 5801 for Black).",
    zh="服务器的端口（白方 5800，黑方 5801）。",
)
@option(
    "--name",
    en="The name to send (the bot's).",
    zh="发送的名字（默认为 AI 的名字）。",
)
@option(
    "--wait",
    type=SecondsParam(),
    default=60.0,
    en="Seconds to wait for the server (60).",
    zh="等待服务器的秒数（60）。",
)
@JAIL_OPTION
@TRUST_OPTION
def COMMAND(side: str, bot: str, address: str, **given: Any) -> int:
    from ludus.bots.players.create import create_player
    from ludus.bots.resolve import resolve_bot
    from ludus.compat.tablut_challenge import join, wire
    from ludus.games import get
    from ludus.sandbox.bot_fault import BotFault

    if given["seconds"] <= 0:
        raise LudusError("--time must be more than 0", "--time 必须大于 0")
    seat = ("white", "black").index(side)
    game = get("tablut")
    source = resolve_bot(bot, game, trust=given["trust"])
    player = create_player(source, game, jail=given["jail"])
    port = given["port"] or wire.PORTS[seat]
    with contextlib.closing(player):
        name = given["name"] or source.name
        connection = join.ServerConnection(address, port, name, given["wait"])
        with contextlib.closing(connection):
            try:
                turn = join.play_on_server(
                    connection, join.JoinedBout(player, seat, given["seconds"]), _print_move
                )
            except BotFault as fault:
                raise LudusError(
                    f"{source.name} failed: {fault.why['en']}",
                    f"{source.name} 出错：{fault.why['zh']}",
                    fault.trace,
                ) from None
    print(output.escape_unsafe(f"{turn}: {translate(wire.RESULT_TEXTS[turn])}"), flush=True)
    return 0


def _print_move(move: str) -> None:
    print(tr(f"it plays {move}", f"走 {move}"), flush=True)
