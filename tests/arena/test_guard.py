"""The server talks to its own page, and to nobody else's."""

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
        assert answer.json["error"].keys() == {"en", "zh"}
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


def test_a_request_that_is_too_large_is_refused(shared: Site) -> None:
    answer = shared.ask("/api/rooms", b'{"game": "' + b"x" * 200_000 + b'"}')
    assert answer.status == 413
    assert answer.json["error"].keys() == {"en", "zh"}


def test_a_frame_that_is_too_large_closes_the_socket(shared: Site) -> None:
    with shared.socket("/ws/live") as socket:
        hear(socket)
        socket.send("x" * (65 << 10))
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                socket.recv(timeout=10)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
    assert shared.ask("/api/info").status == 200
