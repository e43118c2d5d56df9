"""The bouts of one contest in its database.

The result of a bout, its record, its journal entry and (on an endless ladder) the totals of its
pair are written in one transaction. A bout counts once: a unique index over contest, match and
number makes a second insert a no-op, and ``save_bouts`` reports it. That is what makes a scheduler
that was killed safe to restart: bouts that are played again do no harm.
"""

from __future__ import annotations

import functools
import gzip
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ludus.contest.bout_facts import BoutFacts, parse_facts
from ludus.contest.formats import Ladder
from ludus.contest.ladder_tallies import LadderTallies
from ludus.contest.model import Pairing
from ludus.contest.settings import ContestSettings
from ludus.lang import Text
from ludus.scheduling.contest_rows import (
    INSERT_JOURNAL,
    add_journal_row,
    increment_changes,
    make_journal_row,
    parse_settings,
)
from ludus.scheduling.database import (
    DatabaseDamaged,
    describe_database,
    translate_database_errors,
)
from ludus.scheduling.schema import (
    Base,
    BoutRow,
    ContestRow,
    EntrantRow,
    MatchRow,
    RecordRow,
    SeatRow,
)
from ludus.scheduling.schema.contests import LOCAL
from ludus.scheduling.seat_facts import make_seat_facts
from ludus.scheduling.tally_store import TalliedBout, TallyStore

INSERT_RECORD = sql.insert(Base.metadata.tables["records"])
INSERT_SEAT = sql.insert(Base.metadata.tables["seats"])
MAX_RECENT_LADDER_BOUTS = 1000
"""The bouts of unfinished matches are looked for among so many of a ladder's latest bouts."""
MAX_REMEMBERED_MATCHES = 10_000
"""The most match ids that a store remembers as stored already."""
Cast = dict[str, tuple[int | None, int | None]]
"""The uploaded bot and the version of each entrant; None and None for a house bot."""
_COLUMNS = {"began": "began_at"}
"""The columns of ``BoutRow`` that are not called as the facts they hold."""


@dataclass(frozen=True, slots=True)
class PlayedBout:
    """A played bout that is to be stored."""

    pairing: Pairing
    facts: BoutFacts
    record: bytes
    outputs: tuple[dict[str, str], ...] = ()
    """The output, traceback and notes of each seat, for its owner; only the notes where bots have
    no owners."""


class SavedBouts(NamedTuple):
    """What became of bouts that were to be stored."""

    new: list[bool]
    """For each whether it is new; False: it was stored already."""
    tallies: LadderTallies
    """What they add to the totals of an endless ladder; of other contests nothing."""


class BoutStore:
    """Saves and loads the bouts of one contest. Thread-safe."""

    def __init__(self, engine: sql.Engine, contest_id: int) -> None:
        self.engine = engine
        self.contest_id = contest_id
        self._matches: set[str] = set()
        """Matches that are in the database already."""
        self._cast: Cast = {}
        kind = postgresql if engine.dialect.name == "postgresql" else sqlite
        self._insert_match = kind.insert(Base.metadata.tables["matches"]).on_conflict_do_nothing()
        self._insert_bout = (
            kind.insert(Base.metadata.tables["bouts"])
            .on_conflict_do_nothing()
            .returning(BoutRow.id)
        )
        self._tallies = TallyStore(contest_id, engine.dialect.name)

    def settings(self) -> ContestSettings:
        """The settings under which it is played or, before its start, will be."""
        with translate_database_errors(), Session(self.engine) as session:
            return parse_settings(session.get_one(ContestRow, self.contest_id))

    @functools.cached_property
    def private(self) -> bool:
        """Whether bots have owners, who alone may see their output."""
        query = sql.select(ContestRow.kind).where(ContestRow.id == self.contest_id)
        with translate_database_errors(), self.engine.connect() as connection:
            return bool(connection.execute(query).scalar_one() != LOCAL)

    @functools.cached_property
    def keeps_tallies(self) -> bool:
        """Whether it is an endless ladder, for which totals per pair are kept."""
        form = self.settings().format
        return isinstance(form, Ladder) and form.endless

    def save_bouts(self, bouts: Sequence[PlayedBout]) -> SavedBouts:
        """Store bouts, all or none; those that are stored already do not count again."""
        tallied, tallies = self.keeps_tallies, LadderTallies()
        with translate_database_errors(), self.engine.begin() as connection:
            matches = {each.pairing.id: each.pairing for each in bouts}
            new = [pairing for id, pairing in matches.items() if id not in self._matches]
            if new:
                connection.execute(self._insert_match, [self._make_match_row(p) for p in new])
            copied = [False] * len(bouts)
            if tallied:
                copied = self._tallies.find_copies(connection, [each.facts for each in bouts])
            rows = [self._make_bout_row(*each) for each in zip(bouts, copied, strict=True)]
            ids = [connection.execute(self._insert_bout, row).scalar() for row in rows]
            kept = [pair for pair in zip(ids, bouts, strict=True) if pair[0] is not None]
            if kept:
                connection.execute(
                    INSERT_RECORD, [{"bout_id": id, "data": each.record} for id, each in kept]
                )
                if tallied:
                    new_bouts = [
                        TalliedBout(id, each.pairing, each.facts, copy)
                        for id, each, copy in zip(ids, bouts, copied, strict=True)
                        if id is not None
                    ]
                    tallies = self._tallies.add_bouts(connection, new_bouts)
                else:  # the bouts of a ladder are its journal
                    connection.execute(
                        INSERT_JOURNAL, [self._make_bout_journal_row(each) for _, each in kept]
                    )
            cast = self._load_cast(connection, [each for _, each in kept]) if self.private else {}
            seats = [row for id, each in kept for row in self._make_seat_rows(id, each, cast)]
            if seats:
                connection.execute(INSERT_SEAT, seats)
        if len(self._matches) > MAX_REMEMBERED_MATCHES:
            self._matches.clear()
        self._matches |= matches.keys()
        return SavedBouts([id is not None for id in ids], tallies)

    def _load_cast(self, connection: sql.Connection, bouts: Sequence[PlayedBout]) -> Cast:
        """The bots of the entrants who played. They never change once an entrant plays, so each is
        read once."""
        cast = self._cast
        if len(cast) > MAX_REMEMBERED_MATCHES:
            cast = self._cast = {}
        if missing := {name for each in bouts for name in each.facts.names} - cast.keys():
            query = sql.select(EntrantRow.name, EntrantRow.bot_id, EntrantRow.version_id).where(
                EntrantRow.contest_id == self.contest_id, EntrantRow.name.in_(missing)
            )
            cast |= {name: (bot, version) for name, bot, version in connection.execute(query)}
        return cast

    def _make_seat_rows(
        self, bout_id: int | None, each: PlayedBout, cast: Cast
    ) -> Iterator[dict[str, Any]]:
        """A row for each seat; where bots have no owners, for those with notes only."""
        facts = each.facts
        outputs = each.outputs or ({},) * len(facts.names)
        seats = make_seat_facts(facts.scores, facts.faults, facts.began, facts.wall)
        rows = zip(facts.names, outputs, seats, strict=True)
        for seat, (name, output, searched) in enumerate(rows):
            packed = pack_output(output)
            if packed is None and not self.private:
                continue
            bot_id, version_id = cast.get(name, (None, None))
            yield {
                "bout_id": bout_id,
                "seat": seat,
                "contest_id": self.contest_id,
                "name": name,
                "bot_id": bot_id,
                "version_id": version_id,
                "output": packed,
                "void": False,
                **searched._asdict(),
            }

    def _make_match_row(self, pairing: Pairing) -> dict[str, Any]:
        return {
            "contest_id": self.contest_id,
            "id": pairing.id,
            "entrants": list(pairing.entrants),
            "stage": pairing.stage,
            "round": pairing.round,
            "title": dict(pairing.title),
        }

    def _make_bout_row(self, each: PlayedBout, copied: bool) -> dict[str, Any]:
        values: dict[str, Any] = msgspec.to_builtins(each.facts)
        for name, column in _COLUMNS.items():
            values[column] = values.pop(name)
        values |= {"contest_id": self.contest_id, "match_id": each.pairing.id}
        return {**values, "copied": copied, "void": False}

    def _make_bout_journal_row(self, each: PlayedBout) -> dict[str, Any]:
        facts = each.facts
        detail = {"match": each.pairing.id, "number": facts.number, "scores": list(facts.scores)}
        return make_journal_row(self.contest_id, "bout", detail)

    def load_bouts(self) -> list[tuple[Pairing, BoutFacts]]:
        """All bouts that count."""
        return self.load_bouts_since(0)[1]

    def load_bouts_since(self, mark: int) -> tuple[int, list[tuple[Pairing, BoutFacts]]]:
        """The counting bouts that were stored after a mark, and the next mark.

        Bouts that were voided in the meantime show only in ``ContestStore.changes``.
        """
        counting = sql.select(BoutRow).where(
            BoutRow.contest_id == self.contest_id, BoutRow.id > mark, sql.not_(BoutRow.void)
        )
        with translate_database_errors(), Session(self.engine) as session:
            rows = session.scalars(counting.order_by(BoutRow.id)).all()
            # Read after the bouts: matches are stored first, so every bout's match is found.
            matches = self._load_pairings(session) if rows else {}
            bouts = [(matches[row.match_id], self._parse_facts_row(row)) for row in rows]
            return (rows[-1].id if rows else mark), bouts

    def load_tallies(self) -> LadderTallies:
        """The totals of an endless ladder's pairs in which at least one entrant still plays."""
        with translate_database_errors(), self.engine.connect() as connection:
            return self._tallies.load(connection)

    def load_unfinished_bouts(self) -> list[tuple[Pairing, BoutFacts]]:
        """Bouts of a ladder's matches that are not over, among its latest ones."""
        counting = (BoutRow.contest_id == self.contest_id, sql.not_(BoutRow.void))
        latest = sql.select(BoutRow.match_id).where(*counting).order_by(BoutRow.id.desc())
        rules = self.settings().match
        with translate_database_errors(), Session(self.engine) as session:
            seen = Counter(session.scalars(latest.limit(MAX_RECENT_LADDER_BOUTS)))
            open_ = [match for match, count in seen.items() if count < rules.bouts]
            rows = session.scalars(
                sql.select(BoutRow).where(*counting, BoutRow.match_id.in_(open_))
            ).all()
            whole = Counter(row.match_id for row in rows)
            matches = self._load_pairings(session, open_)
            return [
                (matches[row.match_id], self._parse_facts_row(row))
                for row in rows
                if whole[row.match_id] < rules.bouts
            ]

    def _parse_facts_row(self, row: BoutRow) -> BoutFacts:
        """Parse a row; DatabaseDamaged if it is invalid (the file may have been edited)."""
        try:
            columns = (_COLUMNS.get(name, name) for name in BoutFacts.__struct_fields__)
            values = (getattr(row, column) for column in columns)
            return parse_facts(dict(zip(BoutFacts.__struct_fields__, values, strict=True)))
        except (msgspec.ValidationError, ValueError) as error:
            raise DatabaseDamaged(
                f"{describe_database(self.engine)}: bout {row.number} of match"
                f" {row.match_id} is damaged:"
                f" {error}",
                f"{describe_database(self.engine)}：比赛 {row.match_id} 的第 {row.number}"
                f" 局已损坏：{error}",
            ) from None

    def _load_pairings(
        self, session: Session, chosen: Sequence[str] | None = None
    ) -> dict[str, Pairing]:
        known = sql.select(MatchRow).where(MatchRow.contest_id == self.contest_id)
        if chosen is not None:
            known = known.where(MatchRow.id.in_(chosen))
        return {row.id: self._parse_pairing_row(row) for row in session.scalars(known)}

    def _parse_pairing_row(self, row: MatchRow) -> Pairing:
        try:
            entrants = msgspec.convert(row.entrants, tuple[str, ...])
            title = msgspec.convert(row.title, dict[str, str])
        except msgspec.ValidationError as error:
            place = describe_database(self.engine)
            raise DatabaseDamaged(
                f"{place}: match {row.id} is damaged: {error}",
                f"{place}：比赛 {row.id} 已损坏：{error}",
            ) from None
        return Pairing(row.id, entrants, row.stage, row.round, Text.of(title))

    def iterate_records(self) -> Iterator[tuple[str, int, bytes]]:
        """Match, number and packed record of every bout that counts."""
        query = (
            sql.select(BoutRow.match_id, BoutRow.number, RecordRow.data)
            .join(RecordRow, RecordRow.bout_id == BoutRow.id)
            .where(BoutRow.contest_id == self.contest_id, sql.not_(BoutRow.void))
            .order_by(BoutRow.id)
        )
        with translate_database_errors(), self.engine.connect() as connection:
            for match, number, data in connection.execute(query):
                yield match, number, bytes(data)

    def load_notes(self, match: str, number: int, seats: int) -> list[str]:
        """The packed notes of each seat in a bout that counts; empty for bots that said nothing."""
        query = (
            sql.select(SeatRow.seat, SeatRow.output)
            .join(BoutRow, BoutRow.id == SeatRow.bout_id)
            .where(
                BoutRow.contest_id == self.contest_id,
                BoutRow.match_id == match,
                BoutRow.number == number,
                sql.not_(BoutRow.void),
            )
        )
        with translate_database_errors(), self.engine.connect() as connection:
            found = {seat: unpack_output(data)["notes"] for seat, data in connection.execute(query)}
        return [found.get(seat, "") for seat in range(seats)]

    def void_bouts(self, chosen: Iterable[tuple[str, int]], why: str) -> int:
        """Void bouts that are to be played again: they stay in the database but do not count."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            return self.void_bouts_in_session(session, chosen, why)

    def void_bouts_in_session(
        self, session: Session, chosen: Iterable[tuple[str, int]], why: str
    ) -> int:
        """Like ``void_bouts``, as a part of the caller's transaction."""
        count = 0
        for match, number in chosen:
            query = sql.select(BoutRow).where(
                BoutRow.contest_id == self.contest_id,
                BoutRow.match_id == match,
                BoutRow.number == number,
                sql.not_(BoutRow.void),
            )
            for row in session.scalars(query.with_for_update()):
                row.void = True
                session.execute(
                    sql.update(SeatRow).where(SeatRow.bout_id == row.id).values(void=True)
                )
                count += 1
                if self.keeps_tallies:
                    self._tallies.remove_bout(session, row, self._parse_facts_row(row))
        add_journal_row(session, self.contest_id, "voided", {"bouts": count, "why": why})
        increment_changes(session, self.contest_id)
        return count


def pack_output(output: Mapping[str, str]) -> bytes | None:
    """Compress a bot's output for the database; None if it is empty."""
    if not any(output.values()):
        return None
    return gzip.compress(msgspec.json.encode(dict(output)), 6, mtime=0)


def unpack_output(data: bytes | None) -> dict[str, str]:
    """The ``stdout``, ``stderr``, ``trace`` and ``notes`` that ``pack_output`` compressed."""
    empty = {"stdout": "", "stderr": "", "trace": "", "notes": ""}
    if data is None:
        return empty
    return {**empty, **msgspec.json.decode(gzip.decompress(data), type=dict[str, str])}
