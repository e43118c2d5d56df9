"""The same bouts, the same numbers: ``match``, ``sprt``, ``rate``, training and reports agree."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from ludus.cli.contest.tables import render_ratings
from ludus.cli.rate import format_rival, rival_json
from ludus.cli.sprt import SprtProgressView
from ludus.contest.bout_facts import BoutFacts
from ludus.contest.ledger import Ledger
from ludus.contest.model import Entrant, Pairing
from ludus.contest.report import texts
from ludus.contest.report.data import build_report_data
from ludus.contest.settings import parse_contest_settings
from ludus.games import get
from ludus.learn.evaluation import Measurement, combine_measurements
from ludus.learn.progress import format_rating
from ludus.rating.scores import PairedScore, WinDrawLoss
from ludus.rating.sprt import Sprt
from ludus.server.contests.contest_report import describe_report
from tests.support.cli import Ludus

NUMBER = r"([+−-]\d+(?:\.\d)?)"
ESTIMATE = re.compile(rf"{NUMBER} (?:\| |\[)?{NUMBER}(?:, | … ){NUMBER}")


def read_estimate(text: str) -> tuple[float, ...]:
    """The numbers of the first estimate that a text shows."""
    found = ESTIMATE.search(text)
    assert found, text
    return tuple(float(number.replace("−", "-")) for number in found.groups())


def to_facts(bouts: Sequence[dict[str, Any]]) -> list[BoutFacts]:
    """Bouts of ``ludus match --json`` as a contest keeps them, of ``new`` and ``old``."""
    return [
        BoutFacts(
            number=bout["number"] - 1,
            seed=bout["seed"],
            names=tuple(("new", "old")[entrant] for entrant in bout["order"]),
            scores=tuple(bout["scores"]),
            figures=(0.0, 0.0),
            cpu=tuple(bout["cpu"]),
            wall=tuple(bout["wall"]),
            verdict=bout["verdict"],
            reason={},
            faults=(),
            hung=False,
            plies=bout["plies"],
            began="2026-01-01T00:00:00+00:00",
        )
        for bout in bouts
    ]


def make_ledger(facts: Sequence[BoutFacts]) -> Ledger:
    settings = parse_contest_settings(
        {"name": "two", "game": "reversi", "match": {"bouts": len(facts)}}, "test"
    )
    ledger = Ledger(settings, [Entrant("new"), Entrant("old")])
    pairing = Pairing("new/old", ("new", "old"))
    for each in facts:
        ledger.add(pairing, each)
    return ledger


def make_measurement(facts: Sequence[BoutFacts]) -> Measurement:
    bouts = [(each.seed, each.names.index("new")) for each in facts]
    scores = [each.scores[seat] for each, (_, seat) in zip(facts, bouts, strict=True)]
    score = PairedScore.from_bouts((*bout, s) for bout, s in zip(bouts, scores, strict=True))
    seats = [
        WinDrawLoss.from_scores(s for (_, at), s in zip(bouts, scores, strict=True) if at == seat)
        for seat in (0, 1)
    ]
    return Measurement("new", "old", (seats[0], seats[1]), score, plies=0)


def estimates_of_reports(ledger: Ledger) -> dict[str, str]:
    """What every report of a contest says of ``new``, with ``old`` at 0."""
    anchor = ("old", 0.0)
    data = build_report_data(ledger, anchor)
    page = describe_report(ledger, data, "en", records=False).ratings
    assert page is not None
    markdown = texts.format_markdown(data, "en").splitlines()
    shown = next(row for row in data["ratings"]["ratings"] if row["name"] == "new")
    table = render_ratings(ledger.ratings(anchor))
    cells = [list(column.cells) for column in table.columns]
    place = [str(name) for name in cells[0]].index("new")
    return {
        "page": next(row.shown for row in page.rows if row.name == "new"),
        "markdown": next(line for line in markdown if line.startswith("| new |") and "…" in line),
        "json": f"{shown['elo']:+.0f} [{shown['low']:+.0f}, {shown['high']:+.0f}]",
        "table": f"{cells[1][place]} {cells[2][place]}",
    }


@pytest.mark.parametrize(
    ("bots", "bouts"), [(("greedy", "random"), 24), (("random", "greedy"), 2)], ids=str
)
def test_everything_that_shows_an_estimate_shows_the_same(
    cli: Ludus, bots: tuple[str, str], bouts: int
) -> None:
    asked = ("match", "reversi", *bots, "--bouts", str(bouts), "-o", "size=4", "--seed", "3")
    told = json.loads(cli(*asked, "--json").out)
    facts = to_facts(told["bouts"])
    measured = make_measurement(facts)
    view = SprtProgressView(Sprt(0, 10), 1000, quiet=True)
    view.add_bouts([(None, each) for each in facts])
    said = {
        "match": cli(*asked).out,
        "sprt": "\n".join(list(view.format_lines())[2:]),
        "rate": format_rival(measured, get("reversi")).partition("Elo")[2],
        "training": format_rating("old", measured.as_row()),
        **estimates_of_reports(make_ledger(facts)),
    }
    found = {name: read_estimate(text) for name, text in said.items()}
    assert set(found.values()) == {found["match"]}, found
    elo, low, high = (told["summary"]["elo"][key] for key in ("elo", "low", "high"))
    assert found["match"] == (round(elo), round(low), round(high))
    assert view.result_json()["interval"] == [low, high]
    assert rival_json(measured)["difference"] == {"elo": elo, "low": low, "high": high}
    anchored = combine_measurements([dataclasses.replace(measured, anchor=1500.0)])
    assert anchored == pytest.approx((1500 + elo, 1500 + low, 1500 + high), abs=0.1)
