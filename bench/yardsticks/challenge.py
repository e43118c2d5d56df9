"""Players of the Tablut challenge: programs that connect by TCP, one process for each bout.

The frames are those of ``ludus.compat.tablut_challenge.wire``, which this module does not import:
measurements also run where nothing but numpy and onnxruntime is installed.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.yardsticks.players import (
    MOVE_TIMEOUT_S,
    CpuClock,
    EngineMissing,
    PlayerFault,
    Ply,
    find_file,
    stop_process,
)

SIDES, PORTS = ("WHITE", "BLACK"), (5800, 5801)
CONNECT_TIMEOUT_S = 60.0
SIZE = 9
THRONE = SIZE * SIZE // 2
PIECES = {"a": "BLACK", "d": "WHITE", "K": "KING", ".": "EMPTY"}
JAVA = ("java", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1")
"""One core, as the others have."""
CLIENTS = "it.unibo.ai.didattica.competition.tablut"


class ChallengePlayer:
    """A program that is started as ``COMMAND WHITE|BLACK SECONDS ADDRESS``."""

    def __init__(self, command: Sequence[str], seconds: int, folder: Path | None = None) -> None:
        if shutil.which(command[0]) is None:
            raise EngineMissing(f"{command[0]} not found")
        self.command, self.seconds, self.folder = list(command), seconds, folder
        self.cpu = self.start_cpu = 0.0

    def start(self, seat: int, history: list[Ply], position: Any) -> None:
        self.seat, self.cpu, self.sent, self.opened = seat, 0.0, False, position.cells
        with _listen(PORTS[seat]) as listener:
            address = listener.getsockname()[0]
            words = [*self.command, SIDES[seat], str(self.seconds), address]
            self.scratch = tempfile.TemporaryDirectory()  # some write logs where they are started
            self.process = subprocess.Popen(
                words,
                cwd=self.folder or self.scratch.name,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            listener.settimeout(CONNECT_TIMEOUT_S)
            try:
                self.socket = listener.accept()[0]
            except TimeoutError:
                self._stop()
                raise PlayerFault("the program did not connect") from None
        self.socket.settimeout(MOVE_TIMEOUT_S)
        self._receive()  # its name
        self.clock = CpuClock(self.process.pid)

    def choose(self, history: list[Ply], position: Any, seconds: float | None) -> str:
        if self.seat and not self.sent:  # programs that expect White to open skip one state
            self._send(self.opened, SIDES[0])
        self.sent = True
        self._send(position.cells, SIDES[self.seat])
        try:
            found = json.loads(self._receive())
            move = flip_rows(found["from"].lower()) + flip_rows(found["to"].lower())
        except (ValueError, KeyError, TypeError, AttributeError):
            raise PlayerFault("the program sent something that is not a move") from None
        self.cpu = self.clock.since_begin()
        after = position.copy()
        if move in position.legal(self.seat):
            after.play({self.seat: move})
            self._send(after.cells, _turn(after))
        return move

    def end(self, history: list[Ply], position: Any) -> None:
        with contextlib.suppress(PlayerFault):
            self._send(position.cells, _turn(position) if position.outcome else "DRAW")
        self._stop()

    def _stop(self) -> None:
        if (connected := getattr(self, "socket", None)) is not None:
            connected.close()
        self.process.kill()
        stop_process(self.process)
        self.scratch.cleanup()

    def _send(self, cells: str, turn: str) -> None:
        names = [PIECES[piece] for piece in cells]
        if names[THRONE] == "EMPTY":
            names[THRONE] = "THRONE"
        board = [names[row : row + SIZE] for row in range(0, len(names), SIZE)]
        data = json.dumps({"board": board, "turn": turn}, separators=(",", ":")).encode()
        try:
            self.socket.sendall(len(data).to_bytes(4, "big") + data)
        except OSError:
            raise PlayerFault("the program closed its connection") from None

    def _receive(self) -> bytes:
        return self._read(int.from_bytes(self._read(4), "big"))

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            try:
                more = self.socket.recv(count - len(data))
            except TimeoutError:
                raise PlayerFault("the program took too long") from None
            except OSError:
                more = b""
            if not more:
                raise PlayerFault("the program closed its connection")
            data += more
        return data


def _listen(port: int) -> socket.socket:
    """Programs connect to fixed ports, so each has a loopback address of its own."""
    generator = random.SystemRandom()
    while True:
        listener = socket.socket()
        host = f"127.78.{generator.randrange(256)}.{generator.randrange(1, 255)}"
        try:
            listener.bind((host, port))
            listener.listen()
        except OSError:
            listener.close()
            time.sleep(0.01)
            continue
        return listener


def _turn(position: Any) -> str:
    if position.outcome is None:
        return SIDES[position.to_move[0]]
    winner = position.outcome.winner
    return "DRAW" if winner is None else f"{SIDES[winner]}WIN"


def flip_rows(cell: str) -> str:
    """The challenge numbers rows from the top, Ludus from the bottom."""
    if len(cell) != 2 or not cell[1].isdigit():
        return cell
    return f"{cell[0]}{SIZE + 1 - int(cell[1])}"


def create_challenge_player(engines: Path, name: str, seconds: int) -> ChallengePlayer:
    """A player of the challenge by the name of its repository, built in a folder of that name."""
    folder = engines / name
    if name == "tablut.cpp":
        program = find_file(folder / "Player1", folder / "bin" / "Player1")
        return ChallengePlayer([str(program)], seconds)
    if name == "uct-tablut":
        return ChallengePlayer(["python3", str(find_file(folder / "main.py"))], seconds)
    main = {"TablutAI": "client.TablutBasicClient", "AlgiseTablut": "algise.client.AlgiseClient"}
    if name not in main:
        raise EngineMissing(f"no player of the challenge is called {name}")
    find_file(folder / "Tablut" / "lib" / "gson-2.2.2.jar")
    classes = f"{folder.resolve()}/Tablut/build:{folder.resolve()}/Tablut/lib/*"
    return ChallengePlayer([*JAVA, "-cp", classes, f"{CLIENTS}.{main[name]}"], seconds)
