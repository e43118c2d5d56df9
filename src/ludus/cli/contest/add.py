"""``ludus contest add``: adds entrants."""

from __future__ import annotations

from ludus.cli.command import argument, command, option
from ludus.cli.contest.file import open_contest
from ludus.cli.param_types import BotParam, FileParam
from ludus.lang import tr


@command(
    en="Add bots to a contest, before it begins or while it runs.",
    zh="让 AI 加入，赛事开始之前或进行之中均可。",
)
@argument(
    "bots", type=BotParam(), nargs=-1, required=True, metavar="BOT…", en="The bots.", zh="AI。"
)
@option("--group", default="", metavar="NAME", en="The group to join.", zh="加入的小组。")
@option(
    "--contest",
    "file",
    type=FileParam(),
    default="contest.toml",
    en="The contest's file (contest.toml).",
    zh="赛事文件（contest.toml）。",
)
def COMMAND(bots: tuple[str, ...], group: str, file: str) -> int:
    from ludus.contest.settings import BotEntry
    from ludus.scheduling.contest_loading import relative_bot_path

    contest = open_contest(file)
    entries = [
        BotEntry(relative_bot_path(bot, contest.game, contest.folder), group=group) for bot in bots
    ]
    for program in contest.add_entrants(entries):
        print(tr(f"{program.entrant.name} takes part", f"{program.entrant.name} 已加入"))
    return 0
