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
from ludus.cli.options import SeriesPlan
from ludus.cli.output import escape_unsafe
from ludus.cli.results import BoutResultRow, summarize_bout
from ludus.errors import LudusError
from ludus.lang import tr, translate
from ludus.match import record_files

if TYPE_CHECKING:
    from ludus.bots.players.base import Player
    from ludus.games.base import Position
    from ludus.match.referee import BoutEvent, BoutObserver
    from ludus.match.series import BoutPairing, ObserverFactory, SeriesBout
    from ludus.match.task import MatchTask
    from ludus.server.embedded import EmbeddedPage

MakeWatch = Callable[["BoutPairing"], "BoutObserver"]
"""Gives whoever draws a bout while it is played."""


@dataclass(slots=True)
class Session:
    """A plan, and what became of saving its bouts."""

    plan: SeriesPlan
    stem: str
    """What the names of its files begin with."""
    records: record_files.RecordStore | None
    save_error: LudusError | None = None
    """Why something could not be saved; the bouts count all the same."""
    first_bout_played: bool = False
    """Whether the first bout has been played."""
    bots_with_unsaved_output: set[str] = field(default_factory=set)
    """The bots of which something was printed that nobody keeps."""
    page: EmbeddedPage | None = None
    """Where the bouts are watched, if they are."""

    @classmethod
    def from_plan(cls, plan: SeriesPlan) -> Session:
        stem = record_files.make_stem(plan.game.name, [source.name for source in plan.sources])
        names = record_files.BoutFileNames(stem, plan.bouts)
        return cls(
            plan, stem, None if plan.save is None else record_files.RecordStore(plan.save, names)
        )

    def play(self, show: MakeWatch | None = None) -> Generator[BoutResultRow]:
        """Play the bouts and give them in order. Close the iterator to stop: the bots end with it.

        With several jobs a bout is saved when it ends, and given when those before it have ended.
        """
        from ludus.match.task import create_players

        early: dict[int, BoutResultRow] = {}
        number = 1
        task = self._make_task(show)
        warn_about_weak_jails(create_players(task))
        with contextlib.closing(self._play_task(task)) as bouts:
            for played in bouts:
                self._refuse_unloadable(played)
                row = self._save_bout(played)
                early[row.number] = row
                while number in early:
                    yield early.pop(number)
                    number += 1

    def _play_task(self, task: MatchTask) -> Generator[SeriesBout, None, None]:
        if self.plan.jobs > 1:
            from ludus.match.parallel import play_parallel

            return play_parallel(task, self.plan.jobs)
        from ludus.match.task import iterate_bouts

        return iterate_bouts(task)

    def _make_task(self, show: MakeWatch | None) -> MatchTask:
        from ludus.games.registry import find_opened_folder
        from ludus.match.task import MatchTask

        plan = self.plan
        game = plan.game
        return MatchTask(
            game=game.name,
            folder=find_opened_folder(game.name),
            version=game.version,
            options=plan.settings.as_json(),
            sources=plan.sources,
            pairings=tuple(self._make_pairings()),
            clock=plan.clock,
            time0=plan.time0,
            isolate=plan.isolate,
            level=plan.jail,
            watch=self._make_watch(show),
        )

    def _make_pairings(self) -> list[BoutPairing]:
        from ludus.match.series import plan_pairings

        plan = self.plan
        found = plan_pairings(len(plan.game.seats), plan.bouts, plan.seed, plan.swap)
        if plan.bout_seed is None:
            return found
        return [dataclasses.replace(each, seed=plan.bout_seed) for each in found]

    def _make_watch(self, show: MakeWatch | None) -> ObserverFactory | None:
        """Who looks on at each bout: its journal, the page, and the screen if it is shown."""
        page = self.page
        journals = None
        if self.records is not None or page is not None:
            journals = record_files.JournalFactory(
                record_files.BoutFileNames(self.stem, self.plan.bouts)
            )
        if page is not None and self.plan.jobs > 1:
            page.show("/")
            page = None
        if show is None and page is None:
            return journals
        if journals is None:
            assert show is not None
            return lambda pairing: contextlib.nullcontext(show(pairing))

        from ludus.server.page_links import page_link

        @contextlib.contextmanager
        def both(pairing: BoutPairing) -> Iterator[BoutObserver]:
            with journals(pairing) as journal:
                if page is not None and pairing.number == 0:
                    page.show(page_link("/watch/:id", journal.id))
                shown = show(pairing) if show is not None else None

                def watch(event: BoutEvent, position: Position) -> None:
                    journal(event, position)
                    if shown is not None:
                        shown(event, position)

                yield watch

        return both

    def _save_bout(self, played: SeriesBout) -> BoutResultRow:
        pairing, file = played.pairing, None
        if self.records is not None:
            file = self.records.save(played.record, pairing.number)
            self.save_error = self.save_error or self.records.failure
        self._save_logs(played)
        name = str(file) if file else None
        plan = self.plan
        return summarize_bout(
            plan.game, played.record, pairing.number, pairing.order, plan.labels, name
        )

    def _save_logs(self, played: SeriesBout) -> None:
        folder = self.plan.logs
        if folder is None:
            outputs = zip(self.plan.labels, played.outputs, strict=True)
            self.bots_with_unsaved_output |= {
                label for label, output in outputs if any(output.values())
            }
            return
        if self.save_error is not None:
            return
        for label, output in zip(self.plan.labels, played.outputs, strict=True):
            name = f"{self.stem}-{played.pairing.number + 1:02d}-{record_files.to_file_name(label)}"
            for stream, text in output.items():
                if text:
                    self._write_log(folder, name, f".{stream}.txt", text)

    def _write_log(self, folder: Path, name: str, suffix: str, text: str) -> None:
        try:
            record_files.save_under_new_name(folder, name, suffix, text.encode())
        except LudusError as error:
            self.save_error = error

    def _refuse_unloadable(self, played: SeriesBout) -> None:
        """A bot that does not even load in the first bout is a mistake, not an opponent."""
        if self.first_bout_played:
            return
        for fault in played.record.faults:
            if fault.kind == "load":
                source = self.plan.sources[played.pairing.order[fault.seat]]
                raise LudusError(
                    escape_unsafe(f"{source.name}: {fault.why['en']}"),
                    escape_unsafe(f"{source.name}：{fault.why['zh']}"),
                    textwrap.indent(escape_unsafe(fault.trace), "    "),
                )
        self.first_bout_played = played.pairing.number == 0


def warn_about_weak_jails(players: Sequence[Player]) -> None:
    """Strangers' bots in a weak jail: say what it cannot stop, before they play."""
    from ludus.sandbox import JailLevel

    if any(player.isolation == JailLevel.PLAIN for player in players):
        print_jail_gaps()


def print_jail_gaps() -> None:
    from ludus import sandbox
    from ludus.sandbox import JailLevel

    console = screen.stderr_console()
    console.print(
        tr(
            "the bots run in jails of level plain, which cannot stop everything:",
            "AI 在 plain 级沙箱中运行，它挡不住以下行为：",
        ),
        style="yellow",
    )
    for gap in sandbox.list_gaps(JailLevel.PLAIN, sandbox.probe_abilities()):
        console.print(f"  · {translate(gap)}", style="yellow")
