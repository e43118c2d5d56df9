"""``ludus replay stats``: statistics of bots over many records."""

from __future__ import annotations

import dataclasses
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.called import program_name
from ludus.cli import output
from ludus.cli.command import argument, command
from ludus.cli.errors import print_error
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import FileParam
from ludus.errors import LudusError
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.match.record import Record


@dataclasses.dataclass(slots=True)
class BotStats:
    """The totals of one program over many bouts."""

    name: str
    digest: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    moves: int = 0
    cpu: float = 0.0
    """CPU seconds of all its moves."""
    slowest: int = 0
    """Milliseconds of its slowest move."""
    faults: Counter[str] = dataclasses.field(default_factory=Counter)

    @property
    def bouts(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.bouts if self.bouts else 0.0

    @property
    def cpu_per_move(self) -> float:
        """The mean CPU time of a move in milliseconds."""
        return 1000 * self.cpu / self.moves if self.moves else 0.0

    def as_json(self) -> dict[str, Any]:
        facts = dataclasses.asdict(self)
        derived = {"bouts": self.bouts, "score": self.score, "cpu_ms_per_move": self.cpu_per_move}
        return {**facts, "faults": dict(self.faults), **derived}


class RecordStats:
    """The totals of all bots in a set of records."""

    def __init__(self) -> None:
        self.bots: dict[tuple[str, str], BotStats] = {}
        self.records = 0
        self.plies = 0

    def add(self, record: Record) -> None:
        self.records += 1
        self.plies += len(record.moves)
        mine = [self._bot(entrant.name, entrant.digest) for entrant in record.bots]
        for seat, stats in enumerate(mine):
            stats.cpu += record.times.used[seat][0]
            if record.winner is None:
                stats.draws += 1
            elif record.winner == seat:
                stats.wins += 1
            else:
                stats.losses += 1
        for fault in record.faults:
            mine[fault.seat].faults[fault.kind.value] += 1
        for seat, cpu in zip(iter_move_seats(record), record.times.cpu, strict=True):
            mine[seat].moves += 1
            mine[seat].slowest = max(mine[seat].slowest, cpu)

    def _bot(self, name: str, digest: str) -> BotStats:
        return self.bots.setdefault((name, digest), BotStats(name, digest))

    def label(self, bot: BotStats) -> str:
        """Its name, with part of its digest if several versions have the same name."""
        same = [other for other in self.bots.values() if other.name == bot.name]
        return bot.name if len(same) == 1 else f"{bot.name} {bot.digest[:6] or '?'}"


def iter_move_seats(record: Record) -> Iterator[int]:
    """The seat of each move of a record."""
    from ludus.match.replay import replay_steps

    for ply, _ in replay_steps(record):
        yield from ply


@command(
    en="Count bouts, scores, faults and times of every bot in these records.",
    zh="统计这些录像中每个 AI 的局数、得分、异常与用时。",
)
@argument(
    "files",
    type=FileParam(),
    nargs=-1,
    metavar="[FILE|DIR]…",
    en="Records, or folders of them; the saved ones if not given.",
    zh="录像或文件夹；默认为已保存的录像。",
)
@JSON_OPTION
def COMMAND(files: tuple[str, ...], as_json: bool) -> int:
    from ludus.cli.replay.reading import find_record_files
    from ludus.compat.reading import read_verified
    from ludus.match import record_files

    given = files or (str(record_files.records_folder()),)
    named = {Path(name).expanduser() for name in given}
    stats = RecordStats()
    bad = outdated = 0
    for path in _with_progress(list(find_record_files(given))):
        try:
            stats.add(read_verified(path))
        except LudusError as error:
            if path not in named and _is_outdated(path):
                outdated += 1
                continue
            bad += 1
            print_error(str(error), error.detail)
    if outdated:
        _report_outdated(outdated, given)
    if stats.records or as_json:
        _print_stats(stats, as_json)
    return 2 if bad or not stats.records else 0


def _is_outdated(path: Path) -> bool:
    """Whether a record was played by another version of its game's rules."""
    from ludus.compat.reading import read
    from ludus.games.registry import get

    try:
        record = read(path)
        return record.version != get(record.game).version
    except LudusError:
        return False


def _report_outdated(count: int, given: Sequence[str]) -> None:
    """Old records stay in a folder whenever the rules of a game change, which is no mistake."""
    command = f"{program_name()} replay verify {shlex.join(given)}"
    print_error(
        tr(
            f"{count} records of other versions of the rules are not counted; see which: {command}",
            f"{count} 份录像使用别的规则版本，未计入；查看是哪些：{command}",
        )
    )


def _with_progress(paths: Sequence[Path]) -> Iterator[Path]:
    import sys

    if not sys.stderr.isatty():
        yield from paths
        return
    from rich.progress import track

    yield from track(paths, tr("reading", "读取"), console=output.stderr_console(), transient=True)


def _print_stats(stats: RecordStats, as_json: bool) -> None:
    bots = sorted(stats.bots.values(), key=lambda bot: (-bot.score, bot.name))
    if as_json:
        facts = {"records": stats.records, "plies": stats.plies}
        output.print_json({**facts, "bots": [bot.as_json() for bot in bots]})
        return
    from ludus.cli.results import fault_name
    from ludus.cli.tables import make_table

    table = make_table(tr("bot", "AI"))
    for heading in (
        tr("bouts", "局数"),
        tr("score", "得分率"),
        tr("won–drawn–lost", "胜–平–负"),
        tr("moves", "步数"),
        tr("ms/move", "毫秒/步"),
        tr("slowest", "最慢"),
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(tr("faults", "异常"))
    for bot in bots:
        table.add_row(
            stats.label(bot),
            str(bot.bouts),
            f"{bot.score:.1%}",
            f"{bot.wins}–{bot.draws}–{bot.losses}",
            str(bot.moves),
            f"{bot.cpu_per_move:.2f}",
            f"{bot.slowest}",
            ", ".join(f"{fault_name(kind)} {n}" for kind, n in sorted(bot.faults.items())) or "–",
        )
    console = output.stdout_console()
    mean = stats.plies / max(1, stats.records)
    console.print(
        tr(
            f"{stats.records} records, {mean:.0f} steps on average",
            f"{stats.records} 份录像，平均 {mean:.0f} 步",
        )
    )
    console.print()
    console.print(table)
