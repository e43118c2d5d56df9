"""The server as a process: where it listens, how it is found, what it leaves behind."""

import json
import logging
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from ludus.cli.main import run
from ludus.errors import LudusError
from ludus.match.bot_check.observed_player import list_children
from ludus.server import serve
from ludus.server.accounts.first_account import read_code
from ludus.server.state import ServerSettings, ServerState
from ludus.server.web.addresses import is_loopback
from tests.support.serving import environment, started, watched
from tests.support.site import wait_for


def test_it_starts_once_says_its_address_and_stops_clean(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The terminal shows the code of the first account, and no command line does: every user of
    the machine sees with what a browser is started."""
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    words = ("--port", "0", "--allow-host", "arena.example.org")
    with started(home, *words, BROWSER=f"{browser} %s") as (process, url):
        said = [process.stdout.readline() for _ in range(3)]
        code = read_code(home)
        assert code and f"https://arena.example.org/welcome#code={code}" in said[2]
        assert serve.find_running_server(home) == url
        assert run(["serve", "--no-browser"]) == 0
        again = capsys.readouterr().out
        assert f"already open at {url}" in again and f"{url}/welcome#code={code}" in again
        wait_for(seen.exists)
        opened = seen.read_text().strip()
        assert opened.startswith(f"{url}/#code=") and code not in opened
        given = opened.partition("=")[2]
        asked = {"name": "Olga", "password": "a long password", "code": given}
        body, kind = json.dumps(asked).encode(), {"Content-Type": "application/json"}
        with urlopen(Request(f"{url}/api/register", body, kind), timeout=20) as answer:
            assert answer.status == 201
        assert not read_code(home)
        children = list_children(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "stopped\n")
    assert serve.find_running_server(home) is None
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]
    assert not list((home / "live").glob("*")) if (home / "live").exists() else True


def test_a_busy_port_is_said_and_the_usual_one_gives_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        with pytest.raises(LudusError, match=f"port {port}"):
            serve.listen(port=port)
        monkeypatch.setattr(serve, "PORT", port)
        with serve.listen() as other:
            assert port < other.getsockname()[1] < port + serve.PORTS_TRIED


@pytest.fixture
def refused(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What a server says that does not start."""

    def say(*arguments: str) -> str:
        assert run(["serve", "--no-browser", "--no-demo", *arguments]) == 2
        said = capsys.readouterr()
        assert said.out == "" and "Traceback" not in said.err
        return said.err

    return say


def test_a_port_that_cannot_be_is_refused_in_a_sentence(refused: Callable[..., str]) -> None:
    assert refused("--port", "99999") == "ludus: --port must be at most 65535, got 99999\n"


def test_a_database_that_cannot_be_made_is_refused_at_once(
    home: Path, refused: Callable[..., str]
) -> None:
    assert "the database cannot be used now" in refused("--database", "/proc/x.db")
    broken = home / "broken.db"
    home.mkdir(exist_ok=True)
    broken.write_text("this is no database")
    assert "the database is damaged" in refused("--database", str(broken))


def test_a_server_inside_another_program_closes_none_of_its_logs(home: Path) -> None:
    closed: list[bool] = []

    class Theirs(logging.Handler):
        def close(self) -> None:
            closed.append(True)
            super().close()

    handler = Theirs()
    serve.make_config(ServerState(ServerSettings(demo=False)))
    assert not closed
    handler.close()


def test_it_listens_on_loopback_only_unless_told_otherwise() -> None:
    with serve.listen(port=0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
    assert is_loopback("localhost") and is_loopback("::1")
    assert not is_loopback("0.0.0.0") and not is_loopback("example.org")


def test_on_terminate_it_ends_with_the_bots_of_its_rooms(home: Path) -> None:
    seats = [{"kind": "bot", "bot": "greedy"}, {"kind": "human"}]
    body = json.dumps({"game": "reversi", "seats": seats}).encode()
    with started(home, "--port", "0", "--no-demo") as (process, url):
        request = Request(f"{url}/api/rooms", body, {"Content-Type": "application/json"})
        with urlopen(request, timeout=20) as answer:
            assert answer.status == 201
        wait_for(lambda: list_children(process.pid))
        children = list_children(process.pid)
        process.terminate()
        _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in err
    wait_for(lambda: not [pid for pid in children if Path(f"/proc/{pid}").exists()])


def test_a_match_is_watched_on_the_page_while_it_is_played(home: Path) -> None:
    from websockets.sync.client import connect

    words = [
        "match",
        "reversi",
        "greedy",
        "random",
        "--bouts",
        "1",
        "--web",
        "--delay",
        "0.02",
        "--no-save",
        "--seed",  # a bout in which nobody is wiped out early
        "1",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "ludus", *words],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with watched(process):
        assert process.stderr is not None
        found = re.search(r"http://(\S+)/watch/(\S+)", process.stderr.readline())
        assert found
        steps, kind = 0, ""
        address = f"ws://{found[1]}/ws/film/{found[2]}"
        with connect(address, proxy=None, max_size=None) as page:
            while kind != "end":
                told = json.loads(page.recv(timeout=20))
                kind = told["type"]
                steps += len(told["film"]["steps"]) if kind == "film" else kind == "step"
            assert process.poll() is None, "it stays as long as somebody looks"
        out, _ = process.communicate(timeout=30)
        assert process.returncode == 0
        assert "greedy" in out and steps > 50
