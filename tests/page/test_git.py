"""The tab *Git* of a bot: its address, its pushes, and a repository elsewhere."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.support.accounts import GOOD, upload
from tests.support.git_client import Clone, git_address, make_token, need_git
from tests.support.page_accounts import come_in, member
from tests.support.page_server import PUBLIC_URL, NewPage
from tests.support.page_site import Site

need_git()


def test_pushes_are_shown_and_a_repository_elsewhere_is_connected(
    playing_site: Site, visit: NewPage, tmp_path: Path
) -> None:
    name = "gita"
    ann = member(playing_site, name)
    bot = upload(ann, GOOD)
    page = visit()
    come_in(page, playing_site, name, f"/bots/{bot['id']}?tab=git")
    expect(page.locator(".sheet")).to_contain_text("Nothing has been pushed yet.")
    shown = page.get_by_label("Address of the repository").input_value()
    assert shown == f"{playing_site.url}/git/{bot['id']}/{bot['name']}.git"
    expect(page.locator("pre")).to_contain_text(f"git remote add arena {shown}")
    page.check("[name=ladder]")
    clone = Clone.make(tmp_path, {"bot.py": GOOD}, subject="Take corners first")
    address = git_address(ann, bot["id"], make_token(ann))
    assert "it plays on the ladder now" in clone.git("push", address, "main")
    clone.git("push", address, "HEAD:feature", fails=True)
    page.reload()
    expect(page.locator("[data-push]")).to_have_count(2)
    refused, taken = page.locator("[data-push]").all()
    expect(refused).to_contain_text("only the branches main and master and tags become versions")
    expect(taken).to_contain_text(re.compile(r"main.*ready.*Version 2.*Take corners first", re.S))
    page.fill("[name=url]", "https://127.0.0.1/ann/zealot.git")
    page.click("form .button.main")
    expect(page.locator("[role=alert]")).to_contain_text("has no public address")
    page.fill("[name=url]", "https://8.8.8.8/ann/zealot.git")
    page.fill("[name=token]", "host-token")
    page.click("form .button.main")
    assert len(page.get_by_label("Secret of the webhook").input_value()) > 30
    hook = page.get_by_label("Address of the webhook").input_value()
    assert hook == f"{PUBLIC_URL}/api/webhooks/{bot['id']}"
    page.reload()
    expect(page.locator("[data-act=untie]")).to_be_visible()
    assert page.get_by_label("Secret of the webhook").count() == 0
    assert "host-token" not in page.content()
    page.click("[data-act=untie]")
    page.click("[data-act=untie]")
    expect(page.locator("[name=url]")).to_be_visible()
    page.goto(f"/bots/{bot['id']}")
    expect(page.locator("[data-version='2']")).to_contain_text(f"commit {clone.head[:8]}")
    page = visit(language="zh")
    come_in(page, playing_site, name, f"/bots/{bot['id']}?tab=git")
    expect(page.locator(".sheet")).to_contain_text("最近的推送")
    expect(page.locator("[data-push=refused]")).to_contain_text("只有 main、master 分支和标签")
