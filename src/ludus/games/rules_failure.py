"""Failures of the rules of an installed game, told apart from bugs of Ludus."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections.abc import Iterator

from ludus.errors import GameProgramFault, LudusError, PlatformFault
from ludus.games.base import IllegalMove
from ludus.games.registry import find_games_of_module
from ludus.lang import Text

log = logging.getLogger(__name__)


def explain_rules_failure(error: Exception, game: str = "") -> LudusError | None:
    """A sentence about an exception that the rules of an installed game raised: which game, which
    line, what. None if the exception came from elsewhere, or is a sentence already. Without
    ``game``, the games of the package are named.

    The traceback is logged for debugging (``LUDUS_LOG_LEVEL=debug``).
    """
    if isinstance(error, (LudusError, PlatformFault)) and not isinstance(error, IllegalMove):
        return None
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if games := find_games_of_module(frame.f_globals.get("__name__", "")):
            name, code = game or ", ".join(games), frame.f_code
            log.debug("the rules of %s failed", name, exc_info=error)
            return _describe_exception(name, f"{code.co_filename}:{line}", code.co_name, error)
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


def describe_rules_failure(game: str, place: str, function: str, what: Text) -> LudusError:
    """The sentence that says where the rules of a game went wrong, and how."""
    return LudusError(
        f"the rules of {game} failed at {place}, in {function}: {what.en}",
        f"{game} 的规则出错，位于 {place} 的 {function}：{what.zh}",
        code=GameProgramFault.code,
    )


def _describe_exception(game: str, place: str, function: str, error: Exception) -> LudusError:
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
