"""Nobody loses what they wrote: drafts, a question before leaving, a login that has expired."""

import time

from playwright.sync_api import Page, Route, expect

from tests.support.accounts import PASSWORD, upload
from tests.support.page_accounts import BUGGY, CURE, FIXED, SLIP, come_in, member, rewrite
from tests.support.page_server import NewPage
from tests.support.page_site import Site, wait_for

WORDS = {
    "en": {"back": "Your unsaved changes are back.", "leave": "Leave without saving?"},
    "zh": {"back": "已恢复你未保存的修改。", "leave": "不保存就离开吗？"},
}
KEPT = "() => Object.keys(localStorage).filter((key) => key.startsWith('ludus.draft.')).length"


def make_bot(site: Site, owner: str, name: str) -> int:
    """A bot with the error of ``BUGGY``, uploaded by a program."""
    return int(upload(site.members[owner], BUGGY.encode(), name=name)["id"])


def drafts_kept(page: Page, count: int) -> None:
    wait_for(lambda: page.evaluate(KEPT) == count)


def test_a_draft_survives_a_reload_and_can_be_discarded(playing_site: Site, visit: NewPage) -> None:
    for language, owner in (("en", "drafter"), ("zh", "起草人")):
        words = WORDS[language]
        member(playing_site, owner)
        bot = make_bot(playing_site, owner, f"draft-{language}")
        page = visit(language=language)
        come_in(page, playing_site, owner, f"/bots/{bot}?tab=code")
        rewrite(page, SLIP, CURE)
        drafts_kept(page, 1)
        page.once("dialog", lambda dialog: dialog.accept())  # the browser asks before it leaves
        page.reload()
        draft = page.locator("[data-draft]")
        expect(draft).to_contain_text(words["back"])
        expect(page.locator(".cm-content")).to_contain_text("random.choice(moves)")
        draft.locator("summary").click()
        expect(draft.locator(".old")).to_contain_text("random.choise")
        expect(draft.locator(".new")).to_contain_text("random.choice")
        page.locator("nav a[href='/records']").click()
        question = page.locator("[data-dialog=question]")
        expect(question).to_contain_text(words["leave"])
        question.locator("[data-answer=no]").click()
        expect(question).to_have_count(0)
        assert "tab=code" in page.url
        page.click("[data-tab=bouts]")
        question.locator("[data-answer=yes]").click()
        page.wait_for_url("**tab=bouts")
        page.goto("/bots")
        expect(page.locator(f"[data-bot='draft-{language}'] [data-drafted]")).to_be_visible()
        page.go_back()
        page.click("[data-tab=code]")
        expect(draft).to_be_visible()
        page.go_back()
        expect(question).to_be_visible()
        assert "tab=code" in page.url
        question.locator("[data-answer=yes]").click()
        page.wait_for_url("**tab=bouts")
        page.go_forward()
        page.click("[data-act=discard]")
        page.click("[data-act=discard]")
        expect(draft).to_have_count(0)
        expect(page.locator(".cm-content")).to_contain_text("random.choise(moves)")
        drafts_kept(page, 0)
        page.locator("nav a[href='/records']").click()  # nothing is unsaved, so nothing is asked
        page.wait_for_url("**/records")


def test_saving_goes_on_after_a_login_that_has_expired(playing_site: Site, visit: NewPage) -> None:
    member(playing_site, "sleeper")
    bot = make_bot(playing_site, "sleeper", "sleepy")
    page = visit(language="zh")
    come_in(page, playing_site, "sleeper", f"/bots/{bot}?tab=code")
    rewrite(page, SLIP, CURE)
    page.context.clear_cookies()
    page.set_viewport_size({"width": 1000, "height": 420})
    save = page.locator("[data-save]")
    page.evaluate("() => scrollTo(0, 0)")
    expect(save).to_be_in_viewport(ratio=1)
    save.click()
    dialog = page.locator("[data-dialog=login]")
    expect(dialog).to_contain_text("登录已过期")
    expect(dialog.locator("[name=again]")).to_have_value("sleeper")
    dialog.locator("[type=button]").click()  # not now: the error stands beside the button
    expect(page.locator(".savebar [role=alert]")).to_contain_text("请先登录")
    save.click()
    dialog.locator("[name=password]").fill("wrong password")
    dialog.locator(".main").click()
    expect(dialog.locator("[role=alert]")).to_contain_text("错误")
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.locator(".main").click()
    expect(page.locator("footer b")).to_have_text("第 2 版")
    drafts_kept(page, 0)
    page.set_viewport_size({"width": 1280, "height": 720})


def test_nothing_is_left_unsaved_by_keys_that_are_followed_by_saving_at_once(
    playing_site: Site, visit: NewPage
) -> None:
    member(playing_site, "hasty")
    bot = make_bot(playing_site, "hasty", "hasty")
    page = visit()
    come_in(page, playing_site, "hasty", f"/bots/{bot}?tab=code")
    page.wait_for_selector("[data-editor=ready]")
    page.route(f"**/api/bots/{bot}", answer_late)
    rewrite(page, SLIP, CURE)
    page.click("[data-save]")
    expect(page.locator("footer b")).to_have_text("Version 2")
    page.wait_for_timeout(600)  # longer than a draft waits for the next key
    assert page.evaluate(KEPT) == 0
    expect(page.locator("[data-elsewhere]")).to_have_count(0)


def answer_late(route: Route) -> None:
    time.sleep(1)
    route.continue_()


def test_a_new_bot_is_written_before_it_exists(playing_site: Site, visit: NewPage) -> None:
    member(playing_site, "beginner")
    page = visit()
    come_in(page, playing_site, "beginner", "/bots/new?game=reversi")
    page.check("[value=template]")
    page.fill("[name=name]", "fresh")
    rewrite(page, 1, "# written before the bot existed")
    drafts_kept(page, 1)
    page.once("dialog", lambda dialog: dialog.accept())
    page.goto("/bots/new")
    expect(page.locator("[data-draft]")).to_be_visible()
    expect(page.locator("[name=name]")).to_have_value("fresh")
    expect(page.locator(".cm-content")).to_contain_text("# written before the bot existed")
    page.get_by_role("radio", name="Ataxx").check(force=True)
    expect(page.locator("[data-foreign-game]")).to_contain_text("written for Reversi")
    expect(page.locator("[data-foreign-game]")).to_contain_text("starter code of Ataxx")
    page.get_by_role("radio", name="Reversi", exact=True).check(force=True)
    expect(page.locator("[data-foreign-game]")).to_have_count(0)
    page.click(".savebar .main")
    page.wait_for_url("**?tab=code")
    expect(page.locator(".cm-content")).to_contain_text("# written before the bot existed")
    drafts_kept(page, 0)
    page.goto("/bots/new?game=reversi")
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": FIXED.encode()}
    page.set_input_files("[data-upload=files]", file)  # type: ignore[arg-type]
    drafts_kept(page, 1)
    page.goto("/me")
    page.get_by_role("button", name="Log out").click()  # asks what is to become of drafts
    page.click("[data-answer=yes]")
    page.wait_for_url("**/")
    drafts_kept(page, 0)
