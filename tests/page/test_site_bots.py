"""Somebody writes a bot in the browser: uploads it, reads its error, fixes it, sees it climb."""

import io
import json
import re
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from ludus.server.accounts.first_account import read_code
from tests.support.accounts import PASSWORD, checked, upload
from tests.support.page_accounts import (
    BUGGY,
    CURE,
    FIXED,
    SLIP,
    come_in,
    log_in,
    member,
    new_bot,
    organiser,
    register,
    rewrite,
)
from tests.support.page_server import NewPage, Windows, pages_of, serving
from tests.support.page_site import Site, pass_in


@pytest.fixture
def empty_arena(tmp_path: Path) -> Iterator[Site]:
    """A server on which nobody has an account."""
    with serving(tmp_path, "--no-demo") as site:
        yield site


@pytest.fixture
def visit_empty(browser: Browser, empty_arena: Site, windows: Windows) -> Iterator[NewPage]:
    yield from pages_of(browser, empty_arena, windows)


def test_the_first_account_is_the_organisers(empty_arena: Site, visit_empty: NewPage) -> None:
    page = visit_empty("/")
    page.click("a[href='/welcome']")
    page.fill("[name=name]", "Mallory")
    page.fill("[name=password]", PASSWORD)
    page.fill("[name=code]", "aaaa-aaaa-aaaa")
    page.click("form .button.main")
    expect(page.locator("[role=alert]")).to_contain_text("first-account-code")
    register(page, "Olga", f"/welcome#code={read_code(empty_arena.home)}")
    page.wait_for_url("**/admin")
    expect(page.locator("h1")).to_have_text("Admin")
    expect(page.locator("[data-first-tasks] a")).to_have_count(3)
    page.click("[data-first-tasks] a[href^='/groups']")
    expect(page.locator("[name=new]")).to_be_focused()
    page.keyboard.insert_text("AI")
    page.locator("[name=new]").press("Enter")
    expect(page.locator("[data-local-address]")).to_contain_text("opens on this computer only")
    page.get_by_role("button", name="中文").click()
    expect(page.locator("[data-local-address]")).to_contain_text("只能在这台电脑上打开")
    page.goto("/contests/new")
    page.check("[name=game][value=reversi]", force=True)
    page.fill("[name=title]", "Open day")
    page.click("form .button.start")
    expect(page.locator(".staff")).to_be_visible()
    expect(page.locator("[data-local-address]")).to_have_count(0)  # no link is given out here
    page.goto(f"{page.url}/wall")
    expect(page.locator("[data-local-address]")).to_contain_text("只能在这台电脑上打开")
    assert empty_arena.get("/api/me")["first"] is False
    other = visit_empty("/welcome")
    expect(other.locator(".empty")).to_contain_text("already has an admin")
    other.goto("/play?game=reversi")
    other.select_option("select[data-seat='1']", "person")
    other.click(".start")
    warning = other.locator("[data-local-address]")
    expect(warning).to_contain_text("Ask an admin")
    expect(warning).not_to_contain_text("--host")


def test_the_first_bot_is_made_of_a_template_and_joins_the_ladder_from_the_editor(
    playing_site: Site, visit: NewPage
) -> None:
    member(playing_site, "新手")
    page = visit(language="zh")
    come_in(page, playing_site, "新手", "/bots")
    page.click("text=创建第一个 AI")
    page.click("label >> text=Uno >> nth=0")
    page.wait_for_selector("[data-editor=ready]")
    of_uno = page.locator(".cm-content").inner_text()
    page.click("label >> text=黑白棋 >> nth=0")
    page.wait_for_selector("[data-editor=ready]")
    expect(page.locator(".cm-content")).not_to_have_text(of_uno, use_inner_text=True)
    assert page.input_value("label.language select") == "Python"
    boxes = [page.locator(it).bounding_box() for it in ("[name=name]", "[data-editor]")]
    assert boxes[0]["y"] < boxes[1]["y"], "a name is asked for before the code"  # type: ignore[index]
    page.fill("[name=name]", "first-try")
    page.click("form .button.main")
    page.click("[data-next] >> text=参加天梯", timeout=60_000)
    expect(page.locator("[data-next] a").first).to_have_text("查看天梯")
    expect(page.locator(".toast a")).to_have_attribute("href", "/ladder/reversi")
    [bot] = playing_site.members["新手"].get("/api/bots?mine=1")["items"]
    assert bot["current"] == bot["versions"][0]["id"]
    rewrite(page, 1, "# the second version")
    page.keyboard.press("Control+s")
    expect(page.locator("[data-on-ladder]")).to_have_text("天梯上仍是第 1 版。", timeout=60_000)
    expect(page.locator("[data-on-ladder]")).to_be_in_viewport()
    page.click("[data-next] >> text=换成第 2 版")
    expect(page.locator("[data-on-ladder]")).to_have_count(0)
    page.goto("/ladder")
    expect(page.locator("[data-game=reversi] [data-joined]")).to_contain_text("first-try")
    expect(page.locator("[data-game=reversi] [data-join]")).to_have_count(0)


def test_on_a_phone_the_bar_is_one_line_while_a_person_types(
    playing_site: Site, visit: NewPage
) -> None:
    organiser(playing_site)
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True)
    register(page, "typist")
    new_bot(page, "pocket", BUGGY)
    page.click("[data-tab=code]")
    page.wait_for_selector("[data-editor=ready]")
    bar = page.locator(".savebar")
    expect(bar.locator(".remark")).to_be_visible()
    page.locator(".cm-content").click()
    page.keyboard.type("# ")
    expect(bar.locator(".remark")).to_be_hidden()
    save = page.locator("[data-save]")
    assert bar.bounding_box()["height"] < 1.5 * save.bounding_box()["height"]  # type: ignore[index]
    save.click()
    page.wait_for_selector(".savebar:has-text('Version 2')")


def test_a_bug_is_read_fixed_in_the_editor_and_the_bot_climbs(
    playing_site: Site, visit: NewPage
) -> None:
    organiser(playing_site)
    page = visit()
    register(page, "writer")
    new_bot(page, "hopper", BUGGY)
    page.wait_for_selector("[data-version='1'][data-state=refused]")
    fault = page.locator("[data-finding=fault].wrong")
    expect(fault.locator(".out")).to_contain_text("choise")
    expect(page.locator("[data-output=stderr]")).to_have_count(0)  # it would say the same
    expect(fault.locator(".film").first).to_have_text("as black against Random moves")
    page.click("[data-tab=code]")
    page.wait_for_selector(".cm-lint-marker-error")
    lines = page.locator(".cm-gutter-lint .cm-gutterElement:has(.cm-lint-marker-error)")
    top = page.locator(f".cm-lineNumbers .cm-gutterElement:text-is('{SLIP}')")
    assert lines.bounding_box()["y"] == top.bounding_box()["y"]  # type: ignore[index]
    rewrite(page, SLIP, CURE)
    page.keyboard.press("Control+s")
    page.wait_for_selector("[data-check=good]")
    page.click("[data-tab=versions]")
    expect(page.locator("[data-finding=self-play], [data-finding=fault]")).to_have_count(0)
    expect(page.locator("[data-finding=seats].fine .film")).to_have_count(2)
    expect(page.locator("[data-finding=repeat].note")).to_contain_text("same seed")
    expect(page.locator("[data-made-with]")).to_have_count(0)  # it matters in classes only
    page.click("[data-version='2'] .button.main")
    page.wait_for_selector("[data-version='2'].on")
    expect(page.locator(".toast a")).to_contain_text("Version 2 plays on the ladder now")
    page.goto("/ladder/reversi")
    row = page.locator("[data-bot=hopper]")
    expect(row).to_be_visible()
    expect(row.locator("td").nth(5)).not_to_have_text("0")
    row.locator(".elo").click()
    page.wait_for_selector(".curve svg")


def test_a_ladder_fits_on_a_phone_and_says_who_has_not_played(
    playing_site: Site, visit: NewPage
) -> None:
    """Of whom nothing is known there is no rating, and the one that all are counted from has no
    interval."""
    organiser(playing_site)
    page = visit(language="zh", viewport={"width": 390, "height": 844}, has_touch=True)
    row = {
        "bot": {"id": None, "name": "random", "owner": {"kind": "house", "id": None, "name": ""}},
        **{"version": None, "place": 1, "elo": 1000.0, "low": 1000.0, "high": 1000.0},
        **{"won": 1234, "drawn": 123, "lost": 1234, "bouts": 2591, "copies": 12, "faults": 345},
        "apart": True,
    }
    called = {"bot": row["bot"] | {"name": "a-bot-with-a-long-name"}, "place": 2}
    rows = [row, row | called | {"low": 950.0, "high": 1050.0}]
    rows.append(row | {"bot": row["bot"] | {"name": "new"}, "place": 3, "bouts": 0})
    told = {"game": "reversi", "contest": 1, "rows": rows, "bouts": 2591, "copies": None}
    at = (datetime.now(UTC) - timedelta(minutes=3)).isoformat()
    page.route("**/api/ladders/reversi", lambda route: route.fulfill(json=told | {"at": at}))
    page.goto("/ladder/reversi")
    expect(page.locator("[data-bot=random]")).to_contain_text("*")
    expect(page.locator("[data-anchor]")).to_be_visible()
    expect(page.locator(".head")).to_contain_text("3 分钟前")
    expect(page.locator("[data-bot='a-bot-with-a-long-name']")).to_contain_text("± 50")
    expect(page.locator("[data-bot=new]")).to_contain_text("尚无对局")
    expect(page.locator("[data-bot=new]")).not_to_contain_text("1000")
    expect(page.locator("[data-bot=new] .place")).to_have_text("")
    assert page.evaluate("""[...document.querySelectorAll(".scroller, html")].every(
        (part) => part.scrollWidth <= part.clientWidth)"""), "nothing is cut off"


def test_late_news_of_a_check_is_not_shown_and_after_the_last_it_is_ending(
    playing_site: Site, visit: NewPage
) -> None:
    owner = member(playing_site, "patient")
    bot = upload(owner, FIXED.encode(), name="patients")["id"]
    checked(owner, owner.get(f"/api/bots/{bot}")["versions"][0]["id"])
    told = owner.get(f"/api/bots/{bot}")
    told["versions"][0]["state"] = "checking"
    page = visit()
    asked: list[Route] = []
    page.route(f"**/api/bots/{bot}", lambda route: route.fulfill(json=told))
    page.route("**/api/versions/*/progress", lambda route: asked.append(route))
    come_in(page, playing_site, "patient", f"/bots/{bot}")
    page.click("[data-tab=versions]")
    answer_about_check(page, asked, 1, bout=3)
    box = page.locator("[data-progress]")
    expect(box).to_contain_text("bout 3 of 9")
    answer_about_check(page, asked, 0, bout=1)
    pass_in(page, 300)
    expect(box).to_contain_text("bout 3 of 9")
    answer_about_check(page, asked, 2)
    expect(box).to_contain_text("The check is ending …")


def answer_about_check(page: Page, asked: list[Route], number: int, bout: int = 0) -> None:
    """Answer one of the page's questions how far a check is; without a bout, that it is over."""
    deadline = time.monotonic() + 30
    while len(asked) <= number:
        assert time.monotonic() < deadline, "the page does not ask how far the check is"
        page.wait_for_timeout(40)
    title = {"en": "as black", "zh": "执黑"}
    far = {"bout": bout, "bouts": 9, "title": title, "cpu_s": 1, "limit_s": 30, "elapsed_s": 2}
    asked[number].fulfill(body=json.dumps(far if bout else None), content_type="application/json")


def test_a_challenge_and_a_batch_test(playing_site: Site, visit: NewPage) -> None:
    member(playing_site, "tess")
    page = visit(language="zh")
    come_in(page, playing_site, "tess")
    new_bot(page, "tester", FIXED)
    page.wait_for_selector("[data-version='1'][data-state=good]")
    bot = page.url
    for rivals in (["random"], ["random", "greedy"]):
        page.goto(f"{bot}?tab=test")
        page.wait_for_selector("[data-against=strong]")
        house = page.locator("[data-against]")
        order = house.evaluate_all("all => all.map((one) => one.dataset.against)")
        assert order.index("random") < order.index("greedy") < order.index("strong"), "by level"
        expect(page.locator("label:has([data-against=random])")).to_contain_text("入门")
        for rival in rivals:
            page.check(f"[data-against={rival}]")
        several = "挑战 2 个对手" if len(rivals) == 2 else "挑战"
        expect(page.locator("[data-start]")).to_have_text(several)
        page.fill("input[type=number]", "2")
        page.click("[data-start]")
        page.wait_for_selector("[data-state=over]")
        expect(page.locator("tbody tr")).to_have_count(len(rivals))
        expect(page.locator("[data-bout]")).to_have_count(2 * len(rivals))
        if len(rivals) == 1:
            find_mistakes(page, bot)
            page.go_back()
    page.get_by_text("交锋记录").first.click()
    expect(page.locator("h1")).to_contain_text("随机")
    expect(page.locator("table").first).to_contain_text("黑方")
    page.go_back()
    page.locator("[data-bout]").first.click()
    page.wait_for_selector("article.bout")
    expect(page.locator(".move.opening").first).to_contain_text("开局")
    page.wait_for_selector("[data-output]")
    page.click("[data-origin]")
    expect(page.locator("[data-bout]").first).to_be_visible()


def find_mistakes(page: Page, bot: str) -> None:
    """Its owner has the bouts of a bot judged and opens the largest mistake."""
    page.goto(bot)
    page.click("[data-tab=mistakes]")
    page.get_by_role("button", name="查找失误").click()
    page.wait_for_selector("[data-search=complete]", timeout=90_000)
    phases = page.locator("[data-group=phase] td.name")
    expect(phases).to_have_text(["前三分之一", "中间三分之一", "后三分之一"])
    expect(page.locator("[data-mistake-at] + span").first).to_have_text(re.compile(r"第 \d+ 局"))
    expect(page.locator("[data-group=rival]")).to_contain_text("对手 随机")
    with page.expect_download() as saved:
        page.click("[data-positions]")
    assert saved.value.suggested_filename == "tester-mistakes.jsonl"
    worst = page.locator("[data-mistake-at]").first
    expect(worst).to_have_text("对手 随机")
    step = worst.get_attribute("data-mistake-at")
    worst.click()
    page.wait_for_selector("[data-analysis] [data-judged]", timeout=60_000)
    assert page.url.endswith(f"?tab=analysis#step={step}")


DROP = """([name, bytes]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([new Uint8Array(bytes)], name));
  for (const type of ["dragenter", "dragover", "drop"]) {
    window.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, cancelable: true }));
  }
}"""
"""Somebody drops a file on the page."""


def test_a_zip_is_dropped_and_a_folder_follows_for_the_team(
    playing_site: Site, visit: NewPage, tmp_path: Path
) -> None:
    """Both members of the team have the code; nobody else."""
    for name in ("kim", "lee", "max"):
        member(playing_site, name)
    kim, lee = visit(), visit(language="zh")
    come_in(kim, playing_site, "kim", "/me")
    kim.locator("[name=new]").last.fill("Duo")
    kim.locator("[name=new]").last.press("Enter")
    code = kim.locator("[data-team=Duo] input").input_value()
    come_in(lee, playing_site, "lee", "/me")
    lee.locator("[name=code]").last.fill(code)
    lee.locator("[name=code]").last.press("Enter")
    lee.wait_for_selector("[data-team=Duo]")
    kim.goto("/bots/new?game=reversi")
    kim.wait_for_selector(".drop")
    kim.evaluate(DROP, ["duo.zip", list(zipped({"duo/bot.py": FIXED, "duo/words.txt": "hop"}))])
    expect(kim.locator("[name=name]")).to_have_value("duo")
    kim.select_option("form select >> nth=-1", label="team Duo")
    kim.click("form .button.main")
    kim.wait_for_selector("[data-version='1'][data-state=good]")
    folder = tmp_path / "duo"
    folder.mkdir()
    (folder / "bot.py").write_text(f"# second\n{FIXED}")
    lee.goto(kim.url)
    lee.set_input_files("[data-upload=folder]", folder)
    lee.click("form .button.main")
    lee.wait_for_selector("[data-version='2'][data-state=good]")
    with lee.expect_download() as saved:
        lee.click("[data-version='2'] a[download]")
    with zipfile.ZipFile(saved.value.path()) as box:
        assert box.read("bot.py").startswith(b"# second")
    max = visit(language="zh")
    log_in(max, "max")
    max.goto(kim.url)
    expect(max.locator("h1")).to_have_text("duo")
    assert max.locator("[data-tab=code], [data-version]").count() == 0


def zipped(files: dict[str, str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as box:
        for path, text in files.items():
            box.writestr(path, text)
    return target.getvalue()
