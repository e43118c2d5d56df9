"""Bouts under way: seen whole by whoever comes, whenever they come."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ludus.match import record_files
from ludus.server import state
from ludus.server.live import live_bouts
from ludus.server.live.journals import FollowedJournal, JournalFollower
from ludus.server.live.live_bouts import Watcher
from ludus.server.live.live_films import LiveFilms
from tests.support.browser import in_a_loop
from tests.support.calls import Calls
from tests.support.dealer import Dealer
from tests.support.site import Site, hear, wait_for


@pytest.fixture
def dealer(home: Path) -> Iterator[Dealer]:
    found = Dealer(home)
    yield found
    found.finish()


def frames_of(film: dict[str, Any]) -> list[Any]:
    return [film["key"], *film["steps"]]


def follow(socket: Any, film: dict[str, Any], steps: int) -> None:
    """Take in steps until the film has so many."""
    while len(film["steps"]) < steps:
        told = hear(socket, "step")
        film["steps"].append(told["step"])
        assert told["n"] == len(film["steps"])


def test_who_comes_late_sees_what_the_early_one_saw(site: Site, dealer: Dealer) -> None:
    dealer.go(4)  # the start and three moves
    wait_for(lambda: site.get("/api/live"))
    with site.socket(f"/ws/film/{dealer.id}") as early:
        first = hear(early, "film")["film"]
        dealer.go(5)
        follow(early, first, 8)
        with site.socket(f"/ws/film/{dealer.id}") as late:
            second = hear(late, "film")["film"]
            assert frames_of(second) == frames_of(first)
            dealer.go(4)
            follow(early, first, 12)
            follow(late, second, 12)
            dealer.finish()
            for socket, film in ((early, first), (late, second)):
                while (told := hear(socket))["type"] == "step":
                    film["steps"].append(told["step"])
                assert told["type"] == "end"
                film["end"] = told["end"]
    assert frames_of(first) == frames_of(second)
    saved = site.get(f"/api/films/{dealer.name}")
    assert first["end"] == saved["end"]
    assert [s["cells"] for s in first["steps"]] == [s["cells"] for s in saved["steps"]]


def test_a_live_bout_is_listed_with_its_board(site: Site, dealer: Dealer) -> None:
    dealer.go(3)
    wait_for(lambda: site.get("/api/live"))
    [item] = site.get("/api/live")
    assert item["id"] == dealer.id
    assert item["players"][0]["name"] == "greedy"
    wait_for(lambda: site.get("/api/live")[0]["step"] == 2)
    [item] = site.get("/api/live")
    assert item["thumb"]["layers"]["discs"].count("") == 64 - 6
    assert item["scene"]["rows"] == 8
    assert site.get(f"/api/films/{dealer.id}")["kind"] == "live"


def test_the_list_is_told_whenever_it_changes(site: Site, home: Path) -> None:
    with site.socket("/ws/live") as socket:
        assert hear(socket) == {"type": "live", "items": []}
        dealer = Dealer(home)
        dealer.go(2)
        told: list[Any] = []
        while not told:
            told = hear(socket, "live")["items"]
        assert told[0]["id"] == dealer.id
        dealer.finish()
        while not hear(socket, "live")["items"][0]["end"]:
            pass


def test_after_the_end_a_live_address_shows_the_record(site: Site, dealer: Dealer) -> None:
    dealer.go(2)
    wait_for(lambda: site.get("/api/live"))
    dealer.finish()
    wait_for(lambda: site.get(f"/api/films/{dealer.id}")["end"] is not None)
    assert len(site.get(f"/api/films/{dealer.id}")["steps"]) > 10


def test_the_next_bout_of_a_match_is_announced(site: Site, home: Path) -> None:
    first = Dealer(home, "duel-01")
    first.go(2)
    wait_for(lambda: site.get("/api/live"))
    with site.socket(f"/ws/film/{first.id}") as socket:
        hear(socket, "film")
        first.finish()
        hear(socket, "end")
        second = Dealer(home, "duel-02")
        second.go(1)
        assert hear(socket, "next")["id"] == second.id
        second.finish()


SLOW = """
import time


class Bot:
    def move(self, position, clock):
        time.sleep(0.1)
        return position.legal(position.to_move[0])[0]
"""


def test_the_journal_of_a_killed_process_goes_away(
    site: Site, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludus.server.live import journals

    slow = home.parent / "slow.py"
    slow.write_text(SLOW)  # without a terminal --watch does not wait between moves
    words = ["play", "reversi", str(slow), "random", "--watch", "--seed", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "ludus", *words],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "LUDUS_HOME": str(home)},
    )
    # a stopped process holds the bout still
    wait_for(lambda: any(b"moved" in file.read_bytes() for file in (home / "live").glob("*.jsonl")))
    os.kill(process.pid, signal.SIGSTOP)
    try:
        [journal] = (home / "live").glob("*.jsonl")
        id = journal.name.removesuffix(".jsonl")
        wait_for(lambda: [item["id"] for item in site.get("/api/live")] == [id])
        monkeypatch.setattr(journals, "LOCK_GRACE_S", 0.0)
        Calls(monkeypatch, journals.FollowedJournal, "is_abandoned").wait_for_more(2)
        assert journal.exists(), "a stopped process is not dead"
        with site.socket(f"/ws/film/{id}") as socket:
            hear(socket, "film")
            process.kill()
            process.wait(30)
            assert hear(socket, "gone") == {"type": "gone"}
    finally:
        process.kill()
        process.wait(30)
    wait_for(lambda: site.get("/api/live") == [])
    assert not journal.exists()


def test_a_journal_that_cannot_be_read_disturbs_nobody(
    site: Site, home: Path, dealer: Dealer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    from ludus.server.live import journals

    monkeypatch.setattr(journals, "LOCK_GRACE_S", 0.2)
    live_folder = home / "live"
    deserted = live_folder / "deserted-01.7.jsonl"
    deserted.write_bytes(b"\xff junk\n")
    with (live_folder / "foreign-01.8.jsonl").open("wb") as foreign:
        fcntl.flock(foreign, fcntl.LOCK_EX)
        foreign.write(b'{"type":"started","game":"of another Ludus"}\n{"type":"moved"}\n')
        foreign.flush()
        dealer.go(3)
        wait_for(lambda: [item["id"] for item in site.get("/api/live")] == [dealer.id])
        wait_for(lambda: not deserted.exists())
        assert (live_folder / "foreign-01.8.jsonl").exists(), "somebody still writes it"
        assert site.ask("/api/films/foreign-01.8").status == 404
    wait_for(lambda: not (live_folder / "foreign-01.8.jsonl").exists())


def test_asking_for_bouts_that_are_not_there_reads_no_journal(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "live"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a-01.1.jsonl").write_text("")
    films = LiveFilms(lambda update: None, lambda contest_id: None)
    journals = JournalFollower(folder, films)
    journals.scan()
    read = []
    monkeypatch.setattr(
        FollowedJournal, "read_events", lambda journal: read.append(journal.info.id) or []
    )
    for id in ("nothing", "../a-01.1", "a\0b", ".hidden", "b-01.2"):
        assert not journals.open_new(id)
    assert read == []
    (folder / "b-01.2.jsonl").write_text("")  # begun this very moment
    assert journals.open_new("b-01.2")
    assert read == ["b-01.2"]
    journals.close()


def test_a_bout_can_be_asked_for_before_its_first_move(site: Site, home: Path) -> None:
    journal = record_files.LiveJournal("soon-01")
    with site.socket(f"/ws/film/{journal.id}") as socket:
        dealer = Dealer(home, "soon-01", journal=journal)
        dealer.go(2)
        assert hear(socket, "film")["film"]["id"] == journal.id
        dealer.finish()


def test_the_film_of_a_bout_that_has_not_begun_is_refused_as_such(
    site: Site, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "BOUT_START_POLLS", 1)
    journal = record_files.LiveJournal("soon-02")
    refused = site.ask(f"/api/films/{journal.id}")
    assert refused.status == 409 and "not begun" in refused.json["error"]["en"]
    dealer = Dealer(home, "soon-02", journal=journal)
    dealer.go(2)
    wait_for(lambda: site.ask(f"/api/films/{journal.id}").status == 200)
    dealer.finish()


def test_who_watches_what_is_not_there_is_told(site: Site) -> None:
    with site.socket("/ws/film/nothing") as socket:
        told = hear(socket)
        assert told["type"] == "error" and told["error"].keys() == {"code", "en", "zh"}


def test_who_cannot_keep_up_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_bouts, "MAX_QUEUED_MESSAGES", 3)

    async def watch() -> None:
        slow, quick = Watcher(), Watcher()
        for number in range(5):
            slow.send(str(number))
            quick.send(str(number))
            assert await quick.next() == str(number)
        assert slow.dropped and not quick.dropped
        assert await slow.next() is None

    in_a_loop(watch())


def test_a_match_started_on_the_page_is_played_and_saved(site: Site) -> None:
    asked = {"game": "reversi", "bots": ["greedy", "random"], "bouts": 2, "delay": 0.01}
    answer = site.ask("/api/matches", asked)
    assert answer.status == 201
    first, second = answer.json["films"]
    wait_for(lambda: site.ask(f"/api/films/{first}").status == 200)
    with site.socket(f"/ws/film/{first}") as socket:
        film = hear(socket, "film")["film"]
        assert film["match"]["number"] == 1 and film["match"]["of"] == 2
        assert hear(socket, "next")["id"] == second
    wait_for(lambda: len(site.get("/api/records")["items"]) == 2)
    names = [item["players"][0]["name"] for item in site.get("/api/records")["items"]]
    assert sorted(names) == ["greedy", "random"], "the seats are swapped"
