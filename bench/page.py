"""A bout of 4000 steps on the page: how smoothly is it scrubbed?

    .venv/bin/python -m bench.page

Pictures a second while the timeline is dragged, beside those of the same page at rest, in the same
browser: a share near 1 means that nobody sees a difference.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.match import record as records
from ludus.match.referee import play
from ludus.server.serve import ThreadedServer, listen
from ludus.server.state import ServerSettings, ServerState
from tests.support.browser import chromium
from tests.support.page_site import at_step

STEPS = 4000
TRIES = 9
RATE = """async ({ scrub, length }) => {
  const slider = document.querySelector("input[type=range]");
  const tick = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await tick();
  const began = performance.now();
  let frames = 0;
  while (performance.now() - began < 1000) {
    if (scrub) {
      slider.value = Math.floor(((frames * 0.6180339) % 1) * length);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
    await tick();
    frames++;
  }
  return frames;
}"""


def rate(page: Page, scrub: bool) -> float:
    return float(page.evaluate(RATE, {"scrub": scrub, "length": STEPS}))


def save_long_bout(path: Path) -> None:
    game = get("paperio")
    bots = [resolve_bot("go_round", game) for _ in game.seats]
    record = play(game, game.Options.parse({}), 3, [create_player(bot, game) for bot in bots])
    assert len(record.moves) == STEPS
    records.save(record, path)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LUDUS_HOME"] = folder
        save_long_bout(Path(folder) / "records" / "long-01.ludus")
        state = ServerState(ServerSettings(demo=False))
        with ThreadedServer(state, listen()) as server, chromium() as browser:
            page = browser.new_page()
            page.goto(f"{server.url}/watch/long-01")
            at_step(page, 0)
            shares = [rate(page, scrub=True) / rate(page, scrub=False) for _ in range(TRIES)]
    print(f"scrubbing / at rest: median {statistics.median(shares):.2f}, best {max(shares):.2f}")


if __name__ == "__main__":
    main()
