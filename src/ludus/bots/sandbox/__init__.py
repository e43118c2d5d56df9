"""Where strangers' programs run: they see their own files and little else, and leave nothing.

``launch`` starts a program in a jail, ``run`` runs one to its end, ``levels`` tells what this
machine can do. How a jail is made is told in ``jail``.
"""

from ludus.bots.sandbox.completion import broken_limit, out_of_memory, run
from ludus.bots.sandbox.jailed import Jailed
from ludus.bots.sandbox.launcher import choose, close, launch, levels
from ludus.bots.sandbox.order import Abilities, Ending, Level
from ludus.bots.sandbox.program import ARGUMENT, BOT, Finished, Limits, Program, python_bot
from ludus.bots.sandbox.report import abilities, gaps, remedies

__all__ = [
    "ARGUMENT",
    "BOT",
    "Abilities",
    "Ending",
    "Finished",
    "Jailed",
    "Level",
    "Limits",
    "Program",
    "abilities",
    "broken_limit",
    "choose",
    "close",
    "gaps",
    "launch",
    "levels",
    "out_of_memory",
    "python_bot",
    "remedies",
    "run",
]
