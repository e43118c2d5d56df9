"""The table of Saiblo games: a judger plays the bout, and what it hears becomes a Ludus record.

Programs sit at it as they are. Any other player (a person on the page, a bot in this process) has a
thread of its own that waits for its answers, and the judger's loop is woken when there is one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from queue import SimpleQueue

import ludus
from ludus.bots.bot_seed import SEED_VARIABLE
from ludus.bots.players.base import MoveAnswer, Player, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.foreign import ForeignPlayer
from ludus.bots.players.opening import OpeningPlayer
from ludus.compat.saiblo.command import LogicWorkspace
from ludus.compat.saiblo.game import SaibloGame, SaibloOptions
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import JudgedMatch, JudgerSettings
from ludus.compat.saiblo.position import (
    Event,
    SaibloPosition,
    decode_message,
    ends_step,
    make_event,
    write_step,
)
from ludus.compat.saiblo.protocol import TO_JUDGER, AiErrorKind, decode_error
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.seat import PERSON, JudgerSeat, SeatObserver, start_ai_seat
from ludus.errors import LudusError
from ludus.games.base import Clock, ClockView, IllegalMove, Outcome
from ludus.games.host import Ply
from ludus.match.record import Record, RecordedBot, Times
from ludus.match.referee import (
    BoutEnded,
    BoutObserver,
    BoutStarted,
    MovesPlayed,
    derive_random_seeds,
)
from ludus.sandbox.fault import BotFault, FaultKind, PlatformFault

REPLAY_NAME = "replay"


def play(
    game: SaibloGame,
    options: SaibloOptions,
    seed: int,
    players: Sequence[Player],
    clock: Clock | None = None,
    *,
    time0: Sequence[float] | None = None,
    watch: BoutObserver | None = None,
    position: SaibloPosition | None = None,
    random_seeds: Sequence[str] | None = None,
) -> Record:
    """Play one bout of a Saiblo game, as ``ludus.match.referee.play`` does of other games.

    ``time0`` is of no use here: the logic gives every round its time.
    """
    if len(players) != len(game.seats):
        raise ValueError(f"{game.name} has {len(game.seats)} seats, got {len(players)} players")
    seated = [_unwrap_player(player) for player in players]
    clock = clock or game.clock
    position = position or game.start(options, seed)
    random_seeds = random_seeds or derive_random_seeds(seed, len(players))
    bout = JudgedBout(game, options, seed, seated, clock, watch, position, random_seeds)
    return bout.play(game.judger_settings(options, seed, clock))


def _unwrap_player(player: Player) -> Player:
    """A player whose first moves are given cannot play: the logic would have to be told them."""
    if isinstance(player, OpeningPlayer):
        if player.plies:
            raise LudusError(
                "a Saiblo game cannot be played on from the middle of a bout",
                "Saiblo 游戏不能从对局中途继续",
            )
        return player.player
    return player


class JudgedBout:
    """One bout under way."""

    def __init__(
        self,
        game: SaibloGame,
        options: SaibloOptions,
        seed: int,
        players: Sequence[Player],
        clock: Clock,
        watch: BoutObserver | None,
        position: SaibloPosition,
        random_seeds: Sequence[str],
    ) -> None:
        self.random_seeds = random_seeds
        self.game, self.options, self.seed = game, options, seed
        self.players, self.clock, self.watch, self.position = players, clock, watch, position
        self.plies: list[Ply] = []
        self.moves: list[str] = []
        self.spent: list[TimeSpent] = []
        self.began = datetime.now().astimezone().isoformat(timespec="seconds")
        self.load = [round(os.getloadavg()[0], 2)]
        self._events: list[Event] = []
        self._step_began = time.monotonic()
        self._init_sent = False

    def play(self, terms: JudgerSettings) -> Record:
        """The logic is confined as the players are."""
        level = next((p.level for p in self.players if isinstance(p, ForeignPlayer)), terms.level)
        terms = dataclasses.replace(terms, level=level)
        if self.watch is not None:
            self.watch(self._make_started(), self.position)
        with contextlib.ExitStack() as stack:
            loop = stack.enter_context(contextlib.closing(Loop()))
            seats: list[JudgerSeat] = []
            for number, player in enumerate(self.players):
                seat = self._make_seat(loop, number, player, terms)
                stack.callback(seat.close)
                seats.append(seat)
            report = self._judge(loop, seats, terms)
        record = self._build_record(report)
        if self.watch is not None:
            self.watch(BoutEnded(record), self.position)
        return record

    def _make_seat(
        self, loop: Loop, number: int, player: Player, terms: JudgerSettings
    ) -> JudgerSeat:
        if isinstance(player, ForeignPlayer):
            limits = player.limits or terms.ai_limits
            env = {**player.program.env, SEED_VARIABLE: self.random_seeds[number]}
            program = dataclasses.replace(player.program, env=env)
            return start_ai_seat(loop, program, limits, player.level, terms.version)
        budget, random_seed = self.clock.budget, self.random_seeds[number]
        bout = SeatBout(self.game, self.options, self.seed, number, self.clock, budget, random_seed)
        return PlayerSeat(loop, player, bout, self)

    def _judge(
        self, loop: Loop, seats: Sequence[JudgerSeat], terms: JudgerSettings
    ) -> JudgerReport:
        judger = JudgedMatch(loop, seats, terms, tap=self._on_message)
        workplace = LogicWorkspace(
            REPLAY_NAME, terms.jail_level, as_given=terms.version.config == "text"
        )
        with contextlib.closing(workplace):
            logic = workplace.prepare_logic(
                self.game.logic_program(terms.logic_limits, terms.level)
            )
            report = judger.run(logic, workplace.replay_path)
        for player, seat in zip(self.players, report.seats, strict=True):
            if isinstance(player, ForeignPlayer):
                player.stderr = seat.stderr
        if not report.ended or self.position.outcome is None:
            why = report.why["en"] if not report.ended else "its end_info is of no use"
            said = report.logic_stderr[-1000:].strip()
            raise PlatformFault(f"the logic of {self.game.name} failed: {why}\n{said}".strip())
        return report

    # What is said becomes steps

    def _on_message(self, direction: str, body: bytes, target: int = TO_JUDGER) -> None:
        if direction == "J>L":
            if self._init_sent:
                self._events.append(["J", body.decode()])
            self._init_sent = True
        elif direction == "L>J":
            self._events.append(make_event(target, body))
            if target == TO_JUDGER and ends_step(
                decode_message(self.game, body), len(self.game.seats)
            ):
                self._finish_step()

    def _finish_step(self) -> None:
        """The logic has had its say: everything since the last question is one step."""
        movers = self.position.to_move
        ply = write_step(movers, self._events)
        took = time.monotonic() - self._step_began
        self._events, self._step_began = [], time.monotonic()
        try:
            self.position.play(ply)
        except IllegalMove as error:  # an end_info without scores, say
            raise decode_error(error.why["en"], error.why["zh"]) from None
        self.plies.append(ply)
        spent = {seat: TimeSpent(0.0, took if self.moves else 0.0) for seat in movers}
        self.moves += ply.values()
        self.spent += spent.values()
        if self.watch is not None:
            self.watch(MovesPlayed(dict(ply), spent), self.position)

    # What is kept

    def _make_started(self) -> BoutStarted:
        return BoutStarted(
            self.game.name,
            self.game.version,
            self.options.as_json(),
            self.seed,
            self._entrants(),
            self.clock,
            [0.0] * len(self.players),
            self.began,
        )

    def _entrants(self) -> list[RecordedBot]:
        return [RecordedBot(p.name, p.digest, p.isolation) for p in self.players]

    def _build_record(self, report: JudgerReport) -> Record:
        outcome = self.position.outcome
        assert outcome is not None
        return Record(
            game=self.game.name,
            version=self.game.version,
            options=self.options.as_json(),
            seed=self.seed,
            bots=self._entrants(),
            clock=self.clock,
            time0=[0.0] * len(self.players),
            engine=f"ludus {ludus.__version__}, logic {self.game.digest[:16]}",
            moves=self.moves,
            scores=list(outcome.scores),
            reason=outcome.reason,
            detail=dict(outcome.detail),
            faults=[],
            digest=self.position.digest(),
            times=Times(
                began=self.began,
                cpu=[0] * len(self.moves),
                wall=[round(spent.wall * 1000) for spent in self.spent],
                used=[[seat.cpu, report.seconds] for seat in report.seats],
                load=[*self.load, round(os.getloadavg()[0], 2)],
            ),
        ).with_checksum()


class PlayerSeat(JudgerSeat):
    """Any Ludus player at a judger's table."""

    kind = PERSON
    wants_listen_notice = True

    def __init__(self, loop: Loop, player: Player, bout: SeatBout, table: JudgedBout) -> None:
        self._loop, self._player, self._bout, self._table = loop, player, bout, table
        self._plies_seen = 0
        self._asking = self._again = False
        self._questions: SimpleQueue[tuple[Sequence[Ply], TimeLimit] | Outcome | None] = (
            SimpleQueue()
        )
        self._answers: SimpleQueue[MoveAnswer | BaseException] = SimpleQueue()
        self._wakeup_read_fd, self._wakeup_write_fd = os.pipe()
        os.set_blocking(self._wakeup_read_fd, False)
        loop.watch(self._wakeup_read_fd, self._on_wakeup)
        self._thread = threading.Thread(target=self._run_player, daemon=True)

    def join(self, number: int, judge: SeatObserver) -> None:
        super().join(number, judge)
        self._thread.start()

    def on_listened(self, seconds: float) -> None:
        if self._asking:
            self._again = True
            return
        self._asking = True
        plies, self._plies_seen = self._table.plies[self._plies_seen :], len(self._table.plies)
        self._questions.put((plies, TimeLimit(seconds, "wall", seconds)))

    def _run_player(self) -> None:
        """In the seat's own thread."""
        player, budget = self._player, self._bout.budget
        seats = len(self._bout.game.seats)
        try:
            player.start(self._bout, TimeLimit(budget, "wall", budget))
            while question := self._questions.get():
                if isinstance(question, Outcome):
                    player.end([], question, TimeLimit(1.0, "wall", 1.0))
                    return
                plies, limit = question
                left = (limit.seconds,) * seats  # the logic gives each round its time
                clock = ClockView(left, self._bout.seat, limit.seconds)
                try:
                    self._put_answer(player.turn(plies, clock, limit))
                except BotFault as fault:
                    self._put_answer(fault)
        except BaseException as error:
            self._put_answer(error)

    def _put_answer(self, answer: MoveAnswer | BaseException) -> None:
        self._answers.put(answer)
        with contextlib.suppress(OSError):
            os.write(self._wakeup_write_fd, b"!")

    def _on_wakeup(self, events: int) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wakeup_read_fd, 1)
        answer = self._answers.get()
        again, self._asking, self._again = self._again, False, False
        if isinstance(answer, MoveAnswer):
            if self.observer is not None:
                self.observer.on_answer(self.number, answer.move.encode())
        elif isinstance(answer, BotFault):
            self._fail(answer)
        else:
            raise answer
        if again and isinstance(answer, BotFault) and answer.kind is FaultKind.TIMEOUT:
            self.on_listened(self._bout.clock.per_move or self._bout.budget)

    def _fail(self, fault: BotFault) -> None:
        """Time is the judger's business; everything else the logic is told."""
        if fault.kind is not FaultKind.TIMEOUT and self.observer is not None:
            self.observer.on_error(self.number, AiErrorKind.RUN)

    def shut_down(self) -> None:
        outcome = self._table.position.outcome
        self._questions.put(outcome)
        if self._asking and (leave := getattr(self._player, "leave", None)):
            leave()

    def close(self) -> None:
        if self._wakeup_read_fd < 0:
            return
        self._questions.put(None)
        self._loop.unwatch(self._wakeup_read_fd)
        for fd in (self._wakeup_read_fd, self._wakeup_write_fd):
            os.close(fd)
        self._wakeup_read_fd = self._wakeup_write_fd = -1
