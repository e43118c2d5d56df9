"""API schemas: people, tokens, notices, teams and classes."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ludus.lang import Text
from ludus.server.vocabulary import Role, Scope


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


class GroupInfo(msgspec.Struct):
    """A class."""

    id: int
    name: str
    members: int
    mine: bool
    """Whether the person who asks is in it."""
    code: str | UnsetType = UNSET
    """Lets others join; shown to its teachers, like ``people``."""
    people: list[UserInfo] | UnsetType = UNSET


class NewAccount(msgspec.Struct):
    """An account created from a class list."""

    name: str
    code: str
    """For choosing a password; empty where the list contains one."""


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
    invited: list[str]
    """People who had an account already and are invited to join."""
    errors: list[RosterError]
