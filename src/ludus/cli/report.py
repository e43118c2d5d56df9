"""Prints the results of a session as tables or JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ludus.called import program_name
from ludus.cli import output
from ludus.cli.errors import error_json, print_error
from ludus.cli.options import SeriesPlan
from ludus.cli.results import (
    BoutResultRow,
    compute_paired_score,
    compute_totals,
    find_copied_numbers,
)
from ludus.cli.session import Session
from ludus.lang import tr, translate
from ludus.rating.copies import describe_copies
from ludus.rating.elo import estimate_elo

MAX_SHOWN_ROWS = 40


def print_results(
    session: Session, rows: Sequence[BoutResultRow], *, as_json: bool, elo: bool
) -> int:
    """Print what the bouts came to; then complain if they could not be saved."""
    error = session.save_error
    if as_json:
        found = results_json(session.plan, rows)
        output.print_json(found if error is None else {**found, "error": error_json(error)})
    else:
        _print_tables(session, rows, elo=elo)
    if error is not None:
        print_error(str(error), error.detail)
    return 0 if error is None else 2


def results_json(plan: SeriesPlan, rows: Sequence[BoutResultRow]) -> dict[str, Any]:
    """The JSON object of ``--json``."""
    totals = compute_totals(rows, plan.labels)
    gap = estimate_elo(compute_paired_score(rows)) if len(totals) == 2 and rows else None
    copied = find_copied_numbers(rows)
    return {
        "game": plan.game.name,
        "options": plan.spec.options,
        "seed": plan.seed,
        "bout_seed": plan.bout_seed,
        "openings": plan.openings,
        "clock": dataclasses.asdict(plan.clock),
        "bouts": [{**row.as_json(), "copy_of": copied.get(row.number)} for row in rows],
        "summary": {
            "bots": [total.as_json() for total in totals],
            "copies": len(copied),
            "elo": gap._asdict() if gap else None,
        },
    }


def _print_tables(session: Session, rows: Sequence[BoutResultRow], *, elo: bool) -> None:
    from rich.text import Text

    from ludus.cli import tables

    plan, console = session.plan, output.stdout_console()
    if plan.bout_seed is None:
        seed = tr(f"seed {plan.seed}", f"种子 {plan.seed}")
    else:
        seed = tr(f"bout seed {plan.bout_seed}", f"单局种子 {plan.bout_seed}")
    title = f"{translate(plan.game.title)} · {seed}"
    if plan.openings != "none":
        title += tr(f" · openings: {plan.openings}", f" · 开局：{plan.openings}")
    console.print(Text(title, "bold"))
    console.print()
    shown, copied = rows[-MAX_SHOWN_ROWS:], find_copied_numbers(rows)
    if len(rows) > len(shown):
        console.print(Text(tr(f"the last {len(shown)} bouts:", f"最后 {len(shown)} 局："), "dim"))
    console.print(tables.bouts_table(plan.game, shown, copied))
    for block in tables.render_faults(rows):
        console.print(block)
    console.print()
    if len(rows) == 1:
        console.print(Text(outcome_sentence(rows[0]), "bold"))
    else:
        console.print(tables.render_summary(plan.game, plan.labels, rows, elo=elo))
    if copied:
        console.print(Text(translate(describe_copies(len(copied), len(rows))), "yellow"))
    _print_files(session, rows)
    _print_hints(session, rows)


def _print_hints(session: Session, rows: Sequence[BoutResultRow]) -> None:
    """Suggest options that fit the results."""
    if len(rows) > 1 and session.plan.bout_seed is None:
        import click

        from ludus.cli.replay_command import format_replay_command

        again = format_replay_command(click.get_current_context(), rows[-1])
        print(tr(f"replay the last of these bouts: {again}", f"重打最后一局：{again}"))
    if session.bots_with_printed_notes:
        names = ", ".join(sorted(session.bots_with_printed_notes))
        print(
            tr(
                f"what {names} printed during its moves is kept as notes beside the record:"
                f" {program_name()} replay show --all; --logs DIR saves everything",
                f"{names} 走棋时打印的内容已作为注记保存在录像旁："
                f"{program_name()} replay show --all；--logs 文件夹 可保存全部输出",
            )
        )
    if unsaved := session.bots_with_unsaved_output - session.bots_with_printed_notes:
        names = ", ".join(sorted(unsaved))
        print(
            tr(
                f"the output of {names} was not saved; use --logs DIR to save it",
                f"{names} 的输出未保存；可用 --logs 文件夹 保存",
            )
        )


def outcome_sentence(row: BoutResultRow) -> str:
    """A sentence about who won and why."""
    colon = tr(": ", "：")
    if row.winner is None:
        return f"{tr('draw', '平局')}{colon}{row.reason}"
    name = row.names[row.winner]
    return f"{tr(f'{name} wins', f'{name} 获胜')}{colon}{row.reason}"


def _print_files(session: Session, rows: Sequence[BoutResultRow]) -> None:
    files = [row.file for row in rows if row.file]
    if not files or session.save_error is not None:
        return
    if len(files) == 1:
        message = tr(f"saved: {files[0]}", f"已保存：{files[0]}")
    else:
        folder = session.plan.save
        message = tr(
            f"{len(files)} records saved in {folder}", f"{len(files)} 份录像已保存到 {folder}"
        )
    print(f"\n{message}")
