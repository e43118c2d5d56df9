"""HTTP to the hosts of remotes: to a checked address, without redirects, within limits."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ludus.server.git.remote_address import RemoteAddress, RemoteRefused, resolve_host

CONNECT_TIMEOUT_S = 15.0
TOTAL_TIMEOUT_S = 90.0
CHUNK_BYTES = 64 << 10
USER_AGENT = "git/2.40 (ludus)"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer of a host."""

    status: int
    kind: str
    """Its content type."""
    body: bytes


class _CheckedConnection(http.client.HTTPConnection):
    """A connection to one IP address, with or without TLS for the host's name."""

    def __init__(self, address: RemoteAddress, place: str) -> None:
        super().__init__(address.host, address.port, timeout=CONNECT_TIMEOUT_S)
        self._address, self._place = address, place

    def connect(self) -> None:
        plain = socket.create_connection((self._place, self._address.port), CONNECT_TIMEOUT_S)
        if self._address.scheme == "http":
            self.sock = plain
            return
        try:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(plain, server_hostname=self._address.host)
        except BaseException:
            plain.close()
            raise


def request(
    address: RemoteAddress,
    allowed: Sequence[str],
    method: str,
    path: str,
    *,
    headers: Mapping[str, str],
    body: bytes | None = None,
    most: int,
) -> HttpAnswer:
    """Ask a host; RemoteRefused if it cannot be reached, redirects, or answers too much or too
    slowly. Headers may hold secrets, so no error repeats them."""
    place = resolve_host(address, allowed)
    connection = _CheckedConnection(address, place)
    deadline = time.monotonic() + TOTAL_TIMEOUT_S
    with _translate_errors(address), contextlib.closing(connection):
        connection.request(method, path, body, {"User-Agent": USER_AGENT, **headers})
        answer = connection.getresponse()
        if 300 <= answer.status < 400:
            raise RemoteRefused(
                f"{address.host} says that the repository is elsewhere; enter its new address",
                f"{address.host} 表示该仓库已迁移；请填写新地址",
            )
        data = bytearray()
        while part := answer.read(CHUNK_BYTES):
            data += part
            if len(data) > most:
                raise RemoteRefused(
                    f"{address.host} sent more than {max(1, most >> 20)} MB",
                    f"{address.host} 发送的内容超过 {max(1, most >> 20)} MB",
                )
            if time.monotonic() > deadline:
                raise TimeoutError
        kind = answer.getheader("content-type", "").partition(";")[0].strip()
        return HttpAnswer(answer.status, kind, bytes(data))


@contextlib.contextmanager
def _translate_errors(address: RemoteAddress) -> Iterator[None]:
    try:
        yield
    except ssl.SSLError:
        raise RemoteRefused(
            f"the certificate of {address.host} is not valid", f"{address.host} 的证书无效"
        ) from None
    except TimeoutError:
        raise RemoteRefused(
            f"{address.host} took too long to answer", f"{address.host} 响应过慢"
        ) from None
    except (OSError, http.client.HTTPException):
        raise RemoteRefused(
            f"{address.host} cannot be reached", f"无法连接 {address.host}"
        ) from None
