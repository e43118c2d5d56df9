"""The totals of an endless ladder in its database, which are written with every bout.

All of this runs inside the transactions of ``BoutStore``. What counts as a copy is described in
``ludus.contest.ladder_tallies``; an index over contest, start and moves answers it, so that the
effort does not grow with the number of bouts.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ludus.contest.bout_facts import BoutFacts
from ludus.contest.ladder_tallies import (
    TALLY_COUNTS,
    LadderTallies,
    PairTally,
    merge_tallies,
    tally_bout,
)
from ludus.contest.model import Pairing
from ludus.rating.scores import MirroredPair, SeededBout, find_mirrored_pairs
from ludus.scheduling.schema import Base, BoutRow, EntrantRow, MirroredPairRow, TallyRow

PairCounter = Counter[MirroredPair]


class TalliedBout(NamedTuple):
    """A bout that was stored, and whether it is a copy."""

    id: int
    pairing: Pairing
    facts: BoutFacts
    copied: bool


class TallyStore:
    """Reads and writes the totals of one ladder."""

    def __init__(self, contest_id: int, dialect: str) -> None:
        self.contest_id = contest_id
        kind = postgresql if dialect == "postgresql" else sqlite
        self._add_tally = _add_tally_on_conflict(kind.insert(Base.metadata.tables["tallies"]))
        self._add_pairs = _add_pairs_on_conflict(
            kind.insert(Base.metadata.tables["mirrored_pairs"])
        )

    def load(self, connection: sql.Connection) -> LadderTallies:
        """The totals of the pairs in which at least one entrant still plays."""
        playing = sql.select(EntrantRow.name).where(
            EntrantRow.contest_id == self.contest_id, sql.not_(EntrantRow.dropped)
        )
        columns = [getattr(TallyRow, field.name) for field in dataclasses.fields(PairTally)]
        tallies = sql.select(*columns).where(
            TallyRow.contest_id == self.contest_id,
            sql.or_(TallyRow.first.in_(playing), TallyRow.second.in_(playing)),
        )
        row = MirroredPairRow
        pairs = sql.select(row.one, row.other, row.score_halves, row.reply_halves, row.count).where(
            row.contest_id == self.contest_id,
            sql.or_(row.one.in_(playing), row.other.in_(playing)),
        )
        return LadderTallies(
            [PairTally(*found) for found in connection.execute(tallies)],
            Counter(
                {
                    MirroredPair(one, other, score / 2, reply / 2): count
                    for one, other, score, reply, count in connection.execute(pairs)
                }
            ),
        )

    def find_copies(self, connection: sql.Connection, bouts: Iterable[BoutFacts]) -> list[bool]:
        """Which of new bouts, in the order in which they came, repeat earlier ones."""
        ways: dict[str, tuple[str, str]] = {}
        copies = []
        for start, moves in (facts.key for facts in bouts):
            if not start:
                copies.append(False)
                continue
            if start not in ways:
                ways[start] = self._read_ways(connection, start) or (moves, "")
            least, greatest = ways[start]
            copies.append(least == greatest == moves)
            ways[start] = (min(least, moves), max(greatest, moves))
        return copies

    def _read_ways(self, connection: sql.Connection, start: str) -> tuple[str, str] | None:
        """How bouts of a start went: the least and the greatest digest of their moves, which are
        equal if all went alike; None if there were none."""
        bouts = sql.and_(
            BoutRow.contest_id == self.contest_id,
            BoutRow.start_digest == start,
            sql.not_(BoutRow.void),
        )
        ends = [
            sql.select(end(BoutRow.moves_digest)).where(bouts).scalar_subquery()
            for end in (sql.func.min, sql.func.max)
        ]
        least, greatest = connection.execute(sql.select(*ends)).one()
        return None if least is None else (least, greatest)

    def add_bouts(self, connection: sql.Connection, bouts: Sequence[TalliedBout]) -> LadderTallies:
        """Add bouts that were just stored; returns what they add."""
        tallies = merge_tallies(
            tally_bout(each.pairing, each.facts, each.id, each.copied) for each in bouts
        )
        rows = [{**dataclasses.asdict(each), "contest_id": self.contest_id} for each in tallies]
        connection.execute(self._add_tally, rows)
        new = {each.id for each in bouts}
        pairs: PairCounter = Counter()
        for match in sorted({each.pairing.id for each in bouts}):
            counting = self._read_counting(connection, match)
            pairs += find_mirrored_pairs(counting.values())
            pairs -= find_mirrored_pairs(bout for id, bout in counting.items() if id not in new)
        self._change_pairs(connection, pairs)
        return LadderTallies(tallies, pairs)

    def remove_bout(self, session: Session, bout: BoutRow, facts: BoutFacts) -> None:
        """Subtract a bout that has just been voided. If it has copies, the first of them counts
        in its place."""
        self._subtract(session, bout, facts)
        if bout.copied or not bout.start_digest:
            return
        copies = sql.select(BoutRow).where(
            BoutRow.contest_id == self.contest_id,
            BoutRow.start_digest == bout.start_digest,
            BoutRow.moves_digest == bout.moves_digest,
            BoutRow.copied,
            sql.not_(BoutRow.void),
        )
        copy = session.scalars(copies.order_by(BoutRow.id).limit(1)).first()
        if copy is not None:
            self._count_copy(session, copy)

    def _subtract(self, session: Session, bout: BoutRow, facts: BoutFacts) -> None:
        first, second = bout.names
        row = session.get(TallyRow, (self.contest_id, first, second), with_for_update=True)
        if row is not None:
            pairing = Pairing(bout.match_id, (first, second))
            one = tally_bout(pairing, facts, bout.id, bout.copied)
            for key in TALLY_COUNTS:
                setattr(row, key, getattr(row, key) - getattr(one, key))
        session.flush()
        if not bout.copied:
            self._recount_pairs(session.connection(), bout, sign=-1)

    def _count_copy(self, session: Session, bout: BoutRow) -> None:
        bout.copied = False
        first, second = bout.names
        row = session.get(TallyRow, (self.contest_id, first, second), with_for_update=True)
        if row is not None:
            score = bout.scores[0]
            key = f"copied_{'won' if score > 0.5 else 'lost' if score < 0.5 else 'drawn'}"
            setattr(row, key, getattr(row, key) - 1)
        session.flush()
        self._recount_pairs(session.connection(), bout, sign=1)

    def _recount_pairs(self, connection: sql.Connection, bout: BoutRow, sign: int) -> None:
        """Count the pairs of a bout's match with it (``sign`` 1) or without it (-1) from now on."""
        counting = self._read_counting(connection, bout.match_id)
        without = {id: each for id, each in counting.items() if id != bout.id}
        with_it = dict(sorted({**without, bout.id: _seeded(bout)}.items()))
        change = find_mirrored_pairs(with_it.values())
        change.subtract(find_mirrored_pairs(without.values()))
        self._change_pairs(connection, {pair: sign * count for pair, count in change.items()})

    def _read_counting(self, connection: sql.Connection, match: str) -> dict[int, SeededBout]:
        """The bouts of a match that count, by their ids, in the order in which they came."""
        row = BoutRow
        query = sql.select(row.id, row.names, row.scores, row.seed).where(
            row.contest_id == self.contest_id,
            row.match_id == match,
            sql.not_(row.void),
            sql.not_(row.copied),
        )
        return {each.id: _seeded(each) for each in connection.execute(query.order_by(row.id))}

    def _change_pairs(self, connection: sql.Connection, change: dict[MirroredPair, int]) -> None:
        rows = [
            {
                "contest_id": self.contest_id,
                "one": pair.one,
                "other": pair.other,
                "score_halves": round(2 * pair.score),
                "reply_halves": round(2 * pair.reply),
                "count": count,
            }
            for pair, count in sorted(change.items())
            if count
        ]
        if rows:
            connection.execute(self._add_pairs, rows)


def _seeded(bout: Any) -> SeededBout:
    first, second = bout.names
    return first, second, bout.scores[0], bout.seed


def _add_tally_on_conflict(insert: Any) -> Any:
    """An insert that adds to the totals of rows that exist already."""
    old, new = TallyRow.__table__.c, insert.excluded
    together = {key: old[key] + new[key] for key in TALLY_COUNTS}
    for key in ("latest", "bout_id"):
        together[key] = sql.case((new[key] > old[key], new[key]), else_=old[key])
    return insert.on_conflict_do_update(
        index_elements=["contest_id", "first", "second"], set_=together
    )


def _add_pairs_on_conflict(insert: Any) -> Any:
    old, new = MirroredPairRow.__table__.c, insert.excluded
    return insert.on_conflict_do_update(
        index_elements=["contest_id", "one", "other", "score_halves", "reply_halves"],
        set_={"count": old["count"] + new["count"]},
    )
