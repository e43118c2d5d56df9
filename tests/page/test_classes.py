"""A teacher's first steps: class, roster, login links, a contest of everybody."""

import csv
import io
import re

import pytest
from playwright.sync_api import expect

from ludus.courses.sheet_writer import write_xlsx
from tests.support.accounts import PASSWORD, good_bot, log_in, new_teacher
from tests.support.courses import make_settings, moment
from tests.support.page_accounts import ORGANISER, api_site, come_in, member, organiser
from tests.support.page_server import PUBLIC_URL, NewPage
from tests.support.page_site import Site, wait_for

WORDS = {
    "zh": [
        "班级",
        "新建账号 2",
        "有误 1",
        "2 人加入班级",
        "开始使用",
        "1 人没有可参赛的 AI",
        "含姓名和学号：",
        r"\b1 人",
        "登录",
    ],
    "en": [
        "Classes",
        "new account 2",
        "wrong 1",
        "2 joined the class",
        "Start",
        "1 person has no bot that can enter",
        "With names and student numbers:",
        r"\b1 member\b",
        "Log in",
    ],
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_teacher_sets_up_a_class_and_holds_a_contest(
    playing_site: Site, visit: NewPage, language: str
) -> None:
    words = WORDS[language]
    teacher = new_teacher(organiser(playing_site), f"teacher-{language}")
    playing_site.members[teacher.name] = teacher
    page = visit(language=language)
    come_in(page, playing_site, teacher.name)
    page.get_by_role("link", name=words[0], exact=True).click()
    page.fill("[name=new]", f"AI {language}")
    page.locator("[name=new]").press("Enter")
    expect(page.locator("[data-step=class]")).to_have_attribute("data-done", "true")
    for place in (page.url, "/groups", "/me"):
        page.goto(place)
        expect(page.locator("main")).to_contain_text(re.compile(words[7]))
    page.go_back()
    page.go_back()
    page.click("[data-step=roster] a")
    numbers = [f"20210{len(language)}{ord(language[0])}{n}" for n in range(2)]
    table = [
        ["邮箱", "姓名", "学号"],
        ["", "张三", numbers[0]],
        [f"li-{language}@example.org", "李四", numbers[1]],
        ["", "王五", ""],
    ]
    if language == "zh":
        book = {"name": "名单.xlsx", "mimeType": "", "buffer": write_xlsx(table)}
        page.set_input_files("[data-upload=files]", book)  # type: ignore[arg-type]
    else:
        page.fill("[name=roster]", "\n".join("\t".join(row) for row in table))
        page.click("[data-preview]")
    expect(page.locator("[data-counts]")).to_contain_text(words[1])
    expect(page.locator("[data-counts]")).to_contain_text(words[2])
    expect(page.locator("[data-line]").first).to_have_attribute("data-line", "4")
    page.click("[data-import]")
    expect(page.locator("[data-roster]")).to_contain_text(words[3])
    expect(page.locator(f"[data-code='{numbers[0]}']")).to_contain_text("张三")
    with page.expect_download() as saved:
        page.click("a[download='codes.csv']")
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text("utf-8-sig"))))
    head = {
        "en": ["student number", "name", "account", "class", "e-mail", "code", "link"],
        "zh": ["学号", "姓名", "账号", "班级", "邮箱", "登录码", "链接"],
    }[language]
    assert list(rows[0]) == head
    number, name, _, _, email, _, link = head
    assert [(row[name], row[email]) for row in rows] == [
        ("张三", ""),
        ("李四", f"li-{language}@example.org"),
    ]
    by_number = {row[number]: row[link] for row in rows}
    page.emulate_media(media="print")
    expect(page.locator("header").first).to_be_hidden()
    expect(page.locator("[data-code] svg")).to_have_count(2)
    page.emulate_media(media="screen")
    group = int(page.url.partition("/groups/")[2].partition("?")[0])
    task = {"title": f"Homework {language}", "deadline": moment(7), "settings": make_settings()}
    due = teacher.post(f"/api/groups/{group}/assignments", task)["id"]
    link = by_number[numbers[0]]
    assert link.startswith(PUBLIC_URL), "not the address of the teacher's own computer"
    student = visit(link.removeprefix(PUBLIC_URL), language)
    expect(student.locator("[data-whom]")).to_contain_text(f"张三 {numbers[0]}")
    name = f"zhang-{language}"
    student.fill("[name=name]", name)
    student.fill("[name=password]", PASSWORD)
    student.get_by_role("button", name=words[4], exact=True).click()
    student.wait_for_selector(".me")
    page.goto(f"/groups/{group}?tab=members")
    for _ in range(2):
        page.locator("[data-member]", has_text="李四").locator("[data-act=renew]").click()
    renewed = page.locator("[data-renewed] input").input_value()
    assert renewed.startswith(f"{PUBLIC_URL}/activate#code=")
    assert renewed != by_number[numbers[1]]
    expect(page.locator("[data-act=renew]")).to_have_count(1)
    page.go_back()
    expect(student.locator(f"[data-due] [data-assignment='{due}']")).to_have_text(task["title"])
    late = visit(link.removeprefix(PUBLIC_URL), language)
    used = late.locator("main [role=alert]")
    expect(used.get_by_role("link", name=words[8], exact=True)).to_have_attribute("href", "/login")
    expect(used.get_by_role("button")).to_have_count(0)
    good_bot(log_in(api_site(playing_site), name), name=f"bot of {name}")
    page.reload()
    page.click("[data-act=reissue]")
    page.click("[data-act=reissue]")
    expect(page.locator("[data-code]")).to_have_count(1)
    page.click("[data-tab=overview]")
    expect(page.locator("[data-step=invitation]")).to_have_attribute("data-done", "true")
    page.click("[data-tab=members]")
    expect(page.locator(f"[data-member='{name}']")).to_contain_text(f"{numbers[0]}")
    made = teacher.post(
        "/api/contests",
        {"title": f"Night {language}", "game": "reversi", "options": {"size": 4}, "group": group},
    )
    teacher.post(f"/api/contests/{made['id']}/enter", {"bot": "random"})
    page.goto(f"/contests/{made['id']}")
    page.click("[data-act=class]")
    expect(page.locator("[data-plan]")).to_contain_text(words[5])
    expect(page.locator(f"[data-missing='{numbers[1]}']")).to_contain_text("李四")
    page.click("[data-act=enter-class]")
    page.click("[data-act=start]")
    expect(page.locator("[data-entrants]")).to_contain_text(f"bot of {name} 张三 {numbers[0]}")
    page.click("[data-act=confirm-start]")
    path = f"/api/contests/{made['id']}"
    wait_for(lambda: teacher.get(path)["state"] == "over", 60)
    page.goto(f"/contests/{made['id']}")
    expect(page.locator("main")).to_contain_text(words[6])
    expect(page.locator("table").first).to_contain_text(f"张三 {numbers[0]}")
    student.goto(f"/contests/{made['id']}")
    expect(student.locator("table").first).to_contain_text(f"bot of {name}")
    expect(student.locator("tr.mine .name")).to_have_text(f"bot of {name}")
    assert numbers[0] not in student.content()
    guest = visit(f"/contests/{made['id']}", language)
    expect(guest.locator("[data-login-needed] a")).to_be_visible()
    guest.goto(f"/contests/{made['id']}/wall?delay=5")
    link = guest.locator("[data-login-needed] a")
    expect(link).to_have_attribute("href", re.compile(rf"to=%2Fcontests%2F{made['id']}%2Fwall%3F"))
    page.click("[data-act=delete]")
    page.click("[data-act=delete]")
    page.wait_for_url("**/contests")


def test_a_contest_cancelled_before_its_start_takes_entrants_again(
    playing_site: Site, visit: NewPage
) -> None:
    staff = organiser(playing_site)
    wish = {"title": "Cancelled", "game": "reversi", "options": {"size": 4}}
    made = staff.post("/api/contests", wish)
    page = visit()
    come_in(page, playing_site, ORGANISER, f"/contests/{made['id']}")
    page.click("[data-act=cancel]")
    page.click("[data-act=cancel]")
    page.wait_for_selector("[data-state=stopped]")
    for bot in ("random", "greedy"):
        page.select_option(".staff select", bot)
        page.click(".staff form .button")
        page.wait_for_selector(f".staff option[value={bot}]", state="detached")
    expect(page.locator("[data-act=start]")).to_be_enabled()
    expect(page.locator("[data-act=class]")).to_be_visible()
    page.click("[data-act=open]")
    page.click("[data-act=open]")
    page.wait_for_selector("[data-state=open]")


def test_an_assistant_meets_no_forms_for_teachers(playing_site: Site, visit: NewPage) -> None:
    teacher = new_teacher(organiser(playing_site), "lead")
    group = teacher.post("/api/groups", {"name": "Assisted"})
    helper = member(playing_site, "helper")
    helper.post("/api/groups/join", {"code": group["code"]})
    path = f"/api/groups/{group['id']}/members/{helper.user['id']}"
    teacher.post(path, {"role": "assistant"}, "PATCH")
    here = f"/groups/{group['id']}"
    page = visit()
    come_in(page, playing_site, "helper", here)
    expect(page.locator("[data-tab=members]")).to_be_visible()
    expect(page.locator("[data-steps]")).to_have_count(0)
    page.goto(f"{here}?tab=roster")
    expect(page.locator("[data-not-yours]")).to_contain_text("Only the teachers")
    page.goto(f"{here}/assignments/new")
    expect(page.locator("[role=alert]")).to_contain_text("Only the teachers of this class")
    expect(page.locator("form [name=title]")).to_have_count(0)
    page.goto(f"/contests/new?group={group['id']}")
    expect(page.locator("main .notice")).to_contain_text("Only teachers")
    expect(page.locator("main input")).to_have_count(0)


def test_a_search_keeps_the_filters_that_files_do_not_have(
    playing_site: Site, visit: NewPage
) -> None:
    organiser(playing_site)
    page = visit()
    page.goto("/records?opponent=nobody&game=reversi")
    page.click("nav.sources a[href*=files]")
    expect(page.locator("[data-unused-filters]")).to_contain_text("do not apply here")
    page.click("nav.sources a:not([aria-current])")
    expect(page.locator("[name=opponent]")).to_have_value("nobody")
    page.click("nav.sources a[href*=files]")
    page.click("[data-unused-filters] button")
    expect(page.locator("[data-unused-filters]")).to_have_count(0)
    assert "opponent" not in page.url
