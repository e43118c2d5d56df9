"""The tables "against whom, with how much CPU each", in both languages of the docs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from bench.yardsticks.log import Bouts, add_up_spent, read_log, read_missing
from bench.yardsticks.rows import EQUAL_CPU, EQUAL_CPU_NET, Row, open_row
from ludus.lang import Text
from ludus.learn.evaluation import Measurement, summarize_bouts
from ludus.rating.copies import BoutKey
from ludus.rating.intervals import share_interval

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"en": DOCS / "en" / "yardsticks.md", "zh": DOCS / "zh" / "yardsticks.md"}
BEGIN, END = "<!-- tables: python -m bench.yardsticks -->", "<!-- end of tables -->"
HEADS = Text(
    "| rival | score | {first} | {second} | bouts | CPU per move: subject | rival | notes |",
    "| 对手 | 得分率 | {first} | {second} | 局数 | 每步 CPU：被测方 | 对手 | 说明 |",
)
THINKS = {
    EQUAL_CPU: Text("as much CPU time per move as the rival", "每步 CPU 时间与对手相同"),
    EQUAL_CPU_NET: Text(
        "as much CPU time per move as the rival, with as many moves at first as its simulations"
        " suit",
        "每步 CPU 时间与对手相同，起始着法数随模拟次数而定",
    ),
    "as its name says": Text("as its name says", "如其名所示"),
}


def measure_row(row: Row, bouts: Bouts) -> Measurement:
    """What the bouts of a row say, without copies."""
    played = [
        (BoutKey(f"{pair} {seat}", bout["bout"]), (pair, seat, bout["score"]))
        for (pair, seat), bout in sorted(bouts.items())
    ]
    plies = sum(sum(bout["moves"]) for bout in bouts.values())
    return summarize_bouts(row.subject, row.rival, played, plies)


def format_line(row: Row, bouts: Bouts) -> str:
    """A row for the terminal."""
    measured = measure_row(row, bouts)
    low, high = share_interval(measured.score)
    seats = ", ".join(
        f"{seat.share:.1%} ({seat.won}-{seat.drawn}-{seat.lost})" for seat in measured.seats
    )
    own, other = _cpu_per_move(bouts)
    return (
        f"{row.subject} ({row.thinks}) against {row.rival}: {measured.score.share:.1%}"
        f" [{low:.1%}, {high:.1%}]  by seat {seats}  {len(bouts)} bouts"
        f"  CPU per move {format_cpu(own)}, {format_cpu(other)}  {_format_notes(bouts, 'en')}"
    )


def _cpu_per_move(bouts: Bouts) -> tuple[float, float]:
    own, own_moves, other, other_moves = add_up_spent(bouts)
    return own / max(1, own_moves), other / max(1, other_moves)


def format_cpu(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000 * seconds:.1f} ms"


def _format_notes(bouts: Bouts, language: str) -> str:
    notes = []
    moves = sum(bout["moves"][1] for bout in bouts.values())
    start = sum(bout["start_cpu"] for bout in bouts.values()) / max(1, moves)
    if start:
        text = format_cpu(start)
        notes.append(Text(f"+ {text} for its start at every move", f"每步启动另需 {text}"))
    faulty = [bout for bout in bouts.values() if "fault" in bout]
    rivals = sum(int(bout["fault"][0]) != bout["seat"] for bout in faulty)
    if rivals:
        notes.append(
            Text(f"{rivals} bouts lost by a fault of the rival", f"对手因故障输 {rivals} 局")
        )
    if len(faulty) > rivals:
        count = len(faulty) - rivals
        notes.append(Text(f"{count} bouts lost by a fault of ours", f"被测方因故障输 {count} 局"))
    return ("; " if language == "en" else "；").join(note[language] for note in notes)


def _format_row(row: Row, bouts: Bouts, language: str) -> str:
    measured = measure_row(row, bouts)
    low, high = share_interval(measured.score)
    own, other = _cpu_per_move(bouts)
    cells = [
        f"`{row.rival}`",
        f"**{measured.score.share:.1%}** [{low:.1%}, {high:.1%}]",
        *[f"{seat.share:.1%}" for seat in measured.seats],
        str(len(bouts)),
        format_cpu(own),
        format_cpu(other),
        _format_notes(bouts, language),
    ]
    return f"| {' | '.join(cells)} |"


def _format_missing(row: Row, why: str, language: str) -> str:
    words = Text("not measured", "未测")[language]
    return f"| `{row.rival}` | {words} | | | 0 | | | {why} |"


def format_tables(rows: dict[Row, Bouts], missing: dict[Row, str], language: str) -> str:
    """All tables, one for each subject and way of thinking."""
    parts = []
    for (variant, subject, digest, thinks), group in itertools.groupby(rows, _table_of):
        game, _ = open_row(next(row for row in rows if _table_of(row)[0] == variant))
        first, second = (seat[language] for seat in game.seats)
        words = THINKS[thinks][language] if thinks in THINKS else _simulations(thinks, language)
        title = f"`{subject}`" + (f" ({digest})" if digest else "")
        lines = [f"### {variant}, {title}", "", _thinking(words, language), ""]
        lines.append(HEADS[language].format(first=first, second=second))
        lines.append("|---|---|---|---|---|---|---|---|")
        for row in group:
            if rows[row]:
                lines.append(_format_row(row, rows[row], language))
            elif row in missing:
                lines.append(_format_missing(row, missing[row], language))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _table_of(row: Row) -> tuple[str, str, str, str]:
    return row.variant, row.subject, row.digest, row.thinks


def _simulations(thinks: str, language: str) -> str:
    number, *rest = (part.split()[0] for part in thinks.split(", "))
    words = f"{number} simulations per move" if language == "en" else f"每步 {number} 次模拟"
    if not rest:
        return words
    if language == "en":
        return f"{words}, {rest[0]} moves at first, known results are reasoned with"
    return f"{words}，从 {rest[0]} 个着法开始，并由已知结果推理"


def _thinking(words: str, language: str) -> str:
    return f"It thinks: {words}." if language == "en" else f"思考方式：{words}。"


def make_page(page: str, logs: Sequence[Path], language: str) -> str:
    """A page with the tables of these logs between its marks."""
    rows, missing = read_log(logs), read_missing(logs)
    rows = {row: rows[row] for row in sorted(rows, key=_table_of)}
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{format_tables(rows, missing, language)}\n\n{END}{after}"


def write_docs(logs: Sequence[Path]) -> None:
    """Write the tables of all logs into both pages."""
    for language, path in PAGES.items():
        page = make_page(path.read_text(encoding="utf-8"), logs, language)
        path.write_text(page, encoding="utf-8")
