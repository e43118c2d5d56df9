"""Requests for rooms and matches, validated before anything is started."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import msgspec

from ludus.errors import LudusError
from ludus.games.base import Clock, Game, Position
from ludus.games.host import Ply
from ludus.games.openings import resolve_openings
from ludus.games.registry import get_listed
from ludus.lang import tr
from ludus.match.clock import refuse_long_clock
from ludus.match.series import plan_bouts
from ludus.match.spec import MatchSpec
from ludus.server.accounts.name_rules import strip_invisible
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.live.messages import SeatKind
from ludus.server.rooms.room_plan import MAX_NAME_CHARS, RoomBot, RoomPlan, SeatPlan
from ludus.server.web.errors import Forbidden

Seed = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
MAX_GIVEN_STEPS = 5000
"""How many steps a request may bring of which there is no film."""
Name = Annotated[str, msgspec.Meta(max_length=200)]


class SeatRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The player of a seat: a person, a bot, an open seat for anybody, or a remote program."""

    kind: SeatKind
    name: Name = ""
    """The person's name."""
    bot: Name | int = ""
    """A house bot's name, or the id of an uploaded bot."""


class FilmPosition(msgspec.Struct, forbid_unknown_fields=True):
    """A position of another bout."""

    film: Name
    step: Annotated[int, msgspec.Meta(ge=0)]


class RoomRequest(msgspec.Struct, forbid_unknown_fields=True, rename={"origin": "from"}):
    """A bout with people on its seats."""

    seats: Annotated[list[SeatRequest], msgspec.Meta(min_length=1, max_length=16)]
    game: Name = ""
    """May be left out if ``from`` is given."""
    options: dict[str, Any] = {}
    clock: Clock | None = None
    """Wall time; null: no limit for people."""
    title: Annotated[str, msgspec.Meta(max_length=100)] = ""
    practice: bool = False
    """Whether moves can be taken back, the bout restarted, and the clock stopped."""
    delay: Annotated[float, msgspec.Meta(ge=0, le=5)] = 0.0
    """Seconds that are at least between a step and the move of a bot that follows it."""
    seed: Seed | None = None
    origin: FilmPosition | None = None
    """Continue from a position of any film."""
    moves: Annotated[list[dict[int, Name]], msgspec.Meta(max_length=MAX_GIVEN_STEPS)] = []
    """Begin after these moves, by seat step by step: those of a bout that is kept nowhere. They
    need the ``seed`` of that bout."""


class SeatNameRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The name of the person on a seat."""

    token: Name
    """The token of the seat."""
    name: Annotated[str, msgspec.Meta(max_length=MAX_NAME_CHARS)] = ""
    """For guests; people with an account play under its name."""


class MatchRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Bouts between bots."""

    game: Name
    bots: Annotated[list[Name], msgspec.Meta(min_length=1, max_length=16)]
    options: dict[str, Any] = {}
    bouts: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1
    delay: Annotated[float, msgspec.Meta(ge=0, le=5)] = 0.2
    """Seconds between two moves."""
    seed: Seed | None = None
    openings: Annotated[str, msgspec.Meta(max_length=20)] = ""
    """``suite``, ``random:N`` or ``none``; empty: the game's default."""


class StopRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Identifies who may stop a match."""

    key: Name = ""
    """Given to the person who started it; their account and the staff need none."""


class ShareRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Which bout of a demo is to be saved."""

    number: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    """Its number in the demo's match, as films tell it."""


class BoutBeginning(msgspec.Struct):
    """The bout that is continued: its settings and its first steps."""

    game: str
    options: Mapping[str, Any]
    seed: int
    opening: Sequence[Ply]


def read_given_moves(request: RoomRequest) -> BoutBeginning | None:
    """The bout that a request brings itself; LudusError if it cannot have been played so."""
    if not request.moves:
        return None
    game = get_listed(request.game)
    if request.seed is None or game.turn_source:
        raise LudusError(
            "a bout is continued from its moves and seed, in games that no program judges",
            "继续一局需要它的着法和种子；由程序裁判的游戏不能继续",
        )
    begun = BoutBeginning(game.name, request.options, request.seed, request.moves)
    if replay_beginning(begun).outcome is not None:
        raise LudusError("this bout is over", "这一局已经结束")
    return begun


def replay_beginning(begun: BoutBeginning) -> Position:
    """The position after the moves of a beginning."""
    game = get_listed(begun.game)
    position = game.start(game.Options.parse(begun.options), begun.seed)
    for ply in begun.opening:
        position.play(ply)
    return position


FindBot = Callable[[str | int, Game], RoomBot]
"""Finds a bot that may play in a room."""


def draw_seed(game: Game) -> int:
    """A random seed: short enough to type or, in games with hidden information, too long to be
    found by trying which seed gives the hand that one sees."""
    return secrets.randbelow(1 << 53 if game.hidden else 10**6)


def make_room_plan(
    request: RoomRequest,
    beginning: BoutBeginning | None,
    find: FindBot,
    mark: Callable[[str], str],
    *,
    own_machine: bool = False,
) -> RoomPlan:
    """The plan of a room; LudusError if the request is invalid. ``mark`` gives a person's name as
    it is shown. On their ``own_machine`` people may know hidden information."""
    game = get_listed(request.game if beginning is None else beginning.game)
    if (request.seed is not None or beginning is not None) and not own_machine:
        _refuse_known_hidden_state(request, game)
    if beginning is None:
        seed = draw_seed(game) if request.seed is None else request.seed
        beginning = BoutBeginning(game.name, request.options, seed, ())
    options = game.Options.parse(beginning.options)
    if len(request.seats) != len(game.seats):
        raise LudusError(
            f"{game.name} has {len(game.seats)} seats, got {len(request.seats)}",
            f"{game.name} 有 {len(game.seats)} 个座位，得到 {len(request.seats)} 个",
        )
    seats = [_make_seat_plan(each, game, find, mark) for each in request.seats]
    if all(seat.bot for seat in seats):
        raise LudusError("a room needs a person; start a match instead", "房间里至少要有一个人")
    clock = request.clock
    if clock is not None:
        clock = Clock(clock.budget, clock.increment, clock.per_move, "wall", clock.patience)
        refuse_long_clock(clock)
    title = clean_name(request.title)
    return RoomPlan(
        game,
        options,
        beginning.seed,
        seats,
        clock,
        request.practice,
        beginning.opening,
        title,
        request.delay,
    )


def _refuse_known_hidden_state(request: RoomRequest, game: Game) -> None:
    """Refuse a chosen seed and a continued bout in games with hidden information.

    Both tell one person what every seat hides, which is fair only if nobody else plays.
    """
    house = [each for each in request.seats if each.kind == "bot" and not str(each.bot).isdecimal()]
    if game.hidden and len(house) < len(request.seats) - 1:
        raise Forbidden(
            f"{game.name} has hidden information: choosing a seed or continuing a bout is possible"
            " only in rooms in which all other players are house bots",
            f"{game.name} 对各座位有隐藏信息：只有其余座位都是自带 AI 时，"
            "才能指定种子或从某一局继续",
        )


def _make_seat_plan(
    request: SeatRequest, game: Game, find: FindBot, mark: Callable[[str], str]
) -> SeatPlan:
    if request.kind == "bot":
        found = find(request.bot, game)
        return SeatPlan(found.source.name, found.source, "bot", found.id)
    names = {"open": tr("open seat", "待定"), "remote": tr("a program", "远程程序")}
    name = mark(clean_name(request.name)) or names.get(request.kind, tr("guest", "游客"))
    return SeatPlan(name, None, request.kind)


def clean_name(name: str) -> str:
    """A name that can be shown in one line."""
    return "".join(c for c in strip_invisible(name) if c.isprintable()).strip()[:MAX_NAME_CHARS]


def make_match_spec(request: MatchRequest, bot_catalogue: BotCatalogue) -> MatchSpec:
    """The requested match; LudusError if the request is invalid."""
    game = get_listed(request.game)
    options = game.Options.parse(request.options)
    if len(request.bots) != len(game.seats):
        raise LudusError(
            f"{game.name} has {len(game.seats)} seats, got {len(request.bots)} bots",
            f"{game.name} 有 {len(game.seats)} 个座位，得到 {len(request.bots)} 个 AI",
        )
    bots = [bot_catalogue.find(bot, game) for bot in request.bots]
    seed = draw_seed(game) if request.seed is None else request.seed
    openings = resolve_openings(request.openings, game, options, files=False)
    bouts = plan_bouts(len(game.seats), request.bouts, seed, openings=openings)
    return MatchSpec.for_game(game, options.as_json(), bots, bouts, isolate=True)
