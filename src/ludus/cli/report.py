"""The results of a session, for people and for programs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ludus.cli import output
from ludus.cli.options import Plan
from ludus.cli.results import BoutRow, elo_gap, totals
from ludus.cli.session import Session
from ludus.lang import tr, words

ROWS_SHOWN = 40


def tell(session: Session, rows: Sequence[BoutRow], *, as_json: bool, elo: bool) -> int:
    """Print what the bouts came to; then complain if they could not be saved."""
    if as_json:
        output.print_json(as_data(session.plan, rows))
    else:
        _print(session, rows, elo=elo)
    if session.failure is not None:
        raise session.failure
    return 0


def as_data(plan: Plan, rows: Sequence[BoutRow]) -> dict[str, Any]:
    """The one JSON object of ``--json``."""
    found = totals(rows, plan.labels)
    gap = elo_gap(found[0].all) if len(found) == 2 else None
    return {
        "game": plan.game.name,
        "options": plan.settings.as_json(),
        "seed": plan.seed,
        "bout_seed": plan.bout_seed,
        "clock": dataclasses.asdict(plan.clock),
        "bouts": [row.as_json() for row in rows],
        "summary": {
            "bots": [total.as_json() for total in found],
            "elo": dataclasses.asdict(gap) if gap else None,
        },
    }


def _print(session: Session, rows: Sequence[BoutRow], *, elo: bool) -> None:
    from rich.text import Text

    from ludus.cli import tables

    plan, console = session.plan, output.out()
    if plan.bout_seed is None:
        seed = tr(f"seed {plan.seed}", f"种子 {plan.seed}")
    else:
        seed = tr(f"bout seed {plan.bout_seed}", f"单局种子 {plan.bout_seed}")
    console.print(Text(f"{words(plan.game.title)} · {seed}", "bold"))
    console.print()
    shown = [row for row in rows[-ROWS_SHOWN:]]
    if len(rows) > len(shown):
        console.print(Text(tr(f"the last {len(shown)} bouts:", f"最后 {len(shown)} 局："), "dim"))
    console.print(tables.bouts_table(plan.game, shown))
    for block in tables.fault_blocks(rows):
        console.print(block)
    console.print()
    if len(rows) == 1:
        console.print(Text(sentence(rows[0]), "bold"))
    else:
        console.print(tables.summary(plan.game, totals(rows, plan.labels), elo=elo))
    _print_files(session, rows)
    _print_hints(session, rows)


def _print_hints(session: Session, rows: Sequence[BoutRow]) -> None:
    """What a person may want next and would not find."""
    if len(rows) > 1 and session.plan.bout_seed is None:
        seed = rows[-1].seed
        print(
            tr(
                f"play the last of these bouts again: ludus play … --bout-seed {seed}",
                f"重打最后一局：ludus play … --bout-seed {seed}",
            )
        )
    if session.printed:
        names = ", ".join(sorted(session.printed))
        print(
            tr(
                f"printed by {names}, but not kept: --logs DIR keeps it",
                f"{names} 打印了内容但未保存：--logs 文件夹 可以保存",
            )
        )


def sentence(row: BoutRow) -> str:
    """Who won a bout and why."""
    colon = tr(": ", "：")
    if row.winner is None:
        return f"{tr('draw', '平局')}{colon}{row.reason}"
    name = row.names[row.winner]
    return f"{tr(f'{name} wins', f'{name} 获胜')}{colon}{row.reason}"


def _print_files(session: Session, rows: Sequence[BoutRow]) -> None:
    files = [row.file for row in rows if row.file]
    if not files or session.failure is not None:
        return
    if len(files) == 1:
        said = tr(f"saved: {files[0]}", f"已保存：{files[0]}")
    else:
        folder = session.plan.save
        said = tr(
            f"{len(files)} records saved in {folder}", f"{len(files)} 份录像已保存到 {folder}"
        )
    print(f"\n{said}")
