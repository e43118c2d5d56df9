"""Write the rules of the house games into their pages of the documentation.

The rules are in the guides of the games (``ludus.games.guide``). Pages of the documentation show
them between two comments. Pictures become boards of text; the reasons of outcomes are added.

    .venv/bin/python tools/game_rules.py
"""

from __future__ import annotations

import re
from pathlib import Path

from ludus.games import Game, get
from ludus.games.guide import PICTURE_LINE, read_guide
from ludus.games.openings import play_opening
from ludus.lang import LANGUAGES, Text

DOCS = Path(__file__).parents[1] / "docs"
BEGIN = "<!-- Rules: made by tools/game_rules.py from the guide of the game. -->"
END = "<!-- End of the rules. -->"
BLOCK = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
TITLE = Text("The rules", "规则")
REASONS = Text(
    "The `reason` of an outcome:\n\n| reason | meaning |\n|---|---|\n",
    "结果的 `reason`：\n\n| 原因 | 含义 |\n|---|---|\n",
)


def find_pages() -> list[tuple[Path, str, str]]:
    """The pages that show rules, each with the name of its game and its language."""
    return [
        (path, path.stem, language)
        for language in LANGUAGES
        for path in sorted((DOCS / language).glob("*.md"))
        if BEGIN in path.read_text(encoding="utf-8")
    ]


def write_rules(page: str, name: str, language: str) -> str:
    """The page with the rules as the game has them now."""
    return BLOCK.sub(lambda _: f"{BEGIN}\n{make_rules(get(name), language)}\n{END}", page)


def make_rules(game: Game, language: str) -> str:
    """The rules of a game as a section of a page."""
    assert game.guide_folder is not None
    guide = read_guide(game.guide_folder)
    boards = {
        picture.name: _draw(game, picture.options, picture.seed, picture.moves, picture.caption)
        for picture in guide.pictures
    }
    rules = PICTURE_LINE.sub(lambda found: boards[found[1]][language], guide.rules[language])
    rules = re.sub("^## ", "### ", rules, flags=re.MULTILINE)
    return f"## {TITLE[language]}\n\n{rules.strip()}\n\n{_list_reasons(game, language)}".rstrip()


def _draw(game: Game, options: object, seed: int, moves: str, caption: Text) -> Text:
    position = play_opening(game, game.Options.parse(options), seed, moves.split())  # type: ignore[arg-type]
    return caption.map(lambda words: f"```text\n{position}\n```\n\n*{words}*\n\n")


def _list_reasons(game: Game, language: str) -> str:
    lines = [
        f"| `{reason}` | {re.sub(r'{(.*?)}', '…', text[language])} |\n"
        for reason, text in game.reasons.items()
    ]
    return REASONS[language] + "".join(lines)


def main() -> None:
    for path, name, language in find_pages():
        path.write_text(write_rules(path.read_text(encoding="utf-8"), name, language), "utf-8")
        print(path)


if __name__ == "__main__":
    main()
