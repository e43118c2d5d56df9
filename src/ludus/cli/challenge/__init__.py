"""``ludus challenge``: the Tablut challenge, as its server or as a player on another server."""

from __future__ import annotations

from ludus.cli.command import LazyGroup
from ludus.cli.command_registry import make_entry
from ludus.lang import Text

ENTRIES = (
    make_entry(
        "tablut",
        "challenge.tablut",
        "Be the server: players connect and play each other or bots of Ludus.",
        "作为服务器：选手连接进来，互相对局或与 Ludus 的 AI 对局。",
    ),
    make_entry(
        "join",
        "challenge.join",
        "Let a bot of Ludus play on another server.",
        "让 Ludus 的 AI 到别人的服务器上对局。",
    ),
)

COMMAND = LazyGroup(
    "challenge",
    {each.name: each for each in ENTRIES},
    Text(
        "The Tablut challenge of the University of Bologna, by its own TCP protocol.",
        "博洛尼亚大学的 Tablut 挑战赛，使用其 TCP 协议。",
    ),
)
