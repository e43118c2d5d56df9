"""The example bot of Eraser, and the pages that it was written from."""

import re
from pathlib import Path

import pytest

from ludus.bots.load import load_bot
from ludus.bots.players.create import create_player
from ludus.bots.players.local import LocalPlayer
from ludus.bots.resolve import resolve_bot
from ludus.games.eraser import GAME, EraserOptions
from ludus.match import replay, series

ROOT = Path(__file__).resolve().parents[2]


def test_a_bot_written_from_the_docs_alone_plays_at_once() -> None:
    source = resolve_bot(str(ROOT / "examples" / "eraser_bot.py"), GAME)
    players = [create_player(source, GAME), create_player(resolve_bot("random", GAME), GAME)]
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
    players = [LocalPlayer(name, lambda: load_bot(file, GAME)) for name in "ab"]
    for played in series(GAME, EraserOptions(turns=20), players, 2, seed=2):
        assert played.record.faults == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_board_on_the_page_is_that_of_seed_1(lang: str) -> None:
    page = (ROOT / "docs" / lang / "eraser.md").read_text(encoding="utf-8")
    first = re.search(r"```text\n(.*?)\n```", page, re.S)
    assert first and first[1] == str(GAME.start(EraserOptions(), 1))
