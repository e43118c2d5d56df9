"""Who may open a seminar on which bout."""

from __future__ import annotations

from sqlalchemy.orm import Session

from ludus.scheduling import contest_rows
from ludus.scheduling.schema import BoutRow, ContestRow
from ludus.scheduling.schema.contests import CONTEST, GRADING, PUBLISHED
from ludus.server.accounts.identity import Identity
from ludus.server.contests import contest_access
from ludus.server.records import played_bouts
from ludus.server.records.played_bouts import BOUT_FILM_PREFIX, EntrantBots
from ludus.server.web.errors import Conflict


def require_presentable(session: Session, film: str, identity: Identity) -> list[int]:
    """Refuse people who do not belong to the staff of the bout's class, and bouts that others may
    not know yet; gives the seats on which bots of students played."""
    if not film.startswith(BOUT_FILM_PREFIX) or not played_bouts.is_stored_film_id(film):
        identity.require_staff()
        return []
    id = int(film.removeprefix(BOUT_FILM_PREFIX))
    bout, contest = played_bouts.get_visible_bout(session, id, identity)
    identity.require_assistant_of(contest.group_id)
    if _is_withheld(contest):
        raise Conflict(
            "this bout is not public yet, and a seminar would show it to everyone with the code",
            "这一局尚未公开，而讲评会让所有持有代码的人看到它",
        )
    return _list_student_seats(session, bout, contest)


def _is_withheld(contest: ContestRow) -> bool:
    """Whether it is hidden from those whom it concerns: hidden rivals, or results that are not
    published."""
    hidden_contest = contest.kind == CONTEST and contest.hidden and contest.state != PUBLISHED
    return contest_access.is_secret(contest) or hidden_contest


def _list_student_seats(session: Session, bout: BoutRow, contest: ContestRow) -> list[int]:
    """In a grading the first entrant is the student's bot; elsewhere all uploaded bots are."""
    if contest.kind == GRADING:
        names = {contest_rows.list_entrants(session, contest.id)[0].name}
    else:
        cast = EntrantBots(session, [contest.id], bout.names)
        names = {name for name in bout.names if cast.find_bot(contest.id, name) is not None}
    return [seat for seat, name in enumerate(bout.names) if name in names]
