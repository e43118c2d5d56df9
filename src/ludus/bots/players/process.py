"""Bots in processes of their own, over protocol ludus/1.

One process per bot per match, kept for all its bouts and replaced after a fault; ``bot_process``
has its pipes and its clocks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from msgspec import UNSET

from ludus import sandbox
from ludus.bots import protocol
from ludus.bots.notes import NoteBook, decode_note
from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.bot_process import (
    END_TIMEOUT_S,
    KEPT_OUTPUT_BYTES,
    BotProcess,
    OutputTail,
)
from ludus.bots.players.interrupt import Interrupt
from ludus.errors import PlatformFault
from ludus.escape import escape_to_one_line, truncate
from ludus.games.base import ClockView, Game, Outcome, Position
from ludus.games.host import Ply
from ludus.sandbox import UNJAILED, Limits, Program
from ludus.sandbox.bot_fault import BotFault, FaultCause, FaultKind

LOADING_LIMIT = TimeLimit(seconds=30.0, measure="cpu", asleep=60.0)
"""The limit for starting the process and loading the bot; the bot's clock does not run then."""
KEPT_SENTENCE_CHARS = 1000
"""Characters kept of a bot's own error message."""
CLAIMABLE_FAULTS = {FaultKind.CRASH, FaultKind.MEMORY}
"""The fault kinds that a bot may report itself: those that only its own runtime can see. All others
are decided by the referee, who sees the move, the clock and the pipe; otherwise a bot could put
false facts into a record. LOAD is not among them, because a bot that plays has loaded, and a false
report could end the whole match."""
KNOWN_CAUSES = frozenset(cause.value for cause in FaultCause)


class ProcessPlayer:
    """A bot in a process: a Python file under our runner, or any program that uses ludus/1."""

    def __init__(
        self,
        name: str,
        program: Program,
        *,
        digest: str = "",
        limits: Limits | None = None,
        jail: str | None = None,
        unjailed: bool = False,
        interrupt: Interrupt | None = None,
    ) -> None:
        """An ``unjailed`` program runs without a jail, with everything that its user may do.

        While ``interrupt`` is set, every call raises ``BoutAborted`` instead of waiting.
        """
        self.name = name
        self.digest = digest
        self._program = program
        self._limits = limits or Limits()
        self._level = None if unjailed else sandbox.choose_level(jail)
        self.isolation = UNJAILED if self._level is None else self._level.value
        self._interrupt = interrupt
        self._process: BotProcess[protocol.Reply] | None = None
        self._bout: SeatBout | None = None
        self._stdout, self._stderr = OutputTail(), OutputTail()
        self.notes = NoteBook()
        self._n = 0
        self._want: list[str] = []
        self._replica: Position | None = None

    @property
    def pid(self) -> int | None:
        """The process id in this process's namespace, while it runs."""
        return self._process.pid if self._process is not None else None

    def load(self, game: Game) -> None:
        """Start the process and load the bot, unless that is done already."""
        self._ensure_process(game)

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self._bout = bout
        self._n = 0
        self.notes.begin_bout(bout)
        self._stdout, self._stderr = OutputTail(), OutputTail()
        child = self._ensure_process(bout.game)
        child.stdout, child.stderr = self._stdout, self._stderr
        child.sleep_meter.begin_bout()
        options = bout.options.as_json()
        start = protocol.StartRequest(bout.seat, bout.seed, options, bout.budget, bout.random_seed)
        reply = self._call(start, limit)
        self._check_reply(reply, protocol.ReadyReply)
        self._replica = bout.game.start(bout.options, bout.seed) if self._want else None
        return child.spent

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        self._n += 1
        self.notes.follow(len(plies))
        request = protocol.TurnRequest(self._n, plies, clock.left, clock.limit)
        if self._replica is not None:
            self._add_legal_and_view(request, plies, self._replica, clock.seat)
        reply = self._call(request, limit)
        if type(reply) is not protocol.MoveReply or reply.n != self._n:
            self._check_reply(reply, protocol.MoveReply)
            raise self._discard_process(
                BotFault(
                    FaultKind.OUTPUT,
                    f"it answered turn {getattr(reply, 'n', '?')} when asked for turn {self._n}",
                    f"问的是第 {self._n} 次，它回答的是第 {getattr(reply, 'n', '?')} 次",
                )
            )
        if reply.note is not UNSET:
            self.notes.add(decode_note(reply.note))
        assert self._process is not None
        spent = self._process.spent
        return MoveAnswer(spent.cpu, spent.wall, reply.move)

    def _add_legal_and_view(
        self, request: protocol.TurnRequest, plies: Sequence[Ply], replica: Position, seat: int
    ) -> None:
        """Add the legal moves and the view, for programs that do not know the rules."""
        for ply in plies:
            replica.play(ply)
        if "legal" in self._want:
            request.legal = replica.legal(seat)
        if "view" in self._want:
            request.view = replica.view(seat)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        child = self._process
        if child is None:
            return TimeSpent(0.0, 0.0)
        request = protocol.EndRequest(plies, outcome.scores, outcome.reason, outcome.detail)
        limit = TimeLimit(
            max(limit.seconds, END_TIMEOUT_S), limit.measure, max(limit.asleep, END_TIMEOUT_S)
        )
        with contextlib.suppress(BotFault):
            self._check_reply(self._call(request, limit), protocol.ReadyReply)
        return child.spent

    def output(self) -> dict[str, str]:
        if self._process is not None:
            self._process.drain_output()
        return {"stdout": self._stdout.text(), "stderr": self._stderr.text()}

    def close(self) -> None:
        if self._process is not None:
            self._process.shut_down()
            self._process.kill()
            self._process = None

    def _ensure_process(self, game: Game) -> BotProcess[protocol.Reply]:
        if self._process is None:
            self._process = BotProcess(
                self._program,
                self._limits,
                self._level,
                game.name,
                protocol.ReplyReader(),
                self._interrupt,
            )
            self._process.stdout, self._process.stderr = self._stdout, self._stderr
            hello = self._call_while_loading(protocol.Hello(protocol.PROTOCOL_NAME), protocol.Hello)
            assert isinstance(hello, protocol.Hello)
            self._want = hello.want
            if unknown := [each for each in hello.want if each not in protocol.OFFERED]:
                raise self._discard_process(_unknown_want_fault(unknown))
            match = protocol.MatchBeginRequest(game.name, game.version, game.seat_keys)
            self._call_while_loading(match, protocol.ReadyReply)
        return self._process

    def _call_while_loading(self, request: protocol.Request, wanted: type) -> protocol.Reply:
        """A call before the first bout: every fault except MEMORY counts as LOAD."""
        try:
            reply = self._call(request, LOADING_LIMIT)
            self._check_reply(reply, wanted)
            return reply
        except BotFault as fault:
            if fault.kind is not FaultKind.MEMORY:
                fault.kind = FaultKind.LOAD
            raise

    def _call(self, request: protocol.Request, limit: TimeLimit) -> protocol.Reply:
        if self._process is None:
            raise PlatformFault(f"{self.name} was called before it was started")
        try:
            return self._process.call(protocol.pack_frame(request), limit)
        except BotFault as fault:
            raise self._discard_process(fault) from None

    def _check_reply(self, reply: protocol.Reply, wanted: type) -> None:
        if isinstance(reply, wanted):
            return
        if isinstance(reply, protocol.ErrorReply):
            kind = FaultKind(reply.kind) if reply.kind in CLAIMABLE_FAULTS else FaultKind.CRASH
            en, zh, message = (
                escape_to_one_line(truncate(text, KEPT_SENTENCE_CHARS))
                for text in (reply.en, reply.zh, reply.message)
            )
            cause = FaultCause(reply.cause) if reply.cause in KNOWN_CAUSES else None
            trace = reply.trace[-KEPT_OUTPUT_BYTES:]
            raise self._discard_process(
                BotFault(kind, en, zh, trace=trace, cause=cause, message=message)
            )
        answered = type(reply).__name__.lower()
        name = wanted.__name__.lower()
        raise self._discard_process(
            BotFault(
                FaultKind.OUTPUT,
                f"it answered {answered!r} where {name!r} was expected",
                f"应回答 {name!r}，它回答了 {answered!r}",
            )
        )

    def _discard_process(self, fault: BotFault) -> BotFault:
        """End the process after a fault, so that the next bout gets a new one."""
        child, self._process = self._process, None
        if child is not None:
            fault.cpu, fault.wall = child.spent.cpu, child.spent.wall
            child.kill()
            fault.trace = child.replace_outside_paths(fault.trace or self._stderr.text()[-2000:])
        return fault


def _unknown_want_fault(unknown: list[str]) -> BotFault:
    shown = ", ".join(repr(escape_to_one_line(each)) for each in unknown)
    offered = ", ".join(protocol.OFFERED)
    return BotFault(
        FaultKind.LOAD,
        f"it wants {shown}, but a turn can have only: {offered}",
        f"它想要 {shown}，而每步可附带的只有：{offered}",
    )
