"""No bot brings the files of another bot of the same match or contest into its jail.

A folder comes whole, and a file brings what it imports; either may hold a bot that somebody else
wrote, in a folder into which forty bots were collected.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from ludus.bots.resolve import Source
from ludus.errors import LudusError


def refuse_rivals_files(sources: Sequence[Source]) -> None:
    """A LudusError if one of them would see a file or folder that another one is."""
    for objection in rivals_files(sources):
        if objection is not None:
            raise objection


def rivals_files(sources: Sequence[Source]) -> list[LudusError | None]:
    """For each of those who play together what there is to say about it, if it sees another."""
    places = {place for source in sources for place in source.places}
    below: dict[Path, list[Path]] = defaultdict(list)
    for place in places:
        for above in (place, *place.parents):
            below[above].append(place)

    def rivals(source: Source) -> Iterable[Path]:
        for brought in source.brought:
            yield from below.get(brought, ())
            yield from places.intersection(brought.parents)

    return [_objection(source, rivals(source)) for source in sources]


def _objection(source: Source, rivals: Iterable[Path]) -> LudusError | None:
    """The same bot on two seats is no rival of itself, nor is a folder that it lies in.

    That folder, if it is a bot, holds this one and is refused itself; if a command names it, then
    a person has shown it to a program.
    """
    for rival in rivals:
        if not any(place.is_relative_to(rival) for place in source.places):
            shown = source.recipe.shown
            return LudusError(
                f"{shown} would see {rival}, which is another bot that plays here, and a bot must"
                " not see its opponent's files; give each bot a folder of its own",
                f"{shown} 会看到 {rival}，而它是同场的另一个 AI；AI 不得看到对手的文件："
                "请让每个 AI 有自己的文件夹",
            )
    return None
