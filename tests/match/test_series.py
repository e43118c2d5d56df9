"""Series: seats swapped on equal seeds, the same every time, and never lost to the platform."""

import os
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.errors import PlatformFault
from ludus.games import Clock, get
from ludus.match.series import SeriesBout, plan_bouts, series
from ludus.sandbox import launcher

GAME = get("duel2048")


def run(
    names: list[str], bouts: int, seed: int = 1, isolate: bool | None = None
) -> list[SeriesBout]:
    players = [create_player(resolve_bot(name, GAME), GAME, isolate=isolate) for name in names]
    return list(series(GAME, GAME.Options(rounds=25), players, bouts, seed))


def test_every_seed_is_played_from_both_seats() -> None:
    plan = plan_bouts(2, 6, seed=9)
    assert [p.order for p in plan] == [(0, 1), (1, 0)] * 3
    assert [p.seed for p in plan[::2]] == [p.seed for p in plan[1::2]]
    assert len({p.seed for p in plan}) == 3


def test_without_swapping_seats_stay_and_seeds_change() -> None:
    plan = plan_bouts(2, 4, seed=9, swap=False)
    assert {p.order for p in plan} == {(0, 1)}
    assert len({p.seed for p in plan}) == 4


@pytest.mark.parametrize("isolate", [False, True], ids=["in process", "in processes"])
def test_the_same_series_twice_gives_the_same_records(isolate: bool) -> None:
    once = [p.record.without_times() for p in run(["random", "greedy"], 4, isolate=isolate)]
    again = [p.record.without_times() for p in run(["random", "greedy"], 4, isolate=isolate)]
    assert once == again
    assert once != [p.record.without_times() for p in run(["random", "greedy"], 4, 2, isolate)]


def test_scores_belong_to_players_whatever_their_seats() -> None:
    for played in run(["greedy", "random"], 2):
        seat = played.planned.order.index(0)
        assert played.score(0) == played.record.scores[seat]
        assert played.record.bots[seat].name == "greedy"


def test_a_process_is_kept_over_the_bouts_of_a_series(tmp_path: Path) -> None:
    bot = tmp_path / "counter.py"
    bot.write_text(
        "import os\n"
        "made = []\n"
        "class Bot:\n"
        "    def start(self, seat, position):\n"
        "        self.seat = seat\n"
        "        made.append(os.getpid())\n"
        "        print(len(made), len(set(made)))\n"
        "    def move(self, position, clock):\n"
        "        return position.legal(self.seat)[0]\n"
    )
    printed = [p.outputs[0]["stdout"] for p in run([str(bot), "random"], 3)]
    assert printed == ["1 1\n", "2 1\n", "3 1\n"]


def test_a_fault_of_the_platform_voids_the_bout_and_it_is_played_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failures = iter([True, True, False, False, False, False])
    pipes = launcher._make_pipes

    def sometimes() -> object:
        if next(failures):
            raise PlatformFault("no pipe could be opened")
        return pipes()

    monkeypatch.setattr(launcher, "_make_pipes", sometimes)
    played = run(["random", "random"], 2, isolate=True)
    assert [p.record.verdict for p in played] == ["rules", "rules"]


def test_a_platform_that_keeps_failing_is_not_a_bots_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> object:
        raise PlatformFault("no pipe could be opened")

    monkeypatch.setattr(launcher, "_make_pipes", never)
    with pytest.raises(PlatformFault):
        run(["random", "random"], 1, isolate=True)


def test_time0_follows_the_player_from_seat_to_seat() -> None:
    players = [create_player(resolve_bot("random", GAME), GAME) for _ in range(2)]
    clock = Clock(budget=5)
    rounds = GAME.Options(rounds=5)
    first, second = series(GAME, rounds, players, 2, 1, clock=clock, time0=[6, 0])
    assert first.record.verdict == second.record.verdict == "timeout"
    assert (first.score(0), second.score(0)) == (0.0, 0.0)
    assert (first.record.time0, second.record.time0) == ([6, 0], [0, 6])


def test_a_series_leaves_the_threads_scheduling_as_it_was() -> None:
    before = os.sched_getaffinity(0), os.sched_getscheduler(0)
    players = [create_player(resolve_bot("random", GAME), GAME) for _ in range(2)]
    bouts = series(GAME, GAME.Options(rounds=2), players, 2, 1)
    next(bouts)
    assert len(os.sched_getaffinity(0)) == 1
    bouts.close()
    assert (os.sched_getaffinity(0), os.sched_getscheduler(0)) == before
