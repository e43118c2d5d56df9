"""``ludus remote upload``: uploads a version of a bot and shows the result of its check."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli.command import argument, command, option
from ludus.cli.param_types import FileParam, GameParam, IntegerParam
from ludus.errors import LudusError
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.cli.remote.answers import VersionReply
    from ludus.cli.remote.http_client import RemoteClient


@command(
    en="Upload a file, a folder or a zip as a new version of a bot (created if none has that"
    " name) and wait for its check; hand it in for an assignment if asked to. Exit code 0: it is"
    " good; 1: it was refused.",
    zh="把文件、文件夹或 zip 作为 AI 的新版本上传（没有则新建），并等待检查；可同时提交作业。"
    "退出码 0：通过；1：未通过。",
)
@argument("bot", type=FileParam(), en="What to upload.", zh="要上传的文件。")
@option("--game", type=GameParam(), required=True, en="The game it plays.", zh="它玩的游戏。")
@option(
    "--name", default="", en="The bot's name; by default the file's.", zh="AI 名；默认取文件名。"
)
@option("--remark", default="", en="A comment on this version.", zh="版本说明。")
@option(
    "--enter", is_flag=True, en="Enter the ladder if the check succeeds.", zh="通过后参加天梯。"
)
@option(
    "--assignment",
    type=IntegerParam(1),
    en="Hand it in for the assignment of this number (in its address), and show the points.",
    zh="提交到该编号的作业（见作业网址），并显示得分。",
)
def COMMAND(
    bot: str, game: str, name: str, remark: str, enter: bool, assignment: int | None
) -> int:
    from ludus.cli.remote.answers import BotPageReply, NewBotReply
    from ludus.cli.remote.answers import VersionReply as Uploaded
    from ludus.cli.remote.hand_in import hand_in
    from ludus.cli.remote.http_client import open_saved_remote, read_files

    remote = open_saved_remote()
    path = Path(bot).expanduser()
    name = name or path.stem
    fields = {"remark": remark, "enter": "1" if enter else ""}
    mine = remote.get(f"/api/bots?mine=1&limit=100&game={game}", BotPageReply).items
    found = next((each for each in mine if each.name.casefold() == name.casefold()), None)
    files = read_files(path)
    if found is None:
        given = {**fields, "game": game, "name": name}
        version = remote.post_files("/api/bots", files, given, NewBotReply).versions[0]
    else:
        version = remote.post_files(f"/api/bots/{found.id}/versions", files, fields, Uploaded)
    print(tr(f"{name} #{version.number}: uploaded", f"{name} #{version.number}：已上传"))
    version = _wait_for_check(remote, version.id)
    _print_check(version)
    if version.state != "good":
        return 1
    if assignment is not None:
        hand_in(remote, assignment, version.id)
    return 0


def _wait_for_check(remote: RemoteClient, id: int) -> VersionReply:
    from ludus.cli.remote.answers import VersionReply

    until = time.monotonic() + 600
    while time.monotonic() < until:
        version = remote.get(f"/api/versions/{id}", VersionReply)
        if version.state != "checking":
            return version
        time.sleep(0.5)
    raise LudusError("it is still being checked; look later", "仍在检查中；请稍后查看")


def _print_check(version: VersionReply) -> None:
    from ludus.cli.findings import render_findings
    from ludus.cli.output import escape_unsafe, stdout_console

    console = stdout_console()
    good = version.state == "good"
    if check := version.check:
        for line in render_findings(check.findings, [bout.title for bout in check.bouts]):
            console.print(line)
        if not good and check.stderr:
            print(escape_unsafe(check.stderr))
    print(tr("good", "通过") if good else tr("refused", "未通过"))
