"""Ladders, challenges, batch tests and notices."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from ludus.server.accounts import notices
from ludus.server.accounts.auth import Asker
from ludus.server.accounts.identity import PLAY, READ
from ludus.server.bots.bot_routes import Before, Limit
from ludus.server.contests import challenges, events, ladders
from ludus.server.contests.challenges import MOST_BOUTS, MOST_RIVALS
from ludus.server.state import Served
from ludus.server.web.schemas import Seed

Which = int | Annotated[str, msgspec.Meta(max_length=60)]
"""A bot's id, ``"v12"`` for a version, or a house bot's name."""


class ChallengeRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Bouts between bots."""

    game: Annotated[str, msgspec.Meta(max_length=60)]
    bots: Annotated[list[Which], msgspec.Meta(min_length=1, max_length=16)]
    bouts: Annotated[int, msgspec.Meta(ge=1, le=MOST_BOUTS)] = 2
    clock: dict[str, Any] | None = None
    options: dict[str, Any] = {}
    seed: Seed | None = None


class TestRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A version against many."""

    version: int
    against: Annotated[list[Which], msgspec.Meta(min_length=1, max_length=MOST_RIVALS)]
    bouts: Annotated[int, msgspec.Meta(ge=1, le=20)] = 2


@get("/ladders", sync_to_thread=True)
def all_ladders(arena: Served) -> list[dict[str, Any]]:
    """Every ladder with its leader."""
    if not arena.club.database.exists():
        return []
    with arena.club.database.reading() as session:
        return ladders.ladders(session)


@get("/ladders/{game:str}", sync_to_thread=True)
def ladder(arena: Served, game: FromPath[str]) -> dict[str, Any]:
    """Everybody's rating with its interval."""
    name = events.playable(game).name
    with arena.club.database.reading() as session:
        return ladders.ladder(session, name)


@get("/ladders/{game:str}/history", sync_to_thread=True)
def history(
    arena: Served, game: FromPath[str], bot: Annotated[int, QueryParameter(ge=0, le=1 << 53)]
) -> list[dict[str, Any]]:
    """The curve of a bot over all its versions."""
    name = events.playable(game).name
    with arena.club.database.reading() as session:
        return ladders.history(session, name, bot)


@post("/challenges", sync_to_thread=True, status_code=201, scope=PLAY)
def challenge(arena: Served, asker: Asker, data: JSONBody[ChallengeRequest]) -> dict[str, Any]:
    """Let bots play: your own (any version that passed its check), those of the ladder, the
    house's."""
    asker.must_be_known()
    clock = {key: value for key, value in (data.clock or {}).items() if value is not None}
    with arena.club.database.writing() as session:
        event = challenges.challenge(
            session,
            asker,
            arena.club.rules,
            game=data.game,
            chosen=data.bots,
            count=data.bouts,
            clock=clock,
            options=data.options,
            seed=data.seed,
        )
        told = challenges.as_json(session, event, asker)
    arena.ring()
    return told


@post("/tests", sync_to_thread=True, status_code=201, scope=PLAY)
def batch_test(arena: Served, asker: Asker, data: JSONBody[TestRequest]) -> dict[str, Any]:
    """One version of yours against many."""
    asker.must_be_known()
    with arena.club.database.writing() as session:
        event = challenges.batch_test(
            session,
            asker,
            arena.club.rules,
            version_id=data.version,
            against=data.against,
            count=data.bouts,
        )
        told = challenges.as_json(session, event, asker)
    arena.ring()
    return told


@get("/challenges", sync_to_thread=True)
def all_challenges(
    arena: Served,
    asker: Asker,
    mine: FromQuery[bool] = False,
    before: Before = None,
    limit: Limit = 50,
) -> dict[str, Any]:
    """Challenges and batch tests, newest first."""
    if mine:
        asker.must_be_known()
    with arena.club.database.reading() as session:
        return challenges.list_of(session, asker, mine, before, limit)


@get("/challenges/{id:int}", sync_to_thread=True)
def one_challenge(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """A challenge or a batch test with its bouts."""
    with arena.club.database.reading() as session:
        event = events.event_of(session, id, events.CHALLENGE, events.TEST)
        return challenges.as_json(session, events.must_see(event, asker), asker)


@delete("/challenges/{id:int}", sync_to_thread=True, status_code=200, scope=PLAY)
def stop_challenge(arena: Served, asker: Asker, id: FromPath[int]) -> dict[str, Any]:
    """Let no more of its bouts be played."""
    asker.must_be_known()
    with arena.club.database.writing() as session:
        event = events.event_of(session, id, events.CHALLENGE, events.TEST)
        challenges.stop(session, asker, event)
        told = challenges.as_json(session, event, asker, whole=False)
    arena.ring()
    return told


@get("/notices", sync_to_thread=True)
def my_notices(
    arena: Served, asker: Asker, before: Before = None, limit: Limit = 50
) -> dict[str, Any]:
    """What you were told, newest first."""
    asker.must_be_known()
    with arena.club.database.reading() as session:
        return notices.of(session, asker, before, limit)


@post("/notices/read", sync_to_thread=True, status_code=200, scope=READ)
def read_notices(arena: Served, asker: Asker) -> dict[str, Any]:
    """You have read them all."""
    asker.must_be_known()
    with arena.club.database.writing() as session:
        notices.read_all(session, asker)
    return {"ok": True}


HANDLERS = [
    all_ladders,
    ladder,
    history,
    challenge,
    batch_test,
    all_challenges,
    one_challenge,
    stop_challenge,
    my_notices,
    read_notices,
]
