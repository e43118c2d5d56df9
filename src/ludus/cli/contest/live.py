"""What a person sees while a contest runs."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludus.cli import output
from ludus.cli.results import fault_name
from ludus.lang import tr, words

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ludus.contest.ledger import Ledger
    from ludus.games.base import Game
    from ludus.scheduling.scheduler import Progress, Watch

RECENT = 5
PAUSE = 0.7
"""Seconds between two pictures."""


@contextlib.contextmanager
def shown(game: Game, layout: str, quiet: bool) -> Iterator[Watch | None]:
    """A live table on a terminal; nothing where there is none."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.live import Live

    view = View(game, layout)
    live = Live(
        get_renderable=view.draw, console=output.err(), transient=True, refresh_per_second=2
    )
    with live:
        yield view.told


class View:
    """The table, progress with rate and time left, and the latest faults."""

    def __init__(self, game: Game, layout: str) -> None:
        self.game, self.layout = game, layout
        self.faults: deque[str] = deque(maxlen=RECENT)
        self._drawn: RenderableType = tr("starting …", "正在启动……")
        self._when = -PAUSE

    def told(self, progress: Progress) -> None:
        """Called where the contest runs: what is shown is made there, now and then."""
        for brought in progress.latest:
            facts = brought.facts
            for fault in facts.faults:
                name = facts.names[fault["seat"]]
                self.faults.append(f"✗ {name}: {fault_name(fault['kind'])}: {words(fault['why'])}")

        if time.monotonic() - self._when >= PAUSE:
            self._drawn = self._picture(progress)
            self._when = time.monotonic()

    def draw(self) -> RenderableType:
        return self._drawn

    def _picture(self, progress: Progress) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        from ludus.cli.contest.tables import drawn
        from ludus.cli.output import printable
        from ludus.escape import one_line

        parts: list[RenderableType] = [drawn(progress.ledger, self.layout)]
        parts += [Text(one_line(fault), "red") for fault in self.faults]
        parts.append(Text(pace(progress), "bold"))
        if progress.trouble:
            parts.append(Text(printable(progress.trouble), "yellow"))
        return Group(*parts)


def pace(progress: Progress) -> str:
    """Bouts so far, how many a second, and how long the rest will take."""
    done, left = len(progress.ledger.bouts), bouts_left(progress.ledger)
    rate = progress.played / max(progress.seconds, 1e-9)
    shown = f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min"
    said = tr(
        f"{done} bouts played, {left} to go in this stage, {shown}",
        f"已进行 {done} 局，本阶段还有 {left} 局，{shown}",
    )
    if rate > 0 and left:
        said += tr(f", {_clock(left / rate)} left", f"，剩余 {_clock(left / rate)}")
    return said


def bouts_left(ledger: Ledger) -> int:
    """What the matches that can be played now still need, at most."""
    known = Counter(match for match, _ in ledger.bouts)
    return sum(
        max(0, ledger.settings.rules(pairing).bouts - known[pairing.id])
        for pairing in ledger.open()
    )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
