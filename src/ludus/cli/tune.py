"""``ludus tune``: finds better values for the numbers that a bot declares."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli import output
from ludus.cli.cluster import cluster_options
from ludus.cli.command import argument, command, option
from ludus.cli.interrupts import same_command_hint
from ludus.cli.options import FIXED_SEED_OPTION, JSON_OPTION, OPENINGS_OPTION, SETTINGS_OPTION
from ludus.cli.param_types import (
    BotParam,
    FileParam,
    GameParam,
    IntegerParam,
    JobsParam,
    SecondsParam,
)
from ludus.errors import LudusError
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.cli.sprt import SprtProgressView
    from ludus.scheduling.cluster_key import Cluster
    from ludus.tuning.plan import TuningPlan
    from ludus.tuning.run import Tuning

MAX_PAIRS = 1000


@command(
    en="Find better values for numbers of a bot. Its file declares them, one line each:"
    " CORNER = 100  # tune: 0..200. Versions with other values play mirrored pairs of bouts; then"
    " ludus sprt asks whether the result is better than the start. Run it again to continue after"
    " a stop.",
    zh="为 AI 中的参数找到更好的值。在文件中逐行声明：CORNER = 100  # tune: 0..200。"
    "不同取值的版本进行成对的镜像对局，最后用 ludus sprt 检验结果是否比原来更强。"
    "中断后再次运行即可继续。",
)
@argument(
    "bot",
    type=BotParam(),
    metavar="BOT",
    en="A Python file, or a house bot.",
    zh="Python 文件，或自带 AI。",
)
@option("--game", type=GameParam(), required=True, en="The game.", zh="游戏。")
@option(
    "--bouts",
    type=IntegerParam(2),
    default=20000,
    en="Number of bouts (20000).",
    zh="局数（20000）。",
)
@option(
    "--pairs",
    type=IntegerParam(1, MAX_PAIRS),
    default=4,
    en="Mirrored pairs that two versions play (4).",
    zh="每次迭代中两个版本进行多少对镜像对局（4）。",
)
@option(
    "--rate",
    type=float,
    default=0.02,
    metavar="R",
    en="How far values move for a point: more arrives sooner, less is more exact (0.02).",
    zh="每得一分，参数移动多少：大则快，小则准（0.02）。",
)
@option(
    "--against",
    type=BotParam(),
    default="",
    metavar="BOT",
    en="Let both versions play this bot, not each other.",
    zh="两个版本都与此 AI 对局，而不是互相对局。",
)
@SETTINGS_OPTION
@OPENINGS_OPTION
@option(
    "--time", "budget", type=SecondsParam(), en="Thinking time for a bout.", zh="每局思考时间。"
)
@FIXED_SEED_OPTION
@option(
    "--in-process",
    is_flag=True,
    en="Run the bots inside Ludus: fast, but only for code you trust.",
    zh="AI 在 Ludus 进程内运行：快，但只适用于可信代码。",
)
@option(
    "--jobs", type=JobsParam(), default="auto", en="Bouts at once (auto).", zh="同时局数（auto）。"
)
@cluster_options(
    en="Play on a Dask cluster (ludus worker).", zh="在 Dask 集群（ludus worker）上进行。"
)
@option(
    "--output",
    "target",
    type=FileParam(),
    en="Where to write the tuned bot (BOT_tuned.py); a picture of the values goes beside it.",
    zh="调好的 AI 写到哪里（BOT_tuned.py）；参数变化图放在它旁边。",
)
@option("--no-sprt", is_flag=True, en="Do not test the result.", zh="不检验结果。")
@option("--fresh", is_flag=True, en="Discard the bouts of earlier runs.", zh="不沿用以前的对局。")
@JSON_OPTION
def COMMAND(
    bot: str,
    target: str | None,
    jobs: int,
    cluster: Cluster | None,
    no_sprt: bool,
    fresh: bool,
    as_json: bool,
    **given: Any,
) -> int:
    from ludus.cli.tune_view import result_json

    plan, path = make_plan(bot, in_cluster=cluster is not None, **given)
    result = choose_target(target, path, plan)
    tuning = _tune(plan, result, jobs, cluster, fresh=fresh, quiet=as_json)
    _write_result(tuning, result)
    if not as_json:
        _print_result(tuning, result)
    view = None
    if not no_sprt and result.read_bytes() != path.read_bytes():
        view = _test_result(result, path, jobs, cluster, fresh=fresh, quiet=as_json, **given)
    if as_json:
        sprt = None if view is None else view.result_json()
        files = {"output": str(result), "picture": str(_picture_path(result)), "sprt": sprt}
        output.print_json(result_json(tuning) | files)
    elif view is not None:
        view.print_result(as_json=False)
    return 0 if view is None or view.decision == "better" else 1


def make_plan(bot: str, *, in_cluster: bool, **given: Any) -> tuple[TuningPlan, Path]:
    """The tuning that the options ask for, and the bot's file."""
    from ludus.cli.options import parse_options
    from ludus.games.openings import resolve_openings
    from ludus.games.registry import open_game
    from ludus.tuning.plan import TuningPlan, find_bot, find_rival

    game = open_game(given["game"])
    options = parse_options(game, given["settings"])
    source, path, tunable = find_bot(bot, game)
    if given["in_process"] and in_cluster:
        raise LudusError(
            "--in-process and --cluster exclude each other",
            "--in-process 与 --cluster 不能同时使用",
        )
    clock = game.clock
    if given["budget"] is not None:
        clock = dataclasses.replace(clock, budget=given["budget"])
    plan = TuningPlan(
        bot=source,
        source=tunable,
        game=game,
        options=options,
        clock=clock,
        openings=resolve_openings(given["openings"], game, options),
        bouts=given["bouts"],
        pairs=given["pairs"],
        rate=given["rate"],
        seed=given["seed"],
        rival=find_rival(given["against"], game, source) if given["against"] else None,
        isolate=False if given["in_process"] else True if in_cluster else None,
    )
    return plan, path


def choose_target(target: str | None, path: Path, plan: TuningPlan) -> Path:
    """Where the tuned bot is written; LudusError if that would replace another program."""
    folder = Path() if plan.bot.trusted else path.parent
    result = Path(target).expanduser() if target else folder / f"{path.stem}_tuned.py"
    if not os.access(result.absolute().parent, os.W_OK):
        raise LudusError(
            f"cannot write {result}; name another file with --output",
            f"无法写入 {result}；请用 --output 指定另一个文件",
        )
    if result.exists() and (result.samefile(path) or not _is_version(result, plan)):
        raise LudusError(
            f"{result} is there already and is not an earlier result of this tuning; name another"
            " file with --output",
            f"{result} 已存在，且不是这次调参以前的结果；请用 --output 指定另一个文件",
        )
    return result


def _is_version(result: Path, plan: TuningPlan) -> bool:
    from ludus.tuning.parameters import read_tunable

    try:
        return plan.source.is_version(read_tunable(result))
    except LudusError:
        return False


def _tune(
    plan: TuningPlan,
    result: Path,
    jobs: int,
    cluster: Cluster | None,
    *,
    fresh: bool,
    quiet: bool,
) -> Tuning:
    """Play what is left of the tuning."""
    from ludus.cli.tune_view import TuningProgressView
    from ludus.scheduling.cluster import create_pool
    from ludus.tuning.run import Tuning

    pool = create_pool(jobs, cluster)
    with pool, Tuning(plan, pool.capacity, fresh=fresh) as tuning:
        view = TuningProgressView(tuning, quiet=quiet)
        try:
            with view.show_live():
                tuning.run(pool, view.update)
        except KeyboardInterrupt as interrupt:
            save_picture(tuning, result)
            if not quiet:
                output.stderr_console().print(view.draw())
                interrupt.add_note(f"{same_command_hint()} {_values_hint(result)}")
            raise
    return tuning


def _values_hint(result: Path) -> str:
    picture = _picture_path(result)
    return tr(f"The values so far: {picture}", f"目前的参数变化图：{picture}")


def save_picture(tuning: Tuning, result: Path) -> None:
    """Write the picture of the values beside the tuned bot."""
    from ludus.match.record import write_atomically
    from ludus.tuning.picture import draw_tuning

    write_atomically(_picture_path(result), draw_tuning(tuning).encode(), durable=False)


def _picture_path(result: Path) -> Path:
    return result.with_suffix(".svg")


def _write_result(tuning: Tuning, result: Path) -> None:
    from ludus.match.record import write_atomically

    write_atomically(result, tuning.plan.source.encode(tuning.list_values()))
    save_picture(tuning, result)


def _print_result(tuning: Tuning, result: Path) -> None:
    from ludus.cli.tune_view import values_table

    table = values_table(tuning.plan.source.numbers, tuning.list_values(), tr("tuned", "调整后"))
    output.stdout_console().print(table)
    if tuning.faults:
        print(
            tr(
                f"In {tuning.faults:,} of {tuning.bouts:,} bouts a bot failed (ludus check).",
                f"{tuning.bouts:,} 局中有 {tuning.faults:,} 局 AI 出错（见 ludus check）。",
            )
        )
    picture = _picture_path(result)
    print(
        tr(
            f"After {tuning.bouts:,} bouts: {result}, picture: {picture}",
            f"共 {tuning.bouts:,} 局：{result}，参数变化图：{picture}",
        ),
        flush=True,
    )


def _test_result(
    result: Path, start: Path, jobs: int, cluster: Cluster | None, **given: Any
) -> SprtProgressView:
    """Is the tuned bot better than the start? As many bouts as the tuning, at most."""
    from ludus.cli.sprt import run_test
    from ludus.rating.sprt import Sprt

    names = ("game", "bouts", "settings", "openings", "seed", "budget", "fresh", "quiet")
    return run_test(
        Sprt(0.0, 10.0),
        new=str(result),
        old=str(start),
        jobs=jobs,
        cluster=cluster,
        trust=False,
        **{name: given[name] for name in names},
    )
