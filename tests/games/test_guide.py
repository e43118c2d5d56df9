"""Guides of games: both languages say the same, pictures are positions, examples are bots."""

import ast
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import Game, get
from ludus.games.guide import PICTURE_LINE, read_guide, read_sections, split_sections
from ludus.games.guide_contract import check_guide
from ludus.games.openings import play_opening
from ludus.games.registry import _built_in_names
from ludus.match.series import series

HOUSE_GAMES = _built_in_names()
SHORT: dict[str, dict[str, Any]] = {
    "ataxx": {"size": 5, "limit": 30},
    "duel2048": {"rounds": 10},
    "eraser": {"turns": 10},
    "paperio": {"k": 9, "h": 17, "turns": 20},
    "reversi": {"size": 6},
    "tablut": {"limit": 12},
}
ENDS = {
    ("ataxx", "end"): "full",
    ("reversi", "end"): "discs",
    ("paperio", "cut"): "band",
    ("tablut", "king_captured"): "king_captured",
    ("tablut", "king_escaped"): "king_border",
}
"""How the bouts of the last pictures end."""


def examples(game: Game, language: str) -> list[str]:
    assert game.guide_folder
    bots = read_sections(game.guide_folder, language).bots
    return re.findall(r"```python\n(.*?)```", bots, re.DOTALL)


def code(source: str) -> str:
    """A program without its comments and docstrings, which differ between languages."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            del node.body[0]
    return ast.unparse(tree)


@pytest.mark.parametrize("name", HOUSE_GAMES)
def test_a_guide_says_the_same_in_both_languages(name: str) -> None:
    game = get(name)
    assert game.guide_folder
    guide = read_guide(game.guide_folder)
    for text in (guide.about, guide.rules, guide.notation, guide.bots):
        assert text.en.isascii() and text.en != text.zh
        assert re.search("[\u4e00-\u9fff]", text.zh)
        for sign in ("\n## ", "\n- ", "\n| ", "```"):
            assert text.en.count(sign) == text.zh.count(sign), sign
    assert "ludus " not in guide.rules.en + guide.bots.en, "readers of a page have no command line"


@pytest.mark.parametrize("name", HOUSE_GAMES)
def test_every_picture_is_a_position_that_the_rules_reach(name: str) -> None:
    game = get(name)
    assert game.guide_folder
    guide = read_guide(game.guide_folder)
    for text in guide.rules.values():
        assert PICTURE_LINE.findall(text) == [picture.name for picture in guide.pictures]
    for picture in guide.pictures:
        options = game.Options.parse(picture.options)
        position = play_opening(game, options, picture.seed, picture.moves.split())
        reason = position.outcome.reason if position.outcome else None
        assert reason == ENDS.get((name, picture.name)), picture.name
        assert picture.caption.en != picture.caption.zh
    for variant in guide.variants:
        game.start(game.Options.parse(variant.options), 1)
    assert len(guide.pictures) >= 4


def test_every_variant_of_tablut_has_its_picture() -> None:
    game = get("tablut")
    assert game.guide_folder
    variants = [variant.options["variant"] for variant in read_guide(game.guide_folder).variants]
    assert variants == list(game.Options.__dataclass_fields__["variant"].metadata["choices"])


@pytest.mark.parametrize("name", HOUSE_GAMES)
def test_the_examples_of_a_guide_play_without_a_fault(name: str, tmp_path: Path) -> None:
    game = get(name)
    english = examples(game, "en")
    assert english and list(map(code, english)) == list(map(code, examples(game, "zh")))
    for number, text in enumerate(english):
        path = tmp_path / f"example{number}.py"
        path.write_text(text)
        players = [create_player(resolve_bot(each, game), game) for each in (str(path), "random")]
        for played in series(game, game.Options.parse(SHORT[name]), players, 2, 1):
            assert played.record.faults == []


def test_a_guide_is_split_at_the_headings_that_name_a_part() -> None:
    parts = split_sections("A\ngame.\n\n## Moves\nGo.\n\n## Signs {#notation}\n`a1`\n")
    assert (parts.about, parts.rules, parts.notation, parts.bots) == (
        "A\ngame.",
        "## Moves\nGo.\n",
        "`a1`\n",
        "",
    )
    assert split_sections("Only this.").about == "Only this."


def load_tool() -> Any:
    path = Path(__file__).parents[2] / "tools" / "game_rules.py"
    spec = importlib.util.spec_from_file_location("game_rules", path)
    assert spec and spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_the_documentation_shows_the_rules_of_the_guides() -> None:
    game_rules = load_tool()
    pages = game_rules.find_pages()
    assert sorted({name for _, name, _ in pages}) == HOUSE_GAMES and len(pages) == 12
    for path, name, language in pages:
        page = path.read_text(encoding="utf-8")
        assert game_rules.write_rules(page, name, language) == page, "run tools/game_rules.py"


GUIDE = {
    "en.md": "Discs.\n\n## Turns\n![](first)\n",
    "zh.md": "棋子。\n\n## 着法\n![](first)\n",
    "pictures.toml": '[[pictures]]\nname = "first"\nmoves = "d3 c3"\n'
    'caption = { en = "First.", zh = "开始。" }\n',
}
VARIANT = '[[variants]]\ntitle = { en = "A", zh = "B" }\nabout = { en = "A", zh = "B" }\n'


def with_guide(folder: Path, **changes: str | None) -> Game:
    """Reversi with a small guide, in which some files are changed or left out."""
    folder.mkdir(exist_ok=True)
    named = {name.replace("_", "."): text for name, text in changes.items()}
    for name, text in (GUIDE | named).items():
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
    found: Game = type("Guided", (type(get("reversi")),), {"guide_folder": folder})()
    return found


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"zh_md": None}, "lacks zh.md"),
        ({"en_md": " "}, "says nothing in .*en.md"),
        ({"en_md": "![](second)\n"}, "shows picture 'second'; pictures.toml has: first"),
        ({"en_md": "A.\n\n## Moves {#moves}\n"}, "{#moves}; there are: rules, notation, bots"),
        ({"pictures_toml": "[[pictures]"}, "pictures.toml: "),
        (
            {"pictures_toml": GUIDE["pictures.toml"].replace("c3", "a1")},
            "picture 'first' in the guide of reversi: the rules do not allow the move a1: ",
        ),
        (
            {"pictures_toml": GUIDE["pictures.toml"] + "options = { size = 5 }"},
            "picture 'first' in the guide of reversi: .*size",
        ),
        (
            {"pictures_toml": GUIDE["pictures.toml"].replace(', zh = "开始。"', "")},
            "caption of picture 'first' in the guide of reversi lacks 'zh'",
        ),
        (
            {"pictures_toml": GUIDE["pictures.toml"] + VARIANT + "options = { wide = 5 }"},
            "variant 1 in the guide of reversi: .*wide",
        ),
    ],
)
def test_a_mistake_in_a_guide_is_found_by_the_contract(
    tmp_path: Path, changes: dict[str, str | None], sentence: str
) -> None:
    check_guide(with_guide(tmp_path / "right"))
    with pytest.raises(AssertionError, match=sentence):
        check_guide(with_guide(tmp_path / "wrong", **changes))


def test_a_guide_whose_folder_is_missing_is_found_by_the_contract_and_has_no_text(
    tmp_path: Path,
) -> None:
    game = type("Lost", (type(get("reversi")),), {"guide_folder": tmp_path / "nowhere"})()
    with pytest.raises(AssertionError, match="no such folder"):
        check_guide(game)
    assert game.rules_text(game.Options()) == ""
