"""Games with their options, and their positions, which show themselves in notebooks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ludus.errors import LudusError
from ludus.games import registry
from ludus.games.base import Clock, Game, Options, Outcome, Position

OptionValues = Mapping[str, Any] | Options
"""The options of a game: by name, or an object of the game's own class."""


@dataclass(frozen=True)
class GameSetup:
    """A game with its options. ``ludus.game("reversi", size=6)`` makes one."""

    rules: Game = field(repr=False)
    """The game's rules, as ``ludus.games.base.Game``."""
    name: str
    options: Any
    """An object of the game's class of options."""

    @property
    def title(self) -> str:
        """What people call the game, in the reader's language."""
        from ludus.lang import translate

        return translate(self.rules.title)

    @property
    def seats(self) -> tuple[str, ...]:
        """The names of the seats, in order of first move."""
        return tuple(self.rules.seat_keys)

    @property
    def bots(self) -> list[str]:
        """The names of the house bots."""
        from ludus.bots.engine_bots import engine_paths

        return [*self.rules.bots(), *engine_paths(self.rules)]

    def start(self, seed: int = 0) -> GamePosition:
        """The first position. The seed fixes everything that is left to chance."""
        return GamePosition(self, self.rules.start(self.options, seed))

    def scene(self) -> dict[str, Any]:
        """What stays the same on the board through a bout, in the board language."""
        return self.rules.scene(self.options)


class GamePosition:
    """A moment of a bout that knows its game, and draws itself in a notebook.

    It has everything that ``ludus.games.base.Position`` has. Where one seat is to move, its number
    may be left out: ``position.legal()``, ``position.play("d3")``.
    """

    __slots__ = ("game", "position")

    def __init__(self, game: GameSetup, position: Position) -> None:
        self.game = game
        self.position = position
        """The position as the game's own rules have it, which is also what bots get."""

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats to move; several if they move at the same time; none when the bout is over."""
        return self.position.to_move

    @property
    def outcome(self) -> Outcome | None:
        """None while a seat has to move."""
        return self.position.outcome

    @property
    def seat(self) -> int | None:
        """The only seat to move; None if there are several, or none."""
        to_move = self.position.to_move
        return to_move[0] if len(to_move) == 1 else None

    def legal(self, seat: int | None = None) -> list[str]:
        """Every move that a seat may answer now, by default of the seat to move."""
        if seat is None:
            if not self.position.to_move:
                return []
            seat = self._only_seat()
        return self.position.legal(seat)

    def play(self, moves: str | Mapping[int, str]) -> GamePosition:
        """Play a move for each seat that has to move, or the move of the only one.

        The position itself changes, and is returned. ``IllegalMove`` if the rules do not allow it:
        then nothing has changed.
        """
        if not isinstance(moves, str | Mapping):
            raise LudusError(
                f"a move is a text, or a mapping of seats to texts, not {moves!r}",
                f"着法是文本，或座位到文本的映射，而不是 {moves!r}",
            )
        self.position.play({self._only_seat(): moves} if isinstance(moves, str) else moves)
        return self

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """What a seat, or a spectator, may see, in the board language; JSON."""
        return self.position.view(seat)

    def copy(self) -> GamePosition:
        """An independent position."""
        return GamePosition(self.game, self.position.copy())

    def digest(self) -> str:
        """The same text for the same position on every machine."""
        return self.position.digest()

    def _only_seat(self) -> int:
        to_move = self.position.to_move
        if len(to_move) == 1:
            return to_move[0]
        if not to_move:
            raise LudusError("the bout is over", "对局已经结束")
        raise LudusError(
            f"the seats {', '.join(map(str, to_move))} move at the same time; say which one is"
            " meant",
            f"座位 {'、'.join(map(str, to_move))} 同时走，请指明是哪一个",
        )

    def __str__(self) -> str:
        from ludus.compat.notebook.board_text import draw_text

        return draw_text(self.game.scene(), self.view())

    def __repr__(self) -> str:
        return f"<{self.game.name}, to move: {list(self.to_move)}>\n{self}"

    def _repr_html_(self) -> str:
        from ludus.compat.notebook.pages import render_position

        return render_position(self.game.scene(), self.view())


def game(name: str, **options: Any) -> GameSetup:
    """The game with a name (``ludus.games()`` lists them), or in the folder of a path.

    Options of its rules are given by name: ``ludus.game("tablut", variant="brandubh")``.
    ``LudusError`` if there is no such game or option.
    """
    return make_setup(name, options)


def games() -> list[str]:
    """The names of the games that can be played, in order; samples of games for Saiblo last."""
    return [*registry.names(), *registry.sample_names()]


def make_setup(given: str | GameSetup | Game, options: OptionValues | None = None) -> GameSetup:
    """The game that a caller means; ``options`` replace those of a setup."""
    if isinstance(given, GameSetup):
        return given if options is None else make_setup(given.rules, options)
    rules = registry.open_game(given) if isinstance(given, str) else given
    if options is not None and not isinstance(options, Options | Mapping):
        raise LudusError(
            f'write options={{"name": value}}, not options={options!r}',
            f'请写 options={{"名": 值}}，而不是 options={options!r}',
        )
    if not isinstance(options, Options):
        options = rules.Options.parse(options or {})
    elif not isinstance(options, rules.Options):
        raise LudusError(
            f"the options are of class {type(options).__name__}, those of {rules.name} are of"
            f" class {rules.Options.__name__}",
            f"选项属于类 {type(options).__name__}，{rules.name} 的选项应属于"
            f" {rules.Options.__name__}",
        )
    if "IPython" in sys.modules:
        from ludus.compat.notebook.formatters import register_formatters

        register_formatters(rules, options)
    return GameSetup(rules, rules.name, options)


def refuse_wrong_kind(name: str, value: object, kind: type, example: str) -> None:
    """LudusError if an argument is of another class; ``example`` is how it is written."""
    if isinstance(value, bool) or not isinstance(value, kind):
        raise LudusError(
            f"write {name}={example}, not {name}={value!r}",
            f"请写 {name}={example}，而不是 {name}={value!r}",
        )


def refuse_wrong_clock(clock: object) -> None:
    """LudusError for a clock that is not one, such as a number of seconds."""
    if clock is not None:
        seconds = clock if isinstance(clock, int | float) else 5
        refuse_wrong_kind("clock", clock, Clock, f"ludus.Clock(budget={seconds})")
