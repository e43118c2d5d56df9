"""All commands with their help texts, without importing them."""

from __future__ import annotations

from ludus.lang import Text, tr, translate


class CommandEntry:
    """One command: its name, module and help text."""

    def __init__(self, name: str, module: str, text: Text) -> None:
        self.name, self.module, self.text = name, module, text


def make_entry(name: str, module: str, en: str, zh: str) -> CommandEntry:
    return CommandEntry(name, f"ludus.cli.{module}", Text(en, zh))


SECTIONS: dict[str, tuple[Text, tuple[CommandEntry, ...]]] = {
    "play": (
        Text("Play", "对局"),
        (
            make_entry(
                "serve",
                "serve",
                "Open the page: watch, replay and play in the browser.",
                "打开网页：在浏览器中观看、复盘、对弈。",
            ),
            make_entry("play", "play", "Play bouts between bots.", "让 AI 对局。"),
            make_entry(
                "match",
                "match",
                "Which of two bots is stronger? Seats swapped on equal seeds.",
                "两个 AI 谁更强？同样的种子，轮换座位。",
            ),
            make_entry(
                "judge",
                "judge",
                "Judge a Saiblo match: a game's logic and AIs in any language.",
                "运行 Saiblo 对局：游戏逻辑与任意语言的 AI。",
            ),
            make_entry(
                "challenge",
                "challenge",
                "The Tablut challenge: its server, or a bot on another server.",
                "Tablut 挑战赛：作为服务器，或让 AI 到别人的服务器上对局。",
            ),
            make_entry(
                "contest",
                "contest",
                "Many bots: round robin, groups, knockout, Swiss, ladder.",
                "多个 AI：循环赛、小组赛、淘汰赛、瑞士制、天梯。",
            ),
            make_entry(
                "sprt",
                "sprt",
                "Is my new version better? Stops as soon as it is clear.",
                "新版本更强吗？一有定论即停止。",
            ),
            make_entry(
                "engine",
                "engine",
                "Play a bot on other people's boards, over GTP.",
                "通过 GTP 让 AI 在别人的棋盘上下棋。",
            ),
            make_entry("worker", "worker", "Play bouts for a cluster.", "为集群进行对局。"),
            make_entry(
                "remote",
                "remote",
                "Use a Ludus server elsewhere: upload, challenge, results.",
                "远程弈场：上传、挑战、查看结果。",
            ),
        ),
    ),
    "look": (
        Text("Look", "查看"),
        (
            make_entry(
                "replay",
                "replay",
                "Show, verify, convert and summarise records.",
                "查看、验证、转换、统计录像。",
            ),
            make_entry(
                "analyse",
                "analyse",
                "Which moves lost the bout? Mistakes and better moves of a record.",
                "哪一步输了棋？找出录像中的失误与更好的着法。",
            ),
            make_entry(
                "why",
                "why",
                "Why was this bout lost? Faults explained, with the clock and the line.",
                "这一局为什么输了？解释异常，附计时与出错行。",
            ),
            make_entry(
                "matchup",
                "matchup",
                "Two bots head to head: by seat, opening, version and over time.",
                "两个 AI 的交锋记录：按座位、开局、版本与时间。",
            ),
            make_entry("games", "games", "List the games and their options.", "游戏及其选项。"),
            make_entry("bots", "bots", "List the house bots of a game.", "游戏自带的 AI。"),
            make_entry(
                "playthrough",
                "playthrough",
                "A random bout as text, with everything that can be observed.",
                "随机一局的完整文字记录，包含一切可观察的内容。",
            ),
            make_entry(
                "perft",
                "perft",
                "Count the sequences of moves from the start: a check of rules and speed.",
                "统计从开局起的着法序列数，用于核对规则与速度。",
            ),
        ),
    ),
    "write": (
        Text("Write", "编写"),
        (
            make_entry("new", "new", "Create a bot or a game.", "新建 AI 或游戏。"),
            make_entry(
                "check",
                "check",
                "What is wrong with my bot? Plays it in odd situations.",
                "我的 AI 有什么问题？在各种特殊情况下试一试。",
            ),
            make_entry(
                "debug",
                "debug",
                "My bot at any moment of a recorded bout, under a debugger.",
                "让我的 AI 回到录像的任意一步，用调试器查看。",
            ),
            make_entry(
                "tune",
                "tune",
                "Find better values for the numbers in my bot, by playing.",
                "通过对局，为 AI 中的参数找到更好的值。",
            ),
            make_entry(
                "mcp",
                "mcp",
                "Tools for coding agents (Model Context Protocol).",
                "供编程智能体使用的工具（Model Context Protocol）。",
            ),
            make_entry(
                "train",
                "train",
                "Train a network by self-play.",
                "通过自我对弈训练网络。",
            ),
            make_entry(
                "rate",
                "rate",
                "How strong is it? Bouts against fixed rivals, with Elo.",
                "有多强？与固定对手对局并给出 Elo。",
            ),
        ),
    ),
    "system": (
        Text("This machine", "本机"),
        (
            make_entry("tour", "tour", "A one-minute introduction.", "一分钟简介。"),
            make_entry("doctor", "doctor", "Check this machine.", "检查运行环境。"),
            make_entry(
                "add", "add", "Install a package for bots and games.", "为 AI 和游戏安装软件包。"
            ),
            make_entry(
                "python", "python", "Run the Python that Ludus uses.", "Ludus 所用的 Python。"
            ),
            make_entry(
                "backup", "backup", "Back up a server to one file.", "把服务器数据备份为一个文件。"
            ),
            make_entry("restore", "restore", "Restore a server from a backup.", "从备份恢复。"),
            make_entry(
                "completion", "completion", "Tab completion for your shell.", "命令行自动补全。"
            ),
        ),
    ),
}

COMMANDS = {each.name: each for _, entries in SECTIONS.values() for each in entries}


def overview() -> str:
    """The output of ``ludus --help``."""
    usage = tr("Usage: ludus [COMMAND] …", "用法：ludus [命令] …")
    about = tr(
        "Ludus is an arena for game-playing programs: write a bot, play, look, improve.",
        "弈场 Ludus：游戏 AI 的竞技场——写 AI、对局、复盘、改进。",
    )
    lines = [usage, "", f"  {about}", ""]
    width = max(map(len, COMMANDS)) + 2
    for title, entries in SECTIONS.values():
        lines.append(f"{translate(title)}{tr(':', '：')}")
        lines += [f"  {each.name:{width}}{translate(each.text)}" for each in entries]
        lines.append("")
    return "\n".join([*lines, help_footer()])


def help_footer() -> str:
    return tr(
        "Options:\n"
        "  -h, --help  this text; ludus COMMAND --help describes a command\n"
        "  --version   the version\n\n"
        "Without a command: open the page in the browser.  Language: LUDUS_LANG=en or zh.\n",
        "选项：\n"
        "  -h, --help  显示本说明；ludus 命令 --help 显示该命令的详细说明\n"
        "  --version   显示版本\n\n"
        "不带命令：在浏览器中打开网页。  语言：LUDUS_LANG=en 或 zh。\n",
    )
