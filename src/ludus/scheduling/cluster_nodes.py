"""The processes of a cluster: its scheduler and its workers, and the addresses they listen on.

By default Dask listens on every address of the machine, with workers, their nannies, and an HTTP
server in each process. Here each process has exactly one port, on the host that the user chose.
"""

from __future__ import annotations

import contextlib
import logging
import signal
from collections.abc import Callable
from typing import Any

from distributed import Nanny, Scheduler, Worker
from distributed.comm.addressing import get_address_host, parse_host_port
from distributed.nanny import logger as nanny_log
from distributed.utils import get_ip

from ludus.scheduling.cluster_key import Cluster, load_security

DEFAULT_PORT = 8786


class QuietScheduler(Scheduler):
    """A Dask scheduler without its HTTP server, which has no authentication."""

    def start_http_server(self, *given: Any, **more: Any) -> None:
        """Start no server."""


class QuietWorker(Worker):
    """A Dask worker without its HTTP server, which has no authentication. It lives in a process of
    its own, which its nanny stops.

    Ctrl-C in a terminal interrupts that process, too. It must not act on it: a worker that stops
    by itself does not hear its nanny, which waits four seconds and then writes that it kills it.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        signal.signal(signal.SIGINT, _go_on)  # a function, as programs inherit what is ignored
        super().__init__(*given, **more)

    def start_http_server(self, *given: Any, **more: Any) -> None:
        """Start no server."""


def _go_on(number: int, frame: object) -> None:
    """Take no notice of a signal."""


async def run_worker_node(
    cluster: Cluster, jobs: int, *, serve: bool, host: str, up: Callable[[str], None]
) -> None:
    """Run the workers of a cluster until stopped; with ``serve`` also its scheduler.

    There is one process per job: a bout needs a core, and a killed process costs only its own bout.
    All listen on ``host``. If it is empty, they listen on the scheduler's host (``serve``), or else
    on the address from which this machine reaches the scheduler. ``up`` is called with the
    scheduler's address when everything is running.
    """
    keys, address = load_security(cluster), cluster.url
    protocol, _, place = address.partition("://")
    common = {"security": keys, "protocol": protocol}
    async with contextlib.AsyncExitStack() as stack:
        if serve:
            scheduler_host, port = parse_host_port(place, DEFAULT_PORT)
            host = host or scheduler_host
            scheduler = QuietScheduler(host=scheduler_host, port=port, dashboard=False, **common)
            await stack.enter_async_context(scheduler)
            address = scheduler.address
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
        try:
            for nanny in nannies:
                await nanny.finished()
        finally:  # how Dask stops its processes is of no interest to those who stop them
            nanny_log.setLevel(logging.ERROR)
