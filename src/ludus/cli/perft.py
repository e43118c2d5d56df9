"""``ludus perft``: counts the sequences of moves from the start."""

from __future__ import annotations

import time

from ludus.cli.command import command, option
from ludus.cli.options import FIXED_SEED_OPTION, GAME_ARGUMENT, JSON_OPTION, SETTINGS_OPTION
from ludus.cli.param_types import IntegerParam
from ludus.lang import tr

MIN_MEASURED_S = 0.001
"""Seconds of CPU time below which no rate is shown."""


@command(
    en="Count the sequences of moves from the start, for every depth up to the one given.",
    zh="统计从开局起、直到给定深度的着法序列数。",
)
@GAME_ARGUMENT
@SETTINGS_OPTION
@FIXED_SEED_OPTION
@option(
    "--depth", type=IntegerParam(low=1), default=3, en="The depth in moves.", zh="深度（步数）。"
)
@JSON_OPTION
def COMMAND(
    game: str, settings: tuple[tuple[str, str], ...], seed: int, depth: int, as_json: bool
) -> int:
    from ludus.cli import output
    from ludus.cli.options import parse_options
    from ludus.games.registry import open_game

    rules = open_game(game)
    position = rules.start(parse_options(rules, settings), seed)
    counts: list[dict[str, float]] = []
    for plies in range(1, depth + 1):
        began = time.process_time()
        count = rules.perft(position, plies)
        seconds = time.process_time() - began
        counts.append({"depth": plies, "count": count, "cpu": seconds})
        if not as_json:
            print(f"perft({plies}) = {count}{_format_rate(count, seconds)}", flush=True)
    if as_json:
        output.print_json({"game": rules.name, "perft": counts})
    return 0


def _format_rate(count: int, seconds: float) -> str:
    if seconds < MIN_MEASURED_S:
        return ""
    rate = f"{count / seconds / 1e6:.2f}"
    return tr(f"   {seconds:.2f} s CPU, {rate} M/s", f"   {seconds:.2f} CPU 秒，{rate} M/秒")
