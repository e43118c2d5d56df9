"""``ludus contest run``: plays or continues a contest."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.called import program_name
from ludus.cli import output
from ludus.cli.cluster import cluster_options
from ludus.cli.command import command, option
from ludus.cli.contest.file import FILE_ARGUMENT, open_contest
from ludus.cli.interrupts import hint_on_interrupt
from ludus.cli.options import TRUST_OPTION
from ludus.cli.param_types import ChoiceParam, JobsParam
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.scheduling.cluster_key import Cluster
    from ludus.scheduling.contest_loading import ContestFile

LAYOUTS = ("modern", "event", "document")
RUN_OPTIONS = (
    FILE_ARGUMENT,
    option(
        "--jobs",
        type=JobsParam(),
        default="auto",
        en="Bouts at once (auto: one for each core).",
        zh="同时进行的局数（auto：每核一局）。",
    ),
    cluster_options(
        en="Play on a Dask cluster, such as tls://host:8786; see ludus worker.",
        zh="在 Dask 集群上进行，如 tls://主机:8786；参见 ludus worker。",
    ),
    option(
        "--layout",
        type=ChoiceParam(LAYOUTS),
        default="modern",
        en="How the table is shown: modern, or as at the Paper.io event.",
        zh="表格样式：现代，或 2018 年纸带圈地赛事的两种样式。",
    ),
    TRUST_OPTION,
    option("--quiet", is_flag=True, en="Show nothing while it runs.", zh="运行时不显示。"),
)


def run_options(function: Any) -> Any:
    for decorate in reversed(RUN_OPTIONS):
        function = decorate(function)
    return function


@command(
    en="Play a contest. If it is stopped, running it again continues it.",
    zh="进行赛事。任何时候中断，再次运行即从中断处继续。",
)
@run_options
def COMMAND(file: str, **given: Any) -> int:
    return run_contest(open_contest(file), **given)


def run_contest(
    contest: ContestFile,
    *,
    jobs: int,
    cluster: Cluster | None,
    layout: str,
    trust: bool,
    quiet: bool,
) -> int:
    """Play the contest here or on a cluster with a live display, then print the tables."""
    from ludus.cli.contest import live, tables
    from ludus.scheduling.cluster import create_pool
    from ludus.scheduling.contest_loading import create_source_loader
    from ludus.scheduling.scheduler import Scheduler

    store = contest.open_or_create_store()
    if cluster is None:
        warn_about_weak_jails(contest)
    if trust:
        warn_about_trust(contest)
    with live.show_live(contest.game, layout, quiet) as watch:
        sources = create_source_loader(store, trust=trust)
        scheduler = Scheduler(store, sources, create_pool(jobs, cluster), watch)
        with contextlib.closing(store), hint_on_interrupt(lambda: _resume_hint(contest.path)):
            ledger = scheduler.run()
    tables.print_tables(contest.game, ledger, layout)
    if layout == "modern" and not quiet:
        print(_report_hint(contest.path))
    return 0


def warn_about_weak_jails(contest: ContestFile) -> None:
    """If bots run in a weak jail or in none, print what that cannot prevent, before they play."""
    from ludus import sandbox
    from ludus.cli.session import print_jail_gaps
    from ludus.sandbox import JailLevel

    settings = contest.settings
    house = contest.game.bots()
    untrusted = settings.isolate or any(entry.bot not in house for entry in settings.entrants)
    jailed = untrusted and settings.isolate is not False
    if untrusted and not jailed:
        note = tr(
            f"isolate = false in {contest.path}: its bots run inside Ludus, without a jail, and can"
            " do whatever you can",
            f"{contest.path} 中写有 isolate = false：其 AI 在 Ludus 内部运行，没有沙箱，"
            "能做你能做的一切",
        )
        output.stderr_console().print(note, style="yellow")
    if jailed and sandbox.choose_level(settings.jail) == JailLevel.PLAIN:
        print_jail_gaps()


def warn_about_trust(contest: ContestFile) -> None:
    """Say which programs run without a jail, before they play."""
    from ludus.cli.session import print_trust_note
    from ludus.scheduling.contest_loading import resolve_source

    for entry in contest.settings.entrants:
        if resolve_source(entry.bot, contest.game, contest.folder, trust=True).unjailed:
            print_trust_note(entry.bot)


def _report_hint(path: Path) -> str:
    return tr(
        f"All of it as one HTML file: {program_name()} contest report {path}",
        f"写成一个 HTML 文件：{program_name()} contest report {path}",
    )


def _resume_hint(path: Path) -> str:
    return tr(
        f"All results are saved. Continue with: {program_name()} contest resume {path}",
        f"结果都已保存。继续请运行：{program_name()} contest resume {path}",
    )
