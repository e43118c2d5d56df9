"""Runs one bot on its own replica of the position, the same way in every process.

A replica is advanced by moves, so a turn costs a few bytes. The host of a native bot is below;
a game's ``dialect.py`` subclasses it for bots that were written for another system.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from ludus.games.base import Bot, ClockView, Game, Outcome, Position
from ludus.lang import Text

Ply = Mapping[int, str]
"""The moves of one step: seat → move."""


class Host:
    """Runs a native bot: a class ``Bot`` with ``move(position, clock)``."""

    mark: ClassVar[str] = "Bot"
    """The top-level name by which a bot file of this kind is recognised."""
    needs: ClassVar[tuple[str, ...]] = ("move",)
    """The methods that an object of that name must have."""
    signatures: ClassVar[Mapping[str, str]] = {
        "move": "move(self, position, clock)",
        "start": "start(self, seat, position)",
    }
    """How the functions begin that bots of this kind define, by their names."""
    how_to_answer: ClassVar[Text] = Text(
        "Answer with one of position.legal(seat), as a text",
        "请回答 position.legal(seat) 中的一个文本",
    )
    """What to answer instead of an illegal move."""
    modules: ClassVar[Mapping[str, str]] = {}
    """Modules that bots of this kind import by the original's name → ours."""

    position: Position
    seat: int
    namespace: Mapping[str, Any] = MappingProxyType({})
    """Everything the bot's file defines, for kinds of bots that are whole modules."""
    notes_are_prints: ClassVar[bool] = False
    """Whether what the bot prints during a move is its note about it: bots that were written for
    another system have no other way to say something."""
    offers_note: bool = False
    """Whether the bot was given ``note(…)``."""
    note: Any = None
    """What the bot said about the move that it made last; ``take_note`` takes it."""

    def __init__(self, game: Game, make: Any) -> None:
        self.game = game
        self.make = make

    @classmethod
    def accepts(cls, bot: Any) -> bool:
        """Whether the object under ``mark`` is a bot of this kind."""
        return all(callable(getattr(bot, name, None)) for name in cls.needs)

    @classmethod
    def describe_answer(cls, legal: str) -> Text:
        """What an answer is where ``legal`` is a legal move, for a bot that answered no move."""
        return Text(f'a move is a text such as "{legal}"', f'着法是文本，如 "{legal}"')

    @classmethod
    def show_move(cls, move: str) -> str:
        """A move as bots of this kind answer it."""
        return move

    def start(self, seat: int, options: Any, seed: int, budget: float) -> None:
        """Start a bout: create the bot anew and pass it its seat."""
        self.seat = seat
        self.position = self.game.start(options, seed)
        self.bot: Bot = self.make()
        self.note = None
        self.offers_note = offer_note(self.bot, self._add_note)
        if set_game := getattr(self.bot, "set_game", None):
            set_game(self.game)
        if start := getattr(self.bot, "start", None):
            start(seat, self.position.copy())

    def turn(self, plies: Sequence[Ply], clock: ClockView) -> str:
        """Catch up with the moves made since the last turn and answer with the bot's move."""
        self.follow(plies)
        if self.offers_note:  # again, because one object may play on several seats
            self.bot.note = self._add_note  # type: ignore[attr-defined]
        answer: Any = self.bot.move(self.position.copy(), clock)
        if type(answer) is tuple and len(answer) == 2 and isinstance(answer[0], str):
            answer, note = answer
            self._add_note(note)
        return to_move_text(answer)

    def take_note(self) -> Any:
        """What the bot said about its last move; None if nothing."""
        said, self.note = self.note, None
        return said

    def _add_note(self, text: Any = None, **fields: Any) -> None:
        """Note something about the move that is being made.

        ``text``, or a mapping with all fields; and as keywords ``score`` (expected, from 0 to 1),
        ``depth``, ``nodes``, ``line`` (a list of moves) and ``shapes`` (in the board language).
        Several notes about one move become one.
        """
        self.note = merge_notes(self.note, text, fields)

    def end(self, plies: Sequence[Ply], outcome: Outcome) -> None:
        """The bout is over."""
        if end := getattr(self.bot, "end", None):
            end(outcome)

    def close(self) -> None:
        """The match is over; there is a second or so left for last words."""
        if self.offers_note:
            with contextlib.suppress(AttributeError):
                del self.bot.note  # type: ignore[attr-defined]

    def follow(self, plies: Sequence[Ply]) -> None:
        """Advance the replica."""
        try:
            for ply in plies:
                self.position.play(ply)
        except Exception as error:  # the referee has played them
            from ludus.games.rules_failure import explain_rules_failure

            if (explained := explain_rules_failure(error, self.game.name)) is None:
                raise
            raise explained from error


def offer_note(bot: Any, add: Callable[..., None]) -> bool:
    """Give a bot ``note(…)``; False if it has something of that name, or takes no attributes."""
    own = getattr(bot, "note", None)
    if own is not None and not isinstance(getattr(own, "__self__", None), Host):
        return False
    try:
        bot.note = add
    except Exception:  # it has __slots__, or a __setattr__ of its own
        return False
    return True


def merge_notes(before: Any, text: Any, fields: Mapping[str, Any]) -> Any:
    """One note out of two about the same move: texts follow each other, and later fields replace
    earlier ones. What is neither text nor mapping is kept as it is, to be reported."""
    said = text if isinstance(text, Mapping) else {} if text is None else {"text": text}
    said = {**said, **fields}
    if not isinstance(before, Mapping):
        return said or before
    texts = [each["text"] for each in (before, said) if isinstance(each.get("text"), str)]
    return {**before, **said} | ({"text": "\n".join(texts)} if len(texts) == 2 else {})


def to_move_text(answer: Any) -> str:
    """The bot's answer as move text; anything else becomes a text that no game allows."""
    return answer if isinstance(answer, str) else illegal_move_text(answer, Host.mark)


def illegal_move_text(answer: Any, mark: str) -> str:
    """A move text that is illegal everywhere and shows what the bot answered, after the ``mark`` of
    its kind: some kinds of bots answer texts, others numbers or tuples."""
    try:
        shown = repr(answer)
    except Exception as error:
        shown = f"<{type(answer).__name__} whose repr raises {type(error).__name__}>"
    return f"?{mark}:{shown[:200]}"
