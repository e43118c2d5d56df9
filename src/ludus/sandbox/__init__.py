"""Where strangers' programs run: they see their own files and little else, and leave nothing.

``launch`` starts a program in a jail, ``run`` runs one to its end, ``levels`` tells what this
machine can do. How a jail is made is told in ``jail``.
"""

from ludus.sandbox.capabilities import abilities, gaps, remedies
from ludus.sandbox.jailed_process import Jailed
from ludus.sandbox.launcher import choose, close, launch, levels
from ludus.sandbox.messages import Abilities, Ending, Level
from ludus.sandbox.program import ARGUMENT, BOT, Finished, Limits, Program
from ludus.sandbox.run import broken_limit, out_of_memory, run

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
    "remedies",
    "run",
]
