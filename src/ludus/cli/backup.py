"""``ludus backup``: a server's data in one file."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import argument, command, option
from ludus.cli.param_types import FileParam
from ludus.lang import tr


@command(
    en="Write accounts, bots, contests and records into one file, also while the server runs.",
    zh="把账号、AI、赛事与录像写入一个文件，服务器运行时也可以。",
)
@argument("file", type=FileParam(), en="The file to write.", zh="写入的文件。")
@option(
    "--database",
    default="",
    envvar="LUDUS_DATABASE",
    metavar="FILE|URL",
    en="The server's database, as for ludus serve.",
    zh="数据库，同 ludus serve。",
)
def COMMAND(file: str, database: str) -> int:
    from ludus.errors import LudusError
    from ludus.home import ludus_home
    from ludus.server.accounts.context import DATABASE_FILE_NAME
    from ludus.server.admin import backup
    from ludus.server.database import Database

    site = Database(database or str(ludus_home() / DATABASE_FILE_NAME))
    if not site.exists():
        raise LudusError(
            f"{site.address} does not exist, so there is nothing to back up",
            f"{site.address} 不存在，没有可备份的内容",
        )
    counts = backup.write_backup(site, Path(file).expanduser())
    users, bouts = counts["users"], counts["bouts"]
    print(
        tr(
            f"written: {file} ({users} people, {bouts} bouts)",
            f"已写入：{file}（{users} 人，{bouts} 局）",
        )
    )
    return 0
