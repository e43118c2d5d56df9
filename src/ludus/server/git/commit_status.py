"""The status of a commit at the remote's host, as GitHub, GitLab and Gitea show it."""

from __future__ import annotations

import enum
from dataclasses import replace
from urllib.parse import quote

import msgspec

from ludus.scheduling.schema.git import HostKind
from ludus.server.git import remote_http
from ludus.server.git.remote_address import DEFAULT_PORTS, RemoteAddress, RemoteRefused
from ludus.server.git.remote_fetch import RemoteAccess

CONTEXT = "ludus"
MAX_ANSWER_BYTES = 1 << 20
MAX_DESCRIPTION_CHARS = 140


class CommitResult(enum.Enum):
    """What a commit's status says: each host has its own words."""

    CHECKING = {"github": "pending", "gitlab": "running", "gitea": "pending"}
    PASSED = {"github": "success", "gitlab": "success", "gitea": "success"}
    FAILED = {"github": "failure", "gitlab": "failed", "gitea": "failure"}


def send_status(
    access: RemoteAccess,
    kind: HostKind,
    commit: str,
    result: CommitResult,
    description: str,
    link: str,
) -> None:
    """Set the status of a commit; RemoteRefused if the host does not take it."""
    word = result.value[kind]
    text = description[:MAX_DESCRIPTION_CHARS]
    body = {"state": word, "target_url": link, "description": text}
    body["name" if kind == "gitlab" else "context"] = CONTEXT
    answer = remote_http.request(
        _find_api_host(access.address, kind),
        access.allowed,
        "POST",
        make_status_path(access.address, kind, commit),
        headers={"Content-Type": "application/json", **_make_headers(kind, access.token)},
        body=msgspec.json.encode(body),
        most=MAX_ANSWER_BYTES,
    )
    if not 200 <= answer.status < 300:
        raise RemoteRefused(
            f"{access.address.host} did not take the commit status ({answer.status}): the token"
            " must allow it",
            f"{access.address.host} 未接受提交状态（{answer.status}）：令牌须有此权限",
        )


def make_status_path(address: RemoteAddress, kind: HostKind, commit: str) -> str:
    """The path of the host's API for a commit's status."""
    if kind == "gitlab":
        return f"/api/v4/projects/{quote(address.project, safe='')}/statuses/{commit}"
    base = "/api/v1" if kind == "gitea" else "" if address.host == "github.com" else "/api/v3"
    return f"{base}/repos/{address.project}/statuses/{commit}"


def _find_api_host(address: RemoteAddress, kind: HostKind) -> RemoteAddress:
    """Where the host's API is; for a repository that is reached by SSH, over HTTPS."""
    if kind == "github" and address.host == "github.com":
        return RemoteAddress("https", "api.github.com", DEFAULT_PORTS["https"], "/")
    if address.scheme == "ssh":
        return replace(address, scheme="https", port=DEFAULT_PORTS["https"], user="")
    return address


def _make_headers(kind: HostKind, token: str) -> dict[str, str]:
    if kind == "gitlab":
        return {"PRIVATE-TOKEN": token}
    if kind == "gitea":
        return {"Authorization": f"token {token}"}
    return {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
