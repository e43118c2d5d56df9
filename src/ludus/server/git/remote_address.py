"""Addresses of repositories elsewhere: which are allowed, and where their hosts really are.

A person names the address, so without care the server could be made to talk to machines that only
it can reach. Hosts must therefore have public addresses, and the connection goes to the very
address that was checked; exceptions are the organiser's (``git_hosts``).
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from ludus.errors import LudusError

Scheme = Literal["https", "http", "ssh"]
DEFAULT_PORTS: dict[Scheme, int] = {"https": 443, "http": 80, "ssh": 22}
HOST_PATTERN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,200}[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\]")
PATH_PATTERN = re.compile(r"/[A-Za-z0-9._~/-]{1,300}")
USER_PATTERN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,40}")
SCP_PATTERN = re.compile(r"(?P<user>[^@:/\s]+)@(?P<host>[^:/\s]+):(?P<path>[^\s]+)")


class RemoteRefused(LudusError):
    """A remote repository that cannot be used."""

    code = "remote_refused"


@dataclass(frozen=True, slots=True)
class RemoteAddress:
    """The parts of a repository's address."""

    scheme: Scheme
    host: str
    port: int
    path: str
    user: str = ""

    @property
    def project(self) -> str:
        """The path without ``.git``, as hosts name a project: ``owner/name``."""
        return self.path.strip("/").removesuffix(".git")

    def is_allowed_host(self, allowed: Sequence[str]) -> bool:
        """Whether the organiser allows this host whatever its address is."""
        return self.host in allowed or f"{self.host}:{self.port}" in allowed


def parse_address(text: str, allowed: Sequence[str]) -> RemoteAddress:
    """Parse ``https://host/owner/name.git``, ``ssh://git@host/…`` or ``git@host:owner/name.git``.

    Credentials in the address are refused: it is shown on pages and in lists.
    """
    text = text.strip()
    if found := SCP_PATTERN.fullmatch(text):
        text = f"ssh://{found['user']}@{found['host']}/{found['path'].lstrip('/')}"
    parts = urlsplit(text)
    try:
        port = parts.port
    except ValueError:
        raise _not_an_address() from None
    host, path = parts.hostname or "", parts.path.rstrip("/")
    if (
        parts.scheme not in DEFAULT_PORTS
        or not HOST_PATTERN.fullmatch(f"[{host}]" if ":" in host else host)
        or not PATH_PATTERN.fullmatch(path)
        or ".." in path.split("/")
        or path.split("/")[1].startswith("-")
        or parts.query
        or parts.fragment
    ):
        raise _not_an_address()
    if parts.scheme != "ssh" and (parts.username or parts.password):
        raise RemoteRefused(
            "do not put a name or a token into the address; there is a field for the token",
            "请勿把用户名或令牌写进地址；令牌另有一栏",
        )
    scheme: Scheme = parts.scheme
    user = (parts.username or "git") if scheme == "ssh" else ""
    if user and not USER_PATTERN.fullmatch(user):
        raise _not_an_address()
    address = RemoteAddress(scheme, host, port or DEFAULT_PORTS[scheme], path, user)
    if scheme == "http" and not address.is_allowed_host(allowed):
        raise RemoteRefused(
            "the address must begin with https:// or ssh://", "地址须以 https:// 或 ssh:// 开头"
        )
    return address


def resolve_host(address: RemoteAddress, allowed: Sequence[str]) -> str:
    """The IP address to connect to; RemoteRefused if it is not a public one."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise RemoteRefused(
            f"the host {address.host} is not known here", f"无法解析主机 {address.host}"
        ) from None
    places = [str(entry[4][0]).partition("%")[0] for entry in found]
    if address.is_allowed_host(allowed):
        return places[0]
    if not all(is_public(place) for place in places):
        raise RemoteRefused(
            f"the host {address.host} has no public address; the organiser of this server can allow"
            " it (git_hosts)",
            f"主机 {address.host} 不是公网地址；服务器管理员可以允许它（git_hosts）",
        )
    return places[0]


def is_public(place: str) -> bool:
    """Whether an IP address belongs to the public internet."""
    found = ipaddress.ip_address(place)
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if inner is not None and not is_public(str(inner)):
            return False
    return found.is_global and not found.is_multicast and not found.is_reserved


def _not_an_address() -> RemoteRefused:
    return RemoteRefused(
        "this is not the address of a repository; write it as https://host/owner/name.git or"
        " git@host:owner/name.git",
        "这不是仓库地址；请写成 https://host/owner/name.git 或 git@host:owner/name.git",
    )
