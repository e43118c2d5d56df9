"""The original's human player: a person plays on the page.

``round_match.main(['player', ('human', -30)], MAXTIME=114514)`` opens the browser on a room. The
constructor waits until somebody is there. After an illegal move the person is asked again, with an
explanation; with the original it lost the bout.
"""

from __future__ import annotations

import atexit
import functools
import sys
from collections.abc import Sequence
from typing import Any

from ludus.bots.players.base import SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.human import HumanPlayer
from ludus.games.base import Clock, ClockView
from ludus.games.duel2048 import GAME, DuelOptions
from ludus.games.duel2048.rules import DIRECTIONS
from ludus.games.host import Ply
from ludus.lang import tr
from ludus.match.record import RecordedBot
from ludus.match.referee import BoutStarted, MovesPlayed
from ludus.server.embedded import open_browser
from ludus.server.live.bout_reporter import LiveBoutReporter
from ludus.server.live.messages import SeatMessage, encode_message
from ludus.server.page_links import page_link
from ludus.server.rooms.room import HumanSeat, Room
from ludus.server.rooms.rooms import call_in_loop
from ludus.server.serve import ThreadedServer, listen
from ludus.server.state import ServerSettings, ServerState

CLOCK = Clock(budget=1e6)
"""No limit here: the platform measures the time and ends the call."""
UNLIMITED_TURN = TimeLimit(CLOCK.budget, "cpu", CLOCK.budget)


class HumanRoom:
    """The room of this process, in which its human players take turns."""

    def __init__(self) -> None:
        self.server = ThreadedServer(ServerState(ServerSettings(demo=False)), listen())
        self.server.__enter__()
        atexit.register(self.server.__exit__)
        self.post = functools.partial(call_in_loop, self.server.loop)
        self.room = Room("human", self.post)
        self.room.live_bout.timed = False
        self.chair = HumanSeat(0, self._person())
        self.room.human_seats[0] = self.chair
        self.post(self.server.state.rooms.add, self.room)
        self.bouts = 0

    def _person(self) -> HumanPlayer:
        return HumanPlayer(tr("human", "玩家"), self.room.ask, self.room.explain)

    def seat_player(self, seat: int) -> HumanPlayer:
        """Start a player on a seat of a new bout; the person at the screen stays."""
        self.chair.player.leave()
        player = self._person()
        self.post(self._change_seat, seat, player)
        self.bouts += 1
        return player

    def _change_seat(self, seat: int, player: HumanPlayer) -> None:
        chair = self.chair
        self.room.pending_questions.clear()
        self.room.human_seats = {seat: chair}
        chair.seat, chair.player = seat, player
        for watcher in chair.watchers:
            watcher.send(encode_message(SeatMessage(seat, practice=False)))

    def wait_for_person(self) -> None:
        """Wait until somebody is at the screen."""
        if self.bouts > 1:
            return
        url = page_link("/room/:id", "human", {"token": self.chair.token}, self.server.url)
        print(tr(f"play at {url}", f"对弈地址：{url}"), file=sys.stderr, flush=True)
        open_browser(url)
        self.room.player_arrived.wait()


@functools.cache
def get_human_room() -> HumanRoom:
    """The room, opened for the first player of the process."""
    return HumanRoom()


class Player:
    """The player class for ``round_match``."""

    def __init__(self, isFirst: bool, array: Sequence[int]) -> None:
        self.seat = 0 if isFirst else 1
        self.plies: list[Ply] = []
        """Steps that have not been shown to the person yet."""
        options = DuelOptions(rounds=len(array), array=tuple(array))
        self.position = GAME.start(options, 0)
        at = get_human_room()
        self.person = at.seat_player(self.seat)
        self.person.start(
            SeatBout(GAME, options, 0, self.seat, CLOCK, CLOCK.budget), UNLIMITED_TURN
        )
        self.report = LiveBoutReporter(
            at.room.live_bout, at.post, kind="restart" if at.bouts > 1 else "film"
        )
        names = [self.person.name, tr("opponent", "对手")]
        bots = [RecordedBot(name, "", "human" if name == names[0] else "") for name in names]
        bots = bots if isFirst else bots[::-1]
        self.report(
            BoutStarted(GAME.name, GAME.version, options.as_json(), 0, bots, CLOCK), self.position
        )
        at.wait_for_person()

    def output(self, currentRound: int, board: Any, mode: str) -> Any:
        """The person's answer; a phase in which nothing can be done is not asked for."""
        if mode not in ("position", "direction"):
            return None
        self._follow(board.getDecision(self.seat == 1))
        left = (board.getTime(self.seat == 0),) * 2
        answer = self.person.turn(self.plies, ClockView(left, self.seat, left[0]), UNLIMITED_TURN)
        self.plies = []
        self._play(answer.move)
        if mode == "direction":
            return DIRECTIONS.index(answer.move)
        return tuple(int(number) for number in answer.move.split(","))

    def _follow(self, decision: tuple[int, ...]) -> None:
        """Make the opponent's moves since the last question: at most one, its last decision."""
        if self.position.to_move == (1 - self.seat,):
            merging = self.position.merging
            self._play(DIRECTIONS[decision[0]] if merging else f"{decision[0]},{decision[1]}")

    def _play(self, move: str) -> None:
        [seat] = self.position.to_move
        ply = {seat: move}
        self.position.play(ply)
        self.plies.append(ply)
        self.report(MovesPlayed(ply, {seat: TimeSpent(0.0, 0.0)}), self.position)
