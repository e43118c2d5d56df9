"""No word of a request, a message, an upload or a manifest becomes a path of the host.

A secret is planted. Every place for a word that the application has (its routes, the structs of
their bodies, the messages of its sockets, the fields of manifests: all taken from the application
itself) gets the secret's path in many forms. Nothing may tell a byte of it, hang, or break.
"""

import os
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from litestar.routes import HTTPRoute
from msgspec import inspect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ludus.bots.manifest import BotManifest as BotManifest
from ludus.cli.serve import READER_MODULE
from ludus.compat.saiblo.game import SaibloManifest as GameManifest
from ludus.compat.saiblo.game import open_game
from ludus.errors import LudusError
from ludus.games.registry import get
from ludus.match.record import Record, pack
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.bots import upload
from ludus.server.live.messages import ClientMessage
from ludus.server.records.opened_files import reader_command
from ludus.server.state import ServerSettings
from ludus.server.web.app import cached_routes
from tests.support.accounts import GOOD, Person, checked, newcomer, register
from tests.support.bouts import bout
from tests.support.routes import SOCKETS, opened
from tests.support.site import Site, hear, served, wait_for

Put = Callable[[str], Any]
"""A value with a word in a certain place."""
SAMPLES: dict[str, Any] = {"game": "reversi", "bots": "random", "bot": "random", "kind": "human"}
LOGIC = """
import json, sys
said = "".join(open(path).read() for path in sys.argv[1:])
for target, body in ((-1, {"watch": said}), (-1, {"state": -1, "end_info": said})):
    data = json.dumps(body).encode()
    sys.stdout.buffer.write(len(data).to_bytes(4, "big") + target.to_bytes(4, "big", signed=True))
    sys.stdout.buffer.write(data)
sys.stdout.flush()
"""


def read_elsewhere(path: Path) -> bytes:
    """The bytes of a file, read in another process: a process that closes a file of SQLite loses
    its locks on it, and the next to open it would pull the shared memory from under the server."""
    return subprocess.run(["cat", str(path)], capture_output=True, check=True).stdout


@dataclass
class Plot:
    """A server, an organiser, and a secret that nobody may read."""

    site: Site
    olga: Person
    secret: Path
    marker: str
    words: list[str]
    games: Any
    line: HTTPConnection
    """One connection for all of them: there are many."""

    def ask(self, person: Person, path: str, body: Any = None, method: str = "GET") -> int:
        headers = {"Content-type": "application/json"}
        if person.cookie:
            headers |= {"Cookie": f"ludus={person.cookie}", "X-Csrf": person.csrf}
        data = None if body is None else msgspec.json.encode(body)
        try:
            self.line.request(method, path, data, headers)
            answer = self.line.getresponse()
        except ConnectionError:  # it was idle for too long
            self.line.close()
            self.line.request(method, path, data, headers)
            answer = self.line.getresponse()
        return self.check((method, path, body), answer.status, answer.read())

    def check(self, what: Any, status: int, body: bytes) -> int:
        assert status < 500, (what, status, body)
        assert self.marker not in opened(body), what
        return status

    def nothing_is_left(self) -> None:
        """No file of the server holds the secret, and every game is what it was."""
        wait_for(lambda: all(match.over for match in self.site.state.matches.running))
        for path in self.site.home.rglob("*"):
            if path.is_file():
                data = read_elsewhere(path)
                assert self.marker.encode() not in data, path
                if data.startswith(b"\x1f\x8b"):
                    assert self.marker not in opened(data), path
        assert self.olga.get("/api/games") == self.games
        assert self.ask(self.olga, "/api/admin/export") == 200


@pytest.fixture(scope="module")
def plot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plot]:
    home, theirs = tmp_path_factory.mktemp("sweep"), tmp_path_factory.mktemp("theirs")
    marker = f"MARK-{secrets.token_hex(16)}"
    closed = theirs / "closed"
    closed.mkdir(mode=0o700)
    secret = closed / "secret.txt"
    secret.write_text(marker)
    secret.chmod(0o600)
    game = hostile_game(theirs / "game", f"python3+logic.py+{secret}")
    words = [
        *(str(secret), os.path.relpath(secret), f"file://{secret}", "~/closed/secret.txt"),
        *("/dev/zero", f"cmd:cat {secret}", f"{game}", f"{game}:2"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_HOME", str(home))
        patch.setenv("LUDUS_LANG", "en")
        patch.setenv("HOME", str(theirs))
        log = str(home / "requests.log")
        settings = ServerSettings(demo=False, jobs=1, reader=reader_command(READER_MODULE), log=log)
        with served(home, settings) as site:
            olga = register(site, "Olga")
            games = olga.get("/api/games")
            line = HTTPConnection("127.0.0.1", site.port, timeout=30)
            yield Plot(site, olga, secret, marker, words, games, line)
            line.close()


def hostile_game(folder: Path, logic: str) -> Path:
    """A game that calls itself like one of ours and says what it was given to read."""
    (folder / "ais").mkdir(parents=True)
    (folder / "saiblo.toml").write_text(f'name = "uno"\nlogic = "{logic}"\nbots = "ais"\n')
    (folder / "logic.py").write_text(LOGIC)
    (folder / "ais" / "dumb.py").write_text("")
    return folder


# Where words go


def places(info: Any, name: str = "") -> Iterator[Put]:
    """Every place for a word in a type, the rest filled with something plausible."""
    match info:
        case inspect.StrType() | inspect.LiteralType() | inspect.AnyType():
            yield lambda word: word
        case inspect.UnionType(types=types):
            for each in types:
                yield from places(each, name)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            for put in places(item, name):
                yield lambda word, put=put: [put(word), sample(item, name)]
        case inspect.DictType(value_type=value):
            yield lambda word: {word: sample(value, name)}
            for put in places(value, name):
                yield lambda word, put=put: {"reversi": put(word)}
        case inspect.StructType(fields=fields) | inspect.DataclassType(fields=fields):
            least = minimal(fields)
            for each in fields:
                more = {"kind": "bot"} if each.name == "bot" and "kind" in least else {}
                for put in places(each.type, each.name):
                    yield lambda word, put=put, key=each.encode_name, more=more: {
                        **least,
                        **more,
                        key: put(word),
                    }


def minimal(fields: Any) -> dict[str, Any]:
    return {
        each.encode_name: sample(each.type, each.name)
        for each in fields
        if each.required or each.name == "game"
    }


def sample(info: Any, name: str) -> Any:
    match info:
        case inspect.StrType() | inspect.AnyType():
            return SAMPLES.get(name, "x")
        case inspect.LiteralType(values=values):
            return SAMPLES[name] if SAMPLES.get(name) in values else values[0]
        case inspect.UnionType(types=types):
            return sample(types[0], name)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return [sample(item, name)] * 2
        case inspect.DictType():
            return {}
        case inspect.StructType(fields=fields) | inspect.DataclassType(fields=fields):
            return minimal(fields)
        case inspect.BoolType():
            return False
        case _:
            return 1


@dataclass(frozen=True)
class Slot:
    """A place for a word in a request."""

    method: str
    path: str
    query: str = ""
    put: Put | None = None

    def address(self, word: str) -> str:
        parts = [
            quote(word, safe="") if part.startswith("{") and ":str" in part else part
            for part in self.path.replace("{id:int}", "1").replace("{user:int}", "1").split("/")
        ]
        return "/".join(parts) + (f"?{self.query}={quote(word, safe='')}" if self.query else "")


def slots() -> Iterator[Slot]:
    for route in cached_routes().routes:
        if not isinstance(route, HTTPRoute) or route.path.startswith("/api/docs"):
            continue
        for handler in route.route_handlers:
            for method in handler.http_methods - {"OPTIONS", "HEAD"}:
                yield from slots_of(method, route.path, handler.parsed_fn_signature.parameters)


def slots_of(method: str, path: str, parameters: Any) -> Iterator[Slot]:
    if ":str" in path or ":path" in path:
        yield Slot(method, path.replace("{path:path}", "{path:str}"))
    for name, parameter in parameters.items():
        text = parameter.annotation in (str, str | None)
        if name == "data":
            kind = parameter.annotation
            kind = SiteSettings if kind == dict[str, Any] else kind
            yield from (Slot(method, path, "", put) for put in places(inspect.type_info(kind)))
        elif text and f"{{{name}:" not in path and name != "path":
            yield Slot(method, path, name)


SLOTS = list(slots())


def test_the_sweep_reaches_what_it_should() -> None:
    """A sweep that finds no place for its words would always succeed."""
    bodies = {slot.path for slot in SLOTS if slot.put}
    assert {"/api/matches", "/api/rooms", "/api/contests", "/api/admin/settings"} <= bodies
    puts = [slot.put("WORD") for slot in SLOTS if slot.put and slot.path == "/api/rooms"]
    assert any(body.get("game") == "WORD" for body in puts)
    assert any(body["seats"][0].get("bot") == "WORD" for body in puts)
    assert any(body.get("from", {}).get("film") == "WORD" for body in puts)
    assert len(SLOTS) > 80


def test_no_request_reaches_a_file_of_the_host(plot: Plot) -> None:
    guest = Person(plot.site)
    for slot in SLOTS:
        for word in plot.words:
            body = slot.put(word) if slot.put else None
            if slot.path in ("/api/login", "/api/reset", "/api/me/password") and word[0] != "/":
                continue  # guesses are counted
            who = guest if slot.path in ("/api/matches", "/api/rooms") else plot.olga
            status = plot.ask(who, slot.address(word), body, method=slot.method)
            if isinstance(body, dict) and body.get("game") == word:
                assert 400 <= status < 500, (slot, word, status)
    plot.nothing_is_left()


def test_no_message_reaches_a_file_of_the_host(plot: Plot) -> None:
    acts = ("move", "say", "resign", "restart", "undo", "pause", "ping")
    for path in (path for path in SOCKETS if ":str}" in path):
        for word in plot.words[::3]:
            filled = path.replace("{id:int}", "1")
            for name in ("{id:str}", "{game:str}"):
                filled = filled.replace(name, quote(word, safe=""))
            told = first_words(plot, f"{filled}?token={quote(word, safe='')}")
            plot.check(filled, 200, told)
    seats = [{"kind": "human"}, {"kind": "bot", "bot": "random"}]
    asked = {"game": "reversi", "seats": seats, "practice": True}
    room = plot.olga.post("/api/rooms", asked)
    token = room["seats"][0]["token"]
    seat = f"/ws/room/{room['room']}?token={token}"
    with plot.site.socket(seat, close_timeout=0.5) as socket:  # much of what it says stays unread
        hear(socket, "film")
        for word in plot.words:
            for put in places(inspect.type_info(ClientMessage)):
                socket.send(msgspec.json.encode(put(word)).decode())
            for act in acts:
                socket.send(msgspec.json.encode(ClientMessage(act, move=word, text=word)).decode())
        socket.send('{"type":"ping"}')
        deadline = time.monotonic() + 20
        while (told := socket.recv(timeout=deadline - time.monotonic())) != '{"type":"pong"}':
            plot.check("room", 200, str(told).encode())
    plot.nothing_is_left()


def first_words(plot: Plot, path: str) -> bytes:
    """What a socket says at once, if it says anything."""
    try:
        with plot.olga.socket(path) as socket:
            return str(socket.recv(timeout=0.05)).encode()
    except (TimeoutError, ConnectionClosed, InvalidStatus):
        return b""


def test_no_upload_reaches_a_file_of_the_host(plot: Plot) -> None:
    for word in plot.words:
        for fields in ({"game": word}, {"game": "reversi", "name": word}):
            answer = plot.olga.send("/api/bots", {word: GOOD}, {"name": "x", **fields})
            plot.check(word, answer.status, answer.body)
            if fields["game"] == word:
                assert 400 <= answer.status < 500, (word, answer)
        answer = plot.olga.send("/api/groups/1/roster", {word: b"name\nx"})
        plot.check(word, answer.status, answer.body)
    record = bout("duel2048")
    named = {f"{number}.ludus": forged(record, word) for number, word in enumerate(plot.words)}
    answer = Person(plot.site).send("/api/open", named)
    plot.check("/api/open", answer.status, answer.body)
    for film in answer.json.get("films", []):
        for more in ("", "/raw", "/html", "/analysis", "/gestures?step=0&seat=0"):
            plot.ask(plot.olga, f"/api/films/{film['id']}{more}")
    plot.nothing_is_left()


def forged(record: Record, game: str) -> bytes:
    return pack(msgspec.structs.replace(record, game=game).with_checksum())


PEEK = """
#include "@"
#include <stdio.h>
int main() { return 0; }
"""


def test_no_bot_that_was_uploaded_reads_a_file_of_the_host(plot: Plot) -> None:
    """What is built and run for real: what compilers and commands say is told to the author."""
    secret = plot.secret
    link = f"../../../../../../../..{secret}"
    both = f'[build]\ncommand = ["cp", "{secret}", "/out/x"]\n[run]\ncommand = ["cat", "/out/x"]\n'
    uploads = [
        {"ludus.toml": f'[run]\ncommand = ["cat", "{secret}"]\n', "x": ""},
        {"ludus.toml": both, "x": ""},
        {"ludus.toml": 'language = "cpp"\n', "main.cpp": PEEK.replace("@", str(secret))},
        {"main.cpp": PEEK.replace("@", link)},
    ]
    for number, files in enumerate(uploads):
        body = {"game": "reversi", "name": f"peek {number}", "files": files}
        made = plot.olga.ask("/api/bots", body)
        plot.check(files, made.status, made.body)
        if made.status == 201:
            version = made.json["versions"][0]["id"]
            assert checked(plot.olga, version)["state"] != "good"
            plot.ask(plot.olga, f"/api/versions/{version}")
    plot.nothing_is_left()


def test_a_game_in_an_upload_is_no_game(plot: Plot) -> None:
    """The folder of a version lies on the server, and its author may learn where."""
    logic = f"python3+logic.py+{plot.secret}"
    files = {
        "main.py": GOOD.decode(),
        "saiblo.toml": f'name = "uno"\nlogic = "{logic}"\nbots = "ais"\n',
        "logic.py": LOGIC,
        "ais/dumb.py": "",
        "ludus.toml": 'language = "python"\n',
    }
    student = newcomer(plot.site)
    made = student.post("/api/bots", {"game": "reversi", "name": "trojan", "files": files})
    folder = plot.site.state.version_files.ensure_folder(made["versions"][0]["id"])
    for path, body in {
        "/api/matches": {"bots": ["dumb", "dumb"], "bouts": 1, "delay": 0},
        "/api/rooms": {"seats": [{"kind": "human"}, {"kind": "bot", "bot": "dumb"}]},
    }.items():
        for game in (str(folder), os.path.relpath(folder), f"{folder}:2", f"{folder}/"):
            answer = Person(plot.site).ask(path, {"game": game, **body})
            assert answer.status == 400, (path, game, answer)
            assert b"there is no game" in answer.body
    plot.nothing_is_left()


def test_another_user_of_the_machine_opens_no_game_of_theirs(shared: Site, tmp_path: Path) -> None:
    """A server of one's own, without accounts, is within reach of everybody on the machine."""
    (tmp_path / "secret.txt").write_text(marker := f"MARK-{secrets.token_hex(16)}")
    (tmp_path / "secret.txt").chmod(0o600)
    folder = hostile_game(tmp_path / "theirs", f"python3+logic.py+{tmp_path}/secret.txt")
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, 1001, 1001)
    before = shared.get("/api/games")
    body = {"game": str(folder), "bots": ["dumb", "dumb"], "bouts": 1, "delay": 0}
    answer = shared.ask("/api/matches", body)
    assert answer.status == 400, answer
    assert b"there is no game" in answer.body
    assert marker not in str(shared.get("/api/records"))
    assert shared.get("/api/games") == before


def test_files_out_of_a_database_stay_in_their_folder(tmp_path: Path) -> None:
    """A backup that was restored may be anybody's."""
    (tmp_path / "version").mkdir()
    for name in ("../out", str(tmp_path / "out"), "a/../../out"):
        with pytest.raises(LudusError, match="cannot be the name of a bot's file"):
            upload.write_files({name: b"x"}, tmp_path / "version")
    assert not (tmp_path / "out").exists()


# Manifests


def manifest_fields(kind: type) -> list[tuple[str, Put]]:
    """Name and place of every word that a manifest holds."""
    fields = inspect.type_info(kind).fields  # type: ignore[attr-defined]
    return [(each.name, put) for each in fields for put in places(each.type, each.name)]


def toml(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{toml(k)} = {toml(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case bool():
            return str(value).lower()
        case str():
            return msgspec.json.encode(value).decode()
        case _:
            return str(value)


def written(path: Path, facts: dict[str, Any]) -> None:
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in facts.items()))


def shown_of(program: Any) -> list[str]:
    return [os.path.realpath(path) for path in program.files.values()]


@pytest.mark.parametrize("key,put", manifest_fields(GameManifest), ids=lambda value: str(value)[:9])
def test_no_word_of_saiblo_toml_reaches_a_file_of_the_host(
    plot: Plot, tmp_path: Path, key: str, put: Put
) -> None:
    from ludus.sandbox import Limits

    folder = hostile_game(tmp_path / "game", "python3+logic.py")
    (folder / "link").symlink_to(plot.secret)
    (folder / "links").symlink_to(plot.secret.parent)
    os.mkfifo(folder / "pipe")
    words = [*plot.words, "link", "links", "links/secret.txt", "pipe", "..", f"python3+{'link'}"]
    for word in [*words, f"python3+logic.py+{plot.secret}", "python3+logic.py+link"]:
        facts = {"name": "mine", "logic": "python3+logic.py", "bots": "ais", key: put(word)}
        written(folder / "saiblo.toml", facts)
        try:
            game = open_game(folder)
            files = shown_of(game.rules_program(Limits()))
            files += [os.path.realpath(path) for path in game.bots().values()]
            told = str(game.scene(game.Options()))
        except LudusError as refusal:
            assert plot.marker not in f"{refusal.text}{refusal.detail}"
            continue
        assert plot.marker not in told
        reached = [file for file in files if plot.secret.is_relative_to(file)]
        assert not reached, (word, reached)


@pytest.mark.parametrize("key,put", manifest_fields(BotManifest), ids=lambda value: str(value)[:9])
def test_no_word_of_ludus_toml_reaches_a_file_of_the_host(
    plot: Plot, tmp_path: Path, key: str, put: Put
) -> None:
    from ludus.bots.resolve import resolve_bot

    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "main.py").write_bytes(GOOD)
    for word in plot.words:
        facts: dict[str, Any] = {"language": "python", key: put(word)}
        written(folder / "ludus.toml", facts)
        try:
            recipe = resolve_bot(str(folder), get("reversi")).build_spec
        except LudusError as refusal:
            assert plot.marker not in f"{refusal.text}{refusal.detail}"
            continue
        files = [
            os.path.realpath(file)
            for file in (*recipe.files.values(), *recipe.command_files.values())
        ]
        reached = [file for file in files if plot.secret.is_relative_to(file)]
        assert not reached, (word, reached)
