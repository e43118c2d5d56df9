"""Find my mistakes: where a bot loses most, over its last bouts, for its owner."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
from sqlalchemy.orm import Session

from ludus.analysis.bot_mistakes import (
    AnalysedRecord,
    BotMistakes,
    find_bot_mistakes,
    list_test_positions,
)
from ludus.analysis.test_positions import encode_test_positions
from ludus.games.registry import get
from ludus.scheduling.schema import BotRow
from ludus.server.accounts.identity import Identity
from ludus.server.records.analysis_batches import (
    MAX_BATCH_BOUTS,
    AnalysisBatch,
    BatchProgress,
    BoutOfBatch,
)
from ludus.server.records.bout_filters import BoutFilters
from ludus.server.records.bout_schemas import BoutInfo
from ludus.server.records.bout_search import search_bouts

MAX_LISTED_MISTAKES = 100
MAX_TEST_POSITIONS = 200


class BotMistakesInfo(msgspec.Struct, kw_only=True):
    """How far the search for a bot's mistakes is, and what it has found so far."""

    progress: BatchProgress
    found: BotMistakes | None = None
    """The ``record`` of a mistake is the id of the bout's film. At most 100 mistakes are listed."""
    mistakes: int = 0
    """How many there are."""
    versions: list[int] = []
    """The versions of the bot that played in the bouts looked at, the newest last."""
    newer_bouts: int = 0
    """Bouts that were played since and that were not looked at."""


@dataclass(frozen=True, slots=True)
class BotFilms:
    """The last bouts of a bot."""

    films: list[str]
    """Their films, the newest first."""
    seats: dict[str, list[int]]
    """The seats of the bot in each."""
    versions: dict[str, list[int]]
    """The versions that sat there."""


class MistakeSummary(msgspec.Struct, frozen=True):
    """What was found in the bouts of a bot."""

    found: BotMistakes
    mistakes: int
    positions: bytes
    """A file of test positions."""


def list_films(session: Session, bot: BotRow, identity: Identity) -> BotFilms:
    """The films of the bot's last bouts."""
    page = search_bouts(session, identity, BoutFilters(), None, MAX_BATCH_BOUTS, bot_ids=[bot.id])
    seats = {bout.film: _seats_in(bout, bot.id) for bout in page.items if not bout.void}
    versions = {
        bout.film: [
            version.number
            for seat in seats[bout.film]
            if (version := bout.players[seat].version) is not msgspec.UNSET
        ]
        for bout in page.items
        if bout.film in seats
    }
    return BotFilms(list(seats), seats, versions)


def _seats_in(bout: BoutInfo, bot_id: int) -> list[int]:
    return [
        seat
        for seat, player in enumerate(bout.players)
        if player.bot is not msgspec.UNSET and player.bot.id == bot_id
    ]


def summarise(
    judged: Sequence[BoutOfBatch], seats: Mapping[str, list[int]], bot: str, game: str
) -> MistakeSummary:
    """The mistakes of a bot in judged bouts."""
    bouts = [
        AnalysedRecord(each.film, each.record, each.analysis, seats[each.film]) for each in judged
    ]
    found = find_bot_mistakes(bot, bouts, get(game))
    listed = msgspec.structs.replace(found, mistakes=found.mistakes[:MAX_LISTED_MISTAKES])
    positions = encode_test_positions(list_test_positions(bouts, bot, MAX_TEST_POSITIONS))
    return MistakeSummary(listed, len(found.mistakes), positions)


def describe(
    batch: AnalysisBatch[MistakeSummary] | None, played: BotFilms | None = None
) -> BotMistakesInfo:
    """What the owner is told. ``played``: the bot's last bouts by now."""
    if batch is None:
        return BotMistakesInfo(progress=BatchProgress())
    if batch.summary is None:
        return BotMistakesInfo(progress=batch.progress)
    told = BotMistakesInfo(
        progress=batch.progress, found=batch.summary.found, mistakes=batch.summary.mistakes
    )
    if played is not None:
        looked_at = set(batch.films)
        numbers = (n for film in looked_at for n in played.versions.get(film, ()))
        told.versions = sorted(set(numbers))
        # An older bout may follow those looked at, where one of them does not count any more.
        newer = itertools.takewhile(lambda film: film not in looked_at, played.films)
        told.newer_bouts = len(list(newer))
    return told
