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
from ludus.bots.players.base import Answer, Bout, Limit, Player, Spent
from ludus.bots.players.foreign import ProgramPlayer
from ludus.bots.players.opening import Opening
from ludus.compat.saiblo.command import Workplace
from ludus.compat.saiblo.game import SaibloGame, SaibloOptions
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.match import Judger, Terms
from ludus.compat.saiblo.position import (
    Event,
    SaibloPosition,
    event_of,
    message_of,
    turns,
    write_step,
)
from ludus.compat.saiblo.protocol import TO_JUDGER, Trouble, undecodable
from ludus.compat.saiblo.report import Report
from ludus.compat.saiblo.seat import PERSON, Judge, Seat, seat_program
from ludus.errors import LudusError
from ludus.games.base import Clock, ClockView, IllegalMove, Outcome
from ludus.games.host import Ply
from ludus.match.record import Entrant, Record, Times
from ludus.match.referee import Ended, Moved, Started, Watch, own_random_seeds
from ludus.sandbox.fault import Fault, Kind, PlatformFault

REPLAY = "replay"


def play(
    game: SaibloGame,
    options: SaibloOptions,
    seed: int,
    players: Sequence[Player],
    clock: Clock | None = None,
    *,
    time0: Sequence[float] | None = None,
    watch: Watch | None = None,
    position: SaibloPosition | None = None,
    random_seeds: Sequence[str] | None = None,
) -> Record:
    """Play one bout of a Saiblo game, as ``ludus.match.referee.play`` does of other games.

    ``time0`` is of no use here: the logic gives every round its time.
    """
    if len(players) != len(game.seats):
        raise ValueError(f"{game.name} has {len(game.seats)} seats, got {len(players)} players")
    seated = [_unwrapped(player) for player in players]
    clock = clock or game.clock
    position = position or game.start(options, seed)
    random_seeds = random_seeds or own_random_seeds(seed, len(players))
    bout = JudgedBout(game, options, seed, seated, clock, watch, position, random_seeds)
    return bout.play(game.terms(options, seed, clock))


def _unwrapped(player: Player) -> Player:
    """A player whose first moves are given cannot play: the logic would have to be told them."""
    if isinstance(player, Opening):
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
        watch: Watch | None,
        position: SaibloPosition,
        random_seeds: Sequence[str],
    ) -> None:
        self.random_seeds = random_seeds
        self.game, self.options, self.seed = game, options, seed
        self.players, self.clock, self.watch, self.position = players, clock, watch, position
        self.plies: list[Ply] = []
        self.moves: list[str] = []
        self.spent: list[Spent] = []
        self.began = datetime.now().astimezone().isoformat(timespec="seconds")
        self.load = [round(os.getloadavg()[0], 2)]
        self._events: list[Event] = []
        self._step_began = time.monotonic()
        self._greeted = False

    def play(self, terms: Terms) -> Record:
        """The logic is confined as the players are."""
        level = next((p.level for p in self.players if isinstance(p, ProgramPlayer)), terms.level)
        terms = dataclasses.replace(terms, level=level)
        if self.watch is not None:
            self.watch(self._started(), self.position)
        with contextlib.ExitStack() as stack:
            loop = stack.enter_context(contextlib.closing(Loop()))
            seats: list[Seat] = []
            for number, player in enumerate(self.players):
                seat = self._seat(loop, number, player, terms)
                stack.callback(seat.close)
                seats.append(seat)
            report = self._judge(loop, seats, terms)
        record = self._record(report)
        if self.watch is not None:
            self.watch(Ended(record), self.position)
        return record

    def _seat(self, loop: Loop, number: int, player: Player, terms: Terms) -> Seat:
        if isinstance(player, ProgramPlayer):
            limits = player.limits or terms.ai_limits
            env = {**player.program.env, SEED_VARIABLE: self.random_seeds[number]}
            program = dataclasses.replace(player.program, env=env)
            return seat_program(loop, program, limits, player.level, terms.version)
        budget, random_seed = self.clock.budget, self.random_seeds[number]
        bout = Bout(self.game, self.options, self.seed, number, self.clock, budget, random_seed)
        return PlayerSeat(loop, player, bout, self)

    def _judge(self, loop: Loop, seats: Sequence[Seat], terms: Terms) -> Report:
        judger = Judger(loop, seats, terms, tap=self._hear)
        workplace = Workplace(REPLAY, terms.jail, as_given=terms.version.config == "text")
        with contextlib.closing(workplace):
            logic = workplace.logic(self.game.logic(terms.logic_limits, terms.level))
            report = judger.run(logic, workplace.told)
        for player, seat in zip(self.players, report.seats, strict=True):
            if isinstance(player, ProgramPlayer):
                player.stderr = seat.stderr
        if not report.ended or self.position.outcome is None:
            why = report.why["en"] if not report.ended else "its end_info is of no use"
            said = report.logic_stderr[-1000:].strip()
            raise PlatformFault(f"the logic of {self.game.name} failed: {why}\n{said}".strip())
        return report

    # What is said becomes steps

    def _hear(self, direction: str, body: bytes, target: int = TO_JUDGER) -> None:
        if direction == "J>L":
            if self._greeted:
                self._events.append(["J", body.decode()])
            self._greeted = True
        elif direction == "L>J":
            self._events.append(event_of(target, body))
            if target == TO_JUDGER and turns(message_of(self.game, body), len(self.game.seats)):
                self._step()

    def _step(self) -> None:
        """The logic has had its say: everything since the last question is one step."""
        movers = self.position.to_move
        ply = write_step(movers, self._events)
        took = time.monotonic() - self._step_began
        self._events, self._step_began = [], time.monotonic()
        try:
            self.position.play(ply)
        except IllegalMove as error:  # an end_info without scores, say
            raise undecodable(error.why["en"], error.why["zh"]) from None
        self.plies.append(ply)
        spent = {seat: Spent(0.0, took if self.moves else 0.0) for seat in movers}
        self.moves += ply.values()
        self.spent += spent.values()
        if self.watch is not None:
            self.watch(Moved(dict(ply), spent), self.position)

    # What is kept

    def _started(self) -> Started:
        return Started(
            self.game.name,
            self.game.version,
            self.options.as_json(),
            self.seed,
            self._entrants(),
            self.clock,
            [0.0] * len(self.players),
            self.began,
        )

    def _entrants(self) -> list[Entrant]:
        return [Entrant(p.name, p.digest, p.isolation) for p in self.players]

    def _record(self, report: Report) -> Record:
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
        ).sealed()


class PlayerSeat(Seat):
    """Any Ludus player at a judger's table."""

    kind = PERSON
    curious = True

    def __init__(self, loop: Loop, player: Player, bout: Bout, table: JudgedBout) -> None:
        self._loop, self._player, self._bout, self._table = loop, player, bout, table
        self._seen = 0
        self._asking = self._again = False
        self._questions: SimpleQueue[tuple[Sequence[Ply], Limit] | Outcome | None] = SimpleQueue()
        self._answers: SimpleQueue[Answer | BaseException] = SimpleQueue()
        self._bell, self._ring = os.pipe()
        os.set_blocking(self._bell, False)
        loop.watch(self._bell, self._on_bell)
        self._thread = threading.Thread(target=self._wait_for_answers, daemon=True)

    def join(self, number: int, judge: Judge) -> None:
        super().join(number, judge)
        self._thread.start()

    def listened(self, seconds: float) -> None:
        if self._asking:
            self._again = True
            return
        self._asking = True
        plies, self._seen = self._table.plies[self._seen :], len(self._table.plies)
        self._questions.put((plies, Limit(seconds, "wall", seconds)))

    def _wait_for_answers(self) -> None:
        """In the seat's own thread."""
        player, budget = self._player, self._bout.budget
        seats = len(self._bout.game.seats)
        try:
            player.start(self._bout, Limit(budget, "wall", budget))
            while question := self._questions.get():
                if isinstance(question, Outcome):
                    player.end([], question, Limit(1.0, "wall", 1.0))
                    return
                plies, limit = question
                left = (limit.seconds,) * seats  # the logic gives each round its time
                clock = ClockView(left, self._bout.seat, limit.seconds)
                try:
                    self._give(player.turn(plies, clock, limit))
                except Fault as fault:
                    self._give(fault)
        except BaseException as error:
            self._give(error)

    def _give(self, answer: Answer | BaseException) -> None:
        self._answers.put(answer)
        with contextlib.suppress(OSError):
            os.write(self._ring, b"!")

    def _on_bell(self, events: int) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._bell, 1)
        answer = self._answers.get()
        again, self._asking, self._again = self._again, False, False
        if isinstance(answer, Answer):
            if self.judge is not None:
                self.judge.answered(self.number, answer.move.encode())
        elif isinstance(answer, Fault):
            self._fail(answer)
        else:
            raise answer
        if again and isinstance(answer, Fault) and answer.kind is Kind.TIMEOUT:
            self.listened(self._bout.clock.per_move or self._bout.budget)

    def _fail(self, fault: Fault) -> None:
        """Time is the judger's business; everything else the logic is told."""
        if fault.kind is not Kind.TIMEOUT and self.judge is not None:
            self.judge.troubled(self.number, Trouble.RUN)

    def dismiss(self) -> None:
        outcome = self._table.position.outcome
        self._questions.put(outcome)
        if self._asking and (leave := getattr(self._player, "leave", None)):
            leave()

    def close(self) -> None:
        if self._bell < 0:
            return
        self._questions.put(None)
        self._loop.forget(self._bell)
        for fd in (self._bell, self._ring):
            os.close(fd)
        self._bell = self._ring = -1
