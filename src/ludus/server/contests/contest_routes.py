"""Contests over HTTP, from sign-up to report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import msgspec
from litestar import Response, get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.lang import language
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.schema import ContestRow
from ludus.scheduling.schema.contests import CHALLENGE, CONTEST, RUNNING, TEST
from ludus.server.accounts.auth import AnyRequest, InjectedIdentity
from ludus.server.accounts.identity import ADMIN, PLAY, Identity
from ludus.server.admin.site_settings import Modules
from ludus.server.contests import (
    contest_access,
    contest_show,
    contest_tables,
    contests,
    entrant_people,
    report_page,
    sign_up,
    turning_point_search,
)
from ludus.server.contests.contest_schemas import (
    ContestInfo,
    ContestPage,
    ContestShow,
    ContestTables,
    FormatForms,
    PresetInfo,
)
from ludus.server.records import bout_search
from ludus.server.records.bout_filters import (
    BoutFilters,
    Number,
    ResultFilter,
    Word,
    check_fault,
)
from ludus.server.records.bout_schemas import FoundBouts
from ludus.server.services import InjectedBackground, InjectedDatabase
from ludus.server.state import InjectedState, ServerState
from ludus.server.web.errors import not_found
from ludus.server.web.page_query import Before, Limit
from ludus.server.web.public_routes import describe_file_name
from ludus.timestamps import find_zone

TimeText = Annotated[str, msgspec.Meta(max_length=40)]
LongText = Annotated[str, msgspec.Meta(max_length=10_000)]
Zone = Annotated[str, QueryParameter(max_length=60)]
ShortText = Annotated[str, msgspec.Meta(max_length=100)]
BoutId = Annotated[int | None, QueryParameter(ge=0, le=1 << 53)]
JsonObject = dict[str, Any]
REPORT_MEDIA_TYPES = {
    "html": "text/html",
    "csv": "text/csv",
    "json": "application/json",
    "md": "text/markdown",
}


class ContestRequest(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A contest, or changes of one; fields that are left out do not change."""

    title: ShortText | None = None
    game: ShortText | None = None
    options: JsonObject | None = None
    clock: JsonObject | None = None
    format: ShortText | None = None
    format_settings: JsonObject | None = None
    match: JsonObject | None = None
    """The rules of a match: bouts, seats, …; see ``GET /api/formats``."""
    stages: JsonObject | None = None
    seed: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)] | None = None
    """Random if left out. Until the contest is over, only its managers see it."""
    openings: ShortText | None = None
    """``suite``, ``random:N`` or ``none``; empty: the game's default."""
    group: int | msgspec.UnsetType | None = msgspec.UNSET
    opens: TimeText | msgspec.UnsetType | None = msgspec.UNSET
    closes: TimeText | msgspec.UnsetType | None = msgspec.UNSET
    starts: TimeText | msgspec.UnsetType | None = msgspec.UNSET
    publishes: TimeText | msgspec.UnsetType | None = msgspec.UNSET
    hidden_until_published: bool | None = None
    delay: Annotated[int, msgspec.Meta(ge=0, le=3600)] | None = None
    """Seconds by which live boards are shown late to everybody, and results to all but the
    staff."""
    imports: Modules | msgspec.UnsetType | None = msgspec.UNSET
    preset: ShortText | None = None
    about: LongText | None = None

    def given_fields(self) -> dict[str, Any]:
        """The given fields. Null is kept only where it has a meaning."""
        fields = msgspec.structs.asdict(self)
        unsettable = {"group", "opens", "closes", "starts", "publishes", "imports"}
        return {
            key: value
            for key, value in fields.items()
            if value is not msgspec.UNSET and (value is not None or key in unsettable)
        }


class EnterRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A bot of one's own, or (for the staff) a house bot."""

    bot: int | ShortText


class LeaveRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The bot to withdraw; by default the one that you entered."""

    bot: int | None = None


class DisqualifyRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The entrant and the reason."""

    entrant: int
    why: LongText


class RejudgeRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Which bouts to play again, and the reason."""

    why: LongText
    match: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    bout: int | None = None
    entrant: ShortText | None = None


@get("/contests", sync_to_thread=True)
def list_contests(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    game: FromQuery[str | None] = None,
    group: FromQuery[int | None] = None,
    before: Before = None,
    limit: Limit = 50,
) -> ContestPage:
    """Contests, newest first; ``group``: those of a class."""
    if not database.exists():
        return ContestPage([], None)
    with database.reading() as session:
        return contests.list_contests(session, identity, game, group, before, limit)


@get("/contests/{id:int}", sync_to_thread=True)
def get_contest(
    database: InjectedDatabase,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
) -> ContestInfo:
    """A contest with its entrants."""
    with database.reading() as session:
        contest = contests.found(session, id, identity)
        described = contests.describe_contest(session, contest, identity)
    described.waits_for_workers = described.state == RUNNING and background.keeps_waiting(id)
    return described


@post("/contests", sync_to_thread=True, status_code=201, scope=ADMIN)
def plan_contest(
    database: InjectedDatabase, identity: InjectedIdentity, data: JSONBody[ContestRequest]
) -> ContestInfo:
    """Plan a contest (teachers)."""
    identity.require_staff()
    given = data.given_fields()
    if not given.get("title"):
        raise LudusError("a contest needs a title", "比赛需要标题")
    with database.writing() as session:
        contest = contests.plan_contest(session, identity, given)
        return contests.describe_contest(session, contest, identity)


@patch("/contests/{id:int}", sync_to_thread=True, scope=ADMIN)
def change_contest(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[ContestRequest],
) -> ContestInfo:
    """Change a contest (teachers); most of it only before it begins."""
    return manage_contest(
        server_state,
        identity,
        id,
        lambda s, e: contests.change_contest(s, identity, e, data.given_fields()),
    )


def manage_contest(
    server_state: ServerState,
    identity: Identity,
    id: int,
    act: Callable[[Session, ContestRow], Any],
) -> ContestInfo:
    """Run an action of a contest's managers on it."""
    identity.require_staff()
    with server_state.site.database.writing() as session:
        contest = contests.found(session, id, identity)
        contest_access.require_manager(contest, identity)
        contest_access.require_class_in_use(session, contest)
        act(session, contest)
        session.flush()
        described = contests.describe_contest(session, contest, identity)
    server_state.refresh_live_access()
    server_state.background.wake()
    server_state.notify_contest_changed(id)
    return described


@post("/contests/{id:int}/enter", sync_to_thread=True, status_code=200, scope=PLAY)
def enter_contest(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[EnterRequest],
) -> ContestInfo:
    """Enter a bot of yours; its newest version that has passed its check at the deadline plays."""
    identity.require_login()
    with server_state.site.database.writing() as session:
        contest = contests.found(session, id, identity)
        contest_access.require_class_in_use(session, contest)
        if isinstance(data.bot, str):
            contest_access.require_manager(contest, identity)
            sign_up.enter_house_bot(session, identity, contest, data.bot)
        else:
            sign_up.enter_bot(session, identity, contest, data.bot)
        session.flush()
        described = contests.describe_contest(session, contest, identity)
    server_state.notify_contest_changed(id)
    return described


@get("/contests/{id:int}/house-bots", sync_to_thread=True)
def list_house_bots(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> list[str]:
    """The names of the house bots that its managers can enter: those that play the game with the
    options of the contest."""
    with database.reading() as session:
        contest = contests.found(session, id, identity)
        contest_access.require_manager(contest, identity)
        return sign_up.list_fit_house_bots(contest)


@post("/contests/{id:int}/leave", sync_to_thread=True, status_code=200, scope=PLAY)
def leave_contest(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[LeaveRequest],
) -> ContestInfo:
    """Withdraw your bot while sign-up is open."""
    identity.require_login()
    with server_state.site.database.writing() as session:
        contest = contests.found(session, id, identity)
        contest_access.require_class_in_use(session, contest)
        sign_up.withdraw_bot(session, identity, contest, data.bot)
        session.flush()
        described = contests.describe_contest(session, contest, identity)
    server_state.notify_contest_changed(id)
    return described


@post("/contests/{id:int}/open", sync_to_thread=True, status_code=200, scope=ADMIN)
def open_sign_up(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[int]
) -> ContestInfo:
    """Open sign-up of a planned contest now, and tell its class (teachers)."""
    return manage_contest(
        server_state, identity, id, lambda s, e: contests.open_sign_up(s, identity, e)
    )


@post("/contests/{id:int}/freeze", sync_to_thread=True, status_code=200, scope=ADMIN)
def close_sign_up(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[int]
) -> ContestInfo:
    """Close sign-up now and fix every bot's version (teachers)."""
    return manage_contest(
        server_state, identity, id, lambda s, e: contests.close_sign_up(s, identity, e)
    )


@post("/contests/{id:int}/start", sync_to_thread=True, status_code=200, scope=ADMIN)
def start_contest(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[int]
) -> ContestInfo:
    """Start the contest now (teachers)."""
    return manage_contest(
        server_state, identity, id, lambda s, e: contests.start_contest(s, identity, e)
    )


@post("/contests/{id:int}/publish", sync_to_thread=True, status_code=200, scope=ADMIN)
def publish_contest(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[int]
) -> ContestInfo:
    """Publish the results (teachers)."""
    return manage_contest(
        server_state, identity, id, lambda s, e: contests.publish_contest(s, identity, e)
    )


@post("/contests/{id:int}/disqualify", sync_to_thread=True, status_code=200, scope=ADMIN)
def disqualify_entrant(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[DisqualifyRequest],
) -> ContestInfo:
    """Exclude an entrant from further bouts, with a reason (teachers). Its bouts no longer
    count."""
    identity.require_staff()

    def act(session: Session, contest: ContestRow) -> None:
        store = ContestStore(server_state.site.database.engine, contest.id)
        contests.disqualify_entrant(session, identity, contest, store, data.entrant, data.why)

    return manage_contest(server_state, identity, id, act)


@post("/contests/{id:int}/rejudge", sync_to_thread=True, status_code=200, scope=ADMIN)
def rejudge_bouts(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[RejudgeRequest],
) -> ContestInfo:
    """Play bouts again on the same seeds (teachers); the old ones are kept but do not count. Bouts
    of entrants that have left stay as they are."""
    identity.require_staff()

    def act(session: Session, contest: ContestRow) -> None:
        store = ContestStore(server_state.site.database.engine, contest.id)
        contests.rejudge_bouts(
            session,
            identity,
            contest,
            store,
            match=data.match,
            bout=data.bout,
            entrant=data.entrant,
            why=data.why,
        )

    return manage_contest(server_state, identity, id, act)


NOTHING_PLAYED = ContestTables(tables=[], standings=None, bracket=None, crosstable=None)


@get("/contests/{id:int}/tables", sync_to_thread=True)
def get_tables(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    through: BoutId = None,
) -> ContestTables:
    """The tables, crosstable and bracket: now, or as they were after the bout ``through``."""
    visible = find_visible_contest(server_state, identity, id)
    if not visible.begun:
        return NOTHING_PLAYED
    return server_state.contest_views.load_tables(id, visible.delay, through)


KINDS_WITH_TABLES = (CONTEST, CHALLENGE, TEST)
"""Contests with tables; a ladder has a page of its own, and far too many bouts."""


class VisibleContest(NamedTuple):
    """What may be shown of a contest's results."""

    begun: bool
    delay: float
    """Seconds by which they are shown late."""
    seed: int | None
    """None: it must not be shown."""
    created: str
    """When the contest was created."""
    full_delay: float
    """Seconds by which results are shown late to people who are not staff."""
    title: str


def find_visible_contest(server_state: ServerState, identity: Identity, id: int) -> VisibleContest:
    """A contest with tables that ``identity`` may see."""
    with server_state.site.database.reading() as session:
        contest = contest_access.get_contest(session, id, *KINDS_WITH_TABLES)
        if contest.kind == CONTEST:
            contests.found(session, id, identity)
        contest_access.require_visible(contest, identity)
        delay = 0.0 if identity.staff else contest.delay_s
        seed = contest_access.get_visible_seed(contest, identity)
        begun = contest.play_settings is not None
        return VisibleContest(begun, delay, seed, contest.created_at, contest.delay_s, contest.name)


@get("/contests/{id:int}/bouts", sync_to_thread=True)
def list_contest_bouts(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    player: Word = "",
    opponent: Word = "",
    seat: Number = None,
    result: FromQuery[ResultFilter | None] = None,
    fault: Word = "",
    before: Before = None,
    limit: Limit = 50,
) -> FoundBouts:
    """The bouts of a contest, newest first; for the filters see ``GET /api/bouts``."""
    filters = BoutFilters(
        contest=id,
        player=player,
        opponent=opponent,
        seat=seat,
        result=result or "",
        fault=check_fault(fault),
    )
    with database.reading() as session:
        contest_access.require_visible(contest_access.get_contest(session, id), identity)
        return bout_search.search_bouts(session, identity, filters, before, limit)


@get("/contests/{id:int}/show", sync_to_thread=True)
def list_contest_show(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int], after: BoutId = None
) -> ContestShow:
    """The bouts of a contest that ended after the bout ``after``, oldest first, with their
    rounds."""
    with database.reading() as session:
        contest = contest_access.require_visible(contest_access.get_contest(session, id), identity)
        return contest_show.list_show(session, contest, identity, after or 0)


@get("/contests/{id:int}/{name:str}", sync_to_thread=True)
def get_report(
    request: AnyRequest,
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    name: FromPath[str],
    lang: FromQuery[str] = "",
    people: FromQuery[bool] = False,
    zone: Zone = "",
) -> Response[str]:
    """``report.html``, ``report.csv``, ``report.json`` or ``report.md``. ``people``: the HTML names
    the people behind entrants, with student numbers (staff of the class). ``zone``: the time zone
    of the reader, such as ``Asia/Shanghai``, for ``report.md``; UTC by default."""
    stem, _, form = name.partition(".")
    if stem != "report" or form not in REPORT_MEDIA_TYPES:
        raise not_found("report", "报告")
    visible = find_visible_contest(server_state, identity, id)
    if not visible.begun:
        raise not_found("report yet", "报告")
    spoken = lang if lang in ("en", "zh") else language()
    found = turning_point_search.find(server_state, id, visible.created)
    named = _name_people(server_state, identity, id) if people else None
    address = str(request.base_url).rstrip("/")
    text = server_state.contest_views.write_report(
        id, form, spoken, visible.seed, visible.delay, found, named, address, find_zone(zone)
    )
    title = visible.title if named is None else entrant_people.name_file(visible.title, spoken)
    headers = {
        "content-security-policy": f"{report_page.make_policy()}; {REPORT_ISOLATION}",
        "content-disposition": describe_file_name(f"{title}.{form}", shown=True),
    }
    return Response(text, media_type=REPORT_MEDIA_TYPES[form], headers=headers)


def _name_people(server_state: ServerState, identity: Identity, id: int) -> dict[str, str]:
    with server_state.site.database.reading() as session:
        contest = contest_access.get_contest(session, id)
        return entrant_people.name_people(entrant_people.list_people(session, contest, identity))


REPORT_ISOLATION = "frame-ancestors 'none'; form-action 'none'; sandbox allow-scripts allow-popups"
"""A report's script runs outside the site's origin: without its cookies and its API."""


@get("/presets", sync_to_thread=False)
def list_presets() -> list[PresetInfo]:
    """Presets: the settings of real contests."""
    return contest_tables.list_presets()


@get("/formats", sync_to_thread=False)
def list_formats() -> FormatForms:
    """Every format, and the rules of a match, with their settings as form fields."""
    return contest_tables.describe_formats()


HANDLERS = [
    list_contests,
    get_contest,
    plan_contest,
    change_contest,
    enter_contest,
    list_house_bots,
    leave_contest,
    open_sign_up,
    close_sign_up,
    start_contest,
    publish_contest,
    disqualify_entrant,
    rejudge_bouts,
    get_tables,
    list_contest_bouts,
    list_contest_show,
    get_report,
    list_presets,
    list_formats,
]
