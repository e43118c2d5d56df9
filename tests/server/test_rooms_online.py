"""Rooms of a site: open seats, bots of people, programs elsewhere, spectators who talk."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from ludus.server.rooms.room import MAX_RENAMES
from tests.support.accounts import Person, good_bot, newcomer
from tests.support.site import Site, hear

SMALL = {"size": 4}


@pytest.fixture
def ann(playing_site: Site) -> Person:
    return newcomer(playing_site, "ann")


def room_of(person: Person, *seats: dict[str, Any]) -> dict[str, Any]:
    asked = {"game": "reversi", "options": SMALL, "seats": list(seats), "title": "Come in"}
    made: dict[str, Any] = person.post("/api/rooms", asked)
    return made


def found(person: Person, word: str, film: str) -> bool:
    """Whether a search among saved records finds one."""
    page = person.get(f"/api/records?bot={quote(word)}")
    return film in [item["id"] for item in page["items"]]


def play_out(*sockets: Any) -> dict[str, Any]:
    """Everybody answers until the bout ends."""
    while True:
        for socket in sockets:
            try:
                told = hear(socket, timeout=0.2)
            except TimeoutError:
                continue
            if told["type"] == "ask":
                move = {"type": "move", "n": told["n"], "move": told["legal"][0]}
                socket.send(json.dumps(move))
            elif told["type"] == "end":
                end: dict[str, Any] = told["end"]
                return end


def test_two_people_meet_at_an_open_seat_and_others_look_on(
    playing_site: Site, ann: Person
) -> None:
    ben = newcomer(playing_site, "ben")
    room = room_of(ann, {"kind": "human", "name": "Ann"}, {"kind": "open"})
    assert "token" not in room["seats"][1]
    listed = next(r for r in ben.get("/api/rooms") if r["id"] == room["room"])
    assert listed["title"] == "Come in" and listed["state"] == "waiting"
    assert [seat["open"] for seat in listed["seats"]] == [False, True]
    assert Person(playing_site).ask(f"/api/rooms/{room['room']}/sit", {}).status == 401
    taken = ben.post(f"/api/rooms/{room['room']}/sit")
    assert taken["seat"] == 1
    assert newcomer(playing_site).ask(f"/api/rooms/{room['room']}/sit", {}).status == 400
    with (
        ann.socket(f"/ws/room/{room['room']}?token={room['seats'][0]['token']}") as first,
        ben.socket(f"/ws/room/{room['room']}?token={taken['token']}") as second,
        playing_site.socket(f"/ws/room/{room['room']}") as spectator,
    ):
        assert hear(spectator, "seat")["seat"] is None
        second.send(json.dumps({"type": "say", "text": "good\nluck <b>"}))
        said = hear(spectator, "said")
        assert (said["who"], said["text"]) == (ben.name, "good luck <b>")
        spectator.send(json.dumps({"type": "say", "text": "me too"}))
        assert "log in" in hear(spectator, "error")["error"]["en"]
        spectator.send(json.dumps({"type": "resign"}))
        assert "looking on" in hear(spectator, "error")["error"]["en"]
        assert play_out(first, second)["scores"]


def test_people_say_what_they_are_called(playing_site: Site, ann: Person) -> None:
    """Guests choose a name that is no account's; accounts play under their own."""
    ben, guest = newcomer(playing_site, "ben"), Person(playing_site)
    room = room_of(guest, {"kind": "human"}, {"kind": "human"})
    path = f"/api/rooms/{room['room']}/name"
    tokens = [seat["token"] for seat in room["seats"]]
    assert guest.ask(path, {"token": "wrong", "name": "Mia"}).status == 403
    for name in ("", " \u200b", "x" * 41):
        assert guest.ask(path, {"token": tokens[1], "name": name}).status == 400
    assert guest.post(path, {"token": tokens[1], "name": ann.name})["name"] != ann.name
    assert ben.post(path, {"token": tokens[0], "name": "Mia"})["name"] == ben.name
    with (
        guest.socket(f"/ws/room/{room['room']}?token={tokens[0]}") as first,
        guest.socket(f"/ws/room/{room['room']}?token={tokens[1]}") as second,
        guest.socket(f"/ws/room/{room['room']}") as spectator,
    ):
        assert guest.post(path, {"token": tokens[1], "name": "Mia"}) == {"seat": 1, "name": "Mia"}
        while hear(spectator, "presence")["seats"][1]["name"] != "Mia":
            pass
        play_out(first, second)
        film = hear(spectator, "saved")["id"]
    players = guest.get(f"/api/films/{film}")["players"]
    assert [player["name"] for player in players] == [ben.name, "Mia"]
    ben.post("/api/me", {"shown": "Zacharias Berg"}, "PATCH")
    assert all(found(guest, word, film) for word in ("mia", f'"{ben.name}"', f"@{ben.name}"))
    assert found(guest, "zach", film) and found(guest, "berg", film), "by any name of the account"
    assert not any(found(guest, word, film) for word in ("ia", '"mi"', "@zacharia berg"))
    for number in range(MAX_RENAMES):
        guest.ask(path, {"token": tokens[1], "name": f"Mia {number}"})
    assert guest.ask(path, {"token": tokens[1], "name": "Mio"}).status == 409


def test_somebody_who_talks_without_end_is_told_to_stop(playing_site: Site, ann: Person) -> None:
    room = room_of(ann, {"kind": "human"}, {"kind": "bot", "bot": "greedy"})
    with ann.socket(f"/ws/room/{room['room']}?token={room['seats'][0]['token']}") as socket:
        for number in range(12):
            socket.send(json.dumps({"type": "say", "text": f"line {number}"}))
        assert "fast" in hear(socket, "error")["error"]["en"]


def test_a_bot_of_the_club_sits_in_a_room(playing_site: Site, ann: Person) -> None:
    bot = good_bot(ann)
    room = room_of(ann, {"kind": "human"}, {"kind": "bot", "bot": bot["id"]})
    with ann.socket(f"/ws/room/{room['room']}?token={room['seats'][0]['token']}") as socket:
        film = hear(socket, "film")["film"]
        assert film["players"][1]["name"].startswith(bot["name"])
        assert film["players"][1]["isolation"] in ("strong", "userns", "plain")
        assert play_out(socket)["scores"]
    stranger = newcomer(playing_site)
    asked = {"game": "reversi", "seats": [{"kind": "human"}, {"kind": "bot", "bot": bot["id"]}]}
    assert stranger.ask("/api/rooms", asked).status == 404  # it is not on the ladder


def test_a_program_elsewhere_plays_by_its_token(playing_site: Site, ann: Person) -> None:
    room = room_of(ann, {"kind": "remote"}, {"kind": "bot", "bot": "random"})
    assert room["seats"][0]["kind"] == "remote"
    with playing_site.socket(
        f"/ws/room/{room['room']}?token={room['seats'][0]['token']}"
    ) as program:
        assert play_out(program)["scores"]


def test_guests_may_be_kept_out(playing_site: Site, olga: Person) -> None:
    asked = {"game": "reversi", "seats": [{"kind": "human"}, {"kind": "bot", "bot": "random"}]}
    assert Person(playing_site).ask("/api/rooms", asked).status == 201
    olga.post("/api/admin/settings", {"guests": False}, "PATCH")
    try:
        assert Person(playing_site).ask("/api/rooms", asked).status == 401
        match = {"game": "reversi", "bots": ["random", "random"]}
        assert Person(playing_site).ask("/api/matches", match).status == 401
        assert olga.ask("/api/rooms", asked).status == 201
    finally:
        olga.post("/api/admin/settings", {"guests": True}, "PATCH")
