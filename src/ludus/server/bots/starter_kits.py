"""Starter files for the page: the templates of ``ludus new bot``, alone or as a folder."""

from __future__ import annotations

from ludus.bots.bot_kit import make_bot_kit, zip_kit
from ludus.bots.bot_templates import BotTemplate, list_templates
from ludus.games.base import Game
from ludus.lang import language
from ludus.server.bots.bot_schemas import StarterKit, StarterKits
from ludus.server.web.errors import NotFound

LABELS = {"python": "Python", "cpp": "C++", "javascript": "JavaScript"}


def list_kits(game: Game, lang: str = "") -> StarterKits:
    """Every starter kit of a game: first its own dialects, then Ludus' interface in each
    language."""
    lang = lang or language()
    return StarterKits([_make_kit(game, template, lang) for template in list_templates(game, lang)])


def pack_folder(game: Game, language_key: str, dialect: str, lang: str = "") -> bytes:
    """A zip with a bot's folder as ``ludus new bot --folder`` writes it; NotFound if there is no
    starter kit of that language and dialect."""
    lang = lang or language()
    for template in list_templates(game, lang):
        if (template.language, template.dialect) == (language_key, dialect):
            name = folder_name(game)
            return zip_kit(make_bot_kit(game, template, name, lang), name)
    raise NotFound(
        f"{game.name} has no starter in {language_key} with the API {dialect}",
        f"{game.name} 没有 {language_key}、{dialect} 接口的起始代码",
    )


def folder_name(game: Game) -> str:
    """The name of the folder of a new bot."""
    return f"{game.name}_bot"


def _make_kit(game: Game, template: BotTemplate, lang: str) -> StarterKit:
    file = f"bot{template.suffix}"
    label = LABELS[template.language]
    if template.dialect in game.dialects:
        label = f"{label} ({template.dialect})"
    text = template.fill(game, lang, file, commands=False)
    return StarterKit(template.language, template.dialect, label, {file: text})
