"""The program that analyses for servers: lines of JSON, results that are kept."""

import io
import sys
from pathlib import Path

import msgspec
import pytest

from ludus.analysis import job
from ludus.analysis.cache import MAX_KEPT_FILES, keep_in
from ludus.analysis.model import JobLine
from ludus.match.record import pack
from tests.support.bouts import fixed_bout


def test_a_result_is_kept_and_found_the_next_time(tmp_path: Path) -> None:
    record = fixed_bout()
    lines = list(job.run_job(record, 0.3, tmp_path))
    last = lines[-1].analysis
    assert last is not None and last.complete
    assert list(job.run_job(record, 0.3, tmp_path)) == [JobLine(last)]


def test_a_record_that_cannot_be_judged_gives_one_line_with_the_reason() -> None:
    record = msgspec.structs.replace(fixed_bout(), game="nothing")
    (line,) = job.run_job(record, 0.3, None)
    assert line.analysis is None and line.error is not None
    assert line.error.keys() == {"code", "en", "zh"}


def test_the_program_writes_a_line_for_each_result(monkeypatch: pytest.MonkeyPatch) -> None:
    record = fixed_bout()
    read, written = io.BytesIO(pack(record)), io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(read))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written))
    monkeypatch.setattr(job, "limit_resources", lambda seconds: None)
    job.main(["0.3"])
    lines = [msgspec.json.decode(line, type=JobLine) for line in written.getvalue().splitlines()]
    assert lines and lines[-1].analysis is not None and lines[-1].analysis.complete


def test_of_very_many_kept_results_the_oldest_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_KEPT_FILES > 100
    monkeypatch.setattr("ludus.analysis.cache.MAX_KEPT_FILES", 3)
    record = fixed_bout()
    (line,) = [each for each in job.run_job(record, 0.1, None) if each.analysis][-1:]
    assert line.analysis is not None
    for seed in range(6):
        other = msgspec.structs.replace(record, seed=seed)
        assert keep_in(tmp_path, other, line.analysis) is not None
    assert len(list(tmp_path.iterdir())) == 3
