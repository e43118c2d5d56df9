"""A contest on a projector: before it, while stored and live bouts are shown, and at its end."""

import time

import msgspec
from playwright.sync_api import Page, Response, Route, expect

from ludus.contest.bout_facts import BoutFacts
from ludus.contest.ledger import Ledger
from ludus.contest.model import Entrant
from ludus.contest.settings import parse_contest_settings
from ludus.server.contests.contest_results import describe_tables
from tests.support.accounts import checked, upload
from tests.support.contests import by_name, names
from tests.support.page_accounts import FIXED, come_in, member, organiser
from tests.support.page_server import PUBLIC_URL, NewPage
from tests.support.page_site import Site, pass_in, until, wait_for

SLOW = """import time


class Bot:
    def start(self, seat, position):
        self.seat, self.waits = seat, 2 if position.size == 4 else 0

    def move(self, position, clock):
        self.waits -= 1
        time.sleep(5 if self.waits >= 0 else 0)
        return position.legal(self.seat)[0]
"""
"""Slow enough to be watched live, on a busy machine too."""
PACE = 8
"""How much faster than for people these shows are."""
REMEMBER_TOASTS = """() => {
  window.told = "";
  const toast = document.querySelector(".toast");
  new MutationObserver(() => (told += toast.textContent)).observe(toast, {
    childList: true, characterData: true, subtree: true,
  });
}"""
"""They are shown for a while only."""


def plan(site: Site, title: str, *bots: str | int, **more: object) -> str:
    """A contest on a tiny board; its address."""
    staff = organiser(site)
    wish = {"title": title, "game": "reversi", "options": {"size": 4}, "match": {"bouts": 2}}
    contest = f"/contests/{staff.post('/api/contests', {**wish, **more})['id']}"
    for bot in bots:
        staff.post(f"/api{contest}/enter", {"bot": bot})
    return contest


def start(site: Site, contest: str) -> None:
    organiser(site).post(f"/api{contest}/start")


def is_over(site: Site, contest: str) -> bool:
    return bool(organiser(site).get(f"/api{contest}")["state"] == "over")


def test_a_waiting_screen_a_show_and_a_podium(playing_site: Site, visit: NewPage) -> None:
    """Bots quicker than eyes: their bouts are played again, and only then the results are told."""
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7000))
    bots = ("random", "greedy", "random", "greedy")
    contest = plan(playing_site, "开放日", *bots, format="knockout", starts=soon)
    page = visit(f"{contest}/wall?pace={PACE}", "zh")
    expect(page.locator("[role=timer]")).to_contain_text("1:5")
    expect(page.locator(".names li")).to_have_count(4)
    code = page.locator("svg[role=img]")
    expect(code).to_have_attribute("aria-label", f"二维码：{PUBLIC_URL}{contest}")
    spoiled = visit(f"{contest}/wall?pace=0.1&results=now")
    start(playing_site, contest)
    page.wait_for_selector(".board.large[data-live=false] canvas")
    expect(page.locator(".caption")).to_contain_text("半决赛")
    first = page.get_attribute(".board.large", "data-film")
    wait_for(lambda: is_over(playing_site, contest), 60)
    expect(spoiled.locator("[data-node] .won")).to_have_count(4)  # at once, as was wished
    assert spoiled.locator(".board.large.over").count() == 0
    page.wait_for_selector(f".board.large:not([data-film='{first}'])")
    expect(page.locator("[data-place='1'] .champion")).not_to_be_empty(timeout=150_000)
    expect(page.locator("[data-place='1'] .title")).to_have_text("冠军")
    expect(page.locator("header .badge")).to_have_text("已结束")
    page.click("[data-act=replay]")
    expect(page.locator("[data-node] .won")).to_have_count(0)
    page.wait_for_selector(".board.large[data-live=false] canvas")
    expect(page.locator("header .badge")).to_have_text("回放")
    page.click("[data-act=podium]")
    expect(page.locator("[data-place='1'] .champion")).not_to_be_empty()
    expect(page.locator("[data-act=podium]")).to_have_count(0)


def test_results_wait_until_their_bout_was_shown(playing_site: Site, visit: NewPage) -> None:
    contest = plan(playing_site, "held back", "random", "greedy")
    page = visit(f"{contest}/wall?pace=0.5")
    expect(page.locator(".clock")).to_have_text("Waiting for the start")
    start(playing_site, contest)
    page.wait_for_selector(".board.large canvas")
    wait_for(lambda: is_over(playing_site, contest), 60)
    page.reload()  # a projector goes on where it was
    page.wait_for_selector(".board.large canvas")
    page.wait_for_selector("tbody tr")
    assert {text.split()[-1] for text in page.locator("tbody tr").all_inner_texts()} == {"0"}
    expect(page.locator("[data-held]")).to_have_text("Results follow the show.")
    expect(page.locator("[data-shown]")).to_have_text("shown 0 of 2 bouts")
    page.click("[aria-label='Settings of the show']")
    page.uncheck("[name=results]")
    page.wait_for_url("**/wall?pace=0.5&results=now")
    until(page, "document.querySelector('tbody tr').innerText.split(/\\s+/).at(-1) === '2'")
    expect(page.locator("figure svg path")).to_have_count(2)
    expect(page.locator("[data-held]")).to_have_count(0)


RACE = """() => {
  const rows = [...document.querySelectorAll("tbody tr")].map((row) => row.cells);
  const paths = [...document.querySelectorAll("figure svg path")];
  const table = Object.fromEntries(rows.map((row) => [row[1].innerText, row[2].innerText]));
  const chart = Object.fromEntries(paths.map((path) => [
    path.dataset.entrant, [path.dataset.points, path.getAttribute("class")]]));
  const labels = [...document.querySelectorAll("figure svg text")];
  const inside = labels.every((text) => Number(text.getAttribute("y")) <= 130);
  return { table, chart, inside };
}"""


def test_the_chart_counts_what_the_table_counts(playing_site: Site, visit: NewPage) -> None:
    """The same points of the same bouts, and a colour for each entrant that stays theirs."""
    contest = plan(playing_site, "race", "random", "greedy", "greedy")
    page = visit(f"{contest}/wall?pace={PACE}", "zh")
    expect(page.locator(".clock")).to_have_text("等待开始")
    start(playing_site, contest)
    page.wait_for_selector("tbody tr")
    titles = {"随机": "random", "贪心": "greedy", "贪心 (2)": "greedy (2)"}
    colours: dict[str, str] = {}
    deadline = time.monotonic() + 150
    while not page.locator(".podium").count():
        assert time.monotonic() < deadline, "the show of the contest has not come to its podium"
        seen = page.evaluate(RACE)
        points = {titles[name]: each for name, each in seen["table"].items()}
        assert seen["inside"], "names stay in their panel"
        for name, (counted, colour) in seen["chart"].items():
            assert counted == points[name], seen
            assert colours.setdefault(name, colour) == colour
        page.wait_for_timeout(40)
    assert len(set(colours.values())) == 3
    page.reload()  # what came before is asked for
    expect(page.locator("figure svg path")).to_have_count(3)
    until(page, "document.querySelector('figure svg path').getAttribute('d').split('L').length > 2")
    assert {name: each[1] for name, each in page.evaluate(RACE)["chart"].items()} == colours


def test_a_wall_gives_nothing_away(playing_site: Site, visit: NewPage) -> None:
    """Neither by a notice for the person at its computer, nor before results are published."""
    member(playing_site, "kay")
    bot = upload(playing_site.members["kay"], FIXED.encode(), game="reversi", name="kays")
    checked(playing_site.members["kay"], bot["versions"][0]["id"])
    contest = plan(playing_site, "secret", "random", hidden_until_published=True)
    playing_site.members["kay"].post(f"/api{contest}/enter", {"bot": bot["id"]})
    wall, page = visit(), visit()
    refused: list[str] = []

    def hear(answer: Response) -> None:
        if answer.status == 404:
            refused.append(answer.url)

    wall.on("response", hear)
    page.on("response", hear)
    come_in(page, playing_site, "kay", contest)
    page.wait_for_selector("h1")
    cookie = playing_site.members["kay"].cookie
    wall.context.add_cookies([{"name": "ludus", "value": cookie, "url": playing_site.url}])
    wall.goto(f"{contest}/wall")
    expect(wall.locator(".clock")).to_have_text("Waiting for the start")
    for one in (wall, page):
        one.evaluate(REMEMBER_TOASTS)
    start(playing_site, contest)
    wait_for(lambda: is_over(playing_site, contest), 60)
    expect(wall.locator(".rest")).to_have_text("Results will be shown once they are published.")
    expect(wall.locator("header .badge")).to_have_text("finished")
    expect(page.locator("[data-state]")).to_have_attribute("data-state", "over")
    wait_for(lambda: "secret" in page.evaluate("told"))
    assert wall.evaluate("told") == ""
    page.goto(f"{contest}?tab=tables")
    expect(page.locator(".empty")).to_contain_text("once they are published")
    wall.wait_for_timeout(3500)  # longer than it waits before it asks for news
    assert refused == []
    organiser(playing_site).post(f"/api{contest}/publish")
    wall.wait_for_selector(".podium, .board.large")
    assert refused == []


def test_a_contest_that_waits_for_workers_says_so(playing_site: Site, visit: NewPage) -> None:
    """From the projector that its page leads to before it begins."""
    contest = plan(playing_site, "排队", "random", "greedy")
    page = visit(contest, "zh")
    page.get_by_role("link", name="大屏").click()
    expect(page.locator(".clock")).to_have_text("等待开始")
    seen = organiser(playing_site).get(f"/api{contest}")
    assert seen["waits_for_workers"] is False
    waiting = {**seen, "state": "running", "waits_for_workers": True}
    page.route(f"**/api{contest}", lambda route: route.fulfill(json=waiting))
    page.reload()
    expect(page.locator(".rest")).to_have_text("所有工作进程都在进行其他对局，请稍候……")


def test_a_bout_that_is_slow_enough_is_shown_live(playing_site: Site, visit: NewPage) -> None:
    sloth = member(playing_site, "sloth")
    bot = upload(sloth, SLOW.encode(), game="reversi", name="sloths")
    checked(sloth, bot["versions"][0]["id"])
    contest = plan(playing_site, "slow night", "greedy", match={"bouts": 1}, openings="none")
    sloth.post(f"/api{contest}/enter", {"bot": bot["id"]})
    page, late = visit(f"{contest}/wall", "zh"), visit(f"{contest}/wall?delay=5")
    start(playing_site, contest)
    page.wait_for_selector(".board.large[data-live=true] canvas")
    expect(page.locator(".caption .badge")).to_have_text("直播")
    assert late.locator(".board canvas").count() == 0
    late.wait_for_selector(".board.large canvas")
    page.wait_for_selector(".podium")
    assert page.locator(".board").count() == 0, "it is not shown a second time"


def test_a_live_final_waits_until_its_semi_finals_were_shown(
    playing_site: Site, visit: NewPage
) -> None:
    """Who plays in it is a result, too; where results come at once, so does the final."""
    staff = organiser(playing_site)
    bot = upload(staff, SLOW.encode(), game="reversi", name="finalist")
    checked(staff, bot["versions"][0]["id"])
    match = {"bouts": 1}
    contest = plan(
        playing_site, "finals", bot["id"], "random", "greedy", format="knockout", match=match
    )
    page = visit(f"{contest}/wall?pace=0.1")
    at_once = visit(f"{contest}/wall?pace=0.1&results=now")
    start(playing_site, contest)
    page.wait_for_selector(".board.large[data-live=false] canvas")
    at_once.wait_for_selector(".board[data-live=true] canvas")
    pass_in(page, 500)
    assert page.locator(".board[data-live=true]").count() == 0
    assert page.locator(".board.large.over").count() == 0


def bracket(entrants: int, form: str, rounds: int) -> bytes:
    """The tables of a knockout after so many rounds, as the server answers them."""
    settings = {"name": "cup", "game": "reversi", "match": {"bouts": 1}, "format": {"name": form}}
    field = [Entrant(name) for name in names(entrants)]
    ledger = Ledger(parse_contest_settings(settings, "test"), field)
    for _ in range(rounds):
        for pairing in list(ledger.open_pairings()):
            won = by_name(pairing)
            facts = BoutFacts(
                number=0,
                seed=1,
                names=pairing.entrants,
                scores=(1.0 - won, float(won)),
                figures=(40.0, 24.0),
                cpu=(0.1, 0.1),
                wall=(0.1, 0.1),
                verdict="rules",
                reason={},
                faults=(),
                hung=False,
                plies=60,
                began="2026-01-01T00:00:00+00:00",
            )
            ledger.add(pairing, facts)
    return msgspec.json.encode(describe_tables(ledger, {}))


OUTSIDE = """() => {
  const box = document.querySelector(".second").getBoundingClientRect();
  const edge = Math.min(box.bottom, innerHeight) + 1;
  return [...document.querySelectorAll("[data-node], .bracket h3")]
    .map((one) => one.getBoundingClientRect())
    .filter((one) => one.right > box.right + 1 || one.bottom > edge || one.left < box.left - 1)
    .length;
}"""
READABLE = 10.5
"""Pixels of letters, on the smaller screen."""


SCREENS = [(1920, 1080), (1280, 720)]


def test_brackets_of_any_size_fit_the_screen(playing_site: Site, visit: NewPage) -> None:
    """Both sides of a double elimination too, while boards are shown beside them; also once the
    window has another size."""
    contest = plan(playing_site, "large", "random", "greedy", match={"bouts": 1})
    start(playing_site, contest)
    wait_for(lambda: is_over(playing_site, contest), 60)
    page = visit(viewport={"width": 1920, "height": 1080})
    answer = b""
    page.route("**/tables*", lambda route: give(route, answer))
    for number, (form, entrants, rounds) in enumerate(
        (
            *(("knockout", 8, 1), ("knockout", 64, 0), ("double-elimination", 8, 2)),
            *(("double-elimination", 16, 1), ("double-elimination", 33, 2)),
            *(("double-elimination", 64, 0), ("double-elimination", 64, 1)),
            ("double-elimination", 64, 99),
        )
    ):
        answer = bracket(entrants, form, rounds)
        first, second = SCREENS[:: -1 if number % 2 else 1]
        set_size(page, first)
        page.goto(f"{contest}/wall")
        page.wait_for_selector("[data-node]")
        case = (form, entrants, rounds)
        assert page.evaluate(OUTSIDE) == 0, case
        assert font_size(page) >= READABLE, case
        losers = page.locator("[data-node^=l]").count()
        assert bool(losers) == (form == "double-elimination" and rounds > 0), case
        set_size(page, second)
        until(page, f"({OUTSIDE})() === 0")
        assert font_size(page) >= READABLE, case


def set_size(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def give(route: Route, answer: bytes) -> None:
    route.fulfill(body=answer, content_type="application/json")


def font_size(page: Page) -> float:
    size = page.evaluate("getComputedStyle(document.querySelector('[data-node]')).fontSize")
    return float(size.removesuffix("px"))
