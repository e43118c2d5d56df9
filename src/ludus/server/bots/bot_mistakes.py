"""Find my mistakes: where a bot loses most, over its last bouts, for its owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


class MistakeSummary(msgspec.Struct, frozen=True):
    """What was found in the bouts of a bot."""

    found: BotMistakes
    mistakes: int
    positions: bytes
    """A file of test positions."""


def list_films(
    session: Session, bot: BotRow, identity: Identity
) -> tuple[list[str], dict[str, list[int]]]:
    """The films of the bot's last bouts, and its seats in each."""
    page = search_bouts(session, identity, BoutFilters(), None, MAX_BATCH_BOUTS, bot_ids=[bot.id])
    seats = {bout.film: _seats_in(bout, bot.id) for bout in page.items if not bout.void}
    return list(seats), seats


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


def describe(batch: AnalysisBatch[MistakeSummary] | None) -> BotMistakesInfo:
    """What the owner is told."""
    if batch is None:
        return BotMistakesInfo(progress=BatchProgress())
    if batch.summary is None:
        return BotMistakesInfo(progress=batch.progress)
    return BotMistakesInfo(
        progress=batch.progress, found=batch.summary.found, mistakes=batch.summary.mistakes
    )
