"""Changes to a contest's rows, each as a part of the caller's transaction.

Changes that a running scheduler must notice increase the contest's ``changes``; events that people
may ask about later get an entry in its journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.settings import ContestSettings, parse_contest_settings, parse_stored_settings
from ludus.scheduling.schema import Base, ContestRow, EntrantRow, LeaseRow
from ludus.scheduling.schema.contests import CONTEST, LOCAL, WITHDRAWN
from ludus.timestamps import now

INSERT_JOURNAL = sql.insert(Base.metadata.tables["journal"])


def add_contest(session: Session, contest: ContestRow) -> ContestRow:
    """Insert a new contest with a free lease."""
    session.add(contest)
    session.flush()
    session.add(LeaseRow(contest_id=contest.id, holder="", beat=0, place={}))
    add_journal_row(session, contest.id, "created", {"name": contest.name})
    return contest


def parse_settings(contest: ContestRow) -> ContestSettings:
    """The settings under which it is played or, before its start, will be."""
    name = {"name": _settings_name(contest)}
    if contest.play_settings is not None:
        return parse_stored_settings({**contest.play_settings, **name}, contest.name)
    return parse_contest_settings({**contest.settings, **name}, contest.name)


def _settings_name(contest: ContestRow) -> str:
    """The name for the settings: names of challenges and tests may be invalid as such."""
    return contest.name if contest.kind in (LOCAL, CONTEST) else f"{contest.kind} {contest.id}"


def begin_contest(session: Session, contest: ContestRow, settings: ContestSettings) -> None:
    """Fix the settings, and let all entrants who signed up and were not dropped play."""
    contest.play_settings = settings.with_default_openings().frozen_fields()
    for entrant in list_entrants(session, contest.id):
        if not entrant.dropped and entrant.joined == 0:
            join_contest(session, entrant)
    increment_changes(session, contest.id)


def list_entrants(session: Session, contest_id: int) -> Sequence[EntrantRow]:
    """All entrants in the order in which they signed up."""
    query = sql.select(EntrantRow).where(EntrantRow.contest_id == contest_id)
    return session.scalars(query.order_by(EntrantRow.id)).all()


def join_contest(session: Session, entrant: EntrantRow, joined: int = 1) -> None:
    """Let an entrant play for the first time, from round ``joined`` on."""
    entrant.joined = joined
    detail = {"name": entrant.name, "digest": entrant.digest}
    add_journal_row(session, entrant.contest_id, "entered", detail)
    increment_changes(session, entrant.contest_id)


def list_gone(session: Session, contest_id: int) -> set[str]:
    """The names of entrants that were dropped. Nobody can play their bouts again, so these are
    never voided."""
    return {entrant.name for entrant in list_entrants(session, contest_id) if entrant.dropped}


def drop_entrant(
    session: Session, entrant: EntrantRow, left: int, cause: str = WITHDRAWN, reason: str = ""
) -> None:
    """Drop an entrant from round ``left`` on, or from an earlier one if it has left already. Its
    bouts so far still count, unless the cause is that it was disqualified."""
    if entrant.joined and not entrant.dropped:
        entrant.left = left
    entrant.dropped, entrant.drop_cause, entrant.drop_reason = True, cause, reason
    if entrant.joined:
        add_journal_row(session, entrant.contest_id, "dropped", {"name": entrant.name})
        increment_changes(session, entrant.contest_id)


def rejoin_entrant(session: Session, entrant: EntrantRow, joined: int) -> None:
    """Let an entrant who was dropped play again, from round ``joined`` on."""
    entrant.dropped, entrant.drop_cause, entrant.drop_reason = False, "", ""
    entrant.left, entrant.joined = 0, joined
    add_journal_row(session, entrant.contest_id, "rejoined", {"name": entrant.name})
    increment_changes(session, entrant.contest_id)


def increment_changes(session: Session, contest_id: int) -> None:
    """Make a running scheduler reload the contest."""
    session.execute(
        sql.update(ContestRow)
        .where(ContestRow.id == contest_id)
        .values(changes=ContestRow.changes + 1)
    )


def add_journal_row(session: Session, contest_id: int, kind: str, detail: dict[str, Any]) -> None:
    session.execute(INSERT_JOURNAL, make_journal_row(contest_id, kind, detail))


def make_journal_row(contest_id: int, kind: str, detail: dict[str, Any]) -> dict[str, Any]:
    return {"contest_id": contest_id, "created_at": now(), "kind": kind, "detail": detail}
