"""Replays a record with its judge: given the same answers, does it print the same again?

A record of a judged game holds what its judge printed, and ``ludus.match.replay.verify`` checks
that this is consistent. Whether the judge followed its rules, only the judge can tell: it is given
the record's answers again. A judge that draws random numbers does so from the bout's seed, or puts
what it drew into the ``initdata`` of its first output, as Botzone asks of it. So it is started as
it was, and if it then begins in another way, with that ``initdata``.
"""

from __future__ import annotations

import contextlib
from typing import Any

from ludus.compat.botzone.game import BotzoneGame
from ludus.compat.botzone.judge_output import JudgeOutput
from ludus.compat.botzone.judge_process import JudgeSession
from ludus.compat.botzone.position import BotResponse, read_step, write_json
from ludus.errors import GameProgramFault, LudusError
from ludus.escape import truncate
from ludus.match.record import Record, load_game
from ludus.match.replay import replay_steps
from ludus.sandbox import choose_level

SHOWN_CHARACTERS = 200
"""How many characters of an output are shown."""


def rerun_record(record: Record) -> None:
    """Give the judge of a record's game the bout's answers again. Raises LudusError if it now
    prints something else, or fails."""
    game, options = load_game(record)
    assert isinstance(game, BotzoneGame)
    steps = [read_step(ply, len(game.seats)) for ply, _ in replay_steps(record) if ply]
    starts = [game.make_initdata(options, record.seed)]
    if steps and "initdata" in steps[0][1].value:
        starts.append(steps[0][1].value["initdata"])
    for initdata in starts:
        with contextlib.closing(JudgeSession(game, initdata, choose_level())) as judge:
            try:
                _compare(judge, 1, *steps[0])
            except LudusError:
                if initdata is starts[-1]:
                    raise
                continue
            for number, (responses, output) in enumerate(steps[1:], 2):
                _compare(judge, number, responses, output)
            return


def _compare(
    judge: JudgeSession, number: int, responses: dict[int, BotResponse], recorded: JudgeOutput
) -> None:
    try:
        printed = judge.ask(responses)
    except GameProgramFault as fault:
        raise LudusError(
            f"in step {number} {fault.text['en']}", f"第 {number} 步：{fault.text['zh']}"
        ) from None
    expected = recorded.value
    if number == 1 and "initdata" not in printed.value:  # it need not repeat what it was given
        expected = {key: value for key, value in expected.items() if key != "initdata"}
    if printed.value != expected:
        raise LudusError(
            f"in step {number} the judge printed {_shorten(printed.value)},"
            f" recorded is {_shorten(expected)}",
            f"第 {number} 步裁判输出 {_shorten(printed.value)}，录像中是 {_shorten(expected)}",
        )


def _shorten(value: Any) -> str:
    return truncate(write_json(value), SHOWN_CHARACTERS)
