"""The first hours of people who know nothing yet: students, teachers, the organiser."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.accounts import PASSWORD, new_teacher
from tests.support.courses import make_settings, moment
from tests.support.page_accounts import come_in, member, organiser
from tests.support.page_server import NewPage
from tests.support.page_site import Site, pass_in

WORDS = {
    "en": {
        "notice": "the contest Cup en is open for entries",
        "create": "Create one",
        "for": "For the contest “Cup en”.",
        "ready": "Ready for the contest “Cup en”.",
        "entered": "You have entered with mine en.",
        "late": "Ready for the assignment “Task en”.",
    },
    "zh": {
        "notice": "比赛“Cup zh”开放报名",
        "create": "创建一个",
        "for": "用于参加比赛“Cup zh”。",
        "ready": "可以参加比赛“Cup zh”了。",
        "entered": "你已用 mine zh 报名。",
        "late": "可以提交到作业“Task zh”了。",
    },
}
HEADER = """() => {
  const box = (place) => document.querySelector(`header ${place}`).getBoundingClientRect();
  const nav = document.querySelector("header nav");
  return {
    brand: box(".brand > span").top < box(".brand").bottom - 2,
    name: box(".name").width,
    fits: nav.scrollWidth <= nav.clientWidth,
  };
}"""
COVERED = """(field) => {
  const { left, bottom } = field.getBoundingClientRect();
  return document.elementFromPoint(left + 5, bottom - 2) !== field;
}"""


def hand_in(page: Page, name: str) -> None:
    """The form of a new bot, first without its name, then with it."""
    page.wait_for_selector("[data-editor=ready]")
    page.click("form .button.main")
    field = page.locator("[name=name]")
    expect(field).to_be_focused()
    assert not field.evaluate(COVERED), "the bar at the bottom hides what is missing"
    field.fill(name)
    page.click("form .button.main")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_student_makes_a_bot_for_a_contest_and_for_an_assignment(
    playing_site: Site, visit: NewPage, language: str
) -> None:
    """Told of the contest, they find it, make a bot that they do not have yet, and come back."""
    words = WORDS[language]
    teacher = new_teacher(organiser(playing_site))
    group = teacher.post("/api/groups", {"name": f"AI {language}"})
    name = f"newcomer-{language}"
    member(playing_site, name).post("/api/groups/join", {"code": group["code"]})
    plan = {"title": f"Cup {language}", "game": "reversi", "group": group["id"]}
    contest = teacher.post("/api/contests", plan)["id"]
    page = visit(language=language)
    come_in(page, playing_site, name, "/")
    expect(page.locator(f"[data-contest='Cup {language}']")).to_be_visible()
    page.goto(f"/groups/{group['id']}")
    expect(page.locator(f"[data-contests] [data-contest='Cup {language}']")).to_be_visible()
    page.wait_for_selector(".me .unread")
    page.goto("/me")
    expect(page.locator("li.fresh").get_by_role("link", name=words["notice"])).to_be_visible()
    expect(page.locator(".me .unread")).to_have_count(0)
    page.get_by_role("link", name=words["notice"]).click()
    page.get_by_role("link", name=words["create"]).click()
    expect(page.locator("[data-purpose]")).to_contain_text(words["for"])
    hand_in(page, f"mine {language}")
    purpose = page.locator("[data-purpose]")
    expect(purpose).to_contain_text(words["ready"], timeout=60_000)
    expect(purpose).to_have_css("background-color", "color(srgb 0.172549 0.478431 0.294118 / 0.16)")
    page.click("[data-act=use-bot]")
    page.wait_for_url(f"**/contests/{contest}")
    expect(page.locator(".signup")).to_contain_text(words["entered"])
    expect(page.locator("[data-enter]")).to_have_count(0)

    task = {"title": f"Task {language}", "deadline": moment(7), "settings": make_settings()}
    made = teacher.post(f"/api/groups/{group['id']}/assignments", task)["id"]
    [bot] = playing_site.members[name].get("/api/bots?mine=1")["items"]
    page.goto(f"/bots/{bot['id']}?to=/assignments/{made}")
    expect(purpose).to_contain_text(words["late"])
    expect(page.locator("[data-made-with]")).to_have_count(1)
    page.click("[data-act=use-bot]")
    page.wait_for_url(f"**/assignments/{made}")
    for elsewhere in ("//example.org/contests/1", "https://example.org/contests/1", "/contests/x"):
        page.goto(f"/bots/{bot['id']}?to={elsewhere}")
        expect(page.locator("h1")).to_have_text(f"mine {language}")
        expect(purpose).to_have_count(0)


@pytest.mark.parametrize(
    ("language", "too_few", "final"),
    [
        ("en", "It can start with two entrants or more.", "publishing tells the entrants"),
        ("zh", "至少两名参赛者才能开始。", "公布结果”会通知参赛者结果已确定"),
    ],
)
def test_a_teacher_sees_why_a_contest_cannot_start_and_what_publishing_means(
    playing_site: Site, visit: NewPage, language: str, too_few: str, final: str
) -> None:
    """In a header that has room for the brand and for their name."""
    teacher = new_teacher(organiser(playing_site))
    playing_site.members[teacher.name] = teacher
    plan = {"title": f"Empty {language}", "game": "reversi", "options": {"size": 4}}
    contest = teacher.post("/api/contests", plan)["id"]
    page = visit(language=language)
    come_in(page, playing_site, teacher.name, f"/contests/{contest}")
    expect(page.locator("[data-too-few]")).to_have_text(too_few)
    expect(page.locator("[data-act=start]")).to_be_disabled()
    for bot in ("random", "greedy"):
        teacher.post(f"/api/contests/{contest}/enter", {"bot": bot})
    page.reload()
    page.click("[data-act=start]")
    page.click("[data-act=confirm-start]")
    page.wait_for_selector("[data-act=publish]", timeout=60_000)
    expect(page.locator(".staff")).to_contain_text(final)
    shown = page.evaluate(HEADER)
    assert shown["brand"] and shown["name"] > 40 and shown["fits"], shown


@pytest.mark.parametrize(
    ("asked", "reached"),
    [("/bots/new?game=reversi", "/bots/new?game=reversi"), ("//example.org/bots", "/bots")],
)
def test_a_new_account_leads_back_to_what_needed_it(
    playing_site: Site, visit: NewPage, asked: str, reached: str
) -> None:
    organiser(playing_site)
    page = visit()
    page.goto(f"/login?to={quote(asked, safe='')}")
    page.click("a[href^='/register']")
    page.fill("[name=name]", f"comer{len(asked)}")
    page.fill("[name=password]", PASSWORD)
    page.click("form .button.main")
    page.wait_for_selector(".me")
    expect(page).to_have_url(f"{playing_site.url}{reached}")


def test_what_a_password_must_be_is_said_before_one_is_chosen(
    playing_site: Site, visit: NewPage
) -> None:
    organiser(playing_site)
    for language, hint in (("en", "8 characters or more"), ("zh", "至少 8 个字符")):
        page = visit("/register", language)
        expect(page.locator("label:has([name=password])")).to_contain_text(hint)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_links_of_a_new_account_come_when_nothing_leads_away_any_more(
    playing_site: Site, visit: NewPage, language: str
) -> None:
    """Else who follows one of them is taken back by the end of what registering does."""
    organiser(playing_site)
    page = visit(language=language)
    held: list[Route] = []
    page.route("**/api/me", lambda route: hold_change(route, held))
    page.goto("/register")
    page.fill("[name=name]", f"swift-{language}")
    page.fill("[name=password]", PASSWORD)
    with page.expect_request(lambda request: request.method == "PATCH"):
        page.click("form .button.main")
    pass_in(page, 500)
    expect(page.locator(".me")).to_have_count(0, timeout=1)
    held[0].continue_()
    page.wait_for_selector(".me")
    page.locator("a[href^='/bots/new']").last.click()
    pass_in(page, 500)
    assert page.evaluate("location.pathname") == "/bots/new"


def hold_change(route: Route, held: list[Route]) -> None:
    """Keep the request that changes the account; let those that read it pass."""
    if route.request.method == "PATCH":
        held.append(route)
    else:
        route.continue_()
