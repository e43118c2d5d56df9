"""The live display while a contest runs."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludus.cli import output
from ludus.cli.results import fault_name
from ludus.lang import tr, translate

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ludus.contest.ledger import Ledger
    from ludus.games.base import Game
    from ludus.scheduling.scheduler import ContestProgress, ProgressCallback

MAX_SHOWN_FAULTS = 5
REDRAW_INTERVAL_S = 0.7
"""Seconds between two updates of the display."""


@contextlib.contextmanager
def show_live(game: Game, layout: str, quiet: bool) -> Iterator[ProgressCallback | None]:
    """A live table on a terminal; nothing if the output is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.live import Live

    view = ContestProgressView(game, layout)
    live = Live(
        get_renderable=view.draw,
        console=output.stderr_console(),
        transient=True,
        refresh_per_second=2,
    )
    with live:
        yield view.update


class ContestProgressView:
    """The table, progress with rate and time left, and the latest faults."""

    def __init__(self, game: Game, layout: str) -> None:
        self.game, self.layout = game, layout
        self.faults: deque[str] = deque(maxlen=MAX_SHOWN_FAULTS)
        self._last_picture: RenderableType = tr("starting …", "正在启动……")
        self._drawn_at = -REDRAW_INTERVAL_S

    def update(self, progress: ContestProgress) -> None:
        """Called in the thread that runs the contest; renders the display every now and then."""
        for bout in progress.new_bouts:
            facts = bout.facts
            for fault in facts.faults:
                name = facts.names[fault["seat"]]
                self.faults.append(
                    "✗ "
                    + tr(": ", "：").join(
                        [name, fault_name(fault["kind"]), translate(fault["why"])]
                    )
                )

        if time.monotonic() - self._drawn_at >= REDRAW_INTERVAL_S:
            self._last_picture = self._render(progress)
            self._drawn_at = time.monotonic()

    def draw(self) -> RenderableType:
        return self._last_picture

    def _render(self, progress: ContestProgress) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        from ludus.cli.contest.tables import render_tables
        from ludus.cli.output import escape_unsafe
        from ludus.escape import escape_to_one_line

        parts: list[RenderableType] = [render_tables(progress.ledger, self.layout)]
        parts += [Text(escape_to_one_line(fault), "red") for fault in self.faults]
        parts.append(Text(format_progress(progress), "bold"))
        if progress.trouble:
            parts.append(Text(escape_unsafe(progress.trouble), "yellow"))
        return Group(*parts)


def format_progress(progress: ContestProgress) -> str:
    """Bouts so far, bouts per second, and the time that the rest will take."""
    done, left = len(progress.ledger.bouts), count_bouts_left(progress.ledger)
    rate = progress.played / max(progress.seconds, 1e-9)
    shown = f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min"
    line = tr(
        f"{done} bouts played, {left} to go in this stage, {shown}",
        f"已进行 {done} 局，本阶段还有 {left} 局，{shown}",
    )
    if rate > 0 and left:
        line += tr(
            f", {format_duration(left / rate)} left", f"，剩余 {format_duration(left / rate)}"
        )
    return line


def count_bouts_left(ledger: Ledger) -> int:
    """The most bouts that the current matches still need."""
    known = Counter(match for match, _ in ledger.bouts)
    total = 0
    for pairing in ledger.open_pairings():
        left = ledger.settings.rules_for_pairing(pairing).bouts - known[pairing.id]
        if left <= 0:  # its extra bouts are played, and how many is not known
            left = sum(len(batch.bouts) for batch in ledger.match_state(pairing).batches)
        total += left
    return total


def format_duration(seconds: float) -> str:
    """Hours, minutes and seconds: ``1:02:03`` or ``2:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
