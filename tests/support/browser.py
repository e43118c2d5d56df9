"""A real browser for tests: Debian's Chromium, driven by Playwright.

Playwright's synchronous interface keeps an event loop running in the main thread for as long as it
lives, which would disturb other modules' asynchronous code, Dask's among it. Within such a module
a test runs a loop of its own in a thread (``in_a_loop``).
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
"""The first has no windows, and does our work in two thirds of the time."""
UNUSED = [
    # Every window makes a page for what is typed into the address bar, which nobody ever sees here;
    # it takes twice the work of our own page.
    *("WebUIOmniboxPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxAimPopup"),
    # Chromium heeds one list only, so ours repeats what Playwright leaves out.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "OptimizationHints", "NetworkTimeServiceQuerying"),
    *("AimEnabled", "PreconnectToSearch"),
    # A process for a page that might be asked for next, or that was left, is never used.
    *("SpareRendererForSitePerProcess", "BackForwardCache", "ProactivelySwapBrowsingInstance"),
]
"""Features of Chromium that only cost time."""
FEW_PROCESSES = [
    "--in-process-gpu",
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
]
"""Every process costs a tenth of a second, and there is one site to be seen."""


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: apt install chromium-headless-shell")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                *("--no-sandbox", "--disable-gpu", *FEW_PROCESSES),
                f"--disable-features={','.join(UNUSED)}",
            ],
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, whether or not a browser has a loop in this thread."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()
