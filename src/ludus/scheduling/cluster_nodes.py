"""A cluster's own processes: its scheduler and its workers, and where they listen.

Dask's defaults would listen on every address of the machine (workers, their nannies, and an HTTP
server in each process). Here each process has exactly one port, on the host that was asked for.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from distributed import Nanny, Scheduler, Worker
from distributed.comm.addressing import get_address_host, parse_host_port
from distributed.utils import get_ip

from ludus.scheduling.cluster_key import Cluster, load_security

DEFAULT_PORT = 8786


class QuietScheduler(Scheduler):
    """Without the HTTP server, which knows no key."""

    def start_http_server(self, *given: Any, **more: Any) -> None:
        """None."""


class QuietWorker(Worker):
    """Without the HTTP server, which knows no key."""

    def start_http_server(self, *given: Any, **more: Any) -> None:
        """None."""


async def run_worker_node(
    cluster: Cluster, jobs: int, *, serve: bool, host: str, up: Callable[[str], None]
) -> None:
    """Play for a cluster until stopped; with ``serve``, be its scheduler too.

    One process for each job: a bout needs a core, and a killed process costs only its own. All
    listen on ``host``; if that is empty, where the scheduler does (``serve``), else on the one
    address by which this machine reaches the scheduler. ``up`` is told the address in the end.
    """
    keys, address = load_security(cluster), cluster.url
    protocol, _, place = address.partition("://")
    common = {"security": keys, "protocol": protocol}
    async with contextlib.AsyncExitStack() as stack:
        if serve:
            told, port = parse_host_port(place, DEFAULT_PORT)
            host = host or told
            made = QuietScheduler(host=told, port=port, dashboard=False, **common)
            await stack.enter_async_context(made)
            address = made.address
        else:
            reached_from: Callable[[str], str] = get_ip
            host = host or reached_from(get_address_host(address))
        nannies = [
            await stack.enter_async_context(
                Nanny(
                    address,
                    nthreads=1,
                    host=host,
                    worker_class=QuietWorker,
                    dashboard=False,
                    **common,
                )
            )
            for _ in range(jobs)
        ]
        up(address)
        for nanny in nannies:
            await nanny.finished()
