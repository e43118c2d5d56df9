"""The live tool, with its terminal replaced by a text."""

from __future__ import annotations

import functools
import io
import shutil
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ludus.compat.duel2048 import constants, livetool, plat, round_match
from ludus.compat.duel2048.screen import Screen
from ludus.errors import LudusError
from tests.support.duel2048_scripts import BOTS, Steady

SHORT = functools.partial(round_match.main, ROUNDS=2, toSave=False)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(constants, "SLEEP", 0)
    return tmp_path


class Recorder:
    """A display that remembers what it was shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[plat.Platform, str]] = []

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *why: object) -> None:
        self.shown.append((self.shown[-1][0], "closed"))

    def show(self, platform: plat.Platform) -> None:
        self.shown.append((platform, platform.log[-1]))


def screen() -> tuple[Screen, io.StringIO]:
    text = io.StringIO()
    return Screen(Console(file=text, width=80, force_terminal=True)), text


def test_a_match_is_shown_to_its_end() -> None:
    display = Recorder()
    livetool.Live(func=SHORT, playerList=[Steady, Steady], display=display)
    platforms = list(dict.fromkeys(platform for platform, _ in display.shown))
    assert len(platforms) == 2
    assert [platform.currentRound for platform in platforms] == [2, 2]
    assert len(display.shown) == 1 + sum(len(platform.log) for platform in platforms)
    assert display.shown[-2][1].startswith("&e:")
    assert display.shown[-1][1] == "closed"


def test_the_terminal_shows_board_event_and_decision() -> None:
    display, text = screen()
    livetool.Live(func=SHORT, playerList=[Steady, Steady], display=display)
    assert display.top.startswith(("tied", "player"))
    assert display.bottom.startswith("player 1 set direction")
    assert any(tile in text.getvalue() for tile in ("2", "4"))
    assert len(display.board.split()) == 32


def test_a_screen_follows_the_newest_entry() -> None:
    display, text = screen()
    platform: Any = type("Platform", (), {"log": []})()
    tiles = "\n".join(["+10 +00 +00 +00 -03 -00 -00 +01"] * 4)
    with display:
        for entry in ["&d7:player 0 set position (1, 2)", f"&p7:\n{tiles}", "&e:player 1 win"]:
            platform.log.append(entry)
            display.show(platform)
            if entry.startswith("&d"):
                assert display.top == "round 7"
    assert (display.top, display.bottom) == ("player 1 win", "player 0 set position (1, 2)")
    assert "1024" in text.getvalue() and "8" in text.getvalue()


def test_without_a_player_file_the_house_bot_plays(capsys: pytest.CaptureFixture[str]) -> None:
    display = Recorder()
    livetool.Live(func=SHORT, display=display)
    assert "random" in capsys.readouterr().err
    assert display.shown[0][0].states[True]["path"].endswith("random.py")


def test_the_usual_player_is_player_py(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(BOTS / "steady.py", here / "player.py")
    display = Recorder()
    livetool.Live(0, SHORT, display=display)
    assert capsys.readouterr().err == ""
    assert display.shown[0][0].states[True]["path"] == "player.py"


def test_what_goes_wrong_in_the_match_reaches_the_viewer() -> None:
    with pytest.raises(LudusError, match="nobody"):
        livetool.Live(func=SHORT, playerList=["nobody.py"] * 2, display=screen()[0])


def test_there_are_two_modes() -> None:
    with pytest.raises(LudusError, match="mode"):
        livetool.Live(mode=2)
    livetool.Live(mode=1, func=SHORT, playerList=[Steady, Steady], display=Recorder())


@pytest.mark.parametrize(
    ("given", "display", "where"),
    [
        ("web", "", "web"),
        ("terminal", ":0", "terminal"),
        ("", ":0", "web"),
        ("", "", "terminal"),
    ],
)
def test_a_match_is_shown_where_somebody_can_see_it(
    monkeypatch: pytest.MonkeyPatch, given: str, display: str, where: str
) -> None:
    for name in ("BROWSER", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LUDUS_LIVE", given)
    monkeypatch.setenv("DISPLAY", display)
    assert livetool.choose_display() == where


def test_an_unknown_place_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_LIVE", "tkinter")
    with pytest.raises(LudusError, match="web or terminal"):
        livetool.Live(func=SHORT, playerList=[Steady, Steady])


def test_a_match_is_shown_on_the_page(
    monkeypatch: pytest.MonkeyPatch, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import json
    import re
    import threading

    from websockets.sync.client import connect

    from ludus.server import embedded

    monkeypatch.setenv("LUDUS_HOME", str(here / "home"))
    monkeypatch.setenv("LUDUS_LIVE", "web")
    monkeypatch.setattr(constants, "SLEEP", 0.1)
    seen: list[Any] = []
    watched = threading.Event()

    def browser(url: str) -> bool:
        found = re.fullmatch(r"http://(.+)/watch/(.+)\?look=1", url)
        assert found

        def look() -> None:
            address = f"ws://{found[1]}/ws/film/{found[2]}"
            with connect(address, proxy=None, max_size=None) as page:
                while not seen or seen[-1]["type"] not in ("end", "next"):
                    seen.append(json.loads(page.recv(timeout=20)))
            watched.set()

        threading.Thread(target=look, daemon=True).start()
        return True

    monkeypatch.setattr(embedded, "open_browser", browser)
    livetool.Live(1, SHORT, [Steady, Steady])
    assert watched.wait(20)
    assert seen[0]["film"]["clock"]["budget"] == 5
    assert seen[0]["film"]["players"][0]["name"].endswith("Steady'>")
    assert [told["type"] for told in seen[1:-1]].count("step") > 4
    assert seen[-1]["end"]["reason"] in ("level", "tied")
    assert not list((here / "home" / "live").iterdir()), "no journal is left"
