"""``ludus serve``, and ``ludus`` alone: the page in the browser."""

from __future__ import annotations

import sys

from ludus.cli.command import command, option
from ludus.cli.values import Count, Opponent
from ludus.lang import tr

READER = "ludus.originals.desk"
"""The program that reads files people open on the page."""


@command(
    en="The page: watch, replay and play every game in the browser. Ctrl-C stops it.",
    zh="打开网页：在浏览器中观看、复盘、对弈所有游戏。按 Ctrl-C 停止。",
)
@option(
    "--host",
    default="127.0.0.1",
    en="Listen on this address (127.0.0.1: only this machine; 0.0.0.0: the whole network).",
    zh="监听的地址（127.0.0.1：仅本机；0.0.0.0：整个网络）。",
)
@option(
    "--port",
    type=Count(0),
    en="Listen on this port; 8048 or the next free one if not given.",
    zh="监听的端口；默认为 8048 或其后第一个空闲端口。",
)
@option(
    "--allow-host",
    "names",
    multiple=True,
    en="A name under which others open the page, besides addresses.",
    zh="除 IP 地址外，允许用来访问本页面的主机名。",
)
@option(
    "--bot",
    "bots",
    type=Opponent(),
    multiple=True,
    en="A bot to play against besides the house bots, e.g. --bot reversi=my_bot.py.",
    zh="除自带 AI 外可以对弈的 AI，如 --bot reversi=my_bot.py。",
)
@option("--no-browser", is_flag=True, en="Open no browser.", zh="不打开浏览器。")
@option("--no-demo", is_flag=True, en="Run no demo matches.", zh="不运行演示对局。")
def COMMAND(
    host: str,
    port: int | None,
    names: tuple[str, ...],
    bots: tuple[tuple[str, str], ...],
    no_browser: bool,
    no_demo: bool,
) -> int:
    return serve(host, port, names=names, bots=bots, browser=not no_browser, demo=not no_demo)


def serve(
    host: str = "127.0.0.1",
    port: int | None = None,
    *,
    names: tuple[str, ...] = (),
    bots: tuple[tuple[str, str], ...] = (),
    browser: bool = True,
    demo: bool = True,
) -> int:
    """Run the server until Ctrl-C. If one of this home runs already, say where."""
    from ludus.arena import serve as server
    from ludus.arena.services import Arena, Settings
    from ludus.arena.uploads import reader_command
    from ludus.arena.visit import open_browser
    from ludus.cli.main import Asked
    from ludus.home import home

    if port is None and (url := server.running(home())):
        print(tr(f"Ludus is already open at {url}", f"弈场已经在 {url} 打开"))
        if browser:
            open_browser(url)
        return 0
    settings = Settings(
        loopback=server.is_loopback(host),
        demo=demo,
        reader=reader_command(READER),
        bots=bots,
        names=names,
    )
    arena = Arena(settings)
    listener = server.listen(host, port)
    url = server.url_of(listener)

    def up() -> None:
        print(tr(f"Ludus is open at {url}  (Ctrl-C stops it)", f"弈场已打开：{url}（Ctrl-C 停止）"))
        if not settings.loopback:
            print(tr("Everybody in this network can use it.", "本网络中的任何人都可以使用它。"))
        sys.stdout.flush()
        if browser:
            open_browser(url)

    try:
        server.run(arena, listener, up)
    except Asked:
        raise
    except KeyboardInterrupt:
        print(tr("\nstopped", "\n已停止"))
    return 0
