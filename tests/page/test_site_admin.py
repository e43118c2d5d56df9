"""What teachers and the organiser do: classes, rosters, roles, settings, words to everybody."""

import csv
import zipfile

from playwright.sync_api import Page, expect

from tests.support.accounts import PASSWORD, checked, upload
from tests.support.page_accounts import (
    ORGANISER,
    come_in,
    log_in,
    member,
    organiser,
)
from tests.support.page_server import PUBLIC_URL, NewPage
from tests.support.page_site import Site, wait_for

CLASS = 200


def test_a_roster_of_two_hundred_students(playing_site: Site, visit: NewPage) -> None:
    """Each gets a code, chooses a password with it, and is in the class."""
    organiser(playing_site)
    page = visit(language="zh")
    come_in(page, playing_site, ORGANISER, "/me")
    page.fill("[name=new] >> nth=0", "一班")
    page.locator("[name=new]").first.press("Enter")
    page.click("text=一班")
    page.click("[data-tab=roster]")
    lines = [f"s{number:03},学生 {number},," for number in range(CLASS)]
    roster = "\n".join(["name,shown,email,password", *lines, ",nobody,,"])
    file = {"name": "roster.csv", "mimeType": "text/csv", "buffer": roster.encode()}
    page.set_input_files("[data-upload=files]", file)  # type: ignore[arg-type]
    page.click("[data-import]")
    expect(page.locator("[data-roster]")).to_contain_text(
        f"{CLASS} 人加入班级（新建账号 {CLASS} 个，已有账号 0 个）"
    )
    expect(page.locator(".notice li")).to_have_count(1)
    with page.expect_download() as saved:
        page.click("a[download='codes.csv']")
    rows = list(csv.DictReader(saved.value.path().read_text("utf-8-sig").splitlines()))
    assert [row["账号"] for row in rows] == [f"s{n:03}" for n in range(CLASS)]
    page.click("[data-tab=members]")
    expect(page.locator("tbody tr")).to_have_count(CLASS + 1)
    page.click("[data-tab=overview]")
    code = page.get_by_label("邀请码").input_value()
    renew = page.get_by_role("button", name="更换邀请码")
    renew.click()
    page.get_by_role("button", name="确定").click()
    expect(page.get_by_label("邀请码")).not_to_have_value(code)
    student = visit(f"/login#code={rows[7]['登录码']}", "zh")
    student.fill("[name=password]", PASSWORD)
    student.click("form .button.main")
    student.wait_for_selector("[name=name]")
    log_in(student, rows[7]["账号"], "/me")
    expect(student.locator("main")).to_contain_text("一班")


def test_the_overview_keeps_within_its_cards(playing_site: Site, visit: NewPage) -> None:
    organiser(playing_site)
    page = visit()
    come_in(page, playing_site, ORGANISER, "/admin")
    facts = page.locator(".facts dd")
    expect(facts.nth(10)).to_be_visible()
    assert facts.evaluate_all("all => all.every((dd) => dd.scrollWidth <= dd.clientWidth)")


def test_roles_settings_and_words_to_everybody(playing_site: Site, visit: NewPage) -> None:
    member(playing_site, "tom")
    tom = visit()
    come_in(tom, playing_site, "tom", "/me")
    page = visit()
    come_in(page, playing_site, ORGANISER, "/desk?tab=people")  # as the page was called before
    page.wait_for_url("**/admin?tab=people")
    page.fill(".search", "tom")
    page.select_option("[data-user=tom] select", "teacher")
    page.click("[data-tab=tell]")
    page.fill("[name=text]", "Entries close at ten")
    page.locator("[name=text]").press("Enter")
    expect(tom.locator(".toast")).to_contain_text("Entries close at ten")
    tom.goto("/contests")
    tom.wait_for_selector("a[href='/contests/new']")
    page.click("[data-tab=rules]")
    page.uncheck("[name=register]")
    page.fill("[name=uploads_a_day]", "7")
    page.click("form .button.main")
    page.wait_for_selector("form .button.main:disabled")
    stranger = visit("/register")
    expect(stranger.locator("[name=invitation]")).to_have_attribute("required", "")
    usual = {"register": True, "uploads_a_day": 200}
    organiser(playing_site).post("/api/admin/settings", usual, "PATCH")
    staff = organiser(playing_site)
    planned = {"title": "Friday", "game": "reversi", "format": "round-robin"}
    contest = f"/api/contests/{staff.post('/api/contests', planned)['id']}"
    staff.post(contest, {**planned, "format": "swiss"}, "PATCH")
    staff.post(f"{contest}/enter", {"bot": "greedy"})
    page.click("[data-tab=audit]")
    table = page.locator("table")
    expect(table).to_contain_text("role changed")
    expect(table).to_contain_text("title Friday, format Round robin → Swiss")
    expect(table).to_contain_text("bot One move ahead")
    page.set_viewport_size({"width": 390, "height": 800})
    wide = "cells => cells.every((cell) => cell.scrollWidth <= cell.clientWidth)"
    assert table.locator("td").evaluate_all(wide)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.click("[data-tab=work]")
    expect(page.locator("dl")).to_contain_text("Workers busy")


def test_a_teacher_writes_to_a_class_alone(playing_site: Site, visit: NewPage) -> None:
    for name in ("uma", "una", "ute"):
        member(playing_site, name)
    page = visit(language="zh")
    come_in(page, playing_site, ORGANISER, "/admin?tab=people")
    page.fill(".search", "uma")
    page.select_option("[data-user=uma] select", "teacher")
    uma = playing_site.members["uma"]
    wait_for(lambda: uma.get("/api/me")["user"]["role"] == "teacher")
    group = uma.post("/api/groups", {"name": "二班"})
    playing_site.members["una"].post("/api/groups/join", {"code": group["code"]})
    teacher = visit(language="zh")
    come_in(teacher, playing_site, "uma", "/admin?tab=tell")
    teacher.select_option("[name=to]", label="二班")
    teacher.fill("[name=text]", "今晚十点截止")
    teacher.locator("[name=text]").press("Enter")
    teacher.wait_for_selector(".toast p")
    student = visit(language="zh")
    come_in(student, playing_site, "una", "/me")
    expect(student.locator("li.fresh")).to_contain_text("今晚十点截止")
    assert playing_site.members["ute"].get("/api/notices")["items"] == []
    assert teacher.locator("[data-tab=people], [data-export]").count() == 0


def test_a_forgotten_password_is_replaced_and_an_account_locked(
    playing_site: Site, visit: NewPage
) -> None:
    name = "olaf"
    member(playing_site, name)
    page = visit()
    come_in(page, playing_site, ORGANISER, "/admin?tab=people")
    page.fill(".search", name)
    press_twice(page, f"[data-user={name}] [data-act=reset]")
    link = page.locator(".panel input[readonly]").input_value()
    assert link.startswith(f"{PUBLIC_URL}/login#code="), "it can be sent as it is"
    olaf = visit("/login", "zh")
    olaf.fill("[name=name]", name)
    olaf.fill("[name=password]", "a wrong password")
    olaf.click("form .button.main")
    expect(olaf.locator("[role=alert]")).to_be_visible()
    olaf.click("form ~ p button")
    expect(olaf.locator("[name=code]")).to_have_value("")
    expect(olaf.locator("[role=alert]")).to_have_count(0)
    olaf.goto("about:blank")
    olaf.goto(link.removeprefix(PUBLIC_URL))
    olaf.fill("[name=password]", "another password")
    olaf.click("form .button.main")
    olaf.fill("[name=name]", name)
    olaf.fill("[name=password]", "another password")
    olaf.click("form .button.main")
    olaf.wait_for_selector(".me")
    press_twice(page, f"[data-user={name}] [data-act=lock]")
    page.wait_for_selector(f"[data-user={name}].gone")
    olaf.goto("/bots")
    olaf.wait_for_selector("a[href^='/login']")


def press_twice(page: Page, button: str) -> None:
    """It asks once more."""
    page.click(button)
    page.click(button)


HOPPER = b'''
class Bot:
    """Hops to the far side."""

    def start(self, seat, position):
        self.seat, self.past = seat, []

    def move(self, position, clock):
        moves = sorted(position.legal(self.seat), key=lambda move: (len(move), move[::-1]))
        weights = [sum(ord(sign) * power for power, sign in enumerate(move)) for move in moves]
        best = max(range(len(moves)), key=weights.__getitem__)
        for before in self.past[-3:]:
            if before == moves[best] and len(moves) > 1:
                best = (best + 1) % len(moves)
        self.past.append(moves[best])
        if len(self.past) > 40:
            del self.past[:20]
        return moves[best]
'''


def test_what_looks_alike_is_shown_and_everything_is_exported(
    playing_site: Site, visit: NewPage
) -> None:
    renamed = HOPPER.replace(b"weights", b"values").replace(b"past", b"history")
    for name, code in (("vic", HOPPER), ("wes", renamed)):
        person = member(playing_site, name)
        bot = upload(person, code, game="eraser", name=f"bot of {name}")
        checked(person, bot["versions"][0]["id"])
    page = visit(language="zh")
    come_in(page, playing_site, ORGANISER, "/admin?tab=similar")
    page.check("[name=game][value=eraser]", force=True)
    row = page.locator("tbody tr", has_text="bot of vic").first
    expect(row).to_contain_text("bot of wes")
    row.locator("[data-settle]").click()
    row.locator("form button.plain").click()  # not yet
    row.locator("[data-settle]").click()
    row.locator("input").fill("同一小组的讨论")
    page.keyboard.press("Enter")
    expect(row).to_have_count(0)
    page.check("[data-with-settled]")
    expect(row.locator("[data-reason]")).to_have_text("同一小组的讨论")
    row.locator("[data-reopen]").click()
    expect(row.locator("[data-settle]")).to_be_visible()
    page.set_input_files(
        "[data-given] input[type=file] >> nth=0",
        {"name": "hopper.py", "mimeType": "text/x-python", "buffer": HOPPER},
    )
    page.fill("[data-given] input[maxlength='60']", "作业一模板")
    page.keyboard.press("Enter")
    expect(page.locator("[data-given-code='作业一模板']")).to_contain_text("所有人")
    expect(row).to_have_count(0)
    with page.expect_download() as saved:
        page.click("[data-export]")
    with zipfile.ZipFile(saved.value.path()) as box:
        assert "wes" in box.read("users.csv").decode()
        assert not any(name.endswith(".py") for name in box.namelist())
