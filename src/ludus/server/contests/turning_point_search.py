"""Starts and finds searches for the turning points of the server's contests."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ludus.analysis.contest_turning_points import ContestTurningPoints
from ludus.server.accounts.identity import Identity
from ludus.server.contests import turning_points
from ludus.server.records.analysis_batches import AnalysisBatch
from ludus.server.state import ServerState


def find(server_state: ServerState, contest_id: int, created: str) -> ContestTurningPoints | None:
    """The turning points that were found by now, in bouts that count; None without any search.
    ``created``: when the contest was created."""
    batch = server_state.analysis.turning_points.find(make_key(contest_id, created))
    found = batch.summary if batch is not None else None
    found = found or turning_points.read_stored(_place(server_state, contest_id, created))
    if found is None:
        return None
    return turning_points.leave_out_void(found, server_state.contest_views.list_films(contest_id))


def prepare(
    server_state: ServerState, identity: Identity, contest_id: int, created: str, delay: float
) -> AnalysisBatch[ContestTurningPoints]:
    """A search through the bouts that are more than ``delay`` seconds old."""
    views = server_state.contest_views
    data = views.load_report_data(contest_id, delay)
    chosen = turning_points.choose_films(data, views.list_films(contest_id))
    summarise = partial(
        turning_points.summarise,
        chosen=chosen,
        bouts=len(data["bouts"]),
        place=_place(server_state, contest_id, created),
    )
    load = partial(server_state.load_record, identity=identity)
    return AnalysisBatch(list(chosen), load, summarise)


def make_key(contest_id: int, created: str) -> str:
    """What a search is known by: the id alone might be used again after a backup is restored."""
    return f"contest-{contest_id}-{''.join(filter(str.isalnum, created))}"


def _place(server_state: ServerState, contest_id: int, created: str) -> Path:
    return server_state.folder / "analyses" / f"{make_key(contest_id, created)}.json"
