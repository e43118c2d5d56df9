"""``ludus remote challenge``: plays bouts between bots of a server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ludus.cli.command import argument, command, option
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import GameParam, IntegerParam
from ludus.cli.remote.naming import resolve_bot
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.cli.remote.answers import ChallengeReply


@command(
    en="Let bots of the server play and wait for the result: names of bots, or of house bots.",
    zh="让弈场中的 AI 对局并等待结果：AI 名或自带 AI 名。",
)
@argument("game", type=GameParam(), en="The game.", zh="游戏。")
@argument("bots", nargs=-1, required=True, metavar="BOT…", en="The bots that play.", zh="参加者。")
@option("--bouts", type=IntegerParam(1), default=2, en="Number of bouts (2).", zh="局数（2）。")
@option("--no-wait", is_flag=True, en="Do not wait for the result.", zh="不等待结果。")
@JSON_OPTION
def COMMAND(game: str, bots: tuple[str, ...], bouts: int, no_wait: bool, as_json: bool) -> int:
    from ludus.cli.output import print_json
    from ludus.cli.remote.answers import ChallengeReply
    from ludus.cli.remote.http_client import open_saved_remote
    from ludus.server.page_links import page_link

    remote = open_saved_remote()
    chosen = [resolve_bot(remote, game, bot) for bot in bots]
    wish = {"game": game, "bots": chosen, "bouts": bouts}
    made = remote.post("/api/challenges", wish, ChallengeReply)
    link = page_link("/challenges/:id", made.id, base=remote.url)
    if not as_json:
        print(link)
    while not no_wait and made.state == "running":
        time.sleep(0.5)
        made = remote.get(f"/api/challenges/{made.id}", ChallengeReply)
    if as_json:
        print_json({**remote.get(f"/api/challenges/{made.id}", dict[str, Any]), "link": link})
    else:
        _print_result(made)
    return 0


def _print_result(made: ChallengeReply) -> None:
    for player, score in zip(made.players, made.score, strict=False):
        print(f"  {player.name:30} {score:g}")
    for bout in made.bouts:
        for seated in bout.players:
            if seated.fault:
                kind = seated.fault.kind
                print(tr(f"  {seated.name}: {kind}", f"  {seated.name}：{kind}"))
