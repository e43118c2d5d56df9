"""What an agent reads about games where Ludus is installed without its documentation."""

from pathlib import Path

import pytest

from ludus.compat.mcp import game_texts
from ludus.games.registry import get, names


@pytest.mark.parametrize("name", names())
def test_without_the_docs_the_rules_are_told_in_short(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = get(name)
    with_docs = game_texts.read_rules(game)
    monkeypatch.setattr(game_texts, "DOCS_FOLDER", tmp_path)
    assert game_texts.read_rules(game) == game.rules_text(game.Options()) != with_docs
