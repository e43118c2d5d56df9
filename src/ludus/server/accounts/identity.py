"""Who sends a request: a person who has logged in, a program with a token, or a guest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ludus.server.vocabulary import Role, Scope
from ludus.server.web.errors import Forbidden, login_required, permission_denied

ORGANISER: Role = "organiser"
TEACHER: Role = "teacher"
STUDENT: Role = "student"
ROLES = (ORGANISER, TEACHER, STUDENT)
STAFF = (ORGANISER, TEACHER)
SCOPES: tuple[Scope, ...] = ("read", "upload", "play", "admin")
READ, UPLOAD, PLAY, ADMIN = SCOPES
"""The scopes of a token: read what its owner sees; upload bots and versions; take part in
challenges, contests, rooms and teams; use its owner's role."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who sends a request, with their role, classes and scopes."""

    id: int = 0
    """0: not logged in."""
    name: str = ""
    role: str = ""
    auth_method: Literal["", "session", "token"] = ""
    """How the request was authenticated. A session also needs its CSRF token for changes."""
    csrf: str = ""
    teams: frozenset[int] = frozenset()
    groups: frozenset[int] = frozenset()
    """The classes they are in."""
    teaching: frozenset[int] = frozenset()
    """The classes they teach."""
    assisting: frozenset[int] = frozenset()
    """The classes to whose staff they belong, as teachers or assistants."""
    scopes: frozenset[str] = frozenset()
    """The scopes of a token; a session needs none."""

    @property
    def is_logged_in(self) -> bool:
        return bool(self.id)

    @property
    def organiser(self) -> bool:
        return self.role == ORGANISER

    @property
    def staff(self) -> bool:
        return self.role in STAFF

    def teaches(self, group_id: int | None) -> bool:
        """Whether they teach a class and may do everything in it; the organiser teaches all. What
        belongs to no class (None) is open to all teachers."""
        return self.organiser or (self.staff and (group_id is None or group_id in self.teaching))

    def assists(self, group_id: int | None) -> bool:
        """Whether they belong to the staff of a class: its teachers, its assistants (who see
        everything and grade, but delete nothing and give no roles) and the organiser. What belongs
        to no class (None) is open to all teachers."""
        return self.teaches(group_id) or group_id in self.assisting

    def has_scope(self, scope: str) -> bool:
        """Whether the request may use a scope; sessions may use all, tokens their own."""
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

    def require_assistant_of(self, group_id: int | None) -> Identity:
        """Refuse people who do not belong to the staff of a class."""
        self.require_login()
        if not self.assists(group_id):
            raise permission_denied()
        return self

    def require_organiser(self) -> Identity:
        self.require_login()
        if not self.organiser:
            raise permission_denied()
        return self


ANONYMOUS = Identity()
