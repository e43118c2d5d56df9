"""Find my mistakes, over HTTP."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from litestar import Request, Response, get, post
from litestar.params import FromPath

from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.accounts.identity import PLAY, Identity
from ludus.server.bots import bot_mistakes, bots
from ludus.server.bots.bot_mistakes import BotMistakesInfo, MistakeSummary
from ludus.server.records.analysis_batches import AnalysisBatch
from ludus.server.services import InjectedDatabase
from ludus.server.state import InjectedState, ServerState
from ludus.server.web.batch_quota import spend_batch
from ludus.server.web.errors import NotFound
from ludus.server.web.public_routes import make_download


@get("/bots/{id:int}/mistakes", sync_to_thread=True)
def get_mistakes(
    database: InjectedDatabase,
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
) -> BotMistakesInfo:
    """Where your bot loses most, over its last bouts, as far as that was looked for."""
    with database.reading() as session:
        bot = bots.get_owned_bot(session, id, identity)
        batch = server_state.analysis.bot_mistakes.find(_key(id))
        has_found = batch is not None and batch.summary is not None
        played = bot_mistakes.list_films(session, bot, identity) if has_found else None
    return bot_mistakes.describe(batch, played)


@post("/bots/{id:int}/mistakes", status_code=202, scope=PLAY)
async def find_mistakes(
    request: Request[Any, Any, Any],
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
) -> BotMistakesInfo:
    """Look for the mistakes of your bot in its last 60 bouts, in the background."""
    batch = await asyncio.to_thread(_prepare, server_state, identity, id)
    batches = server_state.analysis.bot_mistakes
    if not batches.is_running(_key(id)):
        batches.start(_key(id), batch, spend_batch(request, server_state, identity))
    return bot_mistakes.describe(batches.find(_key(id)))


@get("/bots/{id:int}/mistakes/positions", sync_to_thread=True)
def download_positions(
    database: InjectedDatabase,
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
) -> Response[bytes]:
    """The positions of your bot's mistakes, for ``ludus check BOT --positions FILE``."""
    with database.reading() as session:
        name = bots.get_owned_bot(session, id, identity).name
    batch = server_state.analysis.bot_mistakes.find(_key(id))
    if batch is None or batch.summary is None:
        raise NotFound(
            "the mistakes of this bot have not been searched for yet", "还没有查找过这个 AI 的失误"
        )
    return make_download(batch.summary.positions, f"{name}-mistakes.jsonl", "application/x-ndjson")


def _prepare(
    server_state: ServerState, identity: Identity, id: int
) -> AnalysisBatch[MistakeSummary]:
    with server_state.site.database.reading() as session:
        bot = bots.get_owned_bot(session, id, identity)
        played = bot_mistakes.list_films(session, bot, identity)
        summarise = partial(bot_mistakes.summarise, seats=played.seats, bot=bot.name, game=bot.game)
    load = partial(server_state.load_record, identity=identity)
    return AnalysisBatch(played.films, load, summarise)


def _key(bot_id: int) -> str:
    return str(bot_id)


HANDLERS = [get_mistakes, find_mistakes, download_positions]
