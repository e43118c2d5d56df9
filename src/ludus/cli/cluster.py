"""The options of commands that play on a cluster."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ludus.cli.command import option
from ludus.errors import LudusError

INSECURE_OPTION = option(
    "--insecure",
    is_flag=True,
    en="Allow an unencrypted address (tcp://…): anyone who can connect can run programs.",
    zh="允许未加密的地址（tcp://…）：任何能连上的人都能运行程序。",
)


def cluster_options(en: str, zh: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --cluster and its related options; the function gets a ``cluster`` or None."""
    options = (
        option("--cluster", metavar="ADDRESS", default="", en=en, zh=zh),
        option(
            "--cluster-key",
            metavar="FILE",
            default="",
            en="The cluster's key, made by ludus worker --serve ($LUDUS_HOME/cluster.pem).",
            zh="集群密钥，由 ludus worker --serve 生成（$LUDUS_HOME/cluster.pem）。",
        ),
        INSECURE_OPTION,
    )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def packed(*words: Any, **given: Any) -> Any:
            address, key = given.pop("cluster"), given.pop("cluster_key")
            insecure = given.pop("insecure")
            cluster = None
            if not address:
                _refuse_without_cluster({"--cluster-key": key, "--insecure": insecure})
            if address:
                from ludus.scheduling.cluster_key import Cluster

                cluster = Cluster(address, key, insecure)
            return function(*words, cluster=cluster, **given)

        for each in reversed(options):
            packed = each(packed)
        return packed

    return decorate


def _refuse_without_cluster(given: dict[str, str | bool]) -> None:
    for name, value in given.items():
        if value:
            raise LudusError(
                f"{name} belongs to --cluster, which is missing: name the cluster's address",
                f"{name} 需与 --cluster 合用：请给出集群的地址",
            )
