"""The report of a contest, in a real browser and in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.cli.contest import tables
from ludus.contest.bout_facts import BoutFacts
from ludus.contest.crosstable import build_crosstable
from ludus.contest.ledger import Ledger
from ludus.contest.model import Entrant, Pairing
from ludus.contest.report import drawings, texts
from ludus.contest.report.data import build_report_data
from ludus.contest.report.page import render_page
from ludus.contest.settings import parse_contest_settings
from ludus.server.contests import contest_tables
from tests.support.contests import Decide, by_name

NASTY = '<script>alert(1)</script>|"&'


def played(form: dict[str, object], names: list[str], decide: Decide = by_name) -> Ledger:
    """A contest in which a function decides every match, two bouts each."""
    settings = parse_contest_settings(
        {"name": "night <1>", "game": "reversi", "format": form}, "test"
    )
    ledger = Ledger(settings, [Entrant(name) for name in names])
    while pairings := ledger.open_pairings():
        for pairing in list(pairings):
            _play(ledger, pairing, decide)
    return ledger


def _play(ledger: Ledger, pairing: Pairing, decide: Decide) -> None:
    winner = decide(pairing)
    for number in range(2):
        names = pairing.entrants if number == 0 else pairing.entrants[::-1]
        won = None if winner is None else pairing.entrants[winner]
        fault = number == 0 and pairing.entrants[1] != won and winner is not None
        ledger.add(
            pairing,
            BoutFacts(
                number=number,
                seed=7,
                names=names,
                scores=tuple(0.5 if won is None else float(name == won) for name in names),
                figures=(40.0, 24.0),
                cpu=(0.5, 0.25),
                wall=(0.6, 0.3),
                verdict="crash" if fault else "rules",
                reason={} if fault else {"en": "more discs", "zh": "棋子较多"},
                faults=({"seat": 1, "kind": "crash", "why": {"en": NASTY, "zh": NASTY}},)
                if fault
                else (),
                hung=False,
                plies=60,
                began="2026-01-01T00:00:00+00:00",
            ),
        )


GROUPS = {"name": "staged", "league": {"name": "groups", "groups": ["N", "E"]}, "through": 2}
NAMES = ["ada", "bob", "cleo", "dan", "eve", "弈手", "gus", "a-name-that-is-very-long-indeed"]


def test_names_and_sentences_of_strangers_are_only_text() -> None:
    ledger = played({"name": "round-robin"}, ["ada", "<i>|x*", "=1+1"])
    data = build_report_data(ledger)
    html = render_page(ledger, data, "en")
    assert "<script>" not in html
    assert "<i>" not in html
    assert "&lt;script&gt;" in html
    assert "| \\<i\\>\\|x\\* |" in texts.format_markdown(data, "en")
    assert "'=1+1" in texts.format_standings_csv(data)


def test_a_crosstable_of_a_league_leaves_the_knockout_out() -> None:
    form = {"name": "staged", "league": {"name": "round-robin"}, "through": 2}
    ledger = played(form, ["ada", "bob", "cleo"])
    cross = build_crosstable(
        ledger, ["ada", "bob", "cleo"], dict.fromkeys(["ada", "bob", "cleo"], 0.0)
    )
    assert len(ledger.results) == 4
    assert cross.cell("ada", "bob").bouts == 2


def test_a_ladder_shows_ratings_instead_of_points() -> None:
    ledger = played({"name": "ladder", "rounds": 8}, ["ada", "bob", "cleo"])
    (table,) = ledger.tables()
    assert table.scale == "elo"
    points = [row.points for row in table.rows]
    assert points == sorted(points, reverse=True)
    assert abs(sum(points)) <= len(points)
    assert '<th class="n">Elo</th>' in render_page(ledger, build_report_data(ledger), "en")


def test_a_contest_that_has_just_begun_has_a_report() -> None:
    settings = parse_contest_settings({"name": "x", "game": "reversi", "format": GROUPS}, "test")
    ledger = Ledger(settings, [Entrant(name) for name in NAMES])
    data = build_report_data(ledger)
    assert "not over yet" in render_page(ledger, data, "en")
    assert texts.format_markdown(data, "zh").startswith("# x\n\n## N 组")


@pytest.mark.parametrize("form", ["knockout", "double-elimination"])
@pytest.mark.parametrize("count", [2, 3, 5, 8, 11, 16])
def test_no_two_boxes_of_a_bracket_overlap(form: str, count: int) -> None:
    ledger = played({"name": form}, [f"bot{number:02d}" for number in range(count)])
    nodes = [node for node in build_report_data(ledger)["bracket"] if not node["skipped"]]
    places = drawings._place_nodes(nodes)
    assert len(places) == len(nodes)
    width, height = drawings.BOX_SIZE_PX
    boxes = sorted(places.values())
    for i, (x, y) in enumerate(boxes):
        for other_x, other_y in boxes[i + 1 :]:
            assert abs(x - other_x) >= width or abs(y - other_y) >= height


@pytest.mark.parametrize("form", ["round-robin", "knockout", "swiss", "gauntlet"])
def test_a_spreadsheet_lists_every_entrant_once(form: str) -> None:
    text = texts.format_standings_csv(
        build_report_data(played({"name": form}, ["ada", "bob", "cleo", "弈手"]))
    )
    assert text.startswith("\ufefftable,rank,entrant,")  # else spreadsheets break Chinese names
    names = [line.split(",")[2] for line in text.splitlines()[1:]]
    assert sorted(names) == ["ada", "bob", "cleo", "弈手"]


def test_a_spreadsheet_of_groups_ends_with_the_final_standings() -> None:
    ledger = played(GROUPS, NAMES)
    lines = texts.format_standings_csv(build_report_data(ledger)).splitlines()[1:]
    assert sum(line.split(",")[2] == "ada" for line in lines) == 3  # group, knockout, standings
    assert [line.split(",")[2] for line in lines[-8:]] == ledger.standings().names


def test_markdown_says_who_is_champion_and_who_went_on() -> None:
    text = texts.format_markdown(build_report_data(played(GROUPS, NAMES)), "en")
    assert text.count("| champion |") == 1
    assert text.count("| through |") == 4
    assert "| 冠军 |" in texts.format_markdown(
        build_report_data(played({"name": "knockout"}, NAMES)), "zh"
    )


def test_a_knockout_that_was_decided_by_lot_says_so_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledger = played({"name": "knockout", "third": "shared"}, ["ada", "bob"], lambda pairing: None)
    (final,) = build_report_data(ledger)["bracket"]
    assert (final["ending"], final["scores"]) == ("lot", [1.0, 1.0])
    winner = final["winner"]
    assert f"ada – bob 1 : 1 (by lot: {winner})" in texts.format_markdown(
        build_report_data(ledger), "en"
    )
    assert "抽签" in render_page(ledger, build_report_data(ledger), "zh")
    ((node,),) = contest_tables.describe_tables(ledger, {}).bracket or []
    assert node.ending == "lot"
    monkeypatch.setenv("LUDUS_LANG", "en")
    (line,) = tables.format_lots(ledger)
    assert line.plain == f"Final: ada – bob 1:1, decided by lot: {winner}"
    decided = played({"name": "knockout", "third": "shared"}, ["ada", "bob"])
    assert list(tables.format_lots(decided)) == []
    assert "by lot" not in texts.format_markdown(build_report_data(decided), "en")


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("zh", "dark")])
def test_a_browser_shows_the_report(
    tmp_path: Path, browser: object, language: str, scheme: str
) -> None:
    ledger = played(GROUPS, NAMES)
    file = tmp_path / "report.html"
    file.write_text(render_page(ledger, build_report_data(ledger), language), encoding="utf-8")
    context = browser.new_context(  # type: ignore[attr-defined]
        viewport={"width": 1280, "height": 900}, color_scheme=scheme
    )
    shown = context.new_page()
    complaints: list[str] = []
    shown.on("console", lambda message: complaints.append(message.text))
    shown.on("request", lambda request: complaints.append(request.url))
    shown.goto(file.as_uri())
    assert complaints == [file.as_uri()], "it needs nothing but itself"
    titles = shown.locator("h2").all_inner_texts()
    wanted = {
        "en": ["Group N", "Group E", "Knockout", "Bracket", "Standings", "Ratings"],
        "zh": ["N 组", "E 组", "淘汰赛", "对阵图", "最终排名", "等级分"],
    }
    assert titles[:6] == wanted[language]
    assert shown.locator("svg.bracket .box").count() == 4
    assert shown.locator("svg.ratings .dot").count() == len(NAMES)
    assert shown.locator("tr.champion").count() == 2
    assert shown.locator(".podium li").all_inner_texts() == [
        "1a-name-that-is-very-long-indeed",
        "2ada",
        "3bob",
    ]
    ground = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 24, 31)")
    assert shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shown.set_viewport_size({"width": 360, "height": 800})
    assert shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shown.locator("summary").click()
    assert shown.locator("details a").count() == len(ledger.bouts)
    for box in shown.locator("svg.bracket text").all():
        assert box.evaluate("e => e.getBBox().width < 190")
    context.close()
