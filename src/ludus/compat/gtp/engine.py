"""Ludus as a GTP engine: a bot of ours on the board of another program.

``GtpEngine.answer`` takes a line of the controller and returns the answer to it; it owns no stream.
GTP lets a controller ask for the moves of both colours, in any order and with moves taken back, so
there is one player for each seat, which is started again whenever its past has changed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ludus
from ludus.bots.players.base import Player, SeatBout, TimeLimit
from ludus.compat.gtp.engine_clock import EngineClock
from ludus.compat.gtp.player import PASS, require_vertex_board
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line, truncate
from ludus.games.base import Game, IllegalMove, Position
from ludus.games.host import Ply
from ludus.match.referee import derive_random_seeds
from ludus.sandbox.bot_fault import BotFault

PROTOCOL_VERSION = "2"
KILL_FACTOR = 10.0
KILL_GRACE_S = 60.0
"""A bot is ended only long after its time: whether it lost on time is the controller's business."""
SHOWN_CHARS = 80
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class GtpError(Exception):
    """A command that cannot be carried out; the message is the answer."""


@dataclass(slots=True)
class SeatPlayer:
    """The bot on one seat, and how much of the game it has seen."""

    player: Player
    seen_plies: int = -1
    """-1: it has to be started."""


class GtpEngine:
    """A game and a bot, driven by GTP commands."""

    def __init__(
        self, game: Game, options: Any, bot: str, create: Callable[[], Player], seed: int = 0
    ) -> None:
        """``bot`` is its name; ``create`` creates a player, one for each seat that it plays."""
        self.game, self.bot, self.seed = game, bot, seed
        self.finished = False
        """Whether ``quit`` has come."""
        self._create = create
        self._players: dict[int, SeatPlayer] = {}
        self._clock = EngineClock(game.clock.budget)
        self._set_options(options)
        self._commands: dict[str, Callable[[Sequence[str]], str]] = {
            name.removeprefix("_do_"): getattr(self, name)
            for name in sorted(dir(self))
            if name.startswith("_do_")
        }

    def answer(self, line: str) -> str | None:
        """The answer to a line, with its end; None if there is no command in it."""
        line = CONTROL_CHARACTERS.sub("", line).partition("#")[0].replace("\t", " ").strip()
        number, _, rest = line.partition(" ")
        if not (number.isascii() and number.isdigit()):
            number, rest = "", line
        name, *arguments = rest.split() or [""]
        if not line:
            return None
        try:
            if (command := self._commands.get(name)) is None:
                raise GtpError("unknown command")
            text, sign = command(arguments), "="
        except GtpError as error:
            text, sign = str(error), "?"
        return f"{sign}{number} {text}".rstrip() + "\n\n"

    def close(self) -> None:
        """End the bot."""
        for each in self._players.values():
            each.player.close()
        self._players = {}

    # What every engine must know

    def _do_protocol_version(self, arguments: Sequence[str]) -> str:
        return PROTOCOL_VERSION

    def _do_name(self, arguments: Sequence[str]) -> str:
        return escape_to_one_line(f"Ludus {self.bot}")

    def _do_version(self, arguments: Sequence[str]) -> str:
        return ludus.__version__

    def _do_known_command(self, arguments: Sequence[str]) -> str:
        (name,) = _take(arguments, 1)
        return "true" if name in self._commands else "false"

    def _do_list_commands(self, arguments: Sequence[str]) -> str:
        return "\n".join(self._commands)

    def _do_quit(self, arguments: Sequence[str]) -> str:
        self.finished = True
        return ""

    def _do_boardsize(self, arguments: Sequence[str]) -> str:
        size = _parse_integer(_take(arguments, 1)[0])
        if size != self._board.size:
            try:
                self._set_options(replace(self.options, size=size))
            except (TypeError, LudusError):
                raise GtpError("unacceptable size") from None
        self._restart()
        return ""

    def _do_clear_board(self, arguments: Sequence[str]) -> str:
        self._restart()
        return ""

    def _do_komi(self, arguments: Sequence[str]) -> str:
        return ""  # controllers made for Go send it in any game

    def _do_play(self, arguments: Sequence[str]) -> str:
        colour, vertex = _take(arguments, 2)
        seat = self._parse_colour(colour)
        if vertex.lower() == PASS:
            if seat in self._position.to_move:
                raise GtpError("illegal move: only a side that cannot move passes")
            self._history.append(None)
            return ""
        self._refuse_wrong_turn(seat)
        self._play({seat: self._board.to_move(vertex)})
        return ""

    def _do_genmove(self, arguments: Sequence[str]) -> str:
        seat = self._parse_colour(_take(arguments, 1)[0])
        if seat not in self._position.to_move:
            if not self._must_pass(seat):
                self._refuse_wrong_turn(seat)
            self._history.append(None)
            return PASS
        move = self._choose_move(seat)
        self._play({seat: move})
        return self._board.to_vertex(move)

    def _do_undo(self, arguments: Sequence[str]) -> str:
        if not self._history:
            raise GtpError("cannot undo")
        history = self._history[:-1]
        self._restart()
        for ply in history:
            if ply is None:
                self._history.append(None)
            else:
                self._play(ply)
        return ""

    def _do_time_settings(self, arguments: Sequence[str]) -> str:
        main, period, stones = map(_parse_integer, _take(arguments, 3))
        self._clock = EngineClock(main, period, stones)
        return ""

    def _do_time_left(self, arguments: Sequence[str]) -> str:
        colour, *rest = _take(arguments, 3)
        seconds, stones = map(_parse_integer, rest)
        self._clock.set_left(self._parse_colour(colour), seconds, stones)
        return ""

    def _do_showboard(self, arguments: Sequence[str]) -> str:
        position = self._position
        to_move = "".join(f"{self._board.colours[seat]} to move" for seat in position.to_move)
        return f"\n{self._board.label_rows(str(position))}\n{to_move or 'the game is over'}"

    # What engines for games other than Go know

    def _do_set_game(self, arguments: Sequence[str]) -> str:
        name = " ".join(arguments)
        if name.lower() not in (self._board.game.lower(), self.game.name):
            raise GtpError(f"unsupported game; this engine plays {self._board.game}")
        self._restart()
        return ""

    def _do_list_games(self, arguments: Sequence[str]) -> str:
        return self._board.game

    # The position and the bots

    def _set_options(self, options: Any) -> None:
        self._board = require_vertex_board(self.game, options)
        self.options = options
        self._restart()

    def _restart(self) -> None:
        self._position: Position = self.game.start(self.options, self.seed)
        self._plies: list[Ply] = []
        self._history: list[Ply | None] = []
        """Plies, and None for every pass that the controller knows of."""
        self._clock.restart()
        for each in self._players.values():
            each.seen_plies = -1

    def _play(self, ply: Ply) -> None:
        try:
            self._position.play(ply)
        except IllegalMove as error:
            raise GtpError(f"illegal move: {error.why['en']}") from None
        self._plies.append(ply)
        self._history.append(ply)

    def _must_pass(self, seat: int) -> bool:
        """Whether the rules skipped a seat, or the game is over."""
        if not self._position.to_move:
            return True
        return bool(self._plies) and tuple(self._plies[-1]) == self._position.to_move == (1 - seat,)

    def _refuse_wrong_turn(self, seat: int) -> None:
        if not self._position.to_move:
            raise GtpError("illegal move: the game is over")
        if seat not in self._position.to_move:
            raise GtpError(f"illegal move: it is not {self._board.colours[seat]}'s turn")

    def _parse_colour(self, word: str) -> int:
        for seat, colour in enumerate(self._board.colours):
            if word.lower() in (colour, colour[0]):
                return seat
        raise GtpError(f"invalid color {truncate(word, SHOWN_CHARS)!r}")

    def _choose_move(self, seat: int) -> str:
        seated = self._players.get(seat) or SeatPlayer(self._create())
        self._players[seat] = seated
        left = self._clock.left(seat)
        limit = TimeLimit(left * KILL_FACTOR + KILL_GRACE_S, "wall", left * KILL_FACTOR)
        began = time.monotonic()
        try:
            if seated.seen_plies < 0:
                seated.player.start(self._make_bout(seat, left), limit)
                seated.seen_plies = 0
            plies = self._plies[seated.seen_plies :]
            move = seated.player.turn(plies, self._clock.view(seat), limit).move
        except BotFault as fault:
            seated.player.close()
            seated.seen_plies = -1
            shown = escape_to_one_line(truncate(fault.why["en"], 4 * SHOWN_CHARS))
            raise GtpError(f"the bot failed ({fault.kind.value}): {shown}") from None
        finally:
            self._clock.charge(seat, time.monotonic() - began)
        seated.seen_plies = len(self._plies)
        return move

    def _make_bout(self, seat: int, budget: float) -> SeatBout:
        clock = replace(self.game.clock, budget=budget, measure="wall")
        own = derive_random_seeds(self.seed, 2)[seat]
        return SeatBout(self.game, self.options, self.seed, seat, clock, budget, own)


def _take(arguments: Sequence[str], count: int) -> Sequence[str]:
    if len(arguments) < count:
        raise GtpError(f"syntax error: expected {count} argument{'' if count == 1 else 's'}")
    return arguments[:count]


def _parse_integer(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise GtpError(f"syntax error: {truncate(word, SHOWN_CHARS)!r} is not an integer") from None
