"""Replays a record with its logic: given the same answers, does it send the same messages again?

A record of a Saiblo game holds what its logic sent, and ``ludus replay verify`` checks that this is
consistent. Whether it followed the rules, only the logic can tell: it is started with the record's
config and given the same messages in the same order. A logic that uses random numbers must seed
them from ``random_seed`` for this to succeed.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Iterator

import msgspec

from ludus.compat.saiblo import jailed_program, messages
from ludus.compat.saiblo.command import LogicWorkspace
from ludus.compat.saiblo.frames import LogicFrameReader, encode_frame
from ludus.compat.saiblo.game import SaibloGame
from ludus.compat.saiblo.jailed_program import PolledProcess
from ludus.compat.saiblo.logic_connection import MAX_UNREAD_BYTES
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.position import Event, make_event, parse_step
from ludus.compat.saiblo.seat import PERSON, PROGRAM
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.match.record import Record, load_game
from ludus.match.replay import replay_steps
from ludus.sandbox import JailedProcess

HUMAN_ISOLATION = "human"


class RerunResult(msgspec.Struct):
    """Whether the logic sent the same messages again."""

    same: bool
    step: int
    """The step in which it sent something else; the number of steps if it did not."""
    why: Text


def rerun(record: Record) -> RerunResult:
    """Start the logic of a record's game and give it the bout's answers again."""
    game, options = load_game(record)
    if not isinstance(game, SaibloGame):
        raise LudusError(
            f"{record.game} has no logic program; check its rules with: ludus replay verify",
            f"{record.game} 没有逻辑程序；请用 ludus replay verify 按规则验证",
        )
    settings = game.judger_settings(options, record.seed, record.clock)
    kinds = [PERSON if bot.isolation == HUMAN_ISOLATION else PROGRAM for bot in record.bots]
    with contextlib.ExitStack() as stack:
        loop = stack.enter_context(contextlib.closing(Loop()))
        workspace = LogicWorkspace(
            "replay", settings.jail_level, as_given=settings.version.config == "text"
        )
        stack.enter_context(contextlib.closing(workspace))
        program = workspace.prepare_logic(game.rules_program(settings.logic_limits))
        jailed = jailed_program.start_program(program, settings.logic_limits, settings.jail_level)
        logic = LogicSession(loop, jailed, settings.silence)
        stack.callback(logic.process.kill)
        logic.send(
            messages.init_message(settings.version, kinds, workspace.replay_path, settings.config)
        )
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
            elif (received := logic.receive()) != event:
                shown = "nothing" if received is None else str(received)[:200]
                return RerunResult(
                    same=False,
                    step=number,
                    why=Text(
                        f"in step {number} it sent {shown}, recorded is {str(event)[:200]}",
                        f"第 {number} 步它发送了 {shown}，录像中是 {str(event)[:200]}",
                    ),
                )
    why = Text("the logic sent the same messages again", "逻辑再次发送了相同的消息")
    return RerunResult(same=True, step=len(recorded), why=why)


class LogicSession:
    """A logic that is sent messages and waited for."""

    def __init__(self, loop: Loop, jailed: JailedProcess, timeout_s: float) -> None:
        self._loop, self._timeout_s = loop, timeout_s
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
        """Its next message; None if none comes in time."""
        until = time.monotonic() + self._timeout_s
        while not self._received and not self._exited and (left := until - time.monotonic()) > 0:
            self._loop.run_once(left)
        return self._received.popleft() if self._received else None
