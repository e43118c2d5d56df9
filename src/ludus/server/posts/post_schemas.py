"""API schemas: comments and announcements."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ludus.server.vocabulary import Role

MAX_POST_CHARS = 2000


class PostAuthor(msgspec.Struct):
    """The person who wrote a comment or an announcement."""

    name: str
    shown: str
    """The display name; empty: the account's name."""
    role: Role


class PostInfo(msgspec.Struct):
    """A comment or an announcement; plain text."""

    id: int
    at: str
    author: PostAuthor
    text: str
    mine: bool
    hidden: bool
    """Whether the staff has hidden it; then only its author and the staff still see it."""


class PostPage(msgspec.Struct):
    """A page of comments or announcements, newest first, and what the reader may do there."""

    items: list[PostInfo]
    next: int | None
    may_write: bool
    may_moderate: bool


class NewPost(msgspec.Struct, forbid_unknown_fields=True):
    """The text of a new comment or announcement."""

    text: Annotated[str, msgspec.Meta(max_length=MAX_POST_CHARS)]


class PostChange(msgspec.Struct, forbid_unknown_fields=True):
    """Hide a post, or show it again."""

    hidden: bool
