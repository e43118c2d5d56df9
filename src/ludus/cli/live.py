"""The live display while bouts are played: latest results, score, time left."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ludus.cli import output
from ludus.cli.results import BoutResultRow, compute_totals
from ludus.cli.session import MakeWatch, Session
from ludus.lang import tr

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress

MAX_RECENT_BOUTS = 8
OnBout = Callable[[BoutResultRow], None]


def play_all(session: Session, *, quiet: bool = False) -> list[BoutResultRow]:
    """Play all bouts of a session and show them as the plan and the terminal allow."""
    rows: list[BoutResultRow] = []
    with contextlib.ExitStack() as stack:
        show: MakeWatch | None = None
        on_bout: OnBout | None = None
        if session.plan.watch and not quiet:
            from ludus.cli.watch import SessionScreen

            show = stack.enter_context(SessionScreen(session.plan, output.stdout_console()))
        elif session.page is not None:
            from ludus.cli.web import make_delay_watch

            show = make_delay_watch(session.plan.delay)
        elif sys.stderr.isatty():
            on_bout = stack.enter_context(_show_progress(session, rows))
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))  # bots inside our process
        bouts = stack.enter_context(contextlib.closing(session.play(show)))
        for row in bouts:
            rows.append(row)
            if on_bout:
                on_bout(row)
    return rows


@contextlib.contextmanager
def _show_progress(session: Session, rows: list[BoutResultRow]) -> Iterator[OnBout]:
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from ludus.cli.tables import bouts_table

    plan = session.plan
    bar = _make_progress_bar(plan.bout_count)
    began = time.monotonic()

    def draw() -> RenderableType:
        standing = "   ".join(
            f"{total.name} {total.all.wins + total.all.draws / 2:g}"
            for total in compute_totals(rows, plan.labels)
        )
        recent = bouts_table(plan.game, rows[-MAX_RECENT_BOUTS:], seeds=False)
        return Group(recent, Text(), Text(standing, "bold"), bar)

    def on_bout(row: BoutResultRow) -> None:
        rate = len(rows) / max(1e-9, time.monotonic() - began)
        unit = tr("bouts/s", "局/秒") if rate >= 1 else tr("bouts/min", "局/分")
        shown = f"{rate if rate >= 1 else rate * 60:.1f} {unit}"
        bar.update(bar.task_ids[0], completed=len(rows), rate=shown)

    live = Live(
        get_renderable=draw, console=output.stderr_console(), transient=True, refresh_per_second=4
    )
    with live:
        live.refresh()
        yield on_bout


def _make_progress_bar(total: int) -> Progress:
    from rich import progress

    bar = progress.Progress(
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[rate]}"),
        progress.TimeRemainingColumn(),
        progress.TextColumn(tr("left", "剩余")),
    )
    bar.add_task("", total=total, rate="")
    return bar
