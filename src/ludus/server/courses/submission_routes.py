"""Handing in over HTTP, and what came of it."""

from __future__ import annotations

import msgspec
from litestar import Response, get, post
from litestar.params import FromPath, FromQuery, JSONBody

from ludus.errors import LudusError
from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.accounts.identity import UPLOAD
from ludus.server.bots import bots
from ludus.server.courses import assignment_views, assignments, mark_exports, submissions
from ludus.server.courses.assignment_routes import SheetLanguage
from ludus.server.courses.assignment_schemas import AssignmentDetail, SubmissionBouts
from ludus.server.courses.mark_book import MarkBook
from ludus.server.courses.rivals import name_rivals
from ludus.server.services import InjectedBackground, InjectedDatabase
from ludus.server.web.errors import not_found
from ludus.server.web.public_routes import make_download


class SubmissionRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What is handed in: a version, or the newest version of a bot."""

    version: int | None = None
    bot: int | None = None


@post("/assignments/{id:int}/submissions", sync_to_thread=True, status_code=201, scope=UPLOAD)
def submit_version(
    database: InjectedDatabase,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[SubmissionRequest],
) -> AssignmentDetail:
    """Hand in a version of yours, or the newest of a bot of yours."""
    with database.writing() as session:
        row = assignments.get_assignment(session, id, identity)
        version_id = data.version
        if version_id is None and data.bot is not None:
            bot = bots.get_owned_bot(session, data.bot, identity)
            newest = submissions.newest_version(session, bot.id)
            version_id = newest.id if newest else None
        if version_id is None:
            raise LudusError(
                "say which version, or a bot that has one", "请指定版本，或有版本的 AI"
            )
        submissions.submit_version(session, identity, row, version_id)
        described = assignment_views.describe_detail(session, row, identity)
    background.wake()
    return described


@get("/assignments/{id:int}/submissions/{submission:int}/bouts", sync_to_thread=True)
def list_submission_bouts(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    submission: FromPath[int],
    level: FromQuery[int | None] = None,
) -> SubmissionBouts:
    """The bouts of a submission of yours, or of your class, that may be shown by now."""
    with database.reading() as session:
        row = assignments.get_assignment(session, id, identity)
        found = submissions.get_submission(session, id, submission)
        managed = assignments.manages(identity, row)
        if not managed and not submissions.is_theirs(session, found.id, identity):
            raise not_found("submission", "提交")
        return assignment_views.list_submission_bouts(session, row, found, identity, level)


@get("/assignments/{id:int}/my-results.json", sync_to_thread=True)
def download_own_results(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    lang: SheetLanguage = "en",
) -> Response[bytes]:
    """Your own marks so far in the form of Gradescope's results.json."""
    with database.reading() as session:
        row = assignments.get_assignment(session, id, identity)
        shown = assignments.shows_hidden(identity, row)
        book = MarkBook(session, row, show_hidden=shown, people=[identity.id])
        names = name_rivals(session, book.settings, show_hidden=shown)
        result = mark_exports.make_result(book, identity.id, names, lang)
    return make_download(msgspec.json.encode(result), "results.json", "application/json")


HANDLERS = [submit_version, list_submission_bouts, download_own_results]
