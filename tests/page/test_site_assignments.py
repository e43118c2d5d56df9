"""An assignment on the page: a teacher gives it, a student hands in, and both read the points."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.support.accounts import CRASHING, upload
from tests.support.courses import make_settings, moment
from tests.support.page_accounts import FIXED, ORGANISER, Member, come_in, member, organiser
from tests.support.page_server import NewPage
from tests.support.page_site import Site, wait_for


def give_assignment(page: Page, group: int) -> int:
    """Fill in the form in Chinese; the rule is read beside it."""
    page.goto(f"/groups/{group}")
    page.click("text=布置作业")
    expect(page.locator(".label:has([name=game])").first).to_contain_text("游戏")
    page.fill("[name=title]", "黑白棋作业一")
    page.check("[name=game][value=reversi]", force=True)
    page.fill("[name=about]", "写一个能战胜贪心的 AI。")
    page.select_option("[name=bot-0]", "random")
    page.select_option("[name=bot-1]", "greedy")
    page.check("[name=hidden-1]")
    page.fill("[name=points-1]", "20")
    page.fill("[name=from_percent-1]", "20")
    page.fill("[name=full_percent-1]", "60")
    meaning = page.locator("[data-meaning='1']")
    page.get_by_role("button", name="English").click()
    expect(meaning).to_contain_text("0 points up to 20 % of the score, all 20 points from 60 %")
    expect(meaning).to_contain_text("10 points for 40 %")
    page.get_by_role("button", name="中文").click()
    expect(meaning).to_contain_text("得分率不超过 20% 得 0 分，达到 60% 得满分 20 分")
    page.fill("[name=from_percent-1]", "60")
    page.locator("[name=from_percent-1]").blur()
    expect(meaning).to_contain_text("得分率达到 60% 得 20 分，否则 0 分。")
    page.fill("[name=from_percent-1]", "0")
    page.fill("[name=full_percent-1]", "100")
    page.locator("[data-rival='2'] button").click()
    page.set_viewport_size({"width": 390, "height": 844})
    table = page.locator("table:has([data-rival])")
    assert table.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.fill("[name=bouts]", "3")
    preview = page.locator("[data-preview]")
    expect(page.locator("label:has([name=bouts])")).to_contain_text("须为 2 到 200 之间的偶数")
    expect(preview.locator("li")).to_have_count(0)
    page.fill("[name=bouts]", "2")
    page.fill("[name=deadline]", "2020-01-01T10:00")
    expect(page.locator("label:has([name=deadline])")).to_contain_text("已过")
    page.fill("[name=deadline]", "2099-01-01T10:00")
    expect(page.locator("form .wrong")).to_have_count(0)
    page.click("details summary")
    page.fill("[name=size]", "4")
    page.fill("[name=no_fault]", "5")
    page.click("text=添加评分项")
    page.fill("[name=manual-title-0]", "报告")
    expect(preview).to_contain_text("满分 45 分")
    expect(preview.locator("[data-cost]")).to_contain_text("最多占用 4 分钟 CPU 时间")
    page.fill("[name=opens]", "2099-02-01T10:00")
    page.click("form .savebar .button.main")
    problem = page.locator(".savebar [role=alert]")
    expect(problem).to_contain_text("开放时间晚于截止时间")
    page.fill("[name=opens]", "")
    expect(problem).to_have_count(0)
    expect(preview).to_contain_text("第 2 级（隐藏）")
    expect(preview).to_contain_text("“报告”由教师评分，最多 10 分")
    page.click("form .savebar .button.main")
    page.wait_for_url(re.compile(r"/assignments/\d+$"))
    return int(page.url.rsplit("/", 1)[1])


def test_a_teacher_gives_an_assignment_and_a_student_earns_points(
    playing_site: Site, visit: NewPage
) -> None:
    staff, sam = organiser(playing_site), member(playing_site, "sam")
    group = staff.post("/api/groups", {"name": "AI 2026"})
    sam.post("/api/groups/join", {"code": group["code"]})
    bot = upload(sam, FIXED.encode(), game="reversi", name="sams")
    wait_for(lambda: sam.get(f"/api/bots/{bot['id']}")["versions"][0]["state"] == "good", 60)

    desk = visit(language="zh")
    come_in(desk, playing_site, ORGANISER, f"/groups/{group['id']}")
    id = give_assignment(desk, group["id"])

    page = visit(language="en")
    come_in(page, playing_site, "sam", "/")
    expect(page.locator(f"[data-assignment='{id}']")).to_be_visible()
    page.click("header nav >> text=Assignments")
    page.wait_for_selector("h1 >> text=Assignments")
    page.click(f"[data-assignment='{id}']")
    expect(page.locator("[data-rule]")).to_contain_text("20 points against level 2 (hidden)")
    expect(page.locator("main")).not_to_contain_text("One move ahead")
    expect(page.locator("[data-marks] .sum")).to_have_text("– / 45")
    expect(page.locator("form.panel")).to_contain_text("can download the code of what you hand in")
    page.click("form .button.main")
    card = page.locator("[data-submission]")
    expect(card).to_contain_text("graded")
    expect(card).to_contain_text("counts")
    expect(page.locator("[data-marks]")).to_contain_text("level 1 (Random moves)")
    expect(page.locator("[data-marks]")).to_contain_text(
        "level 2 (hidden): shown once no submissions are accepted any more ("
    )
    card.locator("[data-level='1']").click()
    expect(card.locator("[data-bout]")).to_have_count(2)

    # The hidden bouts are played too before the teacher looks.
    wait_for(lambda: all(c["bouts"] for c in marks_of_sam(staff, id)["rivals"]), 60)
    desk.goto(f"/assignments/{id}")
    expect(desk.locator("[data-rule]")).to_contain_text("第 2 级（隐藏）")
    expect(desk.locator("form.panel")).to_have_count(0)
    expect(desk.locator("header nav [aria-current]")).to_have_text("班级")
    expect(desk.locator("[data-hidden-names]")).to_contain_text("第 2 级是贪心")
    desk.click("text=提交的代码")
    with desk.expect_download() as found:
        desk.click("text=用于 Dolos")
    assert found.value.suggested_filename == "黑白棋作业一-dolos.zip"
    desk.goto(f"/assignments/{id}/marks")
    row = desk.locator("[data-student=sam]")
    expect(row.locator("[data-total]")).to_contain_text("暂计：“报告”未评分")
    assert_bars_fit(row)
    row.locator("button").click()
    expect(desk.locator("[data-dialog] .button.main")).to_be_in_viewport(ratio=1)  # at hand
    desk.click("[data-dialog] [data-code]")
    expect(desk.locator("[data-dialog] pre")).to_contain_text("class Bot")
    expect(desk.locator("label:has([name=manual-0])")).to_contain_text("最多 10 分")
    desk.fill("[name=manual-0]", "7.5")
    desk.fill("[name=comment]", "报告写得清楚")
    desk.click("[data-dialog] .button.main")
    expect(row).to_contain_text("7.5")
    expect(page.locator("[data-marks]")).to_contain_text("报告写得清楚")
    total = marks_of_sam(staff, id)["total"]
    expect(row.locator("[data-total]")).to_contain_text(f"{total:g}")
    row.locator("button").click()
    desk.fill("[name=override]", "33")
    desk.fill("[name=reason]", "补交说明")
    desk.fill("[name=own_deadline]", "2099-01-02T10:00")
    desk.fill("[name=own_reason]", "生病")
    desk.click("[data-dialog] .button.main")
    expect(row.locator("[data-total]")).to_contain_text("33")
    expect(row.locator("[data-extension]")).to_contain_text("延至 2099")

    page.goto("/assignments")
    expect(page.locator("main li")).to_contain_text("handed in")
    with page.expect_response(re.compile(r"/api/assignments$")):
        page.goto("/me")
    expect(page.locator("[data-due]")).to_have_count(0)
    page.goto(f"/assignments/{id}")
    expect(page.locator("[data-marks] [data-total]")).to_have_text("33 / 45")
    expect(page.locator("[data-marks]")).to_contain_text("补交说明")
    expect(page.locator("[data-extension]")).to_contain_text("2 Jan 2099, 10:00: 生病")
    expect(page.locator("[data-marks]")).to_contain_text("报告写得清楚")
    card.locator("[data-level='1']").click()
    card.locator("[data-bout]").first.click()
    page.wait_for_url(re.compile(r"/watch/bout-\d+"))
    page.click("[data-origin]")
    page.wait_for_url(re.compile(rf"/assignments/{id}$"))


def assert_bars_fit(row: Locator) -> None:
    """The bars of the rivals are equally wide, and within their cells."""
    bars = row.locator(".share")
    widths = bars.evaluate_all("bars => bars.map((bar) => bar.getBoundingClientRect().width)")
    assert len(widths) == 2
    assert len(set(widths)) == 1
    assert bars.evaluate_all(
        """bars => bars.every((bar) => {
          const [own, cell] = [bar, bar.closest("td")].map((one) => one.getBoundingClientRect());
          return own.left >= cell.left && own.right <= cell.right;
        })"""
    )


def marks_of_sam(staff: Member, id: int) -> dict[str, Any]:
    found: list[dict[str, Any]] = staff.get(f"/api/assignments/{id}/marks")["students"]
    return next(each for each in found if each["name"] == "sam")


def wait_for_check(person: Member, bot: int) -> None:
    wait_for(lambda: person.get(f"/api/bots/{bot}")["versions"][0]["state"] != "checking", 60)


def contrast(button: Locator) -> float:
    """Between its words and its ground, with the pointer over it."""
    button.hover()
    found: float = button.evaluate(
        """button => {
          const light = (colour) => {
            const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
              .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const { color, backgroundColor } = getComputedStyle(button);
          const [low, high] = [light(color), light(backgroundColor)].sort((a, b) => a - b);
          return (high + 0.05) / (low + 0.05);
        }"""
    )
    return found


def test_a_regrade_a_past_deadline_and_an_archive_are_told(
    playing_site: Site, visit: NewPage
) -> None:
    staff, kim, lee = organiser(playing_site), *(member(playing_site, x) for x in ("kim", "lee"))
    group = staff.post("/api/groups", {"name": "AI 2027"})
    for person in (kim, lee):
        person.post("/api/groups/join", {"code": group["code"]})
    settings = make_settings(rule={"no_fault": 5})
    body = {"title": "Task", "deadline": moment(3), "settings": settings}
    id = staff.post(f"/api/groups/{group['id']}/assignments", body)["id"]
    good = upload(kim, FIXED.encode(), game="reversi", name="kims")
    bad = upload(lee, CRASHING, game="reversi", name="lees")
    wait_for_check(kim, good["id"])
    wait_for_check(lee, bad["id"])
    desk = visit(language="zh")
    come_in(desk, playing_site, ORGANISER, f"/assignments/{id}/marks")
    desk.locator("[data-student=kim] button").click()
    expect(desk.locator("[data-dialog] [data-total]")).to_be_visible()
    spare = staff.post(f"/api/groups/{group['id']}/assignments", {**body, "title": "Spare"})["id"]
    other = visit(language="en")
    come_in(other, playing_site, ORGANISER, f"/assignments/{spare}/edit")
    other.click("[data-act=delete]")
    expect(other.locator("[data-act=delete]")).to_have_text(
        "Delete it and its notices to the class?"
    )
    other.click("[data-act=delete]")
    other.wait_for_url("**/assignments")
    kim.post(f"/api/assignments/{id}/submissions", {"bot": good["id"]})
    expect(desk.locator("[data-dialog] [data-submission]")).to_contain_text("已评测")
    desk.keyboard.press("Escape")
    path = f"/api/assignments/{id}/marks"
    wait_for(lambda: staff.get(path)["students"][0]["status"] != "queued", 60)
    wait_for(lambda: staff.get(path)["progress"] is None, 60)

    page = visit(language="en")
    come_in(page, playing_site, "lee", f"/assignments/{id}")
    expect(page.locator("[data-refused]")).to_contain_text("lees #1 did not pass its check")
    expect(page.locator("[data-refused] a")).to_have_attribute("href", f"/bots/{bad['id']}")

    late = desk.locator("[data-student=kim] [data-late-points]")
    expect(late).to_have_count(0)
    expect(desk.locator("[data-judged]")).to_contain_text("人已评完")
    desk.click("[data-act=regrade]")
    desk.click("[data-act=regrade]")
    expect(desk.locator("[data-progress]")).to_contain_text("/ 8 局")
    expect(desk.locator("[data-replayed]")).to_contain_text("上次重评：8 局", timeout=60_000)
    desk.set_viewport_size({"width": 390, "height": 844})
    for place in (f"/assignments/{id}/marks", f"/groups/{group['id']}?tab=members"):
        desk.goto(place)
        table = desk.locator(".stacks")
        expect(table).to_contain_text("kim")
        assert table.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    desk.set_viewport_size({"width": 1280, "height": 800})

    desk.goto(f"/assignments/{id}/edit")
    expect(desk.locator("[data-stays]")).to_contain_text("已有 1 次提交，不能删除")
    expect(desk.locator("[data-act=delete]")).to_have_count(0)
    expect(desk.locator("[name=published]")).to_be_disabled()
    desk.fill("[name=bouts]", "6")
    desk.click("form .savebar .button.main")
    expect(desk.locator(".toast")).to_contain_text("正在为已有的提交下")
    desk.goto(f"/assignments/{id}/edit")
    desk.fill("[name=deadline]", "2020-01-01T10:00")
    desk.click("form .savebar .button.main")
    question = desk.locator("[data-dialog=question]")
    expect(question).to_contain_text("全班将立即看到隐藏对手（第 2 级）")
    expect(question).to_contain_text("扣对局得分的 10%")
    question.locator("[data-answer=no]").click()
    assert staff.get(f"/api/assignments/{id}")["state"] == "open"
    kept = staff.get(f"/api/assignments/{id}")["settings"]
    moved = {**body, "settings": kept, "deadline": moment(-0.5)}
    staff.post(f"/api/assignments/{id}", moved, "PATCH")
    desk.goto(f"/assignments/{id}/marks")
    expect(late).to_have_text(re.compile(r"^-\d"))

    desk.goto(f"/groups/{group['id']}?tab=roster")
    desk.click("[data-act=archive]")
    for scheme in ("light", "dark"):
        desk.emulate_media(color_scheme=scheme)
        assert contrast(desk.locator("[data-act=archive]")) >= 4.5, f"unreadable when {scheme}"
    desk.click("[data-act=archive]")
    expect(desk.locator("[data-act=restore]")).to_be_visible()
    expect(desk.locator("[data-not-yours]")).to_have_count(0)
    expect(desk.locator("[data-tab=overview]")).to_have_attribute("aria-current", "page")
    expect(desk.locator("[data-posts] form")).to_have_count(0)
    expect(desk.locator("main")).to_contain_text("班级已归档")
    page.reload()
    expect(page.locator("[data-archived]")).to_contain_text("nothing more can be handed in")
    expect(page.locator("[data-refused]")).to_have_count(0)
