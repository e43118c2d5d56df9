"""A contest as one HTML file that needs nothing else: for a browser, a mail, a printer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from ludus.contest.crosstable import Crosstable, build_crosstable
from ludus.contest.ledger import Ledger
from ludus.contest.model import StandingsTable
from ludus.contest.report import drawings
from ludus.contest.standings import TIE_BREAKS
from ludus.games.registry import get
from ludus.lang import Text
from ludus.match.verdict import FAULT_NAMES
from ludus.rating.intervals import Z_SCORE_95

MAX_CROSSTABLE_ENTRANTS = 30
"""Entrants up to which a crosstable is drawn."""

LABELS: dict[str, Text] = {
    "standings": Text("Standings", "最终排名"),
    "bracket": Text("Bracket", "对阵图"),
    "ratings": Text("Ratings", "等级分"),
    "ratings_about": Text(
        "Elo with 95 % intervals, from all bouts together; {zero}. Entrants in the"
        " same shade cannot be separated from the best of it. Sitting first is worth {seat}.",
        "由全部对局一并估计的 Elo 等级分与 95% 区间，{zero}。同一底色的参赛者无法与其中"
        "最强者区分高下。先手优势为 {seat}。",
    ),
    "mean": Text("the mean is 0", "平均为 0"),
    "anchor": Text("{name} is fixed at {elo:g}", "以 {name} 为 {elo:g} 作基准"),
    "cross": Text("Crosstable", "相互战绩"),
    "matches": Text("Matches", "场次"),
    "bouts": Text("Bouts", "对局"),
    "bots": Text("Time and faults", "用时与犯规"),
    "rank": Text("#", "名次"),
    "entrant": Text("Entrant", "参赛者"),
    "points": Text("Points", "积分"),
    "elo": Text("Elo", "Elo"),
    "wdl": Text("Won – drawn – lost", "胜 – 平 – 负"),
    "score": Text("Bouts", "局分"),
    "stage": Text("Stage", "阶段"),
    "result": Text("Result", "结果"),
    "winner": Text("Winner", "胜者"),
    "reason": Text("Ended by", "结束原因"),
    "plies": Text("Plies", "步数"),
    "cpu": Text("CPU s", "CPU 秒"),
    "per_bout": Text("CPU s per bout", "每局 CPU 秒"),
    "slowest": Text("Slowest bout", "最慢一局"),
    "faults": Text("Faults", "犯规"),
    "record": Text("Record", "录像"),
    "draw": Text("draw", "平局"),
    "lot": Text("by lot", "抽签"),
    "match": Text("Match", "对阵"),
    "open": Text("under way", "进行中"),
    "timeout": Text("stopped: no points", "超时终止，均不得分"),
    "through": Text("through", "晋级"),
    "champion": Text("champion", "冠军"),
    "dropped": Text("dropped", "退出"),
    "made": Text("Made by Ludus", "由 Ludus 弈场生成"),
    "all_bouts": Text("Show all {count} bouts", "展开全部 {count} 局"),
    "summary": Text(
        "{entrants} entrants, {matches} matches, {bouts} bouts",
        "{entrants} 名参赛者，{matches} 场，{bouts} 局",
    ),
    "seed": Text(", seed {seed}", "，种子 {seed}"),
    "unfinished": Text("not over yet", "尚未结束"),
}

STYLE = """
:root{--ink:#1c2330;--soft:#667085;--line:#dfe3ea;--ground:#fff;--shade:#f5f7fa;--good:#12805c;
--bad:#c23b3b;--mark:#3b5bdb}
@media (prefers-color-scheme:dark){:root{color-scheme:dark;
--ink:#e6e9ef;--soft:#98a2b3;--line:#333b49;
--ground:#14181f;--shade:#1c222c;--good:#4cc38a;--bad:#f07178;--mark:#91a7ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:32px 20px 60px;background:var(--ground);
color:var(--ink);font:15px/1.5 system-ui,"Noto Sans","Noto Sans CJK SC","PingFang SC",
"Microsoft YaHei",sans-serif}
h1{font-size:28px;margin:0}h2{font-size:19px;margin:36px 0 10px}
p{margin:6px 0;color:var(--soft)}
.wide{overflow-x:auto;max-width:100%}
.side{display:flex;flex-wrap:wrap;gap:14px 48px;align-items:flex-start}
.podium{display:flex;flex-wrap:wrap;gap:10px;margin:22px 0 0;padding:0;list-style:none}
.podium li{flex:0 1 auto;max-width:100%;padding:10px 18px 10px 14px;border:1px solid var(--line);
border-radius:8px;background:var(--shade);overflow-wrap:anywhere}
.podium b{display:inline-block;margin-right:10px;color:var(--mark)}
.podium .first{border-color:var(--mark);font-weight:650}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:5px 12px 5px 0;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:500;color:var(--soft);font-size:13px}
td.n,th.n{text-align:right;padding-left:12px}
tr.line td{border-bottom:2px solid var(--mark)}
tr.champion td{font-weight:650}tr.dropped td{color:var(--soft)}
.tag{font-size:12px;color:var(--good)}
.cross td,.cross th{text-align:center;padding:4px 7px;border:1px solid var(--line);min-width:40px}
.cross th.name{text-align:left}.cross .me{background:var(--shade)}
.cross .won{color:var(--good)}.cross .lost{color:var(--bad)}
svg{display:block;height:auto;font-size:13px}svg.ratings{width:100%;max-width:860px;min-width:560px}
th:not(.name)::first-letter{text-transform:uppercase}svg text{fill:var(--ink)}
svg .round,svg .tick{fill:var(--soft);font-size:11px}svg .box{fill:var(--shade);stroke:var(--line)}
svg .way{fill:none;stroke:var(--soft)}svg .won{font-weight:650;fill:var(--good)}
svg .band{fill:var(--shade)}svg .grid{stroke:var(--line)}
svg .interval{stroke:var(--mark);stroke-width:2}svg .dot{fill:var(--mark)}
details{margin:8px 0}summary{cursor:pointer;color:var(--mark)}a{color:var(--mark)}
.fault{color:var(--bad)}
footer{margin-top:48px;color:var(--soft);font-size:13px}
.who,.cross th.name{max-width:22em;overflow:hidden;text-overflow:ellipsis}
@media (max-width:480px){body{padding:20px 14px 40px}h1{font-size:23px}
th,td{padding:5px 8px 5px 0}td.n,th.n{padding-left:6px}.podium li{padding:7px 12px 7px 10px}
.who,.cross th.name{max-width:8em}.cross td,.cross th{padding:4px 5px;min-width:34px}}
@media print{body{max-width:none}details{display:none}}
"""


def render_page(
    ledger: Ledger, data: dict[str, Any], language: str, *, records: bool = True
) -> str:
    """The whole report. ``records``: link to the files of the bouts beside it."""
    return ReportPage(ledger, data, language, records).render()


class ReportPage:
    """One report in one language."""

    def __init__(self, ledger: Ledger, data: dict[str, Any], language: str, records: bool) -> None:
        self.ledger, self.data, self.language, self.records = ledger, data, language, records
        self.game = get(ledger.settings.game)

    def label(self, key: str, **facts: Any) -> str:
        return escape(LABELS[key][self.language].format(**facts))

    def translate(self, text: Text) -> str:
        return escape(text.get(self.language) or text.get("en", ""))

    def render(self) -> str:
        tag = "zh-CN" if self.language == "zh" else "en"
        name = escape(self.data["name"])
        return (
            f'<!doctype html><html lang="{tag}"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
            " style-src 'unsafe-inline'\">"
            f"<title>{name}</title><style>{STYLE}</style></head><body>"
            f"{''.join(self._parts())}</body></html>\n"
        )

    def _parts(self) -> Iterator[str]:
        yield self._head()
        tables = self.ledger.tables()
        for table, data in zip(tables, self.data["tables"], strict=True):
            yield self._section(self.translate(data["title"]) or self.label("standings"))
            yield f'<div class="side">{self._standings(data)}{self._crosstable_of(table)}</div>'
        if self.data["bracket"]:
            yield self._section(self.label("bracket"))
            drawn = drawings.draw_bracket(self.data["bracket"], self.language)
            yield f'<div class="wide">{drawn}</div>'
        if len(tables) > 1:
            yield self._section(self.label("standings"))
            yield self._standings(self.data["standings"])
        if self.data["bouts"]:
            yield self._ratings()
            yield self._bots()
            yield self._matches()
            yield self._bouts()
        yield f"<footer>{self.label('made')}</footer>"

    def _head(self) -> str:
        data = self.data
        facts = self.label(
            "summary",
            entrants=len(data["entrants"]),
            matches=len(data["matches"]),
            bouts=len(data["bouts"]),
        )
        if data["seed"] is not None:  # hidden before the end if entrants could profit from it
            facts += self.label("seed", seed=data["seed"])
        state = "" if data["over"] else f" · {self.label('unfinished')}"
        title = self.translate(self.game.title)
        head = f"<h1>{escape(data['name'])}</h1><p>{title} · {facts}{state}</p>"
        return head + (self._podium() if data["over"] and data["bouts"] else "")

    def _podium(self) -> str:
        """The first three, before everything else."""
        places = "".join(
            f'<li class="{"first" if row["rank"] == 1 else ""}"><b>{row["rank"]}</b>'
            f"{escape(row['name'])}</li>"
            for row in self.data["standings"]["rows"][:3]
        )
        return f'<ol class="podium">{places}</ol>'

    def _section(self, title: str) -> str:
        return f"<h2>{title}</h2>"

    def _standings(self, table: dict[str, Any]) -> str:
        breaks = [self.translate(TIE_BREAKS[table["criteria"][i]][1]) for i in table["asked"]]
        head = [
            (self.label("rank"), True),
            (self.label("entrant"), False),
            (self.label(table["scale"]), True),
            (self.label("wdl"), True),
            (self.label("score"), True),
            *((title, True) for title in breaks),
            ("", False),
        ]
        rows = []
        for place, row in enumerate(table["rows"], 1):
            note = f'<span class="tag">{self.label(row["note"])}</span>' if row["note"] else ""
            line = " line" if place == table["through"] else ""
            cells = [
                _number_cell(row["rank"]),
                _name_cell(row["name"]),
                _number_cell(f"{row['points']:g}"),
                _number_cell(f"{row['wins']} – {row['draws']} – {row['losses']}"),
                _number_cell(f"{row['scored']:g} / {row['bouts']}"),
                *(_number_cell(f"{row['tie_breaks'][i]:.4g}") for i in table["asked"]),
                f"<td>{note}</td>",
            ]
            rows.append(f'<tr class="{row["note"]}{line}">{"".join(cells)}</tr>')
        return _render_table(head, rows)

    def _crosstable_of(self, table: StandingsTable) -> str:
        if not 2 < len(table.names) <= MAX_CROSSTABLE_ENTRANTS or table.bracket:
            return ""
        points = {row.name: row.points for row in table.rows}
        return self._crosstable(build_crosstable(self.ledger, table.names, points))

    def _crosstable(self, cross: Crosstable) -> str:
        numbers = "".join(f"<th>{n}</th>" for n in range(1, len(cross.names) + 1))
        rows = []
        for number, name in enumerate(cross.names, 1):
            cells = "".join(_render_cross_cell(cross, name, other) for other in cross.names)
            rows.append(f'<tr><th>{number}</th><th class="name">{escape(name)}</th>{cells}</tr>')
        return (
            f'<div class="wide"><table class="cross"><tr><th></th><th></th>{numbers}</tr>'
            f"{''.join(rows)}</table></div>"
        )

    def _ratings(self) -> str:
        ratings = self.data["ratings"]
        error = Z_SCORE_95 * ratings["seat_advantage_error"]
        seat = f"{ratings['seat_advantage']:+.0f} ± {error:.0f}"
        plot = drawings.draw_rating_plot(ratings["ratings"])
        anchor = self.data["anchor"]
        zero = LABELS["anchor"][self.language].format(**anchor) if anchor else None
        about = self.label("ratings_about", seat=seat, zero=zero or LABELS["mean"][self.language])
        return f'{self._section(self.label("ratings"))}<p>{about}</p><div class="wide">{plot}</div>'

    def _bots(self) -> str:
        head = [
            (self.label("entrant"), False),
            (self.label("wdl"), True),
            (self.label("per_bout"), True),
            (self.label("slowest"), True),
            (self.label("faults"), False),
        ]
        rows = []
        for bot in self.data["bots"]:
            faults = ", ".join(
                f"{self._fault(kind)} × {count}" for kind, count in sorted(bot["faults"].items())
            )
            each = bot["cpu"] / bot["bouts"] if bot["bouts"] else 0.0
            cells = [
                _name_cell(bot["name"]),
                _number_cell(f"{bot['won']} – {bot['drawn']} – {bot['lost']}"),
                _number_cell(f"{each:.2f}"),
                _number_cell(f"{bot['slowest']:.2f}"),
                f'<td class="fault">{faults}</td>',
            ]
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return self._section(self.label("bots")) + _render_table(head, rows)

    def _fault(self, kind: str) -> str:
        return self.translate(FAULT_NAMES[kind]) if kind in FAULT_NAMES else escape(kind)

    def _matches(self) -> str:
        head = [
            (self.label("stage"), False),
            (self.label("match"), False),
            (self.label("result"), True),
            (self.label("winner"), False),
        ]
        rows = []
        for match in self.data["matches"]:
            score = " : ".join(f"{value:g}" for value in match["scores"] or ())
            cells = [
                f"<td>{self.translate(match['title'])}</td>",
                f"<td>{escape(' – '.join(match['entrants']))}</td>",
                _number_cell(score),
                f"<td>{self._winner(match)}</td>",
            ]
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return self._section(self.label("matches")) + _render_table(head, rows)

    def _winner(self, match: dict[str, Any]) -> str:
        if not match["over"]:
            return self.label("open")
        if match["ending"] == "timeout":
            return self.label("timeout")
        lot = f" ({self.label('lot')})" if match["ending"] == "lot" else ""
        return escape(match["winner"]) + lot if match["winner"] else self.label("draw")

    def _bouts(self) -> str:
        head = [
            *((self.translate(seat), False) for seat in self.game.seats),
            (self.label("winner"), False),
            (self.label("reason"), False),
            (self.label("plies"), True),
            (self.label("cpu"), True),
            (self.label("record") if self.records else "", False),
        ]
        rows = [f"<tr>{''.join(self._bout(bout))}</tr>" for bout in self.data["bouts"]]
        show = self.label("all_bouts", count=len(rows))
        inner = _render_table(head, rows)
        title = self._section(self.label("bouts"))
        return f"{title}<details><summary>{show}</summary>{inner}</details>"

    def _bout(self, bout: dict[str, Any]) -> Iterator[str]:
        for name in bout["names"]:
            yield _name_cell(name)
        yield f"<td>{escape(bout['winner']) if bout['winner'] else self.label('draw')}</td>"
        if bout["faults"]:
            why = "; ".join(self.translate(fault["why"]) for fault in bout["faults"])
            yield f'<td class="fault">{why[:160]}</td>'
        else:
            yield f"<td>{self.translate(bout['reason'])}</td>"
        yield _number_cell(bout["plies"])
        yield _number_cell(" ".join(f"{seconds:.2f}" for seconds in bout["cpu"]))
        link = f'<a href="{escape(bout["record"], quote=True)}">↓</a>' if self.records else ""
        yield f"<td>{link}</td>"


def _render_cross_cell(cross: Crosstable, row: str, column: str) -> str:
    if row == column:
        return '<td class="me"></td>'
    cell = cross.cell(row, column)
    kind = {"+": "won", "-": "lost"}.get(cell.symbol, "")
    said = f"{cell.score:g}:{cell.bouts - cell.score:g}" if cell.bouts else ""
    if cell.symbol == "x":
        said += " ×"
    return f'<td class="{kind}">{said}</td>'


def _number_cell(value: Any) -> str:
    return f'<td class="n">{escape(str(value))}</td>'


def _name_cell(value: str) -> str:
    """A name: cut short where there is no room, whole when pointed at."""
    said = escape(value)
    return f'<td class="who" title="{said}">{said}</td>'


def _render_table(head: Sequence[tuple[str, bool]], rows: Iterable[str]) -> str:
    cells = "".join(f'<th class="n">{t}</th>' if n else f"<th>{t}</th>" for t, n in head)
    return f'<div class="wide"><table><tr>{cells}</tr>{"".join(rows)}</table></div>'
