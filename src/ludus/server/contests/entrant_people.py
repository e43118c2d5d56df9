"""The people behind the entrants of a contest, with their student numbers: for the staff of the
class alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.bots.house_titles import entrant_title
from ludus.contest.report.texts import describe_note, format_rank
from ludus.courses.sheet_writer import Table
from ludus.lang import Text
from ludus.scheduling.schema import ContestRow, EntrantRow, GroupMemberRow, UserRow
from ludus.server.accounts.identity import Identity
from ludus.server.contests.contest_schemas import EntrantPeople, EntrantPerson
from ludus.server.contests.entrants import list_owners_by_entrant
from ludus.server.page_links import page_link

COLUMNS = (
    Text("rank", "名次"),
    Text("entrant", "参赛者"),
    Text("name", "姓名"),
    Text("student number", "学号"),
    Text("class", "班级"),
    Text("account", "用户名"),
    Text("points", "积分"),
    Text("won", "胜"),
    Text("drawn", "平"),
    Text("lost", "负"),
    Text("bouts won", "局分"),
    Text("bouts", "局数"),
    Text("note", "备注"),
    Text("bot", "AI 页面"),
    Text("bouts of this entrant", "对局页面"),
)


def list_people(session: Session, contest: ContestRow, identity: Identity) -> list[EntrantPeople]:
    """The owners of every entrant; Forbidden unless ``identity`` belongs to the staff of the
    contest's class. Student number, real name and section come from that class; in a contest for
    everybody, from the classes to whose staff they belong."""
    identity.require_assistant_of(contest.group_id)
    owners = list_owners_by_entrant(session, contest.id)
    known = _describe_owners(
        session, identity, contest.group_id, {id for ids in owners.values() for id in ids}
    )
    query = sql.select(EntrantRow.name, EntrantRow.bot_id).where(
        EntrantRow.contest_id == contest.id
    )
    return [
        EntrantPeople(name, bot_id, [known[id] for id in sorted(owners.get(name, ()))])
        for name, bot_id in session.execute(query.order_by(EntrantRow.id))
    ]


def _describe_owners(
    session: Session, identity: Identity, group_id: int | None, ids: set[int]
) -> Mapping[int, EntrantPerson]:
    query = sql.select(GroupMemberRow).where(GroupMemberRow.user_id.in_(ids))
    if group_id is not None:
        query = query.where(GroupMemberRow.group_id == group_id)
    elif not identity.organiser:
        query = query.where(GroupMemberRow.group_id.in_(identity.assisting))
    query = query.order_by(GroupMemberRow.student_number, GroupMemberRow.group_id)
    members = {row.user_id: row for row in session.scalars(query)}
    found = {}
    for user in session.scalars(sql.select(UserRow).where(UserRow.id.in_(ids))):
        row = members.get(user.id)
        found[user.id] = EntrantPerson(
            user.name,
            row.real_name if row else "",
            row.student_number if row else "",
            row.section if row else "",
        )
    return found


def name_people(found: Sequence[EntrantPeople]) -> dict[str, str]:
    """The people behind each entrant in one line: ``张三 2021010001 计11``."""
    return {
        each.entrant: "; ".join(
            " ".join(filter(None, (one.real_name or one.name, one.number, one.section)))
            for one in each.people
        )
        for each in found
        if each.people
    }


def name_file(title: str, spoken: str) -> str:
    """What a file about a contest is called that names people: so that nobody takes it for the
    public one."""
    return f"{title} - {Text('with names', '含姓名')[spoken]}"


def make_table(
    contest_id: int,
    data: Mapping[str, Any],
    people: Sequence[EntrantPeople],
    language: str,
    base: str,
) -> Table:
    """The final standings with one line for each entrant, its people and links to its bot and
    bouts; ``data`` is from ``build_report_data``, ``base`` the server's address."""
    rows = _rows(contest_id, data, people, language, base)
    return [[title[language] for title in COLUMNS], *rows]


def _rows(
    contest_id: int,
    data: Mapping[str, Any],
    people: Sequence[EntrantPeople],
    language: str,
    base: str,
) -> Iterator[list[str | float | None]]:
    by_name = {each.entrant: each for each in people}
    for row in data["standings"]["rows"]:
        behind = by_name.get(row["name"])
        persons = behind.people if behind else []
        bot = page_link("/bots/:id", behind.bot, base=base) if behind and behind.bot else ""
        query = {"tab": "bouts", "player": row["name"]}
        yield [
            format_rank(row) if row["note"] == "disqualified" else row["rank"],
            entrant_title(row["name"])[language],
            *(
                "; ".join(getattr(each, key) for each in persons if getattr(each, key))
                for key in ("real_name", "number", "section", "name")
            ),
            *(row[key] for key in ("points", "wins", "draws", "losses", "scored", "bouts")),
            describe_note(row, language),
            bot,
            page_link("/contests/:id", contest_id, query, base=base),
        ]
