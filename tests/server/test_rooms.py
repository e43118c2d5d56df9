"""People at screens: they play bots and each other, leave and come back."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from ludus.games import registry
from ludus.match import record
from ludus.match.replay import verify
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.live import live_bouts
from ludus.server.rooms import played_room, rooms
from ludus.server.web.errors import Forbidden
from ludus.server.web.room_and_match_requests import (
    BoutBeginning,
    FilmPosition,
    RoomRequest,
    SeatRequest,
    make_room_plan,
)
from tests.support import treasure
from tests.support.accounts import register
from tests.support.calls import Calls
from tests.support.rooms import GREEDY, HUMAN, answer, open_room, say, sit
from tests.support.site import Site, hear, wait_for


def play_out(socket: ClientConnection) -> dict[str, Any]:
    """Answer until the bout ends."""
    while True:
        told = hear(socket)
        if told["type"] == "ask":
            answer(socket, told)
        elif told["type"] == "end":
            return told["end"]


SMALL: dict[str, dict[str, Any]] = {
    "duel2048": {"rounds": 6},
    "paperio": {"turns": 10},
    "eraser": {"turns": 6},
}


@pytest.mark.parametrize("game", registry.names())
def test_a_person_plays_a_bot_to_the_end_of_every_game(shared: Site, game: str) -> None:
    bot = {"kind": "bot", "bot": "random"}
    options = SMALL.get(game, {})
    room, (token, _) = open_room(shared, game=game, seats=[HUMAN, bot], options=options, seed=4)
    with sit(shared, room, token) as socket:
        assert hear(socket, "seat")["seat"] == 0
        film = hear(socket, "film")["film"]
        assert film["clock"] is None, "nobody's clock is shown where a person's does not run"
        assert [player["human"] for player in film["players"]] == [True, False]
        end = play_out(socket)
        saved = hear(socket, "saved")["id"]
    kept = record.read(shared.home / "records" / f"{saved}.ludus")
    verify(kept)
    assert kept.bots[0].name == "Ann"
    assert shared.get(f"/api/films/{saved}")["end"] == end


def test_the_question_shows_what_can_be_done(shared: Site) -> None:
    room, (token, _) = open_room(shared)
    with sit(shared, room, token) as socket:
        asked = hear(socket, "ask")
    assert asked["n"] == 0 and asked["seat"] == 0 and asked["limit"] is None
    assert {g["move"] for g in asked["gestures"]} == set(asked["legal"]) == {"d3", "c4", "f5", "e6"}


def test_illegal_input_is_explained_and_not_punished(shared: Site) -> None:
    room, (token, _) = open_room(shared)
    with sit(shared, room, token) as socket:
        asked = hear(socket, "ask")
        answer(socket, asked, "a1")
        told = hear(socket, "illegal")
        assert told["move"] == "a1" and told["why"].keys() == {"en", "zh"}
        again = hear(socket, "ask")
        assert again["n"] == 0
        answer(socket, again, "d3")
        assert hear(socket, "step")["step"]["moves"] == {"0": "d3"}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"type": 5}', '{"type": "dance"}', '{"type": "_set_pause"}', "\x00"]
)
def test_nonsense_is_answered_and_nothing_breaks(shared: Site, text: str) -> None:
    room, (token, _) = open_room(shared)
    with sit(shared, room, token) as socket:
        asked = hear(socket, "ask")
        socket.send(text)
        assert hear(socket, "error")["error"].keys() == {"code", "en", "zh"}
        answer(socket, asked)
        hear(socket, "step")


def test_a_move_out_of_turn_is_refused(shared: Site) -> None:
    room, tokens = open_room(shared, seats=[HUMAN, HUMAN])
    with sit(shared, room, tokens[0]) as one, sit(shared, room, tokens[1]) as other:
        asked = hear(one, "ask")
        say(other, "move", n=0, move="d3")
        assert "turn" in hear(other, "error")["error"]["en"]
        say(one, "move", n=7, move="d3")
        assert "turn" in hear(one, "error")["error"]["en"]
        answer(one, asked)
        assert hear(other, "ask")["n"] == 1


def test_two_people_play_at_two_screens(shared: Site) -> None:
    room, tokens = open_room(shared, seats=[HUMAN, {**HUMAN, "name": "Bo"}])
    with (
        sit(shared, room, tokens[0]) as one,
        sit(shared, room, tokens[1]) as other,
        ThreadPoolExecutor(2) as people,
    ):
        ends = list(people.map(play_out, (one, other)))
    assert ends[0] == ends[1]
    assert ends[0]["faults"] == []


def test_who_loses_the_connection_comes_back_to_the_same_question(shared: Site) -> None:
    room, (token, _) = open_room(shared)
    with sit(shared, room, token) as socket:
        answer(socket, hear(socket, "ask"))
        before = hear(socket, "ask")
    with sit(shared, room, token) as socket:
        film = hear(socket, "film")["film"]
        assert len(film["steps"]) == before["n"] == 2
        assert hear(socket, "ask") == before
        answer(socket, before)
        assert hear(socket, "step")["n"] == 3


def test_others_see_who_is_here(site: Site) -> None:
    room, tokens = open_room(site, seats=[HUMAN, {**HUMAN, "name": "Bo"}])
    with sit(site, room, tokens[0]) as one:
        seats = hear(one, "presence")["seats"]
        assert [s["connected"] for s in seats] == [s["arrived"] for s in seats] == [True, False]
        with sit(site, room, tokens[1]):
            assert [s["connected"] for s in hear(one, "presence")["seats"]] == [True, True]
        gone = hear(one, "presence")["seats"][1]
        assert (gone["seat"], gone["connected"], gone["name"]) == (1, False, "Bo")
        assert gone["arrived"], "they may come back"


@pytest.mark.parametrize("token", ["wrong", "%E5%BC%88"])
def test_a_wrong_token_opens_nothing(shared: Site, token: str) -> None:
    room, _ = open_room(shared)
    with sit(shared, room, token) as socket:
        assert hear(socket, "error")["error"].keys() == {"code", "en", "zh"}
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=10)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403


def test_without_a_token_one_looks_on(shared: Site) -> None:
    room, tokens = open_room(shared)
    with sit(shared, room, "") as guest, sit(shared, room, tokens[0]) as socket:
        assert hear(guest, "seat")["seat"] is None
        asked = hear(socket, "ask")
        say(guest, "move", n=0, move="d3")
        say(guest, "resign")
        answer(socket, asked, "c4")
        told = [hear(guest)["type"] for _ in range(3)]
        assert "ask" not in told
        assert hear(socket, "step")["step"]["moves"] == {"0": "c4"}


def test_a_room_is_in_the_list_of_live_bouts(site: Site) -> None:
    room, _ = open_room(site)
    wait_for(lambda: [item["id"] for item in site.get("/api/live")] == [room])
    [item] = site.get("/api/live")
    assert item["kind"] == "room" and item["players"][0]["human"]
    with site.socket(f"/ws/film/{room}") as socket:
        assert hear(socket, "film")["film"]["id"] == room


def test_resigning_ends_the_bout(shared: Site) -> None:
    room, (token, _) = open_room(shared)
    with sit(shared, room, token) as socket:
        answer(socket, hear(socket, "ask"), "c4")
        hear(socket, "ask")
        say(socket, "resign")
        end = hear(socket, "end")["end"]
        film = shared.get(f"/api/films/{hear(socket, 'saved')['id']}")
    assert end["winner"] == 1 and end["reason"] == "resign"
    assert end["faults"][0]["seat"] == 0
    assert film["clock"] is None, "a room without a clock"
    assert film["steps"] and not any("left" in step for step in film["steps"])


@pytest.mark.parametrize("clock", [{"budget": 1e300}, {"patience": 1e300}, {"per_move": 1e9}])
def test_a_room_with_an_endless_clock_is_refused(shared: Site, clock: dict[str, float]) -> None:
    asked = {"game": "reversi", "seats": [HUMAN, GREEDY], "clock": clock}
    answer = shared.ask("/api/rooms", asked)
    assert answer.status == 400 and "at most" in answer.json["error"]["en"]


def test_a_clock_of_a_room_counts_wall_time(shared: Site) -> None:
    room, (token, _) = open_room(shared, clock={"budget": 2.0})
    with sit(shared, room, token) as socket:
        asked = hear(socket, "ask")
        assert 0 < asked["limit"] <= 2.0
        time.sleep(0.2)
        with sit(shared, room, token) as back:
            again = hear(back, "ask")
            assert again["limit"] <= asked["limit"] - 0.2, "it has run on meanwhile"
        end = hear(socket, "end")["end"]
        saved = hear(socket, "saved")["id"]
    assert end["reason"] == "timeout" and end["winner"] == 1
    assert shared.get(f"/api/films/{saved}")["clock"]["budget"] == 2.0, "and is shown afterwards"


class TestPractice:
    @pytest.fixture
    def table(self, shared: Site) -> Iterator[ClientConnection]:
        room, (token, _) = open_room(shared, practice=True)
        with sit(shared, room, token) as socket:
            assert hear(socket, "seat")["practice"] is True
            yield socket

    def test_a_move_is_taken_back(self, table: ClientConnection) -> None:
        answer(table, hear(table, "ask"), "d3")
        asked = hear(table, "ask")
        assert asked["n"] == 2
        say(table, "undo")
        film = hear(table, "restart")["film"]
        assert film["steps"] == []
        asked = hear(table, "ask")
        assert asked["n"] == 0
        answer(table, asked, "c4")
        assert hear(table, "step")["step"]["moves"] == {"0": "c4"}
        asked = hear(table, "ask")
        answer(table, asked)
        assert hear(table, "ask")["n"] == 4
        say(table, "undo")
        assert len(hear(table, "restart")["film"]["steps"]) == 2
        assert hear(table, "ask")["n"] == 2

    def test_nothing_to_take_back_is_said(self, table: ClientConnection) -> None:
        hear(table, "ask")
        say(table, "undo")
        assert hear(table, "error")["error"].keys() == {"code", "en", "zh"}

    def test_a_bout_that_is_over_can_go_on_from_before(self, table: ClientConnection) -> None:
        hear(table, "ask")
        say(table, "resign")
        hear(table, "end")
        say(table, "restart")
        assert hear(table, "restart")["film"]["end"] is None
        assert hear(table, "ask")["n"] == 0

    def test_the_last_of_many_wishes_counts(self, table: ClientConnection) -> None:
        answer(table, hear(table, "ask"))
        hear(table, "ask")
        for _ in range(5):
            say(table, "restart")
        hear(table, "restart")
        say(table, "restart")
        while True:
            told = hear(table)
            if told["type"] == "ask":
                last = told
                break
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            try:
                told = hear(table, timeout=1.5)
            except TimeoutError:
                break
            if told["type"] == "ask":
                last = told
        assert last["n"] == 0
        answer(table, last)
        while (told := hear(table))["type"] != "step":
            if told["type"] == "ask":  # of a wish that a busy machine heard later
                answer(table, told)
        assert told["n"] == 1

    def test_a_paused_bout_waits(self, table: ClientConnection) -> None:
        asked = hear(table, "ask")
        say(table, "pause", on=True)
        assert hear(table, "pause")["on"] is True
        answer(table, asked)
        assert "paused" in hear(table, "error")["error"]["en"]
        say(table, "pause", on=False)
        assert hear(table, "pause")["on"] is False
        answer(table, asked)
        hear(table, "step")


@pytest.mark.parametrize("wish", ["undo", "restart", "pause"])
def test_only_practice_can_be_changed_afterwards(shared: Site, wish: str) -> None:
    room, (token, _) = open_room(shared)
    with sit(shared, room, token) as socket:
        answer(socket, hear(socket, "ask"))
        hear(socket, "ask")
        say(socket, wish)
        assert "practice" in hear(socket, "error")["error"]["en"]


def test_a_position_of_a_record_is_played_on(site: Site) -> None:
    room, (token, _) = open_room(site, seed=11)
    with sit(site, room, token) as socket:
        play_out(socket)
        saved = hear(socket, "saved")["id"]
    film = site.get(f"/api/films/{saved}")
    asked = {"seats": [GREEDY, HUMAN], "from": {"film": saved, "step": 7}, "practice": True}
    answer_ = site.ask("/api/rooms", asked)
    assert answer_.status == 201, answer_.body
    seat = answer_.json["seats"][1]
    with sit(site, answer_.json["room"], seat["token"]) as socket:
        begun = hear(socket, "film")["film"]
        assert [s["moves"] for s in begun["steps"][:7]] == [s["moves"] for s in film["steps"][:7]]
        assert begun["game"]["name"] == "reversi"
        play_out(socket)
        again = hear(socket, "saved")["id"]
    kept = record.read(site.home / "records" / f"{again}.ludus")
    verify(kept)
    assert kept.moves[:7] == [move for s in film["steps"][:7] for move in s["moves"].values()]


def test_a_bout_that_is_kept_nowhere_is_played_on_from_its_moves(shared: Site) -> None:
    """As after a restart of the server: only a page still has them."""
    room, (token, _) = open_room(shared, seed=11)
    with sit(shared, room, token) as socket:
        answer(socket, hear(socket, "ask"))
        hear(socket, "step")
        hear(socket, "step")
        film = shared.get(f"/api/films/{room}")
    moves = [step["moves"] for step in film["steps"]]
    asked = {"game": "reversi", "options": film["options"], "seats": [HUMAN, GREEDY]}
    opened = shared.ask("/api/rooms", {**asked, "seed": film["seed"], "moves": moves})
    assert opened.status == 201, opened.body
    with sit(shared, opened.json["room"], opened.json["seats"][0]["token"]) as socket:
        begun = hear(socket, "film")["film"]
        assert [step["moves"] for step in begun["steps"][: len(moves)]] == moves
        assert begun["seed"] == film["seed"]
    refused = shared.ask("/api/rooms", {**asked, "moves": moves})
    assert refused.status == 400, "without the seed"
    refused = shared.ask("/api/rooms", {**asked, "seed": 1, "moves": [{"0": "a1"}]})
    assert refused.status == 400 and refused.json["error"]["code"] == "illegal_move"


def test_bots_that_the_server_was_started_with_can_be_played(site: Site, tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(
        '"""Mine. 我的。"""\n'
        "class Bot:\n"
        "    def move(self, position, clock):\n"
        "        return position.legal(clock.seat)[-1]\n"
    )
    site.state.bot_catalogue = BotCatalogue([("reversi", str(bot))])
    bots = site.get("/api/games/reversi")["bots"]
    about, title = {"en": "Mine.", "zh": "我的。"}, {"en": "mine", "zh": "mine"}
    assert bots[0] == {"name": "mine", "title": title, "description": about, "level": None}
    assert "mine" not in [bot["name"] for bot in site.get("/api/games/tablut")["bots"]]
    room, (token, _) = open_room(site, seats=[HUMAN, {"kind": "bot", "bot": "mine"}])
    with sit(site, room, token) as socket:
        film = hear(socket, "film")["film"]
        assert film["players"][1]["name"] == "mine"
        assert film["players"][1]["isolation"] != "in-process"
        assert play_out(socket)["faults"] == []


def test_a_room_comes_back_into_the_list_when_it_begins_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_bouts, "LISTED_AFTER_END_S", 0.1)
    room, (token, _) = open_room(site, practice=True)
    with sit(site, room, token) as socket:
        hear(socket, "ask")
        say(socket, "resign")
        hear(socket, "end")
        wait_for(lambda: site.get("/api/live") == [])
        say(socket, "restart")
        hear(socket, "ask")
        assert [item["id"] for item in site.get("/api/live")] == [room]


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server started now looks often whether rooms are deserted."""
    monkeypatch.setattr(rooms.Rooms.run_periodically, "__defaults__", (0.05,))
    monkeypatch.setattr(played_room, "EMPTY_ROOM_TIMEOUT_S", 0.1)


def test_a_deserted_room_is_closed(
    quick_looks: None, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, (token, _) = open_room(site)
    looks = Calls(monkeypatch, played_room.PlayedRoom, "is_deserted")
    with sit(site, room, token) as socket:
        hear(socket, "ask")
        monkeypatch.setattr(site.state.rooms, "_now", lambda: time.monotonic() + 1e6)
        looks.wait_for_more(2)
        assert site.state.rooms.find(room)
    wait_for(lambda: site.state.rooms.find(room) is None)
    assert site.get("/api/live") == []
    assert site.get("/api/records")["items"] == []


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example game of hidden information, installed."""

    class Point:
        dist = None
        name, value = "treasure", "tests.support.treasure:GAME"

        def load(self) -> Any:
            return treasure.GAME

    monkeypatch.setattr(registry, "_installed_games", lambda: {"treasure": Point()})
    registry._find_installed.cache_clear()
    yield
    registry._find_installed.cache_clear()


def seen(socket: ClientConnection, film: dict[str, Any], steps: int) -> list[str]:
    """The ground as somebody sees it after so many steps."""
    while len(film["steps"]) < steps:
        film["steps"].append(hear(socket, "step")["step"])
    ground = list(film["key"]["layers"]["ground"])
    for step in film["steps"]:
        for cell, token in step["cells"].get("ground", []):
            ground[cell] = token
    return ground


def test_everybody_sees_only_what_they_may(hidden: None, site: Site) -> None:
    room, tokens = open_room(site, game="treasure", seats=[HUMAN, HUMAN])
    with (
        sit(site, room, tokens[0]) as one,
        sit(site, room, tokens[1]) as other,
        sit(site, room, "") as guest,
        site.socket(f"/ws/film/{room}") as watcher,
    ):
        films = {socket: hear(socket, "film")["film"] for socket in (one, other, guest, watcher)}
        assert all(film["seed"] is None for film in films.values())
        answer(one, hear(one, "ask"), "2")
        answer(other, hear(other, "ask"), "0")
        assert seen(one, films[one], 1) == ["", "", "$", "", "", "", "", ""]
        assert seen(other, films[other], 1) == ["", "", "", "", "$", "", "", ""]
        for looker in (guest, watcher):
            assert seen(looker, films[looker], 1) == [""] * 8
            assert films[looker]["steps"][0]["moves"] == {}
        assert films[one]["steps"][0]["moves"] == {"0": "2"}
        assert films[other]["steps"][0]["moves"] == {"1": "0"}
        with sit(site, room, "") as late:
            film = hear(late, "film")["film"]
            assert seen(late, film, 1) == [""] * 8
            assert '"2"' not in json.dumps(film["steps"])
        [item] = site.get("/api/live")
        assert item["thumb"]["layers"]["ground"] == [""] * 8
        assert site.get(f"/api/films/{room}")["steps"][0]["moves"] == {}
        refused = site.ask(
            "/api/rooms", {"seats": [HUMAN, HUMAN], "from": {"film": room, "step": 1}}
        )
        assert refused.status == 400
        answer(one, hear(one, "ask"), "0")
        assert hear(guest, "end")["end"]["winner"] == 0


def test_nobody_chooses_the_hands_of_a_room_where_others_play(hidden: None, site: Site) -> None:
    alone = open_room(site, game="treasure", seats=[HUMAN, HUMAN], seed=7)
    assert alone, "on a machine without accounts nobody else is there"
    register(site, "Olga")
    before = {"film": alone[0], "step": 0}
    for other in (HUMAN, {"kind": "open"}, {"kind": "remote"}, {"kind": "bot", "bot": "12"}):
        asked = {"game": "treasure", "seats": [HUMAN, other]}
        for practice in (False, True):
            refused = site.ask("/api/rooms", {**asked, "seed": 7, "practice": practice})
            assert refused.status == 403 and "种子" in refused.json["error"]["zh"]
    refused = RoomRequest([SeatRequest("human")] * 2, origin=FilmPosition(**before))
    begun = BoutBeginning("treasure", {}, 7, ())
    with pytest.raises(Forbidden):
        make_room_plan(refused, begun, no_bot, str)
    house = RoomRequest([SeatRequest("human"), SeatRequest("bot", bot="x")], "treasure", seed=7)
    with pytest.raises(LookupError):  # as far as its bot: the seed is theirs, for nobody else plays
        make_room_plan(house, None, no_bot, str)
    drawn = make_room_plan(RoomRequest([SeatRequest("human")] * 2, "treasure"), None, no_bot, str)
    assert drawn.seed > 1 << 24, "nobody finds it by trying which seed deals what they see"
    assert open_room(site, seats=[HUMAN, HUMAN], seed=7), "where all is open, all see the seed"


def no_bot(*given: Any) -> Any:
    raise LookupError
