"""Explains that a bot's function takes other arguments than it is called with.

Python raises such a TypeError in the caller, so that its traceback names no line of the bot.
"""

from __future__ import annotations

import re
import traceback
import types
from dataclasses import dataclass
from typing import Any

from ludus.games.host import Host
from ludus.lang import Text

MESSAGE = re.compile(r"(?P<name>[\w.]+)\(\) (?:takes|missing|got an unexpected)\b")


@dataclass(frozen=True, slots=True)
class WrongSignature:
    """A function of a bot, and how it should begin."""

    function: types.FunctionType
    expected: str

    @property
    def hint(self) -> Text:
        """The end of a sentence that tells what Python said."""
        return Text(f"; write def {self.expected}:", f"；应写成 def {self.expected}:")

    @property
    def trace(self) -> str:
        """The place of the function, as a traceback names places."""
        code = self.function.__code__
        place = traceback.FrameSummary(code.co_filename, code.co_firstlineno, code.co_name)
        return "".join(["Traceback (most recent call last):\n", *traceback.format_list([place])])


def find_wrong_signature(error: BaseException, host: Host | None) -> WrongSignature | None:
    """The function that an exception is about which no frame of a bot raised."""
    if host is None or type(error) is not TypeError:
        return None
    found = MESSAGE.match(str(error))
    function = _look_up(host.namespace, found["name"]) if found else None
    if not isinstance(function, types.FunctionType):
        return None
    expected = host.signatures.get(function.__name__)
    return WrongSignature(function, expected) if expected else None


def _look_up(namespace: Any, dotted: str) -> Any:
    """What a module defines under a name such as ``Bot.move``; None if nothing."""
    first, *rest = dotted.split(".")
    found = namespace.get(first)
    for name in rest:
        found = vars(found).get(name) if isinstance(found, type) else None
    return found
