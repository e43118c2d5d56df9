"""The organiser's overview, announcements, and the export of everything."""

from __future__ import annotations

import csv
import io
import os
import shutil
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.report.texts import BOM
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling.schema import (
    BotRow,
    BoutRow,
    ContestRow,
    EntrantRow,
    GroupMemberRow,
    RatingRow,
    RecordRow,
    SeatRow,
    UserRow,
    VersionRow,
)
from ludus.scheduling.schema.contests import LOCAL, RUNNING
from ludus.server.accounts import name_rules, notices, users
from ludus.server.accounts.account_schemas import UserInfo, UserPage
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.admin.admin_schemas import (
    DiskUse,
    MachineLoad,
    QueueLengths,
    SiteCounts,
    SiteOverview,
    WorkerUse,
)
from ludus.server.bots import bots
from ludus.server.contests import ladders
from ludus.server.paging import fetch_rows
from ludus.server.records import played_bouts
from ludus.server.records.bout_schemas import BoutInfo
from ludus.timestamps import now_plus

HOUR = 3600.0
MAX_LISTED_FAULTS = 20
ROWS_PER_BATCH = 500


def make_overview(
    session: Session, folder: Path, background_state: dict[str, Any], *, starting: bool
) -> SiteOverview:
    """The state of the site; ``starting``: the background process has yet to report."""
    disk = shutil.disk_usage(folder if folder.exists() else folder.parent)
    return SiteOverview(
        queue=QueueLengths(
            checks=_count(session, VersionRow.state == bots.CHECKING),
            contests=_count(
                session, sql.and_(ContestRow.state == RUNNING, ContestRow.kind != LOCAL)
            ),
        ),
        workers=WorkerUse(
            places=background_state.get("places", 0),
            busy=background_state.get("busy", 0),
            alive=bool(background_state),
            starting=starting,
            trouble=background_state.get("trouble", ""),
        ),
        load=MachineLoad(list(os.getloadavg()), os.cpu_count()),
        storage=DiskUse(disk.free, disk.total, measure_database(session)),
        counts=SiteCounts(
            users=_count(session, UserRow.active.is_(True)),
            bots=_count(session, BotRow.retired.is_(False)),
            versions=_count(session, VersionRow.id > 0),
            bouts=session.scalar(sql.select(sql.func.count(BoutRow.id))) or 0,
        ),
        bouts_per_hour=count_bouts_last_hour(session),
        faults=list_faults(session),
        ladders=ladders.list_ladders(session),
    )


def _count(session: Session, which: sql.ColumnElement[bool]) -> int:
    return session.scalar(sql.select(sql.func.count()).where(which)) or 0


def measure_database(session: Session) -> int:
    """The size of the database in bytes."""
    if session.get_bind().dialect.name == "sqlite":
        pages = session.execute(sql.text("PRAGMA page_count")).scalar() or 0
        return int(pages * (session.execute(sql.text("PRAGMA page_size")).scalar() or 0))
    return int(
        session.execute(sql.text("SELECT pg_database_size(current_database())")).scalar() or 0
    )


def count_bouts_last_hour(session: Session) -> int:
    """How many bouts were played in the last hour."""
    last = find_last_bout_before(session, now_plus(-HOUR))
    return session.scalar(sql.select(sql.func.count()).where(BoutRow.id > last)) or 0


def find_last_bout_before(session: Session, since: str) -> int:
    """The id of the last bout that began before a time; 0 if there is none.

    Ids and times rise together, so a binary search by id replaces an index of times.
    """
    newest = session.scalar(sql.select(sql.func.max(BoutRow.id))) or 0
    low, high = 0, newest
    while low < high:
        middle = (low + high) // 2
        query = (
            sql.select(BoutRow.began_at).where(BoutRow.id > middle).order_by(BoutRow.id).limit(1)
        )
        began = session.scalar(query)
        if began is not None and began < since:
            low = middle + 1
        else:
            high = middle
    return low


def list_faults(session: Session) -> list[BoutInfo]:
    """The newest bouts that ended by a fault."""
    query = (
        sql.select(BoutRow, ContestRow)
        .join(ContestRow, ContestRow.id == BoutRow.contest_id)
        .where(BoutRow.verdict != "rules", ContestRow.kind != LOCAL)
        .order_by(BoutRow.id.desc())
        .limit(MAX_LISTED_FAULTS)
    )
    return played_bouts.describe_bouts(
        session, [(bout, contest) for bout, contest in session.execute(query)]
    )


def list_users(session: Session, search: str, before: int | None, limit: int) -> UserPage:
    """Accounts, newest first; the organiser finds them by any of their names, their e-mail address
    and their student number."""
    query = sql.select(UserRow)
    if search := search.strip():
        member = sql.select(GroupMemberRow.user_id).where(
            sql.or_(
                GroupMemberRow.real_name.icontains(search, autoescape=True),
                GroupMemberRow.student_number.icontains(search, autoescape=True),
            )
        )
        query = query.where(
            sql.or_(
                UserRow.name_key.contains(name_rules.fold_name(search), autoescape=True),
                UserRow.display_name.icontains(search, autoescape=True),
                UserRow.email.icontains(search, autoescape=True),
                UserRow.id.in_(member),
            )
        )
    rows, following = fetch_rows(session, query, UserRow.id, before, limit)
    return UserPage(_describe_with_rosters(session, rows), following)


def _describe_with_rosters(session: Session, rows: Sequence[UserRow]) -> list[UserInfo]:
    query = sql.select(GroupMemberRow).where(GroupMemberRow.user_id.in_({row.id for row in rows}))
    names: dict[int, list[str]] = defaultdict(list)
    numbers: dict[int, list[str]] = defaultdict(list)
    for member in session.scalars(query.order_by(GroupMemberRow.group_id)):
        for known, word in ((names, member.real_name), (numbers, member.student_number)):
            if word and word not in known[member.user_id]:
                known[member.user_id].append(word)
    return [
        msgspec.structs.replace(
            users.describe_user(row, private=True),
            real_names=names[row.id],
            numbers=numbers[row.id],
        )
        for row in rows
    ]


# Announcements


def announce(session: Session, identity: Identity, words: str, to: str | int) -> int:
    """Send a notice to everybody or to a class; gives the number of people."""
    message = name_rules.clean_paragraph(words, 2000).strip()
    if not message:
        raise LudusError("the message is empty", "请输入内容")
    query = sql.select(UserRow.id).where(UserRow.active.is_(True))
    if isinstance(to, int):
        query = sql.select(GroupMemberRow.user_id).where(GroupMemberRow.group_id == to)
    people = list(session.scalars(query))
    notices.add_notices(session, people, "words", Text(message, message))
    audit.log_action(session, identity, "announced", to=to, people=len(people))
    return len(people)


# The export


EXPORTED_TABLES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "users": (UserRow, ("password_hash", "name_key")),
    "bots": (BotRow, ("name_key",)),
    "versions": (VersionRow, ("check_result", "comment")),
    "contests": (ContestRow, ()),
    "entrants": (EntrantRow, ()),
    "ratings": (RatingRow, ()),
    "bouts": (BoutRow, ()),
}
"""Tables by name, with their private columns, which are left out. Notices are not exported: they
tell owners how their bots fail."""


def write_export(session: Session, target: BinaryIO) -> None:
    """Write a zip: tables as CSV and JSON, and every record, without code and passwords."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as box:
        for name, (row, secret) in EXPORTED_TABLES.items():
            with box.open(f"{name}.json", "w", force_zip64=True) as file:
                before = b"[\n"
                for line in _iter_table(session, row, secret):
                    file.write(before + msgspec.json.encode(line))
                    before = b",\n"
                file.write(b"\n]" if before == b",\n" else b"[]")
            with box.open(f"{name}.csv", "w", force_zip64=True) as file:
                for text in format_csv(_iter_table(session, row, secret)):
                    file.write(text.encode())
        for id, data in _iter_records(session):
            box.writestr(f"records/bout-{id}.ludus", data, zipfile.ZIP_STORED)


def _iter_table(session: Session, row: Any, secret: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    columns = [column for column in row.__table__.columns if column.name not in secret]
    query = sql.select(*columns).order_by(*row.__table__.primary_key.columns)
    for found in session.execute(query.execution_options(yield_per=ROWS_PER_BATCH)):
        yield dict(found._mapping)


def _iter_records(session: Session) -> Iterator[tuple[int, bytes]]:
    query = sql.select(RecordRow.bout_id, RecordRow.data).order_by(RecordRow.bout_id)
    for row in session.execute(query.execution_options(yield_per=ROWS_PER_BATCH)):
        yield row.bout_id, row.data


def format_csv(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """CSV for spreadsheets: with a byte order mark, and without cells that look like formulas."""
    target = io.StringIO()
    target.write(BOM)
    writer = csv.writer(target)
    for number, row in enumerate(rows):
        if not number:
            writer.writerow(row)
        writer.writerow([_format_cell(value) for value in row.values()])
        yield target.getvalue()
        target.seek(0)
        target.truncate()


def _format_cell(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        value = msgspec.json.encode(value).decode()
    if isinstance(value, str) and value[:1] in "=+-@\t\r" and value[:1]:
        return f"'{value}"
    return value


# Clean-up


def delete_old_outputs(session: Session, days: int) -> int:
    """Delete output of bots that is older than so many days; gives the number of seats."""
    if not days:
        return 0
    last = find_last_bout_before(session, now_plus(-days * 24 * HOUR))
    result: Any = session.execute(
        sql.update(SeatRow)
        .where(SeatRow.output.is_not(None), SeatRow.bout_id <= last)
        .values(output=None)
    )
    return int(result.rowcount)
