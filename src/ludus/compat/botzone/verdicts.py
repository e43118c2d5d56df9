"""Botzone's verdicts, and the faults of Ludus that they are."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from ludus.lang import Text
from ludus.sandbox.bot_fault import BotFault, FaultKind


class BotzoneVerdict(enum.StrEnum):
    """What Botzone says about one turn of a program."""

    OK = "OK"
    TLE = "TLE"
    MLE = "MLE"
    OLE = "OLE"
    NJ = "NJ"
    RE = "RE"


FAULT_KINDS: Mapping[BotzoneVerdict, FaultKind] = {
    BotzoneVerdict.TLE: FaultKind.TIMEOUT,
    BotzoneVerdict.MLE: FaultKind.MEMORY,
    BotzoneVerdict.OLE: FaultKind.OUTPUT,
    BotzoneVerdict.NJ: FaultKind.OUTPUT,
    BotzoneVerdict.RE: FaultKind.CRASH,
}
VERDICTS: Mapping[FaultKind, BotzoneVerdict] = {
    FaultKind.TIMEOUT: BotzoneVerdict.TLE,
    FaultKind.MEMORY: BotzoneVerdict.MLE,
    FaultKind.OUTPUT: BotzoneVerdict.OLE,
    FaultKind.CRASH: BotzoneVerdict.RE,
}
"""The verdicts of faults that a process is charged with; NJ is found by reading its output."""


def make_fault(verdict: BotzoneVerdict, en: str, zh: str) -> BotFault:
    """The fault of Ludus for a verdict of Botzone, whose name begins the sentence."""
    return BotFault(FAULT_KINDS[verdict], f"{verdict}: {en}", f"{verdict}：{zh}")


def add_verdict_name(fault: BotFault) -> BotFault:
    """The same fault with the name of Botzone's verdict before its sentence, if it has one."""
    verdict = VERDICTS.get(fault.kind)
    if verdict is not None and find_verdict(fault) is None:
        en, zh = fault.why["en"], fault.why["zh"]
        fault.why = Text(f"{verdict}: {en}", f"{verdict}：{zh}")
    return fault


def find_verdict(fault: BotFault) -> BotzoneVerdict | None:
    """The verdict that a fault's sentence begins with."""
    name = fault.why["en"].partition(":")[0]
    return BotzoneVerdict(name) if name in BotzoneVerdict.__members__ else None
