"""Collects what a bot prints in one turn."""

from __future__ import annotations

import dataclasses

from ludus.compat.botzone.messages import KEEP_RUNNING_MARKER, MAX_ANSWER_BYTES
from ludus.compat.botzone.verdicts import BotzoneVerdict, VerdictFault


@dataclasses.dataclass(frozen=True, slots=True)
class TurnOutput:
    """The complete output of one turn."""

    data: bytes
    """What was printed before the marker, or before the program ended."""
    keeps_running: bool


class TurnOutputReader:
    """A turn's output is complete with the marker's line, or when the program has ended.

    Blank lines after the marker are ignored.
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._searched = 0
        """Bytes of what is held that are known to contain no marker."""

    def feed(self, data: bytes) -> TurnOutput | None:
        """The output, once the line of the marker is complete."""
        self._held += data
        if len(self._held) > MAX_ANSWER_BYTES + len(KEEP_RUNNING_MARKER) + 2:
            raise output_limit_fault()
        found = self._held.find(KEEP_RUNNING_MARKER, self._searched)
        if found < 0:
            self._searched = max(0, len(self._held) - len(KEEP_RUNNING_MARKER))
            return None
        after = bytes(self._held[found + len(KEEP_RUNNING_MARKER) :])
        if b"\n" not in after:
            self._searched = found
            return None
        output = TurnOutput(bytes(self._held[:found]), keeps_running=True)
        self._held.clear()
        self._searched = 0
        self.feed_unasked(after)
        return output

    def feed_unasked(self, data: bytes) -> None:
        if rest := data.strip():
            shown = rest[:80]
            raise VerdictFault(
                BotzoneVerdict.NJ,
                f"it printed {shown!r} after the marker, before it was asked again",
                f"它在标记之后、再次被询问之前输出了 {shown!r}",
            )

    def finish(self) -> TurnOutput:
        """The output of a program that has ended."""
        output = TurnOutput(bytes(self._held), keeps_running=False)
        self._held.clear()
        self._searched = 0
        return output

    @property
    def held(self) -> bytes:
        """What was printed in this turn so far."""
        return bytes(self._held)


def output_limit_fault() -> VerdictFault:
    """The fault of a bot that printed more than a turn allows."""
    size = MAX_ANSWER_BYTES >> 20
    return VerdictFault(
        BotzoneVerdict.OLE,
        f"it printed more than {size} MB in one turn",
        f"它在一个回合中输出了超过 {size} MB",
    )
