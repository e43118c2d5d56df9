"""A room that plays its own bout, with people and bots on its seats.

The bout runs in a thread, in which the referee waits for people as for any player.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

from ludus.bots.notes import pack_player_notes
from ludus.bots.players.base import Player
from ludus.bots.players.create import create_player
from ludus.bots.players.human import BoutAborted, HumanPlayer, MoveQuestion
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.players.opening import OpeningPlayer
from ludus.errors import LudusError
from ludus.games.base import Position
from ludus.games.host import Ply
from ludus.games.rules_failure import RulesFailure, explain_rules_failure
from ludus.match.record import Record
from ludus.match.referee import BoutEvent, MovesPlayed, play
from ludus.server.error_schema import ErrorDetail
from ludus.server.live.bout_reporter import BeginKind, LiveBoutReporter
from ludus.server.live.film_schemas import GameTitle
from ludus.server.live.live_bouts import Watcher
from ludus.server.live.messages import (
    ClientMessage,
    ErrorMessage,
    PauseMessage,
    PreviewMessage,
    ProposalKind,
    ProposalMessage,
    RematchMessage,
    SavedMessage,
    SeatPresence,
    encode_message,
)
from ludus.server.rooms.previews import can_preview, preview_moves
from ludus.server.rooms.rematch import Proposal
from ludus.server.rooms.room import HumanSeat, PostToLoop, Room, send_error
from ludus.server.rooms.room_plan import RoomPlan, SeatPlan
from ludus.server.rooms.room_schemas import RoomInfo, RoomState
from ludus.server.web.errors import Conflict
from ludus.server.web.traffic_limits import TrafficCaller

log = logging.getLogger(__name__)

EMPTY_ROOM_TIMEOUT_S = 1800.0
"""Seconds after which a room that everybody has left is closed: people come back to a bout that
they have begun."""
UNVISITED_ROOM_TIMEOUT_S = 60.0
"""Seconds after which a room that nobody ever visited is closed."""
FINISHED_ROOM_TIMEOUT_S = 60.0
"""Seconds after which an empty room with a finished bout is closed."""

SaveRecord = Callable[[Record, None, Sequence[str], Sequence[int | None]], str | None]
"""Saves a record with the notes and the ids of its bots, and gives its id."""
StartRematch = Callable[["PlayedRoom", Proposal, Watcher], None]
"""Opens the room of a rematch, or tells the watcher why that is not possible."""


class PlayedRoom(Room):
    """A room that plays its own bout in a thread."""

    def __init__(
        self,
        id: str,
        plan: RoomPlan,
        post: PostToLoop,
        save: SaveRecord,
        owner: TrafficCaller,
        start_rematch: StartRematch,
    ) -> None:
        super().__init__(id, post)
        self.plan, self._save, self.owner = plan, save, owner
        self._start_rematch = start_rematch
        self.proposal: Proposal | None = None
        """What somebody has asked the others, and they have not answered yet."""
        self.rematch_id = ""
        """The room of the rematch, once there is one."""
        self.saved_film: str | None = None
        """The record of the last bout, once it is saved."""
        self.was_abandoned = False
        """Whether it was closed before its bout had ended."""
        self._failure = ""
        """Why the bout cannot go on, as a message; empty while it can."""
        self._last_step_at = 0.0
        self.live_bout.deserted_at = time.monotonic()
        self.practice, self.live_bout.timed = plan.practice, plan.clock is not None
        self._interrupt = Interrupt()
        self.players: list[Player] = [
            self._create_player(n, seat) for n, seat in enumerate(plan.seats)
        ]
        self._paused = False
        self._unpaused = threading.Event()
        self._unpaused.set()
        self._played_plies: list[Ply] = []
        """The steps of this bout that have been shown."""
        self._restart_requested = threading.Condition()
        self._restart_requests: list[Sequence[Ply] | None] = []
        """What to play next: the bout from these moves on, or (None) nothing more."""
        self._bout_cancelled = False
        self._thread = threading.Thread(target=self._run, name=id, daemon=True)

    def _create_player(self, number: int, seat: SeatPlan) -> Player:
        if seat.bot is None:
            human = HumanPlayer(seat.name, self.ask, self.explain)
            self.human_seats[number] = HumanSeat(
                number, human, kind=seat.kind, open=seat.kind == "open"
            )
            return human
        return create_player(seat.bot, self.plan.game, isolate=True, interrupt=self._interrupt)

    # In the room's own thread

    def ask(self, question: MoveQuestion) -> None:
        super().ask(question)
        known, text = self.previews.get(question.seat, (None, ""))
        if self.human_seats[question.seat].kind == "remote" or known is question:
            return
        if can_preview(self.plan.game, question):
            steps = preview_moves(self.plan.game, question)
            text = encode_message(PreviewMessage(question.number, steps))
            self._post(self._store_previews, question, text)

    def _run(self) -> None:
        opening: Sequence[Ply] | None = self.plan.opening
        kind: BeginKind = "film"
        while opening is not None:
            try:
                self._play_bout(opening, kind)
            except BoutAborted:
                pass
            except Exception as error:
                self._post(self._note_failure, self._describe_error(error))
            kind = "restart"
            opening = self._wait_for_restart()
        for player in self.players:
            player.close()
        self._interrupt.close()

    def _wait_for_restart(self) -> Sequence[Ply] | None:
        with self._restart_requested:
            while not self._restart_requests:
                self._restart_requested.wait()
            wish = None if None in self._restart_requests else self._restart_requests[-1]
            self._restart_requests.clear()
            self._bout_cancelled = False
            self._interrupt.clear()
            return wish

    def _play_bout(self, opening: Sequence[Ply], kind: BeginKind) -> None:
        plan = self.plan
        report = LiveBoutReporter(self.live_bout, self._post, skip=len(opening), kind=kind)
        players = [OpeningPlayer(player, opening) for player in self.players]
        self._post(self._played_plies.clear)
        self._last_step_at = time.monotonic()

        def watch(event: BoutEvent, position: Position) -> None:
            if self._bout_cancelled:
                raise BoutAborted
            if isinstance(event, MovesPlayed):
                if report.step_count >= len(opening):
                    self._hold_back(event.moves)
                self._post(self._note_step, event.moves)
            report(event, position)
            if report.step_count >= len(opening):
                self._unpaused.wait()

        try:
            record = play(plan.game, plan.options, plan.seed, players, plan.clock, watch=watch)
        except BaseException:
            for player in self.players:
                player.close()
            raise
        self._post(self.pending_questions.clear)
        notes = [pack_player_notes(player) for player in self.players]
        if name := self._save(record, None, notes, [seat.bot_id for seat in plan.seats]):
            self._post(self._note_saved, name)

    def _hold_back(self, moves: Ply) -> None:
        """Wait until a bot's step may be shown."""
        if not self.human_seats.keys() & moves.keys():
            wait = self._last_step_at + self.plan.delay - time.monotonic()
            with self._restart_requested:
                self._restart_requested.wait_for(lambda: self._bout_cancelled, max(wait, 0.0))
        self._last_step_at = time.monotonic()

    # In the event loop

    def _note_step(self, moves: Ply) -> None:
        self._played_plies.append(moves)
        if self.proposal is not None and self.proposal.kind != "rematch":
            self._end_proposal()

    def _note_saved(self, film: str) -> None:
        self.saved_film = film
        self.live_bout.broadcast(encode_message(SavedMessage(film)))

    def _note_failure(self, error: ErrorDetail) -> None:
        self.pending_questions.clear()
        self._failure = encode_message(ErrorMessage(error, stopped=True))
        self.live_bout.broadcast(self._failure)

    def start_if_full(self) -> None:
        """Start the bout, unless open seats are left."""
        if not any(human_seat.open for human_seat in self.human_seats.values()):
            self._thread.start()

    def take_seat(self, name: str) -> HumanSeat:
        """Take an open seat."""
        free = next(
            (human_seat for human_seat in self.human_seats.values() if human_seat.open), None
        )
        if free is None:
            raise LudusError("no seat is free here", "没有空座位")
        free.open, free.player.name = False, name
        self._broadcast_presence()
        self.start_if_full()
        return free

    @property
    def state(self) -> RoomState:
        if self.live_bout.ended_at is not None:
            return "over"
        if not self._thread.ident:
            return "waiting"
        return "left" if self.live_bout.is_deserted else "playing"

    def describe(self) -> RoomInfo:
        """A summary for the list of rooms."""
        seats = []
        for number, seat in enumerate(self.plan.seats):
            human_seat = self.human_seats.get(number)
            seats.append(
                SeatPresence(
                    seat=number,
                    kind=seat.kind,
                    name=human_seat.player.name if human_seat else seat.name,
                    open=bool(human_seat and human_seat.open),
                    connected=bool(human_seat and human_seat.watchers),
                    arrived=bool(human_seat and human_seat.arrived),
                )
            )
        return RoomInfo(
            id=self.live_bout.id,
            title=self.plan.title,
            game=GameTitle(self.plan.game.name, self.plan.game.title),
            state=self.state,
            seats=seats,
            practice=self.practice,
            watchers=len(self.live_bout.watchers),
        )

    def close(self) -> None:
        self._request_restart(None)

    def abandon(self) -> None:
        """Close the room because everybody has left. A bout in which they have moved is lost by
        whoever is asked next, and saved."""
        self.was_abandoned = self.live_bout.ended_at is None
        first = len(self.plan.opening)
        moved = any(self.human_seats.keys() & ply.keys() for ply in self._played_plies[first:])
        if not self.was_abandoned or not moved:
            self.close()
            return
        with self._restart_requested:
            self._restart_requests.append(None)
        self._set_pause(False)
        for human_seat in self.human_seats.values():
            human_seat.player.abandon()

    def join(self, seconds: float) -> None:
        if self._thread.ident:
            self._thread.join(seconds)

    def is_deserted(self, now: float) -> bool:
        patience = EMPTY_ROOM_TIMEOUT_S if self.was_visited else UNVISITED_ROOM_TIMEOUT_S
        return self.seconds_empty(now) > (
            patience if self.live_bout.ended_at is None else FINISHED_ROOM_TIMEOUT_S
        )

    def seconds_empty(self, now: float) -> float:
        """Seconds since the last person left; 0 while people are present."""
        return 0.0 if self.live_bout.watchers else now - self.emptied_at

    def restart(self, opening: Sequence[Ply]) -> None:
        """Play again from these moves on."""
        self._request_restart(list(opening))
        self._failure = ""
        self.pending_questions.clear()
        self.saved_film = None
        self._end_proposal()
        self._set_pause(False)

    def _request_restart(self, wish: Sequence[Ply] | None) -> None:
        with self._restart_requested:
            self._restart_requests.append(wish)
            self._bout_cancelled = True
            self._restart_requested.notify()
            self._interrupt.set()
        self._unpaused.set()
        super().close()

    def add_watcher(self, watcher: Watcher, human_seat: HumanSeat | None) -> None:
        super().add_watcher(watcher, human_seat)
        if self._paused:
            watcher.send(encode_message(PauseMessage(True)))
        if self.proposal is not None:
            watcher.send(encode_message(ProposalMessage(self.proposal.describe())))
        if self._failure:
            watcher.send(self._failure)
        if self.saved_film is not None:
            watcher.send(encode_message(SavedMessage(self.saved_film)))
        if self.rematch_id:
            watcher.send(encode_message(RematchMessage(self.rematch_id, earlier=True)))

    def on_move(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        if self._paused:
            send_error(watcher, Conflict("the bout is paused", "对局已暂停"))
        else:
            super().on_move(human_seat, watcher, message)

    def on_restart(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        if self._check_practice(watcher):
            self._propose("restart", human_seat, watcher)

    def on_undo(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        if not self._check_practice(watcher) or not self._check_can_rewind(watcher):
            return
        if self._find_last_move(human_seat.seat) is None:
            send_error(watcher, Conflict("there is nothing to take back", "没有可以悔的棋"))
        else:
            self._propose("undo", human_seat, watcher)

    def _find_last_move(self, seat: int) -> int | None:
        """The number of the last step that a seat made itself."""
        first = len(self.plan.opening)
        mine = [n for n, ply in enumerate(self._played_plies) if n >= first and seat in ply]
        return mine[-1] if mine else None

    def on_rematch(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        if self.live_bout.ended_at is None:
            send_error(watcher, Conflict("the bout is not over yet", "对局还没有结束"))
        elif self.rematch_id:
            watcher.send(encode_message(RematchMessage(self.rematch_id)))
        else:
            self._propose("rematch", human_seat, watcher, message.swap, message.bot[:200])

    def on_accept(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        if self._check_asked(human_seat, watcher) and self.proposal is not None:
            self.proposal.awaited.discard(human_seat.seat)
            if not self.proposal.awaited:
                self._carry_out(self.proposal, watcher)

    def on_decline(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        """Also for the person who proposed it."""
        if self.proposal is not None and self.proposal.seat == human_seat.seat:
            self._end_proposal()
        elif self._check_asked(human_seat, watcher):
            self._end_proposal(declined=True)

    def _check_asked(self, human_seat: HumanSeat, watcher: Watcher) -> bool:
        asked = self.proposal is not None and human_seat.seat in self.proposal.awaited
        if not asked:
            send_error(watcher, Conflict("you are not asked anything", "没有需要你回应的请求"))
        return asked

    def _propose(
        self,
        kind: ProposalKind,
        human_seat: HumanSeat,
        watcher: Watcher,
        swap: bool = False,
        bot: str = "",
    ) -> None:
        """Ask all other people who have been here, or do it at once if there are none. What the
        person asked for before is forgotten; while somebody else asks, nothing can be proposed."""
        if self.proposal is not None and self.proposal.seat != human_seat.seat:
            send_error(watcher, Conflict("answer the other person first", "请先回应对方的请求"))
            return
        others = {
            seat.seat
            for seat in self.human_seats.values()
            if seat.seat != human_seat.seat and seat.kind != "remote" and seat.arrived
        }
        proposal = Proposal(kind, human_seat.seat, swap, bot, others)
        if not others:
            self._carry_out(proposal, watcher)
            return
        self.proposal = proposal
        self.live_bout.broadcast(encode_message(ProposalMessage(proposal.describe())))

    def _carry_out(self, proposal: Proposal, watcher: Watcher) -> None:
        self._end_proposal()
        if proposal.kind == "rematch":
            self._start_rematch(self, proposal, watcher)
        elif proposal.kind == "restart":
            self.restart(self.plan.opening)
        elif (last := self._find_last_move(proposal.seat)) is not None:
            self.restart(self._played_plies[:last])

    def _end_proposal(self, declined: bool = False) -> None:
        if self.proposal is not None:
            self.proposal = None
            self.live_bout.broadcast(encode_message(ProposalMessage(None, declined)))

    def on_pause(self, human_seat: HumanSeat, watcher: Watcher, message: ClientMessage) -> None:
        if self._check_practice(watcher) and self._check_can_rewind(watcher):
            self._set_pause(message.on)

    def _check_practice(self, watcher: Watcher) -> bool:
        if not self.practice:
            send_error(watcher, Conflict("only in practice", "仅限练习模式"))
        return self.practice

    def _check_can_rewind(self, watcher: Watcher) -> bool:
        """Refuse pausing and taking back where the rules are an external program, which cannot do
        that."""
        if self.plan.game.turn_source:
            send_error(watcher, Conflict("this game cannot be stopped", "此游戏不能悔棋或暂停"))
        return not self.plan.game.turn_source

    def _set_pause(self, on: bool) -> None:
        if on == self._paused:
            return
        self._paused = on
        for human_seat in self.human_seats.values():
            human_seat.player.pause(on)
        if on:
            self._unpaused.clear()
        else:
            self._unpaused.set()
        self.live_bout.broadcast(encode_message(PauseMessage(on)))

    def _describe_error(self, error: Exception) -> ErrorDetail:
        id, explained = self.live_bout.id, explain_rules_failure(error, self.plan.game.name)
        if explained is not None or isinstance(error, RulesFailure):
            log.error("room %s: %s", id, explained or error, exc_info=error)
        if (told := explained or error) and isinstance(told, LudusError):
            return ErrorDetail.from_error(told)
        log.error("room %s: its bout cannot go on", id, exc_info=error)
        return ErrorDetail(
            "internal_error",
            "the bout cannot go on; the log of the server shows why",
            "对局无法继续；原因见服务器的日志",
        )
