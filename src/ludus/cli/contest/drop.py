"""``ludus contest drop``: withdraws entrants."""

from __future__ import annotations

from ludus.cli.command import argument, command, option
from ludus.cli.contest.file import open_begun_store, open_contest
from ludus.cli.param_types import FileParam
from ludus.lang import tr


@command(
    en="Withdraw entrants. Their bouts so far still count; in a knockout their opponents go on.",
    zh="让参赛者退出。已进行的对局有效；淘汰赛中对手直接晋级。",
)
@argument("names", nargs=-1, required=True, metavar="NAME…", en="Their names.", zh="名称。")
@option(
    "--contest",
    "file",
    type=FileParam(),
    default="contest.toml",
    en="The contest's file (contest.toml).",
    zh="赛事文件（contest.toml）。",
)
def COMMAND(names: tuple[str, ...], file: str) -> int:
    from ludus.scheduling.contest_loading import load_ledger

    store = open_begun_store(open_contest(file))
    left = load_ledger(store).next_round()
    for name in names:
        store.drop_entrant(name, left)
        print(tr(f"{name} is withdrawn", f"{name} 已退出"))
    return 0
