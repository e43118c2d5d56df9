"""``ludus restore``: a server's data from its backup."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import argument, command, option
from ludus.cli.param_types import FileParam
from ludus.lang import tr


@command(
    en="Restore a backup into an empty database.",
    zh="把备份恢复到空数据库。",
)
@argument(
    "file", type=FileParam(), en="The file that ludus backup wrote.", zh="ludus backup 写出的文件。"
)
@option(
    "--database",
    default="",
    envvar="LUDUS_DATABASE",
    metavar="FILE|URL",
    en="The database, as for ludus serve.",
    zh="数据库，同 ludus serve。",
)
def COMMAND(file: str, database: str) -> int:
    from ludus.home import ludus_home
    from ludus.server.accounts.context import DATABASE_FILE_NAME
    from ludus.server.admin import backup

    address = database or str(ludus_home() / DATABASE_FILE_NAME)
    counts = backup.restore_backup(Path(file).expanduser(), address)
    users, bouts = counts["users"], counts["bouts"]
    print(
        tr(
            f"restored: {users} people, {bouts} bouts",
            f"已恢复：{users} 人，{bouts} 局",
        )
    )
    return 0
