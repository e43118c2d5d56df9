"""``ludus new bot``: writes a bot that plays at once."""

from __future__ import annotations

from pathlib import Path

from ludus import lang as words
from ludus.called import program_name
from ludus.cli.command import argument, command, option
from ludus.cli.param_types import ChoiceParam, FileParam, GameParam
from ludus.lang import Text, tr, translate

PLAYS_ANYTHING = Text(
    "A start: it plays any legal move unless one wins at once, and in some games it loses even to"
    " random, which avoids the worst moves. Let its move look at what each legal move leads to.",
    "这只是起点：没有立即获胜的着法时，它随便走；有的游戏里连 random 也下不过，因为 random"
    " 会避开最差的着法。下一步可以让 move 看看每个合法着法的结果。",
)
PLAYS_AT_RANDOM = Text(
    "A start: it plays any legal move. Let its move look at what each legal move leads to.",
    "这只是起点：它随便走一个合法着法。下一步可以让 move 看看每个合法着法的结果。",
)
"""What a bot in C++ or JavaScript does."""
PLAYS_SIMPLY = Text(
    "A start: it follows a simple rule and does not look at what its rival can answer.",
    "这只是起点：它按一条简单的规则走，不看对手会怎样应对。",
)
"""What a bot in the API of a game's original does."""


@command(en="Write a small bot that plays at once.", zh="写出一个能直接对局的小 AI。")
@argument(
    "file", type=FileParam(), en="The bot's new file, or its folder.", zh="AI 的新文件或文件夹。"
)
@option("--game", type=GameParam(), required=True, en="The game it plays.", zh="它玩的游戏。")
@option(
    "--dialect",
    metavar="Player|native",
    en="Player: the original's API, where the game has one; native: Ludus' own.",
    zh="Player：原平台接口（若有）；native：Ludus 接口。",
)
@option(
    "--language",
    type=ChoiceParam(("python", "cpp", "javascript")),
    en="Its programming language; by default that of the file's suffix.",
    zh="编程语言；默认由文件后缀决定。",
)
@option(
    "--folder",
    "as_folder",
    is_flag=True,
    en="Make a folder with a ludus.toml, a test, a README, and settings to debug, play and check"
    " it in VS Code or a container.",
    zh="建立文件夹，含 ludus.toml、测试、README，以及在 VS Code 或容器中调试、对局、检查的设置。",
)
@option(
    "--lang", type=ChoiceParam(("zh", "en")), en="The language of its comments.", zh="注释的语言。"
)
def COMMAND(
    file: str,
    game: str,
    dialect: str | None,
    language: str | None,
    as_folder: bool,
    lang: str | None,
) -> int:
    from ludus.cli.new import relative_path
    from ludus.cli.scaffold import write_bot, write_bot_folder
    from ludus.games.registry import open_game

    rules = open_game(game)
    write = write_bot_folder if as_folder else write_bot
    written = write(
        Path(file).expanduser(), rules, dialect, lang or words.language(), language, game
    )
    name = relative_path(written)
    rival = next(iter(rules.bots()), name)
    print(tr(f"written: {name}", f"已写入：{name}"))
    print(translate(_describe(written, dialect in rules.dialects, language)))
    print(tr("\nTry next:", "\n接下来可以试试："))
    print(f"  {program_name()} play {game} {name} {rival} --watch")
    print(f"  {program_name()} check {name} --game {game}")
    return 0


def _describe(written: Path, in_a_dialect: bool, language: str | None) -> Text:
    """What the bot that was written does."""
    if in_a_dialect:
        return PLAYS_SIMPLY
    in_python = written.suffix == ".py" if written.suffix else language in (None, "python")
    return PLAYS_ANYTHING if in_python else PLAYS_AT_RANDOM
