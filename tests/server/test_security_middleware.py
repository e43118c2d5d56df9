"""The server talks to its own page, and to nobody else's."""

import socket

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.site import Site, hear


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://127.0.0.1.evil.example", "null", "http://127.0.0.1:1", "x"],
)
def test_pages_of_other_sites_are_refused(shared: Site, origin: str) -> None:
    for path, body in (("/api/info", None), ("/api/rooms", {"game": "reversi"}), ("/", None)):
        answer = shared.ask(path, body, headers={"Origin": origin})
        assert answer.status == 403
        assert answer.json["error"].keys() == {"code", "en", "zh"}
    with pytest.raises(InvalidStatus) as refused, shared.socket("/ws/live", origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_our_own_page_is_welcome(shared: Site) -> None:
    assert shared.ask("/api/info", headers={"Origin": shared.url}).status == 200
    with shared.socket("/ws/live", origin=shared.url) as socket:
        assert hear(socket)["type"] == "live"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_a_name_that_was_not_allowed_is_refused(shared: Site, host: str) -> None:
    assert shared.ask("/api/info", headers={"Host": host}).status in (400, 403)


@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost", "[::1]:80", "192.168.1.7"])
def test_addresses_and_localhost_are_names_of_ours(shared: Site, host: str) -> None:
    assert shared.ask("/api/info", headers={"Host": host}).status == 200


def test_answers_carry_a_strict_policy(shared: Site) -> None:
    for path in ("/", "/api/info", "/api/nothing", "/api/docs"):
        headers = shared.ask(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy
        assert "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_nobody_keeps_what_the_api_answers(shared: Site) -> None:
    for path in ("/api/info", "/api/me", "/api/nothing", "/api/films/none", "/health", "/metrics"):
        assert shared.ask(path).headers["cache-control"] == "no-store", path
    for body in ({"name": "Nobody", "password": "wrong password"}, b"{"):
        assert shared.ask("/api/login", body).headers["cache-control"] == "no-store"
    refused = shared.ask("/api/me", headers={"Origin": "http://evil.example"})
    assert refused.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "lengths",
    [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "transfer-encoding: chunked\r\nCONTENT-LENGTH: 0",
        "Transfer-Encoding : chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 6",
    ],
)
def test_a_request_with_two_lengths_is_refused_and_nothing_after_it_is_read(
    shared: Site, lengths: str
) -> None:
    """Request smuggling: a proxy may see the end of the first elsewhere than we do."""
    first = f"POST /api/logout HTTP/1.1\r\nHost: localhost\r\n{lengths}\r\n\r\n0\r\n\r\n"
    second = "GET /api/info HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", shared.port), timeout=20) as wire:
        wire.sendall((first + second).encode())
        said = b""
        while more := wire.recv(65536):
            said += more
    assert said.startswith(b"HTTP/1.1 400 ") and said.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in said.lower()


def test_a_request_that_is_too_large_is_refused(shared: Site) -> None:
    answer = shared.ask("/api/rooms", b'{"game": "' + b"x" * 200_000 + b'"}')
    assert answer.status == 413
    assert answer.json["error"].keys() == {"code", "en", "zh"}


def test_a_frame_that_is_too_large_closes_the_socket(shared: Site) -> None:
    with shared.socket("/ws/live") as socket:
        hear(socket)
        socket.send("x" * (65 << 10))
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                socket.recv(timeout=10)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
    assert shared.ask("/api/info").status == 200
