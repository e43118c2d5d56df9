"""Finds the ids of a server's bots by name."""

from __future__ import annotations

from urllib.parse import quote

from ludus.cli.remote.answers import BotPageReply, BotReply, GameReply
from ludus.cli.remote.http_client import RemoteClient
from ludus.errors import LudusError


def resolve_bot(remote: RemoteClient, game: str, name: str) -> int | str:
    """The server's reference to a bot: its id, or a house bot's name."""
    house = {bot.name for bot in remote.get(f"/api/games/{quote(game)}", GameReply).bots}
    if name in house or name.isdecimal() or (name[:1] == "v" and name[1:].isdecimal()):
        return int(name) if name.isdecimal() else name
    return find_bot(remote, game, name).id


def find_bot(remote: RemoteClient, game: str, name: str) -> BotReply:
    before: int | None = None
    while True:
        more = f"&before={before}" if before else ""
        page = remote.get(f"/api/bots?limit=100&game={quote(game)}{more}", BotPageReply)
        for bot in page.items:
            if bot.name.casefold() == name.casefold():
                return bot
        last, before = before, page.next
        if before is None or (last is not None and before >= last):  # the list only grows older
            raise LudusError(
                f"the server has no bot {name!r} for {game}", f"服务器上没有 {game} 的 AI {name!r}"
            )
