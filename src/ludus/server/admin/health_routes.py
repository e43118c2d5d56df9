"""Health and metrics, for monitoring."""

from __future__ import annotations

import ipaddress

from litestar import Response, get

from ludus.server.accounts.auth import AnyRequest, InjectedIdentity, get_client_address
from ludus.server.admin import metrics
from ludus.server.admin.admin_schemas import HealthReport
from ludus.server.admin.health import OK
from ludus.server.state import InjectedState, ServerState
from ludus.server.web.responses import response_spec


@get(
    "/health",
    sync_to_thread=True,
    responses={503: response_spec(HealthReport, "Something is wrong")},
)
def get_health(server_state: InjectedState) -> Response[HealthReport]:
    """200 when all is well; 503 when the disk is full, the database cannot be used or is damaged,
    or the background process is dead. ``checks`` says which."""
    checks = server_state.health.run_checks()
    well = all(result == OK for result in checks.values())
    return Response(HealthReport(well, checks), status_code=200 if well else 503)


@get("/metrics", sync_to_thread=True)
def get_metrics(
    request: AnyRequest, server_state: InjectedState, identity: InjectedIdentity
) -> Response[str]:
    """Metrics for Prometheus: for programs on this machine, or with an organiser's token."""
    if not _is_loopback(get_client_address(request)) or "x-forwarded-for" in request.headers:
        identity.require_organiser()
    return Response(
        "\n".join(_format_metrics(server_state)) + "\n", media_type="text/plain; version=0.0.4"
    )


def _format_metrics(server_state: ServerState) -> list[str]:
    lines = server_state.request_metrics.format_lines()
    if server_state.site.database.exists():
        with server_state.site.database.reading() as session:
            lines += metrics.format_gauges(session, server_state.background.state)
    return lines


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


HANDLERS = [get_health, get_metrics]
