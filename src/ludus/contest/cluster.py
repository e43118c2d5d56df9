"""Contests on many machines, by Dask: needs the extra ``cluster``."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from typing import Any

from ludus.contest.labour import OnExecutor
from ludus.errors import LudusError
from ludus.packages import add_command

CONNECT = "15s"
PAUSE = 5.0
"""Seconds between two looks at the size of a cluster."""


def cluster_labour(address: str) -> OnExecutor:
    """Workers of the cluster whose scheduler is at this address."""
    client = _client(address)
    return OnExecutor(_executor(client, address), Count(client))


def cluster_executor(address: str) -> Executor:
    """The same as an executor, for tasks of other kinds."""
    return _executor(_client(address), address)


def _executor(client: Any, address: str) -> Executor:
    if not Count(client).threads():
        raise LudusError(
            f"no worker has joined the cluster {address} yet; start some: ludus worker {address}",
            f"集群 {address} 还没有工作进程；请启动：ludus worker {address}",
        )
    executor: Executor = client.get_executor(pure=False, retries=3)
    return executor


class Count:
    """How many tasks a cluster should hold: two for each of its threads, counted now and then."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._when = -PAUSE
        self._places = 0

    def threads(self) -> int:
        return sum(self._client.nthreads().values())

    def __call__(self) -> int:
        if time.monotonic() - self._when >= PAUSE:
            self._places = max(1, 2 * self.threads())
            self._when = time.monotonic()
        return self._places


def _client(address: str) -> Any:
    try:
        import distributed
    except ModuleNotFoundError:
        raise LudusError(
            f"clusters need Dask: {add_command('[cluster]')}",
            f"使用集群需要 Dask：{add_command('[cluster]')}",
        ) from None
    try:
        client: Any = distributed.Client
        return client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise LudusError(
            f"no cluster answers at {address}: {error}", f"{address} 没有集群响应：{error}"
        ) from None
