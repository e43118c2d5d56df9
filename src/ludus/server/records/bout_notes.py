"""What bots said about their moves, for those who may read it.

Notes are stored with a bot's output, and the same rule holds for both: only the owners of the bot
see them. Notes have one exception: an owner may show those of a bot to everyone.
"""

from __future__ import annotations

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.bots.notes import MAX_BOUT_NOTES_BYTES, SeatNotes, StepNote, unpack_notes
from ludus.lang import Text
from ludus.match.note_files import NotesFile
from ludus.scheduling.bout_store import unpack_output
from ludus.scheduling.schema import BotRow, SeatRow
from ludus.server.accounts.identity import Identity
from ludus.server.bots import bots
from ludus.server.database import Database
from ludus.server.records import played_bouts


class SeatNotesInfo(msgspec.Struct):
    """The notes of the bot on one seat."""

    notes: list[StepNote]
    left_out: Text | None
    """A sentence about notes that were not kept; null if all were."""
    public: bool
    """Whether the bot's owner shows them to everyone."""


class FilmNotes(msgspec.Struct):
    """The notes of a bout that one may read."""

    seats: dict[str, SeatNotesInfo]
    """By seat."""


def describe_notes(found: SeatNotes, *, public: bool = False) -> SeatNotesInfo:
    """Notes with a sentence about those that were left out."""
    return SeatNotesInfo(found.notes, _describe_left_out(found.left_out), public)


def _describe_left_out(count: int) -> Text | None:
    if not count:
        return None
    most = MAX_BOUT_NOTES_BYTES >> 10
    return Text(
        f"{count} later notes were left out: a bout keeps at most {most} KB of notes for each bot.",
        f"其后的 {count} 条注记未保留：每局每个 AI 最多保留 {most} KB 注记。",
    )


def read_saved_notes(
    found: NotesFile | None, database: Database | None, identity: Identity
) -> FilmNotes:
    """The notes beside a saved record that ``identity`` may read. Without a ``database`` the server
    has a single user, who owns all bots."""
    if found is None:
        return FilmNotes({})
    if database is None:
        return FilmNotes({str(seat): describe_notes(each) for seat, each in enumerate(found.seats)})
    if not any(found.bots) or not database.exists():
        return FilmNotes({})
    with database.reading() as session:
        return _select_readable_notes(session, found, identity)


def _select_readable_notes(session: Session, found: NotesFile, identity: Identity) -> FilmNotes:
    readable: dict[str, SeatNotesInfo] = {}
    for seat, (said, id) in enumerate(zip(found.seats, found.bots, strict=False)):
        bot = session.get(BotRow, id) if id is not None else None
        if bot is not None and (bot.public_notes or bots.owns(bot, identity)):
            readable[str(seat)] = describe_notes(said, public=bot.public_notes)
    return FilmNotes(readable)


def read_stored_notes(session: Session, film: str, identity: Identity) -> FilmNotes:
    """The notes of a stored bout that ``identity`` may read; NotFound if the bout is not visible
    to them. Bouts of checks keep none."""
    kind, *numbers = film.split("-")
    if kind != "bout":
        bots.get_owned_version(session, int(numbers[0]), identity)
        return FilmNotes({})
    bout, contest = played_bouts.get_visible_bout(session, int(numbers[0]), identity)
    cast = played_bouts.EntrantBots(session, [contest.id], bout.names)
    readable: dict[int, bool] = {}
    for seat, name in enumerate(bout.names):
        bot = cast.find_bot(contest.id, name)
        if bot is not None and (bot.public_notes or bots.owns(bot, identity)):
            readable[seat] = bot.public_notes
    query = sql.select(SeatRow).where(SeatRow.bout_id == bout.id, SeatRow.seat.in_(readable))
    return FilmNotes(
        {
            str(row.seat): describe_notes(
                unpack_notes(unpack_output(row.output)["notes"]), public=readable[row.seat]
            )
            for row in session.scalars(query)
        }
    )
