"""The template of a bot for Paper.io works, in both languages."""

import re
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.cli import scaffold
from ludus.games.paperio import GAME
from ludus.match.series import series


@pytest.mark.parametrize("lang", scaffold.COMMENT_LANGUAGES)
def test_a_new_bot_plays_whole_bouts_on_both_seats(lang: str, tmp_path: Path) -> None:
    path = scaffold.write_bot(tmp_path / "mine.py", GAME, "play", lang)
    players = [
        create_player(resolve_bot(spec, GAME), GAME, isolate=False)
        for spec in (str(path), "random")
    ]
    for played in series(GAME, GAME.Options(turns=200), players, 2, 1):
        assert played.record.faults == []


def test_comments_are_all_that_differs_between_languages(tmp_path: Path) -> None:
    def code(lang: str) -> list[str]:
        path = scaffold.write_bot(tmp_path / f"{lang}.py", GAME, "play", lang)
        text = re.sub(r'"""(.|\n)*?"""', "", path.read_text(encoding="utf-8"))
        return [line.split("#")[0].rstrip() for line in text.splitlines()]

    assert code("en") == code("zh")
