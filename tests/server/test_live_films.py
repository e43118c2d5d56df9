"""Bouts of contests are kept for watchers, and filmed only when somebody watches."""

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_house_bot
from ludus.games.registry import get
from ludus.match.referee import BoutEvent, play
from ludus.server.contests.live_access import PUBLIC_ACCESS
from ludus.server.live import live_films
from ludus.server.live.event_replay import EventReplay
from ludus.server.live.film_updates import BoutAppeared, LiveBoutInfo, RequestHandled
from ludus.server.live.live_films import LiveFilms
from tests.support.calls import Calls


@pytest.fixture(scope="module")
def events() -> list[BoutEvent]:
    game = get("reversi")
    players = [create_player(resolve_house_bot("random", game), game) for _ in range(2)]
    found: list[BoutEvent] = []
    play(game, game.Options(size=4), 1, players, watch=lambda event, position: found.append(event))
    return found


class Screen:
    """Takes what is sent, in the order in which it was asked for."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.appeared: list[str] = []
        self._answered = threading.Event()
        self.films = LiveFilms(self.receive, lambda contest_id: PUBLIC_ACCESS)

    def receive(self, update: Any) -> None:
        if isinstance(update, RequestHandled):
            self._answered.set()
            return
        if isinstance(update, BoutAppeared):
            self.appeared.append(update.bout.id)
        self.updates.append(update)

    def take(self) -> list[str]:
        """The kinds of all updates so far; steps may come one by one or together."""
        self._answered.clear()
        self.films.request(1)
        assert self._answered.wait(20)
        updates, self.updates = self.updates, []
        return [kind for kind, _ in itertools.groupby(type(each).__name__ for each in updates)]

    def play(self, number: int, events: list[BoutEvent], *, end: bool = False) -> str:
        info = LiveBoutInfo(f"b{number}", "reversi", "rr/1/a/b", number, 7, ("a", "b"))
        for event in events:
            self.films.add_event(info, event)
        if end:
            self.films.end_events(info.id)
        return info.id


@pytest.fixture
def screen() -> Iterator[Screen]:
    made = Screen()
    made.films.start()
    yield made
    made.films.close()


def test_a_bout_that_nobody_watches_is_neither_told_of_nor_replayed(
    screen: Screen, events: list[BoutEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    replays = Calls(monkeypatch, EventReplay, "__call__")
    screen.play(0, events, end=True)
    assert screen.take() == [] and replays.count == 0


def test_a_film_begins_with_all_of_the_bout_and_goes_on_while_it_is_watched(
    screen: Screen, events: list[BoutEvent]
) -> None:
    id = screen.play(0, events[:4])
    screen.films.watch(None)
    assert screen.take() == ["BoutAppeared", "FilmBegun"]
    screen.play(0, events[4:5])
    assert screen.take() == ["FilmSteps"]
    screen.films.unwatch(None)
    screen.play(0, events[5:6])
    assert screen.take() == ["FilmDropped"]
    screen.films.watch(id)
    assert screen.take() == ["FilmBegun"]
    screen.play(0, events[6:], end=True)
    assert screen.take() == ["FilmSteps", "FilmEnded", "BoutRemoved"]


def test_watchers_are_led_to_the_next_bout_of_the_match(
    screen: Screen, events: list[BoutEvent]
) -> None:
    screen.films.watch(None)
    first = screen.play(0, events[:2])
    screen.take()
    screen.films.watch(first)
    screen.films.unwatch(None)
    screen.play(0, events[2:], end=True)
    screen.take()
    screen.play(1, events[:1])
    assert screen.take() == ["BoutAppeared", "NextBoutAppeared"]


def test_lists_show_some_of_many_quick_bouts(
    screen: Screen, events: list[BoutEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_films, "MAX_LISTED_BOUTS", 3)
    screen.films.watch(None)
    for number in range(10):
        screen.play(number, events, end=True)
    screen.take()
    assert len(screen.appeared) == 3
