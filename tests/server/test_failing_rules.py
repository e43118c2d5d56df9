"""Rules of an installed game that fail on a server: its log says where, the page does not."""

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from ludus.bots.load import load_bot
from ludus.bots.players.local import LocalPlayer
from ludus.cli.scaffold import write_game
from ludus.games import get
from ludus.match.record import save
from ludus.match.referee import play
from tests.support.entry_points import forget_entry_points, install_entry_points
from tests.support.rooms import HUMAN, answer, open_room, say, sit
from tests.support.site import Site, hear

FAILED = "the rules of stones failed"
LOGGED = f"{FAILED} at "
"""With a path of the server, which its readers are not told."""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A new game whose rules fail at the third stone as long as ``BROKEN`` is true."""
    write_game("stones", tmp_path)
    source = (tmp_path / "stones/src/stones/__init__.py").read_text("utf-8")
    play = "        self.seat = 1 - self.seat\n"
    assert play in source
    breaking = f"{play}        if BROKEN and self.cells.count('x') == 2:\n            {{}}['x']\n"
    source = source.replace(play, breaking) + "\nBROKEN = False\n"
    shutil.copytree(tmp_path / "stones/src/stones/bots", tmp_path / "bots")
    install_entry_points(tmp_path, monkeypatch, source, games={"stones": "GAME"})
    yield importlib.import_module("visiting_package")
    forget_entry_points()
    sys.modules.pop("visiting_package", None)


def test_a_room_says_what_failed_and_can_be_played_again(
    rules: ModuleType, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    rules.BROKEN = True
    two = [HUMAN, {**HUMAN, "name": "Bo"}]
    room, (token, other) = open_room(site, game="stones", seats=two, practice=True)
    with sit(site, room, token) as one, sit(site, room, other) as two_:
        for socket in (one, two_, one):
            answer(socket, hear(socket, "ask"))
        told = hear(one, "error")
        assert told["stopped"] is True
        check_failure(told["error"], caplog)
        assert ", in play: KeyError: 'x'" in caplog.text
        with sit(site, room, token) as later:
            assert hear(later, "error")["error"] == told["error"]
        rules.BROKEN = False
        say(one, "restart")
        hear(two_, "proposal")
        say(two_, "accept")
        assert hear(one, "restart")["film"]["end"] is None
        answer(one, hear(one, "ask"))


def test_a_record_that_the_rules_cannot_replay_says_why(
    rules: ModuleType, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    game = get("stones")
    bots = [LocalPlayer("random", lambda: load_bot(game.bots()["random"], game)) for _ in "ab"]
    record = play(game, game.Options(), 1, bots)
    folder = site.home / "records"
    folder.mkdir(exist_ok=True)
    save(record, folder / "stones.ludus")
    rules.BROKEN = True
    answered = site.ask("/api/films/stones")
    assert answered.status == 500
    check_failure(answered.json["error"], caplog)


def check_failure(error: dict[str, str], caplog: pytest.LogCaptureFixture) -> None:
    assert error["en"] == f"{FAILED}; the log of the server shows where"
    assert "visiting_package" not in error["zh"]
    assert LOGGED in caplog.text
