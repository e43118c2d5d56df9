"""``ludus contest rejudge``: voids bouts, so that they are played again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.called import program_name
from ludus.cli.command import argument, command, option
from ludus.cli.contest.file import open_begun_store, open_contest
from ludus.cli.param_types import FileParam
from ludus.errors import LudusError
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.contest.ledger import Ledger


@command(
    en="Replay bouts with the same seeds: those of matches, of bots, or those that ended"
    " by a verdict. The old ones stay in the database but do not count. Bouts against entrants"
    " that have left stay as they are.",
    zh="用同样的种子重新进行对局：某些场次、某些 AI，或某种判定的对局。"
    "旧的仍保存在数据库中，但不计入。与已退出参赛者的对局保持不变。",
)
@argument(
    "matches",
    nargs=-1,
    metavar="[MATCH…]",
    en="Ids of matches, as ludus contest status --json shows them.",
    zh="场次编号，见 ludus contest status --json。",
)
@option("--bot", multiple=True, metavar="NAME", en="All bouts of a bot.", zh="某个 AI 的全部对局。")
@option(
    "--verdict",
    multiple=True,
    metavar="KIND",
    en="All bouts with this verdict, such as crash.",
    zh="以此判定结束的全部对局，如 crash。",
)
@option(
    "--contest",
    "file",
    type=FileParam(),
    default="contest.toml",
    en="The contest's file (contest.toml).",
    zh="赛事文件（contest.toml）。",
)
def COMMAND(
    matches: tuple[str, ...], bot: tuple[str, ...], verdict: tuple[str, ...], file: str
) -> int:
    from ludus.scheduling.contest_loading import load_ledger, resolve_source

    contest = open_contest(file)
    store = open_begun_store(contest)
    if not matches and not bot and not verdict:
        raise LudusError(
            "name matches, --bot or --verdict: what is to be played again?",
            "请给出场次、--bot 或 --verdict：重新进行哪些对局？",
        )
    programs = {each.entrant.name: each for each in store.load_entrants()}
    for name in bot:
        if name not in programs:
            raise LudusError(f"there is no entrant {name!r}", f"没有名为 {name!r} 的参赛者")
    chosen = _select_bouts(load_ledger(store), matches, bot, verdict)
    digests = {
        name: resolve_source(programs[name].bot, contest.game, contest.folder).digest
        for name in bot
    }
    for name, digest in digests.items():
        store.update_digest(name, digest)
    count = store.void_bouts(chosen, " ".join([*matches, *bot, *verdict]))
    if not count:
        print(
            tr(
                "no bout is played again, those against entrants that have left stay as they are;"
                f" {', '.join(bot)} go on as they are now with: {program_name()} contest resume",
                "没有对局需要重新进行，与已退出参赛者的对局保持不变；"
                f"{'、'.join(bot)} 将以现在的程序继续：{program_name()} contest resume",
            )
        )
        return 0
    print(
        tr(
            f"{count} bouts will be played again with: {program_name()} contest resume",
            f"{count} 局将重新进行：{program_name()} contest resume",
        )
    )
    return 0


def _select_bouts(
    ledger: Ledger, matches: tuple[str, ...], bots: tuple[str, ...], verdicts: tuple[str, ...]
) -> list[tuple[str, int]]:
    for match in matches:
        if match not in ledger.pairings:
            raise LudusError(
                f"match {match!r} has no played bouts", f"没有进行过场次 {match!r} 的对局"
            )
    gone = {entrant.name for entrant in ledger.entrants if entrant.dropped}
    chosen = [
        (key, facts)
        for key, facts in ledger.bouts.items()
        if key[0] in matches or facts.verdict in verdicts or not set(bots).isdisjoint(facts.names)
    ]
    kept = [key for key, facts in chosen if gone.isdisjoint(facts.names)]
    if chosen and not kept and not bots:
        raise LudusError(
            "these are bouts of entrants that have left; they cannot be played again",
            "这些都是已退出参赛者的对局，不能重新进行",
        )
    return kept
