"""API schemas: the repository of a bot, its remote and its pushes."""

from __future__ import annotations

import msgspec

from ludus.lang import Text
from ludus.scheduling.schema.git import HostKind, PushOrigin, PushState
from ludus.server.vocabulary import VersionState


class GitPushInfo(msgspec.Struct):
    """A ref that was pushed, and what became of it."""

    id: int
    at: str
    origin: PushOrigin
    ref: str
    commit: str
    subject: str
    state: PushState
    version: int | None
    """The number of the version that it became."""
    check: VersionState | None
    """The state of that version."""
    reason: Text | None
    """Why it was refused."""


class GitRemoteInfo(msgspec.Struct):
    """A repository elsewhere that a bot is tied to, without its secrets."""

    url: str
    kind: HostKind
    branch: str
    webhook: str
    """The path at which the host announces pushes."""
    public_key: str
    """The key that the host has to allow, for addresses of SSH."""
    has_token: bool
    tied_by: str
    """Who tied it: versions count for this person."""


class GitInfo(msgspec.Struct):
    """How a bot is submitted with git, for its owners."""

    available: bool
    """Whether this server has git."""
    address: str
    """The path of the bot's repository on this server."""
    ladder: bool
    """Whether pushed versions enter the ladder once their check has passed."""
    remote: GitRemoteInfo | None
    pushes: list[GitPushInfo]
    """The last ones, newest first."""
    secret: str = ""
    """The webhook's secret; only in the answer to tying a remote."""


class WebhookAnswer(msgspec.Struct):
    """What a webhook led to: ``waiting`` to be fetched, or ``ignored``."""

    state: str
