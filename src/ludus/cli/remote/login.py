"""``ludus remote login``: saves a server's address and the user's token."""

from __future__ import annotations

import sys

from ludus.cli.command import argument, command, option
from ludus.errors import LudusError
from ludus.lang import tr


@command(
    en="Log in to a Ludus server with a token from its page (/me). The token is kept in LUDUS_HOME,"
    " readable by you alone.",
    zh="用网页（/me）上生成的令牌登录弈场。令牌保存在 LUDUS_HOME 中，仅你可读。",
)
@argument("url", en="Its address, http://….", zh="地址，http://…。")
@option(
    "--token",
    default="",
    en="The token. Other users of this machine can see it in the list of processes: leave it out,"
    " and it is asked for, or read from standard input.",
    zh="令牌。本机其他用户可在进程列表中看到它：不给则询问，或从标准输入读取。",
)
def COMMAND(url: str, token: str) -> int:
    from getpass import getpass

    from ludus.cli.remote.answers import MeReply
    from ludus.cli.remote.http_client import RemoteClient, save_login

    if not url.startswith(("http://", "https://")):
        raise LudusError(f"{url} does not begin with http://", f"{url} 应以 http:// 开头")
    if not token:
        prompt = tr("token: ", "令牌：")
        token = getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline()
    token = token.strip()
    user = RemoteClient(url, token).get("/api/me", MeReply).user
    if user is None:
        raise LudusError("this token is not valid (any more)", "令牌无效或已撤销")
    save_login(url, token)
    print(tr(f"logged in to {url} as {user.name}", f"已以 {user.name} 登录 {url}"))
    return 0
