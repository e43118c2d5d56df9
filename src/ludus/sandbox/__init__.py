"""Jails for strangers' programs, which see their own files and little else, and leave nothing.

``launch`` starts a program in a jail, ``run`` runs one to its end, ``list_levels`` says what this
machine can do. ``zygote`` explains which processes there are, ``keeper`` how a jail is built.
"""

from ludus.sandbox.capabilities import list_gaps, list_remedies, probe_abilities
from ludus.sandbox.jailed_process import JailedProcess
from ludus.sandbox.launcher import choose_level, close_zygote, launch, list_levels
from ludus.sandbox.messages import Abilities, JailLevel, ProgramEnding
from ludus.sandbox.program import ARGUMENT_VARIABLE, BOT_FOLDER, FinishedProgram, Limits, Program
from ludus.sandbox.run import limit_fault, memory_fault, run

__all__ = [
    "ARGUMENT_VARIABLE",
    "BOT_FOLDER",
    "Abilities",
    "FinishedProgram",
    "JailLevel",
    "JailedProcess",
    "Limits",
    "Program",
    "ProgramEnding",
    "choose_level",
    "close_zygote",
    "launch",
    "limit_fault",
    "list_gaps",
    "list_levels",
    "list_remedies",
    "memory_fault",
    "probe_abilities",
    "run",
]
