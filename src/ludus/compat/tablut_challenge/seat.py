"""``tcp:COMMAND``: a player of the Tablut challenge on a seat of any match or contest.

Ludus listens as the challenge's server does and starts ``COMMAND WHITE|BLACK SECONDS ADDRESS``.
Such players connect to fixed ports, so every seat listens on a loopback address of its own
(``127.77.…``): then any number of them can play at once.
"""

from __future__ import annotations

import dataclasses
import random
import select
import socket
import time
from pathlib import Path

from ludus.bots.bot_protocols import InstalledProtocol
from ludus.bots.players.base import Player, SeatBout
from ludus.bots.players.human import BoutAborted
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.resolve import BotSource, resolve_command
from ludus.compat.tablut_challenge.connection import PlayerConnection, PlayerProgram
from ludus.compat.tablut_challenge.player import ChallengePlayer
from ludus.compat.tablut_challenge.wire import PORTS, SIDES
from ludus.errors import LudusError
from ludus.games.base import Clock, Game
from ludus.sandbox import UNJAILED, Limits, Program
from ludus.sandbox.bot_fault import BotFault, FaultKind

PROTOCOL_NAME = "tablut-challenge"
CONNECT_TIMEOUT_S = 60.0
"""Seconds in which a program must connect and send its name."""
MOVES_PER_BUDGET = 40
"""Without a limit per move, the seconds of a move are this part of the bout's."""
ADDRESS_ATTEMPTS = 50
SCRIPT_SUFFIXES = (".py", ".jar", ".js", ".mjs", ".sh")


def open_seat(argument: str, game: Game) -> BotSource:
    """The seat ``tcp:COMMAND``, named after its program, or after the script that it runs."""
    if game.name != "tablut":
        raise LudusError(
            f"tcp: seats are players of the Tablut challenge; they play tablut, not {game.name}",
            f"tcp: 席位是 Tablut 挑战赛的选手，只玩 tablut，不玩 {game.name}",
        )
    source = resolve_command(argument, "tcp", PROTOCOL_NAME)
    scripts = [path for path in source.named_paths if path.suffix in SCRIPT_SUFFIXES]
    return dataclasses.replace(source, name=[*scripts, Path(source.name)][0].stem)


def create_seat_player(
    source: BotSource,
    game: Game,
    *,
    limits: Limits,
    jail: str | None,
    interrupt: Interrupt | None,
) -> Player:
    """The player of a ``tcp:`` seat; LudusError unless the user trusts its program."""
    if not source.unjailed:
        raise LudusError(
            f"{source.build_spec.display_name} connects by TCP, which no jail allows; add --trust"
            " to run it without one",
            f"{source.build_spec.display_name} 要用 TCP 连接，沙箱不允许；请加 --trust，"
            "不用沙箱运行它",
        )
    program = source.build_spec.build_program(limits, jail)

    def connect(bout: SeatBout) -> PlayerConnection:
        return start_and_connect(program, bout, interrupt)

    return ChallengePlayer(source.name, source.digest, UNJAILED, connect)


PROTOCOL = InstalledProtocol(create_seat_player, for_programs=False)


def start_and_connect(
    program: Program, bout: SeatBout, interrupt: Interrupt | None
) -> PlayerConnection:
    """Start a player's program for a bout, and wait until it has connected and sent its name."""
    with listen_on_own_address(PORTS[bout.seat]) as listener:
        address, port = listener.getsockname()
        words = fill_command(
            program.argv, SIDES[bout.seat], move_seconds(bout.clock), address, port
        )
        started = PlayerProgram(dataclasses.replace(program, argv=words))
        connected: socket.socket | None = None
        try:
            ends_at = time.monotonic() + CONNECT_TIMEOUT_S
            connected = accept_program(listener, started, ends_at, interrupt)
            connection = PlayerConnection(connected, started, interrupt)
            connection.receive(max(0.0, ends_at - time.monotonic()))
        except BaseException as error:
            if isinstance(error, BotFault) and not error.trace:
                error.trace = started.texts()["stderr"]
            if connected is not None:
                connected.close()
            started.kill()
            raise
    return connection


def listen_on_own_address(port: int) -> socket.socket:
    """A listening socket on a loopback address that no other seat uses."""
    for _ in range(ADDRESS_ATTEMPTS):
        address = f"127.77.{random.SystemRandom().randrange(256)}.{_draw_host()}"
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address, port))
            listener.listen()
        except OSError:
            listener.close()
            continue
        return listener
    raise LudusError(
        f"port {port} is free on none of {ADDRESS_ATTEMPTS} loopback addresses (127.77.…);"
        " does another program listen on it on all addresses?",
        f"尝试了 {ADDRESS_ATTEMPTS} 个本机地址（127.77.…），端口 {port} 都被占用；"
        "是否有别的程序在所有地址上监听它？",
    )


def _draw_host() -> int:
    return random.SystemRandom().randrange(1, 255)


def move_seconds(clock: Clock) -> int:
    """The seconds per move that a program is started with."""
    seconds = clock.per_move if clock.per_move is not None else clock.budget / MOVES_PER_BUDGET
    return max(1, int(seconds))


def fill_command(
    command: tuple[str, ...], side: str, seconds: int, address: str, port: int
) -> tuple[str, ...]:
    """The command with its placeholders filled in; without any, with the usual arguments."""
    values = {
        "{side}": side,
        "{seconds}": str(seconds),
        "{address}": address,
        "{port}": str(port),
    }
    if not any(name in word for word in command for name in values):
        return (*command, side, str(seconds), address)
    filled = []
    for word in command:
        for name, value in values.items():
            word = word.replace(name, value)
        filled.append(word)
    return tuple(filled)


def accept_program(
    listener: socket.socket, program: PlayerProgram, ends_at: float, interrupt: Interrupt | None
) -> socket.socket:
    """Wait until the program connects; BotFault if it exits first or takes too long."""
    while (left := ends_at - time.monotonic()) > 0:
        waiting = select.poll()
        watched = [listener.fileno(), program.exit_descriptor, *program.open_outputs]
        if interrupt is not None:
            watched.append(interrupt.descriptor)
        for descriptor in watched:
            waiting.register(descriptor, select.POLLIN)
        ready = [descriptor for descriptor, _ in waiting.poll(1 + 1000 * left)]
        for descriptor in ready:
            if descriptor in program.open_outputs:
                program.read_output(descriptor)
        if listener.fileno() in ready:
            return listener.accept()[0]
        if interrupt is not None and interrupt.descriptor in ready:
            raise BoutAborted
        if (code := program.exit_code()) is not None:
            raise BotFault(
                FaultKind.LOAD,
                f"it exited with code {code} before it connected",
                f"它还没有连接就退出了，退出码为 {code}",
            )
    raise BotFault(
        FaultKind.LOAD,
        f"it did not connect within {CONNECT_TIMEOUT_S:g} s",
        f"它在 {CONNECT_TIMEOUT_S:g} 秒内没有连接",
    )
