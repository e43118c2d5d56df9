"""Built-in bots have names that people read, and nobody else's bot may have them."""

import pytest

from ludus.bots.house_titles import (
    find_house_names,
    house_bot_title,
    is_house_name,
    name_by_title,
)
from ludus.games.registry import get_listed, names, sample_names
from ludus.lang import Text


@pytest.mark.parametrize("game", [*names(), *sample_names()])
def test_every_house_bot_has_a_title_in_both_languages(game: str) -> None:
    for name in get_listed(game).bots():
        title = house_bot_title(name)
        assert title.en != name and not title.zh.isascii(), name


def test_levels_and_numbers_of_engines_are_part_of_the_title() -> None:
    assert house_bot_title("learned:easy") == Text("Neural network, easy", "神经网络（入门）")
    assert house_bot_title("search:800") == Text("Random playouts, 800", "随机推演（800）")
    assert house_bot_title("search:fast") == Text("search:fast", "search:fast")


def test_a_title_leads_back_to_the_name() -> None:
    assert name_by_title("One move ahead (2)") == "greedy (2)"
    assert name_by_title("贪心") == "greedy"
    assert name_by_title("tidy #3") == "tidy #3"
    assert find_house_names("neural") == ["learned", *find_house_names("neural network,")]
    assert find_house_names("深度") == ["alphabeta"]


@pytest.mark.parametrize("name", ["greedy", "Greedy", "one MOVE ahead", "随机", "learned:easy"])
def test_names_of_house_bots_are_taken(name: str) -> None:
    assert is_house_name(name)
    assert not is_house_name(f"my {name}")
