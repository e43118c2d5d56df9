"""The turning points of a contest, over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Request, get, post
from litestar.params import FromPath

from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.accounts.identity import PLAY, Identity
from ludus.server.contests import turning_point_search, turning_points
from ludus.server.contests.contest_routes import VisibleContest, find_visible_contest
from ludus.server.contests.turning_points import TurningPointsInfo
from ludus.server.records.analysis_batches import BatchProgress
from ludus.server.state import InjectedState, ServerState
from ludus.server.web.batch_quota import spend_batch
from ludus.server.web.errors import NotFound


@get("/contests/{id:int}/turning-points", sync_to_thread=True)
def get_turning_points(
    server_state: InjectedState, identity: InjectedIdentity, id: FromPath[int]
) -> TurningPointsInfo:
    """The biggest turning points of a contest, as far as they were looked for."""
    return _describe(server_state, id, find_visible_contest(server_state, identity, id))


@post("/contests/{id:int}/turning-points", status_code=202, scope=PLAY)
async def find_turning_points(
    request: Request[Any, Any, Any],
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
) -> TurningPointsInfo:
    """Look for the biggest turning points of a contest, in the background: in at most 60 bouts,
    those between its best entrants."""
    identity.require_login()
    visible = await asyncio.to_thread(_find_begun, server_state, identity, id)
    searches = server_state.analysis.turning_points
    key = turning_point_search.make_key(id, visible.created)
    if not searches.is_running(key):
        batch = await asyncio.to_thread(
            turning_point_search.prepare,
            *(server_state, identity, id, visible.created, visible.full_delay),
        )
        caller = spend_batch(request, server_state, identity)
        if not searches.is_running(key):
            searches.start(key, batch, caller)
    return await asyncio.to_thread(_describe, server_state, id, visible)


def _find_begun(server_state: ServerState, identity: Identity, id: int) -> VisibleContest:
    visible = find_visible_contest(server_state, identity, id)
    if not visible.begun:
        raise NotFound("this contest has no bouts yet", "这个比赛还没有对局")
    return visible


def _describe(server_state: ServerState, id: int, visible: VisibleContest) -> TurningPointsInfo:
    key = turning_point_search.make_key(id, visible.created)
    batch = server_state.analysis.turning_points.find(key)
    found = turning_point_search.find(server_state, id, visible.created)
    if batch is not None:
        progress = batch.progress
    else:
        progress = BatchProgress(state="none" if found is None else "complete")
    return turning_points.describe(progress, found)


HANDLERS = [get_turning_points, find_turning_points]
