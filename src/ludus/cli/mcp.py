"""``ludus mcp``: tools for coding agents."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import command, option
from ludus.cli.param_types import FolderParam
from ludus.errors import LudusError
from ludus.packages import add_command


@command(
    en="Give coding agents tools over stdin and stdout (Model Context Protocol): rules, starter,"
    " check, play, match, results, explain. Agents start it themselves; they can use only the"
    " files of one folder.",
    zh="通过标准输入输出为编程智能体提供工具（Model Context Protocol）：规则、起始代码、检查、"
    "对局、比赛、结果、讲解。由智能体自行启动，只能使用一个文件夹中的文件。",
)
@option(
    "--folder",
    type=FolderParam(),
    default=".",
    en="The folder with the agent's files; by default the current one.",
    zh="智能体文件所在的文件夹；默认为当前文件夹。",
)
def COMMAND(folder: str) -> int:
    from ludus.compat.mcp.workspace import Workspace

    try:
        from ludus.compat.mcp.server import serve
    except ImportError:
        install = add_command("[mcp]")
        raise LudusError(
            f"ludus mcp needs the library mcp, version 2 or later: {install}",
            f"ludus mcp 需要 mcp 库，版本 2 或更高：{install}",
        ) from None
    if not Path(folder).is_dir():
        raise LudusError(f"there is no folder {folder}", f"没有文件夹 {folder}")
    serve(Workspace(Path(folder)))
    return 0
