"""Starter files for the page: the templates of ``ludus new bot`` without its commands."""

from __future__ import annotations

from ludus.bots.bot_templates import BotTemplate, list_templates
from ludus.games.base import Game
from ludus.lang import language
from ludus.server.bots.bot_schemas import StarterKit, StarterKits

LABELS = {"python": "Python", "cpp": "C++", "javascript": "JavaScript"}


def list_kits(game: Game, lang: str = "") -> StarterKits:
    """Every starter kit of a game: first its own dialects, then Ludus' interface in each
    language."""
    lang = lang or language()
    return StarterKits([_make_kit(game, template, lang) for template in list_templates(game, lang)])


def _make_kit(game: Game, template: BotTemplate, lang: str) -> StarterKit:
    file = f"bot{template.suffix}"
    label = LABELS[template.language]
    if template.dialect in game.dialects:
        label = f"{label} ({template.dialect})"
    text = template.fill(game, lang, file, commands=False)
    return StarterKit(template.language, template.dialect, label, {file: text})
