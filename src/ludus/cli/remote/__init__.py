"""``ludus remote``: uses a Ludus server on another machine."""

from __future__ import annotations

from ludus.cli.command import LazyGroup
from ludus.cli.command_registry import make_entry
from ludus.lang import Text

ENTRIES = (
    make_entry("login", "remote.login", "Say where it is and who you are.", "登录（使用令牌）。"),
    make_entry(
        "upload", "remote.upload", "Upload a bot and read its check.", "上传 AI 并查看检查结果。"
    ),
    make_entry("challenge", "remote.challenge", "Let bots play there.", "发起挑战。"),
    make_entry("results", "remote.results", "What a bot has played.", "查看对局结果。"),
    make_entry("ladder", "remote.ladder", "Who is ahead.", "查看天梯。"),
    make_entry("watch", "remote.watch", "Follow a bout in the browser.", "在浏览器中观看对局。"),
)

COMMAND = LazyGroup(
    "remote",
    {each.name: each for each in ENTRIES},
    Text(
        "An arena on another machine: log in with a token, upload, challenge, look.",
        "另一台机器上的弈场：用令牌登录、上传、挑战、查看。",
    ),
)
