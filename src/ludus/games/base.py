"""What a game is: rules as data and pure functions.

``(game, version, options, seed, moves)`` fixes a bout completely. Nothing here reads a clock,
a file or a global random generator.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self

from ludus.errors import LudusError
from ludus.games.option_values import check_bounds, convert_value
from ludus.games.reason_sentences import fill_sentence
from ludus.games.seat_names import seat_text
from ludus.games.vertices import VertexBoard
from ludus.lang import LANGUAGES, Text, translate

BotLevel = Literal["beginner", "normal", "hard", "master"]
"""How strong a house bot is, weakest first."""


class IllegalMove(LudusError):
    """A seat answered with something its rules do not allow.

    ``IllegalMove(seat, move, "why, in English", "中文理由")`` leaves the position as it was.
    """

    code = "illegal_move"
    seat: int
    """Who answered."""
    move: str
    """The answer."""
    why: Text
    """What the rules say against it."""

    def __init__(self, seat: int, move: str, en: str, zh: str) -> None:
        super().__init__(
            f"seat {seat} answered {move!r}: {en}", f"座位 {seat} 的回答是 {move!r}：{zh}"
        )
        self.seat = seat
        self.move = move
        self.why = Text(en, zh)


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """How a bout ended by the rules."""

    scores: tuple[float, ...]
    """One per seat, higher is better; with two seats 1 wins, ½ draws, 0 loses."""
    reason: str
    """A key of ``Game.reasons``."""
    detail: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The facts that the reason's sentence names; JSON."""

    @property
    def winner(self) -> int | None:
        """The only seat with the best score, or None."""
        best = max(self.scores)
        seats = [seat for seat, score in enumerate(self.scores) if score == best]
        return seats[0] if len(seats) == 1 else None


def only_move(seat: int, moves: Mapping[int, str], outcome: Outcome | None) -> str:
    """The move of the one seat that has to move now; IllegalMove if the step is not just that."""
    move = moves.get(seat)
    if outcome is None and move is not None and len(moves) == 1:
        return move
    if outcome is not None:
        raise IllegalMove(seat, str(move or ""), "the bout is over", "对局已经结束")
    if len(moves) == 1:
        (mover,) = moves
        raise IllegalMove(
            mover,
            moves[mover],
            f"it is seat {seat}'s turn now, but a move of seat {mover} was played; copy() the"
            " position before you try a move",
            f"现在轮到座位 {seat}，却走了座位 {mover} 的着法；试走之前请先 copy() 局面",
        )
    raise IllegalMove(
        seat,
        str(move),
        f"expected a move of seat {seat} alone, got moves of {sorted(moves)}",
        f"此时只有座位 {seat} 走，得到的是座位 {sorted(moves)} 的着法",
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Clock:
    """A time control, in seconds."""

    budget: float = 10.0
    """Thinking time of a seat for the whole bout, its start included."""
    increment: float = 0.0
    """Seconds added to what is left after each move."""
    per_move: float | None = None
    """The most that one move may take, whatever is left."""
    measure: Literal["cpu", "wall"] = "cpu"
    """CPU time (a loaded machine costs no bot a bout) or wall time."""
    patience: float = 4.0
    """With CPU time: how many times the limit a bot may sleep or wait before it is out of time."""

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.budget, self.increment, self.patience))):
            raise LudusError("the numbers of a clock must be finite", "计时的各项数值必须有限")
        if not self.budget > 0 or self.increment < 0 or not self.patience >= 1:
            raise LudusError(
                f"a clock needs a budget above 0, an increment of 0 or more and a patience of"
                f" at least 1, got {self.budget}, {self.increment} and {self.patience}",
                f"计时要求：总时间大于 0、每步加时不小于 0、耐心倍数不小于 1，"
                f"得到 {self.budget}、{self.increment}、{self.patience}",
            )
        if self.per_move is not None and not self.per_move > 0:
            raise LudusError(
                f"the limit per move must be above 0, got {self.per_move}",
                f"每步限时必须大于 0，得到 {self.per_move}",
            )
        self._make_floats()

    def _make_floats(self) -> None:
        """Turn whole numbers into floats: equal clocks are the same bytes in every record."""
        for name in ("budget", "increment", "per_move", "patience"):
            seconds = getattr(self, name)
            if seconds is not None:
                object.__setattr__(self, name, float(seconds))


@dataclasses.dataclass(slots=True)
class ClockView:
    """What a bot knows about time when it is asked for a move."""

    left: tuple[float, ...]
    """Seconds left to each seat when it was last asked; 0 before its first move."""
    seat: int
    """Whose view this is."""
    limit: float
    """Seconds that this very move may take."""

    @property
    def mine(self) -> float:
        """Seconds left to this seat now."""
        return self.left[self.seat]


class Position(Protocol):
    """A moment of a bout. ``play`` changes it; ``copy`` returns an independent one."""

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats to move; several if they move at the same time; none when the bout is over."""

    @property
    def outcome(self) -> Outcome | None:
        """None while a seat has to move."""

    def legal(self, seat: int) -> list[str]:
        """Every move the seat may answer now, in a fixed order."""

    def play(self, moves: Mapping[int, str]) -> None:
        """Apply one move for each seat of ``to_move``, or raise IllegalMove and change nothing."""

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """What a seat (or, with None, a spectator) may see, in the board language; JSON."""

    def copy(self) -> Self:
        """An independent position."""

    def digest(self) -> str:
        """The same text for the same position on every machine."""


class SolvedMove(NamedTuple):
    """A move that is best for certain, because the rest of the bout was played out."""

    move: str
    score: float
    """What the mover gets if both play perfectly from here: 1, ½ or 0."""


class ExactSolver(Protocol):
    """Plays out the ends of bouts exactly. It remembers positions, so keep one for a bout."""

    def solve(
        self, position: Any, max_nodes: int, enough: Callable[[], bool] | None = None
    ) -> SolvedMove | None:
        """A best move of the seat to move; None if the end is too far away.

        It gives up after ``max_nodes`` positions, or as soon as ``enough()``.
        """

    def prove(
        self, position: Any, max_nodes: int, enough: Callable[[], bool] | None = None
    ) -> int | None:
        """Who wins from a search position on if both play perfectly: 1 if seat 0 does, -1 if its
        rival does, 0 for a draw; None if it had to give up."""

    @property
    def nodes(self) -> int:
        """The positions that it has looked at so far."""


class Bot(Protocol):
    """A native bot: any class ``Bot`` with ``move``; the other methods may be left out."""

    def set_game(self, game: Game) -> None:
        """The game that will be played, before ``start``: for bots that play any game."""

    def start(self, seat: int, position: Position) -> None:
        """A bout begins; the position is yours to change."""

    def move(self, position: Position, clock: ClockView) -> str:
        """Answer with one of ``position.legal(seat)``; the position is yours to change."""

    def end(self, outcome: Outcome) -> None:
        """The bout is over."""


DRAWN_FROM_SEED = Text("drawn from the seed", "由种子产生")
"""What an option says that was left empty."""


def option(
    default: Any,
    en: str,
    zh: str,
    *,
    title: Text | None = None,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] | Mapping[str, Text] | None = None,
    value_names: Mapping[str, Text] | None = None,
) -> Any:
    """A field of a game's ``Options`` with its help and its bounds.

    The type of ``default`` (bool, int, float, str, or a tuple of ints) is that of the option, and
    ``en`` and ``zh`` say what it does. Forms show ``title`` (the name of the field if there is
    none), and ``choices`` in words if they are given as a mapping. ``value_names`` says in words
    what single values mean, ``{"0": Text("no limit", "不限")}``.
    """
    named = dict(choices) if isinstance(choices, Mapping) else {}
    metadata = {
        "title": title,
        "help": Text(en, zh),
        "low": low,
        "high": high,
        "choices": None if choices is None else tuple(choices),
        "value_names": {**named, **(value_names or {})},
    }
    return dataclasses.field(default=default, metadata=metadata)


def option_title(field: dataclasses.Field[Any]) -> Text:
    """What people call an option; the words of its name where its game does not say."""
    title: Text | None = field.metadata.get("title")
    words = field.name.replace("_", " ").capitalize()
    return title or Text(words, words)


@dataclasses.dataclass(frozen=True)
class Options:
    """Settings of a game's rules. Subclass it with ``option`` fields; values are checked.

    A subclass is a dataclass too: ``@dataclasses.dataclass(frozen=True)``.
    """

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            check_bounds(field, getattr(self, field.name))

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> Self:
        """Options from texts (the command line) or JSON values (a record)."""
        fields = {field.name: field for field in dataclasses.fields(cls)}
        for name in given:
            if name not in fields:
                known = ", ".join(fields) or "none"
                raise LudusError(
                    f"there is no option {name!r}; the options are: {known}",
                    f"没有选项 {name!r}；可用的选项：{known}",
                )
        return cls(**{name: convert_value(fields[name], value) for name, value in given.items()})

    @classmethod
    def describe_values(cls, given: Mapping[str, Any]) -> Text:
        """Some settings in words: ``{"size": 6}`` is "board size 6"."""
        fields = [field for field in dataclasses.fields(cls) if field.name in given]
        parts = [_describe_value(field, given[field.name]) for field in fields]
        return Text(", ".join(part.en for part in parts), "、".join(part.zh for part in parts))

    def as_json(self) -> dict[str, Any]:
        """The settings that differ from the defaults."""
        return {
            field.name: list(value) if isinstance(value, tuple) else value
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) != field.default
        }


def _describe_value(field: dataclasses.Field[Any], value: Any) -> Text:
    title = option_title(field)
    name = field.metadata.get("value_names", {}).get(str(value)) or Text(str(value), str(value))
    return Text(f"{title.en[:1].lower()}{title.en[1:]} {name.en}", f"{title.zh} {name.zh}")


def _as_text(words: Any) -> Any:
    """Other packages may write a dict of both languages; ``GameContract`` finds what is neither."""
    both = isinstance(words, Mapping) and words.keys() >= set(LANGUAGES)
    return Text.of(words) if both else words


class Game:
    """A set of rules. Stateless; found in the folder of its package or by entry point."""

    name: ClassVar[str]
    """What commands, records and addresses call it: lower-case letters, digits, underscores."""
    version: ClassVar[int]
    """Raised whenever a record of the old version would replay differently."""
    title: ClassVar[Text]
    """What people call it."""
    seats: ClassVar[tuple[Text, ...]]
    """The seats' names, in order of first move. A plain word is taken for a Text of it."""
    Options: ClassVar[type[Options]] = Options
    """The class of its settings; ``start`` and ``scene`` are given one of them."""
    clock: ClassVar[Clock] = Clock()
    """The time control of bouts for which nothing else was said."""
    hidden: ClassVar[bool] = False
    """True when a seat must not see the whole position."""
    reasons: ClassVar[Mapping[str, Text]] = {}
    """A sentence for every ``Outcome.reason``, with the fields of its detail in braces. Every
    sentence of a reason with a winner may name it: ``{winner}``."""
    seat_details: ClassVar[Sequence[str]] = ()
    """The fields of details that are seats: sentences call them by name."""
    dialects: ClassVar[Mapping[str, str]] = {}
    """Top-level name in a bot's file → ``"module:Host"`` that runs bots of that kind."""
    house: ClassVar[Path | None] = None
    """The folder of the house bots: one file each, named like the bot. The first line of its
    docstring describes the bot to people, ``English. 中文。``; files that begin with ``_`` are not
    bots."""
    guide_folder: ClassVar[Path | None] = None
    """The folder with the rules for readers, in the form that ``ludus.games.guide`` explains."""
    levels: ClassVar[Mapping[str, BotLevel]] = {}
    """How strong house bots are, for people who choose an opponent: the bot's name → ``beginner``,
    ``normal``, ``hard`` or ``master``."""
    speaks: ClassVar[str] = "ludus/1"
    """The protocol of its bots' processes. Bots that speak another protocol are programs that the
    game's own ``turn_source`` starts and talks with."""
    turn_source: ClassVar[str] = ""
    """``"module:name"`` of the ``ludus.match.referee.TurnSource`` of its bouts, for a game whose
    rules are a program of their own; empty: the referee asks whoever is in ``to_move``."""
    reruns: ClassVar[str] = ""
    """``"module:function"`` that gives the answers of a record to the program with the rules again,
    and raises LudusError if the program now says something else; empty without such a program."""
    finds: ClassVar[str] = ""
    """``"module:function"`` that knows more kinds of bots for it: it gets what the user typed
    and returns the bot's source or None."""
    odd: ClassVar[Sequence[Mapping[str, Any]]] = ({},)
    """Sets of options under which ``GameContract`` tests the game and ``ludus check`` tries a bot:
    ``({}, {"size": 4})``, where ``{}`` are the usual ones."""
    symmetries: ClassVar[Sequence[str]] = ()
    """Reflections of the board that change nothing in the rules: ``flip_columns`` (left and right),
    ``flip_rows`` (top and bottom), ``transpose`` (rows and columns, on square boards)."""
    implied: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {}
    """What options mean that leave a question to another one: the other option → each of its
    values → option → value. Pages show it beside such an option."""
    casual: ClassVar[Mapping[str, Any]] = {}
    """Options that suit a bout with people on its seats, where the usual ones are for bots."""
    demo: ClassVar[Mapping[str, Any]] = {}
    """Options under which the page shows what the game is."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        own = cls.__dict__
        if "seats" in own:
            cls.seats = tuple(map(seat_text, cls.seats))
        if "title" in own:
            cls.title = _as_text(cls.title)
        if isinstance(own.get("reasons"), Mapping):
            cls.reasons = {name: _as_text(text) for name, text in cls.reasons.items()}

    def start(self, options: Any, seed: int) -> Position:
        """The first position. Options and seed fix everything that is left to chance."""
        raise AttributeError(f"game {self.name!r} does not define start()")

    def is_seeded(self, options: Any) -> bool:
        """Whether bouts differ by their seed. Where they do not, bots that draw no random numbers
        would always play the same bout, so bouts begin with openings (``ludus.games.openings``)."""
        return True

    def openings_file(self, options: Any) -> Path | None:
        """The game's list of balanced openings for these options, if it has one: a text file with
        one opening per line, moves separated by spaces. Without one, a game with a fixed start
        begins with a few random moves."""
        return None

    def rules_text(self, options: Any, language: str = "en") -> str:
        """The rules as text for a reader who does not know the game, such as a language model:
        what pieces there are, how they move, who wins, and how moves are written."""
        from ludus.games.guide import plain_rules, read_sections

        folder = self.guide_folder
        return plain_rules(read_sections(folder, language)) if folder else ""

    def vertex_board(self, options: Any) -> VertexBoard | None:
        """How engines that use the Go Text Protocol play it: ``VertexBoard("Othello", 8)``; None if
        they cannot."""
        return None

    @property
    def players(self) -> tuple[int, ...]:
        """How many can play it, each number with rules of its own."""
        return (len(self.seats),)

    @property
    def seat_keys(self) -> list[str]:
        """The seats' names as programs are told them, whatever a person reads."""
        return [seat["en"] for seat in self.seats]

    @property
    def seat_names(self) -> list[str]:
        """The seats' names in the reader's language."""
        return [translate(seat) for seat in self.seats]

    def spoken(self, move: str) -> str:
        """A move as people read it, without what only the rules need to know."""
        return move

    def for_players(self, count: int) -> Game:
        """The same game for another number of players, if it has rules for that."""
        if count == len(self.seats):
            return self
        raise LudusError(
            f"{self.name} is for {len(self.seats)} players, not for {count}",
            f"{self.name} 是 {len(self.seats)} 人游戏，不能 {count} 人玩",
        )

    def scene(self, options: Any) -> dict[str, Any]:
        """What stays the same on the board through a bout, in the board language; JSON."""
        raise AttributeError(f"game {self.name!r} does not define scene()")

    def explain(self, outcome: Outcome, names: Sequence[Text] = ()) -> Text:
        """The outcome's reason as a sentence. ``names`` are the players' on their seats; without
        them the seats' own names are used. A fact that an old record lacks is shown as ``…``."""
        if outcome.reason not in self.reasons:
            return Text(outcome.reason, outcome.reason)
        known = Text.of(self.choose_sentence(outcome))
        called = names or self.seats

        def fill(lang: str) -> str:
            detail = dict(outcome.detail)
            if outcome.winner is not None:
                detail.setdefault("winner", called[outcome.winner][lang])
            for key in self.seat_details:
                if isinstance(seat := detail.get(key), int) and 0 <= seat < len(called):
                    detail[key] = called[seat][lang]
            return fill_sentence(known[lang], detail)

        return Text(fill("en"), fill("zh"))

    def choose_sentence(self, outcome: Outcome) -> Mapping[str, str]:
        """The sentence for an outcome, with its gaps; a game may have several for one reason."""
        return self.reasons[outcome.reason]

    def explain_bout(
        self, outcome: Outcome, moves: Sequence[str], names: Sequence[Text] = ()
    ) -> Text:
        """The same for a bout whose moves are at hand, where they say more than the outcome."""
        return self.explain(outcome, names)

    def perft(self, position: Any, depth: int) -> int:
        """The number of sequences of ``depth`` steps from a position: a check of rules."""
        if depth == 0:
            return 1
        choices = [[(seat, move) for move in position.legal(seat)] for seat in position.to_move]
        if not choices:
            return 0
        if depth == 1:
            return math.prod(map(len, choices))
        total = 0
        for step in itertools.product(*choices):
            after = position.copy()
            after.play(dict(step))
            total += self.perft(after, depth - 1)
        return total

    def list_actions(self, options: Any) -> Sequence[str] | None:
        """The moves by the numbers under which learners know them; an empty text is not a move.

        Every move that can ever be legal under these options is among them, once. None where they
        are too many to be listed: a learner then gets the number of a move among the legal ones.
        """
        return None

    def search_position(self, position: Any) -> Any:
        """A position made ready for a tree search (``ludus.games.search_position``).

        Any game of two seats that take turns has one; compiled rules may offer a faster one.
        """
        from ludus.games.search_position import TextSearchPosition

        return TextSearchPosition(position, self.name)

    def exact_solver(self, position: Any) -> ExactSolver | None:
        """What plays out the end of this position's bout exactly; None where nothing can."""
        return None

    def bots(self) -> dict[str, Path]:
        """The house bots by name."""
        if self.house is None:
            return {}
        files = sorted(self.house.glob("*.py"))
        return {file.stem: file for file in files if not file.stem.startswith("_")}
