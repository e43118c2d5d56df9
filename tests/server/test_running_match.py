"""Matches of the page: played by workers, shown move by move, whatever becomes of a worker."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from ludus.bots.resolve import resolve_house_bot
from ludus.games import get
from ludus.match.record import Record
from ludus.match.series import plan_bouts
from ludus.match.spec import MatchSpec
from ludus.server.live.live_bouts import LiveHub
from ludus.server.live.running_match import MatchRunner, RunningMatch
from ludus.server.web.traffic_limits import TrafficCaller
from tests.support.site import wait_for

GAME = get("reversi")
GUEST = TrafficCaller("address 192.0.2.1")


def call_at_once(function: Callable[..., object], *given: object) -> None:
    function(*given)


class Show:
    """A match of the page with everything it tells."""

    def __init__(self, spec: MatchSpec, delay: float) -> None:
        self.hub = LiveHub()
        self.saved: list[Record] = []
        self.said: list[str] = []
        self.match = RunningMatch(spec, delay, self.hub, call_at_once, self.save, GUEST, 600)
        for stage in self.match.live_bouts:
            stage.broadcast = self.said.append  # type: ignore[method-assign]

    def save(self, record: Record, name: str, notes: Sequence[str]) -> str:
        self.saved.append(record)
        return name

    def heard(self, kind: str) -> list[dict[str, object]]:
        return [told for told in map(json.loads, self.said) if told["type"] == kind]


@pytest.fixture
def runner(home: Path) -> Iterator[MatchRunner]:
    made = MatchRunner(2)
    yield made
    made.close()


def spec_of(bouts: int, seed: int = 1) -> MatchSpec:
    bots = [resolve_house_bot("random", GAME)] * 2
    return MatchSpec.for_game(GAME, {"size": 6}, bots, plan_bouts(2, bouts, seed), isolate=True)


def test_a_killed_worker_costs_one_bout_which_is_shown_again(runner: MatchRunner) -> None:
    show = Show(spec_of(2), delay=0.02)
    runner.play(show.match)
    first, second = show.match.live_bouts
    wait_for(lambda: first.films and first.film.steps, 60)
    (worker,) = runner._pool._workers.values()
    worker.process.kill()
    show.match.join(60)
    assert show.match.over
    assert [record.seed for record in show.saved] == [bout.seed for bout in show.match.spec.bouts]
    assert [len(stage.film.steps) for stage in (first, second)] == [
        len(record.moves) for record in show.saved
    ]
    assert [told["id"] for told in show.heard("next")] == [second.id]
    assert len(show.heard("saved")) == 2 and not show.heard("error")


def test_whoever_watches_is_told_why_a_match_cannot_be_played(runner: MatchRunner) -> None:
    show = Show(dataclasses.replace(spec_of(1), version=99), delay=0)
    other = Show(spec_of(1, seed=2), delay=0)
    for each in (show, other):
        runner.play(each.match)
        each.match.join(60)
    (told,) = show.heard("error")
    assert "version 99" in str(told["error"]) and not show.hub.live_bouts
    assert len(other.saved) == 1 and not other.heard("error")


def test_more_matches_than_places_wait_for_their_turn(runner: MatchRunner) -> None:
    shows = [Show(spec_of(1, seed), delay=0.01) for seed in range(4)]
    for show in shows:
        runner.play(show.match)
    stopped = shows.pop()
    runner.stop(stopped.match)  # before it has begun, or at once
    for show in (stopped, *shows):
        show.match.join(60)
    assert [len(show.saved) for show in shows] == [1, 1, 1]
    assert not stopped.saved and stopped.match.over
    assert [told["error"]["en"] for told in stopped.heard("error")] == ["This match was stopped."]  # type: ignore[index]
