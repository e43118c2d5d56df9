"""Tunings that are played: on workers, against a rival, stopped and continued."""

import json
import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ludus.errors import LudusError
from ludus.match.series import PlannedBout
from ludus.tuning.journal import JOURNAL_FILE
from ludus.tuning.picture import draw_tuning
from ludus.tuning.plan import MINUS, PLUS, RIVAL, TuningPlan, find_bot
from ludus.tuning.run import Tuning, find_folder
from ludus.workers.pool import ExecutorPool, LocalPool
from tests.support.tuning import TUNABLE, MakePlan


class Stopped(Exception):
    """As Ctrl-C."""


def tune(plan: TuningPlan, *, jobs: int = 1, stop_after: int = 0, fresh: bool = False) -> Tuning:
    """Play a tuning; with ``stop_after`` only so many iterations of this run."""
    left = [stop_after]

    def report() -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Stopped

    with LocalPool(jobs) as pool, Tuning(plan, pool.capacity, fresh=fresh) as tuning:
        tuning.run(pool, report)
    return tuning


def journal_lines(plan: TuningPlan) -> list[dict[str, Any]]:
    text = (find_folder(plan) / JOURNAL_FILE).read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_a_stopped_tuning_goes_on_and_takes_the_same_path(make_plan: MakePlan) -> None:
    plan = make_plan()
    whole = tune(plan, jobs=2)
    assert whole.is_complete and whole.bouts == 80 and whole.faults == 0
    with pytest.raises(Stopped):
        tune(plan, stop_after=3, fresh=True)
    path = find_folder(plan) / JOURNAL_FILE
    assert len(journal_lines(plan)) == 4
    with path.open("a") as file:  # killed while it wrote
        file.write('{"iteration": 3, "pl')
    again = tune(plan)
    assert again.spsa.path == whole.spsa.path and again.bouts == 80
    header, *lines = journal_lines(plan)
    assert sorted(line["iteration"] for line in lines) == list(range(20))
    assert header["facts"]["numbers"]["CORNER"] == [-20, -50, 100, 15]
    assert list((find_folder(plan) / "versions").iterdir()) == []


def test_an_executor_plays_the_same_as_local_workers(make_plan: MakePlan) -> None:
    plan = make_plan(bouts=16)
    local = tune(plan)
    with (
        ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor,
        ExecutorPool(executor, 2) as pool,
        Tuning(plan, pool.capacity, fresh=True) as tuning,
    ):
        tuning.run(pool, lambda: None)
    assert tuning.spsa.path == local.spsa.path


def test_a_complete_tuning_plays_nothing_more(make_plan: MakePlan) -> None:
    plan = make_plan(bouts=8)
    first = tune(plan)
    before = journal_lines(plan)
    assert tune(plan).list_values() == first.list_values()
    assert journal_lines(plan) == before


def test_results_of_one_iteration_are_counted_once(make_plan: MakePlan) -> None:
    plan = make_plan(bouts=8)
    first = tune(plan)
    path = find_folder(plan) / JOURNAL_FILE
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, lines[-1]]))
    with Tuning(plan, 1) as again:
        assert again.spsa.path == first.spsa.path and again.bouts == 8


def test_two_processes_do_not_tune_the_same(make_plan: MakePlan) -> None:
    plan = make_plan()
    with Tuning(plan, 1), pytest.raises(LudusError, match="tuned by another process"):
        Tuning(plan, 1)


def test_a_damaged_journal_is_refused(make_plan: MakePlan) -> None:
    plan = make_plan(bouts=8)
    tune(plan)
    path = find_folder(plan) / JOURNAL_FILE
    path.write_text(path.read_text().replace('"plus"', '"blot"'))
    with pytest.raises(LudusError, match=r"damaged.*--fresh"):
        Tuning(plan, 1)
    assert tune(plan, fresh=True).is_complete


def test_whatever_changes_the_path_is_another_tuning(make_plan: MakePlan) -> None:
    plans = [
        make_plan(),
        make_plan(TUNABLE + "# edited\n"),
        make_plan(bouts=160),
        make_plan(pairs=4),
        make_plan(rate=0.1),
        make_plan(seed=1),
        make_plan(rival="random"),
    ]
    assert len({plan.key for plan in plans}) == len(plans)
    assert make_plan().key == plans[0].key


def test_versions_can_play_a_rival_instead_of_each_other(make_plan: MakePlan) -> None:
    plan = make_plan(rival="random", bouts=16)
    bouts = plan.plan_iteration(1)
    assert [bout.order for bout in bouts] == 2 * [(PLUS, RIVAL), (RIVAL, PLUS)] + 2 * [
        (MINUS, RIVAL),
        (RIVAL, MINUS),
    ]
    assert [bout.seed for bout in bouts[:4]] == [bout.seed for bout in bouts[4:]]
    assert tune(plan).bouts == 16
    for line in journal_lines(plan)[1:]:
        assert all(0 <= points <= 2 for points in line["plus"] + line["minus"])
        assert len(line["plus"]) == len(line["minus"]) == 2


def test_every_iteration_has_other_openings(make_plan: MakePlan) -> None:
    plan = make_plan()
    bouts: list[PlannedBout] = [bout for n in range(20) for bout in plan.plan_iteration(n)]
    assert len({bout.seed for bout in bouts}) == 40
    assert all(len(bout.opening) == 2 for bout in bouts)
    assert [bout.number for bout in bouts] == list(range(80))


def test_a_bot_in_a_jail_brings_the_files_that_it_imports(
    make_plan: MakePlan, tmp_path: Path
) -> None:
    (tmp_path / "places.py").write_text('CORNERS = ("a1", "a4", "d1", "d4")\n')
    text = "from places import CORNERS\n" + TUNABLE
    text = re.sub("corner = .*", "corner = move in CORNERS", text)
    jailed = tune(make_plan(text, isolate=None, bouts=4))
    assert jailed.faults == 0
    assert tune(make_plan(text, bouts=4), fresh=True).spsa.path == jailed.spsa.path


def test_a_house_bot_is_tuned_by_its_name(make_plan: MakePlan) -> None:
    plan = make_plan(bot="greedy", bouts=4)
    assert plan.plays_in_process
    assert tune(plan).faults == 0


def test_a_bot_that_always_fails_is_reported(make_plan: MakePlan) -> None:
    broken = TUNABLE.replace("def start(self, seat, position):", "def start(self):")
    with pytest.raises(LudusError, match="mine failed in every bout") as caught:
        tune(make_plan(broken))
    assert "start()" in caught.value.detail


@pytest.mark.parametrize("bot", ["cmd:true", "search:8"])
def test_only_python_files_can_be_tuned(make_plan: MakePlan, bot: str) -> None:
    with pytest.raises(LudusError, match="only a bot that is a Python file"):
        find_bot(bot, make_plan().game)


def test_fewer_bouts_than_an_iteration_takes_are_refused(make_plan: MakePlan) -> None:
    with pytest.raises(LudusError, match="one iteration takes 4 bouts, got --bouts 3"):
        make_plan(bouts=3)


def test_the_picture_shows_every_number(make_plan: MakePlan) -> None:
    from xml.etree import ElementTree

    tuning = tune(make_plan())
    picture = draw_tuning(tuning)
    root = ElementTree.fromstring(picture)
    words = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
    assert "mine · reversi" in words and {"CORNER", "ANSWER"} <= set(words)
    corner = round(tuning.list_values()[0])
    assert f"−20 → {corner}".replace("-", "−") in words
    paths = [e.get("d") or "" for e in root.iter() if e.get("class") == "path"]
    assert [path.count("L") for path in paths] == [20, 20]
