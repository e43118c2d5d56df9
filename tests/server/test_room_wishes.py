"""What people in rooms see at once, ask of each other, play again, and find when they come late."""

import time

import pytest
from websockets.exceptions import ConnectionClosed

from ludus.bots.players.human import MoveQuestion
from ludus.match import record
from ludus.match.replay import verify
from ludus.server.live import live_bouts
from ludus.server.rooms import played_room, rooms
from ludus.server.rooms.previews import can_preview
from tests.support import treasure
from tests.support.rooms import HUMAN, answer, open_room, say, sit
from tests.support.site import Site, hear, wait_for

BO = {**HUMAN, "name": "Bo"}


def test_what_a_move_leads_to_is_known_before_it_is_played(shared: Site) -> None:
    room, (token, _) = open_room(shared, seed=3)
    with sit(shared, room, token) as socket:
        asked = hear(socket, "ask")
        preview = hear(socket, "preview")
        assert preview["n"] == 0 and preview["steps"].keys() == set(asked["legal"])
        with sit(shared, room, token) as back:
            assert hear(back, "preview") == preview, "also after a reload"
        answer(socket, asked, "d3")
        step = hear(socket, "step")["step"]
    foreseen = preview["steps"]["d3"]
    for part in ("moves", "cells", "set", "events"):
        assert foreseen[part] == step[part]


def test_nothing_is_foreseen_where_something_is_hidden() -> None:
    position = treasure.GAME.start(treasure.GAME.Options(), 1)
    question = MoveQuestion(0, position.to_move[0], position, (1.0, 1.0), None)
    assert not can_preview(treasure.GAME, question)


def test_a_bot_answers_no_sooner_than_people_can_see_their_own_move(shared: Site) -> None:
    room, (token, _) = open_room(shared, delay=0.4)
    with sit(shared, room, token) as socket:
        answer(socket, hear(socket, "ask"))
        assert hear(socket, "step")["n"] == 1
        seen = time.monotonic()
        assert hear(socket, "step")["n"] == 2
        assert time.monotonic() - seen > 0.3
        say(socket, "resign")


def test_taking_back_between_people_needs_the_other_one(shared: Site) -> None:
    room, tokens = open_room(shared, seats=[HUMAN, BO], practice=True)
    with sit(shared, room, tokens[0]) as one, sit(shared, room, tokens[1]) as other:
        answer(one, hear(one, "ask"), "d3")
        hear(other, "ask")
        say(one, "undo")
        asked = hear(other, "proposal")["proposal"]
        assert asked == {"kind": "undo", "seat": 0, "swap": False}
        say(one, "accept")
        assert "not asked" in hear(one, "error")["error"]["en"]
        say(other, "restart")
        assert "first" in hear(other, "error")["error"]["en"]
        say(other, "decline")
        assert hear(one, "proposal") == {"type": "proposal", "proposal": None, "declined": True}
        say(one, "undo")
        with sit(shared, room, tokens[1]) as back:
            assert hear(back, "proposal")["proposal"]["kind"] == "undo", "also after a reload"
            say(back, "accept")
            assert hear(one, "restart")["film"]["steps"] == []
        say(one, "restart")
        hear(other, "restart")
        say(one, "decline")  # withdrawn by who proposed it
        while hear(one, "proposal")["proposal"] is not None:
            pass


def test_who_never_came_is_not_asked(shared: Site) -> None:
    room, tokens = open_room(shared, seats=[HUMAN, BO], practice=True)
    with sit(shared, room, tokens[0]) as one:
        answer(one, hear(one, "ask"), "d3")
        hear(one, "step")
        say(one, "undo")
        assert hear(one, "restart")["film"]["steps"] == []
        answer(one, hear(one, "ask"), "d3")
        with sit(shared, room, tokens[1]) as other:
            hear(other, "ask")
        say(one, "undo")
        assert hear(one, "proposal")["proposal"]["kind"] == "undo", "who left may come back"


def test_a_move_ends_the_wish_to_take_back(shared: Site) -> None:
    room, tokens = open_room(shared, seats=[HUMAN, BO], practice=True)
    with sit(shared, room, tokens[0]) as one, sit(shared, room, tokens[1]) as other:
        answer(one, hear(one, "ask"), "d3")
        asked = hear(other, "ask")
        say(one, "undo")
        assert hear(other, "proposal")["proposal"]
        answer(other, asked)
        assert hear(other, "proposal")["proposal"] is None


def test_a_rematch_against_a_stronger_bot_on_the_other_side(shared: Site) -> None:
    room, (token, _) = open_room(shared, seed=3)
    with sit(shared, room, token) as socket:
        hear(socket, "ask")
        say(socket, "rematch")
        assert "not over" in hear(socket, "error")["error"]["en"]
        say(socket, "resign")
        hear(socket, "end")
        say(socket, "rematch", bot="no such bot")
        assert "no such bot" in hear(socket, "error")["error"]["en"]
        say(socket, "rematch", swap=True, bot="random")
        again = hear(socket, "rematch")["room"]
        say(socket, "rematch")
        asked_again = hear(socket, "rematch")
        assert asked_again["room"] == again and not asked_again["earlier"], "there is one"
    with sit(shared, room, token) as late:
        assert hear(late, "rematch") == {"type": "rematch", "room": again, "earlier": True}
    with sit(shared, again, token) as socket:
        assert hear(socket, "seat")["seat"] == 1
        film = hear(socket, "film")["film"]
        assert [player["name"] for player in film["players"]] == ["random", "Ann"]
        assert film["seed"] != 3
        hear(socket, "ask")


def test_a_rematch_between_people_needs_both(shared: Site) -> None:
    room, tokens = open_room(shared, seats=[HUMAN, BO])
    with sit(shared, room, tokens[0]) as one, sit(shared, room, tokens[1]) as other:
        hear(one, "ask")
        say(one, "resign")
        hear(one, "end")
        hear(other, "end")
        say(one, "say", text="well played")
        say(one, "rematch", swap=True)
        assert hear(other, "proposal")["proposal"]["swap"] is True
        say(other, "accept")
        again = hear(one, "rematch")["room"]
        assert hear(other, "rematch")["room"] == again
    with sit(shared, again, tokens[1]) as socket:
        assert hear(socket, "seat")["seat"] == 0
        players = hear(socket, "film")["film"]["players"]
        assert [player["name"] for player in players] == ["Bo", "Ann"]
        assert hear(socket, "said")["text"] == "well played", "the talk goes on"


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms.Rooms.run_periodically, "__defaults__", (0.05,))
    monkeypatch.setattr(played_room, "EMPTY_ROOM_TIMEOUT_S", 0.1)


def test_a_bout_that_everybody_left_is_kept_and_said_to_be_closed(
    quick_looks: None, site: Site
) -> None:
    room, (token, _) = open_room(site)
    with sit(site, room, token) as socket:
        answer(socket, hear(socket, "ask"))
        hear(socket, "ask")
    wait_for(lambda: site.get("/api/records")["items"])
    [item] = site.get("/api/records")["items"]
    verify(record.read(site.home / "records" / f"{item['id']}.ludus"))
    assert item["end"]["faults"][0]["why"] == {"en": "left the bout", "zh": "离开了对局"}
    for address, told in (
        (room, {"reason": "deserted", "game": "reversi", "film": item["id"], "rematch": None}),
        ("room-0000", {"reason": "unknown", "game": None, "film": None, "rematch": None}),
    ):
        with sit(site, address, token) as socket:
            assert hear(socket, "closed") == {"type": "closed", **told}
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(timeout=10)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4404


def test_a_finished_room_that_closed_leads_to_its_record_and_its_rematch(
    quick_looks: None, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, (token, _) = open_room(site)
    with sit(site, room, token) as socket:
        hear(socket, "ask")
        say(socket, "resign")
        film = hear(socket, "saved")["id"]
        say(socket, "rematch")
        again = hear(socket, "rematch")["room"]
    with sit(site, again, token) as socket:
        hear(socket, "ask")
        monkeypatch.setattr(played_room, "FINISHED_ROOM_TIMEOUT_S", 0.1)
        wait_for(lambda: [one["id"] for one in site.get("/api/rooms")] == [again])
        with sit(site, room, token) as late:
            closed = hear(late, "closed")
    assert (closed["reason"], closed["film"], closed["rematch"]) == ("over", film, again)


def test_a_room_without_its_people_is_not_live(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_bouts, "LISTED_AFTER_LEAVING_S", 0.0)
    room, (token, _) = open_room(site)
    with sit(site, room, token) as socket, sit(site, room, "") as spectator:
        hear(socket, "ask")
        assert [item["id"] for item in site.get("/api/live")] == [room]
        socket.close()
        while hear(spectator, "presence")["seats"][0]["connected"]:
            pass
        assert site.get("/api/live") == []
        assert [one["state"] for one in site.get("/api/rooms")] == ["left"]
        with sit(site, room, token) as back:
            hear(back, "ask")
            assert [one["state"] for one in site.get("/api/rooms")] == ["playing"]
