"""``ludus engine``: a bot as a GTP engine, for other people's boards."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ludus.cli.command import argument, command
from ludus.cli.options import (
    GAME_ARGUMENT,
    JAIL_OPTION,
    SEED_OPTION,
    SETTINGS_OPTION,
    TRUST_OPTION,
)
from ludus.cli.param_types import BotParam
from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.games.base import Game

GENERAL_BOT = "search"
"""Plays any game of two seats without hidden information."""


@command(
    en="Play a bot as a GTP 2 engine on stdin and stdout, for boards and controllers that use the"
    " Go Text Protocol.",
    zh="让 AI 作为 GTP 2 引擎在标准输入输出上工作，供使用 Go Text Protocol 的棋盘和控制程序使用。",
)
@GAME_ARGUMENT
@argument(
    "bot",
    type=BotParam(),
    required=False,
    en="A house bot, a file, a folder or zip with a ludus.toml, or cmd:PROGRAM; the strongest house"
    " bot if not given.",
    zh="自带 AI、文件、带 ludus.toml 的文件夹或 zip，或 cmd:程序；不给则为最强的自带 AI。",
)
@SETTINGS_OPTION
@SEED_OPTION
@JAIL_OPTION
@TRUST_OPTION
def COMMAND(
    game: str,
    bot: str | None,
    settings: tuple[tuple[str, str], ...],
    seed: int | None,
    jail: str | None,
    trust: bool,
) -> int:
    from ludus.bots.players.create import create_player
    from ludus.bots.resolve import resolve_bot
    from ludus.cli.options import draw_seed, parse_options
    from ludus.compat.gtp.engine import GtpEngine
    from ludus.games.registry import open_game

    rules = open_game(game)
    source = resolve_bot(bot or _choose_bot(rules), rules, trust=trust)
    engine = GtpEngine(
        rules,
        parse_options(rules, settings),
        source.name,
        lambda: create_player(source, rules, jail=jail),
        draw_seed() if seed is None else seed,
    )
    # A bot that prints would break the protocol: what is printed from now on goes to stderr.
    answers = os.dup(1)
    os.dup2(2, 1)
    try:
        for line in sys.stdin.buffer:
            if (answer := engine.answer(line.decode(errors="replace"))) is not None:
                os.write(answers, answer.encode())
            if engine.finished:
                break
    finally:
        engine.close()
        os.dup2(answers, 1)
        os.close(answers)
    return 0


def _choose_bot(game: Game) -> str:
    """The strongest house bot that is installed: the highest level of the game, and where none of
    its levels is there, a search that plays all games."""
    from ludus.bots.resolve import list_house_bots

    known = list_house_bots(game)
    for name in (*reversed(list(game.levels)), GENERAL_BOT):
        if name in known:
            return name
    raise LudusError(
        f"name a bot: {game.name} has none of its own",
        f"请写明 AI：{game.name} 没有自带的 AI",
    )
