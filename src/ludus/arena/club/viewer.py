"""Who asks: somebody who has logged in, a program with a token, or anybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ludus.arena.refusals import login_first, not_yours

ORGANISER, TEACHER, STUDENT = "organiser", "teacher", "student"
ROLES = (ORGANISER, TEACHER, STUDENT)
Role = Literal["organiser", "teacher", "student"]


@dataclass(frozen=True, slots=True)
class Viewer:
    """What the club needs to know of whoever asks."""

    id: int = 0
    """0: nobody has logged in."""
    name: str = ""
    role: str = ""
    by: Literal["", "session", "token"] = ""
    """How they are known. A session needs the page's token against forged requests."""
    csrf: str = ""
    teams: frozenset[int] = frozenset()
    groups: frozenset[int] = frozenset()

    @property
    def known(self) -> bool:
        return bool(self.id)

    @property
    def organiser(self) -> bool:
        return self.role == ORGANISER

    @property
    def staff(self) -> bool:
        return self.role in (ORGANISER, TEACHER)

    def must_be_known(self) -> Viewer:
        if not self.known:
            raise login_first()
        return self

    def must_be_staff(self) -> Viewer:
        self.must_be_known()
        if not self.staff:
            raise not_yours()
        return self

    def must_be_organiser(self) -> Viewer:
        self.must_be_known()
        if not self.organiser:
            raise not_yours()
        return self


NOBODY = Viewer()
