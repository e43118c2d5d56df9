"""Nobody keeps others from opening files: neither with slow files nor by leaving."""

import asyncio
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.match import record
from ludus.server.records import opened_files
from ludus.server.state import ServerSettings
from ludus.server.web.traffic_limits import FairQueue, TrafficCaller
from tests.support.accounts import Person
from tests.support.bouts import bout
from tests.support.site import Answer, Site, served_for_module, wait_for

READER = """
import os, pathlib, signal, sys, time
from ludus.compat import reader_process

usual = reader_process.read_verified

def read(path):
    content = path.read_bytes()
    if content == b"spin":
        left, _ = signal.getitimer(signal.ITIMER_PROF)
        assert 0 < left < reader_process.CPU_PER_FILE_S + 1
        signal.setitimer(signal.ITIMER_PROF, 0.05)  # for the test not to last so long
        sum(range(10**12))
    if content.startswith(b"/"):
        pathlib.Path(content.decode()).write_text(str(os.getpid()))
        time.sleep(600)
    return usual(path)

reader_process.read_verified = read
reader_process.limited_calls.confine = lambda bounds: None
reader_process.main(sys.argv[1])
"""


@pytest.fixture(scope="module")
def opening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server whose reading program computes for ever, or sleeps, where a file says so."""
    home = tmp_path_factory.mktemp("opening")
    settings = ServerSettings(demo=False, reader=(sys.executable, "-c", READER))
    with served_for_module(home, settings) as site:
        yield site


def opened(site: Site, files: dict[str, bytes]) -> Answer:
    return Person(site).send("/api/open", files)


def test_a_file_that_computes_for_ever_is_refused_and_the_others_open(opening: Site) -> None:
    good = record.pack(bout())
    answer = opened(opening, {"a.ludus": good, "b.clog": b"spin", "c.ludus": good})
    assert [film["file"] for film in answer.json["films"]] == ["a.ludus", "c.ludus"]
    [error] = answer.json["errors"]
    assert error["file"] == "b.clog" and "time" in error["error"]["en"]


def test_few_files_may_compute_for_ever(opening: Site) -> None:
    files = {f"{number}.clog": b"spin" for number in range(opened_files.MAX_READER_FAILURES)}
    answer = opened(opening, {**files, "late.ludus": record.pack(bout())})
    assert answer.status == 400, "nothing is read after those"


def test_the_reader_ends_when_its_client_leaves(opening: Site, tmp_path: Path) -> None:
    told = tmp_path / "reader"
    body = (
        b'--m\r\nContent-Disposition: form-data; name="files"; filename="x"\r\n\r\n'
        + str(told).encode()
        + b"\r\n--m--\r\n"
    )
    head = (
        "POST /api/open HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: multipart/form-data; boundary=m\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", opening.port), timeout=20) as wire:
        wire.sendall(head.encode() + body)
        wait_for(lambda: told.exists() and told.read_text(), 30)
    wait_for(lambda: not Path(f"/proc/{told.read_text()}").exists())
    assert opened(opening, {"mine.ludus": record.pack(bout())}).status == 200


def test_addresses_take_turns_and_none_has_all_of_them() -> None:
    async def scene() -> tuple[list[str], list[str]]:
        turns, begun = FairQueue(3), []
        go_on = asyncio.Event()

        async def read(who: str, address: str) -> None:
            async with turns.wait_turn(TrafficCaller(who, "account", address)):
                begun.append(who)
                await go_on.wait()

        many = [asyncio.create_task(read(f"a{number}", "a")) for number in range(8)]
        await asyncio.sleep(0.01)
        assert begun == ["a0", "a1"], "one place is left for other addresses"
        others = [asyncio.create_task(read(f"{where}0", where)) for where in "bcd"]
        await asyncio.sleep(0.01)
        first = list(begun)
        many[2].cancel()  # it waits no longer
        many[1].cancel()  # it gives up its turn
        await asyncio.sleep(0.01)
        go_on.set()
        await asyncio.gather(*many, *others, return_exceptions=True)
        return first, begun

    first, begun = asyncio.run(scene())
    assert first == ["a0", "a1", "b0"]
    assert begun[3] == "c0" and begun.index("d0") < begun.index("a4"), "not behind all of the first"
    assert sorted(begun) == sorted(["a0", "a1", *(f"a{n}" for n in range(3, 8)), "b0", "c0", "d0"])
