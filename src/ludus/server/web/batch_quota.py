"""How often a person may have many bouts judged at once."""

from __future__ import annotations

from typing import Any

from litestar import Request

from ludus.server.accounts.identity import Identity
from ludus.server.state import ServerState
from ludus.server.web.errors import TooManyRequests, retry_later
from ludus.server.web.public_routes import request_caller
from ludus.server.web.traffic_limits import TrafficCaller


def spend_batch(
    request: Request[Any, Any, Any], server_state: ServerState, identity: Identity
) -> TrafficCaller:
    """Count a batch of analyses; returns who pays for it. Raises TooManyRequests."""
    caller = request_caller(request, server_state, identity)
    limits = server_state.traffic.limits
    each_hour = caller.pick_limit(1, limits.new_analysis_batches, limits)
    try:
        server_state.traffic.analysis_batches.spend(caller, each_hour, 3600)
    except TooManyRequests as refused:
        raise retry_later(
            f"your quota of searches through many bouts is used up ({each_hour} per hour)",
            f"批量分析次数已用完（每小时 {each_hour} 次）",
            refused.wait - 1,
        ) from None
    return caller
