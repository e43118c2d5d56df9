"""``ludus tour``: a short introduction, a demo bout and suggestions."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from ludus.called import program_name
from ludus.cli import output
from ludus.cli.command import command
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.cli.options import SeriesPlan
    from ludus.games.base import Game

DEMO_GAME = "duel2048"
DEMO_BOTS = ("greedy", "random")
DEMO_ROUNDS = 40
DEMO_SECONDS = 6.0
DEMO_SEED = 2048


@command(
    en="A short introduction, a demo bout, and what to try next.",
    zh="简介、一小局对局和下一步建议。",
)
def COMMAND() -> int:
    console = output.stdout_console()
    console.print(introduction())
    console.print()
    _play_demo()
    console.print()
    console.print(next_steps())
    return 0


def introduction() -> str:
    return tr(
        "Ludus is an arena for game-playing programs. You write a bot in a few lines of Python;"
        " Ludus plays it against others in processes of their own, counts their CPU time, keeps"
        " every bout as a record, and shows which bot is stronger and why a bot lost.\n\n"
        "Here is a short bout of Duel 2048 (Ctrl-C skips it):",
        "弈场 Ludus 是游戏 AI 的竞技场。用几行 Python 写一个 AI，"
        "Ludus 让它在独立进程中与别的 AI 对局，计算 CPU 时间，保存每局录像，"
        "告诉你谁更强、为什么输。\n\n下面是一小局“贰零肆捌”（按 Ctrl-C 跳过）：",
    )


def next_steps() -> str:
    rows = [
        ("", tr("the page: watch and play in the browser", "打开网页：在浏览器中观看和对弈")),
        ("play duel2048 greedy random --watch", tr("watch a whole bout", "观看完整一局")),
        ("new bot mybot.py --game duel2048", tr("create your own bot", "新建你的 AI")),
        ("check mybot.py --game duel2048", tr("what is wrong with it?", "检查它有无问题")),
        ("match duel2048 mybot.py greedy", tr("is it stronger?", "它更强吗？")),
        ("replay show", tr("look at the last bout", "查看上一局")),
        ("--help", tr("everything else", "其他命令")),
    ]
    rows = [(f"{program_name()} {line}".rstrip(), what) for line, what in rows]
    width = max(len(line) for line, _ in rows) + 2
    head = tr("Try next:", "接下来可以试试：")
    return "\n".join([head, *(f"  {line:{width}}{what}" for line, what in rows)])


def _play_demo() -> None:
    from ludus.cli.live import play_all
    from ludus.cli.report import outcome_sentence
    from ludus.cli.results import BoutResultRow
    from ludus.cli.session import Session

    plan = make_demo_plan(watch=sys.stdout.isatty())
    rows: list[BoutResultRow] = []
    with contextlib.suppress(KeyboardInterrupt):
        rows = play_all(Session.from_plan(plan))
    for row in rows:
        if not plan.watch:
            versus = tr(" against ", " 对 ").join(row.names)
            print(f"{versus}{tr(': ', '：')}{outcome_sentence(row)}")


def make_demo_plan(*, watch: bool) -> SeriesPlan:
    """A short bout between two house bots."""
    from ludus.bots.resolve import resolve_bot
    from ludus.cli.options import SeriesPlan
    from ludus.games.registry import get
    from ludus.match.series import plan_bouts
    from ludus.match.spec import MatchSpec

    game: Game = get(DEMO_GAME)
    house = game.bots()
    names = [name if name in house else next(iter(house)) for name in DEMO_BOTS]
    options: Any = game.Options.parse({"rounds": DEMO_ROUNDS})
    return SeriesPlan(
        spec=MatchSpec.for_game(
            game,
            options.as_json(),
            (resolve_bot(name, game) for name in names),
            plan_bouts(len(game.seats), 1, DEMO_SEED, swap=False),
        ),
        game=game,
        clock=game.clock,
        seed=DEMO_SEED,
        jobs=1,
        watch=watch,
        delay=DEMO_SECONDS / (4 * DEMO_ROUNDS),
        save=None,
        logs=None,
    )
