"""Our own programs at the judger's table: Ludus games as logics, Ludus bots as AIs."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import ludus
from ludus.bots.bot_seed import VARIABLE, random_key
from ludus.bots.find_program import locate
from ludus.bots.languages.python import IMPORTABLE, OURS
from ludus.bots.resolve import Source, find
from ludus.compat.saiblo.command import outermost
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get
from ludus.sandbox import BOT, Program

BOT_OF = "bot:"
"""``bot:reversi/greedy`` is a Ludus bot of that game that plays as a Saiblo AI."""


def served(game: Game) -> Program:
    """The logic of a Ludus game; AIs, in other jails, do not see its key."""
    program = _module("ludus.compat.saiblo.game_as_logic", game, game.name)
    env = {**program.env, VARIABLE: random_key().hex()}
    return replace(program, env=env)


def played(spec: str) -> Program:
    """A Ludus bot as a Saiblo AI, from ``GAME/BOT``."""
    game, bot, path = _bot_of(spec)
    inside = f"{BOT}/{path.name}"
    return _module("ludus.compat.saiblo.bot_as_ai", game, game.name, inside, files=bot.recipe.files)


def _bot_of(spec: str) -> tuple[Game, Source, Path]:
    """The game, the bot and its file, from ``GAME/BOT``."""
    name, slash, bot = spec.partition("/")
    if not slash:
        raise LudusError(
            f"{BOT_OF}{spec} should be {BOT_OF}GAME/BOT", f"{BOT_OF}{spec} 应写作 {BOT_OF}游戏/AI"
        )
    game = get(name)
    source = find(bot, game)
    if source.path is None:
        raise LudusError(
            f"{bot} is not a Python bot; only those play for a judger so far",
            f"{bot} 不是 Python AI；目前只有 Python AI 能在裁判程序中对局",
        )
    return game, source, source.path


def find_bot(spec: str) -> Source | None:
    """``bot:reversi/greedy`` as a bot of a Saiblo game that talks in Ludus' words."""
    if not spec.startswith(BOT_OF):
        return None
    game, bot, path = _bot_of(spec.removeprefix(BOT_OF))
    program, needs = locate(sys.executable)
    run = (program, "-m", "ludus.compat.saiblo.bot_as_ai", game.name, f"{BOT}/{path.name}")
    return replace(bot, recipe=replace(bot.recipe, run=run, needs=needs, python=None))


def _module(module: str, game: Game, *words: str, files: object = None) -> Program:
    """A module of ours, run in a jail that shows our code, the game's, and the interpreter."""
    program, needs = locate(sys.executable)
    roots = {OURS, _root_of(game)}
    shown = outermost([*needs.values(), *roots])
    more = files if isinstance(files, dict) else {}
    folders = {IMPORTABLE if root == OURS else root.parent for root in roots}
    path = ":".join(sorted(map(str, folders)))
    argv = (program, "-m", module, *words)
    env = {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    return Program(argv=argv, files={**shown, **more}, cwd="/tmp", env=env)


def _root_of(game: Game) -> Path:
    """Where the package of a game lies."""
    module = type(game).__module__
    top = module.partition(".")[0]
    file = getattr(sys.modules.get(top), "__file__", None) or ludus.__file__
    return _root(top, Path(file))


def _root(name: str, file: Path) -> Path:
    return file.parent if file.name == "__init__.py" else file
