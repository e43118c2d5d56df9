"""What a new bot may begin with, for the page's editor: the templates of ``ludus new bot``."""

from __future__ import annotations

from typing import Any

from ludus.bots.bot_templates import BotTemplate, list_templates
from ludus.games.base import Game
from ludus.lang import language

LABELS = {"python": "Python", "cpp": "C++", "javascript": "JavaScript"}


def list_kits(game: Game, lang: str = "") -> dict[str, Any]:
    """Every kit of a game: its own dialects first, then Ludus' way in each language."""
    lang = lang or language()
    return {"languages": [_kit(game, template, lang) for template in list_templates(game, lang)]}


def _kit(game: Game, template: BotTemplate, lang: str) -> dict[str, Any]:
    file = f"bot{template.suffix}"
    label = LABELS[template.language]
    if template.dialect in game.dialects:
        label = f"{label} ({template.dialect})"
    return {
        "name": template.language,
        "dialect": template.dialect,
        "label": label,
        "template": {file: template.fill(game, lang, file)},
    }
