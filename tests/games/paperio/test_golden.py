"""The recorded games of the original happen again, frame by frame."""

import random
from typing import Any

import pytest

from ludus.games.paperio import GAME
from ludus.games.paperio.rules import draw
from tests.support import paperio_games as golden

GAMES = golden.games()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game["id"])
def test_every_frame_is_the_originals(game: dict[str, Any]) -> None:
    position = GAME.start(GAME.Options.parse(golden.options_of(game)), game["seed"] or 0)
    wanted = golden.hashes(game)
    assert golden.frame_hash(position.field) == wanted[0]
    for step, move in enumerate(game["moves"]):
        position.play({step % 2: move})
        assert golden.frame_hash(position.field) == wanted[step + 1], f"step {step + 1}"
    assert list(position.field.areas) == game["areas"]
    check_end(position, game["result"])


def check_end(position: Any, result: dict[str, Any]) -> None:
    if result["type"] in (-1, -2):
        assert position.outcome is None
        return
    outcome = position.outcome
    assert outcome.reason == golden.REASONS[result["type"]]
    assert outcome.winner == result["winner"]
    if result["type"] in (3, -3):
        assert [outcome.detail["first"], outcome.detail["second"]] == result["extra"]
    if result["type"] == 1:
        assert outcome.detail["mover"] == result["extra"]
    if result["type"] == 4:
        assert (outcome.detail["mover"] == outcome.winner) is result["extra"]


@pytest.mark.parametrize("order", ["head", "event2018"])
def test_starts_are_drawn_as_the_original_draws_them(order: str) -> None:
    known = golden.starts()
    assert len(known[order]) >= 50
    for seed, wanted in known[order].items():
        position = GAME.start(GAME.Options(draw=order), int(seed))
        assert [list(head) for head in position.field.heads] == wanted
        drawn = draw(random.Random(int(seed)), known["k"], known["h"], order)
        assert [list(start[:3]) for start in drawn] == wanted


def test_the_golden_games_end_in_every_way() -> None:
    assert {game["result"]["type"] for game in GAMES} == {0, 1, 2, 3, 4, -1, -2, -3}
