"""Jails for strangers' programs, which see their own files and little else, and leave nothing.

``launch`` starts a program in a jail, ``run`` runs one to its end, ``list_levels`` says what this
machine can do; ``launch_unjailed`` starts a program that its user trusts. ``zygote`` explains which
processes there are, ``keeper`` how a jail is built.
"""

from ludus.sandbox.capabilities import list_gaps, list_remedies, probe_abilities
from ludus.sandbox.jailed_process import JailedProcess
from ludus.sandbox.launcher import choose_level, close_zygote, launch, list_levels
from ludus.sandbox.messages import Abilities, JailLevel, ProgramEnding
from ludus.sandbox.program import ARGUMENT_VARIABLE, BOT_FOLDER, FinishedProgram, Limits, Program
from ludus.sandbox.run import limit_fault, memory_fault, run
from ludus.sandbox.unjailed_process import UNJAILED, UnjailedProcess, launch_unjailed

__all__ = [
    "ARGUMENT_VARIABLE",
    "BOT_FOLDER",
    "UNJAILED",
    "Abilities",
    "FinishedProgram",
    "JailLevel",
    "JailedProcess",
    "Limits",
    "Program",
    "ProgramEnding",
    "UnjailedProcess",
    "choose_level",
    "close_zygote",
    "launch",
    "launch_unjailed",
    "limit_fault",
    "list_gaps",
    "list_levels",
    "list_remedies",
    "memory_fault",
    "probe_abilities",
    "run",
]
