"""API schemas: people, tokens, notices, teams and classes."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ludus.lang import Text
from ludus.server.vocabulary import GroupRole, Role, RosterColumn, Scope

RosterPersonState = Literal["new", "member", "changed", "joins", "invited", "wrong"]
"""What an import does with a person: a new account; nothing; it changes what the class knows of
them; they join with their account; they are asked to; nothing, since the line is wrong."""


class UserInfo(msgspec.Struct):
    """A person with an account."""

    id: int
    name: str
    shown: str
    """The display name; empty: the account's name."""
    role: Role
    joined: str
    active: bool
    email: str | UnsetType = UNSET
    """Shown to the person and to the organiser, like ``language``."""
    language: str | UnsetType = UNSET
    email_verified: bool | UnsetType = UNSET
    mail_notices: bool | UnsetType = UNSET
    """Whether their notices are sent by e-mail, too."""
    real_names: list[str] | UnsetType = UNSET
    """What the rosters of their classes call them; for the organiser."""
    numbers: list[str] | UnsetType = UNSET
    """Their student numbers; for the organiser."""


class UserPage(msgspec.Struct):
    """A page of people."""

    items: list[UserInfo]
    next: int | None


class OpenDoors(msgspec.Struct):
    """What people without an account may do."""

    register: bool


class AccountInfo(msgspec.Struct):
    """The account of the request, and the token that the page must send with every change."""

    user: UserInfo | None
    csrf: str
    notices: int
    """The number of unread notices."""
    first: bool
    """Whether there is no account yet: the first one becomes the organiser."""
    needs_code: bool
    """Whether the first account needs the code from the terminal."""
    open: OpenDoors
    sends_mail: bool
    """Whether the server can send notices by e-mail."""
    public_url: str
    """Where people open the page, if the server was told; without a slash at the end."""
    teaches: bool
    """Whether the person belongs to the staff of the site or of a class."""
    studies: bool
    """Whether the person is a student of a class."""


class PasswordResetDone(msgspec.Struct):
    """A new password was set for the person with this name."""

    name: str
    ok: Literal[True] = True


class TokenInfo(msgspec.Struct):
    """A token; its text is included only when it was just created."""

    id: int
    label: str
    made: str
    scopes: list[Scope]
    until: str | None
    """When it expires."""
    used: str | None
    """When it was last used, about."""
    token: str | UnsetType = UNSET
    """Shown once, when it is created."""


class NoticeInfo(msgspec.Struct):
    """A notification for a person."""

    id: int
    at: str
    kind: str
    text: Text
    link: str
    """The page that it leads to; may be empty."""
    read: bool


class NoticePage(msgspec.Struct):
    """A page of one's own notices."""

    items: list[NoticeInfo]
    next: int | None


class TeamMember(msgspec.Struct):
    """A member of a team."""

    id: int
    name: str
    captain: bool


class TeamInfo(msgspec.Struct):
    """People who own bots together."""

    id: int
    name: str
    members: list[TeamMember]
    code: str | UnsetType = UNSET
    """Lets others join; shown to members."""


class GroupMember(msgspec.Struct):
    """A member of a class, as its staff sees them."""

    id: int
    name: str
    shown: str
    role: GroupRole
    number: str
    """The student number, the real name and the section, as the class list has them."""
    real_name: str
    section: str
    activated: bool
    """Whether they have chosen a password; before that they cannot log in."""
    joined: str
    teams: list[str]


class FirstSteps(msgspec.Struct):
    """What a teacher has done for a class so far."""

    roster: bool
    """Whether there are students in it."""
    invitation: bool
    """Whether a student can log in."""
    assignment: bool
    """Whether it has an assignment."""
    contest: bool
    """Whether a contest was planned for it."""


class GroupInfo(msgspec.Struct):
    """A class."""

    id: int
    name: str
    members: int
    mine: bool
    """Whether the person who asks is in it."""
    role: GroupRole | None
    """What the person who asks may do in it."""
    archived: str | None
    """When it was archived; null: it is in use."""
    code: str | UnsetType = UNSET
    """Lets others join; shown to its staff, like ``people`` and ``steps``."""
    people: list[GroupMember] | UnsetType = UNSET
    steps: FirstSteps | UnsetType = UNSET


class NewAccount(msgspec.Struct):
    """An account created from a class list, which nobody has used yet."""

    name: str
    code: str
    """For activating it; empty where the list contains a password."""
    number: str
    real_name: str
    section: str
    email: str = ""
    """As the roster has it; teachers do not see addresses that a person has given, nor those of
    rosters of others."""


class ActivationInfo(msgspec.Struct):
    """Whom an activation code is for."""

    name: str
    """The name of the account so far."""
    real_name: str
    number: str
    groups: list[str]
    """The names of the classes."""


class RosterHeading(msgspec.Struct):
    """A column of a class list."""

    heading: str
    meaning: RosterColumn | None
    """Null: it is not used."""


class RosterPerson(msgspec.Struct):
    """A line of a class list, and what an import would do with it."""

    line: int
    state: RosterPersonState
    number: str
    real_name: str
    section: str
    email: str
    account: str
    why: Text | None
    """Why it is wrong."""


class RosterPreview(msgspec.Struct):
    """What an import of a class list would do."""

    headings: list[RosterHeading]
    people: list[RosterPerson]
    counts: dict[RosterPersonState, int]


class RosterError(msgspec.Struct):
    """A line of a class list that could not be used."""

    line: int
    why: Text


class RosterReport(msgspec.Struct):
    """The results of importing a class list."""

    created: list[NewAccount]
    """New accounts; they are in the class."""
    joined: list[str]
    """People who had an account already and joined now."""
    members: list[str]
    """People who were in the class already."""
    changed: list[str]
    """Those of them of whom the list says something new."""
    invited: list[str]
    """People who had an account already and are invited to join."""
    errors: list[RosterError]
