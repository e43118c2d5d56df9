"""What people call the bots that come with the games, where they choose an opponent."""

from __future__ import annotations

from ludus.lang import Text

HOUSE_TITLES: dict[str, Text] = {
    "random": Text("Random moves", "随机"),
    "greedy": Text("One move ahead", "贪心"),
    "two_ply": Text("Two moves ahead", "看两步"),
    "alphabeta": Text("Deep search", "深度搜索"),
    "strong": Text("Strong search", "强力搜索"),
    "go_round": Text("Careful circles", "稳健圈地"),
    "hunter": Text("Hunter", "猎手"),
    "search": Text("Random playouts", "随机推演"),
    "learned": Text("Neural network", "神经网络"),
}
LEVEL_TITLES: dict[str, Text] = {
    "easy": Text("easy", "入门"),
    "normal": Text("normal", "普通"),
    "hard": Text("hard", "困难"),
}


def house_bot_title(name: str) -> Text:
    """``learned:easy`` is "Neural network, easy"; a bot that is not known keeps its name."""
    known = HOUSE_TITLES.get(name)
    if known is not None:
        return known
    engine, _, level = name.partition(":")
    if engine in HOUSE_TITLES and level in LEVEL_TITLES:
        kind, strength = HOUSE_TITLES[engine], LEVEL_TITLES[level]
        return Text(f"{kind.en}, {strength.en}", f"{kind.zh}（{strength.zh}）")
    return Text(name, name)
