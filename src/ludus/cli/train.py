"""``ludus train``: trains a network for a game by self-play."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ludus.called import program_name
from ludus.cli.cluster import cluster_options
from ludus.cli.command import command, option
from ludus.cli.interrupts import LastingInterrupt, hint_on_interrupt, same_command_hint
from ludus.cli.options import GAME_ARGUMENT, SETTINGS_OPTION, write_options
from ludus.cli.param_types import KeyValueParam
from ludus.errors import LudusError
from ludus.home import require_writable_folder
from ludus.lang import tr
from ludus.packages import add_command

if TYPE_CHECKING:
    from ludus.learn.settings import TrainingSettings
    from ludus.scheduling.cluster_key import Cluster
    from ludus.workers.pool import WorkerPool


@command(
    en="Train a network for a game by self-play. Give the same command again to continue a run"
    " that was stopped.",
    zh="通过自我对弈训练游戏的网络。中断后再次执行同一命令即可继续。",
)
@GAME_ARGUMENT
@SETTINGS_OPTION
@option(
    "--preset",
    default="laptop",
    en="laptop, gpu, original, or a toml file with settings.",
    zh="laptop、gpu、original，或含设置的 toml 文件。",
)
@option(
    "-s",
    "--set",
    "changes",
    type=KeyValueParam(),
    multiple=True,
    en="A setting to change, e.g. -s learn.waves=20.",
    zh="要改的设置，如 -s learn.waves=20。",
)
@option(
    "--out",
    type=Path,
    default=None,
    en="The run's folder; runs/GAME-PRESET if not given.",
    zh="训练文件夹；默认为 runs/游戏-预设。",
)
@option(
    "--waves",
    "until",
    type=int,
    default=None,
    en="Stop after this wave for now; the run can go on later.",
    zh="本次训练到第几轮为止；以后可继续。",
)
@option(
    "--compile-cache",
    type=Path,
    default=None,
    en="Keep compiled programs in this folder and use them again in later runs on the same device.",
    zh="把编译好的程序保存在此文件夹，以后在同样的设备上训练时再用。",
)
@cluster_options(
    en="Play the tasks of play.engine = cpu on a Dask cluster (ludus worker).",
    zh="在 Dask 集群（ludus worker）上进行 play.engine = cpu 的任务。",
)
def COMMAND(
    game: str,
    settings: tuple[tuple[str, str], ...],
    preset: str,
    changes: tuple[tuple[str, str], ...],
    out: Path | None,
    until: int | None,
    compile_cache: Path | None,
    cluster: Cluster | None,
) -> int:
    from ludus.learn.settings import load_settings
    from ludus.learn.trainable_games import get_trainable_game

    rules = get_trainable_game(game)
    wanted = dict(changes) | {f"options.{name}": value for name, value in settings}
    chosen = load_settings(preset, wanted, game)
    rules.Options.parse(chosen.options)
    folder = out or Path("runs", f"{game}-{Path(preset).stem}")
    try:
        train(chosen, folder, until, cluster, compile_cache)
    except KeyboardInterrupt as interrupt:
        _leave_at_once(interrupt)
    return 0


def _leave_at_once(interrupt: KeyboardInterrupt) -> NoReturn:
    """End the process: its threads inside a compiler would be waited for, and then crash it."""
    import os
    import sys

    from ludus.cli.main import explain_interrupt

    code = explain_interrupt(interrupt)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def train(
    chosen: TrainingSettings,
    folder: Path,
    until: int | None,
    cluster: Cluster | None,
    compile_cache: Path | None = None,
) -> None:
    """Train and show the progress."""
    try:
        from ludus.learn.compiling import use_compile_cache
        from ludus.learn.progress import TrainingProgress
        from ludus.learn.trainer import make_trainer
    except ImportError as error:
        raise LudusError(
            f"training needs {error.name}; install it: {add_command('[learn]')}",
            f"训练需要 {error.name}；请安装：{add_command('[learn]')}",
        ) from None
    require_writable_folder(folder)
    if compile_cache is not None:
        use_compile_cache(compile_cache)
    with contextlib.ExitStack() as stack:
        stack.enter_context(hint_on_interrupt(same_command_hint))
        interrupt = stack.enter_context(LastingInterrupt(same_command_hint))
        pool: WorkerPool | None = None  # None: waves are played by processes of this machine
        if cluster is not None:
            from ludus.scheduling.cluster import create_cluster_pool

            pool = stack.enter_context(create_cluster_pool(cluster))
        trainer = make_trainer(chosen, folder, pool)
        progress = stack.enter_context(TrainingProgress(chosen, folder))
        progress.show_start(trainer)
        trainer.run(progress.show_wave, until, interrupt.check)
    print_network_path(chosen, folder)


def print_network_path(chosen: TrainingSettings, folder: Path) -> None:
    """Print the network's path and how to play with it."""
    from ludus.games.registry import get

    print(tr(f"The network: {folder / 'net.onnx'}", f"网络：{folder / 'net.onnx'}"))
    options = get(chosen.game).Options.parse(chosen.options)
    words = ["play", chosen.game, f"learned:{folder / 'net.onnx'}", "random"]
    command = f"{program_name()} {shlex.join(words + write_options(options))}"
    print(tr(f"Play with it: {command}", f"用它对局：{command}"))
