"""Ludus games as logics, and Ludus bots as AIs: the programs that a judger starts."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import ludus
from ludus.bots.bot_seed import KEY_VARIABLE, load_random_key
from ludus.bots.find_program import locate
from ludus.bots.languages.python import IMPORT_FOLDER, LUDUS_FOLDER
from ludus.bots.resolve import BotSource, resolve_bot
from ludus.compat.saiblo.command import drop_nested_paths
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get
from ludus.sandbox import BOT_FOLDER, Program

BOT_PREFIX = "bot:"
"""``bot:reversi/greedy`` is the Ludus bot ``greedy`` of ``reversi`` as a Saiblo AI."""


def make_logic_program(game: Game) -> Program:
    """The logic of a Ludus game. It gets this user's key for random seeds, which AIs must not see:
    they run in other jails."""
    program = _make_module_program("ludus.compat.saiblo.game_as_logic", game, game.name)
    env = {**program.env, KEY_VARIABLE: load_random_key().hex()}
    return replace(program, env=env)


def make_ai_program(spec: str) -> Program:
    """A Ludus bot as a Saiblo AI, from ``GAME/BOT``."""
    game, bot, path = _resolve_bot(spec)
    inside = f"{BOT_FOLDER}/{path.name}"
    return _make_module_program(
        "ludus.compat.saiblo.bot_as_ai", game, game.name, inside, files=bot.build_spec.files
    )


def _resolve_bot(spec: str) -> tuple[Game, BotSource, Path]:
    """The game, the bot and its file, from ``GAME/BOT``."""
    name, slash, bot = spec.partition("/")
    if not slash:
        raise LudusError(
            f"{BOT_PREFIX}{spec} should be {BOT_PREFIX}GAME/BOT",
            f"{BOT_PREFIX}{spec} 应写作 {BOT_PREFIX}游戏/AI",
        )
    game = get(name)
    source = resolve_bot(bot, game)
    if source.path is None:
        raise LudusError(
            f"{bot} is not a Python bot; a judger can only play with Python bots of Ludus",
            f"{bot} 不是 Python AI；目前只有 Python AI 能在裁判程序中对局",
        )
    return game, source, source.path


def find_bot(spec: str) -> BotSource | None:
    """``bot:reversi/greedy`` as a bot of a Saiblo game that uses ``text_protocol``; None for a spec
    without this prefix."""
    if not spec.startswith(BOT_PREFIX):
        return None
    game, bot, path = _resolve_bot(spec.removeprefix(BOT_PREFIX))
    program, needs = locate(sys.executable)
    run = (program, "-m", "ludus.compat.saiblo.bot_as_ai", game.name, f"{BOT_FOLDER}/{path.name}")
    spec_here = replace(bot.build_spec, run=run, command_files=needs, python=None)
    return replace(bot, build_spec=spec_here)


def _make_module_program(module: str, game: Game, *words: str, files: object = None) -> Program:
    """A module of Ludus, in a jail that sees Ludus, the game's package and the interpreter."""
    program, needs = locate(sys.executable)
    roots = {LUDUS_FOLDER, _root_of(game)}
    shown = drop_nested_paths([*needs.values(), *roots])
    more = files if isinstance(files, dict) else {}
    folders = {IMPORT_FOLDER if root == LUDUS_FOLDER else root.parent for root in roots}
    path = ":".join(sorted(map(str, folders)))
    argv = (program, "-m", module, *words)
    env = {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    return Program(argv=argv, files={**shown, **more}, cwd="/tmp", env=env)


def _root_of(game: Game) -> Path:
    """The folder or file of the package that a game is in."""
    module = type(game).__module__
    top = module.partition(".")[0]
    file = getattr(sys.modules.get(top), "__file__", None) or ludus.__file__
    return _root(top, Path(file))


def _root(name: str, file: Path) -> Path:
    return file.parent if file.name == "__init__.py" else file
