"""The places of the people of a class among themselves on a game's ladder."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import BotRow, EntrantRow, RatingRow, TeamMemberRow
from ludus.server.contests import ladder_settings
from ludus.server.courses.students import list_students


def find_class_places(session: Session, game: str, group_id: int) -> dict[int, int]:
    """By user id, the place of each student's best bot among those of the class, from 1. Bots of
    a team count for all its members, who share a place."""
    ladder = ladder_settings.find_ladder(session, game)
    if ladder is None:
        return {}
    students = {student.id for student in list_students(session, group_id)}
    teams: dict[int, list[int]] = {}
    for member in session.scalars(sql.select(TeamMemberRow)):
        teams.setdefault(member.team_id, []).append(member.user_id)
    query = (
        sql.select(BotRow.user_id, BotRow.team_id)
        .join(EntrantRow, EntrantRow.bot_id == BotRow.id)
        .join(
            RatingRow,
            sql.and_(
                RatingRow.contest_id == EntrantRow.contest_id,
                RatingRow.entrant == EntrantRow.name,
            ),
        )
        .where(RatingRow.contest_id == ladder.id)
        .order_by(RatingRow.place)
    )
    places: dict[int, int] = {}
    for user_id, team_id in session.execute(query):
        owners = teams.get(team_id, []) if team_id is not None else [user_id]
        place = len(places) + 1
        new = [owner for owner in owners if owner in students and owner not in places]
        places.update(dict.fromkeys(new, place))
    return places
