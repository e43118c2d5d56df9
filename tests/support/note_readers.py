"""Who reads what a bot said, once its bout is stored as a server stores it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sql
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from ludus.bots.notes import SeatNotes, unpack_notes
from ludus.contest.bout_facts import extract_facts
from ludus.contest.model import Pairing
from ludus.games.registry import get
from ludus.match.record import pack, remove_traces
from ludus.match.series import SeriesBout, collect_outputs
from ludus.scheduling.bout_store import BoutStore, PlayedBout
from ludus.scheduling.schema import Base, BotRow, ContestRow, EntrantRow, UserRow
from ludus.server.accounts.identity import ANONYMOUS, ORGANISER, Identity
from ludus.server.records.bout_notes import FilmNotes, read_stored_notes
from ludus.timestamps import now

OWNER, RIVAL = Identity(1, "owner", "student"), Identity(2, "rival", "student")
OTHERS = (RIVAL, ANONYMOUS, Identity(3, "stranger", "student"), Identity(4, "olga", ORGANISER))


def read_as_owner(played: SeriesBout) -> SeatNotes:
    """The notes of the bot on the first seat, as its owner reads them on a server; fails if anybody
    else reads one, or if they are in the record."""
    with TemporaryDirectory() as folder, Session(_store_bout(played, Path(folder))) as session:
        mine = read_stored_notes(session, "bout-1", OWNER)
        assert list(mine.seats) == ["0"] and mine.seats["0"].notes
        (theirs,) = read_stored_notes(session, "bout-1", RIVAL).seats.items()
        assert theirs[0] == "1" and not theirs[1].notes
        for other in OTHERS[1:]:
            assert read_stored_notes(session, "bout-1", other) == FilmNotes({})
    found = unpack_notes(played.seat_notes(0))
    assert mine.seats["0"].notes == found.notes
    texts = [each.note.text for each in found.notes if each.note.text]
    assert not [text for text in texts[:9] if text in str(played.record)]
    return found


def _store_bout(played: SeriesBout, folder: Path) -> sql.Engine:
    """A database with one contest of two people's bots and this bout."""
    engine = sql.create_engine(f"sqlite:///{folder}/site.db", poolclass=NullPool)
    Base.metadata.create_all(engine)
    record, names = remove_traces(played.record), ("mine", "theirs")
    settings = {"game": record.game, "entrants": [{"bot": name, "name": name} for name in names]}
    common = {"game": record.game, "created_at": now()}
    with Session(engine) as session, session.begin():
        session.add(
            ContestRow(
                id=1, kind="contest", name="x", settings=settings, state="published", **common
            )
        )
        for id, name in enumerate(names, 1):
            login = {"role": "student", "password_hash": "", "created_at": now()}
            session.add(UserRow(id=id, name=name, name_key=name, **login))
            session.add(BotRow(id=id, name=name, name_key=name, user_id=id, **common))
            entrant = EntrantRow(contest_id=1, name=name, bot_id=id, created_at=now())
            session.add(entrant)
    facts = extract_facts(get(record.game), record, 0, names)
    bout = PlayedBout(Pairing("rr/1", names), facts, pack(record), collect_outputs(played))
    BoutStore(engine, 1).save_bouts([bout])
    return engine
