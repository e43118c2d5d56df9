"""Runs a Python bot in a process of its own: reads protocol ludus/1 and calls a ``Host``.

It runs in a jail (see ``ludus.sandbox.keeper``). The referee's pipes are moved off descriptors
0 and 1 before the bot's code is loaded, so that the bot's prints go to a pipe of their own.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
import traceback
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import UNSET, UnsetType

from ludus.bots import protocol
from ludus.bots.error_hints import find_hint
from ludus.bots.load import NoBotDefined, host_types, load_bot
from ludus.bots.notes import MAX_NOTE_TEXT_BYTES, clean_note, count_cells
from ludus.bots.players.local import fault_from_exception, seed_generators
from ludus.errors import LudusError
from ludus.games.base import ClockView, Game, IllegalMove, Outcome
from ludus.games.host import Host
from ludus.games.registry import get
from ludus.sandbox.bot_fault import FaultCause, FaultKind
from ludus.sandbox.program import ARGUMENT_VARIABLE


def preload(game: str) -> str:
    """Import what a bot for this game needs, once for all bots forked from here.

    Returns the package that the game is part of; without a game, an empty string.
    """
    if not game:
        return ""
    rules = get(game)
    host_types(rules)
    return type(rules).__module__.partition(".")[0]


def serve(path: Path, stdout: int) -> None:
    """Answer the referee's frames until it closes the pipe."""
    prints = RecentPrints()
    incoming, outgoing = _take_pipes(stdout, prints)
    BotRunner(path, incoming, outgoing, prints).serve()


class RecentPrints:
    """The beginning of what the bot has printed since it was asked."""

    def __init__(self) -> None:
        self.streams: list[IO[str]] = []
        self._kept = bytearray()

    def add(self, data: bytes | bytearray | memoryview) -> None:
        if len(self._kept) <= MAX_NOTE_TEXT_BYTES:
            self._kept += bytes(data[: 2 * MAX_NOTE_TEXT_BYTES])

    def clear(self) -> None:
        if self._kept:
            self._kept.clear()

    def take(self) -> str | None:
        """What was printed; None if nothing was."""
        for stream in self.streams:
            with contextlib.suppress(Exception):  # the bot may have closed it
                stream.flush()
        said = self._kept.decode(errors="backslashreplace").rstrip()
        self._kept.clear()
        return said or None


class PrintedFile(io.FileIO):
    """A descriptor that remembers what was last written to it."""

    def __init__(self, number: int, prints: RecentPrints) -> None:
        super().__init__(number, "w", closefd=False)
        self._prints = prints

    def write(self, data: Any) -> int:
        written = super().write(data)
        self._prints.add(data)
        return written


def _take_pipes(stdout: int, prints: RecentPrints) -> tuple[int, int]:
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(stdout, 1)
    os.close(nothing)
    os.close(stdout)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _open_output(number, prints) if number else _open_input()
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    return incoming, outgoing


def _open_input() -> IO[str]:
    return open(0, buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _open_output(number: int, prints: RecentPrints) -> IO[str]:
    """A new stream for the bot: the original ones belong to descriptors that were moved."""
    buffer = io.BufferedWriter(PrintedFile(number, prints))
    stream = io.TextIOWrapper(
        buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True
    )
    prints.streams.append(stream)
    return stream


class BotRunner:
    """Answers the referee for one bot."""

    def __init__(
        self, path: Path, incoming: int, outgoing: int, prints: RecentPrints | None = None
    ) -> None:
        self.path = path
        self.prints = prints or RecentPrints()
        self.incoming = incoming
        self.outgoing = outgoing
        self.pid = os.getpid()
        self.game: Game
        self.options: Any
        self.host: Host

    def serve(self) -> None:
        while body := self._read():
            reply = self._answer(protocol.read_request(body))
            if os.getpid() != self.pid:
                os._exit(0)  # the bot forked, and this is the child
            self._write(protocol.pack_frame(reply))
        self._exit()

    def _exit(self) -> None:
        """Let the bot clean up when the match is over."""
        try:
            if host := getattr(self, "host", None):
                host.close()
        except BaseException:
            traceback.print_exc()

    def _read(self) -> bytes:
        """One frame's body; the referee never sends a second before it has our answer."""
        data = os.read(self.incoming, 65536)
        while data and len(data) < 4 + int.from_bytes(data[:4], "big"):
            more = os.read(self.incoming, 65536)
            data = data + more if more else b""
        return data[4:]

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.outgoing, data) :]

    def _answer(self, request: protocol.Request) -> protocol.Reply:
        """Handle a request; exceptions of the bot's code become an error reply."""
        kind = FaultKind.LOAD if type(request) is protocol.MatchBeginRequest else FaultKind.CRASH
        try:
            return self._handle(request)
        except NoBotDefined as error:
            return protocol.ErrorReply(
                kind, error.text["en"], error.text["zh"], cause=FaultCause.NO_BOT
            )
        except BaseException as error:
            if isinstance(error, LudusError) and not isinstance(error, IllegalMove):
                return protocol.ErrorReply(kind, error.text["en"], error.text["zh"])
            fault = fault_from_exception(kind, error, host=getattr(self, "host", None))
            en, zh = find_hint(error, self.path)
            return protocol.ErrorReply(
                fault.kind,
                fault.why["en"] + en,
                fault.why["zh"] + zh,
                fault.trace,
                fault.cause or "",
                fault.message,
            )

    def _handle(self, request: protocol.Request) -> protocol.Reply:
        match request:
            case protocol.TurnRequest():
                return self._turn(request)
            case protocol.StartRequest():
                return self._start(request)
            case protocol.EndRequest():
                return self._end(request)
            case protocol.MatchBeginRequest():
                return self._load(request)
            case protocol.Hello():
                return protocol.Hello(protocol.PROTOCOL_NAME)

    def _load(self, request: protocol.MatchBeginRequest) -> protocol.Reply:
        self.game = get(request.game)
        self.host = load_bot(self.path, self.game, os.environ.get(ARGUMENT_VARIABLE, ""))
        gc.freeze()  # loaded modules stay: the collector need not walk through them again
        return protocol.ReadyReply()

    def _start(self, request: protocol.StartRequest) -> protocol.Reply:
        options = self.game.Options.parse(request.options)
        seed_generators(request.random_seed)
        self.options = options
        self.host.start(request.seat, options, request.seed, request.budget)
        return protocol.ReadyReply()

    def _turn(self, request: protocol.TurnRequest) -> protocol.Reply:
        clock = ClockView(request.left, self.host.seat, request.limit)
        self.prints.clear()
        reply = protocol.MoveReply(request.n, self.host.turn(request.moves, clock))
        said = self.prints.take() if self.host.notes_are_prints else self.host.take_note()
        if said is not None:
            reply.note = self._pack_note(said)
        return reply

    def _pack_note(self, said: Any) -> msgspec.Raw | UnsetType:
        """The note as it is sent: cut here already, so that no note makes a frame too long."""
        note = clean_note(said, count_cells(self.game, self.options))
        return UNSET if note is None else msgspec.Raw(msgspec.json.encode(note))

    def _end(self, request: protocol.EndRequest) -> protocol.Reply:
        outcome = Outcome(request.scores, request.reason, request.detail)
        self.host.end(request.moves, outcome)
        return protocol.ReadyReply()
