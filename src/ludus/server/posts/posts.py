"""Comments on bouts, and announcements in contests and classes: who may read, write and moderate.

Everybody who may see a bout reads its comments, and people with an account write them.
Announcements are written by those who manage the contest or teach the class. Texts are plain; the
page shows them as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.escape import truncate
from ludus.lang import Text
from ludus.scheduling.schema import GroupMemberRow, NoticeRow, PostRow, UserRow
from ludus.server.accounts import groups, name_rules, notices, users
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.bots import bots
from ludus.server.contests import contest_access, contests, lifecycle
from ludus.server.page_links import page_link
from ludus.server.paging import fetch_rows
from ludus.server.posts.post_schemas import MAX_POST_CHARS, PostAuthor, PostInfo, PostPage
from ludus.server.records import played_bouts
from ludus.server.web.errors import not_found, permission_denied
from ludus.timestamps import now

PostPlaceKind = Literal["bout", "contest", "group"]
COLUMNS = {"bout": PostRow.bout_id, "contest": PostRow.contest_id, "group": PostRow.group_id}
NOTICE_CHARS = 300
"""Characters of an announcement in its notice."""


@dataclass(frozen=True)
class PostPlace:
    """A bout, a contest or a class that a person sees, and what they may do with its posts."""

    kind: PostPlaceKind
    id: int
    may_write: bool
    may_moderate: bool
    in_use: bool = True
    """False: it is an archived class, whose posts stay as they are."""


def find_place(session: Session, kind: PostPlaceKind, id: int, identity: Identity) -> PostPlace:
    """Where posts belong; NotFound or Forbidden if ``identity`` may not see it."""
    if kind == "bout":
        _, contest = played_bouts.get_visible_bout(session, id, identity)
        moderates = identity.staff and (
            contest_access.can_manage(contest, identity) or identity.teaches(contest.group_id)
        )
        return PostPlace(kind, id, identity.is_logged_in, moderates)
    if kind == "contest":
        manages = contest_access.can_manage(contests.found(session, id, identity), identity)
        return PostPlace(kind, id, manages, manages)
    identity.require_login()
    group = groups.get_group(session, id)
    if not identity.organiser and id not in identity.groups:
        raise permission_denied()
    teaches, in_use = identity.teaches(id), group.archived_at is None
    return PostPlace(kind, id, teaches and in_use, teaches, in_use)


def list_posts(
    session: Session, place: PostPlace, identity: Identity, before: int | None, limit: int
) -> PostPage:
    query = sql.select(PostRow).where(COLUMNS[place.kind] == place.id)
    if not place.may_moderate:
        query = query.where(sql.or_(PostRow.hidden.is_(False), PostRow.author_id == identity.id))
    rows, following = fetch_rows(session, query, PostRow.id, before, limit)
    authors = _find_authors(session, {row.author_id for row in rows})
    items = [_describe_post(row, authors[row.author_id], identity) for row in rows]
    return PostPage(items, following, place.may_write, place.may_moderate and place.in_use)


def _find_authors(session: Session, ids: Iterable[int]) -> dict[int, UserRow]:
    query = sql.select(UserRow).where(UserRow.id.in_(set(ids)))
    return {user.id: user for user in session.scalars(query)}


def _describe_post(row: PostRow, author: UserRow, identity: Identity) -> PostInfo:
    return PostInfo(
        id=row.id,
        at=row.created_at,
        author=PostAuthor(author.name, author.display_name, author.role),
        text=row.text,
        mine=row.author_id == identity.id,
        hidden=row.hidden,
    )


def add_post(session: Session, place: PostPlace, identity: Identity, text: str) -> PostInfo:
    """Write a post, and notify the people it concerns."""
    identity.require_login()
    _require_in_use(session, place)
    if not place.may_write:
        raise permission_denied()
    text = name_rules.clean_paragraph(text, MAX_POST_CHARS).strip()
    if not name_rules.strip_invisible(text).strip():
        raise LudusError("the text is empty", "请输入内容")
    row = PostRow(author_id=identity.id, created_at=now(), text=text, hidden=False)
    setattr(row, COLUMNS[place.kind].key, place.id)
    session.add(row)
    session.flush()
    if place.kind == "bout":
        _notify_of_comment(session, place, identity)
    else:
        _notify_of_announcement(session, place, identity, text)
    return _describe_post(row, session.get_one(UserRow, identity.id), identity)


def _notify_of_comment(session: Session, place: PostPlace, identity: Identity) -> None:
    """Tell the owners of the bots; once, however many comments follow before they read it. They
    are not told of a bout that they must not know yet."""
    bout, contest = played_bouts.get_visible_bout(session, place.id, identity)
    if contest_access.is_secret(contest):
        return
    cast = played_bouts.EntrantBots(session, [contest.id], bout.names)
    found = [cast.find_bot(contest.id, name) for name in bout.names]
    owners = {id for bot in found if bot for id in bots.list_owner_ids(session, bot)}
    link = page_link("/watch/:id", f"{played_bouts.BOUT_FILM_PREFIX}{place.id}")
    told = sql.select(NoticeRow.user_id).where(
        NoticeRow.kind == "comment", NoticeRow.link == link, NoticeRow.read.is_(False)
    )
    people = owners - {identity.id} - set(session.scalars(told))
    name = users.get_shown_name(session, identity.id)
    text = Text(f"{name} commented on a bout of your bot", f"{name} 评论了你的 AI 的一局对局")
    notices.add_notices(session, people, "comment", text, link)


def _notify_of_announcement(
    session: Session, place: PostPlace, identity: Identity, text: str
) -> None:
    if place.kind == "contest":
        contest = contest_access.get_contest(session, place.id)
        people, name = lifecycle.list_recipients(session, contest), contest.name
        link = lifecycle.contest_path(contest)
    else:
        query = sql.select(GroupMemberRow.user_id).where(GroupMemberRow.group_id == place.id)
        people, name = list(session.scalars(query)), groups.get_group(session, place.id).name
        link = page_link("/groups/:id", place.id)
    short = truncate(text, NOTICE_CHARS)
    told = Text(f"{name}: {short}", f"{name}：{short}")
    notices.add_notices(session, set(people) - {identity.id}, "announcement", told, link)
    details = {"place": place.kind, "id": place.id, "people": len(people)}
    audit.log_action(session, identity, "announced", **details)


def find_post(session: Session, id: int, identity: Identity) -> tuple[PostRow, PostPlace]:
    """A post that ``identity`` may see, and its place."""
    row = session.get(PostRow, id)
    if row is None:
        raise not_found("post", "留言")
    kind: PostPlaceKind = "bout" if row.bout_id else "contest" if row.contest_id else "group"
    place = find_place(session, kind, getattr(row, COLUMNS[kind].key), identity)
    if row.hidden and not place.may_moderate and row.author_id != identity.id:
        raise not_found("post", "留言")
    return row, place


def delete_post(session: Session, id: int, identity: Identity) -> None:
    """Delete one's own post, or anybody's as a moderator."""
    identity.require_login()
    row, place = find_post(session, id, identity)
    _require_in_use(session, place)
    _authorize(session, identity, "post deleted", row, place, own=row.author_id == identity.id)
    session.delete(row)


def hide_post(session: Session, id: int, identity: Identity, *, hidden: bool) -> None:
    """Hide a post, or show it again, as a moderator."""
    identity.require_login()
    row, place = find_post(session, id, identity)
    _require_in_use(session, place)
    if row.hidden != hidden:
        _authorize(session, identity, "post hidden" if hidden else "post shown", row, place)
        row.hidden = hidden


def _require_in_use(session: Session, place: PostPlace) -> None:
    if not place.in_use:
        groups.get_group_in_use(session, place.id)


def _authorize(
    session: Session,
    identity: Identity,
    what: str,
    row: PostRow,
    place: PostPlace,
    *,
    own: bool = False,
) -> None:
    author = session.get_one(UserRow, row.author_id).name
    audit.authorize(
        session,
        identity,
        what,
        own=own,
        power=place.may_moderate,
        place=place.kind,
        id=place.id,
        user=author,
        text=truncate(row.text, NOTICE_CHARS),
    )
