"""What teachers and the organiser do: classes, rosters, roles, settings, words to everybody."""

import csv

from playwright.sync_api import expect

from tests.arena.people import PASSWORD
from tests.page.conftest import NewPage
from tests.page.members import ORGANISER, log_in, member, organiser
from tests.page.people import Site

CLASS = 200


def test_a_roster_of_two_hundred_students(arena: Site, visit: NewPage) -> None:
    """Each gets a code, chooses a password with it, and is in the class."""
    language = "zh"
    organiser(arena)
    page = visit("/login", language)
    log_in(page, ORGANISER, "/me")
    page.fill("[name=new] >> nth=0", f"class {language}")
    page.locator("[name=new]").first.press("Enter")
    page.click(f"text=class {language}")
    lines = [f"{language}{number:03},学生 {number},," for number in range(CLASS)]
    roster = "\n".join(["name,shown,email,password", *lines, ",nobody,,"])
    file = {"name": "roster.csv", "mimeType": "text/csv", "buffer": roster.encode()}
    page.set_input_files("[data-upload=files]", file)  # type: ignore[arg-type]
    page.click("[data-import]")
    expect(page.locator("[data-roster]")).to_contain_text(str(CLASS))
    expect(page.locator(".notice li")).to_have_count(1)
    with page.expect_download() as saved:
        page.click("a[download='codes.csv']")
    rows = list(csv.DictReader(saved.value.path().read_text(encoding="utf-8").splitlines()))
    assert [row["name"] for row in rows] == [f"{language}{n:03}" for n in range(CLASS)]
    expect(page.locator("tbody tr")).to_have_count(CLASS + 1)
    student = visit(f"/login?code={rows[7]['code']}", language)
    student.fill("[name=password]", PASSWORD)
    student.click("form .button.main")
    student.wait_for_selector("[name=name]")
    log_in(student, rows[7]["name"], "/me")
    expect(student.locator("main")).to_contain_text(f"class {language}")


def test_roles_settings_and_words_to_everybody(arena: Site, visit: NewPage) -> None:
    member(arena, "tom")
    tom = visit("/login")
    log_in(tom, "tom", "/me")
    page = visit("/login")
    log_in(page, ORGANISER, "/desk?tab=people")
    page.select_option("[data-user=tom] select", "teacher")
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
    page.click("[data-tab=audit]")
    expect(page.locator("table")).to_contain_text("role changed")
    page.click("[data-tab=work]")
    expect(page.locator("dl")).to_contain_text("Workers busy")
