"""The report of a contest, in a real browser and in both languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from ludus.cli.contest import tables
from ludus.cli.contest.live import count_bouts_left
from ludus.contest.bout_facts import BoutFacts
from ludus.contest.crosstable import build_crosstable
from ludus.contest.ledger import Ledger
from ludus.contest.model import Entrant, Pairing
from ludus.contest.report import texts
from ludus.contest.report.data import build_report_data
from ludus.contest.settings import parse_contest_settings
from ludus.lang import Text
from ludus.server.contests import contest_results
from ludus.server.contests.report_page import make_policy, render_report
from ludus.server.web import static
from ludus.timestamps import find_zone, format_readable
from tests.support.contests import Decide, by_name
from tests.support.report_pages import read_report, use_template

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Page

Opener = Callable[..., "Page"]

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
    batches = ledger.match_state(pairing).batches
    for planned in (planned for batch in batches for planned in batch.bouts):
        winner, number = decide(pairing), planned.number
        names = tuple(pairing.entrants[place] for place in planned.order)
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


@pytest.fixture
def template(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_template(monkeypatch, tmp_path)


def test_names_and_sentences_of_strangers_are_only_text(template: None) -> None:
    strangers = ["ada", "<i>|x*", "=1+1", "__TEXT__", '"__REPORT__"', "<!--<script>"]
    ledger = played({"name": "round-robin"}, strangers)
    data = build_report_data(ledger)
    html = render_report(ledger, data, "en")
    assert html.count("<script") == html.count("</script") == 3, "the template's own"
    assert "<i>" not in html and "<!--" not in html
    report = read_report(html)
    assert {row["name"] for row in report["tables"]["standings"]["rows"]} == set(strangers)
    assert NASTY in {bout["reason"]["en"] for bout in report["bouts"]}
    assert "| \\<i\\>\\|x\\* |" in texts.format_markdown(data, "en")
    assert "'=1+1" in texts.format_standings_csv(data)


def test_without_the_page_a_report_is_text_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(static, "REPORT_PAGE", tmp_path / "nothing.html")
    ledger = played({"name": "round-robin"}, ["ada", "<i>", "弈手"])
    data = build_report_data(ledger)
    for language, note, table in (
        ("en", "was not built", "| Entrant |"),
        ("zh", "尚未构建", "| 参赛者 |"),
    ):
        html = render_report(ledger, data, language)
        assert note in html and "--rebuild" in html
        assert table in html and "&lt;i" in html and "弈手" in html
        assert "<script" not in html and "<i>" not in html
    assert "script-src" not in make_policy()


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
    (shown,) = contest_results.describe_tables(ledger, {}).tables
    assert shown.scale == "elo"


def test_a_contest_that_has_just_begun_has_a_report(template: None) -> None:
    settings = parse_contest_settings({"name": "x", "game": "reversi", "format": GROUPS}, "test")
    ledger = Ledger(settings, [Entrant(name) for name in NAMES])
    data = build_report_data(ledger)
    report = read_report(render_report(ledger, data, "en"))
    assert (report["tables"]["over"], report["ratings"], report["bouts"]) == (False, None, [])
    assert texts.format_markdown(data, "zh").startswith("# x\n\n## N 组")


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
    assert text.count("| winner |") == 1
    assert text.count("| advanced |") == 4
    assert "| 冠军 |" in texts.format_markdown(
        build_report_data(played({"name": "knockout"}, NAMES)), "zh"
    )


def test_markdown_tells_dates_time_and_faults_in_both_languages() -> None:
    ledger = played({"name": "round-robin"}, ["ada", "bob"])
    data = build_report_data(ledger, made="2026-01-02T03:04:05Z")
    english, chinese = (texts.format_markdown(data, language) for language in ("en", "zh"))
    assert "| 1 | ada | 1 | 1 – 0 – 0 | 2 / 2 |\n" in english, "no empty column for notes"
    dates = "Played: 2026-01-01 00:00 UTC · Report written: 2026-01-02 03:04 UTC"
    assert english.splitlines()[2] == dates
    assert chinese.splitlines()[2] == dates.replace("Played: ", "比赛时间：").replace(
        "Report written: ", "报告生成时间："
    )
    faults = {bot["name"]: sum(bot["faults"].values()) for bot in data["bots"]}
    assert faults == {"ada": 0, "bob": 1}
    assert "| bob | 0.375 s | 0.500 s | crash × 1 |" in english
    assert "| ada | 0.375 s | 0.500 s |  |" in chinese and "| 崩溃 × 1 |" in chinese


def test_who_was_disqualified_is_told_with_the_reason_in_the_readers_language() -> None:
    ledger = played({"name": "round-robin"}, ["ada", "bob", "greedy", "greedy (2)"])
    winner = ledger.standings().names[0]
    assert winner == "ada"
    out = [
        replace(each, dropped=True, disqualified="copied") if each.name == winner else each
        for each in ledger.entrants
    ]
    data = build_report_data(ledger.with_entrants(out), made="2026-01-02T16:04:05Z")
    chinese = texts.format_standings_csv(data, "zh").splitlines()
    assert chinese[0] == "\ufeff表格,名次,参赛者,积分,胜,平,负,局分,局数,备注"
    assert chinese[-1].startswith("循环赛,–,ada,0") and chinese[-1].endswith("取消资格：copied")
    assert [line.split(",")[2] for line in chinese[2:4]] == ["贪心", "贪心 (2)"]
    english = texts.format_standings_csv(data, "en").splitlines()
    assert english[-1].endswith("disqualified: copied") and "One move ahead (2)" in english[3]
    programs = texts.format_standings_csv(data).splitlines()
    assert programs[-1].startswith("Round robin,4,ada,") and programs[-1].endswith(",disqualified")
    text = texts.format_markdown(data, "zh", timezone(timedelta(hours=8)))
    assert "| – | ada |" in text and "| 取消资格：copied |" in text and "| 贪心 (2) |" in text
    assert "报告生成时间：2026-01-03 00:04 UTC+8" in text
    assert "被取消资格的 AI 的对局不计入成绩。" in text
    assert "ada" not in [row["name"] for row in data["ratings"]["ratings"]]
    report = read_report(render_report(ledger.with_entrants(out), data, "zh"))
    last = report["tables"]["standings"]["rows"][-1]
    assert (last["name"], last["note"], last["why"]) == ("ada", "disqualified", "copied")
    assert report["tables"]["crosstable"]["names"] == ["bob", "greedy", "greedy (2)"]


@pytest.mark.parametrize(
    ("zone", "shown"),
    [("Asia/Kolkata", "2026-06-01 23:30 UTC+5:30"), ("America/New_York", "2026-06-01 14:00 UTC−4")],
)
def test_a_time_for_people_says_its_zone(zone: str, shown: str) -> None:
    assert format_readable("2026-06-01T18:00:07Z", find_zone(zone)) == shown
    for unknown in ("", "../etc", "No/Such"):
        assert format_readable("2026-06-01T18:00:07Z", find_zone(unknown)) == "2026-06-01 18:00 UTC"


CUP = {"name": "knockout", "third": "shared"}


@pytest.mark.parametrize(
    ("winners", "ending", "score", "en", "zh"),
    [
        ([None] * 22, "lot", "11 : 11", "by lot after 20 extra bouts", "加赛 20 局后抽签"),
        ([0, 1, 1, 0, 1, None], "extra", "2.5 : 3.5", "after 4 extra bouts", "加赛 4 局"),
        ([0, 0], "played", "2 : 0", "", ""),
    ],
)
def test_a_knockout_says_everywhere_how_a_level_match_was_decided(
    monkeypatch: pytest.MonkeyPatch,
    winners: list[int | None],
    ending: str,
    score: str,
    en: str,
    zh: str,
) -> None:
    bouts = iter(winners)
    ledger = played(CUP, ["ada", "bob"], lambda pairing: next(bouts))
    data = build_report_data(ledger)
    (final,), (match,) = data["bracket"], data["matches"]
    for each in (final, match):
        assert (each["ending"], each["extra"]) == (ending, len(winners) - 2)
        assert each["decided"] == {"en": en, "zh": zh}
    winner = final["winner"]
    told = f" ({en}: {winner})" if en else ""
    assert f"Final: ada – bob {score}{told}\n" in texts.format_markdown(data, "en")
    row = texts.format_matches_csv(data).splitlines()[1]
    assert row.endswith(f",{score},{winner},{ending},{len(winners) - 2},{en}")
    ((node,),) = contest_results.describe_tables(ledger, {}).bracket or []
    assert (node.ending, node.extra, node.decided) == (ending, len(winners) - 2, Text(en, zh))
    monkeypatch.setenv("LUDUS_LANG", "en")
    lines = [line.plain for line in tables.format_tied_matches(ledger)]
    plain = score.replace(" ", "")
    assert lines == ([f"Final: ada – bob {plain}, decided {en}: {winner}"] if en else [])


def test_extra_bouts_under_way_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = played(CUP, ["ada", "bob"], lambda pairing: None)
    begun = Ledger(ledger.settings, ledger.entrants)
    for (match, number), facts in ledger.bouts.items():
        if number < 5:
            begun.add(ledger.pairings[match], facts)
    films = {match: {n: f"film {n}" for n in range(9)} for match in ledger.pairings}
    ((node,),) = contest_results.describe_tables(begun, films).bracket or []
    assert (node.winner, node.ending, node.extra) == (None, None, 3)
    assert node.decided == Text("3 extra bouts so far", "已加赛 3 局")
    assert node.films == ["film 0", "film 1"]
    assert node.extra_films == ["film 2", "film 3", "film 4"], "films of what the ledger has"
    assert "(3 extra bouts so far)" in texts.format_markdown(build_report_data(begun), "en")
    assert count_bouts_left(begun) == 1


def test_a_bout_judged_anew_may_decide_a_match_that_was_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bouts = iter([0, 1, 0, 0])
    level = played(CUP, ["ada", "bob"], lambda pairing: next(bouts))
    ((match, pairing),) = level.pairings.items()
    anew = msgspec.structs.replace(level.bouts[match, 1], scores=level.bouts[match, 1].scores[::-1])
    ledger = Ledger(level.settings, level.entrants)
    for (_, number), facts in level.bouts.items():
        if number != 1:
            ledger.add(pairing, facts)
    ledger.add(pairing, anew)  # extra bouts are stored still, and no longer count
    data = build_report_data(ledger)
    for each in (data["bracket"][0], data["matches"][0]):
        assert (each["winner"], each["ending"], each["extra"]) == ("ada", "played", 0)
        assert each["decided"] == {"en": "", "zh": ""}
    films = {match: {n: f"film {n}" for n in range(4)}}
    ((node,),) = contest_results.describe_tables(ledger, films).bracket or []
    assert (node.ending, node.extra, node.decided) == ("played", 0, Text("", ""))
    assert (node.films, node.extra_films) == (["film 0", "film 1"], ["film 2", "film 3"])
    monkeypatch.setenv("LUDUS_LANG", "en")
    assert not list(tables.format_tied_matches(ledger))


def test_tables_in_which_everybody_meets_show_their_part_of_the_crosstable() -> None:
    tables = contest_results.describe_tables(played(GROUPS, NAMES), {})
    crossed = {table.title.en: table.crossed for table in tables.tables}
    assert crossed == {"Group N": True, "Group E": True, "Knockout": False}
    assert tables.crosstable is not None and len(tables.crosstable.cells) == 2 * 4 * 3
    assert not any(table.crossed for table in _tables_of({"name": "round-robin"}, 2))
    assert not any(table.crossed for table in _tables_of({"name": "swiss", "rounds": 1}, 31))


def _tables_of(form: dict[str, object], entrants: int) -> list[contest_results.StandingsInfo]:
    ledger = played(form, [f"bot{number:02d}" for number in range(entrants)])
    return contest_results.describe_tables(ledger, {}).tables


def test_a_match_that_was_stopped_is_marked_in_the_crosstable() -> None:
    settings = parse_contest_settings(
        {
            "name": "x",
            "game": "reversi",
            "format": {"name": "round-robin"},
            "match": {"bouts": 2, "timeout": "match"},
        },
        "test",
    )
    ledger = Ledger(settings, [Entrant(name) for name in ("ada", "bob", "cleo")])
    for pairing in list(ledger.open_pairings()):
        if pairing.entrants == ("ada", "bob"):
            whole = played({"name": "round-robin"}, ["ada", "bob", "cleo"])
            facts = whole.bouts[pairing.id, 0]
            ledger.add(pairing, msgspec.structs.replace(facts, hung=True))
    cross = contest_results.describe_tables(ledger, {}).crosstable
    assert cross is not None
    assert sorted(cross.stopped) == ["ada/bob", "bob/ada"]


# In a browser


@pytest.fixture
def opened(tmp_path: Path, browser: Browser) -> Iterator[Opener]:
    """Opens a report in a window of its own."""
    if not static.REPORT_PAGE.is_file():
        pytest.skip("the page is not built: .venv/page.log says why")
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="dark")

    def open_report(ledger: Ledger, language: str = "en", more: str = "") -> Page:
        data = build_report_data(ledger, made="2026-01-02T03:04:05Z")
        html = render_report(ledger, data, language)
        file = tmp_path / "report.html"
        file.write_text(html.replace("</body>", f"{more}</body>"), encoding="utf-8")
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: requests.append(message.text))
        requests: list[str] = []
        page.goto(file.as_uri())
        page.wait_for_selector("footer")
        assert requests[:1] == [file.as_uri()]
        assert more or len(requests) == 1, "it needs nothing but itself"
        return page

    yield open_report
    context.close()


def test_a_browser_shows_the_report(opened: Opener) -> None:
    ledger = played(GROUPS, [*NAMES[:-2], "gus#1", NASTY.replace("/", "")])
    page = opened(ledger)
    assert page.title() == "night <1>"
    cells = "cells: points of bouts; last column: points of matches"
    assert page.locator("caption").all_inner_texts() == [
        *("All stages (points: first stage)", "Knockout"),
        *("Group N", f"Group N · Cross table\n{cells}"),
        *("Group E", f"Group E · Cross table\n{cells}"),
    ]
    cells = page.locator("table", has_text="Group E · Cross table").locator("td:not(.points)")
    shown = " ".join(cells.all_inner_texts()).split()
    assert shown == ["2", "2", "2", "0", "2", "2", "0", "0", "2", "0", "0", "0"]
    assert page.locator("[data-node]").count() == 4
    assert page.locator("[data-rating]").count() == len(NAMES)
    assert page.locator(".podium li").all_inner_texts() == [
        f"{row.rank}{row.name}" for row in ledger.standings().rows[:3]
    ]
    page.locator("summary").click()
    page.wait_for_selector(".bouts table")
    assert NASTY in page.locator(".bouts").inner_text()
    links = page.eval_on_selector_all(".bouts a", "all => all.map(one => one.getAttribute('href'))")
    assert len(links) == len(ledger.bouts)
    assert any("gus%231" in link for link in links) and not any("#" in link for link in links)


def test_all_of_a_shared_place_are_on_the_podium_of_a_report(opened: Opener) -> None:
    page = opened(played({"name": "round-robin"}, ["ada", "bob", "cat", "dan"], lambda _: None))
    assert page.locator(".podium li").all_inner_texts() == ["1ada", "1bob", "1cat", "1dan"]


def test_a_report_can_be_read_in_both_languages_light_dark_and_on_a_phone(opened: Opener) -> None:
    page = opened(played(GROUPS, NAMES), "zh")
    headings = page.locator("h2").all_inner_texts()
    assert headings == ["等级分", "用时与异常", "场次", "对局"]
    dates = page.locator("[data-dates]")
    assert "比赛时间：2026年1月1日" in dates.inner_text() or "2025年12月31日" in dates.inner_text()
    assert "报告生成时间：2026年1月" in dates.inner_text()
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    dark = _ground(page)
    page.click("[data-act=theme]")
    assert _ground(page) != dark
    page.click("[data-act=language]")
    assert "Report written: " in dates.inner_text()
    assert page.locator("h2").all_inner_texts() == [
        *("Ratings", "Time and faults", "Matches", "Bouts"),
    ]
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.click("[data-act=theme]")
    page.emulate_media(media="print")
    assert _ground(page) == "rgb(255, 255, 255)", "paper is not dark"


def _ground(page: Page) -> str:
    colour: str = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return colour


def test_a_browser_runs_no_script_but_the_reports_own(opened: Opener) -> None:
    more = "<script>window.foreign = 1</script><img src=x onerror='window.foreign = 2'>"
    page = opened(played({"name": "round-robin"}, ["ada", "bob", "cleo"]), more=more)
    assert page.locator("[data-rating]").count() == 3, "its own runs"
    assert page.evaluate("window.foreign") is None


def test_a_bracket_and_the_list_of_matches_say_how_ties_were_decided(opened: Opener) -> None:
    """The first semi-final by lot, the other in extra bouts; the final without."""
    counts = Counter[str]()

    def decide(pairing: Pairing) -> int | None:
        counts[pairing.id] += 1
        extra = counts[pairing.id] > 4 and "w1.2" in pairing.id
        return 0 if extra or pairing.stage == "final" else None

    page = opened(played(CUP, ["ada", "bob", "cleo", "dan"], decide), "zh")
    marks = page.locator("[data-decided]")
    assert marks.all_inner_texts() == ["加赛 20 局后抽签", "加赛 4 局"]
    assert [mark.get_attribute("data-decided") for mark in marks.all()] == ["lot", "extra"]
    listed = page.locator("section", has=page.locator("h2", has_text="场次")).last.inner_text()
    assert "（加赛 20 局后抽签）" in listed and "（加赛 4 局）" in listed


def test_no_two_boxes_of_a_bracket_overlap(opened: Opener) -> None:
    for form, count in (("knockout", 11), ("double-elimination", 5), ("double-elimination", 16)):
        page = opened(played({"name": form}, [f"bot{number:02d}" for number in range(count)]))
        boxes = [node.bounding_box() for node in page.locator("[data-node]").all()]
        assert len(boxes) >= count - 1
        for i, one in enumerate(boxes):
            assert not any(_overlap(one, other) for other in boxes[i + 1 :])
        page.close()


def _overlap(one: FloatRect | None, other: FloatRect | None) -> bool:
    assert one and other
    return (
        max(one["x"], other["x"]) < min(one["x"] + one["width"], other["x"] + other["width"])
    ) and (max(one["y"], other["y"]) < min(one["y"] + one["height"], other["y"] + other["height"]))


def test_a_report_says_that_bouts_are_copies(opened: Opener) -> None:
    ledger = played({"name": "round-robin"}, NAMES[:2])
    assert opened(ledger).get_by_role("note").count() == 0
    for id, told in ledger.bouts.items():
        ledger.bouts[id] = msgspec.structs.replace(told, start_digest="s", moves_digest="m")
    note = opened(ledger, "zh").get_by_role("note")
    assert "2 局中有 1 局与其他局完全相同，不计入等级分" in note.inner_text()
