"""People with accounts, in front of the page."""

from playwright.sync_api import Page

from tests.support.accounts import PASSWORD
from tests.support.accounts import Person as Member
from tests.support.accounts import register as register_by_program
from tests.support.page_site import Site
from tests.support.site import Site as ApiSite

ORGANISER = "Olga"
BUGGY = """import random


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        moves = position.legal(self.seat)
        return random.choise(moves)
"""
"""A slip of the pen in its last line."""
SLIP = 10
CURE = "return random.choice(moves)"
FIXED = BUGGY.replace("choise", "choice")


def api_site(site: Site) -> ApiSite:
    """The same server, for programs."""
    return ApiSite(int(site.url.rsplit(":", 1)[1]), None, site.home)  # type: ignore[arg-type]


def organiser(site: Site) -> Member:
    """Olga, who made the first account; her ladders leave the machine to others soon."""
    if ORGANISER not in site.members:
        olga = site.members[ORGANISER] = register_by_program(api_site(site), ORGANISER)
        tiny = {"ladder_options": {"reversi": {"size": 4}}, "ladder_house": {"reversi": ["random"]}}
        brief = {"ladder_enough": 250, **tiny}
        olga.post("/api/admin/settings", brief, "PATCH")
    return site.members[ORGANISER]


def member(site: Site, name: str) -> Member:
    """Somebody new; from then on ``site.members[name]``."""
    organiser(site)
    site.members[name] = register_by_program(api_site(site), name)
    return site.members[name]


def register(page: Page, name: str, address: str = "/register") -> None:
    """On the page."""
    page.goto(address)
    page.fill("[name=name]", name)
    page.fill("[name=password]", PASSWORD)
    page.click("form .button.main")
    page.wait_for_selector(".me")


def log_in(page: Page, name: str, to: str = "/bots") -> None:
    """On the page."""
    page.goto(f"/login?to={to}")
    page.fill("[name=name]", name)
    page.fill("[name=password]", PASSWORD)
    page.click("form .button.main")
    page.wait_for_selector(".me")


def come_in(page: Page, site: Site, name: str, to: str = "/bots") -> None:
    """A member who has logged in before."""
    cookie = site.members[name].cookie
    page.context.add_cookies([{"name": "ludus", "value": cookie, "url": site.url}])
    page.goto(to)
    page.wait_for_selector(".me")


def new_bot(page: Page, name: str, code: str, game: str = "reversi") -> None:
    """Upload a file; the page then shows the bot."""
    page.goto(f"/bots/new?game={game}")
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": code.encode()}
    page.set_input_files("[data-upload=files]", file)  # type: ignore[arg-type]
    page.fill("[name=name]", name)
    page.click("form .button.main")
    page.wait_for_selector("[data-version='1']")


def rewrite(page: Page, line: int, text: str) -> None:
    """Another text for a line in the editor."""
    page.wait_for_selector("[data-editor=ready]")
    page.locator(".cm-line").nth(line - 1).click()
    page.keyboard.press("End")
    page.keyboard.press("Shift+Home")
    page.keyboard.type(text)
