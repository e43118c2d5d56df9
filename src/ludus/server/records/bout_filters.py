"""What can be asked of bouts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from litestar.params import QueryParameter

from ludus.errors import LudusError
from ludus.sandbox.bot_fault import FaultKind

ResultFilter = Literal["won", "lost", "drawn", "decided"]
FAULT_FILTERS = ("any", *(kind.value for kind in FaultKind))
MAX_WORD_CHARS = 120

Word = Annotated[str, QueryParameter(max_length=MAX_WORD_CHARS)]
Number = Annotated[int | None, QueryParameter(ge=0, le=1 << 31)]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoutFilters:
    """Which bouts are wanted; what is left empty does not matter.

    ``player`` and ``opponent`` are beginnings of the names of bots and of their owners, see
    ``player_names``. ``result``, ``fault`` and ``seat`` are about the player or, without one, about
    any seat.
    """

    player: str = ""
    opponent: str = ""
    version: int | None = None
    """The number of the player's version."""
    seat: int | None = None
    result: str = ""
    fault: str = ""
    """A kind of fault, or ``any``."""
    game: str = ""
    kind: str = ""
    """A kind of contest."""
    contest: int | None = None
    title: str = ""
    """The beginning of a word of a contest's title."""
    since: int | None = None
    until: int | None = None
    """When the bout began, in seconds since 1970."""

    @property
    def names_contests(self) -> bool:
        return bool(self.game or self.kind or self.contest is not None or self.title)


def check_fault(fault: str) -> str:
    """A kind of fault that can be searched for; raises LudusError."""
    if fault and fault not in FAULT_FILTERS:
        known = ", ".join(FAULT_FILTERS)
        raise LudusError(f"`fault` must be one of {known}", f"fault 应为以下之一：{known}")
    return fault


def parse_moment(moment: str) -> int | None:
    """A date or a time as seconds since 1970; without a zone it is in UTC."""
    if not moment.strip():
        return None
    try:
        parsed = datetime.fromisoformat(moment.strip())
        zoned = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        return int(zoned.timestamp())
    except (ValueError, OverflowError):
        raise LudusError(
            f"{moment[:40]!r} is not a date; write for instance 2026-05-31",
            f"{moment[:40]!r} 不是日期；请写成 2026-05-31 的形式",
        ) from None
