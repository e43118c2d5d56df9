"""``ludus remote watch``: opens a bout of a server in the browser."""

from __future__ import annotations

from ludus.cli.command import argument, command, option
from ludus.lang import tr


@command(
    en="Open a bout of the server in the browser; without a number, one that is played now.",
    zh="在浏览器中打开弈场的一局；不给编号则打开正在进行的对局。",
)
@argument("bout", required=False, default="", en="Its number.", zh="编号。")
@option("--no-browser", is_flag=True, en="Only print the address.", zh="只打印地址。")
def COMMAND(bout: str, no_browser: bool) -> int:
    from ludus.cli.remote.answers import BoutReply, LiveBoutReply
    from ludus.cli.remote.http_client import open_saved_remote
    from ludus.server.embedded import open_browser
    from ludus.server.page_links import page_link

    remote = open_saved_remote()
    if bout:
        film = remote.get(f"/api/bouts/{int(bout)}", BoutReply).film if bout.isdecimal() else bout
        url = page_link("/watch/:id", film, base=remote.url)
    else:
        live = remote.get("/api/live", list[LiveBoutReply])
        if not live:
            print(tr("nothing is being played there now", "现在没有正在进行的对局"))
            return 0
        url = page_link("/watch/:id", live[0].id, base=remote.url)
    print(url)
    if not no_browser:
        open_browser(url)
    return 0
