"""Botzone's verdicts, and the faults of Ludus that they are."""

from __future__ import annotations

import enum
from collections.abc import Mapping

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


class VerdictFault(BotFault):
    """A fault for which Botzone has a name, which begins its sentence."""

    def __init__(self, verdict: BotzoneVerdict, en: str, zh: str) -> None:
        super().__init__(FAULT_KINDS[verdict], f"{verdict}: {en}", f"{verdict}：{zh}")
        self.verdict = verdict


def find_verdict(fault: BotFault) -> BotzoneVerdict | None:
    """Botzone's verdict for a fault; None for what it has no name for, such as an illegal move."""
    return fault.verdict if isinstance(fault, VerdictFault) else VERDICTS.get(fault.kind)


def name_verdict(fault: BotFault) -> BotFault:
    """The same fault with the name of Botzone's verdict, if there is one for its kind."""
    verdict = find_verdict(fault)
    if verdict is None or isinstance(fault, VerdictFault):
        return fault
    return VerdictFault(verdict, fault.why["en"], fault.why["zh"])
