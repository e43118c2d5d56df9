"""``ludus remote``, ``ludus backup`` and ``ludus restore`` as people type them."""

import json
import socketserver
import stat
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
import sqlalchemy as sql

from ludus.cli.main import run
from ludus.cli.remote.answers import MeReply
from ludus.cli.remote.http_client import RemoteClient
from ludus.errors import LudusError
from ludus.scheduling.schema import BotRow
from ludus.server.database import Database
from tests.support.cli import Ludus
from tests.support.courses import make_settings, moment
from tests.support.server_process import BOT, Client, Server, settle
from tests.support.site import wait_for


@pytest.fixture(scope="module")
def server_and_token(tmp_path_factory: pytest.TempPathFactory) -> Any:
    server = Server(tmp_path_factory.mktemp("site"), jobs=1)
    server.start()
    try:
        client, _ = settle(server, size=4)
        yield server, client.token
    finally:
        server.stop()


Call = Callable[..., tuple[int, str]]


@pytest.fixture
def ludus(cli: Ludus, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs a command line in this process, with a home; gives its code and what it says."""

    def call(home: Path, *words: object) -> tuple[int, str]:
        monkeypatch.setenv("LUDUS_HOME", str(home))
        ran = cli(*words)
        return ran.code, ran.out + ran.err

    return call


def test_a_bot_is_uploaded_challenged_and_looked_at_from_afar(
    server_and_token: Any, ludus: Call, tmp_path: Path
) -> None:
    server, token = server_and_token
    home = tmp_path / "home"
    code, said = ludus(home, "remote", "ladder", "reversi")
    assert code == 2 and "log in first" in said
    assert ludus(home, "remote", "login", server.url, "--token", "wrong")[0] == 2
    code, said = ludus(home, "remote", "login", server.url, "--token", token)
    assert code == 0 and "as olga" in said
    assert "the ladder of ataxx is empty" in ludus(home, "remote", "ladder", "ataxx")[1]
    assert stat.S_IMODE((home / "remote.json").stat().st_mode) == 0o600
    mine = tmp_path / "mine.py"
    mine.write_text("class Bot:\n    def move(self, position, clock):\n        return 1 / 0\n")
    code, said = ludus(home, "remote", "upload", str(mine), "--game", "reversi")
    assert code == 1 and "ZeroDivisionError" in said
    code, said = ludus(home, "remote", "upload", str(mine), "--game", "reversi", "--json")
    told = json.loads(said)
    assert (code, told["bot"], told["version"], told["usable"]) == (1, "mine", 2, False)
    assert "ZeroDivisionError" in str(told["findings"]) and told["submission"] is None
    code, said = ludus(home, "remote", "upload", mine, "--game", "reversi", "--name", "greedy")
    assert code == 2 and "is the name of a built-in bot; choose another with --name" in said
    mine.write_text(BOT.format(taste=2))
    code, said = ludus(home, "remote", "upload", str(mine), "--game", "reversi", "--enter")
    assert code == 0 and "mine #3" in said
    wait_for(lambda: "mine" in ludus(home, "remote", "ladder", "reversi")[1], 30)
    heading = ludus(home, "remote", "ladder", "reversi")[1].split("\n")[0]
    assert heading.split() == ["place", "bot", "Elo", "bouts", "owner"]
    group = Client(server.url, token).ask("/api/groups", {"name": "Class"})["id"]
    body = {"title": "Task", "deadline": moment(1), "settings": make_settings(bouts=2)}
    task = Client(server.url, token).ask(f"/api/groups/{group}/assignments", body)["id"]
    words = ("--game", "reversi", "--assignment", task)
    code, said = ludus(home, "remote", "upload", str(mine), *words)
    assert code == 0 and f"{server.url}/assignments/{task}" in said
    assert "level 1 (Random moves): " in said and "points so far: " in said
    told = json.loads(ludus(home, "remote", "upload", str(mine), *words, "--json")[1])
    assert told["usable"] and told["submission"]["marks"]["total"] >= 0
    challenge = ("remote", "challenge", "reversi", "mine", "random", "--bouts", "2")
    code, said = ludus(home, *challenge)
    assert code == 0 and f"{server.url}/challenges/" in said
    told = json.loads(ludus(home, *challenge, "--json")[1])
    assert sum(told["score"]) == 2 and told["link"].startswith(f"{server.url}/challenges/")
    code, said = ludus(home, "remote", "results", "reversi", "mine", "--json")
    assert code == 0 and len(json.loads(said)) >= 2
    bout = json.loads(said)[0]["id"]
    code, said = ludus(home, "remote", "watch", str(bout), "--no-browser")
    assert said.strip() == f"{server.url}/watch/bout-{bout}"


def test_a_club_is_backed_up_while_it_runs_and_restored_elsewhere(
    server_and_token: Any, ludus: Call, tmp_path: Path
) -> None:
    """That a restored site goes on playing, tests/server/test_backup.py shows."""
    server, _ = server_and_token
    code, said = ludus(server.home, "backup", str(tmp_path / "backup.zip"))
    assert code == 0 and "1 people" in said
    code, said = ludus(tmp_path / "new", "restore", str(tmp_path / "backup.zip"))
    assert code == 0 and "1 people" in said
    with Database(str(tmp_path / "new" / "arena.db")).reading() as session:
        assert "b" in session.scalars(sql.select(BotRow.name)).all()
    assert ludus(tmp_path / "none", "backup", str(tmp_path / "x.zip"))[0] == 2


class Moved(BaseHTTPRequestHandler):
    """Sends everybody on to ``/elsewhere``, and remembers who came."""

    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(self.path)
        self.send_response(302)
        self.send_header("Location", f"http://localhost:{self.server.server_address[1]}/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_token_does_not_follow_a_redirect() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Moved) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        remote = RemoteClient(f"http://127.0.0.1:{server.server_port}", "secret")
        for ask in (
            lambda: remote.get("/api/me", MeReply),
            lambda: remote.post("/api/me", {}, MeReply),
        ):
            with pytest.raises(LudusError, match="where your token is not sent"):
                ask()
        server.shutdown()
    assert Moved.seen == ["/api/me", "/api/me"]


class Odd(socketserver.StreamRequestHandler):
    """Answers everything with the same bytes."""

    said: ClassVar[bytes] = b""

    def handle(self) -> None:
        length = 0
        while line := self.rfile.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        self.rfile.read(length)
        self.wfile.write(self.said)


def http(body: bytes, status: str = "200 OK", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n\r\n".encode() + body


ODD = {
    "nothing": b"",
    "no HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
    "endless headers": b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200 + b"\r\n",
    "cut off": http(b"{", length=100),
    "a page": http(b"<html><title>Hello</title>"),
    "no UTF-8": http(b'{"user": "\xff"}'),
    "a number": http(b"7"),
    "null": http(b"null"),
    "an object": http(b"{}"),
    "wrong kinds": http(
        b'{"user": {"name": 5}, "bots": 1, "items": 3, "next": "x", "rows": [{"place": []}],'
        b' "id": {}, "film": [], "versions": [], "players": [null], "score": "7"}'
    ),
    "a tower": http(b"[" * 100_000),
    "a page of an error": http(b"<html>", "502 Bad Gateway"),
    "an odd error": http(b'{"error": {"en": 3}}', "400 Bad Request"),
    "a tower of an error": http(b'{"error":' * 50_000, "400 Bad Request"),
    "an error cut off": http(b'{"error":', "400 Bad Request", length=100),
}
COMMANDS = {
    "ladder": ("ladder", "reversi"),
    "ladder --json": ("ladder", "reversi", "--json"),
    "results": ("results", "reversi", "mine"),
    "challenge": ("challenge", "reversi", "mine", "random"),
    "watch": ("watch", "--no-browser"),
    "watch 7": ("watch", "7", "--no-browser"),
    "upload": ("upload", "mine.py", "--game", "reversi"),
}


@pytest.fixture(scope="module")
def odd() -> Iterator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Odd) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("answer", ODD)
def test_whatever_answers_the_command_says_so_in_a_sentence(
    odd: str,
    answer: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    monkeypatch.setenv("LUDUS_LANG", "en")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(BOT.format(taste=2))
    monkeypatch.setattr(Odd, "said", ODD[answer])
    assert run(["remote", "login", odd, "--token", "x"]) == 2
    (tmp_path / "remote.json").write_text(json.dumps({"url": odd, "token": "x"}))
    for name, words in COMMANDS.items():
        as_it_is = name == "ladder --json" and answer in ("an object", "wrong kinds")
        assert run(["remote", *words]) == (0 if as_it_is else 2), name
    said = capsys.readouterr()
    assert "Traceback" not in said.err and (odd in said.err or "answered" in said.err)


@pytest.mark.parametrize("kept", ["[]", "{}", '{"url": 1, "token": 2}', "[" * 100_000, ""])
def test_a_login_that_cannot_be_read_is_none(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    (tmp_path / "remote.json").write_text(kept)
    assert run(["remote", "ladder", "reversi"]) == 2
    assert "ludus remote login" in capsys.readouterr().err
