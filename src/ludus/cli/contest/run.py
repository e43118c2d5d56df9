"""``ludus contest run``: plays a contest, or goes on with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli import output
from ludus.cli.cluster import on_cluster
from ludus.cli.command import command, option
from ludus.cli.command_registry import called
from ludus.cli.contest.file import FILE, contest_of
from ludus.cli.param_types import Jobs, OneOf
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.scheduling.cluster_key import Cluster
    from ludus.scheduling.loading import Contest
    from ludus.scheduling.worker_pool import Labour

LAYOUTS = ("modern", "event", "document")
OF_RUNNING = (
    FILE,
    option(
        "--jobs",
        type=Jobs(),
        default="auto",
        en="Bouts at once (auto: one for each core).",
        zh="同时进行的局数（auto：每核一局）。",
    ),
    on_cluster(
        en="Play on a Dask cluster, such as tls://host:8786; see ludus worker.",
        zh="在 Dask 集群上进行，如 tls://主机:8786；参见 ludus worker。",
    ),
    option(
        "--layout",
        type=OneOf(LAYOUTS),
        default="modern",
        en="How the table is shown: modern, or as at the Paper.io event.",
        zh="表格样式：现代，或 2018 年纸带圈地赛事的两种样式。",
    ),
    option("--quiet", is_flag=True, en="Show nothing while it runs.", zh="运行时不显示。"),
)


def of_running(function: Any) -> Any:
    for decorate in reversed(OF_RUNNING):
        function = decorate(function)
    return function


@command(
    en="Play a contest. Stopped anywhere, it goes on where it was when it is run again.",
    zh="进行赛事。任何时候中断，再次运行即从中断处继续。",
)
@of_running
def COMMAND(file: str, **given: Any) -> int:
    return play(contest_of(file), **given)


def play(contest: Contest, *, jobs: int, cluster: Cluster | None, layout: str, quiet: bool) -> int:
    """Play it here or on a cluster, shown as the terminal allows; then show the tables."""
    from ludus.cli.contest import live, tables
    from ludus.scheduling.loading import sources_of
    from ludus.scheduling.scheduler import Scheduler

    store = contest.begin()
    if cluster is None:
        warn_of_gaps(contest)
    with live.shown(contest.game, layout, quiet) as watch:
        scheduler = Scheduler(store, sources_of(store), labour_of(jobs, cluster), watch)
        try:
            ledger = scheduler.run()
        except KeyboardInterrupt:
            _say_how_to_go_on(contest.path)
            raise
        finally:
            store.close()
    tables.show(contest.game, ledger, layout)
    return 0


def warn_of_gaps(contest: Contest) -> None:
    """Strangers' bots in a weak jail, or in none: say what it cannot stop, before they play."""
    from ludus import sandbox
    from ludus.cli.session import tell_gaps
    from ludus.sandbox import Level

    settings = contest.settings
    house = contest.game.bots()
    strangers = settings.isolate or any(entry.bot not in house for entry in settings.entrants)
    jailed = strangers and settings.isolate is not False
    if strangers and not jailed:
        note = tr(
            f"isolate = false in {contest.path}: its bots run inside Ludus, without a jail, and can"
            " do whatever you can",
            f"{contest.path} 中写有 isolate = false：其 AI 在 Ludus 内部运行，没有沙箱，"
            "能做你能做的一切",
        )
        output.err().print(note, style="yellow")
    if jailed and sandbox.choose(settings.jail) == Level.PLAIN:
        tell_gaps()


def labour_of(jobs: int, cluster: Cluster | None) -> Labour:
    from ludus.scheduling.worker_pool import LocalLabour

    if cluster is None:
        return LocalLabour(jobs)
    from ludus.scheduling.cluster import cluster_labour

    return cluster_labour(cluster)


def _say_how_to_go_on(path: Path) -> None:
    from ludus.cli import output

    output.err().print(
        tr(
            f"stopped; nothing is lost. Go on with: {called()} contest resume {path}",
            f"已停止；结果都已保存。继续请运行：{called()} contest resume {path}",
        )
    )
