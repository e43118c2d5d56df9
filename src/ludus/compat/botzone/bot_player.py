"""Plays bots of Botzone, unmodified, in the bouts of Ludus."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from ludus import sandbox
from ludus.bots.notes import FIELDS, NoteBook
from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.interrupt import Interrupt
from ludus.compat.botzone.adapters.adapter import BotTurn, BotzoneAdapter, BoutTranslator
from ludus.compat.botzone.bot_formats import MessageFormat
from ludus.compat.botzone.bot_limits import TURN_S, tell_time_limit, turn_seconds
from ludus.compat.botzone.bot_process import BotzoneProcess
from ludus.compat.botzone.bot_program import BotzoneProgram
from ludus.compat.botzone.bot_session import BotSession, TurnProcess
from ludus.errors import LudusError
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Ply
from ludus.sandbox import JailLevel, Limits
from ludus.sandbox.bot_fault import BotFault, FaultKind

SEED_VARIABLE = "LUDUS_RANDOM_SEED"
"""The environment variable with a seed for the random numbers of one turn."""


def derive_turn_seed(random_seed: str, turn: int) -> str:
    """The seed of a process that is started for a turn of a bout."""
    return hashlib.sha256(f"{random_seed} {turn}".encode()).hexdigest()


class BotzonePlayer:
    """A bot of Botzone at a seat of a Ludus game.

    ``data`` lives for one bout, ``globaldata`` as long as the player: for the bouts of a match.
    """

    def __init__(
        self,
        name: str,
        program: BotzoneProgram,
        adapter: BotzoneAdapter,
        messages: MessageFormat,
        *,
        digest: str,
        limits: Limits,
        level: JailLevel | None,
        interrupt: Interrupt | None,
    ) -> None:
        """``level``: that of its jails; None: a trusted program, which gets none."""
        self.name, self.digest = name, digest
        self.isolation = sandbox.UNJAILED if level is None else level.value
        self._program, self._adapter, self._messages = program, adapter, messages
        self._limits, self._level, self._interrupt = limits, level, interrupt
        self._globaldata: Any = UNSET
        self._session = self._open_session("")
        self._translator: BoutTranslator
        self._has_answered = False
        """Whether the next moves begin with the bot's own last one."""
        self.notes = NoteBook()
        """The ``debug`` of each answer."""

    def _open_session(self, random_seed: str) -> BotSession:
        start = functools.partial(self._start_process, random_seed)
        return BotSession(start, self._messages, self._limits.memory, self._globaldata)

    def _start_process(self, random_seed: str, turn: int) -> TurnProcess:
        program, env = self._program.program, dict(self._program.program.env)
        if random_seed:
            env[SEED_VARIABLE] = derive_turn_seed(random_seed, turn)
        return BotzoneProcess(
            dataclasses.replace(program, env=env),
            self._limits,
            self._level,
            self._interrupt,
            may_keep_running=self._program.may_keep_running,
        )

    @property
    def pid(self) -> int | None:
        """The process that is kept running, if there is one."""
        return self._session.pid

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self.close()
        self.notes.begin_bout(bout)
        self._has_answered = False
        self._session = self._open_session(bout.random_seed)
        try:
            self._translator = self._adapter.open_bout(bout)
        except LudusError as error:
            raise BotFault(FaultKind.LOAD, error.text["en"], error.text["zh"]) from None
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        session = self._session
        session.reset_spent()
        self.notes.follow(len(plies))
        turns = self._translator.advance(plies)
        if self._has_answered:
            session.replace_last_response(turns[0].response)
            turns = turns[1:]
        self._has_answered = False
        for turn in turns[:-1]:
            self._take_known_turn(turn, clock, limit)
        response = session.ask(turns[-1].request, limit, self._told_ms(clock))
        self.notes.add(read_debug(session.note))
        move = self._translator.read_move(response)
        self._has_answered = True
        return MoveAnswer(session.spent.cpu, session.spent.wall, move)

    def _take_known_turn(self, turn: BotTurn, clock: ClockView, limit: TimeLimit) -> None:
        """A turn whose answer is known. A bot that has been asked before is asked here too: it may
        have been kept running, or have saved the position, and must learn of this request."""
        if not turn.forced or not self._session.was_asked:
            self._session.add_turn(turn.request, turn.response)
            return
        response = self._session.ask(turn.request, limit, self._told_ms(clock))
        self._translator.check_forced(response, turn)

    @property
    def turn_factor(self) -> float:
        """How many times as long as a program in C++ Botzone gives it for its next turn."""
        return turn_seconds(self._program.language, first=not self._session.was_asked) / TURN_S

    def _told_ms(self, clock: ClockView) -> int:
        first = not self._session.was_asked
        return tell_time_limit(self._program.language, clock, first=first)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """The process that was kept ends; Botzone does not tell bots how a bout went."""
        self.close()
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        """``stdout`` has the bot's ``debug`` texts, each with the number of its turn."""
        return {"stdout": self._session.debug.text(), "stderr": self._session.stderr.text()}

    def close(self) -> None:
        self._globaldata = self._session.globaldata
        self._session.close()


def read_debug(debug: Any) -> Any:
    """``debug`` as a note: a text, an object with the fields of a note, or any other JSON as
    text."""
    if debug is None or isinstance(debug, str):
        return debug
    if isinstance(debug, dict) and debug and all(key in FIELDS for key in debug):
        return debug
    return msgspec.json.encode(debug).decode()
