"""Bouts in worker processes: the same records whatever their number, and none lost or doubled."""

import contextlib
import os
import pickle
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError
from ludus.games import Clock, get
from ludus.match.pool import make_match_task, play_parallel
from ludus.match.series import SeriesBout, plan_bouts, series
from ludus.match.spec import MatchSpec, play_match
from ludus.workers.pool import MAX_TASK_TRIES, LocalPool, run_tasks
from tests.support.diary import Diary, die, die_once, fail, refuse

GAME = get("duel2048")
BAD = Path(__file__).parents[1] / "bots" / "bad"
ROUNDS = 12


def spec_of(*names: str, bouts: int = 6, seed: int = 1, **more: Any) -> MatchSpec:
    return MatchSpec(
        game=GAME.name,
        version=GAME.version,
        options={"rounds": ROUNDS},
        sources=tuple(resolve_bot(name, GAME) for name in names),
        bouts=tuple(plan_bouts(2, bouts, seed)),
        **more,
    )


def essences(played: list[SeriesBout]) -> list[dict[str, Any]]:
    ordered = sorted(played, key=lambda each: each.planned.number)
    return [each.record.without_times() for each in ordered]


def alone(spec: MatchSpec) -> list[dict[str, Any]]:
    """What one process makes of it."""
    players = [create_player(source, GAME, isolate=spec.isolate) for source in spec.sources]
    options = GAME.Options.parse(spec.options)
    return essences(list(series(GAME, options, players, len(spec.bouts), 1)))


@pytest.mark.parametrize(
    ("isolate", "jobs"), [(False, 3), (True, 1), (True, 2)], ids=lambda value: str(value)
)
def test_the_number_of_workers_changes_no_record(isolate: bool, jobs: int) -> None:
    spec = spec_of("random", "greedy", isolate=isolate)
    played = list(play_parallel(spec, jobs))
    assert sorted(each.planned.number for each in played) == list(range(6))
    assert essences(played) == alone(spec)


def test_a_mirrored_group_is_played_by_one_worker_on_a_core_of_its_own(tmp_path: Path) -> None:
    diary = Diary(tmp_path / "diary")
    list(play_parallel(spec_of("random", "random", bouts=12, watch=diary), 2))
    who = {number: worker for number, worker, _ in diary.lines()}
    assert all(who[number] == who[number + 1] for number in range(0, 12, 2))
    assert len(set(who.values())) == 2
    cores = {worker: core for _, worker, core in diary.lines()}
    assert len(set(cores.values())) == min(2, len(os.sched_getaffinity(0)))
    assert os.getpid() not in cores


def test_a_killed_worker_costs_the_bout_in_hand_and_nothing_else(tmp_path: Path) -> None:
    diary = Diary(tmp_path / "diary", die_once, (3,))
    spec = spec_of("random", "greedy", bouts=8, watch=diary)
    played = list(play_parallel(spec, 2))
    assert sorted(each.planned.number for each in played) == list(range(8))
    assert essences(played) == alone(spec)
    begun = Counter(number for number, _, _ in diary.lines())
    assert begun == {number: 2 if number == 3 else 1 for number in range(8)}


def test_a_bout_that_kills_every_worker_is_given_up_with_a_sentence(tmp_path: Path) -> None:
    diary = Diary(tmp_path / "diary", die, (1,))
    with pytest.raises(LudusError, match=r"bout 2 failed.*SIGKILL") as caught:
        list(play_parallel(spec_of("random", "random", bouts=2, watch=diary), 1))
    assert "第 2 局" in caught.value.text["zh"]
    assert [number for number, _, _ in diary.lines()] == [0] + [1] * MAX_TASK_TRIES


@pytest.mark.parametrize(
    ("deed", "says", "detail"),
    [(fail, "the watcher fell asleep", "in fail"), (refuse, "the disk is full", "")],
)
def test_what_a_worker_raises_reaches_the_caller(
    tmp_path: Path, deed: Callable[[Path], None], says: str, detail: str
) -> None:
    diary = Diary(tmp_path / "diary", deed, (0,))
    with pytest.raises(LudusError, match=says) as caught:
        list(play_parallel(spec_of("random", "random", bouts=2, watch=diary), 1))
    assert detail in caught.value.detail


def test_a_match_of_other_rules_is_refused() -> None:
    with pytest.raises(LudusError, match="version 99"):
        list(play_parallel(replace(spec_of("random", "random"), version=99), 1))


def is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_whoever_stops_early_leaves_no_process(tmp_path: Path) -> None:
    diary = Diary(tmp_path / "diary")
    endless = str(BAD / "endless_loop.py")
    spec = spec_of("random", "random", bouts=10_000, watch=diary)
    slow = spec_of(endless, "random", bouts=2, seed=2, watch=diary, clock=Clock(budget=600))
    with LocalPool(2) as pool:
        bouts = run_tasks(pool, map(make_match_task, [slow, *spec.split()]))
        for _ in bouts:
            workers = {worker for _, worker, _ in diary.lines()}
            if len(workers) == 2:
                break
        assert all(map(is_running, workers))
        bouts.close()
    assert not any(map(is_running, workers))


def test_bots_stay_from_group_to_group_of_a_match(tmp_path: Path) -> None:
    bot = tmp_path / "counter.py"
    bot.write_text(
        "made = []\n"
        "class Bot:\n"
        "    def start(self, seat, position):\n"
        "        self.seat = seat\n"
        "        made.append(1)\n"
        "        print(len(made))\n"
        "    def move(self, position, clock):\n"
        "        return position.legal(self.seat)[0]\n"
    )
    played = play_parallel(spec_of(str(bot), "random", bouts=6), 1)
    assert [each.outputs[0]["stdout"] for each in played] == [f"{n}\n" for n in range(1, 7)]


def test_any_executor_plays_a_task() -> None:
    spec = spec_of("random", "greedy", bouts=4)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        halves = pool.map(play_match, spec.split())
        assert essences([each for half in halves for each in half]) == alone(spec)


def test_an_error_keeps_both_languages_on_its_way() -> None:
    error = pickle.loads(pickle.dumps(LudusError("no", "不", "detail")))
    assert (error.text, error.detail) == ({"en": "no", "zh": "不"}, "detail")
