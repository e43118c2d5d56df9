"""The turning points in the report of a contest's file: judges its bouts within a budget."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ludus.analysis.cache import keep_in, place_in, read_kept
from ludus.analysis.contest_turning_points import (
    SECONDS_PER_BOUT,
    BoutInContest,
    choose_bouts,
    list_contest_bouts,
    list_places,
    name_turning_points,
)
from ludus.analysis.evaluate import analyse_fully
from ludus.analysis.judges.choice import choose_judge_for_record
from ludus.analysis.model import Analysis
from ludus.cli import output
from ludus.home import ludus_home
from ludus.lang import tr
from ludus.match.record import Record, unpack
from ludus.scheduling.contest_store import ContestStore


def find_turning_points(
    store: ContestStore, data: Mapping[str, Any], seconds: float
) -> dict[str, Any]:
    """The biggest turning points, for ``build_report_data``. ``seconds`` is CPU time; what was
    judged earlier is not judged again. LudusError if the game cannot be judged."""
    chosen = choose_bouts(list_contest_bouts(data), list_places(data))
    records = _read_records(store, chosen)
    judged = list(_judge(chosen, records, seconds))
    return dict(msgspec.to_builtins(name_turning_points(judged, len(data["bouts"]))))


def _read_records(
    store: ContestStore, chosen: Sequence[BoutInContest]
) -> dict[tuple[str, int], Record]:
    """By match and number."""
    wanted = {(bout.match, bout.number) for bout in chosen}
    return {
        (match, number): unpack(packed, f"{match} {number + 1}")
        for match, number, packed in store.iterate_records()
        if (match, number) in wanted
    }


def _judge(
    chosen: Sequence[BoutInContest], records: Mapping[tuple[str, int], Record], seconds: float
) -> Iterator[tuple[BoutInContest, Analysis]]:
    began = time.process_time()
    for bout in _with_progress(chosen):
        left = seconds - (time.process_time() - began)
        if left <= 0:
            return
        yield bout, _analyse(records[bout.match, bout.number], min(left, SECONDS_PER_BOUT))


def _analyse(record: Record, seconds: float) -> Analysis:
    """The analysis of a record: the kept one, or a new one, which is then kept."""
    judge = choose_judge_for_record(record)
    folder = ludus_home() / "analyses"
    kept = read_kept(place_in(folder, record), record, judge.facts, seconds)
    if kept is not None:
        return kept
    found = analyse_fully(record, seconds=seconds, judge=judge)
    keep_in(folder, record, found)
    return found


def _with_progress(bouts: Sequence[BoutInContest]) -> Iterator[BoutInContest]:
    if not sys.stderr.isatty():
        yield from bouts
        return
    from rich.progress import track

    yield from track(bouts, tr("judging", "评判"), console=output.stderr_console(), transient=True)
