"""Bots asked the questions of record files, for ``ludus debug --diff`` and ``ludus check``."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.analysis.bot_differences import (
    SeatAnswers,
    TurnAnswer,
    TurnDifference,
    answer_records,
    list_differences,
)
from ludus.analysis.bot_replay import RecordedSeat, open_seat_alone
from ludus.bots.resolve import BotSource, resolve_bot
from ludus.cli import output
from ludus.cli.tables import make_table
from ludus.compat.reading import read_verified
from ludus.escape import escape_to_one_line
from ludus.games.base import Game
from ludus.lang import tr, translate
from ludus.match.record import Record, load_game
from ludus.match.verdict import FAULT_NAMES, SeatFault, show_answer

if TYPE_CHECKING:
    from rich.table import Table

ChooseSeats = Callable[[Record], Iterable[int]]
MAX_SHOWN_DIFFERENCES = 60
"""Rows of the table; JSON has all."""


@dataclass(frozen=True, slots=True)
class ComparedSeat:
    """What bots answered over one seat of one record."""

    path: Path
    game: Game
    recorded: RecordedSeat
    answers: tuple[SeatAnswers, ...]
    """By bot."""
    differences: tuple[TurnDifference, ...]

    @property
    def start_faults(self) -> list[SeatFault | None]:
        return [each.start_fault for each in self.answers]

    @property
    def is_different(self) -> bool:
        return bool(self.differences) or any(self.start_faults)


def compare_over_records(
    files: Iterable[Path], choose_seats: ChooseSeats, bots: Sequence[str]
) -> list[ComparedSeat]:
    """Ask bots all questions of the chosen seats of records; LudusError for a bad record."""
    places: dict[int, Path] = {}
    by_game: dict[str, list[RecordedSeat]] = {}
    for path in files:
        record = read_verified(path)
        for seat in choose_seats(record):
            recorded = open_seat_alone(record, seat)
            places[id(recorded)] = path
            by_game.setdefault(record.game, []).append(recorded)
    compared = []
    with _show_progress(sum(map(len, by_game.values())) * len(bots)) as advance:
        for seats in by_game.values():
            game, _ = load_game(seats[0].record)
            sources = [resolve_bot(bot, game) for bot in bots]
            answers = [_answer_all(source, game, seats, advance) for source in sources]
            for recorded in seats:
                given = tuple(each[id(recorded)] for each in answers)
                found = tuple(list_differences(recorded.turns.turns, given))
                compared.append(ComparedSeat(places[id(recorded)], game, recorded, given, found))
    return sorted(compared, key=lambda each: (str(each.path), each.recorded.seat))


def _answer_all(
    source: BotSource, game: Game, seats: Sequence[RecordedSeat], advance: Callable[[], None]
) -> dict[int, SeatAnswers]:
    answers = {}
    for recorded, given in answer_records(source, game, seats):
        answers[id(recorded)] = given
        advance()
    return answers


@contextlib.contextmanager
def _show_progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal; called once for each record that is done."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import Progress

    with Progress(console=output.stderr_console(), transient=True) as progress:
        task = progress.add_task(tr("records", "录像"), total=total)
        yield lambda: progress.advance(task)


def differences_table(compared: Sequence[ComparedSeat], names: Sequence[str]) -> Table:
    """One row for each difference: where, what was played, what each bot answers."""
    table = make_table(tr("record", "录像"))
    table.add_column(tr("step", "步"), justify="right")
    table.add_column(tr("played", "当时"))
    for name in names:
        table.add_column(escape_to_one_line(name), overflow="fold")
    rows = [(each, difference) for each in compared for difference in each.differences]
    before = None
    for each, difference in rows[:MAX_SHOWN_DIFFERENCES]:
        played = "–" if difference.played is None else each.game.spoken(difference.played)
        table.add_row(
            "" if each is before else escape_to_one_line(each.path.name),
            str(difference.step),
            escape_to_one_line(played),
            *(format_answer(each.game, answer) for answer in difference.answers),
        )
        before = each
    if (more := len(rows) - MAX_SHOWN_DIFFERENCES) > 0:
        table.add_row(tr(f"… and {more} more", f"……另有 {more} 处"))
    return table


def format_answer(game: Game, answer: TurnAnswer | None) -> str:
    """A bot's answer in a cell: its move, or what went wrong."""
    if answer is None:
        return tr("(failed before)", "（此前已出错）")
    if answer.fault is not None:
        kind = translate(FAULT_NAMES[answer.fault.kind])
        return escape_to_one_line(f"✗ {kind}{tr(': ', '：')}{translate(answer.fault.why)}")
    shown = escape_to_one_line(speak_answer(game, answer.move or ""))
    return shown if answer.is_legal else f"{shown} {tr('(illegal)', '（不合法）')}"


def speak_answer(game: Game, move: str) -> str:
    """What a bot answered: a move as people say it, or what was no move, as Python shows it."""
    shown = show_answer(move)
    return game.spoken(move) if shown is None else shown


def answer_as_json(answer: TurnAnswer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    fault = answer.fault and {"kind": answer.fault.kind.value, **answer.fault.why}
    return {"move": answer.move, "legal": answer.is_legal, "fault": fault}


def compared_as_json(compared: ComparedSeat) -> dict[str, Any]:
    """One seat of one record with its differences."""
    return {
        "record": str(compared.path),
        "game": compared.game.name,
        "seat": compared.recorded.seat,
        "turns": len(compared.recorded.turns.turns),
        "start_faults": [
            fault and {"kind": fault.kind.value, **fault.why} for fault in compared.start_faults
        ],
        "differences": [
            {
                "step": each.step,
                "played": each.played,
                "answers": [answer_as_json(answer) for answer in each.answers],
            }
            for each in compared.differences
        ],
    }


def print_start_faults(compared: Sequence[ComparedSeat], names: Sequence[str]) -> None:
    """Say which bots could not be started, once each."""
    console = output.stdout_console()
    said = set()
    for each in compared:
        for name, fault in zip(names, each.start_faults, strict=True):
            if fault is not None and (name, fault.why["en"]) not in said:
                said.add((name, fault.why["en"]))
                line = escape_to_one_line(f"✗ {name}{tr(': ', '：')}{translate(fault.why)}")
                console.print(line, style="red", soft_wrap=True, highlight=False, markup=False)


def count_turns(compared: Sequence[ComparedSeat]) -> int:
    return sum(len(each.recorded.turns.turns) for each in compared)
