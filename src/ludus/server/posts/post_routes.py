"""Comments and announcements over HTTP."""

from __future__ import annotations

from litestar import delete, get, patch, post
from litestar.params import FromPath, JSONBody

from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.accounts.context import SiteContext
from ludus.server.accounts.identity import ADMIN, PLAY, Identity
from ludus.server.posts import posts
from ludus.server.posts.post_schemas import NewPost, PostChange, PostInfo, PostPage
from ludus.server.posts.posts import PostPlaceKind
from ludus.server.services import InjectedDatabase, InjectedSite
from ludus.server.web.page_query import Before, Limit
from ludus.server.web.responses import Done


@get("/bouts/{id:int}/posts", sync_to_thread=True)
def list_comments(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    before: Before = None,
    limit: Limit = 50,
) -> PostPage:
    """The comments on a bout, newest first."""
    with database.reading() as session:
        place = posts.find_place(session, "bout", id, identity)
        return posts.list_posts(session, place, identity, before, limit)


@get("/contests/{id:int}/posts", sync_to_thread=True)
def list_contest_announcements(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    before: Before = None,
    limit: Limit = 50,
) -> PostPage:
    """The announcements of a contest, newest first."""
    with database.reading() as session:
        place = posts.find_place(session, "contest", id, identity)
        return posts.list_posts(session, place, identity, before, limit)


@get("/groups/{id:int}/posts", sync_to_thread=True)
def list_group_announcements(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    before: Before = None,
    limit: Limit = 50,
) -> PostPage:
    """The announcements of a class, newest first (its members)."""
    with database.reading() as session:
        place = posts.find_place(session, "group", id, identity)
        return posts.list_posts(session, place, identity, before, limit)


def _add_post(
    site: SiteContext, identity: Identity, kind: PostPlaceKind, id: int, text: str
) -> PostInfo:
    identity.require_login()
    trying = site.rate_limits.posts.count_try(str(identity.id))
    with trying, site.database.writing() as session:
        place = posts.find_place(session, kind, id, identity)
        return posts.add_post(session, place, identity, text)


@post("/bouts/{id:int}/posts", sync_to_thread=True, status_code=201, scope=PLAY)
def add_comment(
    site: InjectedSite, identity: InjectedIdentity, id: FromPath[int], data: JSONBody[NewPost]
) -> PostInfo:
    """Comment on a bout; the owners of its bots get a notice."""
    return _add_post(site, identity, "bout", id, data.text)


@post("/contests/{id:int}/posts", sync_to_thread=True, status_code=201, scope=ADMIN)
def add_contest_announcement(
    site: InjectedSite, identity: InjectedIdentity, id: FromPath[int], data: JSONBody[NewPost]
) -> PostInfo:
    """Announce something in a contest (those who manage it); entrants get a notice."""
    return _add_post(site, identity, "contest", id, data.text)


@post("/groups/{id:int}/posts", sync_to_thread=True, status_code=201, scope=ADMIN)
def add_group_announcement(
    site: InjectedSite, identity: InjectedIdentity, id: FromPath[int], data: JSONBody[NewPost]
) -> PostInfo:
    """Announce something in a class (its teachers); its members get a notice."""
    return _add_post(site, identity, "group", id, data.text)


@delete("/posts/{id:int}", sync_to_thread=True, status_code=200, scope=PLAY)
def delete_post(database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]) -> Done:
    """Delete a comment or an announcement: your own, or any where you moderate."""
    with database.writing() as session:
        posts.delete_post(session, id, identity)
    return Done()


@patch("/posts/{id:int}", sync_to_thread=True, scope=ADMIN)
def hide_post(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[PostChange],
) -> Done:
    """Hide a comment or an announcement, or show it again (staff)."""
    with database.writing() as session:
        posts.hide_post(session, id, identity, hidden=data.hidden)
    return Done()


HANDLERS = [
    list_comments,
    list_contest_announcements,
    list_group_announcements,
    add_comment,
    add_contest_announcement,
    add_group_announcement,
    delete_post,
    hide_post,
]
