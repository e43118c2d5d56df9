"""``ludus remote upload``: uploads a version of a bot and shows the result of its check."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli.command import argument, command, option
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import FileParam, GameParam, IntegerParam
from ludus.errors import LudusError
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.cli.remote.answers import VersionReply
    from ludus.cli.remote.http_client import RemoteClient

NAME_TAKEN = "name_taken"
"""The server's code for a name that another bot has."""


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
@JSON_OPTION
def COMMAND(
    bot: str,
    game: str,
    name: str,
    remark: str,
    enter: bool,
    assignment: int | None,
    as_json: bool,
) -> int:
    import msgspec

    from ludus.cli.output import print_json
    from ludus.cli.remote.hand_in import hand_in
    from ludus.cli.remote.http_client import open_saved_remote

    remote = open_saved_remote()
    say: Callable[[str], None] = (lambda line: None) if as_json else print
    path = Path(bot).expanduser()
    name = name or path.stem
    fields = {"remark": remark, "enter": "1" if enter else ""}
    version = _upload(remote, path, game, name, fields)
    say(tr(f"{name} #{version.number}: uploaded", f"{name} #{version.number}：已上传"))
    version = _wait_for_check(remote, version.id)
    if not as_json:
        _print_check(version)
    submission = None
    if version.state == "good" and assignment is not None:
        submission = hand_in(remote, assignment, version.id, say)
    if as_json:
        print_json(
            {
                "bot": name,
                **_version_as_json(version),
                "submission": msgspec.to_builtins(submission),
            }
        )
    return 0 if version.state == "good" else 1


def _upload(
    remote: RemoteClient, path: Path, game: str, name: str, fields: dict[str, str]
) -> VersionReply:
    """Upload a version of the bot of that name, or the bot."""
    from ludus.cli.remote.answers import BotPageReply, NewBotReply, VersionReply
    from ludus.cli.remote.http_client import read_files

    mine = remote.get(f"/api/bots?mine=1&limit=100&game={game}", BotPageReply).items
    found = next((each for each in mine if each.name.casefold() == name.casefold()), None)
    files = read_files(path)
    if found is None:
        given = {**fields, "game": game, "name": name}
        try:
            return remote.post_files("/api/bots", files, given, NewBotReply).versions[0]
        except LudusError as error:
            if error.code != NAME_TAKEN:
                raise
            raise error.rephrase(
                f"{error.text.en}; choose another with --name",
                f"{error.text.zh}；请用 --name 换一个名字",
            ) from None
    return remote.post_files(f"/api/bots/{found.id}/versions", files, fields, VersionReply)


def _version_as_json(version: VersionReply) -> dict[str, Any]:
    """The version and the findings of its check, in the form of ``ludus check --json``."""
    from ludus.findings import finding_as_json

    check = version.check
    titles = [bout.title for bout in check.bouts] if check else []
    return {
        "version": version.number,
        "id": version.id,
        "usable": version.state == "good",
        "findings": [finding_as_json(each, titles) for each in check.findings] if check else [],
        "stderr": check.stderr if check else "",
    }


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
