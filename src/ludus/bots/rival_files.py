"""No bot brings the files of another bot of the same match or contest into its jail.

A folder comes whole, and a file brings what it imports; either may hold a bot that somebody else
wrote, in a folder into which forty bots were collected.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from ludus.bots.resolve import BotSource
from ludus.errors import LudusError


def refuse_rival_files(sources: Sequence[BotSource]) -> None:
    """A LudusError if one of them would see a file or folder that another one is."""
    for objection in find_rival_files(sources):
        if objection is not None:
            raise objection


def find_rival_files(sources: Sequence[BotSource]) -> list[LudusError | None]:
    """For each of those who play together what there is to say about it, if it sees another."""
    places = {place for source in sources for place in source.named_paths}
    below: dict[Path, list[Path]] = defaultdict(list)
    for place in places:
        for above in (place, *place.parents):
            below[above].append(place)

    def rivals(source: BotSource) -> Iterable[Path]:
        for brought in source.extra_paths:
            yield from below.get(brought, ())
            yield from places.intersection(brought.parents)

    return [_find_objection(source, rivals(source)) for source in sources]


def _find_objection(source: BotSource, rivals: Iterable[Path]) -> LudusError | None:
    """The same bot on two seats is no rival of itself, nor is a folder that it lies in.

    That folder, if it is a bot, holds this one and is refused itself; if a command names it, then
    a person has shown it to a program.
    """
    for rival in rivals:
        if not any(place.is_relative_to(rival) for place in source.named_paths):
            shown = source.build_spec.display_name
            return LudusError(
                f"{shown} would see {rival}, which is another bot that plays here, and a bot must"
                " not see its opponent's files; give each bot a folder of its own",
                f"{shown} 会看到 {rival}，而它是同场的另一个 AI；AI 不得看到对手的文件："
                "请让每个 AI 有自己的文件夹",
            )
    return None
