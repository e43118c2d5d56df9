"""The example bot, written from the documentation alone, works in a process of its own."""

import re
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games.paperio import GAME
from ludus.match import replay
from ludus.match.series import series
from ludus.sandbox import list_levels

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "paperio_bot.py"


def test_the_example_plays_whole_matches_and_beats_chance() -> None:
    players = [create_player(resolve_bot(spec, GAME), GAME) for spec in (str(EXAMPLE), "random")]
    assert players[0].isolation in list_levels()
    points = 0.0
    for played in series(GAME, GAME.Options(turns=300), players, 6, 2):
        assert played.record.faults == []
        replay.verify(played.record)
        points += played.score(0)
    assert points >= 5


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_bots_in_the_documentation_run(lang: str, tmp_path: Path) -> None:
    text = (ROOT / "docs" / lang / "paperio.md").read_text(encoding="utf-8")
    bots = [code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "def" in code]
    assert len(bots) == 2
    for number, code in enumerate(bots):
        path = tmp_path / f"bot{number}.py"
        path.write_text(code, encoding="utf-8")
        players = [
            create_player(resolve_bot(str(path), GAME), GAME, isolate=False) for _ in range(2)
        ]
        for played in series(GAME, GAME.Options(turns=50), players, 2, 1):
            assert played.record.reason == "area"
