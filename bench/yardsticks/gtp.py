"""Engines that speak the Go Text Protocol; GRhino (Debian's package ``grhino``) is one."""

from __future__ import annotations

import select
import shutil
import subprocess
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
from ludus.games.base import Game

USUAL_GRHINO = Path("/usr/games/gtp-rhino")


class GtpPlayer:
    """An engine; one process for all bouts of a worker."""

    def __init__(self, game: Game, options: Any, command: Sequence[str]) -> None:
        if shutil.which(command[0]) is None:
            raise EngineMissing(f"{command[0]} not found")
        board = game.vertex_board(options)
        if board is None:
            raise EngineMissing(f"no GTP engine plays {game.name}")
        self.board, self.command = board, list(command)
        self.process: subprocess.Popen[bytes] | None = None
        self.cpu = self.start_cpu = 0.0

    def start(self, seat: int, history: list[Ply], position: Any) -> None:
        self.stop()
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.ask(f"set_game {self.board.game}", optional=True)
        self.ask(f"boardsize {self.board.size}")
        self.ask("clear_board")
        self.seen, self.cpu, self.start_cpu = 0, 0.0, 0.0
        self.clock = CpuClock(self.process.pid)

    def choose(self, history: list[Ply], position: Any, seconds: float | None) -> str:
        self.show(history)
        colour = self.board.colours[position.to_move[0]]
        move = self.board.to_move(self.ask(f"genmove {colour}"))
        self.seen += 1
        self.cpu = self.clock.since_begin()
        return move

    def show(self, history: list[Ply]) -> None:
        """Show it the plies that it has not seen; a seat that was skipped has passed."""
        for number in range(self.seen, len(history)):
            seat, move = history[number]
            if seat == (history[number - 1][0] if number else 1):
                self.ask(f"play {self.board.colours[1 - seat]} pass", optional=True)
            self.ask(f"play {self.board.colours[seat]} {self.board.to_vertex(move)}")
        self.seen = len(history)

    def ask(self, command: str, optional: bool = False) -> str:
        """The result of a command; PlayerFault for an error unless the command is optional."""
        process = self.process
        assert process is not None and process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(command.encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise PlayerFault(f"the engine has exited before {command!r}") from None
        answer, ends_at = b"", time.monotonic() + MOVE_TIMEOUT_S
        while not answer.lstrip().endswith((b"\n\n", b"\n\r\n")):
            ready = select.select([process.stdout], [], [], max(0.0, ends_at - time.monotonic()))[0]
            data = process.stdout.read1(1 << 16) if ready else b""  # type: ignore[attr-defined]
            if not data:
                raise PlayerFault(f"the engine did not answer {command!r}")
            answer += data
        text = answer.decode(errors="replace").strip()
        if not text.startswith("=") and not optional:
            raise PlayerFault(f"the engine answered {command!r} with {text!r}")
        return text.lstrip("=?0123456789").strip() if text.startswith("=") else ""

    def end(self, history: list[Ply], position: Any) -> None:
        self.stop()

    def stop(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            stop_process(process)


def create_grhino(engines: Path, level: int, game: Game, options: Any) -> GtpPlayer:
    """GRhino at a level from 1 to 5, with its own small book, as it comes."""
    program = find_file(engines / "grhino" / "gtp-rhino", USUAL_GRHINO)
    return GtpPlayer(game, options, [str(program), f"--level={level}"])
