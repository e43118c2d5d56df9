"""What a test does to a window of the browser must not reach the tests after it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page

from tests.support.page_server import Windows, pages_of
from tests.support.page_site import Site

PHONE = {"width": 390, "height": 844}
ALTERATIONS: dict[str, Callable[[Page], object]] = {
    "size": lambda page: page.set_viewport_size(PHONE),  # type: ignore[arg-type]
    "medium": lambda page: page.emulate_media(media="print"),
    "socket": lambda page: page.route_web_socket("**", lambda line: None),
    "script": lambda page: page.context.add_init_script("window.told = true"),
}


def test_a_window_left_as_it_was_is_used_again(browser: Browser, site: Site) -> None:
    unused: Windows = {}
    for _ in range(2):
        test = pages_of(browser, site, unused)
        page = next(test)()
        page.goto("/health")
        assert page.evaluate("localStorage.length") == 0
        page.evaluate("localStorage.setItem('language', 'zh')")
        assert next(test, None) is None
    [[window]] = unused.values()
    assert window.page is page
    page.context.close()


@pytest.mark.parametrize("what", ALTERATIONS)
def test_an_altered_window_is_closed(browser: Browser, site: Site, what: str) -> None:
    unused: Windows = {}
    test = pages_of(browser, site, unused)
    page = next(test)()
    ALTERATIONS[what](page)
    assert next(test, None) is None
    assert page.is_closed() and not unused
