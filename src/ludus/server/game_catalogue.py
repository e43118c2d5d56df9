"""The games as the API lists them."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus.bots.describe import read_description
from ludus.bots.engine_bots import describe_engine_level
from ludus.bots.house_titles import house_bot_title
from ludus.errors import LudusError
from ludus.games.base import Game, option_title
from ludus.games.registry import get_listed, names, sample_names
from ludus.lang import Text
from ludus.server import game_guides
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.game_schemas import GameInfo, GameOption, GameTable, HouseBotInfo


def list_games(bot_catalogue: BotCatalogue) -> list[GameInfo]:
    """Every game that can be loaded."""
    found = []
    for name in (*names(), *sample_names()):
        try:
            found.append(describe(get_listed(name), bot_catalogue))
        except LudusError:
            continue
    return found


def describe(game: Game, bot_catalogue: BotCatalogue) -> GameInfo:
    """One game: its options, its clock and the bots one can play against."""
    return GameInfo(
        name=game.name,
        title=game.title,
        about=game_guides.find_guide(game).about,
        seats=list(game.seats),
        hidden=game.hidden,
        version=game.version,
        options=[_describe_option(field) for field in dataclasses.fields(game.Options)],
        clock=game.clock,
        practice=not game.turn_source,
        casual=dict(game.casual),
        implied={
            option: {value: dict(meant) for value, meant in meanings.items()}
            for option, meanings in game.implied.items()
        },
        tables=[_describe_table(game.for_players(count)) for count in game.players],
        bots=[
            _describe_bot(name, path, game) for name, path in bot_catalogue.list_files(game).items()
        ],
    )


def _describe_table(game: Game) -> GameTable:
    return GameTable(game.name, list(game.seats))


def _describe_bot(name: str, path: Path | None, game: Game) -> HouseBotInfo:
    title, level = house_bot_title(name), game.levels.get(name)
    if (described := describe_engine_level(name)) is not None:
        return HouseBotInfo(name, title, described, level)
    description = _read_description(path) if path else Text("", "")
    return HouseBotInfo(name, title, description, level)


def _read_description(path: Path) -> Text:
    """Read it anew only if the file has changed: every page of the site asks for all games."""
    try:
        found = path.stat()
    except OSError:
        return Text("", "")
    return _read_version(path, found.st_mtime_ns, found.st_size)


@lru_cache(1000)
def _read_version(path: Path, changed_ns: int, size: int) -> Text:
    return read_description(path)


def _describe_option(field: dataclasses.Field[Any]) -> GameOption:
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    about = field.metadata
    choices = about.get("choices")
    return GameOption(
        name=field.name,
        type=type(field.default).__name__,
        default=default,
        low=about.get("low"),
        high=about.get("high"),
        choices=list(choices) if choices is not None else None,
        help=about["help"],
        title=option_title(field),
        value_names=about.get("value_names", {}),
    )
