"""Routes that need no account: games, films, records, rooms, matches."""

from __future__ import annotations

import asyncio
import gzip
from functools import partial
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.datastructures import UploadFile
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

import ludus
from ludus.errors import LudusError
from ludus.games.registry import get_listed
from ludus.lang import language
from ludus.match.record import SUFFIX, pack
from ludus.server import game_catalogue, game_guides
from ludus.server.accounts.identity import PLAY, READ, Identity
from ludus.server.admin import audit
from ludus.server.game_schemas import GameGuideInfo, GameInfo, ServerInfo
from ludus.server.live import board_schemas
from ludus.server.live.board_schemas import Gesture
from ludus.server.live.film_schemas import (
    BoutSummary,
    FileError,
    FilmInfo,
    OpenedFilms,
    SharedFilm,
    SummaryPage,
)
from ludus.server.page_links import page_link
from ludus.server.playable_games import get_playable_game
from ludus.server.records.analyses import AnalysisInfo
from ludus.server.records.bout_notes import FilmNotes
from ludus.server.records.opened_files import MAX_UPLOAD_BYTES, MAX_UPLOADED_FILES, OpenedFile
from ludus.server.records.standalone_page import render_html
from ludus.server.rooms.played_room import PlayedRoom
from ludus.server.rooms.room_plan import compile_bots
from ludus.server.rooms.room_schemas import (
    OpenedRoom,
    RoomInfo,
    SeatKey,
    SeatName,
    StartedMatch,
    StoppedMatch,
    TakenSeat,
)
from ludus.server.services import InjectedBotCatalogue, InjectedLibrary, InjectedRooms
from ludus.server.state import InjectedIdentity, InjectedState, ServerState, unknown_bout
from ludus.server.web.errors import Forbidden, NotFound, TooManyRequests, retry_later
from ludus.server.web.forms import Form
from ludus.server.web.multipart import read_form, run_while_connected
from ludus.server.web.responses import response_spec
from ludus.server.web.room_and_match_requests import (
    MatchRequest,
    RoomRequest,
    SeatNameRequest,
    ShareRequest,
    StopRequest,
    clean_name,
    make_match_spec,
    make_room_plan,
    read_given_moves,
)
from ludus.server.web.traffic_limits import TrafficCaller
from ludus.server.web.vocabulary_schema import Vocabulary, make_vocabulary

JSON = "application/json"


def gzip_response(
    request: Request[Any, Any, Any], data: bytes, media: str = JSON
) -> Response[bytes]:
    """A gzipped response, decompressed for clients that do not accept gzip."""
    headers = {"vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(data, media_type=media, headers={**headers, "content-encoding": "gzip"})
    return Response(gzip.decompress(data), media_type=media, headers=headers)


@get("/info", sync_to_thread=False)
def get_server_info(server_state: InjectedState) -> ServerInfo:
    """The server: its version, its language, whether demos run and who can reach it."""
    settings = server_state.settings
    return ServerInfo(ludus.__version__, language(), settings.demo, settings.loopback)


@get("/vocabulary", sync_to_thread=False)
def get_vocabulary() -> Vocabulary:
    """The names of all keys of the API: fault kinds, states, formats, …"""
    return make_vocabulary()


@get("/games", sync_to_thread=True)
def list_games(bot_catalogue: InjectedBotCatalogue) -> list[GameInfo]:
    """Every game with its options, clock and bots."""
    return game_catalogue.list_games(bot_catalogue)


@get("/games/{name:str}", sync_to_thread=True)
def get_game(bot_catalogue: InjectedBotCatalogue, name: FromPath[str]) -> GameInfo:
    """One game with its options, clock and bots."""
    try:
        return game_catalogue.describe(get_listed(name), bot_catalogue)
    except LudusError as error:
        raise NotFound(error.text["en"], error.text["zh"], code=error.code) from None


@get("/games/{name:str}/guide", sync_to_thread=True)
def get_guide(name: FromPath[str]) -> GameGuideInfo:
    """What people read about a game: rules with boards, notation, what bots are given, openings."""
    return game_guides.describe_guide(get_playable_game(name))


@get("/live")
async def list_live_bouts(server_state: InjectedState) -> list[BoutSummary]:
    """The bouts under way on this machine."""
    return await server_state.list_live_bouts()


@get("/records", sync_to_thread=True)
def list_records(
    server_state: InjectedState,
    library: InjectedLibrary,
    game: FromQuery[str | None] = None,
    bot: Annotated[str, QueryParameter(max_length=100)] = "",
    before: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
) -> SummaryPage:
    """Saved bouts, newest first. ``before`` is the ``next`` of the previous page. ``bot`` is the
    beginning of the name of a bot or of a person, or ``"zealot"``: exactly this name."""
    named = server_state.find_named_players(bot) if bot.strip() else None
    return library.list_page(game, named, before, limit)


@get("/films/{id:str}", responses={200: response_spec(FilmInfo, "The film")})
async def get_film(
    request: Request[Any, Any, Any],
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[str],
    seat: Annotated[int | None, QueryParameter(ge=0)] = None,
) -> Response[bytes]:
    """A bout as the page shows it: a first frame and the changes of every step.

    With ``seat``, for a finished bout: as that seat saw it.
    """
    if seat is None:
        return gzip_response(request, await server_state.load_film(id, identity))
    return gzip_response(request, await server_state.load_seat_film(id, seat, identity))


@get("/films/{id:str}/raw")
async def download_record(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[str]
) -> Response[bytes]:
    """The bout's record, a .ludus file."""
    data = pack(await asyncio.to_thread(server_state.load_record, id, identity))
    return make_download(data, f"{id}{SUFFIX}", "application/octet-stream")


@get("/films/{id:str}/html")
async def download_html(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[str]
) -> Response[bytes]:
    """The bout as one HTML file that opens without a server."""
    film = gzip.decompress(await server_state.load_film(id, identity))
    return make_download(await asyncio.to_thread(render_html, film), f"{id}.html", "text/html")


@get("/films/{id:str}/notes")
async def get_film_notes(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[str]
) -> FilmNotes:
    """What bots said about their moves: your own bots, and those whose owners show it to all."""
    return await asyncio.to_thread(server_state.load_notes, id, identity)


@get("/films/{id:str}/analysis")
async def get_analysis(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[str],
    after: Annotated[int | None, QueryParameter(ge=0)] = None,
) -> AnalysisInfo:
    """What is known about the moves of a bout; for all who may see it. Ask again while its
    state is ``waiting`` or ``running``: the results become better. With ``after``, the ``number``
    of the last answer, the server answers when there is something newer, or after two seconds.
    """
    record = await asyncio.to_thread(server_state.load_record, id, identity)
    if server_state.analysis.bouts.is_needed(record):
        server_state.analysis.programs.prepare()
    if after is None:
        return server_state.analysis.bouts.find(record)
    return await server_state.analysis.bouts.wait_for_news(record, after)


@post("/films/{id:str}/analysis", status_code=202, scope=PLAY)
async def start_analysis(
    request: Request[Any, Any, Any],
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[str],
) -> AnalysisInfo:
    """Have the moves of a bout judged in the background, unless that was done or is under way."""
    await asyncio.to_thread(server_state.refuse_guests, identity)
    record = await asyncio.to_thread(server_state.load_record, id, identity)
    if server_state.analysis.bouts.is_needed(record):
        caller = request_caller(request, server_state, identity)
        limits = server_state.traffic.limits
        each_hour = caller.pick_limit(
            limits.new_analyses_per_guest, limits.new_analyses_per_account, limits
        )
        try:
            server_state.traffic.analyses.spend(caller, each_hour, 3600)
        except TooManyRequests as refused:
            raise retry_later(
                f"your quota of analyses is used up ({each_hour} per hour)",
                f"分析次数已用完（每小时 {each_hour} 次）",
                refused.wait - 1,
            ) from None
        passing = server_state.uploads.find(id) or server_state.seminars.find_film(id)
        server_state.analysis.bouts.start(record, caller, keep=not passing)
    return server_state.analysis.bouts.find(record)


@post("/films/{id:str}/share", status_code=200, scope=PLAY)
async def share_demo(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[str],
    data: JSONBody[ShareRequest],
) -> SharedFilm:
    """Have a bout of a demo saved, so that others can watch this very bout."""
    await asyncio.to_thread(server_state.refuse_guests, identity)
    demo = server_state.demos.find(id)
    film = await asyncio.to_thread(demo.share, data.number) if demo is not None else None
    if film is None:
        raise unknown_bout(id)
    return SharedFilm(film)


@get("/films/{id:str}/gestures")
async def list_gestures(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[str],
    step: Annotated[int, QueryParameter(ge=0)],
    seat: Annotated[int, QueryParameter(ge=0)],
) -> list[Gesture]:
    """The gestures of a seat in a position of a film."""
    position = await server_state.load_position(id, step, identity)
    return await asyncio.to_thread(board_schemas.list_gestures, position, seat)


@post(
    "/open",
    request_max_body_size=MAX_UPLOAD_BYTES,
    status_code=200,
    scope=READ,
    form=Form(),
    responses={
        200: response_spec(OpenedFilms, "What became of the files"),
    },
)
async def open_files(
    request: Request[Any, Any, Any], server_state: InjectedState, identity: InjectedIdentity
) -> Response[OpenedFilms | FileError]:
    """Open files: records, files of the originals, whole folders of them (field ``files``).

    They are kept in memory for a while. ``errors`` names the files that could not be read.
    """
    if not server_state.settings.reader:
        raise LudusError("this server does not open files", "本服务器不打开文件")
    form = await read_form(request)
    sent = [each for each in form.getall("files", []) if isinstance(each, UploadFile)]
    if len(sent) > MAX_UPLOADED_FILES:
        raise LudusError(
            f"more than {MAX_UPLOADED_FILES} files at once", f"一次最多 {MAX_UPLOADED_FILES} 个文件"
        )
    files = [OpenedFile(each.filename, await each.read()) for each in sent]
    for each in sent:
        await each.close()

    async def open_in_turn() -> OpenedFilms:
        async with server_state.traffic.file_reads.wait_turn(
            request_caller(request, server_state, identity)
        ):
            return await server_state.uploads.open(files)

    answer = await run_while_connected(request, open_in_turn())
    if answer.films:
        return Response(answer)
    return Response(answer.errors[0], status_code=400)


@post("/rooms", status_code=201, scope=PLAY)
async def open_room(
    request: Request[Any, Any, Any],
    server_state: InjectedState,
    identity: InjectedIdentity,
    data: JSONBody[RoomRequest],
) -> OpenedRoom:
    """Open a room: a bout with people on its seats. The holder of a seat's token plays there."""
    await asyncio.to_thread(server_state.refuse_guests, identity)
    caller, limits = request_caller(request, server_state, identity), server_state.traffic.limits
    each_minute = caller.pick_limit(
        limits.new_rooms_per_guest, limits.new_rooms_per_account, limits
    )
    server_state.traffic.rooms.spend(caller, each_minute, 60)
    begun = await asyncio.to_thread(read_given_moves, data)
    if data.origin is not None:
        begun = await server_state.load_beginning(data.origin.film, data.origin.step, identity)
    find, mark = (
        partial(server_state.find_bot, identity),
        partial(server_state.mark_guest_name, identity),
    )
    own = server_state.is_single_user
    plan = await asyncio.to_thread(
        lambda: compile_bots(make_room_plan(data, begun, find, mark, own_machine=own))
    )
    room = server_state.rooms.open(plan, caller)
    base = f"{request.url.scheme}://{request.headers['host']}"
    seats = []
    for number, seat in enumerate(room.plan.seats):
        seat_key = SeatKey(number, seat.kind)
        human_seat = room.human_seats.get(number)
        if human_seat is not None and not human_seat.open:
            seat_key.token = human_seat.token
            seat_key.link = page_link(
                "/room/:id", room.live_bout.id, {"token": human_seat.token}, base
            )
        seats.append(seat_key)
    return OpenedRoom(room.live_bout.id, seats)


@get("/rooms", sync_to_thread=False)
def list_rooms(rooms: InjectedRooms) -> list[RoomInfo]:
    """The rooms of this server, newest first."""
    return rooms.list_rooms()


@post("/rooms/{id:str}/sit", status_code=200, scope=PLAY)
async def take_seat(
    rooms: InjectedRooms, identity: InjectedIdentity, id: FromPath[str]
) -> TakenSeat:
    """Take an open seat of a room."""
    identity.require_login()
    room = rooms.find(id)
    if not isinstance(room, PlayedRoom):
        raise NotFound("this room does not exist", "没有这个房间")
    human_seat = room.take_seat(identity.name)
    return TakenSeat(id, human_seat.seat, human_seat.token)


@post("/rooms/{id:str}/name", status_code=200, scope=PLAY)
async def name_seat(
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[str],
    data: JSONBody[SeatNameRequest],
) -> SeatName:
    """Name the person on a seat of a room, also while the bout is under way."""
    room = server_state.rooms.find(id)
    if not isinstance(room, PlayedRoom):
        raise NotFound("this room does not exist", "没有这个房间")
    if (human_seat := room.find_seat(data.token)) is None:
        raise Forbidden("the token opens no seat of this room", "这个 token 不对应房间的任何座位")
    name = identity.name or clean_name(data.name)
    if not name:
        raise LudusError("a name needs at least one visible character", "名字至少要有一个可见字符")
    shown = await asyncio.to_thread(server_state.mark_guest_name, identity, name)
    room.rename(human_seat, shown)
    return SeatName(human_seat.seat, human_seat.player.name)


@post("/matches", status_code=201, scope=PLAY)
async def start_match(
    request: Request[Any, Any, Any],
    server_state: InjectedState,
    identity: InjectedIdentity,
    data: JSONBody[MatchRequest],
) -> StartedMatch:
    """Start a match between bots on this server. Anybody with its ``key`` may stop it."""
    await asyncio.to_thread(server_state.refuse_guests, identity)
    caller, limits = request_caller(request, server_state, identity), server_state.traffic.limits
    each_hour = caller.pick_limit(
        limits.new_matches_per_guest, limits.new_matches_per_account, limits
    )
    spec = make_match_spec(data, server_state.bot_catalogue)
    server_state.traffic.matches.spend(caller, each_hour, 3600)
    match = server_state.matches.start(spec, data.delay, caller)
    films = [bout.id for bout in match.live_bouts]
    return StartedMatch(match.id, films, match.key)


@post("/matches/{id:str}/stop", status_code=200, scope=PLAY)
async def stop_match(
    request: Request[Any, Any, Any],
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[str],
    data: JSONBody[StopRequest],
) -> StoppedMatch:
    """Stop a match: for the account that started it, anybody with its ``key``, and the staff."""
    caller = request_caller(request, server_state, identity)
    stopped = server_state.matches.stop(id, data.key, caller, staff=identity.staff)
    if identity.staff and stopped.owner != caller:
        await asyncio.to_thread(_note_stop, server_state, identity, id)
    return StoppedMatch(id)


def _note_stop(server_state: ServerState, identity: Identity, id: str) -> None:
    with server_state.site.database.writing() as session:
        audit.log_action(session, identity, "match stopped", match=id)


def request_caller(
    request: Request[Any, Any, Any], server_state: ServerState, identity: Identity
) -> TrafficCaller:
    """The caller under whom a request is counted."""
    return server_state.identify_caller(identity, request.client.host if request.client else "")


def make_download(data: bytes, name: str, media: str) -> Response[bytes]:
    """A response that browsers save as a file."""
    headers = {"content-disposition": describe_file_name(name)}
    return Response(data, media_type=media, headers=headers)


def describe_file_name(name: str, *, shown: bool = False) -> str:
    """The header by which browsers call a file so when it is saved; ``shown``: they may show it
    first."""
    from urllib.parse import quote

    return f"{'inline' if shown else 'attachment'}; filename*=UTF-8''{quote(name, safe='')}"


HANDLERS = [
    get_server_info,
    get_vocabulary,
    list_games,
    get_game,
    get_guide,
    list_live_bouts,
    list_records,
    get_film,
    download_record,
    download_html,
    get_film_notes,
    get_analysis,
    share_demo,
    start_analysis,
    list_gestures,
    open_files,
    open_room,
    list_rooms,
    take_seat,
    name_seat,
    start_match,
    stop_match,
]
