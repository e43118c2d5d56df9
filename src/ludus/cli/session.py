"""Plays a plan: watches, journals, saves and counts its bouts."""

from __future__ import annotations

import contextlib
import dataclasses
import textwrap
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli import output as screen
from ludus.cli.options import Plan
from ludus.cli.output import printable
from ludus.cli.results import BoutRow, row_of
from ludus.errors import LudusError
from ludus.lang import tr, words
from ludus.match import record_files

if TYPE_CHECKING:
    from ludus.bots.players.base import Player
    from ludus.games.base import Position
    from ludus.match.referee import Event, Watch
    from ludus.match.series import Pairing, Played, WatchEach
    from ludus.match.task import Task
    from ludus.server.embedded import Visit

Show = Callable[["Pairing"], "Watch"]
"""Gives whoever draws a bout while it is played."""


@dataclass(slots=True)
class Session:
    """A plan, and what became of saving its bouts."""

    plan: Plan
    stem: str
    """What the names of its files begin with."""
    records: record_files.Store | None
    failure: LudusError | None = None
    """Why something could not be saved; the bouts count all the same."""
    begun: bool = False
    """Whether the first bout has been played."""
    printed: set[str] = field(default_factory=set)
    """The bots of which something was printed that nobody keeps."""
    page: Visit | None = None
    """Where the bouts are watched, if they are."""

    @classmethod
    def of(cls, plan: Plan) -> Session:
        stem = record_files.stem_of(plan.game.name, [source.name for source in plan.sources])
        names = record_files.Names(stem, plan.bouts)
        return cls(plan, stem, None if plan.save is None else record_files.Store(plan.save, names))

    def play(self, show: Show | None = None) -> Generator[BoutRow]:
        """Play the bouts and give them in order. Close the iterator to stop: the bots end with it.

        With several jobs a bout is saved when it ends, and given when those before it have ended.
        """
        from ludus.match.task import players_of

        early: dict[int, BoutRow] = {}
        number = 1
        task = self._task(show)
        warn_of_gaps(players_of(task))
        with contextlib.closing(self._bouts(task)) as bouts:
            for played in bouts:
                self._refuse_unloadable(played)
                row = self._keep(played)
                early[row.number] = row
                while number in early:
                    yield early.pop(number)
                    number += 1

    def _bouts(self, task: Task) -> Generator[Played, None, None]:
        if self.plan.jobs > 1:
            from ludus.match.parallel import parallel

            return parallel(task, self.plan.jobs)
        from ludus.match.task import bouts_of

        return bouts_of(task)

    def _task(self, show: Show | None) -> Task:
        from ludus.games.registry import opened_at
        from ludus.match.task import Task

        plan = self.plan
        game = plan.game
        return Task(
            game=game.name,
            folder=opened_at(game.name),
            version=game.version,
            options=plan.settings.as_json(),
            sources=plan.sources,
            pairings=tuple(self._pairings()),
            clock=plan.clock,
            time0=plan.time0,
            isolate=plan.isolate,
            level=plan.jail,
            watch=self._watch(show),
        )

    def _pairings(self) -> list[Pairing]:
        from ludus.match.series import pairings

        plan = self.plan
        found = pairings(len(plan.game.seats), plan.bouts, plan.seed, plan.swap)
        if plan.bout_seed is None:
            return found
        return [dataclasses.replace(each, seed=plan.bout_seed) for each in found]

    def _watch(self, show: Show | None) -> WatchEach | None:
        """Who looks on at each bout: its journal, the page, and the screen if it is shown."""
        page = self.page
        journals = None
        if self.records is not None or page is not None:
            journals = record_files.Journals(record_files.Names(self.stem, self.plan.bouts))
        if page is not None and self.plan.jobs > 1:
            page.show("/")
            page = None
        if show is None and page is None:
            return journals
        if journals is None:
            assert show is not None
            return lambda pairing: contextlib.nullcontext(show(pairing))

        @contextlib.contextmanager
        def both(pairing: Pairing) -> Iterator[Watch]:
            with journals(pairing) as journal:
                if page is not None and pairing.number == 0:
                    page.show(f"/watch/{journal.id}")
                shown = show(pairing) if show is not None else None

                def watch(event: Event, position: Position) -> None:
                    journal(event, position)
                    if shown is not None:
                        shown(event, position)

                yield watch

        return both

    def _keep(self, played: Played) -> BoutRow:
        pairing, file = played.pairing, None
        if self.records is not None:
            file = self.records.save(played.record, pairing.number)
            self.failure = self.failure or self.records.failure
        self._keep_logs(played)
        name = str(file) if file else None
        plan = self.plan
        return row_of(plan.game, played.record, pairing.number, pairing.order, plan.labels, name)

    def _keep_logs(self, played: Played) -> None:
        folder = self.plan.logs
        if folder is None:
            outputs = zip(self.plan.labels, played.outputs, strict=True)
            self.printed |= {label for label, output in outputs if any(output.values())}
            return
        if self.failure is not None:
            return
        for label, output in zip(self.plan.labels, played.outputs, strict=True):
            name = f"{self.stem}-{played.pairing.number + 1:02d}-{record_files.file_name(label)}"
            for stream, text in output.items():
                if text:
                    self._write_log(folder, name, f".{stream}.txt", text)

    def _write_log(self, folder: Path, name: str, suffix: str, text: str) -> None:
        try:
            record_files.save_as_new(folder, name, suffix, text.encode())
        except LudusError as error:
            self.failure = error

    def _refuse_unloadable(self, played: Played) -> None:
        """A bot that does not even load in the first bout is a mistake, not an opponent."""
        if self.begun:
            return
        for fault in played.record.faults:
            if fault.kind == "load":
                source = self.plan.sources[played.pairing.order[fault.seat]]
                raise LudusError(
                    printable(f"{source.name}: {fault.why['en']}"),
                    printable(f"{source.name}：{fault.why['zh']}"),
                    textwrap.indent(printable(fault.trace), "    "),
                )
        self.begun = played.pairing.number == 0


def warn_of_gaps(players: Sequence[Player]) -> None:
    """Strangers' bots in a weak jail: say what it cannot stop, before they play."""
    from ludus.sandbox import Level

    if any(player.isolation == Level.PLAIN for player in players):
        tell_gaps()


def tell_gaps() -> None:
    from ludus import sandbox
    from ludus.sandbox import Level

    console = screen.err()
    console.print(
        tr(
            "the bots run in jails of level plain, which cannot stop everything:",
            "AI 在 plain 级沙箱中运行，它挡不住以下行为：",
        ),
        style="yellow",
    )
    for gap in sandbox.gaps(Level.PLAIN, sandbox.abilities()):
        console.print(f"  · {words(gap)}", style="yellow")
