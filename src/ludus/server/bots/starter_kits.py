"""What a new bot may begin with: the templates of ``ludus new bot``, for the page's editor."""

from __future__ import annotations

from pathlib import Path

import ludus
from ludus.bots.protocol import PROTOCOL_NAME as OURS
from ludus.games.base import Game
from ludus.lang import language
from ludus.server.bots.bot_schemas import StarterKit, StarterKits

TEMPLATES = Path(ludus.__file__).parent / "cli" / "templates" / "bot"
SUFFIXES = {"python": ".py", "cpp": ".cpp", "javascript": ".mjs"}
LABELS = {"python": "Python", "cpp": "C++", "javascript": "JavaScript"}


def list_kits(game: Game, lang: str = "") -> StarterKits:
    """Every kit of a game: its own dialects first, then Ludus' way in each language."""
    lang = lang or language()
    found = []
    for dialect in (*game.dialects, "native" if game.speaks == OURS else "saiblo"):
        for name, suffix in SUFFIXES.items():
            stem = f"{game.name}.{dialect}" if dialect in game.dialects else dialect
            path = TEMPLATES / f"{stem}.{lang}{suffix}.tmpl"
            if path.is_file():
                found.append(_kit(game, dialect, name, path, lang))
    return StarterKits(found)


def _kit(game: Game, dialect: str, name: str, path: Path, lang: str) -> StarterKit:
    file = f"bot{SUFFIXES[name]}"
    own = dialect in game.dialects
    words = {
        "__GAME__": game.name,
        "__TITLE__": game.title.get(lang) or game.title["en"],
        "__FILE__": file,
        "__RIVAL__": next(iter(game.bots()), file),
    }
    text = path.read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(word, value)
    label = f"{LABELS[name]} ({dialect})" if own else LABELS[name]
    return StarterKit(name, dialect, label, {file: text})
