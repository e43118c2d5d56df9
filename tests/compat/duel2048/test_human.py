"""A person plays for the original's ``human``, through the page."""

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from ludus.compat.duel2048 import round_match
from tests.support.duel2048_scripts import Steady


def test_a_person_plays_for_human(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ludus.compat.duel2048 import human

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    human.get_human_room.cache_clear()
    told: list[Any] = []

    def browser(url: str) -> bool:
        found = re.fullmatch(r"http://(.+)/room/human\?token=(.+)", url)
        assert found

        def play() -> None:
            address = f"ws://{found[1]}/ws/room/human?token={found[2]}"
            with connect(address, proxy=None, max_size=None) as page:
                try:
                    while True:
                        said = json.loads(page.recv(timeout=20))
                        told.append(said)
                        if said["type"] == "ask":
                            move = "9,9" if len(told) < 6 else said["legal"][0]
                            page.send(json.dumps({"type": "move", "n": said["n"], "move": move}))
                except ConnectionClosed:
                    pass

        threading.Thread(target=play, daemon=True).start()
        return True

    monkeypatch.setattr(human, "open_browser", browser)
    played = round_match.main(
        [Steady, ("human", -30)],
        toSave=False,
        toReport=False,
        toGet=True,
        REPEAT=1,
        MAXTIME=60,
        ROUNDS=4,
    )
    human.get_human_room().server.__exit__()
    human.get_human_room.cache_clear()
    kinds = [said["type"] for said in told]
    assert kinds.count("illegal") >= 1, "an illegal move is explained"
    assert kinds.count("restart") == 1, "the second bout uses the same room"
    seats = [said["seat"] for said in told if said["type"] == "seat"]
    assert sorted(set(seats)) == [0, 1]
    moves = [said["step"]["moves"] for said in told if said["type"] == "step"]
    assert len(moves) > 20 and {seat for step in moves for seat in step} == {"0", "1"}
    bouts = [bout for pair in played.values() for bout in pair]
    assert [(bout.violator, bout.error, bout.timeout) for bout in bouts] == [(None,) * 3] * 2
    assert [bout.currentRound for bout in bouts] == [4, 4]
