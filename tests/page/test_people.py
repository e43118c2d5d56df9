"""A person's page, comments on bouts, announcements in a class, and notices by e-mail."""

import re

from playwright.sync_api import expect

from tests.support.accounts import upload
from tests.support.page_accounts import FIXED, come_in, member, organiser
from tests.support.page_server import NewPage
from tests.support.page_site import Site, wait_for
from tests.support.smtp_server import PASSWORD, MailServer

WORDS = {
    "en": {"wins": "Best wins", "place": "place ", "hidden": "hidden by staff"},
    "zh": {"wins": "最佳战绩", "place": "名，共 ", "hidden": "已被隐藏"},
}


def test_a_persons_page_has_a_picture_ratings_and_best_wins(
    playing_site: Site, visit: NewPage
) -> None:
    member(playing_site, "champion")
    champion = playing_site.members["champion"]
    bot = upload(champion, FIXED.encode(), name="champ")
    version = bot["versions"][0]["id"]
    wait_for(lambda: champion.get(f"/api/versions/{version}")["state"] == "good", 120)
    champion.post(f"/api/bots/{bot['id']}", {"current": version}, "PATCH")
    # A ladder that has played enough for its intervals may stop before a random bot has won.
    rules = "/api/admin/settings"
    organiser(playing_site).post(rules, {"ladder_enough": 0}, "PATCH")
    wait_for(lambda: champion.get("/api/users/champion")["wins"], 120)
    wait_for(lambda: champion.get("/api/users/champion")["ratings"], 60)
    organiser(playing_site).post(rules, {"ladder_enough": 250}, "PATCH")
    drawn = set()
    for language, words in WORDS.items():
        page = visit("/u/champion", language=language)
        rating = page.locator("[data-rating=reversi]")
        expect(rating).to_contain_text(words["place"])
        expect(rating.locator("path.line")).to_have_count(1)
        expect(page.get_by_role("heading", name=words["wins"])).to_be_visible()
        expect(page.locator("[data-win] [data-bout]").first).to_be_visible()
        expect(page.locator(".bouts .players > .badge").first).to_be_visible()
        expect(page.locator(".bouts > li:not(:has(.players > .badge))")).to_have_count(0)
        drawn.add(page.locator("main [data-avatar]").first.get_attribute("data-avatar"))
    page.locator("[data-win] [data-bout]").first.click()
    page.wait_for_selector("article.bout")
    page.goto("/u/Olga")
    drawn.add(page.locator("main [data-avatar]").first.get_attribute("data-avatar"))
    assert len(drawn) == 2, "the same for a name, and another for another name"


def test_comments_and_announcements_are_plain_text_that_the_staff_moderates(
    playing_site: Site, visit: NewPage
) -> None:
    olga = organiser(playing_site)
    member(playing_site, "talker")
    talker = playing_site.members["talker"]
    bot = upload(talker, FIXED.encode(), name="talked-about")
    wait_for(lambda: talker.get(f"/api/bots/{bot['id']}")["versions"][0]["state"] == "good", 120)
    asked = {"game": "reversi", "bots": [bot["id"], "random"], "bouts": 1, "options": {"size": 4}}
    made = talker.post("/api/challenges", asked)
    wait_for(lambda: talker.get(f"/api/challenges/{made['id']}")["state"] == "over", 120)
    (bout,) = talker.get(f"/api/bots/{bot['id']}/bouts")["items"]
    writer, staff = visit(), visit(language="zh")
    come_in(writer, playing_site, "talker", f"/watch/bout-{bout['id']}")
    writer.fill("[name=post]", "<img src=x onerror=alert(1)>\nwell played")
    writer.click("[data-posts] form .button")
    post = writer.locator("[data-post]")
    expect(post.locator(".text")).to_have_text("<img src=x onerror=alert(1)>\nwell played")
    come_in(staff, playing_site, "Olga", f"/watch/bout-{bout['id']}")
    staff.click("[data-act=hide]")
    expect(staff.locator("[data-post]")).to_contain_text(WORDS["zh"]["hidden"])
    writer.reload()
    expect(post).to_contain_text(WORDS["en"]["hidden"])
    for _ in range(2):  # it asks for a second click
        writer.click("[data-post] [data-act=delete]")
    expect(post).to_have_count(0)
    group = olga.post("/api/groups", {"name": "The announced"})
    talker.post("/api/groups/join", {"code": group["code"]})
    staff.goto(f"/groups/{group['id']}")
    staff.fill("[name=post]", "教室改为 B 204")
    staff.get_by_role("button", name="发布公告").click()
    expect(staff.locator("[data-post]")).to_contain_text("教室改为 B 204")
    writer.goto(f"/groups/{group['id']}")
    expect(writer.locator("[data-posts=groups]")).to_contain_text("教室改为 B 204")
    assert writer.locator("[name=post]").count() == 0


def test_notices_come_by_mail_once_the_address_is_confirmed(
    playing_site: Site, visit: NewPage, page_mail: MailServer
) -> None:
    olga = organiser(playing_site)
    member(playing_site, "reader")
    page = visit(language="zh")
    come_in(page, playing_site, "reader", "/me")
    page.fill("[name=mail]", "reader@example.org")
    page.click("[data-mail] .button")
    expect(page.locator("[data-mail] [role=status]")).to_contain_text("reader@example.org")
    wait_for(lambda: mails_to(page_mail, "reader@example.org"), 60)
    text = mails_to(page_mail, "reader@example.org")[0]
    assert "三天内有效" in text
    page.goto(link_in(text, "confirm"))
    page.click("[data-go]")
    expect(page.locator("[data-done]")).to_contain_text("已确认")
    page.goto("/me")
    expect(page.locator("[name=mail_notices]")).to_be_checked()
    page.goto("about:blank")  # what is shown on the page counts as read and is not sent
    group = olga.post("/api/groups", {"name": "Readers"})
    playing_site.members["reader"].post("/api/groups/join", {"code": group["code"]})
    olga.post(f"/api/groups/{group['id']}/posts", {"text": "明天停课"})
    wait_for(lambda: len(mails_to(page_mail, "reader@example.org")) == 2, 60)
    text = mails_to(page_mail, "reader@example.org")[1]
    assert "Readers：明天停课" in text and f"https://ludus.example.org/groups/{group['id']}" in text
    english = visit(link_in(text, "stop"))
    english.click("[data-go]")
    expect(english.locator("[data-done]")).to_contain_text("no longer get notices")
    page.goto("/me")
    expect(page.locator("[name=mail_notices]")).not_to_be_checked()
    log = (playing_site.home / "server.log").read_text("utf-8", "replace")
    assert PASSWORD not in log and link_in(text, "stop").partition("=")[2] not in log


def mails_to(server: MailServer, address: str) -> list[str]:
    return [message.get_content() for to, message in server.taken if to == address]


def link_in(text: str, act: str) -> str:
    found = re.search(rf"https://ludus\.example\.org(/mail/{act}#code=\S+)", text)
    assert found, text
    return found[1]
