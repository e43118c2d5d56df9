"""The bots that people may play against: the house's, and those the server was started with."""

from __future__ import annotations

from collections.abc import Iterable

from ludus.bots import engine_bots
from ludus.bots.resolve import Source, find, find_house
from ludus.bots.rival_files import refuse_rivals_files
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import listed


class Stable:
    """Bots by game and name. No request can bring another: it names one of these."""

    def __init__(self, entered: Iterable[tuple[str, str]] = ()) -> None:
        """``entered``: pairs of a game and a bot, as a person types them on the command line."""
        self._entered: dict[str, dict[str, Source]] = {}
        for game, spec in entered:
            source = find(spec, listed(game))
            self._entered.setdefault(game, {})[source.name] = source
        for bots in self._entered.values():
            refuse_rivals_files(list(bots.values()))

    def names(self, game: Game) -> list[str]:
        """Those of a game; the entered ones first."""
        house = [*game.bots(), *engine_bots.paths(game)]
        return list(dict.fromkeys([*self._entered.get(game.name, {}), *house]))

    def find(self, name: str, game: Game) -> Source:
        if source := self._entered.get(game.name, {}).get(name):
            return source
        if name in self.names(game):
            return find_house(name, game)
        known = ", ".join(self.names(game))
        raise LudusError(
            f"there is no bot {name!r} of {game.name} here; there are: {known}",
            f"这里没有 {game.name} 的 AI {name!r}；现有：{known}",
        )
