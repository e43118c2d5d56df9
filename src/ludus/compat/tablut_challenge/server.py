"""Plays bouts of the challenge: players that connect, and bots of Ludus on the other seats."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping

from ludus.bots.players.base import Player, SeatBout
from ludus.bots.players.create import create_player
from ludus.bots.resolve import BotSource
from ludus.compat.tablut_challenge.bout_states import VARIANT
from ludus.compat.tablut_challenge.connection import PlayerConnection
from ludus.compat.tablut_challenge.lobby import NamedPlayer, PlayerLobby
from ludus.compat.tablut_challenge.player import ChallengePlayer
from ludus.compat.tablut_challenge.wire import PORTS
from ludus.games import get
from ludus.games.base import Clock
from ludus.games.tablut.variants import TablutOptions
from ludus.match.record import Record
from ludus.match.referee import BoutObserver, play

CONNECTED = "tcp"
"""The isolation, in records, of a player that connected from outside."""
MAX_MOVES_OF_A_SEAT = 501


@dataclasses.dataclass(frozen=True)
class ChallengeSettings:
    """How bouts of the challenge are played."""

    bots: Mapping[int, BotSource]
    """The bots of Ludus by their seats; players from outside take the others."""
    seconds: float = 60.0
    """For a move, on the wall clock."""
    address: str = "127.0.0.1"
    ports: tuple[int, int] = PORTS
    wait: float | None = None
    """Seconds in which the players must connect."""
    jail: str | None = None

    @property
    def clock(self) -> Clock:
        return Clock(
            budget=self.seconds * MAX_MOVES_OF_A_SEAT, per_move=self.seconds, measure="wall"
        )


class ChallengeServer:
    """A server of the challenge. Use it in a ``with``: the end closes its ports."""

    def __init__(self, settings: ChallengeSettings) -> None:
        """LudusError if a port is in use."""
        self.settings = settings
        self.game = get("tablut")
        self.options = TablutOptions(variant=VARIANT)
        outside = [seat for seat in range(2) if seat not in settings.bots]
        self.lobby = PlayerLobby(settings.address, settings.ports, outside)

    def __enter__(self) -> ChallengeServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.lobby.close()

    def play_bout(
        self,
        seed: int,
        announce: Callable[[int, str], None],
        watch: BoutObserver | None = None,
    ) -> Record:
        """Wait for the players, and play one bout from the start position."""
        found = self.lobby.wait_for_players(self.settings.wait, announce)
        with self._seat_players(found) as players:
            return play(self.game, self.options, seed, players, self.settings.clock, watch=watch)

    @contextlib.contextmanager
    def _seat_players(self, found: Mapping[int, NamedPlayer]) -> Iterator[list[Player]]:
        with contextlib.ExitStack() as stack:
            for named in found.values():
                stack.callback(named.connected.close)
            players = []
            for seat in range(2):
                players.append(self._create_player(seat, found.get(seat)))
                stack.callback(players[-1].close)
            yield players

    def _create_player(self, seat: int, named: NamedPlayer | None) -> Player:
        if named is not None:
            return _connected_player(named)
        return create_player(self.settings.bots[seat], self.game, jail=self.settings.jail)


def _connected_player(named: NamedPlayer) -> Player:
    def connect(bout: SeatBout) -> PlayerConnection:
        return PlayerConnection(named.connected)

    return ChallengePlayer(named.name, "", CONNECTED, connect, shows_start=True)
