"""A bot as a folder: the same kit for the command line, the page and the template in examples/."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
import yaml

from ludus.bots.bot_kit import make_bot_kit, zip_kit
from ludus.bots.bot_templates import find_template, list_templates
from ludus.games.registry import get, names

EXAMPLE = Path(__file__).parents[2] / "examples/bot_template"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_starter_of_every_game_makes_a_kit(lang: str) -> None:
    for game in map(get, names()):
        for template in list_templates(game, lang):
            kit = make_bot_kit(game, template, "mine", lang)
            for path, text in kit.items():
                assert "__" not in text.replace("__file__", "").replace("__name__", "").replace(
                    "__main__", ""
                ).replace("__init__", ""), (path, text)
                if path.suffix == ".json":
                    json.loads(text)
            assert (Path(".vscode/launch.json") in kit) == (template.language == "python")
            assert len(kit[Path("test_bot.py")].encode()) > 500
            compile(kit[Path("test_bot.py")], "test_bot.py", "exec")


def test_a_zip_has_one_folder_and_the_same_bytes_every_time() -> None:
    files = {Path("a", "b.txt"): "文", Path("c.txt"): ""}
    data = zip_kit(files, "mine")
    assert data == zip_kit(files, "mine")
    with zipfile.ZipFile(io.BytesIO(data)) as box:
        assert box.namelist() == ["mine/a/b.txt", "mine/c.txt"]
        assert box.read("mine/a/b.txt").decode() == "文"


def test_the_template_in_examples_is_the_kit_of_reversi_with_a_workflow() -> None:
    game = get("reversi")
    template = find_template(game, "native", "python", "en")
    assert template is not None
    kit = make_bot_kit(game, template, "my_bot", "en")
    found = {
        path.relative_to(EXAMPLE): path.read_text(encoding="utf-8")
        for path in EXAMPLE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    workflow = yaml.safe_load(found.pop(Path(".github/workflows/ludus.yml")))
    found.pop(Path(".gitignore"))
    assert found == kit, "write it again: see tests/bots/test_bot_kit.py"
    steps = [step["run"] for step in workflow["jobs"]["bot"]["steps"] if "run" in step]
    assert steps == [
        "pip install ludus-arena",
        "ludus check . --game reversi",
        "ludus python -m unittest",
    ]


@pytest.mark.parametrize("name", ["ataxx", "duel2048", "reversi"])
def test_a_template_shows_what_an_answer_looks_like(name: str) -> None:
    game = get(name)
    position = game.start(game.Options(), seed=1)
    for lang, words in (("en", "such as"), ("zh", "例如")):
        for template in list_templates(game, lang):
            if template.dialect == "native":
                text = template.fill(game, lang, "bot")
                [example] = re.findall(rf'{words} "(.+?)"', text)
                assert re.fullmatch(r"\w+(,\w+)?", example), example
                if name != "duel2048":  # its cells are drawn
                    assert example in position.legal(position.to_move[0])
