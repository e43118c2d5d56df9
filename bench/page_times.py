"""How soon a bout opens from a list, and how quick lists of 5,000 rows are, in Chromium.

    .venv/bin/python -m bench.page_times [TIMES] [ROWS]

Bouts: for each game TIMES (5) bouts of house bots lie in the list of records; each row is clicked,
and timed is, in the page, from the click until the board has been drawn. One bout of each game was
opened before, so that the page has its code.

Lists: a club of ROWS (5,000) accounts in one class, as many bots on a ladder (whose answer is made
here), and a contest with about as many bouts. Timed is, in the page, from the click on a link until
the first rows have been painted, then from "Show more" until the next ones have; and the longest
picture while all is scrolled through. All are medians of TIMES, with the slowest; the server runs
on the same machine.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

import msgspec
import sqlalchemy as sql
from playwright.sync_api import Browser, Page

import ludus
from bench.analysis_page import PLAYERS
from ludus.scheduling.migrate import open_database
from ludus.scheduling.schema import (
    ContestRow,
    GroupMemberRow,
    UserRow,
)
from ludus.server.contests.contest_schemas import LadderBot, LadderInfo, LadderRow
from ludus.server.records.bout_schemas import OwnerInfo, VersionLink
from tests.support.browser import chromium
from tests.support.large_club import LargeClub, Size
from tests.support.page_accounts import ORGANISER, come_in, organiser
from tests.support.page_server import serving
from tests.support.page_site import Site, follow_link
from tests.support.shared_caches import PLACE

FIRST = 1000
"""The ids of the club's rows."""
PAINTED = """
  const frame = () => new Promise(requestAnimationFrame);
  const deadline = performance.now() + 30_000;
  const until = async (done) => {
    while (!done()) {
      if (performance.now() > deadline) throw new Error("not within 30 s");
      await frame();
    }
    await frame();
  };
"""
OPEN = f"""async (href) => {{{PAINTED}
  const row = document.querySelector(`a[href="${{href}}"]`);
  const began = performance.now();
  row.click();
  await until(() => document.querySelector("canvas[data-grid]"));
  return performance.now() - began;
}}"""
FOLLOW = f"""async ([address, rows]) => {{{PAINTED}
  const link = document.createElement("a");
  link.href = address;
  document.body.append(link);
  const began = performance.now();
  link.click();
  link.remove();
  await until(() => document.querySelectorAll(rows).length > 1);
  return performance.now() - began;
}}"""
MORE = f"""async (rows) => {{{PAINTED}
  const before = document.querySelectorAll(rows).length;
  const began = performance.now();
  document.querySelector("[data-more]").click();
  await until(() => document.querySelectorAll(rows).length > before);
  return performance.now() - began;
}}"""
SCROLL = f"""async () => {{{PAINTED}
  const bottom = document.documentElement.scrollHeight;
  let longest = 0, last = performance.now();
  for (let step = 0; step <= 60; step++) {{
    scrollTo(0, (bottom * step) / 60);
    await frame();
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last), now];
  }}
  scrollTo(0, 0);
  return longest;
}}"""


def describe(milliseconds: list[float]) -> str:
    return f"{statistics.median(milliseconds):.0f} ms (slowest {max(milliseconds):.0f})"


def measure_bouts(browser: Browser, site: Site, times: int) -> None:
    for name, (first, second, options) in PLAYERS.items():
        for seed in range(times + 1):
            played = ludus.play(name, first, second, seed=seed, options=options)
            played.save(site.home / "records" / f"{name}-{seed}.ludus")
    page = browser.new_page()
    page.goto(f"{site.url}/records")
    for name in PLAYERS:
        spent = [open_bout(page, f"{name}-{seed}") for seed in range(times + 1)]
        print(f"{name}: a bout opens in {describe(spent[1:])}")


def open_bout(page: Page, film: str) -> float:
    page.locator("a[href^='/watch/']").first.wait_for()
    link = page.locator(f"a[href='/watch/{film}']")
    while not link.count():
        page.locator("[data-more]").click()
        page.wait_for_timeout(100)
    spent = float(page.evaluate(OPEN, f"/watch/{film}"))
    follow_link(page, "/records")
    return spent


def fill_club(site: Site, rows: int) -> int:
    """A class of so many people and a contest of so many bouts; returns the contest."""
    [path] = site.home.glob("*.db")
    engine = open_database(str(path))
    with engine.begin() as connection:
        size = Size(people=rows, bots=2 * rows, contests=1, challenges=0, tests=0, bouts=3 * rows)
        LargeClub(size, first_id=FIRST).fill(connection)
        values = {"state": "over", "hidden": False, "group_id": None, "delay_s": 0}
        connection.execute(sql.update(ContestRow).where(ContestRow.id >= FIRST).values(**values))
        people = connection.scalars(sql.select(UserRow.id).where(UserRow.id >= FIRST))
        members = [{"group_id": FIRST, "user_id": each} for each in people]
        connection.execute(sql.insert(GroupMemberRow), members)
        [contest] = connection.scalars(
            sql.select(ContestRow.id).where(ContestRow.kind == "contest", ContestRow.id >= FIRST)
        )
    engine.dispose()
    return int(contest)


def make_ladder(rows: int) -> str:
    """What the server says about a ladder with so many bots. (A server would take them from the
    ladder again, since they have no programs that could play.)"""
    info = LadderInfo(
        game="reversi",
        contest=FIRST,
        rows=[make_row(place) for place in range(1, rows + 1)],
        bouts=45 * rows,
        copies=None,
        at="2026-06-01T00:00:00Z",
    )
    return msgspec.json.encode(info).decode()


def make_row(place: int) -> LadderRow:
    elo = 1500 - place / 5
    return LadderRow(
        place=place,
        bot=LadderBot(place, f"zealot-{place}", OwnerInfo("user", place, f"s{place}"), "python"),
        version=VersionLink(place, 1),
        elo=elo,
        low=elo - 40,
        high=elo + 40,
        bouts=90,
        won=40,
        drawn=10,
        lost=40,
        copies=0,
        faults=0,
        apart=False,
    )


def measure_lists(browser: Browser, site: Site, times: int, rows: int) -> None:
    organiser(site)
    contest = fill_club(site, rows)
    page = browser.new_context(base_url=site.url).new_page()
    ladder = make_ladder(rows)
    page.route("**/api/ladders/reversi", lambda route: route.fulfill(body=ladder))
    come_in(page, site, ORGANISER, "/games")
    lists = {
        "records": ("/records", ".bouts > li"),
        "a contest's bouts": (f"/contests/{contest}?tab=bouts", ".bouts > li"),
        "a ladder": ("/ladder/reversi", "table.lines tbody tr"),
        "a class": (f"/groups/{FIRST}", "table.lines tbody tr"),
        "users": ("/admin?tab=people", "table.lines tbody tr"),
    }
    for name, (address, shown) in lists.items():
        first, more, longest = [], [], []
        for _ in range(times + 1):
            follow_link(page, "/games")
            first.append(float(page.evaluate(FOLLOW, [address, shown])))
            if page.locator("[data-more]").count():
                more.append(float(page.evaluate(MORE, shown)))
            longest.append(float(page.evaluate(SCROLL)))
        count = page.locator(shown).count()
        further = describe(more[1:]) if more else "all there"
        print(f"{name}: first rows {describe(first[1:])}, more {further}, ", end="")
        print(f"longest picture while scrolling {describe(longest[1:])}, {count} rows shown")


def main(arguments: list[str]) -> None:
    times = int(arguments[0]) if arguments else 5
    rows = int(arguments[1]) if len(arguments) > 1 else 5000
    os.environ.setdefault(PLACE, tempfile.gettempdir())
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        homes = [Path(folder) / name for name in ("bouts", "lists")]
        for home in homes:
            (home / "records").mkdir(parents=True)
        with serving(homes[0], "--no-demo") as site:
            measure_bouts(browser, site, times)
        with serving(homes[1], "--no-demo", "--jobs", "1") as site:
            measure_lists(browser, site, times, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
