"""The page stays light, however long a bout is; bench/page.py measures how quick it is."""

import gzip
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.match import record as records
from ludus.match.referee import play
from tests.support.page_server import PAGE, NewPage
from tests.support.page_site import Site, at_step

LIGHT = 80_000
"""Bytes of the page's own code that the home page loads, gzipped."""


def test_the_first_page_is_light_and_brings_no_editor(site: Site, new_page: NewPage) -> None:
    page = new_page("/")
    page.wait_for_selector(".live canvas")
    loaded = page.evaluate(
        """performance.getEntriesByType("resource").map((one) => new URL(one.name).pathname)
           .filter((path) => path.startsWith("/assets/"))"""
    )
    assert not [path for path in loaded if "codemirror" in path]
    files = [PAGE / "index.html", *(PAGE / path.lstrip("/") for path in set(loaded))]
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= LIGHT


@pytest.fixture(scope="module")
def long_bout(site: Site) -> str:
    """Paper.io over its full 4000 steps."""
    game = get("paperio")
    players = [
        create_player(resolve_bot("go_round", game), game, isolate=False) for _ in game.seats
    ]
    record = play(game, game.Options.parse({}), 3, players)
    assert len(record.moves) == 4000
    path: Path = site.home / "records" / "long-01.ludus"
    records.save(record, path)
    return "long-01"


def test_a_long_bout_is_a_small_download(long_bout: str, new_page: NewPage) -> None:
    page = new_page(f"/watch/{long_bout}")
    at_step(page, 0)
    opened = page.evaluate(
        """() => {
          const film = performance.getEntriesByType("resource").find((one) =>
            one.name.includes("/api/films/"));
          return { unpacked: film.decodedBodySize, sent: film.encodedBodySize };
        }"""
    )
    assert opened["sent"] <= 500_000 < opened["unpacked"]
