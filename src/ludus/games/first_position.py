"""Looks once at the class and the first position of an installed game, before anything is played
by its rules."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import Clock, Game, Options
from ludus.games.rules_failure import describe_rules_failure, explaining_rules_failures
from ludus.lang import Text

ATTRIBUTES = ("to_move", "outcome")
METHODS: dict[str, tuple[Any, ...]] = {
    "legal": (0,),
    "play": ({},),
    "view": (None,),
    "copy": (),
    "digest": (),
}
"""What every position has, each method with arguments such as it is called with."""
SEED = 0
A_TEXT = Text(
    'a text in both languages, such as Text("Gomoku", "五子棋")',
    '两种语言的文本，例如 Text("Gomoku", "五子棋")',
)


def check_class(game: Game) -> None:
    """LudusError, with the place of the class, if an attribute that every game has is missing or
    is something else."""
    number = Text("a whole number from 1", "从 1 起的整数")
    _require_attribute(game, "title", lambda title: isinstance(title, Text), A_TEXT)
    _require_attribute(game, "version", lambda each: type(each) is int and each >= 1, number)
    seats = Text("a tuple with a text for each seat", "每个座位一个文本的元组")
    _require_attribute(game, "seats", lambda each: len(each) > 0, seats)
    options = Text("a subclass of Options", "Options 的子类")
    _require_attribute(
        game, "Options", lambda kind: isinstance(kind, type) and issubclass(kind, Options), options
    )
    _require_attribute(
        game, "clock", lambda clock: isinstance(clock, Clock), Text("a Clock", " Clock")
    )
    _require_attribute(
        game,
        "reasons",
        _are_sentences,
        Text("a dict of texts in both languages", "两种语言文本的字典"),
    )


def _are_sentences(reasons: object) -> bool:
    return isinstance(reasons, Mapping) and all(isinstance(each, Text) for each in reasons.values())


def _require_attribute(
    game: Game, name: str, is_right: Callable[[Any], bool], expected: Text
) -> None:
    kind = type(game)
    if not hasattr(game, name):
        what = Text(f"it has no {name}; expected {expected.en}", f"缺少 {name}；应为{expected.zh}")
    elif is_right(value := getattr(game, name)):
        return
    else:
        what = Text(
            f"{name} is {value!r:.80}, not {expected.en}",
            f"{name} 是 {value!r:.80}，不是{expected.zh}",
        )
    raise describe_rules_failure(game.name, _find_place(kind), kind.__name__, what)


def check_first_position(game: Game) -> None:
    """LudusError, with the place in the rules, if ``start`` gives something else than a position.

    Without this, a misspelt method would come to light deep inside whatever uses it first.
    """
    if game.turn_source:  # the rules are a program, which would have to be started
        return
    options = game.Options()
    _check_arguments(game, game.start, (options, SEED))
    with explaining_rules_failures(game.name):
        position = game.start(options, SEED)
        if position is None:
            raise _wrong_result(game, game.start, None, Text("a position", "局面"))
        _check_members(game, position)
        _check_results(game, position)


def _check_members(game: Game, position: Any) -> None:
    for name in ATTRIBUTES:
        _require_member(game, position, name)
    for name, arguments in METHODS.items():
        _check_arguments(game, _require_member(game, position, name), arguments)


def _require_member(game: Game, position: Any, name: str) -> Any:
    kind = type(position)
    try:
        return getattr(position, name)
    except AttributeError:
        if hasattr(kind, name):  # it is there, and failed
            raise
    near = difflib.get_close_matches(name, dir(position), n=1)
    hint = Text(f"; did you mean {near[0]}?", f"；是不是 {near[0]}？") if near else Text("", "")
    what = Text(f"it has no {name}{hint.en}", f"缺少 {name}{hint.zh}")
    raise describe_rules_failure(game.name, _find_place(kind), kind.__name__, what) from None


def _check_arguments(game: Game, method: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):  # compiled
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        count = len(arguments)
        what = Text(
            f"it is called with {count} argument{'' if count == 1 else 's'} besides self: {error}",
            f"调用时除 self 外有 {count} 个参数：{error}",
        )
        raise _describe(game, method, what) from None


def _check_results(game: Game, position: Any) -> None:
    seats = position.to_move
    if not isinstance(seats, (tuple, list)):
        kind, a_tuple = type(position), Text("a tuple of seats", "座位的元组")
        what = Text(
            f"to_move is {seats!r}, not {a_tuple.en}", f"to_move 是 {seats!r}，不是{a_tuple.zh}"
        )
        raise describe_rules_failure(game.name, _find_place(kind), kind.__name__, what)
    for seat in seats:
        moves = position.legal(seat)
        if not isinstance(moves, Sequence) or not all(isinstance(move, str) for move in moves):
            raise _wrong_result(game, position.legal, moves, Text("a list of texts", "文本的列表"))
    if position.copy() is None:
        raise _wrong_result(game, position.copy, None, Text("a position", "局面"))
    if not isinstance(digest := position.digest(), str):
        raise _wrong_result(game, position.digest, digest, Text("a text", "文本"))


def _wrong_result(
    game: Game, method: Callable[..., Any], result: object, expected: Text
) -> LudusError:
    what = Text(
        f"it returned {result!r:.80}, not {expected.en}",
        f"返回了 {result!r:.80}，不是{expected.zh}",
    )
    return _describe(game, method, what)


def _describe(game: Game, method: Callable[..., Any], what: Text) -> LudusError:
    return describe_rules_failure(game.name, _find_place(method), method.__name__, what)


def _find_place(code: Any) -> str:
    """The file and line of a class or function; of compiled code, its module."""
    try:
        return f"{inspect.getsourcefile(code)}:{inspect.getsourcelines(code)[1]}"
    except (OSError, TypeError):
        return str(getattr(code, "__module__", "?"))
