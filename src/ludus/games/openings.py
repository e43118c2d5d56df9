"""Openings: given first moves of a bout, which no seat chooses.

Two programs that draw no random numbers play the same bout again and again from the same start, and
a hundred copies of a bout are no more evidence than one. In games whose start depends on the seed
this does not happen. In games with a fixed start position a bout therefore begins with an opening.
Users write it as:

- ``suite``: the game's own list of balanced openings (``openings.txt`` in its folder),
- ``random:N``: N random plies that do not end the bout,
- ``none``: the bout begins at the start position,
- or the name of a text file with one opening per line, moves separated by spaces.

**The seed of a bout fixes its opening**, so both bouts of a mirrored pair have the same one, and a
bout can be played again from its seed. The seeds of a match are chosen so that every opening of a
list occurs once before any of them occurs again (``Openings.choose_seed``).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import Game, IllegalMove, Position
from ludus.games.rules_failure import explaining_rules_failures
from ludus.lang import Text
from ludus.os_errors import describe_os_error

NONE, SUITE = "none", "suite"
RANDOM_PREFIX = "random:"
DEFAULT_RANDOM_PLIES = 4
"""Random plies for games with a fixed start position and without a suite."""
MAX_RANDOM_PLIES = 100
MAX_SUITE_LINES = 100_000
MAX_SUITE_BYTES = 8 << 20
SUITE_FILE = "openings.txt"

OpeningMoves = tuple[str, ...]


@dataclass(frozen=True)
class Openings:
    """Where the openings of a match come from. This one has none: bouts begin at the start."""

    spec: str = NONE
    """How users write it: ``none``, ``suite``, ``random:4`` or a file's name."""

    def draw(self, seed: int) -> OpeningMoves:
        """The opening of the bout with this seed."""
        return ()

    def choose_seed(self, drawn: int, match: str, group: int) -> int:
        """The seed of a mirrored group of bouts, near ``drawn``.

        ``match`` is a text that identifies the match, ``group`` the group's number in it.
        """
        return drawn


NO_OPENINGS = Openings()


@dataclass(frozen=True)
class RandomOpenings(Openings):
    """Random plies from the start position."""

    game: Game = field(kw_only=True)
    options: Any = field(kw_only=True)
    plies: int = field(kw_only=True)

    def draw(self, seed: int) -> OpeningMoves:
        return _draw_random(self.game, self.options, self.plies, seed)


@lru_cache(maxsize=4096)
def _draw_random(game: Game, options: Any, plies: int, seed: int) -> OpeningMoves:
    generator = random.Random(f"opening/{game.name}/{seed}")
    moves: list[str] = []
    with explaining_rules_failures(game.name):
        position = game.start(options, seed)
        for _ in range(plies):
            ply = _draw_ply(position, generator)
            if ply is None:
                break
            position.play(ply)
            moves += ply.values()
    return tuple(moves)


def _draw_ply(position: Position, generator: random.Random) -> dict[int, str] | None:
    """Random moves that do not end the bout; None where every move does."""
    choices = {seat: position.legal(seat) for seat in position.to_move}
    for _ in range(4 * sum(map(len, choices.values()))):
        ply = {seat: generator.choice(moves) for seat, moves in choices.items()}
        after = position.copy()
        after.play(ply)
        if after.to_move:
            return ply
    return None


@dataclass(frozen=True)
class OpeningSuite(Openings):
    """A list of openings."""

    lines: tuple[OpeningMoves, ...] = field(kw_only=True, repr=False)

    def draw(self, seed: int) -> OpeningMoves:
        return self.lines[seed % len(self.lines)]

    def choose_seed(self, drawn: int, match: str, group: int) -> int:
        count = len(self.lines)
        first, step = _draw_walk(match, count)
        return drawn - drawn % count + (first + group * step) % count


@lru_cache(maxsize=256)
def _draw_walk(match: str, count: int) -> tuple[int, int]:
    """Where a match begins in a list, and in what steps it goes on, round and round.

    Steps that have no divisor in common with the list's length visit all of it.
    """
    generator = random.Random(f"openings/{match}")
    first, step = generator.randrange(count), generator.randrange(1, count + 1)
    while math.gcd(step, count) != 1:
        step += 1
    return first, step


def play_opening(game: Game, options: Any, seed: int, moves: Sequence[str]) -> Any:
    """The position after an opening."""
    position = game.start(options, seed)
    left = list(moves)
    while left:
        seats = position.to_move
        position.play(dict(zip(seats, left, strict=False)))
        del left[: len(seats)]
    return position


def default_spec(game: Game, options: Any) -> str:
    """The openings of a game if the user names none.

    Games whose start depends on the seed need no openings. The others use their suite, or random
    plies if they have no suite for these options.
    """
    if game.is_seeded(options):
        return NONE
    if game.openings_file(options) is not None:
        return SUITE
    return f"{RANDOM_PREFIX}{DEFAULT_RANDOM_PLIES}"


def resolve_openings(
    spec: str | Sequence[str], game: Game, options: Any, *, files: bool = True
) -> Openings:
    """The openings that a user wrote; an empty text means the game's default.

    A sequence of texts is a suite itself, one opening per text. With ``files=False`` names of files
    are refused. LudusError says what is wrong.
    """
    if game.turn_source and spec not in ("", NONE):
        raise LudusError(
            f"the rules of {game.name} are a program of its own, which cannot begin with an"
            " opening",
            f"{game.name} 的规则是独立的程序，不能从给定的开局开始",
        )
    if not isinstance(spec, str):
        _refuse_suite_of_seeded(game, options)
        return OpeningSuite("list", lines=parse_suite(spec, game, options, "openings"))
    spec = spec or default_spec(game, options)
    if spec == NONE:
        return NO_OPENINGS
    if spec.startswith(RANDOM_PREFIX):
        return _resolve_random(spec, game, options)
    if spec == SUITE:
        return load_suite(game, options)
    if not files or not is_suite_file(spec):
        raise _unknown_spec(spec, files)
    _refuse_suite_of_seeded(game, options)
    lines = parse_suite(read_suite_lines(Path(spec).expanduser()), game, options, spec)
    return OpeningSuite(spec, lines=lines)


def is_suite_file(spec: str) -> bool:
    """Whether these openings are the name of a text file."""
    return spec.endswith(".txt")


def _resolve_random(spec: str, game: Game, options: Any) -> Openings:
    number = spec.removeprefix(RANDOM_PREFIX)
    if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= MAX_RANDOM_PLIES:
        raise LudusError(
            f"random openings have 1 to {MAX_RANDOM_PLIES} moves, for example random:4;"
            f" got {spec!r}",
            f"随机开局为 1 到 {MAX_RANDOM_PLIES} 步，例如 random:4；得到 {spec!r}",
        )
    return RandomOpenings(spec, game=game, options=options, plies=int(number))


def _refuse_suite_of_seeded(game: Game, options: Any) -> None:
    if game.is_seeded(options):
        raise LudusError(
            f"{game.name} starts differently with every seed, so a list of openings does not fit;"
            " use random:N",
            f"{game.name} 的开局随种子变化，不能使用固定的开局列表；请用 random:N",
        )


def _unknown_spec(spec: str, files: bool) -> LudusError:
    more = (
        "; or a text file (.txt) with one opening per line",
        "；或每行一个开局的文本文件（.txt）",
    )
    en, zh = more if files else ("", "")
    return LudusError(
        f"unknown openings {spec!r}: write suite, random:N or none{en}",
        f"无法识别的开局 {spec!r}：可写 suite、random:N 或 none{zh}",
    )


@cache
def load_suite(game: Game, options: Any) -> Openings:
    """The game's own suite for these options."""
    path = game.openings_file(options)
    if path is None:
        raise LudusError(
            f"{game.name} has no suite of openings for these options; use random:N, or a text file"
            " with one opening per line",
            f"{game.name} 在这些选项下没有自带的开局库；请用 random:N，或每行一个开局的文本文件",
        )
    lines = [tuple(line.split()) for line in read_suite_lines(path)]
    return OpeningSuite(SUITE, lines=tuple(lines))


def read_suite_lines(path: Path) -> list[str]:
    """The openings in a text file: what is left of its lines without comments (#) and blanks."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_SUITE_BYTES + 1)
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot read the openings {path}: {why.en}",
            f"无法读取开局文件 {path}：{why.zh}",
        ) from None
    except ValueError:
        raise LudusError(
            f"the openings {path} are not UTF-8 text", f"开局文件 {path} 不是 UTF-8 文本"
        ) from None
    if len(text) > MAX_SUITE_BYTES:
        raise LudusError(
            f"the openings {path} are larger than {MAX_SUITE_BYTES >> 20} MB",
            f"开局文件 {path} 超过 {MAX_SUITE_BYTES >> 20} MB",
        )
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def parse_suite(
    lines: Iterable[str], game: Game, options: Any, where: str
) -> tuple[OpeningMoves, ...]:
    """The openings of a suite, each played through; LudusError names the first invalid one."""
    suite = []
    for number, line in enumerate(lines, 1):
        if number > MAX_SUITE_LINES:
            raise LudusError(
                f"{where} has more than {MAX_SUITE_LINES} openings",
                f"{where} 的开局超过 {MAX_SUITE_LINES} 个",
            )
        moves = tuple(line.split())
        if (problem := find_problem(game, options, moves)) is not None:
            raise LudusError(
                f"{where}, opening {number} ({' '.join(moves)}): {problem['en']}",
                f"{where} 第 {number} 个开局（{' '.join(moves)}）：{problem['zh']}",
            )
        suite.append(moves)
    if not suite:
        raise LudusError(f"there are no openings in {where}", f"{where} 中没有开局")
    return tuple(suite)


def find_problem(game: Game, options: Any, moves: Sequence[str]) -> Text | None:
    """What is wrong with an opening: an illegal move, or the bout would be over; None if valid."""
    position = game.start(options, 0)
    left = list(moves)
    while left:
        seats = position.to_move
        if len(left) < len(seats):
            return Text("a move is missing", "缺少着法")
        ply = dict(zip(seats, left, strict=False))
        del left[: len(seats)]
        try:
            position.play(ply)
        except IllegalMove as error:
            return Text(f"{error.move}: {error.why.en}", f"{error.move}：{error.why.zh}")
        if not position.to_move:
            return Text("the bout would end in its opening", "对局在开局中就已结束")
    return None
