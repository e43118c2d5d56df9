"""What people call the bots that come with the games."""

from __future__ import annotations

import re
from functools import cache

from ludus.lang import Text

HOUSE_TITLES: dict[str, Text] = {
    "random": Text("Random moves", "随机"),
    "greedy": Text("One move ahead", "贪心"),
    "two_ply": Text("Two moves ahead", "看两步"),
    "alphabeta": Text("Deep search", "深度搜索"),
    "strong": Text("Strong search", "强力搜索"),
    "patterns": Text("Pattern network", "图案网络"),
    "go_round": Text("Careful circles", "稳健圈地"),
    "hunter": Text("Hunter", "猎手"),
    "corners": Text("Corner taker", "占角"),
    "narrow": Text("Few ways out", "步步紧逼"),
    "saver": Text("Wild-card saver", "省牌"),
    "dice": Text("Random moves", "随机"),
    "search": Text("Random playouts", "随机推演"),
    "learned": Text("Neural network", "神经网络"),
}
LEVEL_TITLES: dict[str, Text] = {
    "easy": Text("easy", "入门"),
    "normal": Text("normal", "普通"),
    "hard": Text("hard", "困难"),
}


ENGINE_LEVEL = re.compile(r"(?P<engine>\w+):(?P<level>\w+)")
REPEATED = re.compile(r"(?P<name>.+?)(?P<number> \(\d+\)|#\d+)?")
"""A contest on a server calls the second entrant of a name ``greedy (2)``; one that is run from the
command line calls them ``greedy#1``, ``greedy#2``."""


def house_bot_title(name: str) -> Text:
    """``learned:easy`` is "Neural network, easy"; a bot that is not known keeps its name."""
    known = HOUSE_TITLES.get(name)
    if known is not None:
        return known
    found = ENGINE_LEVEL.fullmatch(name)
    if found and (kind := HOUSE_TITLES.get(found["engine"])):
        level = found["level"]
        if level in LEVEL_TITLES or level.isdecimal():
            strength = LEVEL_TITLES.get(level, Text(level, level))
            return Text(f"{kind.en}, {strength.en}", f"{kind.zh}（{strength.zh}）")
    return Text(name, name)


def entrant_title(name: str) -> Text:
    """What people call an entrant of a contest: ``greedy (2)`` is "One move ahead (2)"; bots of
    others keep their names."""
    parts = REPEATED.fullmatch(name)
    if parts is None:
        return Text(name, name)
    again = parts["number"] or ""
    return house_bot_title(parts["name"]).map(lambda title: title + again)


@cache
def list_house_titles() -> dict[str, Text]:
    """All house bots by name, each level of an engine that has levels under its own."""
    levels = (f"learned:{level}" for level in LEVEL_TITLES)
    return {name: house_bot_title(name) for name in (*HOUSE_TITLES, *levels)}


def find_house_names(words: str) -> list[str]:
    """The house bots whose title begins with these words, in either language."""
    key = words.casefold()
    return [
        name
        for name, title in list_house_titles().items()
        if title.en.casefold().startswith(key) or title.zh.startswith(key)
    ]


def name_by_title(title: str) -> str:
    """The name of the entrant that people know by this title: ``greedy (2)`` for "One move ahead
    (2)". Other names are returned as they are."""
    parts = REPEATED.fullmatch(title)
    if parts is None:
        return title
    key = parts["name"].casefold()
    for name, known in list_house_titles().items():
        if key in (known.en.casefold(), known.zh):
            return name + (parts["number"] or "")
    return title


def is_house_name(name: str) -> bool:
    """Whether this is the name or the title of a house bot, so that no other bot may have it."""
    return name.casefold() in list_house_titles() or name_by_title(name) != name
