"""What a bot says when it crashes is for its owner: no route and no socket tells it to others."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games.registry import get
from ludus.match import record, record_files
from ludus.match.record import unpack
from ludus.match.referee import play
from ludus.server.state import ServerSettings
from tests.support.rooms import HUMAN, answer, open_room, sit
from tests.support.routes import SOCKETS, opened, reading_routes
from tests.support.site import Site, hear, served_for_module, wait_for

SECRET = "MARK-OF-WEIGHTS"
CRASHER = f"""
class Bot:
    def move(self, position, clock):
        raise ValueError("{SECRET[:4]}" + "{SECRET[4:]}")
"""
CRASHING = {"kind": "bot", "bot": "crasher"}


@pytest.fixture(scope="module")
def crasher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bots") / "crasher.py"
    path.write_text(CRASHER)
    return path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, crasher: Path) -> Iterator[Site]:
    """A server that others reach, too."""
    settings = ServerSettings(loopback=False, demo=False, extra_bots=(("reversi", str(crasher)),))
    with served_for_module(tmp_path_factory.mktemp("home"), settings) as site:
        yield site


def heard(socket: Any) -> str:
    text = ""
    with contextlib.suppress(TimeoutError, ConnectionClosed):
        while True:
            text += str(socket.recv(timeout=0.05))
    return text


@pytest.fixture
def elsewhere(crasher: Path, site: Site) -> Iterator[str]:
    """A bout of another program of this machine, its journal and its record with every word."""
    game = get("reversi")
    players = [create_player(resolve_bot(bot, game), game) for bot in (str(crasher), "random")]
    with record_files.LiveJournal("elsewhere-01") as journal:
        try:
            played = play(game, game.Options(), 1, players, watch=journal)
        finally:
            for player in players:
                player.close()
        assert SECRET in str(played.faults), "its owner is told"
        record.save(played, site.home / "records" / "other.ludus")
        yield journal.id


def test_no_route_and_no_socket_tells_others_why_a_bot_crashed(
    site: Site, elsewhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "ludus.server.live.live_bouts.LISTED_AFTER_END_S", 600.0
    )  # what is over is listed until we looked
    live = elsewhere
    room, tokens = open_room(site, seats=[HUMAN, CRASHING])
    filled = [
        path.replace("{id:int}", "1").replace("{id:str}", id).replace("{game:str}", "reversi")
        for path in SOCKETS
        for id in ((live, room) if "{id:str}" in path else ("",))
    ]
    with contextlib.ExitStack() as stack:
        ears = {path: stack.enter_context(site.socket(path)) for path in filled}
        with sit(site, room, tokens[0]) as mine:
            answer(mine, hear(mine, "ask"))
            told = hear(mine, "end")
            assert told["end"]["faults"][0]["kind"] == "crash"
            saved = hear(mine, "saved")["id"]
            assert SECRET not in str(told)
        wait_for(lambda: {live, room} <= {item["id"] for item in site.get("/api/live")})
        said = {path: heard(ear) for path, ear in ears.items()}
    assert "crash" in said["/ws/live"] and '"end"' in said[f"/ws/film/{room}"]
    assert [path for path, text in said.items() if SECRET in text] == []
    films = (live, room, saved, "other")
    addresses = [
        path.replace("{id:int}", "1").replace("{id:str}", film).replace("{game:str}", "reversi")
        for path in reading_routes()
        for film in (films if "{id:str}" in path else ("",))
    ]
    bodies = {path: site.ask(path).body for path in addresses}
    bodies |= {f"{path}?seat=0": site.ask(f"{path}?seat=0").body for path in addresses}
    assert all(b"crash" in bodies[path] for path in ("/api/live", "/api/records"))
    assert [path for path, body in bodies.items() if SECRET in opened(body)] == []


def test_the_owner_of_the_machine_keeps_every_word(home: Path, crasher: Path) -> None:
    """Where nobody else comes, a record is saved as it was played."""
    settings = ServerSettings(demo=False, extra_bots=(("reversi", str(crasher)),))
    with served_for_module(home, settings) as site:
        room, tokens = open_room(site, seats=[HUMAN, CRASHING])
        with sit(site, room, tokens[0]) as mine:
            answer(mine, hear(mine, "ask"))
            saved = hear(mine, "saved")["id"]
        raw = site.ask(f"/api/films/{saved}/raw").body
        assert SECRET in unpack(raw, "mine").faults[0].why["en"]
