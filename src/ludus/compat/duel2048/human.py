"""The original's human player: a person at the page plays for it.

``round_match.main(['player', ('human', -30)], MAXTIME=114514)`` opens the browser on a room. The
constructor waits until somebody is there. A move that the rules do not allow is explained and
asked again; with the original it lost the bout.
"""

from __future__ import annotations

import atexit
import functools
import sys
from collections.abc import Sequence
from typing import Any

from ludus.bots.players.base import Bout, Limit, Spent
from ludus.bots.players.human import HumanPlayer
from ludus.games.base import Clock, ClockView
from ludus.games.duel2048 import GAME, DuelOptions
from ludus.games.duel2048.rules import DIRECTIONS
from ludus.games.host import Ply
from ludus.lang import tr
from ludus.match.record import Entrant
from ludus.match.referee import Moved, Started
from ludus.server.embedded import open_browser
from ludus.server.live.hub import Reporter, message
from ludus.server.rooms.room import Chair, Room
from ludus.server.rooms.rooms import post_to
from ludus.server.serve import Background, listen
from ludus.server.state import Arena, Settings

CLOCK = Clock(budget=1e6)
"""The platform counts the time itself, and ends the call when it is over."""
AT_EASE = Limit(CLOCK.budget, "cpu", CLOCK.budget)


class Desk:
    """The room of this process, in which its human players sit one after the other."""

    def __init__(self) -> None:
        self.server = Background(Arena(Settings(demo=False)), listen())
        self.server.__enter__()
        atexit.register(self.server.__exit__)
        self.post = functools.partial(post_to, self.server.loop)
        self.room = Room("human", self.post)
        self.room.stage.timed = False
        self.chair = Chair(0, self._person())
        self.room.chairs[0] = self.chair
        self.post(self.server.arena.rooms.add, self.room)
        self.bouts = 0

    def _person(self) -> HumanPlayer:
        return HumanPlayer(tr("human", "玩家"), self.room.ask, self.room.explain)

    def sit(self, seat: int) -> HumanPlayer:
        """A player on a seat of a new bout; whoever is at the screen stays there."""
        self.chair.player.leave()
        player = self._person()
        self.post(self._move, seat, player)
        self.bouts += 1
        return player

    def _move(self, seat: int, player: HumanPlayer) -> None:
        chair = self.chair
        self.room.asked.clear()
        self.room.chairs = {seat: chair}
        chair.seat, chair.player = seat, player
        for watcher in chair.watchers:
            watcher.send(message("seat", seat=seat, practice=False))

    def wait(self) -> None:
        """Until somebody is at the screen."""
        if self.bouts > 1:
            return
        url = f"{self.server.url}/room/human?token={self.chair.token}"
        print(tr(f"play at {url}", f"对弈地址：{url}"), file=sys.stderr, flush=True)
        open_browser(url)
        self.room.somebody.wait()


@functools.cache
def desk() -> Desk:
    """Opened with the first player of the process."""
    return Desk()


class Player:
    """A player for ``round_match`` like any other."""

    def __init__(self, isFirst: bool, array: Sequence[int]) -> None:
        self.seat = 0 if isFirst else 1
        self.plies: list[Ply] = []
        """Steps that the person has not been told of."""
        options = DuelOptions(rounds=len(array), array=tuple(array))
        self.position = GAME.start(options, 0)
        at = desk()
        self.person = at.sit(self.seat)
        self.person.start(Bout(GAME, options, 0, self.seat, CLOCK, CLOCK.budget), AT_EASE)
        self.report = Reporter(at.room.stage, at.post, kind="restart" if at.bouts > 1 else "film")
        names = [self.person.name, tr("opponent", "对手")]
        bots = [Entrant(name, "", "human" if name == names[0] else "") for name in names]
        bots = bots if isFirst else bots[::-1]
        self.report(
            Started(GAME.name, GAME.version, options.as_json(), 0, bots, CLOCK), self.position
        )
        at.wait()

    def output(self, currentRound: int, board: Any, mode: str) -> Any:
        """The person's answer; a phase in which nothing can be done is not asked for."""
        if mode not in ("position", "direction"):
            return None
        self._follow(board.getDecision(self.seat == 1))
        left = (board.getTime(self.seat == 0),) * 2
        answer = self.person.turn(self.plies, ClockView(left, self.seat, left[0]), AT_EASE)
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
        self.report(Moved(ply, {seat: Spent(0.0, 0.0)}), self.position)
