"""``ludus serve``, also ``ludus`` without a command: runs the server and opens the page."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ludus import logs
from ludus.cli.cluster import cluster_options
from ludus.cli.command import command, option
from ludus.cli.param_types import ChoiceParam, GameBotParam, IntegerParam
from ludus.gc_pause import disable_gc
from ludus.home import require_writable_home
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.scheduling.cluster_key import Cluster

READER_MODULE = "ludus.compat.reader_process"
"""The module that reads files which people open on the page."""


@command(
    en="Run the server: watch, replay and play every game in the browser. Ctrl-C stops it.",
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
    type=IntegerParam(0, 65535),
    en="Listen on this port; 8048 or the next free one if not given.",
    zh="监听的端口；默认为 8048 或其后第一个空闲端口。",
)
@option(
    "--allow-host",
    "names",
    multiple=True,
    en="A host name by which others may open the page, besides IP addresses.",
    zh="除 IP 地址外，允许用来访问本页面的主机名。",
)
@option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    en="A proxy (address or network) whose X-Forwarded-For header is trusted; with --allow-host,"
    " by default the one on this machine.",
    zh="可信的代理（地址或网段），采用其 X-Forwarded-For 头；"
    "使用 --allow-host 时默认为本机的代理。",
)
@option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    en="A limit on the use of the server, e.g. rooms_per_guest=10 (docs/en/arena.md).",
    zh="服务器的使用限额，如 rooms_per_guest=10（见 docs/zh/arena.md）。",
)
@option(
    "--bot",
    "bots",
    type=GameBotParam(),
    multiple=True,
    en="A bot to play against besides the house bots, e.g. --bot reversi=my_bot.py.",
    zh="除自带 AI 外可以对弈的 AI，如 --bot reversi=my_bot.py。",
)
@option(
    "--database",
    default="",
    envvar="LUDUS_DATABASE",
    metavar="FILE|URL",
    en="The database of accounts and contests: a SQLite file, or postgresql://…."
    " A URL with a password is better given as LUDUS_DATABASE, which others cannot read.",
    zh="账号与比赛的保存处：SQLite 文件，或 postgresql://…。"
    "含密码的 URL 最好写在环境变量 LUDUS_DATABASE 中，以免他人看到。",
)
@option(
    "--jobs",
    type=IntegerParam(0),
    en="Bouts of ladders and contests at once; by default a core is left free. 0: none here.",
    zh="天梯与比赛同时进行的局数；默认留出一个核心。0：不在此进行。",
)
@cluster_options(
    en="Play on a Dask cluster (ludus worker) instead.",
    zh="改在 Dask 集群（ludus worker）上进行对局。",
)
@option(
    "--allow-plain",
    is_flag=True,
    en="Accept uploads even if jails are weak (see ludus doctor).",
    zh="即使沙箱较弱也接受上传（见 ludus doctor）。",
)
@option(
    "--smtp",
    default="",
    envvar="LUDUS_SMTP",
    metavar="URL",
    en="The mail server for notices by e-mail: smtp://user@host:587 (STARTTLS), smtps://user@host"
    " (TLS). The password is LUDUS_SMTP_PASSWORD, or in a file (docs/en/arena.md).",
    zh="用于邮件通知的服务器：smtp://user@host:587（STARTTLS）、smtps://user@host（TLS）。"
    "密码写在 LUDUS_SMTP_PASSWORD 或文件中（见 docs/zh/arena.md）。",
)
@option(
    "--smtp-password-file",
    default="",
    envvar="LUDUS_SMTP_PASSWORD_FILE",
    metavar="FILE",
    en="A file with the password of the mail server.",
    zh="存有邮件服务器密码的文件。",
)
@option(
    "--mail-from",
    default="",
    envvar="LUDUS_MAIL_FROM",
    metavar="ADDRESS",
    en="The address that mails come from.",
    zh="发件地址。",
)
@option(
    "--public-url",
    default="",
    envvar="LUDUS_PUBLIC_URL",
    metavar="URL",
    en="Where people open the page, for links in mails, invitations and QR codes; by default mails"
    " take the first --allow-host, the others the address of the page that makes them.",
    zh="人们打开本页面的地址，用于邮件、邀请和二维码中的链接；邮件默认用第一个 --allow-host，"
    "其余默认用生成链接时打开页面的地址。",
)
@option(
    "--log",
    default="",
    metavar="FILE",
    en="Write a line of JSON for every request to this file; - is stderr.",
    zh="把每个请求以一行 JSON 写入此文件；- 为标准错误。",
)
@option(
    "--log-level",
    type=ChoiceParam(logs.LEVELS),
    default=logs.DEFAULT_LEVEL,
    envvar=logs.LEVEL_VARIABLE,
    en="What to write of the server's own doings to stderr (also LUDUS_LOG_LEVEL):"
    " warnings if not given.",
    zh="服务器自身的日志写到标准错误的最低级别（也可用 LUDUS_LOG_LEVEL）；默认为 warning。",
)
@option("--no-browser", is_flag=True, en="Open no browser.", zh="不打开浏览器。")
@option("--no-demo", is_flag=True, en="Run no demo matches.", zh="不运行演示对局。")
def COMMAND(
    host: str,
    port: int | None,
    names: tuple[str, ...],
    proxies: tuple[str, ...],
    limits: tuple[str, ...],
    bots: tuple[tuple[str, str], ...],
    database: str,
    jobs: int | None,
    cluster: Cluster | None,
    allow_plain: bool,
    smtp: str,
    smtp_password_file: str,
    mail_from: str,
    public_url: str,
    log: str,
    log_level: str,
    no_browser: bool,
    no_demo: bool,
) -> int:
    with disable_gc():
        from ludus.server.mail.mail_settings import check_public_url, read_mail_settings
        from ludus.server.web.addresses import TrustedProxies
        from ludus.server.web.traffic_limits import parse_limits

    require_writable_home()
    jobs = default_jobs() if jobs is None else jobs
    page = public_url or (f"https://{names[0]}" if names else "")
    more = {
        "mail": read_mail_settings(smtp, mail_from, smtp_password_file, page),
        "public_url": check_public_url(public_url) if public_url else "",
        "proxies": tuple(TrustedProxies(proxies)),
        "limits": parse_limits(limits),
        "database": database,
        "jobs": jobs,
        "cluster": cluster,
        "allow_plain": allow_plain,
        "log": log,
    }
    return run_server(
        host,
        port,
        names=names,
        bots=bots,
        browser=not no_browser,
        demo=not no_demo,
        log_level=log_level,
        **more,
    )


def default_jobs() -> int:
    """All cores but one, which is left for the server itself."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


def run_server(
    host: str = "127.0.0.1",
    port: int | None = None,
    *,
    names: tuple[str, ...] = (),
    bots: tuple[tuple[str, str], ...] = (),
    browser: bool = True,
    demo: bool = True,
    log_level: str = "",
    **more: Any,
) -> int:
    """Run the server until Ctrl-C. If one of this home runs already, say where."""
    logs.configure_server("web", log_level)
    with disable_gc():
        from ludus.server import serve as server
        from ludus.server.accounts import first_account
        from ludus.server.embedded import open_browser
        from ludus.server.records.opened_files import reader_command
        from ludus.server.state import ServerSettings, ServerState
        from ludus.server.web.addresses import is_loopback
    from ludus.cli.main import TerminationRequested, report_interrupt
    from ludus.home import ludus_home

    if port is None and (url := server.find_running_server(ludus_home())):
        print(tr(f"Ludus is already open at {url}", f"弈场已经在 {url} 打开"))
        _print_first_account_link(url, first_account.read_code(ludus_home()))
        if browser:
            open_browser(url)
        return 0
    settings = ServerSettings(
        loopback=is_loopback(host) and not names,  # with names, a proxy serves others
        demo=demo,
        reader=reader_command(READER_MODULE),
        extra_bots=bots,
        host_names=names,
        **{"jobs": default_jobs(), **more},
    )
    state = ServerState(settings)
    state.site.has_no_accounts()  # fails here with a message if the database cannot be used
    if settings.database:
        state.site.database.check_usable()
    listener = server.listen(host, port)
    url = server.local_url(listener)

    def up() -> None:
        print(tr(f"Ludus is open at {url}  (Ctrl-C stops it)", f"弈场已打开：{url}（Ctrl-C 停止）"))
        others, no_accounts = url, state.site.has_no_accounts()
        if not settings.loopback:
            others = (f"https://{names[0]}" if names else server.network_url(listener)) or url
            print(tr(f"Others open {others}", f"其他人请打开 {others}"))
        first = state.site.first_account
        _print_first_account_link(others, first.code if no_accounts else "")
        sys.stdout.flush()
        if browser:
            open_browser(f"{url}/#code={first.browser_pass}" if no_accounts else url)

    try:
        server.run(state, listener, up)
    except TerminationRequested:
        raise
    except KeyboardInterrupt:
        return report_interrupt(tr("stopped", "已停止"))
    return 0


def _print_first_account_link(url: str, code: str) -> None:
    """Print where to create the first account; nothing if ``code`` is empty."""
    from ludus.server.accounts.first_account import make_welcome_url

    if code:
        print(
            tr(
                "There are no accounts yet, and none is needed to watch and play here. To create"
                f" the first one, the admin's, open\n  {make_welcome_url(url, code)}",
                "目前还没有账号；在这里观看和对局不需要账号。要创建第一个账号（管理员），请打开\n "
                f" {make_welcome_url(url, code)}",
            )
        )
