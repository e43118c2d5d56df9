"""The check of a bot: what it plays within which limits, and what it concludes."""

import dataclasses
import threading
from pathlib import Path

import pytest

from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError
from ludus.findings import Finding, Severity, is_passed
from ludus.games.registry import get
from ludus.match.bot_check.findings import BotFindingCode, make_findings
from ludus.match.bot_check.pooled import CheckRequest, check_on_pool
from ludus.match.bot_check.trials import BotCheck, BotCheckReport, CheckPlan, CheckProgress, Trial
from ludus.workers.pool import LocalPool

REVERSI = get("reversi")
LEGAL = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return position.legal(self.seat)[0]
"""


def run_check(folder: Path, text: str, plan: CheckPlan) -> tuple[BotCheckReport, list[Finding]]:
    (folder / "mine.py").write_text(text)
    report = BotCheck(resolve_bot(str(folder / "mine.py"), REVERSI), REVERSI, plan).run()
    return report, make_findings(REVERSI, report)


def codes(found: list[Finding], severity: Severity) -> set[str]:
    return {finding.code for finding in found if finding.severity is severity}


@pytest.mark.parametrize(
    ("plan", "played", "left_out"),
    [
        (CheckPlan(frozenset()), [Trial.SEATS] * 2, []),
        (CheckPlan(frozenset({Trial.SELF_PLAY})), [Trial.SEATS] * 2 + [Trial.SELF_PLAY], []),
        (
            CheckPlan(frozenset(Trial) - {Trial.ODD_OPTIONS}, max_bouts=4),
            [*[Trial.SEATS] * 2, Trial.REPEAT, Trial.SELF_PLAY],
            [Trial.SHORT_CLOCK, Trial.OPPONENT_CRASH],
        ),
        (
            CheckPlan(max_bouts=4),
            [Trial.SEATS] * 2 + [Trial.ODD_OPTIONS] * 2,
            [trial for trial in Trial if trial is not Trial.SEATS],
        ),
        (
            CheckPlan(max_seconds=0),
            [Trial.SEATS] * 2,
            [trial for trial in Trial if trial is not Trial.SEATS],
        ),
    ],
    ids=["seats", "one more", "bouts", "bouts of the first trial", "seconds"],
)
def test_a_plan_bounds_what_is_played_and_what_it_leaves_out_is_told(
    tmp_path: Path, plan: CheckPlan, played: list[Trial], left_out: list[Trial]
) -> None:
    report, found = run_check(tmp_path, LEGAL, plan)
    assert [bout.trial for bout in report.bouts] == played
    assert report.left_out == left_out
    assert is_passed(found)
    assert (BotFindingCode.LEFT_OUT in codes(found, Severity.NOTE)) is bool(left_out)


def test_a_fault_is_told_once_with_its_traceback_and_all_its_bouts(tmp_path: Path) -> None:
    text = LEGAL.replace("return", "if self.seat: 1 / 0\n        return")
    report, found = run_check(tmp_path, text, CheckPlan(frozenset({Trial.SELF_PLAY})))
    assert not is_passed(found)
    (fault,) = [finding for finding in found if finding.code == BotFindingCode.FAULT]
    assert fault.evidence.bouts == (1, 2) and "1 / 0" in fault.evidence.output
    assert fault.text["en"] == "crash: it raised ZeroDivisionError: division by zero"
    assert fault.text["zh"].startswith("崩溃：")
    assert codes(found, Severity.WRONG) == {"fault", "options", "seats", "self-play"}
    assert [report.bouts[number].title["zh"] for number in fault.evidence.bouts] == [
        "作为白方对随机",
        "作为黑方对 mine",
    ]


def test_nothing_is_said_of_the_moves_of_a_bot_that_makes_none(tmp_path: Path) -> None:
    text = LEGAL.replace("return", "1 / 0\n        return")
    _, found = run_check(tmp_path, text, CheckPlan(frozenset()))
    assert not any(finding.code == BotFindingCode.ILLEGAL_MOVES for finding in found)
    _, found = run_check(tmp_path, LEGAL, CheckPlan(frozenset()))
    assert BotFindingCode.ILLEGAL_MOVES in codes(found, Severity.FINE)


MISLED = """
BOUTS = []

class Bot:
    def start(self, seat, position):
        assert not BOUTS or BOUTS[-1] > 5, "the last bout was too short"
        self.seat = seat
        BOUTS.append(0)

    def move(self, position, clock):
        BOUTS[-1] += 1
        return position.legal(self.seat)[0]
"""


def test_a_bot_that_fails_after_its_opponents_crash_is_found_out(tmp_path: Path) -> None:
    """It survives that bout, and fails in the next one, which its process has to live to see."""
    report, found = run_check(tmp_path, MISLED, CheckPlan(frozenset({Trial.OPPONENT_CRASH})))
    assert [bool(bout.faults) for bout in report.bouts] == [False, False, False, True]
    assert codes(found, Severity.WRONG) == {"fault", "opponent-crash"}


def test_a_bot_that_fails_on_every_seat_is_not_played_further(tmp_path: Path) -> None:
    report, found = run_check(tmp_path, LEGAL.replace("return", "return 1 #"), CheckPlan())
    assert [bout.trial for bout in report.bouts] == [Trial.SEATS] * 2
    assert report.left_out == [] and "illegal-moves" in codes(found, Severity.WRONG)


def test_a_bot_without_an_end_is_known_by_one_bout_and_seen_to_use_its_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(REVERSI, "clock", dataclasses.replace(REVERSI.clock, budget=0.5))
    (tmp_path / "mine.py").write_text(LEGAL.replace("return", "while True: pass #"))
    check = BotCheck(resolve_bot(str(tmp_path / "mine.py"), REVERSI), REVERSI, CheckPlan())
    seen: list[CheckProgress] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            seen.append(check.progress)

    watcher = threading.Thread(target=watch)
    watcher.start()
    report = check.run()
    over.set()
    watcher.join()
    assert [bout.trial for bout in report.bouts] == [Trial.SEATS]
    (fault,) = [one for one in make_findings(REVERSI, report) if one.code == "fault"]
    assert fault.text["en"].startswith("out of time")
    assert {each.bout for each in seen} <= {1, 2} and seen[0].bouts > 2
    assert max(each.cpu_s for each in seen if each.bout == 1) > 0.2


SLOW_IN_THIRD_BOUT = """
BOUTS = []

class Bot:
    def start(self, seat, position):
        self.seat = seat
        BOUTS.append(seat)

    def move(self, position, clock):
        while len(BOUTS) == 3:
            pass
        return position.legal(self.seat)[0]
"""


def test_no_bout_follows_one_that_was_lost_on_time_in_any_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(REVERSI, "clock", dataclasses.replace(REVERSI.clock, budget=1.0))
    plan = CheckPlan(frozenset({Trial.REPEAT, Trial.SELF_PLAY, Trial.OPPONENT_CRASH}))
    report, found = run_check(tmp_path, SLOW_IN_THIRD_BOUT, plan)
    assert [bout.trial for bout in report.bouts] == [*[Trial.SEATS] * 2, Trial.REPEAT]
    assert "fault" in codes(found, Severity.WRONG)


def test_a_bot_that_is_too_slow_on_odd_boards_is_played_further_on_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(REVERSI, "clock", dataclasses.replace(REVERSI.clock, budget=1.0))
    slow = LEGAL.replace("return", "while position.size != 8: pass\n        return")
    plan = CheckPlan(frozenset({Trial.ODD_OPTIONS, Trial.REPEAT, Trial.SELF_PLAY}))
    report, found = run_check(tmp_path, slow, plan)
    assert [bout.trial for bout in report.bouts if bout.faults] == [Trial.ODD_OPTIONS]
    assert {bout.trial for bout in report.bouts} == {*plan.trials, Trial.SEATS}
    assert "fault" in codes(found, Severity.ODD)


def test_a_bout_begins_with_none_of_its_clock_used(tmp_path: Path) -> None:
    """Whatever the bout before has cost."""
    busy = LEGAL.replace("return", "x = sum(range(200_000)); return")
    (tmp_path / "mine.py").write_text(busy)
    begun: list[tuple[int, float]] = []

    def see(title: object) -> None:
        begun.append((check.progress.bout, check.progress.cpu_s))

    source = resolve_bot(str(tmp_path / "mine.py"), REVERSI)
    check = BotCheck(source, REVERSI, CheckPlan(frozenset()), on_bout=see)
    report = check.run()
    used = report.bouts[0].seconds_used
    assert [bout for bout, _ in begun] == [1, 2]
    assert begun[1][1] < used / 2


def test_of_a_bot_that_cannot_be_loaded_nothing_else_is_told(tmp_path: Path) -> None:
    report, found = run_check(tmp_path, f"{LEGAL}\n1 / 0\n", CheckPlan())
    assert len(report.bouts) == 1 and report.load_fault is not None
    assert [finding.code for finding in found] == ["fault"]


def test_a_check_that_does_not_end_is_given_up_with_a_sentence() -> None:
    request = CheckRequest("reversi", resolve_bot("random", REVERSI))
    with LocalPool(1) as pool, pytest.raises(LudusError) as caught:
        check_on_pool(pool, request, bout_timeout_s=0.01)
    assert caught.value.text["en"] == "building the bot: aborted after 0.01 s"
    assert "0.01 秒" in caught.value.text["zh"]
    assert not pool._workers


def test_a_pool_reports_what_is_found_here(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LEGAL)
    source, plan = resolve_bot(str(tmp_path / "mine.py"), REVERSI), CheckPlan(max_bouts=3)
    heard: list[CheckProgress] = []
    with LocalPool(1) as pool:
        request = CheckRequest("reversi", source, plan)
        there = check_on_pool(pool, request, bout_timeout_s=600, on_progress=heard.append)
    assert heard[-1].bouts == 3 and heard[-1].bout in {1, 2, 3}
    assert heard[-1].limit_s == REVERSI.clock.budget
    here = BotCheck(source, REVERSI, plan).run()
    assert [bout.record.moves for bout in there.bouts] == [bout.record.moves for bout in here.bouts]
    assert there.left_out == here.left_out
