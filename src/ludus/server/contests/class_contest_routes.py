"""Contests of a class over HTTP: entering all members and removing entrants, the people behind
them, copies, ends."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from litestar import Response, delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody

from ludus.courses.sheet_writer import write_csv, write_xlsx
from ludus.lang import language
from ludus.scheduling.schema.contests import CONTEST
from ludus.server.accounts.auth import AnyRequest, InjectedIdentity
from ludus.server.accounts.identity import ADMIN
from ludus.server.contests import (
    class_entries,
    contest_access,
    contest_management,
    contests,
    entrant_people,
    sign_up,
)
from ludus.server.contests.contest_routes import find_visible_contest, manage_contest
from ludus.server.contests.contest_schemas import (
    ClassEntries,
    ContestInfo,
    EntrantPeople,
    WhichBot,
)
from ludus.server.services import InjectedDatabase
from ludus.server.state import InjectedState
from ludus.server.web.errors import not_found
from ludus.server.web.public_routes import make_download
from ludus.server.web.responses import Done

SectionName = Annotated[str, msgspec.Meta(max_length=60)]
SHEET_MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class ClassEntryRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Which bots of which class to enter."""

    group: int
    which: WhichBot = "current"
    section: SectionName = ""
    """Only the students of this section; empty: all."""


class RemoveRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The entrant to remove."""

    entrant: int


class DuplicateRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Whether the bots of the contest enter its copy, too."""

    entrants: bool = False


class CancelRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The reason, which the entrants' owners are told; may be empty."""

    why: Annotated[str, msgspec.Meta(max_length=500)] = ""


@get("/contests/{id:int}/class-entries", sync_to_thread=True)
def plan_class_entries(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    group: FromQuery[int],
    which: FromQuery[Literal["current", "ladder"]] = "current",
    section: FromQuery[str] = "",
) -> ClassEntries:
    """The bot of every student of a class that would enter now, and who has none (teachers)."""
    with database.reading() as session:
        contest = contests.found(session, id, identity)
        contest_access.require_manager(contest, identity)
        return class_entries.describe_entries(
            class_entries.plan_entries(session, identity, contest, group, section, which)
        )


@post("/contests/{id:int}/class-entries", sync_to_thread=True, status_code=200, scope=ADMIN)
def enter_class(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[ClassEntryRequest],
) -> ContestInfo:
    """Enter the current bots of a class, or those on the ladder, each once (teachers)."""
    with server_state.site.database.reading() as session:
        contest = contests.found(session, id, identity)
        contest_access.require_manager(contest, identity)
        planned = class_entries.plan_entries(
            session, identity, contest, data.group, data.section, data.which
        )
    return manage_contest(
        server_state,
        identity,
        id,
        lambda s, e: class_entries.enter_planned(s, identity, e, planned, data.which),
    )


@post("/contests/{id:int}/remove", sync_to_thread=True, status_code=200, scope=ADMIN)
def remove_entrant(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[RemoveRequest],
) -> ContestInfo:
    """Remove an entrant before the contest starts, and tell its owners (teachers)."""
    return manage_contest(
        server_state,
        identity,
        id,
        lambda s, e: sign_up.remove_entrant(s, identity, e, data.entrant),
    )


@get("/contests/{id:int}/people", sync_to_thread=True)
def list_entrant_people(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> list[EntrantPeople]:
    """The people behind the entrants, with student numbers and real names (staff of the class)."""
    with database.reading() as session:
        contest = contests.found(session, id, identity)
        return entrant_people.list_people(session, contest, identity)


@get("/contests/{id:int}/class/{name:str}", sync_to_thread=True)
def get_class_results(
    request: AnyRequest,
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    name: FromPath[str],
    lang: FromQuery[str] = "",
) -> Response[bytes]:
    """``results.csv`` or ``results.xlsx``: the standings with one line for each entrant, names,
    student numbers and links (staff of the class)."""
    stem, _, form = name.partition(".")
    if stem != "results" or form not in SHEET_MEDIA_TYPES:
        raise not_found("report", "报告")
    visible = find_visible_contest(server_state, identity, id)
    with server_state.site.database.reading() as session:
        contest = contest_access.get_contest(session, id, CONTEST)
        people = entrant_people.list_people(session, contest, identity)
    if not visible.begun:
        raise not_found("report yet", "报告")
    data = server_state.contest_views.load_report_data(id)
    spoken = lang if lang in ("en", "zh") else language()
    base = str(request.base_url).rstrip("/")
    table = entrant_people.make_table(id, data, people, spoken, base)
    body = write_csv(table) if form == "csv" else write_xlsx(table)
    title = entrant_people.name_file(visible.title, spoken)
    return make_download(body, f"{title}.{form}", SHEET_MEDIA_TYPES[form])


@post("/contests/{id:int}/duplicate", sync_to_thread=True, status_code=201, scope=ADMIN)
def duplicate_contest(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[DuplicateRequest],
) -> ContestInfo:
    """A new contest with the same rules (teachers)."""
    with database.writing() as session:
        contest = contests.found(session, id, identity)
        contest_access.require_manager(contest, identity)
        copy = contest_management.duplicate_contest(
            session, identity, contest, entrants=data.entrants
        )
        return contests.describe_contest(session, copy, identity)


@post("/contests/{id:int}/cancel", sync_to_thread=True, status_code=200, scope=ADMIN)
def cancel_contest(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[CancelRequest],
) -> ContestInfo:
    """Stop a contest before or during its bouts (teachers); it may be started again."""
    return manage_contest(
        server_state,
        identity,
        id,
        lambda s, e: contest_management.cancel_contest(s, identity, e, data.why),
    )


@delete("/contests/{id:int}", sync_to_thread=True, status_code=200, scope=ADMIN)
def delete_contest(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[int]
) -> Done:
    """Delete a contest with all its bouts, such as a trial (teachers). A running contest has to be
    cancelled first, and a published one stays."""
    identity.require_staff()
    with server_state.site.database.writing() as session:
        contest = contests.found(session, id, identity)
        contest_access.require_manager(contest, identity)
        contest_management.delete_contest(session, identity, contest)
    server_state.refresh_live_access()
    server_state.contest_views.forget(id)
    return Done()


HANDLERS = [
    plan_class_entries,
    enter_class,
    remove_entrant,
    list_entrant_people,
    get_class_results,
    duplicate_contest,
    cancel_contest,
    delete_contest,
]
