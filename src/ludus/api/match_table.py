"""A match as a table, for the output of a notebook's cell and for ``print``."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ludus.lang import tr, translate
from ludus.rating.copies import describe_copies
from ludus.rating.elo import format_probability

if TYPE_CHECKING:
    from ludus.api.matches import MatchResult

MAX_SHOWN_BOUTS = 40


def format_summary(match: MatchResult) -> str:
    """The score and what it means, in one or two lines."""
    first, second = match.bots
    won, drawn, lost = match.results
    better = format_probability(match.better)
    line = tr(
        f"{first} – {second}: {won} won, {drawn} drawn, {lost} lost;"
        f" Elo {match.elo.format()}, chance that {first} is better: {better}",
        f"{first} 对 {second}：胜 {won}，平 {drawn}，负 {lost}；"
        f"Elo {match.elo.format()}，{first} 更强的可能性：{better}",
    )
    if not match.copies:
        return line
    return f"{line}\n{translate(describe_copies(match.copies, len(match.bouts)))}"


def render_match(match: MatchResult) -> str:
    """The summary over a table of the bouts."""
    seats = match.game.rules.seat_names
    names = [
        tr("bout", "局"),
        tr("seed", "种子"),
        *seats,
        tr("winner", "胜者"),
        tr("moves", "着法数"),
    ]
    names.append(tr("why", "原因"))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = [_render_row(match, number) for number in range(len(match.bouts))][-MAX_SHOWN_BOUTS:]
    left_out = len(match.bouts) - len(rows)
    note = tr(f"the last {len(rows)} bouts:", f"最后 {len(rows)} 局：") if left_out else ""
    summary = "<br>".join(escape(line) for line in format_summary(match).splitlines())
    return (
        f"<div><p><b>{escape(match.game.title)}</b><br>{summary}</p>"
        f"{f'<p>{note}</p>' if note else ''}"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _render_row(match: MatchResult, number: int) -> str:
    bout, order = match.bouts[number], match.orders[number]
    seated = [match.bots[player] for player in order]
    winner = tr("draw", "平局") if bout.winner is None else seated[bout.winner]
    cells = [str(number + 1), str(bout.seed), *seated, winner, str(len(bout.moves)), bout.reason]
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
