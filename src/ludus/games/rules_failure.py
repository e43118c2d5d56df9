"""Failures of the rules of an installed game, told apart from bugs of Ludus."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections.abc import Iterator
from typing import NamedTuple

from ludus.errors import GameProgramFault, LudusError, PlatformFault
from ludus.games.base import Game, IllegalMove, Position
from ludus.games.registry import find_games_of_module
from ludus.lang import Text

log = logging.getLogger(__name__)


class RulesFailure(LudusError):
    """The rules of a game failed or contradict themselves, so that no bot is at fault."""

    code = GameProgramFault.code
    located_game = ""
    """The game, where the sentence names a file of this machine."""


class RulesPlace(NamedTuple):
    """Where in the rules of installed games an exception was raised."""

    games: str
    """The games of the package."""
    file: str
    line: int
    function: str


def explain_rules_failure(error: BaseException, game: str = "") -> RulesFailure | None:
    """A sentence about an exception that the rules of an installed game raised: which game, which
    line, what. None if the exception came from elsewhere, is a sentence already, or only passed
    through the rules, such as KeyboardInterrupt. Without ``game``, the games of the package are
    named.

    The traceback is logged for debugging (``LUDUS_LOG_LEVEL=debug``).
    """
    if not isinstance(error, Exception):
        return None
    if isinstance(error, (LudusError, PlatformFault)) and not isinstance(error, IllegalMove):
        return None
    if (place := find_rules_place(error)) is None:
        return None
    name = game or place.games
    log.debug("the rules of %s failed", name, exc_info=error)
    if isinstance(error, IllegalMove):
        return describe_refused_offer(name, error)
    return _describe_exception(name, f"{place.file}:{place.line}", place.function, error)


def find_rules_place(error: BaseException) -> RulesPlace | None:
    """The last line of a traceback that belongs to an installed game."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if games := find_games_of_module(frame.f_globals.get("__name__", "")):
            code = frame.f_code
            return RulesPlace(", ".join(games), code.co_filename, line, code.co_name)
    return None


@contextlib.contextmanager
def explaining_rules_failures(game: str) -> Iterator[None]:
    """Raise a sentence in place of what the rules of the game raise inside, if it is installed."""
    try:
        yield
    except Exception as error:
        explained = explain_rules_failure(error, game)
        if explained is None:
            raise
        raise explained from error


def check_rules_at(game: Game, position: Position, step: int) -> None:
    """Raise RulesFailure if it is the rules of an installed game that fail in a position where a
    bot has failed: no legal move, one that cannot be played, a copy that is not independent."""
    if not find_games_of_module(type(game).__module__):
        return
    with explaining_rules_failures(game.name):
        legal = {seat: position.legal(seat) for seat in position.to_move}
        for seat, moves in legal.items():
            if not moves:
                raise describe_missing_move(game.name, seat, step)
        digest, first = position.digest(), {seat: moves[0] for seat, moves in legal.items()}
        for seat, moves in legal.items():
            for move in moves:
                position.copy().play({**first, seat: move})
        if position.digest() != digest:
            raise describe_shared_copy(game.name, step)


def describe_rules_failure(game: str, place: str, function: str, what: Text) -> RulesFailure:
    """The sentence that says where the rules of a game went wrong, and how."""
    failure = RulesFailure(
        f"the rules of {game} failed at {place}, in {function}: {what.en}",
        f"{game} 的规则出错，位于 {place} 的 {function}：{what.zh}",
    )
    failure.located_game = game
    return failure


def describe_missing_move(game: str, seat: int, step: int | None = None) -> RulesFailure:
    """A seat is to move and has no legal move."""
    at = _describe_step(step)
    return RulesFailure(
        f"the rules of {game}: seat {seat} is to move but has no legal move, and the bout has no"
        f" outcome{at.en}",
        f"{game} 的规则：轮到座位 {seat} 走子，但没有合法着法，对局也没有结果{at.zh}",
    )


def describe_wrong_scores(game: str, scores: object, seats: int, step: int) -> RulesFailure:
    """A bout ended with something else than a score for each seat."""
    at = _describe_step(step)
    return RulesFailure(
        f"the rules of {game}: the outcome has the scores {scores!r:.80}, not a tuple of {seats}"
        f" numbers, one for each seat{at.en}",
        f"{game} 的规则：结果的得分是 {scores!r:.80}，应为 {seats} 个数的元组，每个座位一个{at.zh}",
    )


def describe_too_many_moves(game: str, seat: int, count: int, most: int) -> RulesFailure:
    """A seat has more legal moves than a tree search takes."""
    return RulesFailure(
        f"the rules of {game}: seat {seat} has {count} legal moves; a tree search takes at most"
        f" {most}",
        f"{game} 的规则：座位 {seat} 有 {count} 个合法着法；树搜索至多支持 {most} 个",
    )


def describe_refused_offer(game: str, error: IllegalMove) -> RulesFailure:
    """``play`` refused a move that ``legal`` had offered."""
    return RulesFailure(
        f"the rules of {game} refused a move that they had offered as legal: seat {error.seat},"
        f" {error.move!r}: {error.why.en}. Run the tests of the game (is copy() independent?)",
        f"{game} 的规则拒绝了自己列为合法的着法：座位 {error.seat}，{error.move!r}："
        f"{error.why.zh}。请运行该游戏的测试（copy() 是否独立？）",
    )


def describe_shared_copy(game: str, step: int | None = None) -> RulesFailure:
    """A position changed when moves were played on a copy of it."""
    at = _describe_step(step)
    return RulesFailure(
        f"the rules of {game}: moves played on a copy of a position changed the position"
        f" itself{at.en}; let copy() return an independent one",
        f"{game} 的规则：在局面的副本上走子改变了局面本身{at.zh}；copy() 应当返回独立的局面",
    )


def _describe_step(step: int | None) -> Text:
    return Text("", "") if step is None else Text(f" (step {step})", f"（第 {step} 步）")


def _describe_exception(game: str, place: str, function: str, error: BaseException) -> RulesFailure:
    what = f"{type(error).__name__}: {error}"
    return describe_rules_failure(
        game,
        place,
        function,
        Text(
            f"{what} (LUDUS_LOG_LEVEL=debug shows the traceback)",
            f"{what}（LUDUS_LOG_LEVEL=debug 可显示调用栈）",
        ),
    )
