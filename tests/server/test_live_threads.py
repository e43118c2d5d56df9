"""Nothing is played, replayed or filmed in the event loop of the web process."""

import sys
import threading
from typing import Any

import pytest

from ludus.games.registry import get
from ludus.server.live.film import FilmEncoder
from tests.support.dealer import Dealer, deal_contest_bout
from tests.support.site import Site, hear, wait_for

REPLAYING = ("ludus.server.", "ludus.match.replay")
"""Who starts positions to replay bouts; players and referees start theirs elsewhere."""


class NotedPosition:
    """A position that notes in which threads it is played and looked at. Its type is compiled, so
    that it can neither be changed nor inherited from."""

    def __init__(self, position: Any, called: dict[str, set[int]]) -> None:
        self._position, self._called = position, called

    def play(self, moves: Any) -> None:
        self._called["play"].add(threading.get_ident())
        self._position.play(moves)

    def view(self, seat: int | None = None) -> Any:
        self._called["view"].add(threading.get_ident())
        return self._position.view(seat)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._position, name)


def note_threads(patch: pytest.MonkeyPatch) -> dict[str, set[int]]:
    """The threads in which the server from now on plays positions, looks at them and films them."""
    called: dict[str, set[int]] = {"play": set(), "view": set(), "encode_step": set()}
    kind = type(get("reversi"))
    start, encode_step = kind.start, FilmEncoder.encode_step

    def start_noted(game: Any, options: Any, seed: int) -> Any:
        position = start(game, options, seed)
        caller = sys._getframe(1).f_globals["__name__"]
        return NotedPosition(position, called) if caller.startswith(REPLAYING) else position

    def encode_noted(encoder: FilmEncoder, *given: Any) -> bytes:
        called["encode_step"].add(threading.get_ident())
        return encode_step(encoder, *given)

    patch.setattr(kind, "start", start_noted)
    patch.setattr(FilmEncoder, "encode_step", encode_noted)
    return called


def find_loop_thread(site: Site) -> int:
    found: list[int] = []
    site.state._post(lambda: found.append(threading.get_ident()))
    wait_for(lambda: found)
    return found[0]


def test_no_bout_is_played_replayed_or_filmed_in_the_loop(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = find_loop_thread(site)
    called = note_threads(monkeypatch)
    dealers = [Dealer(site.home), deal_contest_bout(site, 7, "seven")]
    ids = [dealer.id for dealer in dealers]
    for dealer in dealers:
        dealer.go(6)
    wait_for(lambda: sorted(item["id"] for item in site.get("/api/live")) == sorted(ids))
    for dealer in dealers:
        with site.socket(f"/ws/film/{dealer.id}") as socket:
            assert hear(socket, "film")["film"]["key"]
            dealer.go(3)
            hear(socket, "step")
            dealer.finish()
            hear(socket, "end")
        assert site.get(f"/api/films/{dealer.id}")["end"]

    asked = {"game": "reversi", "bots": ["greedy", "random"], "bouts": 1, "delay": 0}
    [film] = site.ask("/api/matches", asked).json["films"]
    wait_for(lambda: site.ask(f"/api/films/{film}").status == 200)
    wait_for(lambda: site.get("/api/records")["items"])
    wait_for(lambda: site.get(f"/api/films/{film}")["end"])
    assert site.get(f"/api/films/{film}/gestures?step=4&seat=0") is not None

    for name, threads in called.items():
        assert threads, f"{name} is called somewhere"
        assert loop not in threads, f"{name} is called in the loop"
