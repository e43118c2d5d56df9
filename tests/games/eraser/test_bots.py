"""The house bots of Eraser, and the bots that ``ludus new bot`` writes for it."""

import re
from pathlib import Path

import pytest

from ludus.bots.load import load_bot
from ludus.bots.players.create import create_player
from ludus.bots.players.local import LocalPlayer
from ludus.bots.resolve import resolve_bot
from ludus.cli import scaffold
from ludus.games.eraser import GAME, EraserOptions
from ludus.match import series


def score(one: str, other: str, bouts: int) -> float:
    """What the one gets out of bouts against the other, in per cent."""
    players = [create_player(resolve_bot(name, GAME), GAME, isolate=False) for name in (one, other)]
    total = 0.0
    for played in series(GAME, EraserOptions(turns=60), players, bouts, seed=11):
        assert played.record.faults == []
        total += played.score(0)
    return 100 * total / bouts


def test_two_turns_ahead_beat_random() -> None:
    assert score("two_ply", "random", 10) == 100


def test_greed_beats_random_and_looking_ahead_beats_greed() -> None:
    assert score("greedy", "random", 4) == 100
    assert score("two_ply", "greedy", 4) >= 75


@pytest.mark.parametrize("lang", scaffold.COMMENT_LANGUAGES)
@pytest.mark.parametrize("dialect", ["native", "Plaser"])
def test_a_new_bot_plays_whole_bouts_on_both_seats(dialect: str, lang: str, tmp_path: Path) -> None:
    path = scaffold.write_bot(tmp_path / "mine.py", GAME, dialect, lang)
    assert not re.findall(r"__[A-Z]+__", path.read_text(encoding="utf-8"))
    players = [
        LocalPlayer(name, lambda file=file: load_bot(file, GAME))
        for name, file in (("mine", path), ("random", GAME.bots()["random"]))
    ]
    for played in series(GAME, EraserOptions(turns=30), players, 2, 1):
        assert played.record.faults == []


def test_comments_are_all_that_differs_between_languages(tmp_path: Path) -> None:
    def code(lang: str) -> list[str]:
        path = scaffold.write_bot(tmp_path / f"{lang}.py", GAME, "Plaser", lang)
        text = re.sub(r'"""(.|\n)*?"""', "", path.read_text(encoding="utf-8"))
        return [line.split("#")[0].rstrip() for line in text.splitlines()]

    assert code("en") == code("zh")
