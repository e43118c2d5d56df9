"""Contests on many machines, by Dask: needs ``ludus[cluster]``."""

from __future__ import annotations

from typing import Any

from ludus.contest.labour import OnExecutor
from ludus.errors import LudusError

CONNECT = "15s"


def cluster_labour(address: str) -> OnExecutor:
    """Workers of the cluster whose scheduler is at this address."""
    client = _client(address)
    threads = sum(client.nthreads().values())
    if not threads:
        raise LudusError(
            f"no worker has joined the cluster {address} yet; start some: ludus worker {address}",
            f"集群 {address} 还没有工作进程；请启动：ludus worker {address}",
        )
    return OnExecutor(client.get_executor(pure=False, retries=3), 2 * threads)


def _client(address: str) -> Any:
    try:
        import distributed
    except ModuleNotFoundError:
        raise LudusError(
            "clusters need Dask: pip install 'ludus[cluster]'",
            "使用集群需要 Dask：pip install 'ludus[cluster]'",
        ) from None
    try:
        client: Any = distributed.Client
        return client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise LudusError(
            f"no cluster answers at {address}: {error}", f"{address} 没有集群响应：{error}"
        ) from None
