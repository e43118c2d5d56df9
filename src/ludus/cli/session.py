"""Plays a plan: shows, journals and saves its bouts."""

from __future__ import annotations

import contextlib
import dataclasses
import textwrap
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli import output as screen
from ludus.cli.options import SeriesPlan
from ludus.cli.output import escape_unsafe
from ludus.cli.results import BoutResultRow, summarize_bout
from ludus.errors import LudusError
from ludus.home import require_writable_folder, require_writable_home
from ludus.lang import tr, translate
from ludus.match import record_files

if TYPE_CHECKING:
    from ludus.games.base import Position
    from ludus.match.referee import BoutEvent, BoutObserver
    from ludus.match.series import ObserverFactory, PlannedBout, SeriesBout
    from ludus.match.spec import MatchSpec
    from ludus.server.embedded import EmbeddedPage

MakeWatch = Callable[["PlannedBout"], "BoutObserver"]
"""Creates the observer that draws a bout while it is played."""


def require_writable(folder: Path) -> None:
    """LudusError, which says what to do, if bouts could not be saved in a folder."""
    if folder == record_files.records_folder():
        require_writable_home()
    else:
        require_writable_folder(folder)


@dataclass(slots=True)
class Session:
    """A plan with the state of playing and saving its bouts."""

    plan: SeriesPlan
    stem: str
    """The common beginning of its file names."""
    records: record_files.RecordStore | None
    save_error: LudusError | None = None
    """Why something could not be saved; the bouts count nevertheless."""
    first_bout_played: bool = False
    """Whether the first bout has been played."""
    bots_with_unsaved_output: set[str] = field(default_factory=set)
    bots_with_printed_notes: set[str] = field(default_factory=set)
    """Those of them whose prints during a move are kept as notes beside the record."""
    """Bots whose output was not saved."""
    page: EmbeddedPage | None = None
    """The page on which the bouts are shown, if any."""

    @classmethod
    def from_plan(cls, plan: SeriesPlan) -> Session:
        for name, folder in (("--save", plan.save), ("--logs", plan.logs)):
            if folder is not None and folder.exists() and not folder.is_dir():
                raise LudusError(
                    f"{name} takes a folder, and {folder} is a file",
                    f"{name} 需要文件夹，而 {folder} 是文件",
                )
            if folder is not None:
                require_writable(folder)
        stem = record_files.make_stem(plan.game.name, [source.name for source in plan.spec.sources])
        names = record_files.BoutFileNames(stem, plan.bout_count)
        return cls(
            plan, stem, None if plan.save is None else record_files.RecordStore(plan.save, names)
        )

    def play(self, show: MakeWatch | None = None) -> Generator[BoutResultRow]:
        """Play the bouts and yield them in order. Closing the iterator stops the bots.

        With several jobs a bout is saved when it ends, and yielded when all before it have ended.
        """
        early: dict[int, BoutResultRow] = {}
        number = 1
        spec = dataclasses.replace(self.plan.spec, watch=self._make_watch(show))
        warn_about_weak_jails(spec)
        if self.plan.jobs > 1:
            from ludus.match.pool import play_parallel

            match = play_parallel(spec, self.plan.jobs)
        else:
            from ludus.match.spec import iterate_match

            match = iterate_match(spec)
        with contextlib.closing(match) as bouts:
            for played in bouts:
                self._refuse_unloadable(played)
                row = self._save_bout(played)
                early[row.number] = row
                while number in early:
                    yield early.pop(number)
                    number += 1

    def _make_watch(self, show: MakeWatch | None) -> ObserverFactory | None:
        """The observers of each bout: its journal, the page, and the screen if it is shown."""
        page = self.page
        journals = None
        if self.records is not None or page is not None:
            journals = record_files.JournalFactory(
                record_files.BoutFileNames(self.stem, self.plan.bout_count)
            )
        if page is not None and self.plan.jobs > 1:
            page.show("/")
            page = None
        if show is None and page is None:
            return journals
        if journals is None:
            assert show is not None
            return lambda planned: contextlib.nullcontext(show(planned))

        from ludus.server.page_links import page_link

        @contextlib.contextmanager
        def both(planned: PlannedBout) -> Iterator[BoutObserver]:
            with journals(planned) as journal:
                if page is not None and planned.number == 0:
                    page.show(page_link("/watch/:id", journal.id))
                shown = show(planned) if show is not None else None

                def watch(event: BoutEvent, position: Position) -> None:
                    journal(event, position)
                    if shown is not None:
                        shown(event, position)

                yield watch

        return both

    def _save_bout(self, played: SeriesBout) -> BoutResultRow:
        planned, file = played.planned, None
        if self.records is not None:
            file = self.records.save(played.record, planned.number)
            self.save_error = self.save_error or self.records.failure
        if file is not None:
            self._save_notes(played, file)
        self._save_logs(played)
        name = str(file) if file else None
        plan = self.plan
        return summarize_bout(
            plan.game, played.record, planned.number, planned.order, plan.labels, name
        )

    def _save_notes(self, played: SeriesBout, file: Path) -> None:
        from ludus.match.note_files import save_notes

        seats = range(len(played.record.bots))
        try:
            save_notes(played.record, file, [played.seat_notes(seat) for seat in seats])
        except LudusError as error:
            self.save_error = self.save_error or error

    def _save_logs(self, played: SeriesBout) -> None:
        folder = self.plan.logs
        if folder is None:
            outputs = zip(self.plan.labels, played.outputs, strict=True)
            for number, (label, output) in enumerate(outputs):
                if any(output.values()):
                    self.bots_with_unsaved_output.add(label)
                    if self.records is not None and self._prints_notes(number):
                        self.bots_with_printed_notes.add(label)
            return
        if self.save_error is not None:
            return
        for label, output in zip(self.plan.labels, played.outputs, strict=True):
            name = f"{self.stem}-{played.planned.number + 1:02d}-{record_files.to_file_name(label)}"
            for stream, text in output.items():
                if text:
                    self._write_log(folder, name, f".{stream}.txt", text)

    def _prints_notes(self, number: int) -> bool:
        """Whether what a bot prints during its moves is kept as its notes."""
        from ludus.bots.static_check import find_host_type

        paths = self.plan.spec.sources[number].named_paths
        kind = find_host_type(paths[0], self.plan.game) if len(paths) == 1 else None
        return kind is not None and kind.notes_are_prints

    def _write_log(self, folder: Path, name: str, suffix: str, text: str) -> None:
        try:
            record_files.save_under_new_name(folder, name, suffix, text.encode())
        except LudusError as error:
            self.save_error = error

    def _refuse_unloadable(self, played: SeriesBout) -> None:
        """LudusError if a bot cannot be loaded in the first bout."""
        if self.first_bout_played:
            return
        for fault in played.record.faults:
            if fault.kind == "load":
                source = self.plan.spec.sources[played.planned.order[fault.seat]]
                raise LudusError(
                    escape_unsafe(f"{source.name}: {fault.why['en']}"),
                    escape_unsafe(f"{source.name}：{fault.why['zh']}"),
                    textwrap.indent(escape_unsafe(fault.trace), "    "),
                )
        self.first_bout_played = played.planned.number == 0


def warn_about_weak_jails(spec: MatchSpec) -> None:
    """If bots run in a weak jail or in none, print what that cannot prevent, before they play."""
    from ludus import sandbox
    from ludus.match.spec import list_jailed
    from ludus.sandbox import JailLevel

    for name in dict.fromkeys(source.name for source in spec.sources if source.unjailed):
        print_trust_note(name)
    if list_jailed(spec) and sandbox.choose_level(spec.jail) == JailLevel.PLAIN:
        print_jail_gaps()


def print_trust_note(name: str) -> None:
    """Say that a program runs without a jail."""
    note = tr(
        f"--trust: {name} runs without a jail and can do whatever you can",
        f"--trust：{name} 不在沙箱中运行，能做你能做的一切",
    )
    screen.stderr_console().print(escape_unsafe(note), style="yellow")


def print_jail_gaps() -> None:
    from ludus import sandbox
    from ludus.sandbox import JailLevel

    console = screen.stderr_console()
    console.print(
        tr(
            "the bots run in jails of level plain, which cannot prevent everything:",
            "AI 在 plain 级沙箱中运行，它挡不住以下行为：",
        ),
        style="yellow",
    )
    for gap in sandbox.list_gaps(JailLevel.PLAIN, sandbox.probe_abilities()):
        console.print(f"  · {translate(gap)}", style="yellow")
