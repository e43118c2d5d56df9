"""``ludus rate``: measures the strength of a network, a search or a bot against fixed rivals."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli.command import argument, command, option
from ludus.cli.options import (
    GAME_ARGUMENT,
    JSON_OPTION,
    OPENINGS_OPTION,
    SEED_OPTION,
    SETTINGS_OPTION,
    TRUST_OPTION,
)
from ludus.cli.param_types import IntegerParam, SecondsParam
from ludus.errors import LudusError
from ludus.lang import tr, translate

if TYPE_CHECKING:
    from ludus.games.base import Game
    from ludus.learn.evaluation import Measurement
    from ludus.learn.opponents import EvaluationOpponent

DEFAULT_RIVALS = {
    "tablut": ("random", "depth:1", "depth:2", "depth:3", "depth:4", "search:800"),
    "reversi": ("random", "greedy", "search:200"),
    "eraser": ("random", "depth:1", "depth:2", "depth:3"),
    "duel2048": ("random", "nodes:100", "nodes:1000"),
    "ataxx": ("random", "depth:1", "depth:2", "depth:3"),
}
OTHER_DEFAULT_RIVALS = ("random",)


def _describe_default_rivals() -> str:
    known = "; ".join(f"{name}: {' '.join(rivals)}" for name, rivals in DEFAULT_RIVALS.items())
    return f"{' '.join(OTHER_DEFAULT_RIVALS)} ({known})"


@command(
    en="Rate a subject against fixed rivals: every opening from both sides, Elo with 95 %"
    " intervals.",
    zh="用固定对手给一方评级：每个开局双方各走一次，Elo 附 95% 区间。",
)
@GAME_ARGUMENT
@argument(
    "subject",
    en="A network (FILE.onnx), its policy without search (policy:FILE.onnx), learned:LEVEL,"
    " search:N, depth:N, seconds:N, nodes:N, a house bot, a file, a folder or a zip with a bot, or"
    " a seat such as cmd:PROGRAM, gtp:PROGRAM or llm:NAME.",
    zh="网络（FILE.onnx）、不搜索的策略（policy:FILE.onnx）、learned:级别、search:N、depth:N、seconds:N、"
    "nodes:N，自带 AI，含 AI 的文件、文件夹或 zip，或 cmd:程序、gtp:程序、llm:名字等席位。",
)
@argument(
    "rivals",
    nargs=-1,
    en=f"The same; by default {_describe_default_rivals()}. Files and programs do not play"
    " against depth:N, seconds:N and nodes:N.",
    zh=f"同上；默认为 {_describe_default_rivals()}。文件与程序不与 depth:N、seconds:N、nodes:N"
    "对局。",
)
@SETTINGS_OPTION
@SEED_OPTION
@option("--bouts", type=IntegerParam(), default=100, en="Bouts per rival.", zh="每个对手的局数。")
@option(
    "--simulations",
    type=IntegerParam(),
    default=64,
    en="Simulations per move of a network.",
    zh="网络每步的模拟次数。",
)
@OPENINGS_OPTION
@option(
    "--jobs",
    type=IntegerParam(),
    default=0,
    en="Processes for alpha-beta; all cores if not given.",
    zh="alpha-beta 的进程数；默认用全部核心。",
)
@option(
    "--time",
    "budget",
    type=SecondsParam(),
    en="Thinking time for a bout of a program or a language model (gtp:, llm:).",
    zh="程序或语言模型（gtp:、llm:）每局的思考时间。",
)
@TRUST_OPTION
@JSON_OPTION
def COMMAND(
    game: str,
    subject: str,
    rivals: tuple[str, ...],
    settings: tuple[tuple[str, str], ...],
    seed: int | None,
    bouts: int,
    simulations: int,
    openings: str,
    jobs: int,
    trust: bool,
    budget: float | None,
    as_json: bool,
) -> int:
    from ludus.cli.options import parse_options
    from ludus.cli.rate_seats import is_seat, measure_seats
    from ludus.games.registry import open_game
    from ludus.learn.evaluation import (
        ANCHOR_OPENINGS,
        choose_openings,
        combine_measurements,
        find_anchor,
        measure,
    )
    from ludus.learn.opponents import make_search_pool

    rules = open_game(game)
    options = parse_options(rules, settings)
    first_moves = choose_openings(openings, rules, options)
    pool = make_search_pool(jobs or os.cpu_count() or 1)
    measurements = []
    try:
        for name in rivals or _default_rivals(rules, subject):
            if is_seat(subject, rules) or is_seat(name, rules):
                measured = measure_seats(
                    rules, options, (subject, name), bouts, seed or 0, first_moves, trust, budget
                )
            else:
                player = create_player(subject, rules, options, pool, simulations, seed or 0)
                rival = create_player(name, rules, options, pool, simulations, (seed or 0) + 1)
                measured = measure(rules, options, player, rival, bouts, seed or 0, first_moves)
            anchor = find_anchor(name, rules, options)
            if first_moves.spec != ANCHOR_OPENINGS:
                anchor = None
            measured = dataclasses.replace(measured, anchor=anchor)
            measurements.append(measured)
            if not as_json:
                print(format_rival(measured, rules), flush=True)
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)
    whole = combine_measurements(measurements)
    if as_json:
        from ludus.cli import output

        rated = [rival_json(measured) for measured in measurements]
        output.print_json(
            {
                "game": game,
                "subject": subject,
                "openings": first_moves.spec,
                "elo": whole._asdict() if whole else None,
                "rated": rated,
            }
        )
    elif whole is not None:
        elo = whole.format("")
        print(
            tr(
                f"Elo of {measurements[0].subject}: {elo}",
                f"{measurements[0].subject} 的 Elo：{elo}",
            )
        )
    return 0


def _default_rivals(game: Game, subject: str) -> tuple[str, ...]:
    """The fixed rivals; those that only this command knows cannot play against a seat."""
    from ludus.cli.rate_seats import is_lockstep, is_seat

    rivals = DEFAULT_RIVALS.get(game.name, OTHER_DEFAULT_RIVALS)
    if not is_seat(subject, game):
        return rivals
    return tuple(rival for rival in rivals if not is_lockstep(rival))


def create_player(
    spec: str, game: Game, options: Any, pool: Any, simulations: int, seed: int
) -> EvaluationOpponent:
    """Create the player with a name such as ``search:800`` or ``FILE.onnx``."""
    from ludus.learn.opponents import PolicyOpponent, TreeOpponent, find_opponent
    from ludus.learn.search import playing_parameters
    from ludus.learn.trainable_games import POLICY_GAMES

    kind, _, rest = spec.partition(":")
    file = rest if kind in ("policy", "learned") else spec
    if not file.endswith(".onnx"):
        return find_opponent(spec, game, options, pool, seed)
    if not Path(file).is_file():
        raise LudusError(f"network file {file} not found", f"找不到网络文件 {file}")
    name = Path(file).stem
    if game.name in POLICY_GAMES:
        from ludus.learn.policy_player import FieldPolicyOpponent, OnnxPolicy

        policy = OnnxPolicy(Path(file))
        policy.check_game(game, game.start(options, 0))
        alone = kind == "policy"
        return FieldPolicyOpponent(f"policy of {name}" if alone else name, policy, not alone)
    from ludus.learn.onnx_net import OnnxNet

    net = OnnxNet(Path(file))
    net.check_game(game, game.start(options, 0))
    if kind == "policy":
        return PolicyOpponent(game, f"policy of {name}", net)
    return TreeOpponent(game, name, playing_parameters(simulations), net, seed)


def format_rival(measured: Measurement, game: Game) -> str:
    """The result against one rival, as one line, and a second one about copies."""
    from ludus.rating.copies import describe_copies
    from ludus.rating.intervals import share_interval

    result = measured.score
    low, high = share_interval(result)
    elo = measured.elo.format("+" if measured.anchor is None else "")
    seats = "  ".join(
        f"{name} {f'{seat.share:.1%}' if seat.bouts else '–'} ({seat.won}-{seat.drawn}-{seat.lost})"
        for name, seat in zip(game.seat_names, measured.seats, strict=True)
    )
    line = tr(
        f"{measured.subject} against {measured.rival}: {result.share:.1%} [{low:.1%}, {high:.1%}]"
        f"  Elo {elo}  {seats}",
        f"{measured.subject} 对 {measured.rival}：{result.share:.1%} [{low:.1%}, {high:.1%}]"
        f"  Elo {elo}  {seats}",
    )
    if not measured.copies:
        return line
    note = describe_copies(measured.copies, result.bouts + measured.copies)
    return f"{line}\n  {translate(note)}"


def rival_json(measured: Measurement) -> dict[str, Any]:
    """The result against one rival as JSON, with the Elo by the original document's formula too."""
    from ludus.rating.elo import ANCHOR_ELO, estimate_document_elo, estimate_elo
    from ludus.rating.intervals import share_interval

    result, document = measured.score, estimate_document_elo(measured.result)
    return {
        "rival": measured.rival,
        "share": result.share,
        "interval": share_interval(result),
        "seats": [seat._asdict() | {"share": seat.share} for seat in measured.seats],
        "pairs": list(result.pairs),
        "copies": measured.copies,
        "plies": measured.plies,
        "difference": estimate_elo(result)._asdict(),
        "anchor": measured.anchor,
        "elo": measured.elo._asdict(),
        "document": {"elo": ANCHOR_ELO + document.delta, **document._asdict()},
    }
