"""Git over HTTP: the addresses under ``/git`` that a git client talks to."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

from litestar import Response, Router, get, post
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Stream

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling.schema import UserRow
from ludus.server.accounts.auth import (
    AnyRequest,
    InjectedIdentity,
    get_client_address,
    missing_scope,
)
from ludus.server.accounts.identity import READ, UPLOAD, Identity
from ludus.server.bots import bots
from ludus.server.bots.upload_limits import MAX_REPOSITORY_MEGABYTES
from ludus.server.git import jailed_git, repositories, version_history
from ludus.server.git.pkt_lines import FLUSH, encode_line
from ludus.server.git.push import Push
from ludus.server.git.push_commands import MAX_COMMAND_BYTES, ZERO_ID
from ludus.server.page_links import page_link
from ludus.server.state import InjectedState, ServerState
from ludus.server.web.errors import (
    Forbidden,
    NotLoggedIn,
    PayloadTooLarge,
    RequestError,
    TooManyRequests,
)

RECEIVE_PACK, UPLOAD_PACK = "git-receive-pack", "git-upload-pack"
CAPABILITIES = {
    RECEIVE_PACK: "report-status delete-refs side-band-64k ofs-delta push-options"
    " object-format=sha1 agent=ludus",
    UPLOAD_PACK: "multi_ack thin-pack side-band side-band-64k ofs-delta shallow no-progress"
    " include-tag multi_ack_detailed no-done object-format=sha1 agent=ludus",
}
MAX_FETCH_REQUEST_BYTES = 1 << 20
MAX_PUSH_BODY_BYTES = (MAX_REPOSITORY_MEGABYTES + 56) << 20
"""The most bytes that are read of a push. What is above the site's limit is read and dropped, since
git reads the reason only after it has sent everything."""
CHALLENGE = {"www-authenticate": 'Basic realm="Ludus: your name, and a token as the password"'}
TOKEN_NEEDED = NotLoggedIn(
    "log in with your account's name and a token as the password; make one on the page (/me)",
    "请以账号名和令牌（作为密码）登录；可在网页（/me）上创建令牌",
)


@get("/{id:int}/{name:str}", include_in_schema=False)
async def show_page(id: FromPath[int], name: FromPath[str]) -> Redirect:
    """The page of the bot, for browsers."""
    return Redirect(page_link("/bots/:id", id))


@get("/{id:int}/{name:str}/info/refs", include_in_schema=False)
async def list_refs(
    request: AnyRequest,
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    name: FromPath[str],
    service: FromQuery[str] = "",
) -> Response[bytes]:
    """The refs of a repository, with which every push, clone and fetch begins."""
    if service not in CAPABILITIES:
        raise Forbidden(
            "this git client is too old: it does not speak the smart HTTP protocol",
            "该 git 客户端过旧：不支持 smart HTTP 协议",
        )
    if service == RECEIVE_PACK:
        await asyncio.to_thread(server_state.refuse_uploads)
    repository = await asyncio.to_thread(_open, server_state, identity, id, service)
    if service == UPLOAD_PACK:
        async with _wait_turn(request, server_state, identity):
            repository = await asyncio.to_thread(_add_versions, server_state, id, repository)
    body = encode_line(f"# service={service}\n".encode()) + FLUSH
    body += _advertise(repository, service)
    return _respond(body, f"application/x-{service}-advertisement")


def _advertise(repository: jailed_git.Repository, service: str) -> bytes:
    refs = sorted(repository.refs.items())
    capabilities = CAPABILITIES[service]
    if service == UPLOAD_PACK and repository.head in repository.refs:
        capabilities += f" symref=HEAD:{repository.head}"
        refs.insert(0, ("HEAD", repository.refs[repository.head]))
    if not refs:
        refs = [("capabilities^{}", ZERO_ID)]
    lines = [f"{id} {name}" for name, id in refs]
    lines[0] += f"\0{capabilities}"
    return b"".join(encode_line(f"{line}\n".encode()) for line in lines) + FLUSH


@post(
    "/{id:int}/{name:str}/git-upload-pack",
    include_in_schema=False,
    request_max_body_size=MAX_FETCH_REQUEST_BYTES,
    status_code=200,
)
async def fetch(
    request: AnyRequest,
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    name: FromPath[str],
) -> Response[bytes]:
    """The objects of a clone or a fetch."""
    repository = await asyncio.to_thread(_open, server_state, identity, id, UPLOAD_PACK)
    asked = _unzip(request, await request.body())
    async with _wait_turn(request, server_state, identity):
        repository = await asyncio.to_thread(_add_versions, server_state, id, repository)
        body = await asyncio.to_thread(jailed_git.answer_fetch, repository, asked)
    return _respond(body, f"application/x-{UPLOAD_PACK}-result")


def _wait_turn(
    request: AnyRequest, server_state: ServerState, identity: Identity
) -> AbstractAsyncContextManager[None]:
    caller = server_state.identify_caller(identity, get_client_address(request))
    return server_state.traffic.git_requests.wait_turn(caller)


def _add_versions(
    server_state: ServerState, id: int, repository: jailed_git.Repository
) -> jailed_git.Repository:
    """The repository of a bot as it is fetched."""
    site = server_state.site
    most = site.settings.repository_megabytes << 20
    return version_history.add_page_versions(site.database, id, repository, most)


def _unzip(request: AnyRequest, body: bytes) -> bytes:
    """The body; git compresses long ones."""
    if request.headers.get("content-encoding") not in ("gzip", "x-gzip"):
        return body
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        found = unpacker.decompress(body, MAX_FETCH_REQUEST_BYTES)
    except zlib.error:
        raise RequestError("the request is damaged", "请求已损坏") from None
    if unpacker.unconsumed_tail:
        raise PayloadTooLarge("that is too large", "内容过大")
    return found


@post(
    "/{id:int}/{name:str}/git-receive-pack",
    include_in_schema=False,
    request_max_body_size=MAX_PUSH_BODY_BYTES,
    status_code=200,
)
async def receive(
    request: AnyRequest,
    server_state: InjectedState,
    identity: InjectedIdentity,
    id: FromPath[int],
    name: FromPath[str],
) -> Stream:
    """A push: its commits become versions, and the answer says what their checks found."""
    await asyncio.to_thread(server_state.refuse_uploads)
    repository = await asyncio.to_thread(_open, server_state, identity, id, RECEIVE_PACK)
    most = server_state.site.settings.repository_megabytes << 20
    body, excess = await _read_body(request, most + MAX_COMMAND_BYTES)
    push = Push(
        server_state,
        identity,
        id,
        repository,
        language=await asyncio.to_thread(_find_language, request, server_state, identity),
        base=str(request.base_url).rstrip("/"),
        max_pack=most,
    )
    caller = server_state.identify_caller(identity, get_client_address(request))

    async def answer() -> AsyncIterator[bytes]:
        async for part in push.answer(body, caller, too_large=excess):
            yield part

    return Stream(answer(), media_type=f"application/x-{RECEIVE_PACK}-result")


async def _read_body(request: AnyRequest, most: int) -> tuple[bytes, bool]:
    """The first bytes of a body, and whether there were more, which are dropped."""
    kept, excess = bytearray(), False
    async for part in request.stream():
        space = most - len(kept)
        kept += part[:space]
        excess |= len(part) > space
    return bytes(kept), excess


def _open(
    server_state: ServerState, identity: Identity, id: int, service: str
) -> jailed_git.Repository:
    """The repository of a bot as it was pushed, for its owners."""
    if identity.auth_method != "token":
        raise TOKEN_NEEDED
    scope = UPLOAD if service == RECEIVE_PACK else READ
    if not identity.has_scope(scope):
        raise missing_scope(scope)
    jailed_git.require_git()
    with server_state.site.database.reading() as session:
        bot = bots.get_owned_bot(session, id, identity)
        if bot.retired:
            raise Forbidden("this bot is retired", "该 AI 已停用")
        return repositories.load_repository(session, id)


def _find_language(request: AnyRequest, server_state: ServerState, identity: Identity) -> str:
    """The language of the person: as chosen on the page, else as their git asks for."""
    with server_state.site.database.reading() as session:
        chosen = session.get_one(UserRow, identity.id).language
    return chosen or choose_language(request.headers.get("accept-language", ""))


def choose_language(accepted: str) -> str:
    """The first language of an Accept-Language header that there is; English otherwise."""
    codes = (part.strip()[:2].lower() for part in accepted.split(","))
    return next((code for code in codes if code in ("en", "zh")), "en")


def _respond(body: bytes, kind: str) -> Response[bytes]:
    return Response(body, media_type=kind)


def _handle_error(request: AnyRequest, error: LudusError) -> Response[str]:
    """The sentence as plain text, which git shows."""
    status = error.status if isinstance(error, RequestError) else 403
    headers = dict(CHALLENGE) if status == 401 else {}
    if isinstance(error, TooManyRequests) and error.wait:
        headers["retry-after"] = str(error.wait)
    text: Text = error.text
    language = choose_language(request.headers.get("accept-language", ""))
    return Response(
        f"{text[language]}\n", media_type="text/plain", status_code=status, headers=headers
    )


def make_router() -> Router:
    """All addresses under ``/git``."""
    handlers: list[Any] = [show_page, list_refs, fetch, receive]
    return Router("/git", route_handlers=handlers, exception_handlers={LudusError: _handle_error})
