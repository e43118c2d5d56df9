"""A grading that is killed goes on where it was: nothing is lost and nothing counts twice."""

from pathlib import Path

from tests.support.grading_faults import GradingRun, GradingSize
from tests.support.server_process import Server


def test_marks_are_the_same_whatever_was_killed_meanwhile(tmp_path: Path) -> None:
    """Three students hand in each code: their bouts are disturbed at different moments, and must
    end alike."""
    run = GradingRun(Server(tmp_path), GradingSize(6, 2, 3, 6), kills=3)
    run.play()
    assert run.progress.killed == {"server": 1, "worker": 1, "background": 1}
    assert set(run.marks) == {0, 1} and all(total > 5 for total in run.marks.values())
