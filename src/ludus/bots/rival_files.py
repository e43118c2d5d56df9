"""Refuses bots whose files include another bot of the same match or contest.

A folder is copied into the jail with all its files, and a single file with its imports. Where many
bots are collected in one folder, either may include a bot of another author, whose code the bot
could then read or run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from ludus.bots.resolve import BotSource
from ludus.errors import LudusError


def refuse_rival_files(sources: Sequence[BotSource]) -> None:
    """LudusError if one of the bots would see a file or folder of another one."""
    for objection in find_rival_files(sources):
        if objection is not None:
            raise objection


def find_rival_files(sources: Sequence[BotSource]) -> list[LudusError | None]:
    """For each bot the error, if it would see another one; else None."""
    places = {place for source in sources for place in source.named_paths}
    below: dict[Path, list[Path]] = defaultdict(list)
    for place in places:
        for above in (place, *place.parents):
            below[above].append(place)

    def rivals(source: BotSource) -> Iterable[Path]:
        for path in source.extra_paths:
            yield from below.get(path, ())
            yield from places.intersection(path.parents)

    return [_find_objection(source, rivals(source)) for source in sources]


def _find_objection(source: BotSource, rivals: Iterable[Path]) -> LudusError | None:
    """The error for the first rival that is not the bot itself or a folder around it.

    The same bot on two seats is not its own rival. A folder around the bot is not either: if it is
    a bot, it contains this one and is itself refused; if a command names it, the user has made it
    visible on purpose.
    """
    for rival in rivals:
        if not any(place.is_relative_to(rival) for place in source.named_paths):
            shown = source.build_spec.display_name
            return LudusError(
                f"{shown} would see {rival}, which is another bot of this match or contest, and a"
                " bot must not see its opponent's files; give each bot a folder of its own",
                f"{shown} 会看到 {rival}，而那是同场的另一个 AI；AI 不得看到对手的文件："
                "请让每个 AI 有自己的文件夹",
            )
    return None
