"""``ludus check --records`` and ``--positions``: asks a bot again what bots were asked before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.analysis.bot_differences import PositionResult, answer_test_position
from ludus.analysis.bot_replay import RandomNumbers
from ludus.analysis.test_positions import (
    BotTestPosition,
    BuiltPosition,
    build_test_position,
    read_test_positions,
)
from ludus.bots.resolve import resolve_bot
from ludus.cli import output
from ludus.cli.record_answers import (
    ComparedSeat,
    answer_as_json,
    compare_over_records,
    compared_as_json,
    count_turns,
    differences_table,
    format_answer,
    print_start_faults,
)
from ludus.cli.replay.reading import find_record_files
from ludus.cli.tables import make_table
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line
from ludus.games.registry import get
from ludus.lang import counted, tr
from ludus.match.record import Record, load_game

if TYPE_CHECKING:
    from rich.table import Table


def check_again(
    bot: str, records: Sequence[str], name: str | None, positions: Sequence[str], as_json: bool
) -> int:
    """Ask a bot the questions of records and of test positions; 1 if anything is not as before, or
    not as it should be."""
    tests = _read_tests(positions)
    compared = _compare(bot, records, name) if records else []
    results = [
        answer_test_position(resolve_bot(bot, built.game), test, built) for test, built in tests
    ]
    bad = any(each.is_different for each in compared) or not all(r.is_passed for r in results)
    if as_json:
        output.print_json(
            {
                "bot": bot,
                "unchanged": not any(each.is_different for each in compared),
                "passed": all(result.is_passed for result in results),
                "records": [compared_as_json(each) for each in compared],
                "positions": [_result_as_json(result) for result in results],
            }
        )
        return int(bad)
    if records:
        _print_compared(bot, compared)
    if positions:
        _print_results(results)
    return int(bad)


def _compare(bot: str, records: Sequence[str], name: str | None) -> list[ComparedSeat]:
    """What the bot answers on the seats that it had in the records."""
    seen: set[str] = set()

    def choose(record: Record) -> Iterable[int]:
        seen.update(each.name for each in record.bots)
        return [number for number, each in enumerate(record.bots) if each.name in wanted(record)]

    def wanted(record: Record) -> set[str]:
        if name is not None:
            return {name}
        game, _ = load_game(record)
        return {resolve_bot(bot, game).name}

    compared = compare_over_records(find_record_files(records), choose, (bot,))
    if not compared:
        known = ", ".join(sorted(map(escape_to_one_line, seen)))
        raise LudusError(
            f"{name or bot} does not play in these records; the bots in them are {known}: say which"
            " one it is with --as",
            f"{name or bot} 没有参加这些录像中的对局；其中的 AI 有 {known}：请用 --as 指明是哪一个",
        )
    return compared


def _read_tests(paths: Sequence[str]) -> list[tuple[BotTestPosition, BuiltPosition]]:
    """The test positions of files, built; LudusError, with file and number, if one is wrong."""
    tests = []
    for name in paths:
        path = Path(name).expanduser()
        for number, test in enumerate(read_test_positions(path), 1):
            try:
                tests.append((test, build_test_position(test)))
            except LudusError as error:
                raise error.rephrase(
                    f"{path}, position {number}: {error.text['en']}",
                    f"{path} 第 {number} 个局面：{error.text['zh']}",
                ) from None
    return tests


def _print_compared(bot: str, compared: Sequence[ComparedSeat]) -> None:
    console = output.stdout_console()
    name = Path(bot).stem
    print_start_faults(compared, (name,))
    differences = [difference for each in compared for difference in each.differences]
    if differences:
        console.print(differences_table(compared, (name,)))
        console.print()
    faults = sum(1 for each in differences if each.answers[0] and each.answers[0].fault)
    other = len(differences) - faults
    turns, files = count_turns(compared), len({each.path for each in compared})
    console.print(
        tr(
            f"{counted(turns, 'turn', 'turns')} in {counted(files, 'record', 'records')}:"
            f" {other} answered differently, {faults} failed",
            f"{files} 份录像，{turns} 次提问：{other} 次回答不同，{faults} 次出错",
        ),
        style="green" if not differences else "yellow",
    )
    if any(each.recorded.random_numbers is not RandomNumbers.SAME for each in compared):
        console.print(
            tr(
                "Some of these bouts were played with other random numbers than a bot gets here, so"
                " a bot that draws some may answer differently without having changed.",
                "部分对局使用的随机数与此处不同，因此使用随机数的 AI 即使未改动也可能回答不同。",
            ),
            style="dim",
        )


def _print_results(results: Sequence[PositionResult]) -> None:
    console = output.stdout_console()
    console.print(_results_table(results))
    console.print()
    passed = sum(result.is_passed for result in results)
    console.print(
        tr(
            f"{passed} of {len(results)} positions passed",
            f"{len(results)} 个局面，{passed} 个通过",
        ),
        style="green" if passed == len(results) else "red",
    )


def _results_table(results: Sequence[PositionResult]) -> Table:
    table = make_table("", tr("game", "游戏"), tr("record", "录像"))
    table.add_column(tr("after moves", "着法数"), justify="right")
    table.add_column(tr("played", "当时"))
    table.add_column(tr("better", "更好"))
    table.add_column(tr("answer", "回答"), overflow="fold")
    for result in results:
        test = result.test
        game = get(test.game)
        spoken = [escape_to_one_line(game.spoken(move)) for move in test.better]
        table.add_row(
            "✓" if result.is_passed else "✗",
            test.game,
            escape_to_one_line(test.record) or "–",
            str(len(test.moves)),
            escape_to_one_line(game.spoken(test.played)) if test.played else "–",
            " ".join(spoken) or tr("any other", "其他任何"),
            format_answer(game, result.answer),
        )
    return table


def _result_as_json(result: PositionResult) -> dict[str, Any]:
    test = result.test
    return {
        "game": test.game,
        "record": test.record,
        "moves": len(test.moves),
        "seat": test.seat,
        "played": test.played,
        "better": test.better,
        "answer": answer_as_json(result.answer),
        "passed": result.is_passed,
    }
