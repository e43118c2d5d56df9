"""``ludus worker``: runs the workers (and scheduler) of a cluster on this machine."""

from __future__ import annotations

from ludus.called import program_name
from ludus.cli.cluster import INSECURE_OPTION
from ludus.cli.command import argument, command, option
from ludus.cli.param_types import JobsParam
from ludus.errors import LudusError
from ludus.lang import tr
from ludus.os_errors import describe_os_error


@command(
    en="Join a Dask cluster and play bouts for its contests until stopped. With --serve this"
    " machine also becomes the cluster that others join; they need a copy of its key.",
    zh="加入 Dask 集群，为其中的赛事进行对局，直到停止。"
    "加 --serve 时本机同时成为供他人加入的集群；加入者需要其密钥的副本。",
)
@argument(
    "address",
    required=False,
    default="tls://127.0.0.1:8786",
    metavar="[ADDRESS]",
    en="The cluster's address (tls://127.0.0.1:8786).",
    zh="集群地址（tls://127.0.0.1:8786）。",
)
@option(
    "--jobs", type=JobsParam(), default="auto", en="Bouts at once (auto).", zh="同时局数（auto）。"
)
@option("--serve", is_flag=True, en="Create the cluster at this address.", zh="在此地址建立集群。")
@option(
    "--key",
    metavar="FILE",
    default="",
    en="The cluster's key ($LUDUS_HOME/cluster.pem); --serve makes it.",
    zh="集群密钥（$LUDUS_HOME/cluster.pem）；--serve 会生成它。",
)
@option(
    "--host",
    metavar="IP",
    default="",
    en="The address its processes listen on; by default only the one that leads to the cluster.",
    zh="其进程监听的地址；默认为通向集群的那个地址，别处都不监听。",
)
@INSECURE_OPTION
def COMMAND(address: str, jobs: int, serve: bool, key: str, host: str, insecure: bool) -> int:
    import asyncio
    import os
    import sys

    from ludus.scheduling.cluster_key import Cluster, find_key_file, make_key, missing_dask_error

    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "warning")
    try:
        from ludus.scheduling.cluster_nodes import run_worker_node
    except ModuleNotFoundError:
        raise missing_dask_error() from None
    cluster = Cluster(address, key, insecure)
    file = find_key_file(cluster) if serve else None
    if file is not None:
        make_key(file)

    def up(where: str) -> None:
        workers = "1 worker is" if jobs == 1 else f"{jobs} workers are"
        print(
            tr(
                f"{workers} connected to {where}; stop with Ctrl-C",
                f"{jobs} 个工作进程已连接到 {where}；按 Ctrl-C 停止",
            )
        )
        if file is not None:
            _print_key_help(str(file), where)
        sys.stdout.flush()

    try:
        asyncio.run(run_worker_node(cluster, jobs, serve=serve, host=host, up=up))
    except (OSError, ValueError) as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot join {address}: {why.en}", f"无法加入 {address}：{why.zh}"
        ) from None
    return 0


def _print_key_help(file: str, address: str) -> None:
    print(
        tr(
            f"Only those who have {file} can join and run programs here. On other machines:"
            f" copy it (chmod 600) to $LUDUS_HOME/cluster.pem, or name it with --key, then run\n"
            f"  {program_name()} worker {address}",
            f"只有持有 {file} 的人才能加入并在此运行程序。在其他机器上："
            f"把它复制（chmod 600）到 $LUDUS_HOME/cluster.pem，或用 --key 指明，然后运行\n"
            f"  {program_name()} worker {address}",
        )
    )
