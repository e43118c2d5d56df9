"""Who asks: somebody who has logged in, a program with a token, or anybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ludus.server.web.errors import NotAllowed, login_first, not_yours

ORGANISER, TEACHER, STUDENT = "organiser", "teacher", "student"
ROLES = (ORGANISER, TEACHER, STUDENT)
Role = Literal["organiser", "teacher", "student"]
READ, UPLOAD, PLAY, ADMIN = SCOPES = ("read", "upload", "play", "admin")
"""What a token may be for: to see what its owner sees; bots and their versions; challenges,
contests, rooms and teams; whatever its owner's role allows."""


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
    scopes: frozenset[str] = frozenset()
    """Of a token; a session has no need of any."""

    @property
    def known(self) -> bool:
        return bool(self.id)

    @property
    def organiser(self) -> bool:
        return self.role == ORGANISER

    @property
    def staff(self) -> bool:
        return self.role in (ORGANISER, TEACHER)

    def teaches(self, group_id: int | None) -> bool:
        """Whether they run a class: its teachers are those of the staff who are in it, whoever made
        it first, and the organiser runs all. What belongs to no class (None) is all the staff's."""
        return self.organiser or (self.staff and (group_id is None or group_id in self.groups))

    def may(self, scope: str) -> bool:
        """Whether whoever asks was trusted with this; a token with its scopes alone."""
        return self.by != "token" or scope in self.scopes

    def must_be_known(self) -> Viewer:
        if not self.known:
            raise login_first()
        return self

    def must_be_staff(self) -> Viewer:
        self.must_be_known()
        if not self.staff:
            raise not_yours()
        return self

    def must_teach(self, group_id: int | None) -> Viewer:
        self.must_be_staff()
        if not self.teaches(group_id):
            raise NotAllowed(
                "that belongs to a class that you do not teach", "这属于你不任教的班级"
            )
        return self

    def must_be_organiser(self) -> Viewer:
        self.must_be_known()
        if not self.organiser:
            raise not_yours()
        return self


NOBODY = Viewer()
