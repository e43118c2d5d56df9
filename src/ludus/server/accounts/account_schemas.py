"""What the API says about people, tokens, notices, teams and classes."""

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
    """What they want to be shown as; empty: their name."""
    role: Role
    joined: str
    active: bool
    email: str | UnsetType = UNSET
    """For the person and for the organiser, like ``language``."""
    language: str | UnsetType = UNSET


class UserPage(msgspec.Struct):
    """A page of people."""

    items: list[UserInfo]
    next: int | None


class OpenDoors(msgspec.Struct):
    """What people without an account may do."""

    register: bool


class AccountInfo(msgspec.Struct):
    """Who asks, and what the page must send with every change."""

    user: UserInfo | None
    csrf: str
    notices: int
    """Unread ones."""
    first: bool
    """Nobody has an account yet: the first one is the organiser's."""
    needs_code: bool
    """The first account is made with a code from the terminal."""
    open: OpenDoors


class PasswordResetDone(msgspec.Struct):
    """A new password is set for the person of this name."""

    name: str
    ok: Literal[True] = True


class TokenInfo(msgspec.Struct):
    """A token, without its text unless it was made just now."""

    id: int
    label: str
    made: str
    scopes: list[Scope]
    until: str | None
    """When it ends by itself."""
    used: str | None
    """About when it was last used."""
    token: str | UnsetType = UNSET
    """Told once, when it is made."""


class NoticeInfo(msgspec.Struct):
    """Something that a person is told."""

    id: int
    at: str
    kind: str
    text: Text
    link: str
    """Where on the page it leads; may be empty."""
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
    """Lets others join; for members."""


class GroupInfo(msgspec.Struct):
    """A class."""

    id: int
    name: str
    members: int
    mine: bool
    """Whether whoever asks is in it."""
    code: str | UnsetType = UNSET
    """Lets others join; for its teachers, like ``people``."""
    people: list[UserInfo] | UnsetType = UNSET


class NewAccount(msgspec.Struct):
    """An account that a class list made."""

    name: str
    code: str
    """To choose a password with; empty where the list had one."""


class RosterError(msgspec.Struct):
    """A line of a class list that could not be used."""

    line: int
    why: Text


class RosterReport(msgspec.Struct):
    """What became of the lines of a class list."""

    created: list[NewAccount]
    joined: list[str]
    invited: list[str]
    """Who had an account already, and is asked whether they like to join."""
    errors: list[RosterError]
