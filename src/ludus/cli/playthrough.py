"""``ludus playthrough``: prints a random bout as text."""

from __future__ import annotations

from ludus.cli.command import command
from ludus.cli.options import FIXED_SEED_OPTION, GAME_ARGUMENT, SETTINGS_OPTION


@command(
    en="Print a random bout with everything that can be observed: to review rules as text.",
    zh="打印随机一局及一切可观察的内容，便于以文本审查规则。",
)
@GAME_ARGUMENT
@SETTINGS_OPTION
@FIXED_SEED_OPTION
def COMMAND(game: str, settings: tuple[tuple[str, str], ...], seed: int) -> int:
    from ludus.cli.options import parse_options
    from ludus.games.playthrough import playthrough
    from ludus.games.registry import open_game

    rules = open_game(game)
    text = playthrough(rules, parse_options(rules, settings), seed)
    print(text, end="" if text.endswith("\n") else "\n")
    return 0
