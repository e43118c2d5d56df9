"""What is no clear HTTP request is refused with a sentence, and leaves no trace in memory."""

import json
import re
import socket

import pytest

from ludus.server.admin.metrics import METHODS, RequestMetrics
from tests.support.site import Site

HOST = b"Host: localhost\r\n"


def said(site: Site, sent: bytes) -> tuple[int, bytes]:
    """Status and body of the only answer; nothing after a refused request is read."""
    with socket.create_connection(("127.0.0.1", site.port), timeout=20) as wire:
        wire.sendall(sent)
        heard = b""
        while more := wire.recv(65536):
            heard += more
    assert len(re.findall(rb"HTTP/1.1 \d", heard)) == 1, heard
    head, _, body = heard.partition(b"\r\n\r\n")
    return int(head[9:12]), body


AFTER = b"GET /api/info HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    "status,sent",
    [
        (431, b"GET /api/info HTTP/1.1\r\n" + HOST + b"X-Long: " + b"x" * 20_000 + b"\r\n\r\n"),
        (414, b"GET /api/info?" + b"x" * 20_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n"),
        (431, b"GET /api/info HTTP/1.1\r\n" + HOST + b"X: y\r\n" * 3000 + b"\r\n"),
        (400, b"GET /api/info HTTP/1.1\r\n" + HOST + b"X-Two: a\r\n lines\r\n\r\n" + AFTER),
        (
            400,
            b"POST /api/logout HTTP/1.1\r\n"
            + HOST
            + b"Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n"
            + AFTER,
        ),
        (400, b"GET /api/info HTTP/1.1\nHost: localhost\n\n" + AFTER),
        (400, b"GET /api/info HTTP/1.1\r\nX: y\n" + HOST + b"\r\n" + AFTER),
        (505, b"GET /api/info HTTP/3.9\r\n" + HOST + b"\r\n" + AFTER),
        (501, b"Q" * 21 + b" /api/info HTTP/1.1\r\n" + HOST + b"\r\n" + AFTER),
        (400, b"\x16\x03\x01 what is this\r\n\r\n"),
    ],
    ids=[
        "header",
        "address",
        "headers",
        "folded",
        "folded-length",
        "bare-lf",
        "one-lf",
        "version",
        "method",
        "tls",
    ],
)
def test_an_unclear_request_is_refused_with_a_sentence(
    shared: Site, status: int, sent: bytes
) -> None:
    answered, body = said(shared, sent)
    assert answered == status
    assert json.loads(body)["error"].keys() == {"code", "en", "zh"}
    assert shared.ask("/api/info").status == 200


def test_a_header_of_ordinary_length_is_read(shared: Site) -> None:
    assert shared.ask(f"/api/info?{'x' * 4000}", headers={"X": "y" * 4000}).status == 200


def test_methods_that_people_think_up_are_counted_as_one(shared: Site) -> None:
    for number in range(5):
        assert shared.ask("/api/info", method=f"THOUGHTUP{number}").status == 405
    told = shared.ask("/metrics").body.decode()
    assert "THOUGHTUP" not in told
    assert 'ludus_requests_total{method="OTHER",status="405"}' in told


def test_a_meter_is_no_larger_for_ten_thousand_methods() -> None:
    meter = RequestMetrics()
    for number in range(10_000):
        meter.count_request(f"M{number}", 405, 0.1)
    for method in METHODS:
        meter.count_request(method, 200, 0.1)
    assert sum(line.startswith("ludus_requests_total") for line in meter.format_lines()) == 10
