"""``ludus contest new`` draws a seed that nobody can guess."""

import tomllib
from pathlib import Path

import pytest

from tests.support.cli import Ludus


@pytest.mark.parametrize("rules", [[], ["--preset", "duel2048-2020"]], ids=["format", "preset"])
def test_a_new_contest_has_a_seed_of_its_own(cli: Ludus, tmp_path: Path, rules: list[str]) -> None:
    def seed(name: str, *more: str) -> int:
        file = tmp_path / name
        asked = ["contest", "new", "duel2048", "random", "greedy", *rules, *more, "--out", file]
        assert cli(*asked).code == 0
        found: int = tomllib.loads(file.read_text())["seed"]
        return found

    drawn = [seed("a.toml"), seed("b.toml")]
    assert drawn[0] != drawn[1] and min(drawn) > 1 << 40
    assert seed("c.toml", "--seed", "3") == 3, "a seed that somebody gave stays theirs"
