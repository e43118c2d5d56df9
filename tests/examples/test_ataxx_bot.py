"""The example bot of Ataxx plays as its page says."""

import ast
import re
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.match import replay
from ludus.match.series import series

ROOT = Path(__file__).resolve().parents[2]
BOT = ROOT / "examples" / "ataxx_bot.py"
GAME = get("ataxx")


def test_it_plays_in_a_process_of_its_own_and_beats_greedy() -> None:
    players = [create_player(resolve_bot(name, GAME), GAME) for name in (str(BOT), "greedy")]
    wins = 0.0
    for played in series(GAME, GAME.Options(), players, 10, 1):
        assert played.record.faults == []
        replay.verify(played.record)
        wins += played.score(0)
    assert wins >= 7


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_shows_the_bot_as_it_is(lang: str) -> None:
    page = (ROOT / "docs" / lang / "ataxx.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert program(shown) == program(BOT.read_text(encoding="utf-8"))


def program(source: str) -> str:
    """A program without its comments and docstrings, which differ between languages."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            del node.body[0]
    return ast.unparse(tree)
