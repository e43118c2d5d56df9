"""``ludus worker``: this machine plays bouts for a cluster."""

from __future__ import annotations

from ludus.cli.command import argument, command, option
from ludus.cli.values import Jobs
from ludus.errors import LudusError
from ludus.lang import tr
from ludus.packages import add_command


@command(
    en="Join a Dask cluster and play bouts for its contests until stopped. With --serve this"
    " machine also becomes the cluster that others join.",
    zh="加入 Dask 集群，为其中的赛事进行对局，直到停止。"
    "加 --serve 时本机同时成为供他人加入的集群。",
)
@argument(
    "address",
    required=False,
    default="tcp://127.0.0.1:8786",
    metavar="[ADDRESS]",
    en="Of the cluster (tcp://127.0.0.1:8786).",
    zh="集群地址（tcp://127.0.0.1:8786）。",
)
@option("--jobs", type=Jobs(), default="auto", en="Bouts at once (auto).", zh="同时局数（auto）。")
@option("--serve", is_flag=True, en="Be the cluster at this address.", zh="在此地址建立集群。")
def COMMAND(address: str, jobs: int, serve: bool) -> int:
    import asyncio

    try:
        asyncio.run(_work(address, jobs, serve))
    except OSError as error:
        raise LudusError(
            f"cannot join {address}: {error}", f"无法加入 {address}：{error}"
        ) from None
    return 0


async def _work(address: str, jobs: int, serve: bool) -> None:
    """One process for each job: a bout needs a core, and a killed process costs only its own."""
    import contextlib
    import os

    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "warning")
    try:
        from distributed import Nanny, Scheduler
    except ModuleNotFoundError:
        raise LudusError(
            f"clusters need Dask: {add_command('[cluster]')}",
            f"使用集群需要 Dask：{add_command('[cluster]')}",
        ) from None
    async with contextlib.AsyncExitStack() as stack:
        if serve:
            host, _, port = address.rpartition("//")[2].partition(":")
            made = Scheduler(host=host, port=int(port or 8786), dashboard=False)
            await stack.enter_async_context(made)
            address = made.address
        nannies = [await stack.enter_async_context(Nanny(address, nthreads=1)) for _ in range(jobs)]
        print(
            tr(
                f"{jobs} workers play for {address}; stop with Ctrl-C",
                f"{jobs} 个工作进程为 {address} 进行对局；按 Ctrl-C 停止",
            ),
            flush=True,
        )
        for nanny in nannies:
            await nanny.finished()
