"""Who asks: somebody who has logged in, a program with a token, or anybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ludus.server.vocabulary import Role, Scope
from ludus.server.web.errors import Forbidden, login_required, permission_denied

ORGANISER: Role = "organiser"
TEACHER: Role = "teacher"
STUDENT: Role = "student"
ROLES = (ORGANISER, TEACHER, STUDENT)
SCOPES: tuple[Scope, ...] = ("read", "upload", "play", "admin")
READ, UPLOAD, PLAY, ADMIN = SCOPES
"""What a token may be for: to see what its owner sees; bots and their versions; challenges,
contests, rooms and teams; whatever its owner's role allows."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What the club needs to know of whoever asks."""

    id: int = 0
    """0: nobody has logged in."""
    name: str = ""
    role: str = ""
    auth_method: Literal["", "session", "token"] = ""
    """How they are known. A session needs the page's token against forged requests."""
    csrf: str = ""
    teams: frozenset[int] = frozenset()
    groups: frozenset[int] = frozenset()
    scopes: frozenset[str] = frozenset()
    """Of a token; a session has no need of any."""

    @property
    def is_logged_in(self) -> bool:
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

    def has_scope(self, scope: str) -> bool:
        """Whether whoever asks was trusted with this; a token with its scopes alone."""
        return self.auth_method != "token" or scope in self.scopes

    def require_login(self) -> Identity:
        if not self.is_logged_in:
            raise login_required()
        return self

    def require_staff(self) -> Identity:
        self.require_login()
        if not self.staff:
            raise permission_denied()
        return self

    def require_teacher_of(self, group_id: int | None) -> Identity:
        self.require_staff()
        if not self.teaches(group_id):
            raise Forbidden("that belongs to a class that you do not teach", "这属于你不任教的班级")
        return self

    def require_organiser(self) -> Identity:
        self.require_login()
        if not self.organiser:
            raise permission_denied()
        return self


ANONYMOUS = Identity()
