"""Contests, from sign-up to report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from litestar import Response, get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.lang import language
from ludus.scheduling.store import Store
from ludus.server.accounts.auth import Asker
from ludus.server.accounts.identity import ADMIN, PLAY, Viewer
from ludus.server.admin.site_settings import Modules
from ludus.server.bots.bot_routes import Before, Limit
from ludus.server.contests import contests, events, sign_up, views
from ludus.server.records import played_bouts
from ludus.server.state import Arena, Served
from ludus.server.tables import EventRow
from ludus.server.web.errors import no_such

Time = Annotated[str, msgspec.Meta(max_length=40)]
Words = Annotated[str, msgspec.Meta(max_length=10_000)]
Short = Annotated[str, msgspec.Meta(max_length=100)]
Table = dict[str, Any]
MEDIA = {"html": "text/html", "csv": "text/csv", "json": "application/json", "md": "text/markdown"}


class ContestRequest(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A contest, or what is changed about it; what is left out stays as it is."""

    title: Short | None = None
    game: Short | None = None
    options: Table | None = None
    clock: Table | None = None
    format: Short | None = None
    format_settings: Table | None = None
    match: Table | None = None
    """The rules of a match: bouts, seats, …; see ``GET /api/formats``."""
    stages: Table | None = None
    seed: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)] | None = None
    """Left out: drawn. Until the contest is over it is shown to those who run it."""
    group: int | msgspec.UnsetType | None = msgspec.UNSET
    opens: Time | msgspec.UnsetType | None = msgspec.UNSET
    closes: Time | msgspec.UnsetType | None = msgspec.UNSET
    starts: Time | msgspec.UnsetType | None = msgspec.UNSET
    publishes: Time | msgspec.UnsetType | None = msgspec.UNSET
    hidden_until_published: bool | None = None
    delay: Annotated[int, msgspec.Meta(ge=0, le=3600)] | None = None
    """Seconds by which everybody sees its live boards later, and all but the staff its results."""
    imports: Modules | msgspec.UnsetType | None = msgspec.UNSET
    preset: Short | None = None
    about: Words | None = None

    def given(self) -> dict[str, Any]:
        """What was said: null means nothing where it is allowed, else it was not said."""
        said = msgspec.structs.asdict(self)
        unsettable = {"group", "opens", "closes", "starts", "publishes", "imports"}
        return {
            key: value
            for key, value in said.items()
            if value is not msgspec.UNSET and (value is not None or key in unsettable)
        }


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    """A bot of one's own, or (for the staff) a house bot."""

    bot: int | Short


class Leaving(msgspec.Struct, forbid_unknown_fields=True):
    """Which bot; by default whichever one has entered."""

    bot: int | None = None


class Disqualification(msgspec.Struct, forbid_unknown_fields=True):
    """Who, and why."""

    entrant: int
    why: Words


class Rejudgement(msgspec.Struct, forbid_unknown_fields=True):
    """What is to be played again, and why."""

    why: Words
    match: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    bout: int | None = None
    entrant: Short | None = None


@get("/contests", sync_to_thread=True)
def all_contests(
    arena: Served,
    asker: Asker,
    game: FromQuery[str | None] = None,
    before: Before = None,
    limit: Limit = 50,
) -> dict[str, Any]:
    """Contests, newest first."""
    if not arena.club.database.exists():
        return {"items": [], "next": None}
    with arena.club.database.reading() as session:
        return contests.list_of(session, asker, game, before, limit)


@get("/contests/{id:int}", sync_to_thread=True)
def one(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """A contest with its entrants."""
    with arena.club.database.reading() as session:
        return contests.as_json(session, contests.found(session, id, asker), asker)


@post("/contests", sync_to_thread=True, status_code=201, scope=ADMIN)
def plan(arena: Served, asker: Asker, data: JSONBody[ContestRequest]) -> dict[str, Any]:
    """Plan a contest (teachers)."""
    asker.must_be_staff()
    given = data.given()
    if not given.get("title"):
        raise LudusError("a contest needs a title", "比赛需要标题")
    with arena.club.database.writing() as session:
        event = contests.plan(session, asker, given)
        return contests.as_json(session, event, asker)


@patch("/contests/{id:int}", sync_to_thread=True, scope=ADMIN)
def change(
    arena: Served, asker: Asker, id: FromPath[int], data: JSONBody[ContestRequest]
) -> dict[str, Any]:
    """Change a contest (teachers); most of it only before it begins."""
    return _staff(arena, asker, id, lambda s, e: contests.change(s, asker, e, data.given()))


def _staff(
    arena: Arena, asker: Viewer, id: int, act: Callable[[Session, EventRow], Any]
) -> dict[str, Any]:
    """Something that those who run a contest do to it."""
    asker.must_be_staff()
    with arena.club.database.writing() as session:
        event = contests.found(session, id, asker)
        events.must_run(event, asker)
        act(session, event)
        session.flush()
        told = contests.as_json(session, event, asker)
    arena.showing.forget()
    arena.ring()
    arena.changed(id)
    return told


@post("/contests/{id:int}/enter", sync_to_thread=True, status_code=200, scope=PLAY)
def enter(arena: Served, asker: Asker, id: FromPath[int], data: JSONBody[Entry]) -> dict[str, Any]:
    """Enter a bot of yours; its newest good version at the deadline plays."""
    asker.must_be_known()
    with arena.club.database.writing() as session:
        event = contests.found(session, id, asker)
        if isinstance(data.bot, str):
            events.must_run(event, asker)
            sign_up.invite_house(session, asker, event, data.bot)
        else:
            sign_up.enter(session, asker, event, data.bot)
        session.flush()
        told = contests.as_json(session, event, asker)
    arena.changed(id)
    return told


@post("/contests/{id:int}/leave", sync_to_thread=True, status_code=200, scope=PLAY)
def leave(
    arena: Served, asker: Asker, id: FromPath[int], data: JSONBody[Leaving]
) -> dict[str, Any]:
    """Take your bot back while sign-up is open."""
    asker.must_be_known()
    with arena.club.database.writing() as session:
        event = contests.found(session, id, asker)
        sign_up.leave(session, asker, event, data.bot)
        session.flush()
        told = contests.as_json(session, event, asker)
    arena.changed(id)
    return told


@post("/contests/{id:int}/freeze", sync_to_thread=True, status_code=200, scope=ADMIN)
def freeze(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """Close sign-up now; every bot's version is fixed (teachers)."""
    return _staff(arena, asker, id, lambda s, e: contests.freeze(s, asker, e))


@post("/contests/{id:int}/start", sync_to_thread=True, status_code=200, scope=ADMIN)
def start(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """Begin now (teachers)."""
    return _staff(arena, asker, id, lambda s, e: contests.start(s, asker, e))


@post("/contests/{id:int}/publish", sync_to_thread=True, status_code=200, scope=ADMIN)
def publish(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """Show everybody the results (teachers)."""
    return _staff(arena, asker, id, lambda s, e: contests.publish(s, asker, e))


@post("/contests/{id:int}/disqualify", sync_to_thread=True, status_code=200, scope=ADMIN)
def disqualify(
    arena: Served, asker: Asker, id: FromPath[int], data: JSONBody[Disqualification]
) -> dict[str, Any]:
    """An entrant plays no more, for a reason (teachers)."""
    return _staff(
        arena, asker, id, lambda s, e: contests.disqualify(s, asker, e, data.entrant, data.why)
    )


@post("/contests/{id:int}/rejudge", sync_to_thread=True, status_code=200, scope=ADMIN)
def rejudge(
    arena: Served, asker: Asker, id: FromPath[int], data: JSONBody[Rejudgement]
) -> dict[str, Any]:
    """Have bouts played again on the same seeds (teachers); the old ones stay, uncounted."""
    asker.must_be_staff()

    def act(session: Session, event: EventRow) -> None:
        if event.contest_id is None:
            raise no_such("bout", "对局")
        store = Store(arena.club.database.engine, event.contest_id)
        contests.rejudge(
            session,
            asker,
            event,
            store,
            match=data.match,
            bout=data.bout,
            entrant=data.entrant,
            why=data.why,
        )

    return _staff(arena, asker, id, act)


@get("/contests/{id:int}/tables", sync_to_thread=True)
def tables(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """Tables, crosstable and bracket as they are now."""
    contest_id, delay, _ = _begun(arena, asker, id)
    if contest_id is None:
        return {"tables": [], "standings": None, "bracket": None, "crosstable": None}
    return arena.boards.tables(contest_id, delay)


TABLED = (events.CONTEST, events.CHALLENGE, events.TEST)
"""What has tables; a ladder has a page of its own, and far too many bouts."""


def _begun(arena: Arena, asker: Viewer, id: int) -> tuple[int | None, float, int | None]:
    """The contest behind an event that somebody may see, how late they see it, and its seed as far
    as they may know it."""
    with arena.club.database.reading() as session:
        event = events.event_of(session, id, *TABLED)
        if event.kind == events.CONTEST:
            contests.found(session, id, asker)
        events.must_see(event, asker)
        delay = 0.0 if asker.staff else event.delay
        return event.contest_id, delay, events.shown_seed(event, asker)


@get("/contests/{id:int}/bouts", sync_to_thread=True)
def contest_bouts(
    arena: Served, asker: Asker, id: FromPath[int], before: Before = None, limit: Limit = 50
) -> dict[str, Any]:
    """The bouts of a contest, newest first."""
    with arena.club.database.reading() as session:
        event = events.must_see(events.event_of(session, id), asker)
        return played_bouts.of_event(session, event, asker, before, limit)


@get("/contests/{id:int}/{name:str}", sync_to_thread=True)
def report(
    arena: Served,
    asker: Asker,
    id: FromPath[int],
    name: FromPath[str],
    lang: FromQuery[str] = "",
) -> Response[str]:
    """``report.html``, ``report.csv``, ``report.json`` or ``report.md``."""
    stem, _, form = name.partition(".")
    if stem != "report" or form not in MEDIA:
        raise no_such("report", "报告")
    contest_id, delay, seed = _begun(arena, asker, id)
    if contest_id is None:
        raise no_such("report yet", "报告")
    spoken = lang if lang in ("en", "zh") else language()
    text = arena.boards.report(contest_id, form, spoken, seed, delay)
    return Response(text, media_type=MEDIA[form], headers=REPORT)


REPORT = {
    # A report brings its own style; it never runs a script.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups"
}


@get("/presets", sync_to_thread=False)
def presets() -> list[dict[str, Any]]:
    """Real events as settings."""
    return views.presets()


@get("/formats", sync_to_thread=False)
def formats() -> dict[str, Any]:
    """Every format, and the rules of a match, with their settings as forms."""
    return {"formats": views.formats(), "match": views.match_settings()}


HANDLERS = [
    all_contests,
    one,
    plan,
    change,
    enter,
    leave,
    freeze,
    start,
    publish,
    disqualify,
    rejudge,
    tables,
    contest_bouts,
    report,
    presets,
    formats,
]
