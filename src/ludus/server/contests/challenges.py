"""Challenges between bots, and batch tests of one version against many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.model import draw_seed
from ludus.contest.settings import ClockSettings, convert
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.lang import Text
from ludus.match.clock import refuse_long_clock
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import BoutRow, ContestRow, EntrantRow
from ludus.scheduling.schema.contests import CHALLENGE, RUNNING, STOPPED, TEST
from ludus.server import playable_games
from ludus.server.accounts import groups, name_rules, quotas
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.contests import contest_start, entrants, lifecycle
from ludus.server.contests.contest_schemas import (
    ChallengeInfo,
    ChallengePage,
    TestedOpponent,
)
from ludus.server.paging import fetch_rows
from ludus.server.records import played_bouts
from ludus.server.records.bout_schemas import PlayerInfo
from ludus.server.web.errors import TooManyRequests

MAX_BOUTS_PER_CHALLENGE = 200
MAX_OPPONENTS_PER_TEST = 50
MAX_RUNNING_PER_USER = 50
"""The most running challenges and tests of one person."""
RETRY_AFTER_S = 30
"""Seconds after which a client may try again."""


def create_challenge(
    session: Session,
    identity: Identity,
    rules: SiteSettings,
    *,
    game: str,
    chosen: Sequence[int | str],
    count: int,
    clock: dict[str, Any] | None,
    options: dict[str, Any],
    seed: int | None,
    openings: str = "",
) -> ContestRow:
    """Create ``count`` bouts between bots, one of which must be one's own."""
    played = playable_games.get_playable_game(game)
    if len(chosen) != len(played.seats):
        raise LudusError(
            f"{played.name} has {len(played.seats)} seats, got {len(chosen)} bots",
            f"{played.name} 有 {len(played.seats)} 个座位，得到 {len(chosen)} 个 AI",
        )
    _refuse_long_clock(played, clock or {}, rules.clock_seconds)
    seated = [entrants.resolve_bot(session, identity, word, played) for word in chosen]
    _refuse_too_many(session, identity)
    quotas.spend(session, identity, "bouts", count, rules.bouts_a_day)
    settings = {
        "game": played.name,
        "seed": draw_seed() if seed is None else seed,
        "options": options,
        "openings": openings,
        "clock": clock or {},
        "format": {"name": "round-robin", "seats": len(played.seats)},
        "match": {"bouts": count},
        "jail": rules.jail,
    }
    title = lifecycle.PLAYER_SEPARATOR.join(each.name for each in seated)
    contest = contest_start.create_contest(
        session, CHALLENGE, title[:60], settings, identity=identity
    )
    entrants.enter_bots(session, contest, seated)
    contest_start.begin_contest(session, contest)
    return contest


def create_batch_test(
    session: Session,
    identity: Identity,
    rules: SiteSettings,
    *,
    version_id: int,
    against: Sequence[int | str],
    count: int,
) -> ContestRow:
    """Create a batch test of a version of one's own: ``count`` bouts against each opponent."""
    from ludus.server.bots import bots

    version = bots.get_owned_version(session, version_id, identity)
    bot = bots.get_bot(session, version.bot_id)
    played = playable_games.get_playable_game(bot.game)
    if len(played.seats) != 2:
        raise LudusError("batch tests are for games of two seats", "批量测试仅支持双人游戏")
    mine = entrants.resolve_bot(session, identity, f"v{version.id}", played)
    rivals = [
        entrants.resolve_bot(session, identity, word, played) for word in dict.fromkeys(against)
    ]
    if not rivals:
        raise LudusError("name at least one opponent", "请至少指定一个对手")
    _refuse_too_many(session, identity)
    quotas.spend(session, identity, "opponents", len(rivals), rules.opponents_a_day)
    title = name_rules.clean_line(f"{bot.name} #{version.number}")
    settings = {
        "game": played.name,
        "seed": version.id,
        "format": {"name": "gauntlet"},
        "match": {"bouts": count},
        "jail": rules.jail,
    }
    contest = contest_start.create_contest(session, TEST, title, settings, identity=identity)
    entrants.enter_bots(session, contest, [mine, *rivals])
    contest_start.begin_contest(session, contest)
    return contest


def _refuse_long_clock(game: Game, clock: dict[str, Any], most: int) -> None:
    """Limit how long a bout can occupy a worker.

    The game's own clock is always allowed. A challenge's clock is limited by the site's settings,
    and the time its bots may sleep by the default of the longest clock.
    """
    own = game.clock
    found = convert(clock, ClockSettings, "clock").for_game(game)
    refuse_long_clock(
        found, budget=max(float(most), own.budget), increment=max(most / 100, own.increment)
    )
    longest = max(float(most), own.budget) * own.patience
    if found.patience * found.budget > longest:
        raise LudusError(
            f"patience × budget of the clock must be at most {longest:g} s in challenges",
            f"挑战中计时的 patience 与 budget 之积最多为 {longest:g} 秒",
        )


def _refuse_too_many(session: Session, identity: Identity) -> None:
    query = sql.select(sql.func.count()).where(
        ContestRow.author_id == identity.id,
        ContestRow.state == RUNNING,
        ContestRow.kind.in_((CHALLENGE, TEST)),
    )
    if (session.scalar(query) or 0) >= MAX_RUNNING_PER_USER:
        raise TooManyRequests(
            f"{MAX_RUNNING_PER_USER} of your challenges and tests are running; wait"
            " until some have ended",
            f"你已有 {MAX_RUNNING_PER_USER} 个挑战或测试在进行；请等其中一些结束",
            wait=RETRY_AFTER_S,
        )


def count_bouts(contest: ContestRow, entrants: int) -> int:
    count = int(contest.settings["match"]["bouts"])
    return count * (entrants - 1) if contest.kind == TEST else count


def describe_challenge(
    session: Session, contest: ContestRow, identity: Identity, *, whole: bool = True
) -> ChallengeInfo:
    """``whole``: with the bouts."""
    entrants = contest_rows.list_entrants(session, contest.id)
    cast = played_bouts.EntrantBots(session, [contest.id])
    query = sql.select(BoutRow).where(BoutRow.contest_id == contest.id, BoutRow.void.is_(False))
    rows = list(session.scalars(query.order_by(BoutRow.id)))
    points = dict.fromkeys((entrant.name for entrant in entrants), 0.0)
    for bout in rows:
        for name, score in zip(bout.names, bout.scores, strict=True):
            points[name] += score
    described = ChallengeInfo(
        id=contest.id,
        kind="test" if contest.kind == TEST else "challenge",
        title=contest.name,
        game=contest.game,
        at=contest.created_at,
        state=contest.state,
        why=Text.of(contest.stop_reason) if contest.stop_reason else None,
        players=[cast.describe_player(contest.id, entrant.name) for entrant in entrants],
        score=[points[entrant.name] for entrant in entrants],
        played=len(rows),
        total=count_bouts(contest, len(entrants)),
        mine=identity.is_logged_in and contest.author_id == identity.id,
    )
    if contest.kind == TEST:
        described.rows = _count_by_opponent(described.players, rows)
    if whole:
        described.bouts = [played_bouts.describe_bout(bout, contest, cast) for bout in rows]
    return described


def _count_by_opponent(
    players: Sequence[PlayerInfo], rows: Sequence[BoutRow]
) -> list[TestedOpponent]:
    """A line for each opponent, from the point of view of the tested version."""
    hero = players[0].name
    found = {
        player.name: TestedOpponent(name=player.name, bot=player.bot, version=player.version)
        for player in players[1:]
    }
    for bout in rows:
        seat = bout.names.index(hero)
        line, score = found[bout.names[1 - seat]], bout.scores[seat]
        line.won += score == 1
        line.drawn += score == 0.5
        line.lost += score not in (1, 0.5)
        line.faults += sum(fault["seat"] == seat for fault in bout.faults)
    return list(found.values())


def list_challenges(
    session: Session, identity: Identity, mine: bool, before: int | None, limit: int
) -> ChallengePage:
    query = sql.select(ContestRow).where(ContestRow.kind.in_((CHALLENGE, TEST)))
    own = ContestRow.author_id == identity.id
    if mine:
        query = query.where(own)
    elif not identity.organiser:
        query = query.where(sql.or_(ContestRow.kind == CHALLENGE, own))
    rows, following = fetch_rows(session, query, ContestRow.id, before, limit)
    items = [describe_challenge(session, row, identity, whole=False) for row in rows]
    return ChallengePage(items, following)


def stop_challenge(session: Session, identity: Identity, contest: ContestRow) -> None:
    """Stop a challenge; its running bouts are aborted."""
    audit.authorize(
        session,
        identity,
        f"{contest.kind} stopped",
        own=contest.author_id == identity.id,
        power=groups.teaches_person(session, identity, contest.author_id),
        id=contest.id,
        title=contest.name,
    )
    _stop_running(identity, contest)


def stop_challenges_of_bot(session: Session, identity: Identity, bot_id: int) -> None:
    """Stop the running challenges and batch tests of a retired bot."""
    entered = sql.select(EntrantRow.contest_id).where(EntrantRow.bot_id == bot_id)
    for contest in session.scalars(_select_running().where(ContestRow.id.in_(entered))):
        _stop_running(identity, contest)


def stop_challenges_by_author(session: Session, identity: Identity, user_id: int) -> None:
    """Stop the running challenges of a person whose account was closed."""
    for contest in session.scalars(_select_running().where(ContestRow.author_id == user_id)):
        _stop_running(identity, contest)


def _select_running() -> sql.Select[ContestRow]:
    kinds = (CHALLENGE, TEST)
    return sql.select(ContestRow).where(ContestRow.state == RUNNING, ContestRow.kind.in_(kinds))


def _stop_running(identity: Identity, contest: ContestRow) -> None:
    """Mark a contest as stopped; the background process then aborts its bouts."""
    if contest.state == RUNNING:
        contest.state = STOPPED
        contest.stop_reason = Text(f"stopped by {identity.name}", f"由 {identity.name} 中止")
