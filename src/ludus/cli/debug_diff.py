"""``ludus debug --diff``: where two versions of a bot answer differently."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ludus.cli import output
from ludus.cli.debug import parse_seat
from ludus.cli.record_answers import (
    compare_over_records,
    compared_as_json,
    count_turns,
    differences_table,
    print_start_faults,
)
from ludus.cli.replay.reading import find_record_files
from ludus.lang import counted, tr
from ludus.match.record import Record, load_game


def show_differences(record: Path, bot: str, other: str, seat: str | None, as_json: bool) -> int:
    """Compare two versions over a record or a folder; 1 if they differ anywhere."""
    names = (Path(bot).stem, Path(other).stem)
    if names[0] == names[1]:
        names = (bot, other)

    def choose(one: Record) -> Iterable[int]:
        if seat is not None:
            return [parse_seat(load_game(one)[0].seat_keys, seat)]
        own = [number for number, each in enumerate(one.bots) if each.name in map(_stem, names)]
        return own or range(len(one.bots))

    compared = compare_over_records(find_record_files([str(record)]), choose, (bot, other))
    different = any(each.is_different for each in compared)
    if as_json:
        output.print_json(
            {
                "bots": [bot, other],
                "different": different,
                "records": [compared_as_json(each) for each in compared],
            }
        )
        return int(different)
    print_start_faults(compared, names)
    console = output.stdout_console()
    count = sum(len(each.differences) for each in compared)
    if count:
        console.print(differences_table(compared, names))
        console.print()
    turns, files = count_turns(compared), len({each.path for each in compared})
    console.print(
        tr(
            f"{counted(turns, 'turn', 'turns')} in {counted(files, 'record', 'records')}:"
            f" {count} answered differently",
            f"{files} 份录像，{turns} 次提问：{count} 次回答不同",
        )
    )
    return int(different)


def _stem(name: str) -> str:
    return Path(name).stem
