"""The bots one can play against: house bots, and bots given on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ludus.bots.resolve import BotSource, list_house_bots, resolve_bot, resolve_house_bot
from ludus.bots.rival_files import refuse_rival_files
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get_listed


class BotCatalogue:
    """Bots by game and name. A request can only name one of them, never bring another."""

    def __init__(self, entered: Iterable[tuple[str, str]] = ()) -> None:
        """``entered``: pairs of a game and a bot, as typed on the command line."""
        self._extra_bots: dict[str, dict[str, BotSource]] = {}
        for game, spec in entered:
            source = resolve_bot(spec, get_listed(game))
            self._extra_bots.setdefault(game, {})[source.name] = source
        for bots in self._extra_bots.values():
            refuse_rival_files(list(bots.values()))

    def list_files(self, game: Game) -> dict[str, Path | None]:
        """The bots of a game by name, those of the command line first: the file in which each is
        described, None for a program without one. No bot is resolved, which would read all."""
        extra = {name: bot.path for name, bot in self._extra_bots.get(game.name, {}).items()}
        house = list_house_bots(game)
        return {name: extra.get(name) or house.get(name) for name in (*extra, *house)}

    def find(self, name: str, game: Game) -> BotSource:
        if source := self._extra_bots.get(game.name, {}).get(name):
            return source
        names = self.list_files(game)
        if name in names:
            return resolve_house_bot(name, game)
        known = ", ".join(names)
        raise LudusError(
            f"there is no bot {name!r} of {game.name} here; there are: {known}",
            f"这里没有 {game.name} 的 AI {name!r}；现有：{known}",
        )
