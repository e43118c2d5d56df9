"""Who may create the first account, the organiser's: the person who started the server.

On a machine with several users everybody reaches a server on loopback, so an address proves
nothing. The first account needs a code instead. The code is stored in the server's home, where only
the server's user can read it, and the terminal shows a link that contains it.

The browser that ``ludus serve`` opens gets a different code in its link, the browser pass, because
a link is an argument of the browser's command, which every user of the machine can read (``ps``).
So this pass is valid only on connections that a process of the server's own user, or of root, has
opened.
"""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import os
import secrets
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from ludus.home import load_or_create_secret
from ludus.server.accounts import credentials
from ludus.server.page_links import page_link

CODE_FILE_NAME = "first-account-code"
"""The file in the server's home, mode 0600, until there is an account."""
CONNECTIONS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ESTABLISHED = "01"

Address = tuple[str, int]


def read_code(home: Path) -> str:
    """The code of a home's server; empty if there is none or this user may not read it."""
    try:
        return (home / CODE_FILE_NAME).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def make_welcome_url(url: str, code: str) -> str:
    """The page's address with a code. The part after # is not sent, so no log contains it."""
    return f"{page_link('/welcome', base=url)}#code={code}"


class FirstAccount:
    """The code and the browser pass of one server; for any thread."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._code = ""
        self.browser_pass = secrets.token_urlsafe(16)

    @property
    def code(self) -> str:
        """The code, the same for all servers of a home; kept in memory only if the home is
        read-only."""
        if not self._code:
            made = credentials.new_code()
            try:
                self._code = (
                    load_or_create_secret(self._home / CODE_FILE_NAME, made.encode).decode().strip()
                    or made
                )
            except (OSError, UnicodeDecodeError):
                self._code = made
        return self._code

    def allows(self, given: str, client: Address | None, server: Address | None) -> bool:
        """Whether the code given with a request is valid on this connection."""
        if _equals_secret(given.strip().lower(), self.code):
            return True
        if not _equals_secret(given.strip(), self.browser_pass) or client is None or server is None:
            return False
        return find_connection_owner(client, server) in (os.geteuid(), 0)

    def delete_code(self) -> None:
        """Delete the code, once there is an account."""
        with contextlib.suppress(OSError):
            (self._home / CODE_FILE_NAME).unlink()


def _equals_secret(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def find_connection_owner(client: Address, server: Address) -> int | None:
    """The user id of the process that opened a connection to this server; None if it is not local.

    The kernel lists both ends of a connection within a machine, each with the user of its socket.
    """
    try:
        wanted = (_normalize_address(client), _normalize_address(server))
    except ValueError:  # a proxy may send anything as an address
        return None
    for ours, theirs, state, user in _iter_connections():
        if state == ESTABLISHED and (ours, theirs) == wanted:
            return user
    return None


def _normalize_address(address: Address) -> Address:
    found = ipaddress.ip_address(address[0].partition("%")[0])
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found), address[1]


def _iter_connections() -> Iterator[tuple[Address, Address, str, int]]:
    """Local and remote address, state and user of every TCP socket (proc_pid_net(5))."""
    for path in CONNECTIONS:
        with contextlib.suppress(OSError), path.open(encoding="ascii") as file:
            next(file, None)  # the header
            for line in file:
                words = line.split()
                yield _parse_address(words[1]), _parse_address(words[2]), words[3], int(words[7])


def _parse_address(text: str) -> Address:
    """``0100007F:1F70`` is 127.0.0.1 port 8048: 32-bit words in the machine's byte order."""
    host, _, port = text.partition(":")
    words = [int(host[start : start + 8], 16) for start in range(0, len(host), 8)]
    packed = b"".join(word.to_bytes(4, sys.byteorder) for word in words)
    family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6
    return _normalize_address((socket.inet_ntop(family, packed), int(port, 16)))
