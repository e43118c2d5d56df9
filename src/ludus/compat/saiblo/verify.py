"""Asking a logic again: given the answers of a record, does it say the same once more?

A record of a Saiblo game holds what its logic said, and ``ludus replay verify`` sees whether that
fits together. Whether the logic kept to its rules only the logic can tell: it is started with the
record's config and given the same messages in the same order. A logic that draws from a random
generator must seed it from ``random_seed`` for this to succeed.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Iterator

import msgspec

from ludus.compat.saiblo import child, protocol
from ludus.compat.saiblo.child import PolledProcess
from ludus.compat.saiblo.command import LogicWorkspace
from ludus.compat.saiblo.game import SaibloGame
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import MAX_UNREAD_BYTES
from ludus.compat.saiblo.position import Event, make_event, parse_step
from ludus.compat.saiblo.protocol import LogicFrameReader, encode_frame
from ludus.compat.saiblo.seat import PERSON, PROGRAM
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.match.record import Record, load_game
from ludus.match.replay import replay_steps
from ludus.sandbox import JailedProcess

HUMAN_ISOLATION = "human"


class RerunResult(msgspec.Struct):
    """What came of it."""

    same: bool
    step: int
    """The step in which it said something else; the number of steps if it did not."""
    why: Text


def rerun(record: Record) -> RerunResult:
    """Start the logic of a record's game and lead it through the bout."""
    game, options = load_game(record)
    if not isinstance(game, SaibloGame):
        raise LudusError(
            f"{record.game} has no logic to ask; its rules are checked by: ludus replay verify",
            f"{record.game} 没有逻辑程序可问；请用 ludus replay verify 按规则验证",
        )
    terms = game.judger_settings(options, record.seed, record.clock)
    kinds = [PERSON if bot.isolation == HUMAN_ISOLATION else PROGRAM for bot in record.bots]
    with contextlib.ExitStack() as stack:
        loop = stack.enter_context(contextlib.closing(Loop()))
        place = LogicWorkspace("replay", terms.jail_level, as_given=terms.version.config == "text")
        stack.enter_context(contextlib.closing(place))
        program = place.prepare_logic(game.logic_program(terms.logic_limits))
        jailed = child.start_program(program, terms.logic_limits, terms.jail_level)
        logic = LogicSession(loop, jailed, terms.silence)
        stack.callback(logic.process.kill)
        logic.send(protocol.init_message(terms.version, kinds, place.replay_path, terms.config))
        return _compare(logic, list(_steps(record)))


def _steps(record: Record) -> Iterator[list[Event]]:
    for ply, position in replay_steps(record):
        del position
        if ply:
            yield parse_step(next(iter(ply.values())))


def _compare(logic: LogicSession, recorded: list[list[Event]]) -> RerunResult:
    for number, events in enumerate(recorded, 1):
        for event in events:
            if event[0] == "J":
                logic.send(encode_frame(event[1].encode()))
            elif (said := logic.receive()) != event:
                shown = "nothing" if said is None else str(said)[:200]
                return RerunResult(
                    same=False,
                    step=number,
                    why={
                        "en": f"in step {number} it said {shown}, recorded is {str(event)[:200]}",
                        "zh": f"第 {number} 步它说的是 {shown}，录像中是 {str(event)[:200]}",
                    },
                )
    why = {"en": "the logic said the same again", "zh": "逻辑再次给出了相同的消息"}
    return RerunResult(same=True, step=len(recorded), why=why)


class LogicSession:
    """A logic that is told and heard in turn."""

    def __init__(self, loop: Loop, jailed: JailedProcess, patience: float) -> None:
        self._loop, self._patience = loop, patience
        self._reader = LogicFrameReader()
        self._received: deque[Event] = deque()
        self._exited = False
        self.process = PolledProcess(loop, jailed, MAX_UNREAD_BYTES, self._on_output, self._on_end)

    def _on_output(self, data: bytes) -> None:
        self._received.extend(make_event(target, body) for target, body in self._reader.feed(data))

    def _on_end(self) -> None:
        self._exited = True

    def send(self, message: bytes) -> None:
        self.process.send(message)

    def receive(self) -> Event | None:
        """Its next message; None if there is none in time."""
        until = time.monotonic() + self._patience
        while not self._received and not self._exited and (left := until - time.monotonic()) > 0:
            self._loop.run_once(left)
        return self._received.popleft() if self._received else None
