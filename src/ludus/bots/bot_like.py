"""Bots as Python code names them: a name, a path, an object, a class or a function."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import pickle
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from ludus.bots.engine_bots import refuse_unsuitable
from ludus.bots.load import host_types
from ludus.bots.players.base import Player
from ludus.bots.players.create import create_player
from ludus.bots.players.local import LocalPlayer
from ludus.bots.protocol import PROTOCOL_NAME
from ludus.bots.resolve import BotSource, resolve_bot
from ludus.bots.rival_files import refuse_rival_files
from ludus.errors import LudusError
from ludus.games.base import ClockView, Game, Position
from ludus.games.host import Host
from ludus.sandbox import JailLevel


class MovingBot(Protocol):
    """An object with ``move``; it may also have ``start`` and ``end``, as bots in files have."""

    def move(self, position: Any, clock: ClockView) -> str:
        """Answer with one of the legal moves."""


BotLike = str | os.PathLike[str] | MovingBot | type[Any] | Callable[..., str]
"""The name of a house bot, a path, or Python code that runs in this process: an object with
``move(position, clock)``, a class of such objects (a new one for every bout), or a function of the
position, or of the position and the clock."""
ResolvedBot = BotSource | LocalPlayer
"""A program that was found, or a player in this process."""


class FunctionBot:
    """A function that answers with a move, as a bot."""

    def __init__(self, function: Callable[..., str]) -> None:
        self._function = function
        self._with_clock = _takes_clock(function)

    def move(self, position: Position, clock: ClockView) -> str:
        return self._function(position, clock) if self._with_clock else self._function(position)


def resolve_bots(
    bots: Sequence[BotLike], game: Game, options: Any, *, trust: bool = False
) -> list[ResolvedBot]:
    """What the caller names for each seat; LudusError if a bot is missing or unknown, or cannot
    play with these options.

    ``trust``: programs that are named by their commands run without a jail.
    """
    if len(bots) != len(game.seats):
        raise LudusError(
            f"{game.name} has {len(game.seats)} seats, so name {len(game.seats)} bots;"
            f" got {len(bots)}",
            f"{game.name} 有 {len(game.seats)} 个座位，请给出 {len(game.seats)} 个 AI；"
            f"得到 {len(bots)} 个",
        )
    resolved = [resolve_bot_like(bot, game, options, trust=trust) for bot in bots]
    refuse_rival_files([bot for bot in resolved if isinstance(bot, BotSource)])
    return resolved


def refuse_wrong_jail(jail: object) -> None:
    """LudusError for a level of jail that there is not, also where no bot needs a jail."""
    levels = [level.value for level in JailLevel]
    if jail is not None and jail not in levels:
        named = ", ".join(f'"{level}"' for level in levels)
        raise LudusError(
            f"jail is one of {named}, not {jail!r}", f"jail 只能是 {named} 之一，而不是 {jail!r}"
        )


def create_players(
    bots: Sequence[ResolvedBot], game: Game, isolate: bool | None, jail: str | None
) -> list[Player]:
    """The players of one match."""
    return [
        create_player(bot, game, isolate=isolate, jail=jail) if isinstance(bot, BotSource) else bot
        for bot in bots
    ]


def resolve_bot_like(bot: BotLike, game: Game, options: Any, *, trust: bool = False) -> ResolvedBot:
    """What the caller names for one seat."""
    if isinstance(bot, str | os.PathLike):
        found = resolve_bot(os.fspath(bot), game, trust=trust)
        refuse_unsuitable(os.fspath(bot), game, options)
        return found
    if game.turn_source or game.speaks != PROTOCOL_NAME:
        raise LudusError(
            f"the bots of {game.name} are programs of their own; name a file, not Python code",
            f"{game.name} 的 AI 是独立的程序；请给出文件，而不是 Python 代码",
        )
    host = _make_host(bot, game)
    name = getattr(bot, "__name__", None) or type(bot).__name__
    return LocalPlayer(name.strip("<>"), lambda: host, compute_bot_digest(bot))


def _make_host(bot: Any, game: Game) -> Host:
    if isinstance(bot, type):
        for kind in host_types(game):
            if kind.accepts(bot) and (kind is Host or kind.mark == bot.__name__):
                return kind(game, bot)
    elif Host.accepts(bot):
        return Host(game, lambda: bot)
    elif callable(bot):
        return Host(game, lambda: FunctionBot(bot))
    raise LudusError(
        f"{bot!r} is not a bot: expected a name, a path, a function, or a class or an object with"
        " move(position, clock)",
        f"{bot!r} 不是 AI：应为名字、路径、函数，或带有 move(position, clock) 的类或对象",
    )


def _takes_clock(function: Callable[..., str]) -> bool:
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return True
    except ValueError:  # a builtin that does not say what it takes
        return False
    return False


def compute_bot_digest(bot: Any) -> str:
    """SHA-256 of a Python bot's source and state; empty where either cannot be had.

    Bouts of bots without a digest are never taken for copies of each other.
    """
    plain = isinstance(bot, type) or inspect.isfunction(bot)
    if inspect.isfunction(bot) and bot.__closure__:
        return ""
    try:
        source = inspect.getsource(bot if plain else type(bot))
        state = b"" if plain else pickle.dumps(bot)
    except Exception:  # a bot's own code may run here, and fail in any way
        return ""
    return hashlib.sha256(source.encode() + state).hexdigest()


@contextlib.contextmanager
def keep_generators() -> Iterator[None]:
    """Restore the caller's global random generators, which bots in this process get seeded."""
    own = random.getstate()
    numpy = sys.modules.get("numpy")
    numbers = numpy.random.get_state() if numpy else None
    try:
        yield
    finally:
        random.setstate(own)
        if numpy and numbers is not None:
            numpy.random.set_state(numbers)
