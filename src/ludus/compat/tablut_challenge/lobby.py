"""Where players of the challenge connect: the ports of both sides, and who has sent a name.

Any program may connect, also one that is not a player. Only a connection that has sent its name
takes the seat; others are closed after a while and do not delay the bout.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ludus.compat.tablut_challenge.wire import SIDES, FrameReader, decode_name
from ludus.errors import LudusError
from ludus.os_errors import describe_os_error
from ludus.sandbox.bot_fault import BotFault

NAME_TIMEOUT_S = 30.0
"""Seconds in which a connection must send its name."""
MAX_UNNAMED = 32
"""Connections without a name that are kept open at once; further ones wait."""


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A player that has connected and sent its name."""

    name: str
    connected: socket.socket


@dataclass(slots=True)
class _Unnamed:
    seat: int
    connected: socket.socket
    closes_at: float
    reader: FrameReader = field(default_factory=FrameReader)


class PlayerLobby:
    """Listens for the players of both sides; ``close`` must be called in the end."""

    def __init__(self, address: str, ports: Sequence[int], seats: Sequence[int]) -> None:
        """``seats``: those that players from outside take. LudusError if a port is in use."""
        self._listeners: dict[int, socket.socket] = {}
        try:
            for seat in seats:
                self._listeners[seat] = _listen(address, ports[seat])
        except LudusError:
            self.close()
            raise

    def addresses(self) -> dict[int, tuple[str, int]]:
        """Where each seat's player connects."""
        return {seat: listener.getsockname() for seat, listener in self._listeners.items()}

    def wait_for_players(
        self, seconds: float | None, announce: Callable[[int, str], None]
    ) -> dict[int, NamedPlayer]:
        """A player for each seat; LudusError if not all came within so many seconds.

        ``announce`` is called with the seat and name of each that comes.
        """
        ends_at = None if seconds is None else time.monotonic() + seconds
        found: dict[int, NamedPlayer] = {}
        unnamed: list[_Unnamed] = []
        try:
            while missing := self._listeners.keys() - found.keys():
                if ends_at is not None and time.monotonic() >= ends_at:
                    raise _player_missing(min(missing), seconds)
                self._step(missing, unnamed, found, announce, ends_at)
        except BaseException:
            for player in found.values():
                player.connected.close()
            raise
        finally:
            for each in unnamed:
                each.connected.close()
        return found

    def _step(
        self,
        missing: set[int],
        unnamed: list[_Unnamed],
        found: dict[int, NamedPlayer],
        announce: Callable[[int, str], None],
        ends_at: float | None,
    ) -> None:
        """Wait for the next event, and handle it."""
        ready = self._wait(missing, unnamed, ends_at)
        for each in tuple(unnamed):
            if each.connected.fileno() in ready:
                name = _read_name(each)
                if name is None:
                    continue
                unnamed.remove(each)
                if not name or each.seat in found:
                    each.connected.close()
                    continue
                found[each.seat] = NamedPlayer(name, each.connected)
                announce(each.seat, name)
            elif time.monotonic() >= each.closes_at:
                unnamed.remove(each)
                each.connected.close()
        for seat in missing:
            if self._listeners[seat].fileno() in ready:
                connected = self._listeners[seat].accept()[0]
                connected.setblocking(False)
                closes_at = time.monotonic() + NAME_TIMEOUT_S
                unnamed.append(_Unnamed(seat, connected, closes_at))

    def _wait(
        self, missing: set[int], unnamed: Sequence[_Unnamed], ends_at: float | None
    ) -> set[int]:
        waiting = select.poll()
        if len(unnamed) < MAX_UNNAMED:
            for seat in missing:
                waiting.register(self._listeners[seat], select.POLLIN)
        for each in unnamed:
            waiting.register(each.connected, select.POLLIN)
        deadlines = [each.closes_at for each in unnamed]
        if ends_at is not None:
            deadlines.append(ends_at)
        left = min(deadlines) - time.monotonic() if deadlines else None
        timeout = None if left is None else max(0.0, 1 + 1000 * left)
        return {descriptor for descriptor, _ in waiting.poll(timeout)}

    def close(self) -> None:
        for listener in self._listeners.values():
            listener.close()


def _listen(address: str, port: int) -> socket.socket:
    try:
        return socket.create_server((address, port))
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot listen on {address}:{port}: {why.en}; is another server of the"
            " challenge running?",
            f"无法在 {address}:{port} 上监听：{why.zh}；是否有另一个挑战赛服务器在运行？",
        ) from None


def _read_name(each: _Unnamed) -> str | None:
    """The name, once it is there; empty if this is not a player."""
    try:
        data = each.connected.recv(1 << 16)
        content = each.reader.feed(data)
    except (OSError, BotFault):
        return ""
    if content is None:
        return None if data else ""
    return decode_name(content) or SIDES[each.seat]


def _player_missing(seat: int, seconds: float | None) -> LudusError:
    side = SIDES[seat]
    return LudusError(
        f"no player came for {side} within {seconds:g} s",
        f"{seconds:g} 秒内没有选手作为 {side} 连接",
    )
