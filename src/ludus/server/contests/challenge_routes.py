"""Challenges and batch tests over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody

from ludus.scheduling.schema.contests import CHALLENGE, TEST
from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.accounts.identity import PLAY
from ludus.server.contests import challenges, contest_access
from ludus.server.contests.challenges import MAX_BOUTS_PER_CHALLENGE, MAX_OPPONENTS_PER_TEST
from ludus.server.contests.contest_schemas import (
    ChallengeInfo,
    ChallengePage,
)
from ludus.server.services import InjectedBackground, InjectedDatabase, InjectedSite
from ludus.server.web.page_query import Before, Limit
from ludus.server.web.room_and_match_requests import Seed

BotWord = int | Annotated[str, msgspec.Meta(max_length=60)]
"""A bot's id, ``"v12"`` for a version, or a house bot's name."""


class ChallengeRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Bouts between chosen bots."""

    game: Annotated[str, msgspec.Meta(max_length=60)]
    bots: Annotated[list[BotWord], msgspec.Meta(min_length=1, max_length=16)]
    bouts: Annotated[int, msgspec.Meta(ge=1, le=MAX_BOUTS_PER_CHALLENGE)] = 2
    clock: dict[str, Any] | None = None
    options: dict[str, Any] = {}
    seed: Seed | None = None
    openings: Annotated[str, msgspec.Meta(max_length=20)] = ""
    """``suite``, ``random:N`` or ``none``; empty: the game's default."""


class BatchTestRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A version against many opponents."""

    version: int
    against: Annotated[list[BotWord], msgspec.Meta(min_length=1, max_length=MAX_OPPONENTS_PER_TEST)]
    bouts: Annotated[int, msgspec.Meta(ge=1, le=20)] = 2


@post("/challenges", sync_to_thread=True, status_code=201, scope=PLAY)
def start_challenge(
    site: InjectedSite,
    background: InjectedBackground,
    identity: InjectedIdentity,
    data: JSONBody[ChallengeRequest],
) -> ChallengeInfo:
    """Let bots play: your own (any version that passed its check), those on the ladder, house
    bots."""
    identity.require_login()
    clock = {key: value for key, value in (data.clock or {}).items() if value is not None}
    with site.database.writing() as session:
        contest = challenges.create_challenge(
            session,
            identity,
            site.settings,
            game=data.game,
            chosen=data.bots,
            count=data.bouts,
            clock=clock,
            options=data.options,
            seed=data.seed,
            openings=data.openings,
        )
        described = challenges.describe_challenge(session, contest, identity)
    background.wake()
    return described


@post("/tests", sync_to_thread=True, status_code=201, scope=PLAY)
def start_batch_test(
    site: InjectedSite,
    background: InjectedBackground,
    identity: InjectedIdentity,
    data: JSONBody[BatchTestRequest],
) -> ChallengeInfo:
    """Test one version of yours against many opponents."""
    identity.require_login()
    with site.database.writing() as session:
        contest = challenges.create_batch_test(
            session,
            identity,
            site.settings,
            version_id=data.version,
            against=data.against,
            count=data.bouts,
        )
        described = challenges.describe_challenge(session, contest, identity)
    background.wake()
    return described


@get("/challenges", sync_to_thread=True)
def list_challenges(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    mine: FromQuery[bool] = False,
    before: Before = None,
    limit: Limit = 50,
) -> ChallengePage:
    """Challenges and batch tests, newest first."""
    if mine:
        identity.require_login()
    with database.reading() as session:
        return challenges.list_challenges(session, identity, mine, before, limit)


@get("/challenges/{id:int}", sync_to_thread=True)
def get_challenge(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> ChallengeInfo:
    """A challenge or a batch test with its bouts."""
    with database.reading() as session:
        contest = contest_access.get_contest(session, id, CHALLENGE, TEST)
        return challenges.describe_challenge(
            session, contest_access.require_visible(contest, identity), identity
        )


@delete("/challenges/{id:int}", sync_to_thread=True, status_code=200, scope=PLAY)
def stop_challenge(
    database: InjectedDatabase,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
) -> ChallengeInfo:
    """Stop a challenge or batch test."""
    identity.require_login()
    with database.writing() as session:
        contest = contest_access.get_contest(session, id, CHALLENGE, TEST)
        challenges.stop_challenge(session, identity, contest)
        described = challenges.describe_challenge(session, contest, identity, whole=False)
    background.wake()
    return described


HANDLERS = [
    start_challenge,
    start_batch_test,
    list_challenges,
    get_challenge,
    stop_challenge,
]
