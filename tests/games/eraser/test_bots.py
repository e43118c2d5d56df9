"""The house bots of Eraser, the example, and the pages they were written from."""

import re
from pathlib import Path

import pytest

from ludus.bots.enter import enter
from ludus.bots.load import find, load
from ludus.bots.local import LocalPlayer
from ludus.cli import scaffold
from ludus.games.eraser import GAME, EraserOptions
from ludus.match import replay, series

ROOT = Path(__file__).resolve().parents[3]


def score(one: str, other: str, bouts: int) -> float:
    """What the one gets out of bouts against the other, in per cent."""
    players = [enter(find(name, GAME), GAME, isolate=False) for name in (one, other)]
    total = 0.0
    for played in series(GAME, EraserOptions(), players, bouts, seed=11):
        assert played.record.faults == []
        total += played.score(0)
    return 100 * total / bouts


def test_two_turns_ahead_beat_random_at_least_95_times_of_100() -> None:
    assert score("two_ply", "random", 40) >= 95


def test_greed_beats_random_and_looking_ahead_beats_greed() -> None:
    assert score("greedy", "random", 4) == 100
    assert score("two_ply", "greedy", 6) >= 75


def test_a_bot_written_from_the_docs_alone_plays_at_once() -> None:
    source = find(str(ROOT / "examples" / "eraser_bot.py"), GAME)
    players = [enter(source, GAME), enter(find("random", GAME), GAME)]
    for played in series(GAME, EraserOptions(turns=40), players, 2, seed=2):
        assert played.record.faults == []
        replay.verify(played.record)
        assert played.score(0) == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_bot_on_the_page_plays_as_it_is(lang: str, tmp_path: Path) -> None:
    page = (ROOT / "docs" / lang / "eraser.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.S)
    file = tmp_path / "mine.py"
    file.write_text(code, encoding="utf-8")
    players = [LocalPlayer(name, lambda: load(file, GAME)) for name in "ab"]
    for played in series(GAME, EraserOptions(turns=20), players, 2, seed=2):
        assert played.record.faults == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_board_on_the_page_is_that_of_seed_1(lang: str) -> None:
    page = (ROOT / "docs" / lang / "eraser.md").read_text(encoding="utf-8")
    rows = re.findall(r"^y=\d   ([A-Z ]{11})", page, re.M)
    assert rows == str(GAME.start(EraserOptions(), 1)).splitlines()


@pytest.mark.parametrize("lang", scaffold.LANGUAGES)
@pytest.mark.parametrize("dialect", ["native", "Plaser"])
def test_a_new_bot_plays_whole_bouts_on_both_seats(dialect: str, lang: str, tmp_path: Path) -> None:
    path = scaffold.write_bot(tmp_path / "mine.py", GAME, dialect, lang)
    assert not re.findall(r"__[A-Z]+__", path.read_text(encoding="utf-8"))
    players = [
        LocalPlayer(name, lambda file=file: load(file, GAME))
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
