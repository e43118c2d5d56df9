"""Compares the submissions of a game: across classes and terms, without the code that was given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.games.base import Game
from ludus.games.registry import get_listed
from ludus.scheduling.schema import (
    BotRow,
    GroupMemberRow,
    GroupRow,
    SettledPairRow,
    TeamMemberRow,
    UserRow,
    VersionFilesRow,
    VersionRow,
)
from ludus.server.accounts import name_rules
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.bots import bots, similarity, upload
from ludus.server.integrity import base_code
from ludus.server.integrity.integrity_schemas import (
    ComparableGame,
    ComparedCode,
    Settlement,
    SimilarSubmissions,
    Submission,
)
from ludus.server.records.bout_schemas import BotLink, VersionLink
from ludus.server.web.errors import Forbidden, not_found
from ludus.timestamps import now

MAX_REASON = 500


def find_similar_submissions(
    session: Session, identity: Identity, game: Game, group_id: int | None = None
) -> list[SimilarSubmissions]:
    """Compare the newest version of every bot of a game, retired ones too, with those of other
    owners: for teachers, of people in their classes of all terms; for the organiser, of all people.

    With a class, only pairs of which at least one side is by a member of it.
    """
    prints, rows = {}, {}
    query = (
        sql.select(VersionRow, BotRow, VersionFilesRow.data)
        .join(BotRow, BotRow.id == VersionRow.bot_id)
        .join(VersionFilesRow, VersionFilesRow.version_id == VersionRow.id)
        .where(VersionRow.id.in_(_newest_versions(identity, game.name)))
    )
    for version, bot, data in session.execute(query.execution_options(yield_per=10)):
        if (found_print := similarity.fingerprint_packed(data)) is not None:
            prints[version.id], rows[version.id] = found_print, (version, bot)
    base = base_code.collect_base_runs(session, identity, game)
    pairs = [
        pair
        for pair in similarity.find_similar_limited(prints, base)
        if _owner(rows[pair.a][1]) != _owner(rows[pair.b][1])
    ]
    compared = [rows[id][1] for p in pairs for id in (p.a, p.b)]
    classes, people = _find_classes(session, identity, compared)
    settled = _find_settled(session, [(pair.a, pair.b) for pair in pairs])
    return [
        SimilarSubmissions(
            a=_describe_submission(session, *rows[pair.a], classes, people),
            b=_describe_submission(session, *rows[pair.b], classes, people),
            share=pair.share,
            where=list(pair.where),
            settled=settled.get((pair.a, pair.b)),
        )
        for pair in pairs
        if group_id is None or any(group_id in classes[rows[id][1].id] for id in (pair.a, pair.b))
    ]


def count_comparable(session: Session, identity: Identity) -> list[ComparableGame]:
    """The games with bots that this person may compare, those with most first."""
    count = sql.func.count(sql.distinct(BotRow.id))
    query = (
        sql.select(BotRow.game, count)
        .join(VersionRow, VersionRow.bot_id == BotRow.id)
        .where(_may_compare(identity))
        .group_by(BotRow.game)
        .order_by(count.desc(), BotRow.game)
    )
    return [ComparableGame(game, bots) for game, bots in session.execute(query)]


def settle_pair(session: Session, identity: Identity, one: int, other: int, reason: str) -> None:
    """Mark a pair of versions as looked at, with a reason; again: with another reason."""
    first, second = _get_pair(session, identity, one, other)
    row = session.get(SettledPairRow, (first.id, second.id))
    if row is None:
        row = SettledPairRow(first_version_id=first.id, second_version_id=second.id)
        session.add(row)
    row.reason = name_rules.clean_paragraph(reason, MAX_REASON)
    row.user_id, row.settled_at = identity.id, now()
    _log_pair(session, identity, "similar pair settled", first, second, reason=row.reason)


def reopen_pair(session: Session, identity: Identity, one: int, other: int) -> None:
    """Take back that a pair was settled."""
    first, second = _get_pair(session, identity, one, other)
    row = session.get(SettledPairRow, (first.id, second.id))
    if row is not None:
        session.delete(row)
        _log_pair(session, identity, "similar pair reopened", first, second)


def compare_code(session: Session, identity: Identity, one: int, other: int) -> ComparedCode:
    """The code of a pair that is listed as similar; call ``log_reading`` before it is shown.

    Other pairs are refused: comparing is no way to read everybody's code.
    """
    first, second = _get_pair(session, identity, one, other)
    game = get_listed(bots.get_bot(session, first.bot_id).game)
    listed = find_similar_submissions(session, identity, game)
    wanted = {first.id, second.id}
    pair = next((p for p in listed if {p.a.version.id, p.b.version.id} == wanted), None)
    if pair is None:
        raise Forbidden(
            "these two versions are not listed as similar, so their code is not shown",
            "这两个版本不在相似列表中，因此不显示代码",
        )
    mine, theirs = (
        upload.decode_texts(bots.read_files(session, bots.get_version(session, side.version.id)))
        for side in (pair.a, pair.b)
    )
    return ComparedCode(mine, theirs, pair.where)


def log_reading(session: Session, identity: Identity, one: int, other: int) -> None:
    """Note in the audit log that a person reads the code of a pair. It is a transaction of its own,
    because the search for the pair can take minutes, in which nobody else could write."""
    first, second = (bots.get_version(session, id) for id in sorted((one, other)))
    _log_pair(session, identity, "similar pair read", first, second)


def _log_pair(
    session: Session,
    identity: Identity,
    what: str,
    first: VersionRow,
    second: VersionRow,
    **more: str,
) -> None:
    named = [bots.name_version(session, version) for version in (first, second)]
    audit.log_action(session, identity, what, a=first.id, b=second.id, pair=named, **more)


def _get_pair(
    session: Session, identity: Identity, one: int, other: int
) -> tuple[VersionRow, VersionRow]:
    """Two versions that this person may compare, the older one first."""
    found = []
    for id in sorted({one, other}):
        version = session.get(VersionRow, id)
        if version is None:
            raise not_found("version", "版本")
        seen = sql.select(BotRow.id).where(BotRow.id == version.bot_id, _may_compare(identity))
        if session.scalar(seen) is None:
            raise not_found("version", "版本")
        found.append(version)
    if len(found) != 2:
        raise not_found("pair", "提交对")
    return found[0], found[1]


def _newest_versions(identity: Identity, game: str) -> sql.Select[int]:
    return (
        sql.select(sql.func.max(VersionRow.id))
        .join(BotRow, BotRow.id == VersionRow.bot_id)
        .where(BotRow.game == game, _may_compare(identity))
        .group_by(VersionRow.bot_id)
    )


def _may_compare(identity: Identity) -> sql.ColumnElement[bool]:
    """Bots of people, or of teams with members, in the classes of a teacher; no private ones."""
    if identity.organiser:
        return sql.true()
    people = sql.select(GroupMemberRow.user_id).where(
        GroupMemberRow.group_id.in_(identity.teaching)
    )
    teams = sql.select(TeamMemberRow.team_id).where(TeamMemberRow.user_id.in_(people))
    owned = sql.or_(BotRow.user_id.in_(people), BotRow.team_id.in_(teams))
    return sql.and_(owned, BotRow.private.is_(False))


def _owner(bot: BotRow) -> tuple[int | None, int | None]:
    return bot.user_id, bot.team_id


def _find_classes(
    session: Session, identity: Identity, rows: Collection[BotRow]
) -> tuple[dict[int, dict[int, str]], dict[int, list[str]]]:
    """By bot: the classes of its owners that this person teaches, with their names, and what the
    rosters of these classes say of the owners."""
    members: dict[int, set[int]] = defaultdict(set)
    teams = {row.team_id for row in rows if row.team_id is not None}
    in_team = sql.select(TeamMemberRow).where(TeamMemberRow.team_id.in_(teams))
    for member in session.scalars(in_team):
        members[member.team_id].add(member.user_id)
    people = {row.user_id for row in rows if row.user_id is not None}.union(*members.values())
    query = (
        sql.select(GroupMemberRow, GroupRow.name)
        .join(GroupRow, GroupRow.id == GroupMemberRow.group_id)
        .where(GroupMemberRow.user_id.in_(people))
        .order_by(GroupRow.id)
    )
    of_person: dict[int, dict[int, str]] = defaultdict(dict)
    known: dict[int, str] = {}
    for place, name in session.execute(query):
        if identity.organiser or place.group_id in identity.teaching:
            of_person[place.user_id][place.group_id] = name
            if words := " ".join(filter(None, (place.real_name, place.student_number))):
                known[place.user_id] = words
    owners = {row.id: _list_owners(row, members) for row in rows}
    classes = {
        id: {group: name for one in people for group, name in of_person[one].items()}
        for id, people in owners.items()
    }
    return classes, {id: [known[p] for p in people if p in known] for id, people in owners.items()}


def _list_owners(bot: BotRow, members: dict[int, set[int]]) -> list[int]:
    if bot.team_id is not None:
        return sorted(members[bot.team_id])
    return [bot.user_id] if bot.user_id is not None else []


def _find_settled(
    session: Session, pairs: Collection[tuple[int, int]]
) -> dict[tuple[int, int], Settlement]:
    query = (
        sql.select(SettledPairRow, UserRow.name)
        .join(UserRow, UserRow.id == SettledPairRow.user_id, isouter=True)
        .where(SettledPairRow.first_version_id.in_({a for a, _ in pairs}))
    )
    return {
        (row.first_version_id, row.second_version_id): Settlement(
            row.reason, name or "", row.settled_at
        )
        for row, name in session.execute(query)
    }


def _describe_submission(
    session: Session,
    version: VersionRow,
    bot: BotRow,
    classes: dict[int, dict[int, str]],
    people: dict[int, list[str]],
) -> Submission:
    return Submission(
        version=VersionLink(version.id, version.number),
        bot=BotLink(bot.id, bot.name),
        owner=bots.describe_owner(session, bot),
        at=version.created_at,
        made_with=version.made_with,
        classes=list(classes[bot.id].values()),
        people=people[bot.id],
    )
