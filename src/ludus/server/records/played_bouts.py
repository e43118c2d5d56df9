"""Bouts in the server's database: lists, films and, for owners, the output of their bots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import sqlalchemy as sql
from msgspec import UNSET, UnsetType
from sqlalchemy.orm import Session

from ludus.lang import Text
from ludus.sandbox.bot_fault import FaultKind
from ludus.scheduling.bout_store import unpack_output
from ludus.scheduling.schema import (
    BotRow,
    BoutRow,
    CheckRecordRow,
    ContestRow,
    EntrantRow,
    GradingRow,
    RecordRow,
    SeatRow,
    VersionRow,
)
from ludus.scheduling.schema.contests import LOCAL
from ludus.server.accounts.identity import Identity
from ludus.server.bots import bots
from ludus.server.contests import contest_access, live_access
from ludus.server.live.film_schemas import MatchPlace
from ludus.server.live.film_updates import LiveBoutInfo
from ludus.server.records.bout_schemas import (
    BotLink,
    BoutInfo,
    BoutPlayer,
    ContestLink,
    FaultInfo,
    OwnerInfo,
    PlayerInfo,
    SeatOutput,
    VersionLink,
)
from ludus.server.web.errors import NotFound, not_found

BOUT_FILM_PREFIX, CHECK_FILM_PREFIX = "bout-", "check-"
"""Prefixes of the ids of films of bouts and of checks."""
STORED_FILM_ID_PATTERN = re.compile(
    rf"{BOUT_FILM_PREFIX}[1-9]\d{{0,15}}|{CHECK_FILM_PREFIX}[1-9]\d{{0,15}}-\d{{1,4}}"
)


class EntrantBots:
    """The uploaded bots behind the entrants of some contests."""

    def __init__(
        self, session: Session, contest_ids: Iterable[int], names: Iterable[str] | None = None
    ) -> None:
        """``names``: only these entrants; a ladder has very many."""
        contest_ids = set(contest_ids)
        query = (
            sql.select(EntrantRow, BotRow, VersionRow)
            .outerjoin(BotRow, BotRow.id == EntrantRow.bot_id)
            .outerjoin(VersionRow, VersionRow.id == EntrantRow.version_id)
            .where(EntrantRow.contest_id.in_(contest_ids))
        )
        if names is not None:
            query = query.where(EntrantRow.name.in_(set(names)))
        self._bots_by_entrant = {
            (e.contest_id, e.name): (b, v) for e, b, v in session.execute(query)
        }
        graded = sql.select(GradingRow.contest_id, GradingRow.assignment_id).where(
            GradingRow.contest_id.in_(contest_ids)
        )
        self._assignments: dict[int, int] = {
            contest_id: assignment_id for contest_id, assignment_id in session.execute(graded)
        }
        uploaded = [bot for bot, _ in self._bots_by_entrant.values() if bot is not None]
        self._owners = bots.describe_owners(session, uploaded)

    def link_contest(self, contest: ContestRow) -> ContestLink:
        return ContestLink(
            contest.id, contest.kind, contest.name, self._assignments.get(contest.id, UNSET)
        )

    def find_bot(self, contest_id: int, entrant: str) -> BotRow | None:
        return self._bots_by_entrant.get((contest_id, entrant), (None, None))[0]

    def describe_player(self, contest_id: int, entrant: str) -> PlayerInfo:
        return PlayerInfo(
            entrant,
            self._bot_link(contest_id, entrant),
            self._version_link(contest_id, entrant),
            self._find_owner(contest_id, entrant),
        )

    def _bot_link(self, contest_id: int, entrant: str) -> BotLink | UnsetType:
        bot = self.find_bot(contest_id, entrant)
        return UNSET if bot is None else BotLink(bot.id, bot.name)

    def _version_link(self, contest_id: int, entrant: str) -> VersionLink | UnsetType:
        _, version = self._bots_by_entrant.get((contest_id, entrant), (None, None))
        return UNSET if version is None else VersionLink(version.id, version.number)

    def _find_owner(self, contest_id: int, entrant: str) -> OwnerInfo | UnsetType:
        bot = self.find_bot(contest_id, entrant)
        return UNSET if bot is None else self._owners.get(bot.id, UNSET)

    def version_name(self, contest_id: int, entrant: str) -> str:
        """``#3``; empty for house bots."""
        version = self._version_link(contest_id, entrant)
        return "" if version is UNSET else f"#{version.number}"

    def describe_bout_player(self, contest_id: int, bout: BoutRow, seat: int) -> BoutPlayer:
        name = bout.names[seat]
        fault = next((fault for fault in bout.faults if fault["seat"] == seat), None)
        return BoutPlayer(
            name=name,
            bot=self._bot_link(contest_id, name),
            version=self._version_link(contest_id, name),
            owner=self._find_owner(contest_id, name),
            score=bout.scores[seat],
            cpu=bout.cpu[seat],
            figure=bout.figures[seat],
            fault=UNSET if fault is None else FaultInfo(FaultKind(fault["kind"]), fault["why"]),
        )


def describe_bout(bout: BoutRow, contest: ContestRow, cast: EntrantBots) -> BoutInfo:
    return BoutInfo(
        id=bout.id,
        film=f"{BOUT_FILM_PREFIX}{bout.id}",
        game=contest.game,
        at=bout.began_at,
        contest=cast.link_contest(contest),
        match=bout.match_id,
        number=bout.number + 1,
        players=[
            cast.describe_bout_player(contest.id, bout, seat) for seat in range(len(bout.names))
        ],
        winner=find_winner(bout),
        verdict=bout.verdict,
        reason=Text.of(bout.reason or _first_fault_reason(bout)),
        plies=bout.plies,
        void=bout.void,
    )


def find_winner(bout: BoutRow) -> int | None:
    """The seat that alone has the best score."""
    best = max(bout.scores)
    return bout.scores.index(best) if bout.scores.count(best) == 1 else None


def _first_fault_reason(bout: BoutRow) -> Mapping[str, str]:
    why: Mapping[str, str] = bout.faults[0]["why"] if bout.faults else Text("", "")
    return why


def describe_bouts(session: Session, rows: Sequence[tuple[BoutRow, ContestRow]]) -> list[BoutInfo]:
    names = [name for bout, _ in rows for name in bout.names]
    cast = EntrantBots(session, [contest.id for _, contest in rows], names)
    return [describe_bout(bout, contest, cast) for bout, contest in rows]


def is_visible(bout: BoutRow, contest: ContestRow, identity: Identity) -> bool:
    """Whether a bout may be shown to ``identity`` by now."""
    delay = 0 if identity.staff else contest.delay_s
    return contest_access.can_see(contest, identity) and live_access.is_delay_over(
        bout.began_at, bout.wall, delay
    )


def _select_bouts() -> sql.Select[BoutRow, ContestRow]:
    """Bouts of the server's contests, without those of the command line."""
    return (
        sql.select(BoutRow, ContestRow)
        .join(ContestRow, ContestRow.id == BoutRow.contest_id)
        .where(ContestRow.kind != LOCAL)
    )


def get_visible_bout(session: Session, id: int, identity: Identity) -> tuple[BoutRow, ContestRow]:
    row = session.execute(_select_bouts().where(BoutRow.id == id)).first()
    if row is None:
        raise not_found("bout", "对局")
    bout, contest = row
    contest_access.require_visible(contest, identity)
    if not is_visible(bout, contest, identity):
        raise NotFound("this bout is shown later", "本局稍后公开")
    return bout, contest


def describe_bout_in_detail(session: Session, id: int, identity: Identity) -> BoutInfo:
    """A bout; for the owners of its bots with their output."""
    bout, contest = get_visible_bout(session, id, identity)
    cast = EntrantBots(session, [contest.id], bout.names)
    described = describe_bout(bout, contest, cast)
    mine = [
        seat
        for seat, name in enumerate(bout.names)
        if (bot := cast.find_bot(contest.id, name)) is not None and bots.owns(bot, identity)
    ]
    described.output = read_outputs(session, bout.id, mine)
    return described


def read_outputs(session: Session, bout_id: int, seats: Sequence[int]) -> dict[str, SeatOutput]:
    """The output of some seats, for their owners."""
    query = sql.select(SeatRow).where(SeatRow.bout_id == bout_id, SeatRow.seat.in_(seats))
    found = {}
    for row in session.scalars(query):
        output = unpack_output(row.output)
        found[str(row.seat)] = SeatOutput(output["stdout"], output["stderr"], output["trace"])
    return found


def find_stored_bout(session: Session, live: LiveBoutInfo, identity: Identity) -> BoutInfo:
    """The stored bout that a live bout has become."""
    query = _select_bouts().where(
        BoutRow.contest_id == live.contest_id,
        BoutRow.match_id == live.match_id,
        BoutRow.number == live.number,
        BoutRow.void.is_(False),
    )
    if (found := session.execute(query).first()) is None:
        raise not_found("bout", "对局")
    bout, contest = get_visible_bout(session, found[0].id, identity)
    return describe_bout(bout, contest, EntrantBots(session, [contest.id], bout.names))


# Films


def is_stored_film_id(film: str) -> bool:
    """Whether an id has the form of a stored film's; a live bout may be called ``bout-01.3570``."""
    return STORED_FILM_ID_PATTERN.fullmatch(film) is not None


def read_packed_record(session: Session, film: str, identity: Identity) -> bytes:
    """The packed record behind the film of a bout or of a check; NotFound if ``identity`` may not
    see it."""
    kind, *numbers = film.split("-")
    if kind == "bout":
        get_visible_bout(session, int(numbers[0]), identity)
        return bytes(session.get_one(RecordRow, int(numbers[0])).data)
    version_id, number = map(int, numbers)
    bots.get_owned_version(session, version_id, identity)
    row = session.get(CheckRecordRow, (version_id, number))
    if row is not None:
        return bytes(row.data)
    raise not_found("bout", "对局")


def find_match_neighbours(session: Session, film: str) -> MatchPlace | None:
    """The place of a film in its match, with its neighbours."""
    if not film.startswith(BOUT_FILM_PREFIX):
        return None
    bout = session.get_one(BoutRow, int(film.removeprefix(BOUT_FILM_PREFIX)))
    query = sql.select(BoutRow.number, BoutRow.id).where(
        BoutRow.contest_id == bout.contest_id,
        BoutRow.match_id == bout.match_id,
        BoutRow.void.is_(False),
    )
    known = {number: f"{BOUT_FILM_PREFIX}{id}" for number, id in session.execute(query)}
    return MatchPlace(
        id=bout.match_id,
        number=bout.number + 1,
        of=len(known),
        previous=known.get(bout.number - 1),
        next=known.get(bout.number + 1),
    )
