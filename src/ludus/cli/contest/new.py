"""``ludus contest new``: writes a contest.toml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.called import program_name
from ludus.cli.command import argument, command, option
from ludus.cli.options import GAME_ARGUMENT, SEED_OPTION, SETTINGS_OPTION
from ludus.cli.param_types import BotParam, ChoiceParam, FileParam, IntegerParam, SecondsParam
from ludus.errors import LudusError
from ludus.lang import tr, translate

FORMAT_SETTINGS: dict[str, dict[str, Any]] = {
    "round-robin": {"name": "round-robin"},
    "double-round-robin": {"name": "round-robin", "cycles": 2},
    "groups": {"name": "staged"},
    "knockout": {"name": "knockout"},
    "double-elimination": {"name": "double-elimination"},
    "swiss": {"name": "swiss"},
    "gauntlet": {"name": "gauntlet"},
    "ladder": {"name": "ladder"},
}
PRESETS = ("paperio2018", "duel2048-2020", "duel2048-2020-f19", "eraser2023")


@command(
    en="Write a contest.toml for these bots. Edit it as you like, then run the contest.",
    zh="为这些 AI 写出 contest.toml。看一看、改一改，然后运行。",
)
@GAME_ARGUMENT
@argument(
    "bots",
    type=BotParam(),
    nargs=-1,
    required=True,
    metavar="BOT BOT…",
    en="House bots, files, folders, or cmd:PROGRAM.",
    zh="自带 AI、文件、文件夹，或 cmd:程序。",
)
@option(
    "--format",
    "form",
    type=ChoiceParam(tuple(FORMAT_SETTINGS)),
    default="round-robin",
    en="The format (round-robin).",
    zh="赛制（round-robin）。",
)
@option(
    "--preset",
    type=ChoiceParam(PRESETS),
    en="The rules of a real event, instead of --format and --bouts.",
    zh="采用真实赛事的规则，代替 --format 与 --bouts。",
)
@option(
    "--bouts", type=IntegerParam(1), default=2, en="Bouts in a match (2).", zh="每场局数（2）。"
)
@option(
    "--skip",
    is_flag=True,
    en="Skip files that are not valid bots, and list them.",
    zh="略过不是有效 AI 的文件，并列出。",
)
@option("--name", default="", metavar="NAME", en="The contest's name.", zh="赛事名称。")
@SETTINGS_OPTION
@SEED_OPTION
@option(
    "--time",
    "budget",
    type=SecondsParam(above=0),
    en="Thinking time for a bout.",
    zh="每局思考时间。",
)
@option(
    "--database",
    default="",
    metavar="URL",
    en="The database for results: a file (contest.db), or postgresql://…",
    zh="结果保存处：文件（contest.db）或 postgresql://…",
)
@option(
    "--out",
    type=FileParam(),
    default="contest.toml",
    en="The file to write (contest.toml).",
    zh="写出的文件（contest.toml）。",
)
def COMMAND(out: str, **given: Any) -> int:
    from ludus.contest import settings as files
    from ludus.match.record import write_atomically

    path = Path(out).expanduser()
    if path.exists():
        raise LudusError(
            f"{path} exists already; choose another with --out",
            f"{path} 已经存在；请用 --out 另选",
        )
    made = _make_settings(path, **given)
    count = len(made.entrants)
    if count < 2:
        raise LudusError(
            f"a contest needs two entrants or more, got {count}",
            f"赛事至少需要两名参赛者，现有 {count} 名",
        )
    write_atomically(
        path,
        files.format_contest_settings(made, head=_file_comment(made, given["preset"])).encode(),
    )
    print(
        tr(
            f"{path}: {count} entrants. Look at it, then: {program_name()} contest run {path}",
            f"{path}：{count} 名参赛者。看一看，然后运行：{program_name()} contest run {path}",
        )
    )
    return 0


def _make_settings(path: Path, **given: Any) -> Any:
    from ludus.cli.options import parse_options
    from ludus.contest.model import draw_seed
    from ludus.contest.settings import BotEntry, parse_contest_settings
    from ludus.games.registry import open_game
    from ludus.scheduling.contest_loading import relative_bot_path

    game = open_game(given["game"])
    options = parse_options(game, given["settings"]).as_json()
    folder = path.absolute().parent
    entries = [BotEntry(relative_bot_path(bot, game, folder)) for bot in given["bots"]]
    if given["skip"]:
        entries = _filter_loadable(entries, game, folder)
    programs = _resolve(entries, given["bots"], game, folder)
    facts: dict[str, Any] = {
        "name": given["name"] or path.absolute().parent.name or "contest",
        "game": game.name,
        "seed": draw_seed() if given["seed"] is None else given["seed"],
        "database": given["database"],
        "entrants": [
            {"bot": program.bot, "name": program.entrant.name, "seed": number}
            for number, program in enumerate(programs, 1)
        ],
    }
    if given["budget"] is not None:
        facts["clock"] = {"budget": given["budget"]}
    if given["preset"]:
        made = _make_preset(given["preset"], facts, options)
    else:
        facts |= {
            "format": FORMAT_SETTINGS[given["form"]],
            "match": {"bouts": given["bouts"]},
            "options": options,
        }
        made = parse_contest_settings(facts, str(path))
    made.check()
    return made


def _resolve(entries: list[Any], bots: Sequence[str], game: Any, folder: Path) -> list[Any]:
    """The programs of entrants; errors about them say what to type instead."""
    from ludus.scheduling.contest_loading import resolve_entrants

    try:
        return resolve_entrants(entries, game, folder)
    except LudusError as error:
        detail = "\n".join(filter(None, (error.detail, _way_on(bots, game.name))))
        raise error.rephrase(error.text["en"], error.text["zh"], detail) from None


def _way_on(bots: Sequence[str], game: str) -> str:
    """What to type instead: a folder of bots is entered by its files, broken ones are skipped."""
    for bot in bots:
        folder = Path(bot).expanduser()
        is_bot = any((folder / name).exists() for name in ("ludus.toml", "__main__.py"))
        if folder.is_dir() and not is_bot and any(folder.glob("*.py")):
            typed = f"{program_name()} contest new {game} {folder / '*.py'}"
            return tr(f"To enter every file in it: {typed}", f"要让其中每个文件都参赛：{typed}")
    if len(bots) > 2:
        return tr("--skip leaves out such files and lists them.", "--skip 可略过这样的文件并列出。")
    return ""


def _filter_loadable(entries: list[Any], game: Any, folder: Path) -> list[Any]:
    """The valid entries; prints a line about each of the others."""
    from ludus.cli import output
    from ludus.scheduling.contest_loading import resolve_programs

    resolved, objections = resolve_programs(entries, game, folder)
    for objection in objections:
        output.stderr_console().print(
            tr(f"left out: {objection}", f"略过：{objection}"), markup=False, highlight=False
        )
    return [entry for entry, _ in resolved]


def _make_preset(name: str, facts: dict[str, Any], options: dict[str, Any]) -> Any:
    from ludus.contest.presets import PRESETS as EVENTS
    from ludus.contest.presets import load_preset

    about = EVENTS[name][1]
    if about["game"] != facts["game"]:
        raise LudusError(
            f"the preset {name} is for {about['game']}", f"预设 {name} 属于 {about['game']}"
        )
    return load_preset(name, **facts, options={**about.get("options", {}), **options})


def _file_comment(made: Any, event: str | None) -> str:
    from ludus.contest.presets import PRESETS as EVENTS

    lines = [
        tr(
            "A contest. Change what you like before it begins; docs: contests.md.",
            "一场赛事。开始之前可以随意修改；说明见文档 contests.md。",
        ),
        *_describe_defaults(made),
    ]
    if event:
        lines.append(f"{event}: {translate(EVENTS[event][0])}")
    else:
        same = [name for name, (_, facts) in EVENTS.items() if facts.get("game") == made.game]
        lines += [f"--preset {name}: {translate(EVENTS[name][0])}" for name in same]
    return "\n".join(lines)


def _describe_defaults(made: Any) -> list[str]:
    """How to change the clock and the openings, where the file leaves them to the game."""
    from ludus.games import get

    lines = []
    if made.clock.budget is None:
        seconds = f"{get(made.game).clock.budget:g}"
        lines.append(
            tr(
                f"Clock: {seconds} s of thinking for a bout, unless [clock] has a budget = ...",
                f"时限：每局思考 {seconds} 秒；在 [clock] 中写 budget = 秒数 可以更改。",
            )
        )
    if not made.openings:
        spec = made.with_default_openings().openings
        lines.append(
            tr(
                f'Openings: "{spec}", unless there is another openings = "..." above [format].',
                f'开局："{spec}"；在 [format] 之前写 openings = "..." 可以更改。',
            )
        )
    return lines
