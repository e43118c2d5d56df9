"""The address of a request's client, and which addresses count as one."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterable, Iterator

from ludus.errors import LudusError


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def network_key(address: str) -> str:
    """The unit by which addresses are counted: an IPv4 address, or the /64 network of an IPv6
    host."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:60]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), 64), strict=False))


class TrustedProxies(Collection[str]):
    """The addresses and networks whose X-Forwarded-For is trusted."""

    def __init__(self, trusted: Iterable[str]) -> None:
        self.trusted = tuple(trusted)
        try:
            self._networks = [ipaddress.ip_network(each, strict=False) for each in self.trusted]
        except ValueError as error:
            raise LudusError(
                f"--proxy needs addresses or networks: {error}", f"--proxy 应为地址或网段：{error}"
            ) from None

    def __contains__(self, address: object) -> bool:
        try:
            found = ipaddress.ip_address(str(address))
        except ValueError:
            return False
        return any(found in network for network in self._networks)

    def __iter__(self) -> Iterator[str]:
        return iter(self.trusted)

    def __len__(self) -> int:
        return len(self.trusted)


def client_address(
    peer: str, headers: Iterable[tuple[bytes, bytes]], proxies: TrustedProxies
) -> str:
    """The client of a request: the peer, or the client that a trusted proxy names in
    X-Forwarded-For.

    Each proxy appends the address that it saw, so the last one that is not itself a trusted proxy
    is the client; anything before it was written by the client and may be false.
    """
    if peer not in proxies:
        return peer
    headers_found = [
        value.decode("latin-1") for name, value in headers if name == b"x-forwarded-for"
    ]
    named = [each.strip() for each in ",".join(headers_found).split(",") if each.strip()]
    return next((each for each in reversed(named) if each not in proxies), peer)
