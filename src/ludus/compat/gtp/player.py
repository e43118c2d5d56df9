"""A GTP engine on a seat: ``gtp:COMMAND``, or a bot with ``protocol = "gtp"``.

The engine keeps its own board. Before every ``genmove`` it gets the moves that it does not know yet
by ``play``: those of its rival, the opening, and passes. In GTP a side that cannot move passes; the
rules of Ludus skip it and never ask it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludus import sandbox
from ludus.bots.bot_protocols import InstalledProtocol
from ludus.bots.notes import NoteBook
from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.bot_process import OutputTail
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.resolve import BotSource, resolve_command
from ludus.compat.gtp.connection import EngineConnection
from ludus.errors import LudusError, PlatformFault
from ludus.escape import escape_to_one_line, truncate
from ludus.games.base import ClockView, Game, Outcome, Position
from ludus.games.host import Ply
from ludus.games.vertices import VertexBoard
from ludus.sandbox import UNJAILED, Limits, Program
from ludus.sandbox.bot_fault import BotFault, FaultKind

PASS = "pass"
RESIGN = "resign"
MAX_VERTEX_CHARS = 60
KEPT_STDERR_CHARS = 2000


class GtpPlayer:
    """An engine that uses GTP; one process per match, replaced after a fault."""

    def __init__(
        self,
        name: str,
        program: Program,
        *,
        digest: str = "",
        limits: Limits | None = None,
        jail: str | None = None,
        unjailed: bool = False,
        interrupt: Interrupt | None = None,
    ) -> None:
        self.name, self.digest = name, digest
        self._program, self._limits = program, limits or Limits()
        self._level = None if unjailed else sandbox.choose_level(jail)
        self.isolation = UNJAILED if self._level is None else self._level.value
        self._interrupt = interrupt
        self._engine: EngineConnection | None = None
        self._stdout, self._stderr = OutputTail(), OutputTail()
        self.notes = NoteBook()
        """What the engine wrote to stderr while it was asked for each move."""

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self._stdout, self._stderr = OutputTail(), OutputTail()
        self.notes.begin_bout(bout)
        self._seat, self._own_move = bout.seat, ""
        self._board = require_vertex_board(bout.game, bout.options)
        self._replica: Position = bout.game.start(bout.options, bout.seed)
        try:
            engine = self._ensure_engine(bout.game)
            engine.begin_turn()
            self._set_up(engine, bout, limit)
        except BotFault as fault:
            raise self._discard_engine(fault) from None
        return engine.spent

    def _ensure_engine(self, game: Game) -> EngineConnection:
        if self._engine is None:
            self._engine = EngineConnection(
                self._program, self._limits, self._level, game.name, self._interrupt
            )
            self._engine.begin_bout(self._stdout, self._stderr)
            self._engine.load_commands()
        self._engine.begin_bout(self._stdout, self._stderr)
        return self._engine

    def _set_up(self, engine: EngineConnection, bout: SeatBout, limit: TimeLimit) -> None:
        """Tell the engine the game, the board and the time control."""
        board, clock = self._board, bout.clock
        setup = [f"boardsize {board.size}", "clear_board"]
        if engine.knows("set_game"):
            setup.insert(0, f"set_game {board.game}")
        for command in setup:
            try:
                engine.ask(command, limit)
            except BotFault as fault:
                if fault.kind is FaultKind.CRASH:
                    fault.kind = FaultKind.LOAD  # it does not play this game, in no bout
                raise
        if engine.knows("time_settings"):
            if clock.per_move is None:
                engine.ask(f"time_settings {max(int(bout.budget), 1)} 0 0", limit)
            else:
                engine.ask(f"time_settings 0 {max(int(clock.per_move), 1)} 1", limit)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        engine = self._engine
        if engine is None:
            raise PlatformFault(f"{self.name} was called before it was started")
        engine.begin_turn()
        self.notes.follow(len(plies))
        colour = self._board.colours[self._seat]
        try:
            for ply in plies:
                self._show_ply(engine, ply, limit)
            if engine.knows("time_left"):
                engine.ask(f"time_left {colour} {max(int(clock.limit), 0)} 0", limit)
            engine.drain_output()
            self._stderr.take_recent()
            answer = engine.ask(f"genmove {colour}", limit)
            engine.drain_output()
            self.notes.add(self._stderr.take_recent())
            move = self._read_move(answer)
        except BotFault as fault:
            raise self._discard_engine(fault) from None
        self._own_move = move
        return MoveAnswer(engine.spent.cpu, engine.spent.wall, move)

    def _show_ply(self, engine: EngineConnection, ply: Ply, limit: TimeLimit) -> None:
        """Play a ply on the engine's board, unless it chose the move itself."""
        ((seat, move),) = ply.items()
        self._replica.play(ply)
        if seat != self._seat or move != self._own_move:
            engine.ask(f"play {self._board.colours[seat]} {self._board.to_vertex(move)}", limit)
        if seat == self._seat:
            self._own_move = ""
        if self._replica.to_move == (seat,):
            # GRhino knows no such pass and sees by itself who cannot move. An engine that needs the
            # pass and refuses it will refuse the next move too, and that is its fault.
            engine.offer(f"play {self._board.colours[1 - seat]} {PASS}", limit)

    def _read_move(self, answer: str) -> str:
        vertex = answer.lower()
        if vertex == RESIGN:
            raise BotFault(FaultKind.RESIGN, "it resigned", "它认输了")
        if vertex == PASS:
            first = self._replica.legal(self._seat)[0]
            raise BotFault(
                FaultKind.ILLEGAL,
                f"it passed although it can move, for instance {first}",
                f"它有棋可下（如 {first}），却选择了停一手",
            )
        if not vertex or len(answer.split()) > 1 or len(answer) > MAX_VERTEX_CHARS:
            shown = escape_to_one_line(truncate(answer, MAX_VERTEX_CHARS))
            raise BotFault(
                FaultKind.OUTPUT,
                f"it answered genmove with {shown!r}; expected a vertex, pass or resign",
                f"它对 genmove 回答了 {shown!r}；应为一个格子、pass 或 resign",
            )
        return self._board.to_move(answer)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """Nothing to do: GTP has no command for the end of a game."""
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        if self._engine is not None:
            self._engine.drain_output()
        return {"stdout": self._stdout.text(), "stderr": self._stderr.text()}

    def close(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.quit()

    def _discard_engine(self, fault: BotFault) -> BotFault:
        """End the engine after a fault, so that the next bout gets a new one."""
        engine, self._engine = self._engine, None
        if engine is not None:
            fault.cpu, fault.wall = engine.spent.cpu, engine.spent.wall
            engine.drain_output()
            engine.kill()
            fault.trace = engine.replace_outside_paths(
                fault.trace or self._stderr.text()[-KEPT_STDERR_CHARS:]
            )
        return fault


def require_vertex_board(game: Game, options: object) -> VertexBoard:
    """How GTP engines play a game; LudusError if they cannot."""
    board = game.vertex_board(options)
    if board is None:
        raise LudusError(
            f"GTP engines cannot play {game.name}: its moves are not written as vertices",
            f"GTP 引擎不能玩 {game.name}：它的着法不能写成格子",
        )
    return board


def open_seat(argument: str, game: Game) -> BotSource:
    """The seat ``gtp:COMMAND``."""
    require_vertex_board(game, game.Options())
    return resolve_command(argument, "gtp", "gtp")


def create_player(
    source: BotSource,
    game: Game,
    *,
    limits: Limits,
    jail: str | None,
    interrupt: Interrupt | None,
) -> GtpPlayer:
    """The player of an engine."""
    require_vertex_board(game, game.Options())
    return GtpPlayer(
        source.name,
        source.build_spec.build_program(limits, jail),
        digest=source.digest,
        limits=limits,
        jail=jail,
        unjailed=source.unjailed,
        interrupt=interrupt,
    )


PROTOCOL = InstalledProtocol(create_player)
