"""A seminar: a teacher replays a bout without names, and others follow on their own screens."""

from playwright.sync_api import Page, expect

from tests.support.blundered_bout import BLUNDER, play_with_a_blunder, shapes_on
from tests.support.page_accounts import ORGANISER, come_in, organiser
from tests.support.page_server import PUBLIC_URL, NewPage
from tests.support.page_site import Site, at_step

PHONE = {"width": 390, "height": 844}


def open_seminar(page: Page, site: Site) -> str:
    """Open one from the page of a bout; its code."""
    play_with_a_blunder(site.home, "for-all")
    organiser(site)
    come_in(page, site, ORGANISER, "/watch/for-all")
    expect(page.locator(".players")).to_contain_text("First")
    page.click("[data-present]")
    page.wait_for_url("**/seminar/*")
    return page.url.rsplit("/", 1)[1]


def test_followers_go_where_the_leader_goes_and_may_look_around(
    playing_site: Site, visit: NewPage
) -> None:
    leader = visit(language="en")
    code = open_seminar(leader, playing_site)
    phone = visit(language="zh")
    phone.set_viewport_size(PHONE)  # type: ignore[arg-type]
    phone.goto(f"/seminar/{code.lower()}")
    seat = visit(f"/seminar/{code}", language="en")
    followers = (phone, seat)
    for page in (leader, *followers):
        expect(page.locator("[data-code]")).to_have_text(code)
        expect(page.locator("[data-followers]")).to_have_attribute("data-followers", "2")
        expect(page.locator(".players")).not_to_contain_text("First")
        expect(page.locator("main")).not_to_contain_text("Last")
    leader.click("[data-invite]")
    address = f"{PUBLIC_URL}/seminar/{code}"
    expect(leader.get_by_label(f"QR code: {address}")).to_be_visible()
    assert leader.locator("[data-dialog]").evaluate("one => one.scrollHeight <= innerHeight")
    leader.keyboard.press("Escape")
    expect(phone.locator("main")).to_contain_text("姓名已隐藏")

    expect(leader.locator("[name=analysis]")).not_to_be_checked()
    leader.click("[data-mistake-after]")
    for page in (leader, *followers):
        at_step(page, BLUNDER)
    for page in followers:  # what comes is not told before
        expect(page.locator(".move:not(.gap)")).to_have_count(BLUNDER)
        expect(page.locator(".players .tag.win")).to_have_count(0)
    expect(leader.locator(".players .tag.win")).to_have_count(1)
    for page in followers:
        expect(page.locator("[data-analysis]")).to_have_count(0)
    leader.check("[name=analysis]")
    for page in (leader, *followers):
        expect(page.locator("[data-judged=blunder]")).to_be_visible()
        shapes_on(page, 2)
    board = leader.locator(".board canvas")
    box = board.bounding_box()
    assert box is not None
    board.click(position={"x": box["width"] / 2 + 5, "y": box["height"] / 2 + 5})
    for page in (leader, *followers):
        shapes_on(page, 3)
    leader.click("[data-clear]")
    leader.uncheck("[name=analysis]")
    for page in followers:
        expect(page.locator("[data-analysis]")).to_have_count(0)
        shapes_on(page, 0)

    # The leader's own page still has it, the projector's has what all see.
    expect(leader.locator("[data-analysis]")).to_be_visible()
    leader.click("[href$='projector=1']")
    expect(leader.locator("[data-analysis]")).to_have_count(0)
    expect(leader.locator("[data-judged]")).to_have_count(0)
    shapes_on(leader, 0)
    leader.check("[name=analysis]")
    expect(leader.locator("[data-judged=blunder]")).to_be_visible()
    leader.uncheck("[name=analysis]")
    leader.click(f"[href$='/seminar/{code}']")

    seat.keyboard.press("]")
    at_step(seat, BLUNDER + 1)
    leader.keyboard.press("Home")
    at_step(phone, 0)
    expect(seat.locator("[data-follow]")).to_be_visible()
    at_step(seat, BLUNDER + 1)
    seat.click("[data-follow]")
    at_step(seat, 0)
    leader.keyboard.press("]")
    at_step(seat, 1)
    leader.reload()
    at_step(leader, 1)
    wide = phone.evaluate("document.documentElement.scrollWidth")
    assert wide <= phone.evaluate("innerWidth"), "nothing sticks out on a phone"

    leader.click("[data-act=end]")
    leader.click("[data-act=end]")
    expect(seat.locator("main")).to_contain_text("This seminar is over")
    expect(phone.locator("main")).to_contain_text("这次讲评已结束")
