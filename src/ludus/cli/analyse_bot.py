"""``ludus analyse DIR --bot NAME``: where a bot loses most, over a folder of records."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ludus.analysis.bot_mistakes import AnalysedRecord, BotMistakes, find_bot_mistakes, seats_of
from ludus.analysis.grading import percent
from ludus.cli import output
from ludus.cli.analyse import analyse_file, write_positions
from ludus.cli.analyse_view import mark_of
from ludus.cli.errors import print_error
from ludus.cli.tables import make_table
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line
from ludus.games.base import Game
from ludus.lang import tr, translate
from ludus.match.record import Record, load_game

SECONDS_PER_RECORD = 2.0
MAX_LISTED_MISTAKES = 20


def show_bot_mistakes(
    folder: str | None,
    bot: str | None,
    positions: str | None,
    seconds: float | None,
    level: int | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """Analyse the records of a bot and print what it does wrong; the exit code."""
    records = _read_records(folder)
    if bot is None:
        raise LudusError(
            f"say whose mistakes are wanted, with --bot; in these records play: {_names(records)}",
            f"请用 --bot 指明要找谁的失误；这些录像中有：{_names(records)}",
        )
    own = [(path, record) for path, record in records if seats_of(record, bot)]
    if not own:
        raise LudusError(
            f"{bot} does not play in these records; there are: {_names(records)}",
            f"这些录像中没有 {bot}；有：{_names(records)}",
        )
    _note_versions(bot, [record for _, record in own])
    bouts = [
        AnalysedRecord(path.name, record, found)
        for path, record in _with_progress(_of_one_game(own))
        if (found := analyse_file(path, record, seconds or SECONDS_PER_RECORD, level, fresh))
    ]
    game, _ = load_game(bouts[0].record)
    mistakes = find_bot_mistakes(bot, bouts, game)
    if as_json:
        import msgspec

        output.print_json(msgspec.to_builtins(mistakes))
    else:
        output.stdout_console().print(render_mistakes(mistakes, game))
    if positions is not None:
        write_positions(positions, bouts, bot)
    return 0


def _note_versions(bot: str, records: Sequence[Record]) -> None:
    """Say so where several programs had the bot's name: a file that was changed, for example."""
    count = len({each.bots[seat].digest for each in records for seat in seats_of(each, bot)})
    if count > 1:
        note = tr(
            f"{count} different programs are called {bot} in these records; what follows counts the"
            " mistakes of all. For one of them, move its records into a folder of their own.",
            f"这些录像中有 {count} 个不同的程序都叫 {bot}，以下合计了它们的失误。"
            "只看其中一个，请把它的录像移到单独的文件夹。",
        )
        print(note, file=sys.stderr)


def _read_records(folder: str | None) -> list[tuple[Path, Record]]:
    """The valid records of a folder; others are named on stderr."""
    from ludus.cli.replay.reading import find_record_files
    from ludus.compat.reading import read_verified
    from ludus.match.record_files import records_folder

    records = []
    for path in find_record_files([folder or str(records_folder())]):
        try:
            records.append((path, read_verified(path)))
        except LudusError as error:
            print_error(str(error), error.detail)
    if not records:
        raise LudusError("there is no valid record", "没有有效的录像")
    return records


def _names(records: Sequence[tuple[Path, Record]]) -> str:
    names = dict.fromkeys(bot.name for _, record in records for bot in record.bots)
    return ", ".join(escape_to_one_line(name) for name in names)


def _of_one_game(records: Sequence[tuple[Path, Record]]) -> list[tuple[Path, Record]]:
    """The records of the game that the bot played most; says so if there are others."""
    games = Counter(record.game for _, record in records)
    game = games.most_common(1)[0][0]
    if len(games) > 1:
        message = tr(
            f"only the records of {game} are looked at; put each game into a folder of its own",
            f"只看 {game} 的录像；请把每种游戏放在单独的文件夹中",
        )
        print(output.escape_unsafe(message), file=sys.stderr)
    return [(path, record) for path, record in records if record.game == game]


def _with_progress(records: Sequence[tuple[Path, Record]]) -> Iterator[tuple[Path, Record]]:
    if not sys.stderr.isatty():
        yield from records
        return
    from rich.progress import track

    yield from track(
        records, tr("judging", "评判"), console=output.stderr_console(), transient=True
    )


def render_mistakes(found: BotMistakes, game: Game) -> RenderableType:
    """Groups of moves and the worst mistakes."""
    return Group(*_parts(found, game))


def _parts(found: BotMistakes, game: Game) -> Iterator[RenderableType]:
    accuracy = "–" if found.accuracy is None else translate(percent(found.accuracy))
    name = escape_to_one_line(found.bot)
    yield Text(
        tr(
            f"{name}: {found.bouts} bouts, {found.moves} judged moves, accuracy {accuracy},"
            f" {len(found.mistakes)} mistakes",
            f"{name}：{found.bouts} 局，评判 {found.moves} 步，准确率 {accuracy}，"
            f"失误 {len(found.mistakes)} 次",
        ),
        "bold",
    )
    yield Text()
    yield _groups_table(found)
    if found.mistakes:
        yield Text()
        yield _mistakes_table(found, game)
    if len(found.mistakes) > MAX_LISTED_MISTAKES:
        yield Text(
            tr(
                f"the {MAX_LISTED_MISTAKES} largest of {len(found.mistakes)}; --json has them all",
                f"共 {len(found.mistakes)} 次，列出最大的 {MAX_LISTED_MISTAKES} 次；"
                "--json 给出全部",
            ),
            "dim",
        )


def _groups_table(found: BotMistakes) -> Table:
    table = make_table(tr("where", "哪里"))
    for heading in (
        tr("moves", "步数"),
        tr("mistakes", "失误"),
        tr("mean loss", "平均损失"),
    ):
        table.add_column(heading, justify="right")
    last = ""
    for group in found.groups:
        if last and group.by != last:
            table.add_section()
        last = group.by
        table.add_row(
            escape_to_one_line(translate(group.name)),
            str(group.moves),
            str(group.mistakes),
            tr(f"{100 * group.mean_loss:.1f} %", f"{100 * group.mean_loss:.1f}%"),
        )
    return table


def _mistakes_table(found: BotMistakes, game: Game) -> Table:
    table = make_table(tr("record", "录像"))
    table.add_column(tr("step", "步"), justify="right")
    table.add_column(tr("move", "着法"), no_wrap=True)
    table.add_column(tr("expected score", "期望得分"), justify="right", no_wrap=True)
    table.add_column(tr("better", "更好的着法"))
    for mistake in found.mistakes[:MAX_LISTED_MISTAKES]:
        move = mistake.found
        sign, style = mark_of(move)
        table.add_row(
            escape_to_one_line(mistake.record),
            str(move.step),
            Text(f"{escape_to_one_line(game.spoken(move.move))}{sign}", style),
            f"{translate(percent(move.before))} → {translate(percent(move.after))}",
            escape_to_one_line(game.spoken(move.best)),
        )
    return table
