"""Plays a plan: watches, journals, saves and counts its bouts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli.options import Plan
from ludus.cli.results import BoutRow, row_of
from ludus.cli.screen import printable
from ludus.errors import LudusError
from ludus.match import store

if TYPE_CHECKING:
    from ludus.arena.visit import Visit
    from ludus.games.base import Position
    from ludus.match.referee import Event, Watch
    from ludus.match.series import Pairing, Played

Show = Callable[["Pairing"], "Watch | None"]
"""Gives whoever draws a bout while it is played."""


@dataclass(slots=True)
class Session:
    """A plan, and what became of saving its bouts."""

    plan: Plan
    stem: str
    """What the names of its files begin with."""
    records: store.Store | None
    failure: LudusError | None = None
    """Why something could not be saved; the bouts count all the same."""
    page: Visit | None = None
    """Where the bouts are watched, if they are."""

    @classmethod
    def of(cls, plan: Plan) -> Session:
        stem = store.stem_of(plan.game.name, [source.name for source in plan.sources])
        kept = None if plan.save is None else store.Store(plan.save, stem, plan.bouts)
        return cls(plan, stem, kept)

    def name(self, number: int) -> str:
        """What a bout is called: its journal, its record, its address on the page."""
        return store.bout_name(self.stem, number, self.plan.bouts)

    def play(self, show: Show | None = None) -> Generator[BoutRow]:
        """Play bout after bout. Close the iterator to stop: the bots end with it."""
        from ludus.bots.enter import enter
        from ludus.match.series import series

        plan = self.plan
        players = [enter(source, plan.game, isolate=plan.isolate) for source in plan.sources]
        watch = Watching(self, show)
        played = series(
            plan.game,
            plan.settings,
            players,
            plan.bouts,
            plan.seed,
            swap=plan.swap,
            clock=plan.clock,
            time0=plan.time0,
            watch=watch,
        )
        with contextlib.closing(watch), contextlib.closing(played):
            for each in played:
                self._refuse_unloadable(each)
                yield self._keep(each)
                watch.close()

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
        if folder is None or self.failure is not None:
            return
        for label, output in zip(self.plan.labels, played.outputs, strict=True):
            name = f"{self.stem}-{played.pairing.number + 1:02d}-{store.file_name(label)}"
            for stream, text in output.items():
                if text:
                    self._write_log(folder, name, f".{stream}.txt", text)

    def _write_log(self, folder: Path, name: str, suffix: str, text: str) -> None:
        try:
            store.save_as_new(folder, name, suffix, text.encode())
        except LudusError as error:
            self.failure = error

    def _refuse_unloadable(self, played: Played) -> None:
        """A bot that does not even load in the first bout is a mistake, not an opponent."""
        if played.pairing.number == 0:
            for fault in played.record.faults:
                if fault.kind == "load":
                    source = self.plan.sources[played.pairing.order[fault.seat]]
                    raise LudusError(
                        f"{source.name}: {fault.why['en']}",
                        f"{source.name}：{fault.why['zh']}",
                        printable(fault.trace),
                    )


class Watching:
    """Who looks on at each bout: its journal, and the screen if it is shown."""

    def __init__(self, session: Session, show: Show | None) -> None:
        self.session = session
        self.show = show
        self.journal: store.LiveJournal | None = None

    def __call__(self, pairing: Pairing) -> Watch | None:
        self.close()
        shown = self.show(pairing) if self.show else None
        session = self.session
        if session.records is None and not session.plan.web:
            return shown
        journal = self.journal = store.LiveJournal(session.name(pairing.number))
        if session.page is not None and pairing.number == 0:
            session.page.show(f"/watch/{journal.id}")
        if shown is None:
            return journal

        def both(event: Event, position: Position) -> None:
            journal(event, position)
            shown(event, position)

        return both

    def close(self) -> None:
        """The bout is over, or will never be."""
        if self.journal is not None:
            self.journal.close()
            self.journal = None
