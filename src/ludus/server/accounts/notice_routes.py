"""Notices over HTTP."""

from __future__ import annotations

from litestar import get, post

from ludus.server.accounts import notices
from ludus.server.accounts.account_schemas import NoticePage
from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.accounts.identity import READ
from ludus.server.services import InjectedDatabase
from ludus.server.web.page_query import Before, Limit
from ludus.server.web.responses import Done


@get("/notices", sync_to_thread=True)
def list_notices(
    database: InjectedDatabase, identity: InjectedIdentity, before: Before = None, limit: Limit = 50
) -> NoticePage:
    """Your notices, newest first."""
    identity.require_login()
    with database.reading() as session:
        return notices.list_notices(session, identity, before, limit)


@post("/notices/read", sync_to_thread=True, status_code=200, scope=READ)
def mark_notices_read(database: InjectedDatabase, identity: InjectedIdentity) -> Done:
    """Mark all your notices as read."""
    identity.require_login()
    with database.writing() as session:
        notices.mark_all_read(session, identity)
    return Done()


HANDLERS = [list_notices, mark_notices_read]
