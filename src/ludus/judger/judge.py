"""A whole match from programs to report: seats are filled, the logic plays, all is cleaned up."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from ludus.bots.sandbox import Program
from ludus.judger.command import Workplace
from ludus.judger.judger import Judger, Tap, Terms
from ludus.judger.loop import Loop
from ludus.judger.report import Report
from ludus.judger.seat import Seat, seat_program
from ludus.lang import Text

NO_LOGIC: Text = {"en": "there is no such program", "zh": "没有这个程序"}
NO_REPLAY: Text = {"en": "the logic wrote no replay", "zh": "逻辑没有写出回放文件"}


def judge(
    logic: Program,
    players: Sequence[Program | None],
    replay: str,
    terms: Terms,
    *,
    tap: Tap | None = None,
) -> Report:
    """Judge one match. The players sit in order; None is a program that could not be found."""
    with contextlib.closing(Loop()) as loop:
        seats: list[Seat] = []
        try:
            for player in players:
                seats.append(seat_program(loop, player, terms.ai_limits, terms.jail, terms.version))
            return preside(loop, logic, seats, replay, terms, tap=tap)
        finally:
            for seat in seats:
                seat.close()


def preside(
    loop: Loop,
    logic: Program,
    seats: Sequence[Seat],
    replay: str,
    terms: Terms,
    *,
    tap: Tap | None = None,
) -> Report:
    """Judge a match of players who have taken their seats, and keep its replay."""
    judger = Judger(loop, seats, terms, tap=tap)
    as_given = terms.version.config == "text"
    with contextlib.closing(Workplace(replay, terms.jail, as_given=as_given)) as workplace:
        report = judger.run(workplace.logic(logic), workplace.told)
        if not workplace.take(Path(os.getcwd(), replay)):
            report.notes.append(NO_REPLAY)
    return report
