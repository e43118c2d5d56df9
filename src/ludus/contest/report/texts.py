"""Reports for spreadsheets and for plain text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any

from ludus.bots.house_titles import entrant_title
from ludus.contest.standings import TIE_BREAKS
from ludus.lang import Text
from ludus.match.verdict import FAULT_NAMES
from ludus.rating.elo import EloEstimate
from ludus.timestamps import format_readable

LABELS: dict[str, Text] = {
    "standings": Text("Standings", "最终排名"),
    "bracket": Text("Bracket", "对阵图"),
    "ratings": Text("Ratings", "等级分"),
    "interval": Text("95 %", "95%"),
    "rank": Text("#", "名次"),
    "entrant": Text("Entrant", "参赛者"),
    "points": Text("Points", "积分"),
    "elo": Text("Elo", "Elo"),
    "wdl": Text("Won – drawn – lost", "胜 – 平 – 负"),
    "score": Text("Bouts", "局分"),
    "through": Text("advanced", "出线"),
    "champion": Text("winner", "冠军"),
    "dropped": Text("withdrawn", "退出"),
    "disqualified": Text("disqualified", "取消资格"),
    "time_and_faults": Text("Time and faults", "用时与异常"),
    "cpu_per_bout": Text("CPU time per bout", "每局 CPU 用时"),
    "slowest": Text("Slowest bout", "最慢一局"),
    "faults": Text("Faults", "异常"),
    "turning_points": Text("Turning points", "转折点"),
}


NOT_COUNTED = Text("Bouts of disqualified bots do not count.", "被取消资格的 AI 的对局不计入成绩。")
STANDINGS_COLUMNS: dict[str, Text] = {
    "table": Text("table", "表格"),
    "rank": Text("rank", "名次"),
    "entrant": Text("entrant", "参赛者"),
    "points": Text("points", "积分"),
    "won": Text("won", "胜"),
    "drawn": Text("drawn", "平"),
    "lost": Text("lost", "负"),
    "score": Text("score", "局分"),
    "bouts": Text("bouts", "局数"),
    "note": Text("note", "备注"),
}


def describe_note(row: Mapping[str, Any], language: str) -> str:
    """What a table says of an entrant beside its figures: ``disqualified: copied``."""
    if not row["note"]:
        return ""
    colon = Text(": ", "：")[language]
    return _label(row["note"], language) + (f"{colon}{row['why']}" if row["why"] else "")


def format_rank(row: Mapping[str, Any]) -> str:
    """Its place; the disqualified have none."""
    return "–" if row["note"] == "disqualified" else str(row["rank"])


def format_standings_csv(data: dict[str, Any], language: str = "") -> str:
    """Every table below the other, with its title in the first column: for people who read a
    language, or without one for programs, with the names and words of the other files.

    The final standings come last, unless one of the tables already is them.
    """
    rows: list[list[Any]] = [
        [title[language] if language else key for key, title in STANDINGS_COLUMNS.items()]
    ]
    tables = list(data["tables"])
    if _names(data["standings"]) not in map(_names, tables):
        tables.append(data["standings"])
    for table in tables:
        title = _translate(table["title"], language)
        for row in table["rows"]:
            figures = (row[key] for key in ("points", "wins", "draws", "losses", "scored", "bouts"))
            if language:
                name, note = entrant_title(row["name"])[language], describe_note(row, language)
                rows.append([title, format_rank(row), name, *figures, note])
            else:
                rows.append([title, row["rank"], row["name"], *figures, row["note"]])
    return _format_csv(rows)


def _names(table: dict[str, Any]) -> list[str]:
    return [row["name"] for row in table["rows"]]


def format_bouts_csv(data: dict[str, Any]) -> str:
    """One line for each bout."""
    keys = "match number seed first second score verdict plies cpu copy record"
    rows: list[list[Any]] = [keys.split()]
    for bout in data["bouts"]:
        rows.append(
            [
                bout["match"],
                bout["number"],
                bout["seed"],
                *bout["names"][:2],
                bout["scores"][0],
                bout["verdict"],
                bout["plies"],
                " ".join(f"{seconds:.3f}" for seconds in bout["cpu"]),
                int(bout["copy"]),
                bout["record"],
            ]
        )
    return _format_csv(rows)


def format_matches_csv(data: dict[str, Any]) -> str:
    """One line for each match that has begun, with how it was decided."""
    rows: list[list[Any]] = [
        ["match", "round", "first", "second", "score", "winner", "ending", "extra", "decided"]
    ]
    for match in data["matches"]:
        rows.append(
            [
                match["id"],
                match["title"].get("en", ""),
                *match["entrants"][:2],
                " : ".join(f"{value:g}" for value in match["scores"] or ()),
                match["winner"] or "",
                match["ending"] or "",
                match["extra"],
                match["decided"]["en"],
            ]
        )
    return _format_csv(rows)


BOM = "\ufeff"
"""Without it spreadsheets take UTF-8 for the code page of the system, and Chinese names break."""


def _format_csv(rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    out.write(BOM)
    csv.writer(out, lineterminator="\n").writerows(map(_escape_formula, row) for row in rows)
    return out.getvalue()


def _escape_formula(value: Any) -> Any:
    """No cell that a spreadsheet would take for a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value


def format_markdown(data: dict[str, Any], language: str, zone: tzinfo | None = UTC) -> str:
    """Tables and ratings for a wiki or a mail, with the times of a zone (None: this machine's)."""
    return "\n".join(_markdown_lines(data, language, zone))


def _markdown_lines(data: dict[str, Any], language: str, zone: tzinfo | None) -> Iterator[str]:
    yield f"# {_escape_cell(data['name'])}"
    if dates := " · ".join(_format_dates(data, language, zone)):
        yield from ("", dates)
    for table in data["tables"]:
        title = _translate(table["title"], language) or _label("standings", language)
        yield from ("", f"## {title}", "")
        breaks = [_translate(TIE_BREAKS[table["criteria"][i]][1], language) for i in table["asked"]]
        keys = ("rank", "entrant", table["scale"], "wdl", "score")
        noted = any(row["note"] for row in table["rows"])
        notes = [""] if noted else []
        yield from _head([*(_label(key, language) for key in keys), *breaks, *notes])
        for row in table["rows"]:
            cells = [
                format_rank(row),
                entrant_title(row["name"])[language],
                f"{row['points']:g}",
                f"{row['wins']} – {row['draws']} – {row['losses']}",
                f"{row['scored']:g} / {row['bouts']}",
                *(f"{row['tie_breaks'][i]:.4g}" for i in table["asked"]),
                *([describe_note(row, language)] if noted else []),
            ]
            yield _line(cells)
        if any(row["note"] == "disqualified" for row in table["rows"]):
            yield from ("", NOT_COUNTED[language])
    if data["bracket"]:
        yield from ("", f"## {_label('bracket', language)}", "")
        for node in data["bracket"]:
            if all(node["names"]) and not node["skipped"]:
                score = " : ".join(f"{value:g}" for value in node["scores"] or ())
                title = _translate(node["title"], language)
                names = _escape_cell(_join_names(node["names"], language))
                yield f"- {title}: {names} {score}{_format_decided(node, language)}"
    yield from ("", f"## {_label('ratings', language)}", "")
    yield from _head([_label("entrant", language), "Elo", _label("interval", language)])
    for row in data["ratings"]["ratings"]:
        elo, low, high = EloEstimate(row["elo"], row["low"], row["high"]).format_numbers()
        yield _line([entrant_title(row["name"])[language], elo, f"{low} … {high}"])
    yield from _turning_point_lines(data["turning_points"], language)
    if data["bouts"]:
        yield from _bot_lines(data["bots"], language)
    if data["copies_note"]:
        yield from ("", _translate(data["copies_note"], language))
    yield ""


def _join_names(names: Sequence[str], language: str) -> str:
    return " – ".join(entrant_title(name)[language] for name in names)


def _format_dates(data: dict[str, Any], language: str, zone: tzinfo | None) -> Iterator[str]:
    """When the bouts were played, and when the report was written."""
    if data["first_bout"]:
        first, last = (format_readable(data[key], zone) for key in ("first_bout", "last_bout"))
        span = first if first == last else f"{first} – {last}"
        yield Text(f"Played: {span}", f"比赛时间：{span}")[language]
    if data["made"]:
        made = format_readable(data["made"], zone)
        yield Text(f"Report written: {made}", f"报告生成时间：{made}")[language]


def _bot_lines(bots: Sequence[dict[str, Any]], language: str) -> Iterator[str]:
    yield from ("", f"## {_label('time_and_faults', language)}", "")
    keys = ("entrant", "cpu_per_bout", "slowest", "faults")
    yield from _head([_label(key, language) for key in keys])
    for bot in bots:
        faults = (
            f"{_translate(FAULT_NAMES[kind], language)} × {count}"
            for kind, count in bot["faults"].items()
        )
        yield _line(
            [
                entrant_title(bot["name"])[language],
                f"{bot['cpu'] / bot['bouts']:.3f} s" if bot["bouts"] else "",
                f"{bot['slowest']:.3f} s" if bot["bouts"] else "",
                Text(", ", "，")[language].join(faults),
            ]
        )


def _turning_point_lines(found: dict[str, Any] | None, language: str) -> Iterator[str]:
    """The biggest turning points, and how many bouts were judged to find them."""
    if found is None:
        return
    yield from ("", f"## {_label('turning_points', language)}", "")
    for point in found["points"]:
        names = _escape_cell(_join_names(point["names"], language))
        colon = Text(": ", "：")[language]
        yield f"- {names}{colon}{_escape_cell(_translate(point['sentence'], language))}"
    judged, bouts = found["judged"], found["bouts"]
    yield from (
        "",
        Text(f"{judged} of {bouts} bouts were judged.", f"共 {bouts} 局，评判了其中 {judged} 局。")[
            language
        ],
    )


def _format_decided(node: dict[str, Any], language: str) -> str:
    """How a level match was decided, and for whom."""
    if not (words := _translate(node["decided"], language)):
        return ""
    if not node["winner"]:
        return f" ({words})"
    return f" ({words}: {_escape_cell(entrant_title(node['winner'])[language])})"


def _translate(text: Text, language: str) -> str:
    return text.get(language) or text.get("en", "")


def _label(key: str, language: str) -> str:
    return LABELS[key][language]


def _head(titles: Sequence[str]) -> Iterator[str]:
    yield _line(titles)
    yield "|" + " --- |" * len(titles)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_escape_cell, cells)) + " |"


def _escape_cell(text: str) -> str:
    """A name must not end a cell or become markup."""
    for char in "\\|*_`<>[]":
        text = text.replace(char, f"\\{char}")
    return text
