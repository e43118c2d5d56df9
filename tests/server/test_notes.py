"""What a bot says about its moves is for its owners: no route and no socket tells it to others,
unless they show it to all."""

import contextlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed

import ludus
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games.registry import get
from ludus.match.journal import Journal
from ludus.match.note_files import delete_old_notes, save_notes
from ludus.match.series import plan_bouts, play_bouts
from ludus.server.live.film import make_film
from ludus.server.state import ServerSettings
from tests.support.accounts import Person, checked, new_teacher, newcomer, upload
from tests.support.rooms import HUMAN, answer
from tests.support.routes import SOCKETS, opened, reading_routes
from tests.support.site import Site, hear, served_for_module, wait_for

MARKS = ("ROOK-TO-SEVEN", "TAKE-THE-CORNER")
"""What the first and the second bot say; in their programs it is written in two parts."""
TALKER = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        self.note("{0}" + "{1}", score=0.75, shapes=[{{"kind": "ring", "cell": 5}}])
        return position.legal(self.seat)[0]
"""
FILM_ROUTES = [route for route in reading_routes() if "/films/{id:str}" in route]
REPORTS = ("report.html", "report.csv", "report.json", "report.md")


class Duel(NamedTuple):
    """A challenge between the bots of two people, which is over."""

    owners: tuple[Person, Person]
    bots: tuple[int, int]
    versions: tuple[int, int]
    contest: int
    bout: int

    @property
    def film(self) -> str:
        return f"bout-{self.bout}"


def talker(person: Person, mark: str, **fields: str) -> dict[str, Any]:
    bot = upload(person, TALKER.format(mark[:4], mark[4:]).encode(), **fields)
    version = checked(person, bot["versions"][0]["id"])
    assert version["state"] == "good", version
    return bot


@pytest.fixture(scope="module")
def duel(playing_site: Site) -> Duel:
    owners = newcomer(playing_site, "alma"), newcomer(playing_site, "rolf")
    bots = [talker(owner, mark) for owner, mark in zip(owners, MARKS, strict=True)]
    for owner, bot in zip(owners, bots, strict=True):
        owner.post(f"/api/bots/{bot['id']}", {"current": bot["versions"][0]["id"]}, "PATCH")
    asked = {"game": "reversi", "bots": [bot["id"] for bot in bots], "bouts": 1}
    made = owners[0].post("/api/challenges", {**asked, "options": {"size": 4}, "openings": "none"})
    path = f"/api/challenges/{made['id']}"
    wait_for(lambda: owners[0].get(path)["state"] == "over", 120)
    played = owners[0].get(f"/api/bots/{bots[0]['id']}/bouts")["items"]
    (bout,) = (each for each in played if each["contest"]["id"] == made["id"])
    one, two = bots
    versions = one["versions"][0]["id"], two["versions"][0]["id"]
    return Duel(owners, (one["id"], two["id"]), versions, made["id"], bout["id"])


def fill(path: str, duel: Duel) -> list[str]:
    """A route with everything that may stand in for its parameters; fails for a new parameter."""
    numbers = {duel.contest, duel.bout, *duel.bots, *duel.versions, 1}
    names = [*REPORTS, *(owner.name for owner in duel.owners), "reversi"]
    choices: dict[str, list[Any]] = {
        "{id:int}": sorted(numbers),
        "{id:str}": [duel.film, f"check-{duel.versions[0]}-0", f"check-{duel.versions[0]}-1"],
        "{name:str}": names,
        "{game:str}": ["reversi"],
        "{rival:str}": [duel.bots[0], duel.bots[1]],
        "{user:int}": [owner.user["id"] for owner in duel.owners],
        "{submission:int}": [1],
        "{a:int}": [1],
        "{b:int}": [2],
    }
    filled = [path]
    for parameter, values in choices.items():
        filled = [
            each.replace(parameter, str(value))
            for each in filled
            for value in (values if parameter in each else [""])
        ]
    assert "{" not in filled[0], f"say what {path} is asked for here"
    return filled


def find_mark(person: Person, mark: str, duel: Duel) -> list[str]:
    """The addresses at which a person reads what a bot said."""
    found = []
    for path in (each for route in reading_routes() for each in fill(route, duel)):
        for query in ("", "?seat=0", "?step=1&seat=0"):
            if query and "/films/" not in path:
                continue
            if mark in opened(person.ask(f"{path}{query}").body):
                found.append(path)
    return sorted(set(found))


def hear_mark(person: Person, mark: str, duel: Duel) -> list[str]:
    """The sockets on which a person hears it."""
    told = []
    for path in (each for route in SOCKETS for each in fill(route, duel)):
        with contextlib.suppress(TimeoutError, ConnectionClosed), person.socket(path) as socket:
            if mark in str(socket.recv(timeout=0.05)):
                told.append(path)
    return told


def test_the_owner_reads_what_the_bot_said_step_by_step(duel: Duel) -> None:
    for owner, mark in zip(duel.owners, MARKS, strict=True):
        seats = owner.get(f"/api/films/{duel.film}/notes")["seats"]
        (found,) = seats.values()
        first = found["notes"][0]["note"]
        assert first["text"] == mark and first["score"] == 0.75
        assert first["shapes"] == [{"kind": "ring", "cell": 5}]
        steps = [each["step"] for each in found["notes"]]
        assert steps == sorted(set(steps)) and not found["public"] and found["left_out"] is None


def test_no_route_and_no_socket_tells_a_rival_a_guest_or_the_staff(
    duel: Duel, playing_site: Site, olga: Person
) -> None:
    owner, rival = duel.owners
    assert find_mark(owner, MARKS[0], duel) == [f"/api/films/{duel.film}/notes"]
    others = [rival, Person(playing_site), newcomer(playing_site), new_teacher(olga), olga]
    assert [find_mark(person, MARKS[0], duel) for person in others] == [[]] * len(others)
    assert hear_mark(rival, MARKS[0], duel) == hear_mark(Person(playing_site), MARKS[0], duel) == []


def test_a_guest_gets_an_answer_without_notes(duel: Duel, playing_site: Site) -> None:
    """Not an error: bouts without any look the same."""
    assert Person(playing_site).get(f"/api/films/{duel.film}/notes") == {"seats": {}}
    missing = Person(playing_site).ask("/api/films/bout-99999999/notes")
    assert missing.status == 404


def test_an_owner_may_show_the_notes_of_a_bot_to_all(duel: Duel, playing_site: Site) -> None:
    owner, rival = duel.owners
    guest, path = Person(playing_site), f"/api/films/{duel.film}/notes"
    switch = f"/api/bots/{duel.bots[0]}"
    assert rival.ask(switch, {"public_notes": True}, method="PATCH").status == 403
    assert owner.post(switch, {"public_notes": True}, "PATCH")["public_notes"]
    try:
        (shown,) = guest.get(path)["seats"].values()
        assert shown["public"] and shown["notes"][0]["note"]["text"] == MARKS[0]
        assert MARKS[1] not in json.dumps(guest.get(path)), "the rival did not wish it"
        assert len(rival.get(path)["seats"]) == 2
    finally:
        owner.post(switch, {"public_notes": False}, "PATCH")
    assert guest.get(path) == {"seats": {}}


def test_the_whole_team_reads_the_notes_of_its_bot(playing_site: Site, olga: Person) -> None:
    first, second = newcomer(playing_site), newcomer(playing_site)
    team = first.post("/api/teams", {"name": f"team of {first.name}"})
    second.post("/api/teams/join", {"code": first.get("/api/teams")[0]["code"]})
    bot = talker(first, MARKS[0], team=str(team["id"]))
    asked = {"game": "reversi", "bots": [bot["id"], "random"], "bouts": 1}
    made = second.post("/api/challenges", {**asked, "options": {"size": 4}, "openings": "none"})
    wait_for(lambda: second.get(f"/api/challenges/{made['id']}")["state"] == "over", 120)
    (bout,) = second.get(f"/api/bots/{bot['id']}/bouts")["items"]
    path = f"/api/films/bout-{bout['id']}/notes"
    texts = [person.ask(path).body for person in (first, second, olga)]
    assert [MARKS[0].encode() in text for text in texts] == [True, True, False]


def play_in_a_room(person: Person, bot: int) -> str:
    """A bout of a person against an uploaded bot; gives its saved film."""
    seats = [HUMAN, {"kind": "bot", "bot": bot}]
    asked = {"game": "reversi", "seats": seats, "options": {"size": 4}}
    opened_room = person.post("/api/rooms", asked)
    token = opened_room["seats"][0]["token"]
    with person.socket(f"/ws/room/{opened_room['room']}?token={token}") as socket:
        while (told := hear(socket))["type"] != "saved":
            if told["type"] == "ask":
                answer(socket, told)
    return quote(told["id"])


def test_in_a_room_only_the_owner_reads_what_the_bot_said(
    duel: Duel, playing_site: Site, olga: Person
) -> None:
    owner, rival = duel.owners
    guest = Person(playing_site)
    for player in (owner, rival):  # against one's own bot, and against another's
        film = play_in_a_room(player, duel.bots[0])
        path = f"/api/films/{film}/notes"
        (seat, found), *more = owner.get(path)["seats"].items()
        assert seat == "1" and found["notes"][0]["note"]["text"] == MARKS[0] and not more
        for person in (rival, guest, olga):
            assert person.get(path) == {"seats": {}}
    routes = [route.replace("{id:str}", film) for route in FILM_ROUTES]
    for person in (rival, guest):
        assert not [path for path in routes if MARKS[0] in opened(person.ask(path).body)]
    switch = f"/api/bots/{duel.bots[0]}"
    owner.post(switch, {"public_notes": True}, "PATCH")
    try:
        assert guest.get(path)["seats"]["1"]["public"]
    finally:
        owner.post(switch, {"public_notes": False}, "PATCH")


def test_old_notes_of_uploaded_bots_are_deleted_and_others_stay(tmp_path: Path) -> None:
    played = ludus.play("reversi", "random", "random", seed=5)
    said = ['{"notes":[{"step":0,"note":{"text":"x"}}],"left_out":0}', ""]
    files = []
    for name, bots, age in (("old", [7, None], 100), ("new", [7, None], 0), ("mine", (), 100)):
        file = save_notes(played.record, tmp_path / f"{name}.ludus", said, bots)
        assert file is not None
        os.utime(file, (1000 - age, 1000 - age))
        files.append(file)
    (tmp_path / "damaged.notes").write_text("?")
    assert delete_old_notes(tmp_path, before=950) == 1
    assert [file.exists() for file in files] == [False, True, True]


@pytest.fixture(scope="module")
def talking_bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bots") / "talker.py"
    path.write_text(TALKER.format(MARKS[0][:4], MARKS[0][4:]))
    return path


def play_here(site: Site) -> str:
    """A match of the page between the bot and a house bot; gives the id of its saved record."""
    asked = {"game": "reversi", "bots": ["talker", "random"], "bouts": 1, "options": {"size": 4}}
    assert site.ask("/api/matches", asked).status == 201
    wait_for(lambda: site.get("/api/records")["items"], 60)
    saved: str = site.get("/api/records")["items"][0]["id"]
    return saved


@pytest.mark.parametrize("alone", [True, False])
def test_on_ones_own_machine_all_notes_are_ones_own(
    alone: bool, tmp_path: Path, talking_bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where others come, too, notes of matches on the page belong to nobody and are not kept."""
    monkeypatch.setenv("LUDUS_LANG", "en")
    extra = (("reversi", str(talking_bot)),)
    settings = ServerSettings(loopback=alone, demo=False, extra_bots=extra)
    with served_for_module(tmp_path / "home", settings) as site:
        saved = play_here(site)
        seats = site.get(f"/api/films/{saved}/notes")["seats"]
        kept = list((tmp_path / "home" / "records").glob("*.notes"))
    assert (MARKS[0] in json.dumps(seats)) == alone == bool(kept)


def test_neither_journal_nor_film_nor_record_holds_a_note(
    home: Path, talking_bot: Path, tmp_path: Path
) -> None:
    """What watchers, downloads and reports are made of."""
    game = get("reversi")
    players = [create_player(resolve_bot(bot, game), game) for bot in (str(talking_bot), "random")]
    with contextlib.closing(Journal(tmp_path / "bout.jsonl")) as journal:
        plan = plan_bouts(2, 1, 1)
        watch = lambda planned: contextlib.nullcontext(journal)  # noqa: E731
        (played,) = play_bouts(game, game.Options(size=4), players, plan, watch=watch)
        written = (tmp_path / "bout.jsonl").read_bytes()
    assert MARKS[0] in played.seat_notes(0)
    film = make_film(played.record, "x").encode()
    assert b'"moved"' in written and len(film) > 100
    for text in (written, film, msgspec.json.encode(played.record)):
        assert MARKS[0].encode() not in text
