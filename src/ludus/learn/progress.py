"""Shows the progress of a training run: a line per wave, a bar on terminals, TensorBoard curves."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ludus.lang import tr, translate
from ludus.learn.settings import TrainingSettings
from ludus.rating.copies import describe_copies
from ludus.rating.elo import estimate_elo
from ludus.rating.scores import PairedScore, WinDrawLoss

LOG_INTERVAL_WAVES = 10
"""Waves between two lines of output where there is no terminal."""


class TrainingProgress:
    """Reports the progress of one run."""

    def __init__(self, settings: TrainingSettings, folder: Path) -> None:
        self.settings, self.folder = settings, folder
        self.writer = open_tensorboard(folder / "tensorboard")
        self.bar: Any = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn(tr("waves", "轮次")),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.description}"),
            )
            file = getattr(
                sys.stderr, "unescaped", sys.stderr
            )  # the bar needs terminal control codes
            self.bar = Bar(*columns, console=Console(file=file))
            self.bar.start()
            self.task = self.bar.add_task("", total=self.settings.learn.waves)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
        if self.writer is not None:
            self.writer.close()

    def show_start(self, trainer: Any) -> None:
        """Print the run's settings."""
        import jax

        from ludus.learn.net import count_weights

        net = self.settings.net
        count = count_weights(trainer.train_state.weights)
        self.print_line(
            tr(
                f"{self.settings.game}, net {net.blocks}×{net.channels} ({count:,} weights), on"
                f" {jax.devices()[0].device_kind}; the first wave compiles and takes longer",
                f"{self.settings.game}，网络 {net.blocks}×{net.channels}（{count:,} 个参数），"
                f"设备 {jax.devices()[0].device_kind}；第一轮需要编译，较慢",
            )
        )
        if trainer.wave:
            self.print_line(
                tr(f"continuing after wave {trainer.wave}", f"从第 {trainer.wave} 轮之后继续")
            )

    def print_line(self, text: str) -> None:
        if self.bar is not None:
            self.bar.console.print(text, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)

    def show_wave(self, row: dict[str, Any]) -> None:
        """Print a wave's results."""
        line = format_wave(row, self.settings)
        rated = {name: result for name, result in row.items() if name.startswith("against ")}
        if self.bar is not None:
            self.bar.update(self.task, completed=row["wave"], description=line)
        elif rated or is_shown(row["wave"], self.settings.learn.waves):
            print(line, file=sys.stderr, flush=True)
        for name, result in rated.items():
            self.print_line(format_rating(name.removeprefix("against "), result))
        if self.writer is not None:
            write_scalars(self.writer, row, self.settings)


def is_shown(wave: int, waves: int) -> bool:
    """Whether a wave has a line where there is no terminal: each of a short run, and the last."""
    short = waves <= 2 * LOG_INTERVAL_WAVES
    return short or wave <= 2 or wave % LOG_INTERVAL_WAVES == 0 or wave == waves


def format_wave(row: dict[str, Any], settings: TrainingSettings) -> str:
    """A wave in one line."""
    tally = row["tally"]
    simulations = settings.search.in_wave(row["wave"] - 1).simulations
    made = settings.play.bouts * settings.play.plies * simulations
    speed = made / max(row["play_seconds"], 1e-9)
    bouts = max(tally["bouts"], 1)
    shares = [tally["won"] / bouts, tally["drawn"] / bouts]
    length = tally["plies"] / bouts
    lost = f"{row.get('policy_loss', 0):.3f}/{row.get('value_loss', 0):.3f}"
    return tr(
        f"wave {row['wave']}: {row['seconds']:.0f} s, {row['samples']:,} positions,"
        f" {speed:,.0f} simulations/s, loss {lost},"
        f" first seat {shares[0]:.0%} won {shares[1]:.0%} drawn, {length:.0f} plies",
        f"第 {row['wave']} 轮：{row['seconds']:.0f} 秒，{row['samples']:,} 个局面，"
        f"每秒 {speed:,.0f} 次模拟，损失 {lost}，"
        f"先手座位胜 {shares[0]:.0%} 和 {shares[1]:.0%}，平均 {length:.0f} 步",
    )


def format_rating(rival: str, result: dict[str, Any]) -> str:
    """A measured strength as text; ``result`` is ``Measurement.as_row``."""
    first, second = (WinDrawLoss(*seat) for seat in result["seats"])
    score = _read_score(result)
    elo = estimate_elo(score).format()
    line = tr(
        f"  against {rival}: {score.share:.1%} ({first.share:.1%} and {second.share:.1%} by seat),"
        f" Elo {elo}",
        f"  对 {rival}：{score.share:.1%}（两个座位 {first.share:.1%}、{second.share:.1%}），"
        f"Elo {elo}",
    )
    if copies := result.get("copies", 0):  # rows of older runs have none
        line += f"; {translate(describe_copies(copies, score.bouts + copies))}"
    return line


def _read_score(result: dict[str, Any]) -> PairedScore:
    return PairedScore(tuple(result["pairs"]), WinDrawLoss(*result["singles"]))


def open_tensorboard(folder: Path) -> Any:
    """A writer of TensorBoard's files, or None where that is not installed."""
    try:
        from tensorboard.summary import Writer
    except ImportError:
        return None
    return Writer(str(folder))


def write_scalars(writer: Any, row: dict[str, Any], settings: TrainingSettings) -> None:
    """Add a row to the curves."""
    wave = row["wave"]
    for name in ("policy_loss", "value_loss", "norm", "play_seconds", "learn_seconds"):
        if name in row:
            writer.add_scalar(f"learning/{name}", row[name], wave)
    bouts = max(row["tally"]["bouts"], 1)
    for name in ("won", "drawn", "plies"):
        writer.add_scalar(f"bouts/{name}", row["tally"][name] / bouts, wave)
    for name, result in row.items():
        if name.startswith("against "):
            elo = estimate_elo(_read_score(result)).elo
            tag = name.removeprefix("against ").replace(" ", "_")
            writer.add_scalar(f"elo/{tag}", elo, wave)
            writer.add_scalar(f"elo_by_minute/{tag}", elo, int(row["seconds"] / 60))
    writer.flush()
