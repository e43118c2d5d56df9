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
from ludus.compat.saiblo.child import Child
from ludus.compat.saiblo.command import Workplace
from ludus.compat.saiblo.game import SaibloGame
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import BACKLOG
from ludus.compat.saiblo.position import Event, event_of, events_of
from ludus.compat.saiblo.protocol import LogicReader, frame
from ludus.compat.saiblo.seat import PERSON, PROGRAM
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.match.record import Record, game_of
from ludus.match.replay import steps
from ludus.sandbox import Jailed

HUMAN = "human"


class Rerun(msgspec.Struct):
    """What came of it."""

    same: bool
    step: int
    """The step in which it said something else; the number of steps if it did not."""
    why: Text


def rerun(record: Record) -> Rerun:
    """Start the logic of a record's game and lead it through the bout."""
    game, options = game_of(record)
    if not isinstance(game, SaibloGame):
        raise LudusError(
            f"{record.game} has no logic to ask; its rules are checked by: ludus replay verify",
            f"{record.game} 没有逻辑程序可问；请用 ludus replay verify 按规则验证",
        )
    terms = game.terms(options, record.seed, record.clock)
    kinds = [PERSON if bot.isolation == HUMAN else PROGRAM for bot in record.bots]
    with contextlib.ExitStack() as stack:
        loop = stack.enter_context(contextlib.closing(Loop()))
        place = Workplace("replay", terms.jail, as_given=terms.version.config == "text")
        stack.enter_context(contextlib.closing(place))
        program = place.logic(game.logic(terms.logic_limits))
        jailed = child.start(program, terms.logic_limits, terms.jail)
        logic = Interview(loop, jailed, terms.silence)
        stack.callback(logic.child.kill)
        logic.tell(protocol.init_message(terms.version, kinds, place.told, terms.config))
        return _compare(logic, list(_steps(record)))


def _steps(record: Record) -> Iterator[list[Event]]:
    for ply, position in steps(record):
        del position
        if ply:
            yield events_of(next(iter(ply.values())))


def _compare(logic: Interview, recorded: list[list[Event]]) -> Rerun:
    for number, events in enumerate(recorded, 1):
        for event in events:
            if event[0] == "J":
                logic.tell(frame(event[1].encode()))
            elif (said := logic.hear()) != event:
                shown = "nothing" if said is None else str(said)[:200]
                return Rerun(
                    same=False,
                    step=number,
                    why={
                        "en": f"in step {number} it said {shown}, recorded is {str(event)[:200]}",
                        "zh": f"第 {number} 步它说的是 {shown}，录像中是 {str(event)[:200]}",
                    },
                )
    why = {"en": "the logic said the same again", "zh": "逻辑再次给出了相同的消息"}
    return Rerun(same=True, step=len(recorded), why=why)


class Interview:
    """A logic that is told and heard in turn."""

    def __init__(self, loop: Loop, jailed: Jailed, patience: float) -> None:
        self._loop, self._patience = loop, patience
        self._reader = LogicReader()
        self._said: deque[Event] = deque()
        self._gone = False
        self.child = Child(loop, jailed, BACKLOG, self._on_words, self._on_end)

    def _on_words(self, data: bytes) -> None:
        self._said.extend(event_of(target, body) for target, body in self._reader.feed(data))

    def _on_end(self) -> None:
        self._gone = True

    def tell(self, message: bytes) -> None:
        self.child.send(message)

    def hear(self) -> Event | None:
        """Its next message; None if there is none in time."""
        until = time.monotonic() + self._patience
        while not self._said and not self._gone and (left := until - time.monotonic()) > 0:
            self._loop.step(left)
        return self._said.popleft() if self._said else None
