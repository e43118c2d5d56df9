"""A contest as plain data: what every form of report is made from."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

from ludus.contest.bout_facts import BoutFacts
from ludus.contest.formats.bracket import FilledNode
from ludus.contest.ledger import Anchor, Ledger
from ludus.contest.model import Pairing, Result, StandingsTable
from ludus.rating import ratings
from ludus.timestamps import to_utc


def build_report_data(
    ledger: Ledger,
    anchor: Anchor | None = None,
    *,
    turning_points: dict[str, Any] | None = None,
    made: str = "",
) -> dict[str, Any]:
    """Everything that tables, plots and lists show; JSON. ``made`` is the time at which a report
    is written, if one is.

    ``turning_points`` are the biggest ones of the contest (``ContestTurningPoints`` of the room
    ``analysis``), if they were looked for.
    """
    copies = ledger.find_copies()
    return {
        "name": ledger.settings.name,
        "game": ledger.settings.game,
        "options": ledger.settings.options,
        "seed": ledger.settings.seed,
        "over": ledger.is_over,
        "made": made,
        **_find_time_of_play(ledger),
        "entrants": [dataclasses.asdict(entrant) for entrant in ledger.entrants],
        "standings": build_table_data(ledger.standings()),
        "tables": [build_table_data(table) for table in ledger.tables()],
        "bracket": [_build_node_data(ledger, each) for each in ledger.bracket()],
        "ratings": ratings.to_json(ledger.ratings(anchor)),
        "anchor": None if anchor is None else {"name": anchor[0], "elo": anchor[1]},
        "matches": [_build_match_data(ledger, match) for match in ledger.pairings],
        "copies": len(copies),
        "copies_note": dict(note) if (note := ledger.describe_copies()) else None,
        "bouts": [
            {**build_bout_data(id[0], facts), "copy": id in copies}
            for id, facts in ledger.bouts.items()
        ],
        "bots": build_bots_data(ledger),
        "turning_points": turning_points and _add_records(turning_points),
    }


def _find_time_of_play(ledger: Ledger) -> dict[str, str]:
    """When the first and the last bout began; empty before."""
    times = sorted(to_utc(facts.began) for facts in ledger.bouts.values() if facts.began)
    return {"first_bout": times[0] if times else "", "last_bout": times[-1] if times else ""}


def _add_records(turning_points: dict[str, Any]) -> dict[str, Any]:
    points = [
        {**point, "record": record_file_name(point["match"], point["number"])}
        for point in turning_points["points"]
    ]
    return {**turning_points, "points": points}


def build_table_data(table: StandingsTable) -> dict[str, Any]:
    return {
        "title": dict(table.title),
        "criteria": list(table.criteria),
        "asked": list(table.used_tie_breaks),
        "scale": table.scale,
        "bracket": table.bracket,
        "through": table.through,
        "rows": [dataclasses.asdict(row) for row in table.rows],
    }


def _build_node_data(ledger: Ledger, each: FilledNode) -> dict[str, Any]:
    result = each.result
    return {
        "key": each.node.key,
        "title": dict(each.node.title),
        "round": each.node.round,
        "sides": [{"from": source.kind, "key": source.key} for source in each.node.sides],
        "names": list(each.names),
        "winner": each.winner,
        "scores": list(result.scores) if result else None,
        **_build_ending_data(ledger, each.pairing, result),
        "skipped": each.skipped,
    }


def _build_ending_data(
    ledger: Ledger, pairing: Pairing | None, result: Result | None
) -> dict[str, Any]:
    """How a match was decided: the kind, the number of extra bouts, and both in words."""
    how = ledger.describe_decision(pairing, result)
    return {"ending": how.ending, "extra": how.extra, "decided": dict(how.words)}


def _build_match_data(ledger: Ledger, match: str) -> dict[str, Any]:
    pairing = ledger.pairings[match]
    result = ledger.match_state(pairing).result
    winner = None if result is None or result.winner is None else pairing.entrants[result.winner]
    return {
        "id": match,
        "entrants": list(pairing.entrants),
        "title": dict(pairing.title),
        "stage": pairing.stage,
        "round": pairing.round,
        "over": result is not None,
        "winner": winner,
        "scores": list(result.scores) if result else None,
        **_build_ending_data(ledger, pairing, result),
    }


def build_bout_data(match: str, facts: BoutFacts) -> dict[str, Any]:
    winner = facts.winner
    return {
        "match": match,
        "number": facts.number + 1,
        "seed": facts.seed,
        "names": list(facts.names),
        "scores": list(facts.scores),
        "figures": list(facts.figures),
        "winner": None if winner is None else facts.names[winner],
        "verdict": facts.verdict,
        "reason": facts.reason,
        "faults": [dict(fault) for fault in facts.faults],
        "plies": facts.plies,
        "cpu": list(facts.cpu),
        "wall": list(facts.wall),
        "began": facts.began,
        "record": record_file_name(match, facts.number),
    }


def record_file_name(match: str, number: int) -> str:
    """The file of a bout's record beside a report."""
    safe = "".join(c if c.isalnum() or c in "._-#" else "_" for c in match)
    return f"records/{safe}-{number + 1:02d}.ludus"


def build_bots_data(ledger: Ledger) -> list[dict[str, Any]]:
    """Time and faults of every entrant."""
    bots: dict[str, dict[str, Any]] = {
        entrant.name: {
            "name": entrant.name,
            "bouts": 0,
            "won": 0,
            "drawn": 0,
            "lost": 0,
            "cpu": 0.0,
            "slowest": 0.0,
            "plies": 0,
            "faults": Counter(),
        }
        for entrant in ledger.entrants
    }
    for facts in ledger.bouts.values():
        for seat, name in enumerate(facts.names):
            _count_bout(bots[name], facts, seat)
    return [{**each, "faults": dict(each["faults"])} for each in bots.values()]


def _count_bout(bot: dict[str, Any], facts: BoutFacts, seat: int) -> None:
    bot["bouts"] += 1
    word = "drawn" if facts.winner is None else "won" if facts.winner == seat else "lost"
    bot[word] += 1
    bot["cpu"] = round(bot["cpu"] + facts.cpu[seat], 6)
    bot["slowest"] = max(bot["slowest"], facts.cpu[seat])
    bot["plies"] += facts.plies
    for fault in facts.faults:
        if fault["seat"] == seat:
            bot["faults"][fault["kind"]] += 1
