"""Worker pools of contests: this machine, or a Dask cluster (the extra ``cluster``)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from ludus.errors import LudusError
from ludus.os_errors import describe_os_error
from ludus.scheduling.cluster_key import Cluster, load_security, missing_dask_error
from ludus.workers.pool import ExecutorPool, LocalPool, WorkerPool

CONNECT_TIMEOUT = "15s"
SIZE_REFRESH_S = 5.0
"""Seconds between two queries of a cluster's size."""


def create_pool(jobs: int, cluster: Cluster | None) -> WorkerPool:
    """The pool of a cluster; without one, a pool of ``jobs`` workers on this machine."""
    return LocalPool(jobs) if cluster is None else create_cluster_pool(cluster)


def create_cluster_pool(cluster: Cluster) -> ExecutorPool:
    """The pool of a cluster; LudusError if it has no workers yet."""
    client = _connect_client(cluster)
    if not ClusterCapacity(client).count_threads():
        address = cluster.url
        raise LudusError(
            f"no worker has joined the cluster {address} yet; start some: ludus worker {address}",
            f"集群 {address} 还没有工作进程；请启动：ludus worker {address}",
        )
    executor: Executor = client.get_executor(pure=False, retries=3)
    return ExecutorPool(executor, ClusterCapacity(client), ClusterEvents(client))


@dataclass(frozen=True, slots=True)
class ClusterEventSender:
    """Sends a task's events to whoever had it submitted, from the process that works it off."""

    topic: str
    number: int
    """The task's."""

    def __call__(self, events: Sequence[Any]) -> None:
        from distributed import get_worker

        get_worker().log_event(self.topic, [self.number, list(events)])


class ClusterEvents:
    """Events of tasks by way of the cluster's scheduler: Dask's topics, one for each client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._topic = f"ludus-{secrets.token_hex(8)}"

    def make_sender(self, number: int) -> ClusterEventSender:
        return ClusterEventSender(self._topic, number)

    def subscribe(self, receive: Callable[[int, Sequence[Any]], None]) -> None:
        def handle(event: tuple[float, Any]) -> None:
            _, (number, events) = event
            receive(number, events)

        self._client.subscribe_topic(self._topic, handle)


class ClusterCapacity:
    """How many tasks to submit to a cluster: two per thread, refreshed every few seconds.

    The second task keeps a thread busy while the result of the first one travels back.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._counted_at = -SIZE_REFRESH_S
        self._capacity = 0

    def count_threads(self) -> int:
        return sum(self._client.nthreads().values())

    def __call__(self) -> int:
        if time.monotonic() - self._counted_at >= SIZE_REFRESH_S:
            self._capacity = max(1, 2 * self.count_threads())
            self._counted_at = time.monotonic()
        return self._capacity


def _connect_client(cluster: Cluster) -> Any:
    try:
        import distributed
    except ModuleNotFoundError:
        raise missing_dask_error() from None
    keys = load_security(cluster)
    try:
        client: Any = distributed.Client
        return client(cluster.url, timeout=CONNECT_TIMEOUT, set_as_default=False, security=keys)
    except (OSError, ValueError) as error:
        why = describe_os_error(error)
        raise LudusError(
            f"no cluster answers at {cluster.url}: {why.en}",
            f"{cluster.url} 没有集群响应：{why.zh}",
        ) from None
