"""The options that ``play`` and ``match`` share, and the plan made from them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ludus.cli.command import argument, option
from ludus.cli.param_types import (
    BotParam,
    ChoiceParam,
    FolderParam,
    GameParam,
    IntegerParam,
    JobsParam,
    KeyValueParam,
    OpeningsParam,
    SecondsListParam,
    SecondsParam,
)
from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.games.base import Clock, Game
    from ludus.match.spec import MatchSpec

F = TypeVar("F", bound=Callable[..., Any])

GAME_ARGUMENT = argument(
    "game",
    type=GameParam(),
    en="The game; ludus games lists them.",
    zh="游戏；ludus games 列出所有。",
)
BOTS_ARGUMENT = argument(
    "bots",
    type=BotParam(),
    nargs=-1,
    required=True,
    metavar="BOT BOT…",
    en="One for each seat: a house bot's name (ludus bots GAME), a source file (.py, .cpp, .mjs …),"
    " a folder or zip with a ludus.toml, cmd:PROGRAM that uses protocol ludus/1, or a seat of"
    " another kind (gtp:PROGRAM …).",
    zh="每个座位一个：自带 AI 的名字、源文件（.py、.cpp、.mjs 等）、带 ludus.toml 的文件夹或 zip，"
    "cmd:程序，或其他种类的席位（gtp:程序 等）。",
)
SETTINGS_OPTION = option(
    "-o",
    "--option",
    "settings",
    type=KeyValueParam(),
    multiple=True,
    en="An option of the game, e.g. -o rounds=100.",
    zh="游戏选项，如 -o rounds=100。",
)
SEED_OPTION = option(
    "--seed",
    type=IntegerParam(),
    en="The random seed; drawn and shown if not given.",
    zh="随机种子；不给则抽取一个并显示。",
)
FIXED_SEED_OPTION = option(
    "--seed", type=IntegerParam(), default=0, en="The random seed (0).", zh="随机种子（0）。"
)
BOUT_SEED_OPTION = option(
    "--bout-seed",
    type=IntegerParam(),
    en="Play every bout with this seed, as shown in the table of a series.",
    zh="每一局都使用此种子，即系列赛表中显示的单局种子。",
)
OPENINGS_OPTION = option(
    "--openings",
    type=OpeningsParam(),
    default="",
    metavar="WHICH",
    en="Given first moves, the same for both bouts of a pair: suite (the game's own), random:N"
    " plies, a text file with one opening per line, or none. Default: suite or random:4 in games"
    " with a fixed start position, else none.",
    zh="开局：给定的最初几步，一对对局相同。suite（游戏自带）、random:N（随机 N 步）、"
    "每行一个开局的文本文件，或 none。初始局面固定的游戏默认为 suite 或 random:4，其余为 none。",
)
JSON_OPTION = option(
    "--json", "as_json", is_flag=True, en="One JSON object on stdout.", zh="输出一个 JSON 对象。"
)
JAIL_OPTION = option(
    "--jail",
    type=ChoiceParam(("strong", "userns", "plain")),
    en="The level of the bots' jails; by default the best of this machine (ludus doctor).",
    zh="AI 沙箱的级别；默认为本机最好的（见 ludus doctor）。",
)
TRUST_OPTION = option(
    "--trust",
    is_flag=True,
    en="Run programs that are named by their commands (cmd:, gtp:, tcp:) without a jail, as you"
    " would run them yourself; records say so.",
    zh="用命令写明的程序（cmd:、gtp:、tcp:）不进沙箱，如同你自己运行它们；录像会注明。",
)
PLAY_OPTIONS = (
    SETTINGS_OPTION,
    SEED_OPTION,
    BOUT_SEED_OPTION,
    OPENINGS_OPTION,
    option(
        "--time",
        "budget",
        type=SecondsParam(above=0),
        en="Thinking time of a bot for a whole bout, in seconds.",
        zh="每局每方总思考时间（秒）。",
    ),
    option(
        "--increment",
        type=SecondsParam(least=0),
        en="Seconds added after each move.",
        zh="每步加时（秒）。",
    ),
    option(
        "--per-move",
        type=SecondsParam(above=0),
        en="Time limit for one move.",
        zh="每步限时（秒）。",
    ),
    option(
        "--measure",
        type=ChoiceParam(("cpu", "wall")),
        en="Count CPU time or wall time.",
        zh="按 CPU 时间或实际时间计时。",
    ),
    option(
        "--patience",
        type=SecondsParam(least=1),
        metavar="TIMES",
        en="With CPU time: how many times its thinking time a bot may sleep or wait (4).",
        zh="按 CPU 时间计时时，AI 休眠或等待的时间最多为思考时间的几倍（4）。",
    ),
    option(
        "--time0",
        type=SecondsListParam(),
        en="Seconds already used when a bout begins, bot by bot; -1 gives one more.",
        zh="开局时各 AI 已用秒数；-1 表示多给一秒。",
    ),
    option(
        "--isolate",
        is_flag=True,
        en="Run house bots in processes of their own too.",
        zh="自带 AI 也在独立进程中运行。",
    ),
    option(
        "--in-process",
        is_flag=True,
        en="Run all bots inside Ludus: fast, but only for code you trust.",
        zh="所有 AI 在 Ludus 进程内运行：快，但只适用于可信代码。",
    ),
    option(
        "--jobs",
        type=JobsParam(),
        default=1,
        en="Bouts played at once, each on a core of its own (1); auto: all cores.",
        zh="同时进行的局数，每局独占一个核（1）；auto 表示全部核。",
    ),
    JAIL_OPTION,
    TRUST_OPTION,
    option("--watch", is_flag=True, en="Show the board while the bots play.", zh="实时显示棋盘。"),
    option(
        "--web",
        is_flag=True,
        en="Show the bouts in the browser while they are played.",
        zh="在浏览器的页面上实时观看。",
    ),
    option(
        "--delay",
        type=SecondsParam(),
        default=0.1,
        en="With --watch or --web: pause after each move (0.1).",
        zh="与 --watch 或 --web 合用：每步停顿秒数（0.1）。",
    ),
    option(
        "--save",
        type=FolderParam(),
        en="Save the records in this folder instead of $LUDUS_HOME/records.",
        zh="录像保存到此文件夹，而非 $LUDUS_HOME/records。",
    ),
    option("--no-save", is_flag=True, en="Save no records.", zh="不保存录像。"),
    option(
        "--logs",
        type=FolderParam(),
        en="Save the bots' output in this folder.",
        zh="AI 的输出保存到此文件夹。",
    ),
    JSON_OPTION,
)


def play_options(bouts: int) -> Callable[[F], F]:
    """Add the options of commands that play bouts."""
    count = option(
        "--bouts",
        type=IntegerParam(1),
        default=bouts,
        en=f"Number of bouts ({bouts}).",
        zh=f"局数（{bouts}）。",
    )

    def decorated(function: F) -> F:
        all_of_them = (GAME_ARGUMENT, BOTS_ARGUMENT, count, *PLAY_OPTIONS)
        return reduce(lambda inner, decorate: decorate(inner), reversed(all_of_them), function)

    return decorated


@dataclasses.dataclass(frozen=True, slots=True)
class SeriesPlan:
    """A match to play, and how this command shows and saves it."""

    spec: MatchSpec
    game: Game
    clock: Clock
    seed: int
    """The seed from which those of the bouts are derived."""
    jobs: int
    """How many bouts are played at once."""
    watch: bool
    delay: float
    save: Path | None
    """The folder for records; None: they are not saved."""
    logs: Path | None
    web: bool = False
    bout_seed: int | None = None
    """The seed of every bout, in place of those derived from ``seed``."""
    openings: str = "none"
    """Where the openings come from, as the user would write it."""

    @property
    def bout_count(self) -> int:
        return len(self.spec.bouts)

    @property
    def labels(self) -> tuple[str, ...]:
        """The bots' names, numbered where two have the same name."""
        return make_labels([source.name for source in self.spec.sources])


def make_labels(names: Sequence[str]) -> tuple[str, ...]:
    many = Counter(names)
    return tuple(f"{n}#{i + 1}" if many[n] > 1 else n for i, n in enumerate(names))


def make_plan(*, bouts: int, swap: bool, **given: Any) -> SeriesPlan:
    """The plan from the command line; LudusError if the arguments are invalid."""
    from ludus.bots.engine_bots import refuse_unsuitable
    from ludus.bots.resolve import resolve_bot
    from ludus.bots.rival_files import refuse_rival_files
    from ludus.games.openings import resolve_openings
    from ludus.games.registry import open_game
    from ludus.match import record_files
    from ludus.match.series import plan_bouts
    from ludus.match.spec import MatchSpec

    game = open_game(given["game"])
    options = parse_options(game, given["settings"])
    specs = given["bots"]
    if len(specs) != len(game.seats):
        raise LudusError(
            f"{game.name} has {len(game.seats)} seats, so name {len(game.seats)} bots;"
            f" got {len(specs)}: {' '.join(specs)}",
            f"{game.name} 有 {len(game.seats)} 个座位，请给出 {len(game.seats)} 个 AI；"
            f"得到 {len(specs)} 个：{' '.join(specs)}",
        )
    sources = tuple(resolve_bot(spec, game, trust=given["trust"]) for spec in specs)
    for spec in specs:
        refuse_unsuitable(spec, game, options)
    refuse_rival_files(sources)
    _refuse_both(given, "isolate", "in_process")
    _refuse_both(given, "save", "no_save")
    _refuse_both(given, "seed", "bout_seed")
    _refuse_both(given, "watch", "web")
    if given["watch"] and given["jobs"] > 1:
        raise LudusError(
            f"--watch shows one bout at a time, not {given['jobs']}; leave out --jobs",
            f"--watch 一次只能看一局，不能看 {given['jobs']} 局；请去掉 --jobs",
        )
    folder = Path(given["save"]).expanduser() if given["save"] else record_files.records_folder()
    seed = draw_seed() if given["seed"] is None else given["seed"]
    clock = _make_clock(game, given)
    openings = resolve_openings(given["openings"], game, options)
    return SeriesPlan(
        spec=MatchSpec.for_game(
            game,
            options.as_json(),
            sources,
            plan_bouts(
                len(game.seats),
                bouts,
                seed,
                swap,
                bout_seed=given["bout_seed"],
                openings=openings,
            ),
            clock=clock,
            time0=_check_handicaps(given["time0"], len(sources)),
            isolate=True if given["isolate"] else False if given["in_process"] else None,
            jail=given["jail"],
        ),
        game=game,
        clock=clock,
        seed=seed,
        jobs=given["jobs"],
        watch=given["watch"],
        delay=max(0.0, given["delay"]),
        save=None if given["no_save"] else folder,
        logs=Path(given["logs"]).expanduser() if given["logs"] else None,
        web=given["web"],
        bout_seed=given["bout_seed"],
        openings=openings.spec,
    )


def draw_seed() -> int:
    """A random seed that is short enough to type."""
    import secrets

    return secrets.randbelow(10**6)


def parse_options(game: Game, settings: Iterable[tuple[str, str]]) -> Any:
    """The game's options from ``-o name=value``."""
    given = list(settings)
    for name, count in Counter(name for name, _ in given).items():
        if count > 1:
            values = [value for other, value in given if other == name]
            raise LudusError(
                f"-o {name} is given {count} times ({', '.join(values)}); give it once",
                f"-o {name} 给出了 {count} 次（{'、'.join(values)}）；只能给一次",
            )
    return game.Options.parse(dict(given))


def write_options(options: Any) -> list[str]:
    """The words with which a user gives these options; none for the usual values."""
    words = list[str]()
    for name, value in options.as_json().items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        words += ["-o", f"{name}={text}"]
    return words


def _make_clock(game: Game, given: Mapping[str, Any]) -> Clock:
    names = ("budget", "increment", "per_move", "measure", "patience")
    changes = {name: given[name] for name in names if given[name] is not None}
    return dataclasses.replace(game.clock, **changes)


def _check_handicaps(time0: tuple[float, ...] | None, bots: int) -> tuple[float, ...]:
    if time0 is None:
        return (0.0,) * bots
    if len(time0) != bots:
        raise LudusError(
            f"--time0 needs {bots} numbers, one for each bot, got {len(time0)}",
            f"--time0 需要 {bots} 个数，每个 AI 一个，得到 {len(time0)} 个",
        )
    return time0


def _refuse_both(given: Mapping[str, Any], one: str, other: str) -> None:
    if not any(given[name] is None or given[name] is False for name in (one, other)):
        names = [f"--{name.replace('_', '-')}" for name in (one, other)]
        raise LudusError(
            f"{names[0]} and {names[1]} exclude each other",
            f"{names[0]} 与 {names[1]} 不能同时使用",
        )
