"""The repository of a bot over the API: its address, its remote, its pushes, and webhooks."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from litestar import delete, get, patch, post, put
from litestar.params import FromPath, JSONBody

from ludus.errors import LudusError
from ludus.scheduling.schema import GitRemoteRow
from ludus.scheduling.schema.git import HostKind
from ludus.server.accounts.auth import (
    SESSION_ONLY,
    AnyRequest,
    InjectedIdentity,
    get_client_address,
)
from ludus.server.accounts.identity import UPLOAD
from ludus.server.bots import bots
from ludus.server.git import jailed_git, remotes, webhooks
from ludus.server.git.git_schemas import GitInfo, WebhookAnswer
from ludus.server.git.remote_address import parse_address, resolve_host
from ludus.server.git.webhooks import AnnouncedPush
from ludus.server.services import InjectedBackground, InjectedDatabase, InjectedSite
from ludus.server.state import InjectedState, ServerState
from ludus.server.web.addresses import network_key
from ludus.server.web.errors import not_found

MAX_WEBHOOK_BYTES = 4 << 20
"""The most bytes of a webhook: hosts list the files of each commit."""


class GitChange(msgspec.Struct, forbid_unknown_fields=True):
    """What becomes of pushed versions."""

    ladder: bool
    """Whether they enter the ladder once their check has passed."""


class RemoteRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A repository elsewhere that a bot is to be tied to."""

    url: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    kind: HostKind
    branch: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] = "main"
    token: Annotated[str, msgspec.Meta(max_length=300, pattern=r"^[!-~]*$")] = ""
    """The host's token for reading a private repository and for commit statuses; it is never
    shown again."""


@get("/bots/{id:int}/git", sync_to_thread=True)
def get_git(database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]) -> GitInfo:
    """How a bot of yours is submitted with git, and its last pushes."""
    with database.reading() as session:
        return remotes.describe_git(session, bots.get_owned_bot(session, id, identity))


@patch("/bots/{id:int}/git", sync_to_thread=True, scope=UPLOAD)
def change_git(
    database: InjectedDatabase,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[GitChange],
) -> GitInfo:
    """Choose whether pushed versions enter the ladder."""
    with database.writing() as session:
        bot = bots.get_owned_bot(session, id, identity)
        bot.ladder_pushes = data.ladder
        return remotes.describe_git(session, bot)


@put("/bots/{id:int}/git/remote", sync_to_thread=True, scope=SESSION_ONLY)
def tie_remote(
    request: AnyRequest,
    site: InjectedSite,
    identity: InjectedIdentity,
    id: FromPath[int],
    data: JSONBody[RemoteRequest],
) -> GitInfo:
    """Tie a bot to a repository elsewhere; the answer holds the webhook's secret, once."""
    with site.database.reading() as session:
        bots.get_owned_bot(session, id, identity)
    jailed_git.require_git()
    allowed = site.settings.git_hosts
    with site.rate_limits.git_pushes.count_try(str(identity.id)):
        resolve_host(parse_address(data.url, allowed), allowed)
    with site.database.writing() as session:
        bot = bots.get_owned_bot(session, id, identity)
        secret = remotes.tie_remote(
            session,
            identity,
            bot,
            url=data.url,
            kind=data.kind,
            branch=data.branch,
            token=data.token,
            allowed=allowed,
            site_url=str(request.base_url).rstrip("/"),
        )
        return msgspec.structs.replace(remotes.describe_git(session, bot), secret=secret)


@delete("/bots/{id:int}/git/remote", sync_to_thread=True, status_code=200, scope=SESSION_ONLY)
def untie_remote(
    database: InjectedDatabase, identity: InjectedIdentity, id: FromPath[int]
) -> GitInfo:
    """Untie a bot from its remote; versions stay."""
    with database.writing() as session:
        bot = bots.get_owned_bot(session, id, identity)
        remotes.untie_remote(session, identity, bot)
        return remotes.describe_git(session, bot)


@post("/bots/{id:int}/git/fetch", sync_to_thread=True, status_code=200, scope=UPLOAD)
def fetch_remote(
    site: InjectedSite,
    background: InjectedBackground,
    identity: InjectedIdentity,
    id: FromPath[int],
) -> GitInfo:
    """Fetch the remote's branch now, as if it had been pushed."""
    with (
        site.rate_limits.git_pushes.count_try(str(identity.id)),
        site.database.writing() as session,
    ):
        bot = bots.get_owned_bot(session, id, identity)
        remote = session.get(GitRemoteRow, id)
        if remote is None:
            raise not_found("remote", "远程仓库")
        webhooks.queue_push(session, remote, AnnouncedPush(f"refs/heads/{remote.branch}", ""))
        described = remotes.describe_git(session, bot)
    background.wake()
    return described


@post(
    "/webhooks/{id:int}",
    status_code=202,
    scope=SESSION_ONLY,
    request_max_body_size=MAX_WEBHOOK_BYTES,
)
async def receive_webhook(
    request: AnyRequest, server_state: InjectedState, id: FromPath[int]
) -> WebhookAnswer:
    """A push that GitHub, GitLab or Gitea announces; it must know the webhook's secret."""
    body = await request.body()
    headers = {name.lower(): value for name, value in request.headers.items()}
    sender = f"{id} {network_key(get_client_address(request))}"
    state = await asyncio.to_thread(_take_webhook, server_state, id, sender, headers, body)
    if state == "waiting":
        server_state.background.wake()
    return WebhookAnswer(state)


def _take_webhook(
    server_state: ServerState, id: int, sender: str, headers: dict[str, str], body: bytes
) -> str:
    site = server_state.site
    if not site.database.exists():
        raise webhooks.wrong_secret()
    with (
        site.rate_limits.webhooks.count_try(sender, LudusError),
        site.database.reading() as session,
    ):
        remote = session.get(GitRemoteRow, id)
        if remote is None:
            raise webhooks.wrong_secret()
        webhooks.verify_sender(headers, body, remote.webhook_secret)
        push = webhooks.parse_push(headers, body, remote.branch)
    if push is None:
        return "ignored"
    server_state.refuse_uploads()
    with site.database.writing() as session:
        queued = webhooks.queue_push(session, session.get_one(GitRemoteRow, id), push)
    return "waiting" if queued else "known"


HANDLERS = [
    get_git,
    change_git,
    tie_remote,
    untie_remote,
    fetch_remote,
    receive_webhook,
]
