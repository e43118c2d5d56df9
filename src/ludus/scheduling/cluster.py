"""Contests on many machines, by Dask: needs the extra ``cluster``."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from typing import Any

from ludus.errors import LudusError
from ludus.scheduling.cluster_key import Cluster, missing, security
from ludus.scheduling.worker_pool import OnExecutor

CONNECT = "15s"
PAUSE = 5.0
"""Seconds between two looks at the size of a cluster."""


def cluster_labour(cluster: Cluster) -> OnExecutor:
    """The workers of a cluster."""
    client = _client(cluster)
    return OnExecutor(_executor(client, cluster), Count(client))


def cluster_executor(cluster: Cluster) -> Executor:
    """The same as an executor, for tasks of other kinds."""
    return _executor(_client(cluster), cluster)


def _executor(client: Any, cluster: Cluster) -> Executor:
    if not Count(client).threads():
        address = cluster.url
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


def _client(cluster: Cluster) -> Any:
    try:
        import distributed
    except ModuleNotFoundError:
        raise missing() from None
    keys = security(cluster)
    try:
        client: Any = distributed.Client
        return client(cluster.url, timeout=CONNECT, set_as_default=False, security=keys)
    except (OSError, ValueError) as error:
        raise LudusError(
            f"no cluster answers at {cluster.url}: {error}",
            f"{cluster.url} 没有集群响应：{error}",
        ) from None
