"""How soon the page shows what a judge thinks of a bout.

    .venv/bin/python -m bench.analysis_page [GAME …] [times=5] [pause=1] [wait=0]

For each game a bout of the house's players is opened in Chromium, and after ``pause`` seconds its
tab "Analysis" is clicked. Timed is, in the page, from the click until the first judged scores are
drawn, and until the first sign (``??``) of a move is in the list, where there is one. Each bout is
another one, so nothing is known of it. The milliseconds until the first scores are told apart:
until the server has answered that it judges, until its first result has come, until it is drawn.
With ``wait=1`` the next bout is opened only when the one before is judged thoroughly.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

import ludus
from tests.support.browser import chromium
from tests.support.page_server import serving
from tests.support.page_site import Site
from tests.support.shared_caches import PLACE

PLAYERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "reversi": ("greedy", "random", {}),
    "ataxx": ("greedy", "random", {}),
    "tablut": ("random", "random", {}),
    "duel2048": ("random", "random", {"rounds": 100}),
    "eraser": ("random", "random", {}),
    "paperio": ("hunter", "random", {}),
}
CLICK = """() => new Promise((resolve) => {
  const began = performance.now();
  const found = {};
  const look = () => {
    const now = performance.now() - began;
    if (!found.scores && document.querySelector("[data-analysis] canvas")) {
      found.scores = now;
      const asked = performance
        .getEntriesByType("resource")
        .filter((each) => each.name.includes("/analysis") && each.startTime >= began)
        .map((each) => each.responseEnd - began);
      found.asked = asked.at(-2) ?? 0;
      found.came = asked.at(-1) ?? 0;
    }
    if (!found.sign && document.querySelector("[data-mark]")) found.sign = now;
    const over = document.querySelector("[data-analysis=complete], [data-analysis=failed]");
    if ((found.scores && found.sign) || over) resolve(found);
    else requestAnimationFrame(look);
  };
  document.querySelector("[data-tab=analysis]").click();
  look();
})"""


def measure(
    browser: Browser, site: Site, name: str, times: int, pause: float, wait: bool
) -> dict[str, Any]:
    """Seconds until the first scores and the first sign, one of each for every bout."""
    first, second, options = PLAYERS[name]
    found: dict[str, Any] = {"scores": [], "sign": [], "asked": [], "came": []}
    for seed in range(times):
        played = ludus.play(name, first, second, seed=seed, options=options)
        played.save(site.home / "records" / f"{name}-{seed}.ludus")
        page = browser.new_page()
        page.goto(f"{site.url}/watch/{name}-{seed}")
        page.wait_for_selector("[data-tab=analysis]")
        time.sleep(pause)
        for key, value in page.evaluate(CLICK).items():
            found[key].append(value / 1000)
        if wait:
            page.wait_for_selector("[data-analysis=complete]", timeout=120_000)
        page.close()
    return found


def describe(seconds: list[float]) -> str:
    if not seconds:
        return "–"
    return f"{statistics.median(seconds):.2f} ({min(seconds):.2f} – {max(seconds):.2f})"


def describe_parts(found: dict[str, Any]) -> str:
    """The medians of the parts, in milliseconds."""
    rows = zip(found["asked"], found["came"], found["scores"], strict=True)
    parts = [(asked, came - asked, drawn - came) for asked, came, drawn in rows]
    return " + ".join(f"{1000 * statistics.median(part):.0f}" for part in zip(*parts, strict=True))


def main(arguments: list[str]) -> None:
    settings = {"times": 5.0, "pause": 1.0, "wait": 0.0}
    for each in [each for each in arguments if "=" in each]:
        name, _, value = each.partition("=")
        settings[name] = float(value)
    names = [each for each in arguments if "=" not in each] or list(PLAYERS)
    print(
        "| game | first scores, s | asked + judged + drawn, ms | first sign of a move, s |",
        "|---|---|---|---|",
        sep="\n",
    )
    os.environ.setdefault(PLACE, tempfile.gettempdir())
    with (
        tempfile.TemporaryDirectory() as home,
        serving(Path(home), "--no-demo") as site,
        chromium() as browser,
    ):
        for name in names:
            times, wait = int(settings["times"]), bool(settings["wait"])
            found = measure(browser, site, name, times, settings["pause"], wait)
            scores, sign = describe(found["scores"]), describe(found["sign"])
            print(f"| {name} | {scores} | {describe_parts(found)} | {sign} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
