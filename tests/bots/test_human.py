"""A person on a seat is a player like any other."""

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from ludus.bots.players import human
from ludus.bots.players.create import create_player
from ludus.bots.players.human import BoutAborted, HumanPlayer, MoveQuestion
from ludus.bots.players.opening import OpeningPlayer
from ludus.bots.resolve import resolve_bot
from ludus.games.base import Clock
from ludus.games.registry import get
from ludus.match import play
from ludus.match.record import Record
from ludus.match.replay import verify
from tests.support.openings import SLOW_BOTS


class Person:
    """Answers in another thread, first with the given words, then with any legal move."""

    def __init__(self, *words: str, pause: float = 0.0) -> None:
        self.words, self.pause = list(words), pause
        self.questions: list[MoveQuestion] = []
        self.told: list[tuple[str, Any]] = []
        self.player = HumanPlayer("Ann", self.ask, self.explain)

    def ask(self, question: MoveQuestion) -> None:
        self.questions.append(question)
        threading.Timer(self.pause, self.answer, [question]).start()

    def answer(self, question: MoveQuestion) -> None:
        word = self.words.pop(0) if self.words else ""
        if word == "resign":
            self.player.resign()
        elif word == "leave":
            self.player.leave()
        elif word != "silence":
            self.player.answer(word or question.position.legal(question.seat)[0])

    def explain(self, question: MoveQuestion, move: str, why: Any) -> None:
        self.told.append((move, why))
        self.answer(question)


GAME = get("reversi")


def bout(person: Person, clock: Clock | None = None) -> Record:
    bot = create_player(resolve_bot("random", GAME), GAME)
    return play(GAME, GAME.Options(), 1, [person.player, bot], clock)


def test_a_person_plays_a_whole_bout() -> None:
    person = Person()
    record = bout(person)
    verify(record)
    assert record.bots[0].isolation == "human"
    assert [q.number for q in person.questions] == sorted(q.number for q in person.questions)
    assert person.questions[0].limit is None, "a clock of CPU time does not run for people"


def test_what_is_not_legal_is_explained_and_asked_again() -> None:
    person = Person("z9", "a1", "d3")
    record = bout(person)
    assert record.moves[0] == "d3"
    assert not record.faults
    assert [move for move, _ in person.told] == ["z9", "a1"]
    assert all(why.keys() == {"en", "zh"} for _, why in person.told)


def test_who_resigns_loses() -> None:
    record = bout(Person("d3", "resign"))
    assert record.scores == [0.0, 1.0]
    assert [fault.kind for fault in record.faults] == ["resign"]
    verify(record)


def test_a_wall_clock_runs_out() -> None:
    began = time.monotonic()
    record = bout(Person("d3", "silence"), Clock(budget=0.4, measure="wall"))
    assert [fault.kind for fault in record.faults] == ["timeout"]
    assert record.faults[0].seat == 0
    assert time.monotonic() - began >= 0.4


def test_a_wall_clock_counts_what_a_person_takes() -> None:
    record = bout(Person(pause=0.02), Clock(budget=60, measure="wall"))
    assert all(wall >= 20 for wall in record.times.wall[::2][:5])
    assert record.times.used[0][0] == 0


def test_a_paused_clock_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour passes while it is paused, a second while it runs."""
    passed = 0.0
    paused, going_on = threading.Event(), threading.Event()

    class Watch(human.Stopwatch):
        def pause(self, on: bool) -> None:
            super().pause(on)
            (paused if on else going_on).set()

    class Pausing(Person):
        def answer(self, question: MoveQuestion) -> None:
            nonlocal passed
            if len(self.questions) == 1:
                self.player.pause(True)
                paused.wait()
                passed += 3600
                going_on.clear()
                self.player.pause(False)
                going_on.wait()
                passed += 1
            super().answer(question)

    clock = SimpleNamespace(perf_counter=lambda: time.perf_counter() + passed)
    monkeypatch.setattr(human, "time", clock)
    monkeypatch.setattr(human, "Stopwatch", Watch)
    record = bout(Pausing("d3"), Clock(budget=1800, measure="wall"))
    assert record.moves[0] == "d3"
    assert 1000 <= record.times.wall[0] < 1_800_000


def test_a_bout_can_be_broken_off() -> None:
    with pytest.raises(BoutAborted):
        bout(Person("d3", "leave"))


SHORT: dict[str, dict[str, Any]] = {
    "reversi": {"size": 6},
    "duel2048": {"rounds": 20},
    "paperio": {"turns": 40},
    "eraser": {"turns": 20},
    "tablut": {"limit": 30},
}


@pytest.mark.parametrize("game", SHORT)
def test_a_bout_goes_on_from_its_opening_as_it_went_before(game: str) -> None:
    rules = get(game)
    options = rules.Options.parse(SHORT[game])
    quick = [bot for bot in rules.bots() if bot not in SLOW_BOTS]
    players = [create_player(resolve_bot(bot, rules), rules) for bot in quick[:2]]
    plies: list[Any] = []

    def watch(event: Any, position: Any) -> None:
        plies.extend([event.moves] if hasattr(event, "moves") else [])

    first = play(rules, options, 9, players, watch=watch)
    half = plies[: len(plies) // 2]
    again = play(rules, options, 9, [OpeningPlayer(player, half) for player in players])
    assert again.moves[: len(half)] == first.moves[: len(half)]
    assert set(again.times.cpu[: len(half)]) == {0}
    assert not again.faults
    verify(again)
