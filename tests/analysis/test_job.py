"""The program that analyses for servers: lines of JSON, results that are kept."""

import io
import sys
from pathlib import Path

import msgspec
import pytest

from ludus.analysis import job
from ludus.analysis.cache import MAX_KEPT_FILES, keep_in
from ludus.analysis.model import JobLine, JobRequest
from ludus.match.record import pack
from tests.support.bouts import fixed_bout


def ask(seconds: float = 0.3, folder: Path | None = None, size: int = 0) -> JobRequest:
    return JobRequest(size=size, seconds=seconds, folder=str(folder or ""))


def test_a_result_is_kept_and_found_the_next_time(tmp_path: Path) -> None:
    record = fixed_bout()
    lines = list(job.run_job(record, ask(folder=tmp_path)))
    last = lines[-1].analysis
    assert last is not None and last.complete
    assert list(job.run_job(record, ask(folder=tmp_path))) == [JobLine(last)]


def test_a_record_that_cannot_be_judged_gives_one_line_with_the_reason() -> None:
    record = msgspec.structs.replace(fixed_bout(), game="nothing")
    (line,) = job.run_job(record, ask())
    assert line.analysis is None and line.error is not None
    assert line.error.keys() == {"code", "en", "zh"}


def run_program(monkeypatch: pytest.MonkeyPatch, given: bytes) -> list[JobLine]:
    """The lines that the program writes for an input."""
    read, written = io.BytesIO(given), io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(read))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written))
    for changing_the_process in ("limit_memory", "limit_time", "os.nice"):
        monkeypatch.setattr(f"ludus.analysis.job.{changing_the_process}", lambda *_: None)
    job.main()
    return [msgspec.json.decode(line, type=JobLine) for line in written.getvalue().splitlines()]


def test_the_program_judges_record_after_record_and_pauses_after_quick_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job, "QUICK_CPU_S", 0.0)
    packed = pack(fixed_bout())
    asked = msgspec.json.encode(ask(1.0, size=len(packed))) + b"\n" + packed
    lines = run_program(monkeypatch, asked + b"\n" + asked)
    first = lines[: next(number for number, line in enumerate(lines, 1) if line.is_last)]
    assert [line.paused for line in first] == [True, *[False] * (len(first) - 1)]
    assert first[-1].analysis is not None and first[-1].analysis.complete
    rest = lines[len(first) :]
    assert [line.paused for line in rest] == [True], "nothing more was sent: it ends"


def test_in_the_background_only_the_final_result_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(fixed_bout())
    request = msgspec.structs.replace(ask(0.5, size=len(packed)), background=True)
    asked = msgspec.json.encode(request) + b"\n" + packed
    lines = run_program(monkeypatch, asked * 2)
    assert [line.is_last and not line.paused for line in lines] == [True, True]


def test_of_very_many_kept_results_the_oldest_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_KEPT_FILES > 100
    monkeypatch.setattr("ludus.analysis.cache.MAX_KEPT_FILES", 3)
    record = fixed_bout()
    (line,) = [each for each in job.run_job(record, ask(0.1)) if each.analysis][-1:]
    assert line.analysis is not None
    for seed in range(6):
        other = msgspec.structs.replace(record, seed=seed)
        assert keep_in(tmp_path, other, line.analysis) is not None
    assert len(list(tmp_path.iterdir())) == 3
