"""Bouts from the command line."""

import json
import shlex
from pathlib import Path

import pytest

from ludus.match.record import read
from ludus.sandbox import JailLevel, list_levels, probe_abilities
from tests.support.cli import NOISY, Ludus, WriteBot

SHORT = ("-o", "rounds=5")
RAISES = "class Bot:\n    def move(self, position, clock):\n        return 1 / 0\n"


def essences(home: Path) -> list[object]:
    """Of the saved records, in the order in which they were written."""
    files = sorted((home / "records").glob("*.ludus"), key=lambda path: path.stat().st_mtime_ns)
    return [read(path).without_times() for path in files]


def test_bouts_are_played_shown_and_saved(cli: Ludus, home: Path) -> None:
    ran = cli("play", "duel2048", "random", "random", "--bouts", 2, "--seed", 7, *SHORT)
    assert ran.code == 0
    assert "Duel 2048 · seed 7" in ran.out
    assert "random#1" in ran.out
    assert "random#2" in ran.out
    names = [path.name for path in sorted((home / "records").iterdir())]
    assert len(names) == 2
    assert all(name[:8].isdigit() and "-duel2048-random-random-0" in name for name in names)
    assert not list((home / "live").iterdir())


def test_the_same_in_chinese(cli: Ludus, chinese: None) -> None:
    ran = cli("play", "duel2048", "random", "random", "--bouts", 2, "--seed", 7, *SHORT)
    assert "贰零肆捌 · 种子 7" in ran.out
    assert "得分率" in ran.out
    assert "2 份录像已保存到" in ran.out


def test_one_bout_ends_with_a_sentence(cli: Ludus) -> None:
    ran = cli("play", "duel2048", "greedy", "random", "--seed", 1, "--no-save", *SHORT)
    assert ": more tiles of level" in ran.out or "draw: equal" in ran.out


def test_ninety_nine_nested_statements_keep_nobody_waiting(cli: Ludus, bot: WriteBot) -> None:
    """With a walk of its own for each level this took two to the power of 99 steps."""
    nested = "".join(" " * depth + "if 1:\n" for depth in range(99)) + " " * 99 + "pass\n"
    ran = cli("play", "duel2048", bot(nested + RAISES), "random", "--no-save", *SHORT)
    assert ran.code == 0 and "division by zero" in ran.out


def test_a_seed_is_drawn_and_told(cli: Ludus) -> None:
    first = cli("play", "duel2048", "random", "random", "--no-save", "--json", *SHORT)
    seed = json.loads(first.out)["seed"]
    again = cli(
        "play", "duel2048", "random", "random", "--no-save", "--json", "--seed", seed, *SHORT
    )
    seeds = [json.loads(ran.out)["bouts"][0]["seed"] for ran in (first, again)]
    assert seeds[0] == seeds[1]


def test_a_bout_of_a_series_is_played_again_alone_by_its_seed(cli: Ludus, home: Path) -> None:
    told = json.loads(
        cli(
            "match", "duel2048", "random", "random", "--bouts", 6, "--seed", 7, *SHORT, "--json"
        ).out
    )
    fifth = told["bouts"][4]
    alone = cli(
        *("play", "duel2048", "random", "random", "--bout-seed", fifth["seed"], *SHORT, "--json")
    )
    (again,) = json.loads(alone.out)["bouts"]
    assert again["seed"] == fifth["seed"]
    assert read(Path(again["file"])).moves == read(Path(fifth["file"])).moves
    both = cli("play", "duel2048", "random", "random", "--seed", 0, "--bout-seed", 0)
    assert both.code == 2
    assert "--seed and --bout-seed exclude each other" in both.err


def test_a_series_ends_with_the_command_that_plays_its_last_bout_again(
    cli: Ludus, home: Path
) -> None:
    words = ("duel2048", "random", "random", *SHORT, "--time", 7, "--time0=-1,0.5", "--seed", 7)
    for kind, bouts in (("match", 4), ("match", 3), ("play", 2)):
        ran = cli(kind, *words, "--bouts", bouts)
        last = essences(home)[-1]
        _, _, command = ran.out.splitlines()[-1].partition(": ludus ")
        assert cli(*shlex.split(command)).code == 0, command
        assert essences(home)[-1] == last, command


def test_who_prints_is_told_how_to_keep_it(cli: Ludus, bot: WriteBot, tmp_path: Path) -> None:
    play = ("play", "duel2048", bot(NOISY), "random", "--no-save", *SHORT)
    assert "the output of mine was not saved; use --logs DIR" in cli(*play).out
    assert "--logs" not in cli(*play, "--logs", tmp_path / "logs").out
    assert "--logs" not in cli("play", "duel2048", "random", "random", "--no-save", *SHORT).out


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("breakpoint()", "to use breakpoint(), play with --in-process"),
        ("import nonsuch.part", "`ludus add nonsuch` installs it"),
        ("import os; os.fork()", "a bot may not start processes (multiprocessing, subprocess)"),
        ("while True: pass", "(a bout has 0.3 s)"),
    ],
)
def test_a_fault_comes_with_what_to_do_about_it(
    cli: Ludus, bot: WriteBot, code: str, hint: str
) -> None:
    bad = bot(f"class Bot:\n    def move(self, position, clock):\n        {code}\n")
    ran = cli("play", "duel2048", bad, "random", "--no-save", "--json", "--time", 0.3, *SHORT)
    (fault,) = json.loads(ran.out)["bouts"][0]["faults"]
    assert hint in fault["why"]


@pytest.mark.parametrize("level", list_levels())
def test_a_pool_of_processes_is_answered_with_what_a_bot_may_start(
    cli: Ludus, bot: WriteBot, level: JailLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_JAIL", level)
    code = "import multiprocessing; multiprocessing.Pool(2)"
    bad = bot(f"class Bot:\n    def move(self, position, clock):\n        {code}\n")
    ran = cli("play", "duel2048", bad, "random", "--no-save", "--json", *SHORT)
    (fault,) = json.loads(ran.out)["bouts"][0]["faults"]
    assert "a bot may not start processes (multiprocessing, subprocess)" in fault["why"]


@pytest.mark.parametrize("level", list_levels())
def test_writing_beside_the_bot_is_answered_with_where_to_write(
    cli: Ludus, bot: WriteBot, level: JailLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_JAIL", level)
    if level is JailLevel.PLAIN and not probe_abilities().landlock:
        pytest.skip("without Landlock nothing keeps it from writing there")
    code = "open(__file__ + '.cache', 'w')"
    bad = bot(f"class Bot:\n    def move(self, position, clock):\n        {code}\n")
    ran = cli("play", "duel2048", bad, "random", "--no-save", "--json", *SHORT)
    (fault,) = json.loads(ran.out)["bouts"][0]["faults"]
    assert "write to /tmp, which lasts for the match" in fault["why"]


def test_the_same_seed_gives_the_same_records(cli: Ludus, home: Path) -> None:
    for _ in range(2):
        cli("match", "duel2048", "random", "random", "--bouts", 2, "--seed", 3, *SHORT)
    records = essences(home)
    assert len(records) == 4
    assert records[:2] == records[2:]


def test_json_is_one_object_and_nothing_else(cli: Ludus, bot: WriteBot) -> None:
    noisy = bot("print('at import')\n" + NOISY)
    ran = cli("play", "duel2048", noisy, "random", "--json", "--in-process", "--seed", 1, *SHORT)
    told = json.loads(ran.out)
    assert told["game"] == "duel2048"
    assert told["options"] == {"rounds": 5}
    assert len(told["bouts"]) == 1
    assert told["bouts"][0]["names"] == ["mine", "random"]
    assert Path(told["bouts"][0]["file"]).exists()
    assert {bot["name"] for bot in told["summary"]["bots"]} == {"mine", "random"}
    assert "at import" in ran.err


def test_a_match_swaps_seats_on_equal_seeds(cli: Ludus) -> None:
    ran = cli("match", "duel2048", "greedy", "random", "--bouts", 4, "--no-save", "--json", *SHORT)
    bouts = json.loads(ran.out)["bouts"]
    assert [bout["order"] for bout in bouts] == [[0, 1], [1, 0]] * 2
    assert [bouts[0]["seed"], bouts[2]["seed"]] == [bouts[1]["seed"], bouts[3]["seed"]]
    assert bouts[0]["seed"] != bouts[2]["seed"]


def test_a_match_says_who_is_stronger(cli: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    match = ("match", "duel2048", "greedy", "random", "--bouts", 12, "--seed", 1, "--no-save")
    ran = cli(*match, "-o", "rounds=200")
    assert "won–drawn–lost" in ran.out
    assert "Elo " in ran.out
    assert "greedy is stronger than random" in ran.out
    monkeypatch.setenv("LUDUS_LANG", "zh")
    assert "greedy 强于 random" in cli(*match, "-o", "rounds=200").out


def test_a_fault_is_a_result_with_its_sentence_and_traceback(cli: Ludus, bot: WriteBot) -> None:
    ran = cli("play", "duel2048", bot(RAISES), "random", "--bouts", 2, "--no-save", *SHORT)
    assert ran.code == 0
    assert "it raised ZeroDivisionError: division by zero" in ran.out
    assert "return 1 / 0" in ran.out
    assert "runner.py" not in ran.out


def test_what_a_bot_prints_cannot_steer_the_terminal(cli: Ludus, bot: WriteBot) -> None:
    evil = "class Bot:\n    def move(self, position, clock):\n        raise OSError('\\x1b[2J')\n"
    ran = cli("play", "duel2048", bot(evil), "random", "--no-save", *SHORT)
    assert "\x1b" not in ran.out
    assert "\\x1b[2J" in ran.out


def test_a_bot_that_does_not_load_is_a_mistake(cli: Ludus, bot: WriteBot, home: Path) -> None:
    broken = bot("import no_such_module\nclass Bot:\n    def move(self, p, c): ...\n")
    for way in ("--isolate", "--in-process"):
        ran = cli("match", "duel2048", "random", broken, way, *SHORT)
        assert ran.code == 2
        assert "mine: its file raised ModuleNotFoundError" in ran.err
        assert "import no_such_module" in ran.err
        assert not list(home.rglob("*.ludus"))


def test_a_bot_in_process_that_exits_while_loading_ends_only_itself(
    cli: Ludus, bot: WriteBot
) -> None:
    leaves = bot("import sys\nsys.exit(0)\nclass Bot:\n    def move(self, p, c): ...\n")
    ran = cli("play", "duel2048", leaves, "random", "--in-process", *SHORT)
    assert ran.code == 2
    assert "sys.exit(0)" in ran.err


def test_a_watched_bout_is_printed_step_by_step_where_there_is_no_terminal(cli: Ludus) -> None:
    ran = cli("play", "duel2048", "random", "random", "--watch", "--no-save", "-o", "rounds=1")
    assert ran.out.count("Duel 2048 · bout 1 · step") >= 3
    assert "[2]" in ran.out
    assert "\x1b" not in ran.out


def test_logs_keep_what_bots_print(cli: Ludus, bot: WriteBot, tmp_path: Path) -> None:
    noisy = bot(NOISY)
    logs = tmp_path / "logs"
    cli("play", "duel2048", noisy, "random", "--no-save", "--logs", logs, *SHORT)
    assert [path.name[16:] for path in logs.iterdir()] == [
        "duel2048-mine-random-01-mine.stdout.txt"
    ]
    assert "thinking" in next(logs.iterdir()).read_text()


def test_records_go_where_they_are_wanted(cli: Ludus, home: Path, tmp_path: Path) -> None:
    cli("play", "duel2048", "random", "random", "--save", tmp_path / "here", *SHORT)
    assert len(list((tmp_path / "here").glob("*.ludus"))) == 1
    assert not (home / "records").exists()


def test_nothing_is_written_with_no_save(cli: Ludus, home: Path) -> None:
    cli("play", "duel2048", "random", "random", "--no-save", *SHORT)
    assert not home.exists()


def test_clock_options_reach_the_record(cli: Ludus, home: Path) -> None:
    cli(
        *("play", "duel2048", "random", "random", *SHORT),
        *("--time", 9, "--increment", 0.5, "--per-move", 2, "--measure", "wall", "--patience", 2),
        *("--time0", "-1,1"),
    )
    record = read(next((home / "records").iterdir()))
    clock = record.clock
    assert (clock.budget, clock.increment, clock.per_move, clock.measure) == (9, 0.5, 2, "wall")
    assert clock.patience == 2
    assert record.time0 == [-1.0, 1.0]


@pytest.mark.parametrize("command", ["play", "match"])
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["duel2047", "random", "random"], "no game 'duel2047'; did you mean 'duel2048'?"),
        (["chess", "random", "random"], "there is no game 'chess'; there are: "),
        (["纸带圈地", "random", "random"], "did you mean 'paperio'?"),
        (["星际 消战", "random", "random"], "did you mean 'eraser'?"),
        (["Duel 2048", "random", "random"], "did you mean 'duel2048'?"),
        (["duel2048", "random"], "has 2 seats, so name 2 bots; got 1"),
        (["duel2048", "random", "randm"], "did you mean 'random'?"),
        (["duel2048", "random", "no/such.py"], "no file and no house bot"),
        (["duel2048", "random", "/"], "is a folder"),
        (["duel2048", "random", "cmd:"], "cmd: needs a command"),
        (["duel2048", "random", "cmd:'"], "No closing quotation"),
        (["duel2048", "random", "cmd:/no/such/program"], "it cannot be started"),
        (["duel2048", "random", "random", "-o", "rouds=1"], "there is no option 'rouds'"),
        (["duel2048", "random", "random", "-o", "rounds=0"], "between 1 and 100000, got 0"),
        (["duel2048", "random", "random", "-o", "rounds=x"], "must be a whole number, got 'x'"),
        (["duel2048", "random", "random", "-o", "rounds"], "takes NAME=VALUE, got 'rounds'"),
        (["duel2048", "random", "random", "--bouts", "0"], "--bouts must be at least 1"),
        (["duel2048", "random", "random", "--bouts", "x"], "takes a whole number, got 'x'"),
        (["duel2048", "random", "random", "--seed", "1.5"], "takes a whole number"),
        (["duel2048", "random", "random", "--time", "0"], "--time must be above 0, got"),
        (["duel2048", "random", "random", "--time", "inf"], "takes a number of seconds"),
        (["duel2048", "random", "random", "--per-move", "-1"], "--per-move must be above 0, got"),
        (
            ["duel2048", "random", "random", "--patience", "0.5"],
            "--patience must be at least 1, got",
        ),
        (["duel2048", "random", "random", "--measure", "sun"], "must be one of cpu, wall"),
        (["duel2048", "random", "random", "--time0", "1"], "needs 2 numbers"),
        (["duel2048", "random", "random", "--save", "x", "--no-save"], "exclude each other"),
        (["duel2048", "random", "random", "--isolate", "--in-process"], "exclude each other"),
    ],
)
def test_what_cannot_be_played_gets_one_sentence_and_exit_code_2(
    cli: Ludus, home: Path, command: str, arguments: list[str], sentence: str
) -> None:
    ran = cli(command, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err
    assert ran.err.count("\n") == 1
    assert not list(home.rglob("*.*"))


def test_a_file_that_is_no_bot_is_refused(cli: Ludus, bot: WriteBot) -> None:
    ran = cli("play", "duel2048", bot("x = 1\n"), "random")
    assert ran.code == 2
    assert "does not define a bot for duel2048: expected" in ran.err


def test_a_syntax_error_is_shown_where_it_is(cli: Ludus, bot: WriteBot, chinese: None) -> None:
    ran = cli("play", "duel2048", bot("class Bot:\n    def move(self:\n"), "random")
    assert ran.code == 2
    assert " 第 2 行：不是有效的 Python" in ran.err
    assert "^" in ran.err


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_weak_jail_cannot_stop_is_said_before_anything_is_built(
    cli: Ludus, tmp_path: Path, jobs: int
) -> None:
    folder = tmp_path / "builder"
    folder.mkdir()
    (folder / "ludus.toml").write_text(
        '[build]\ncommand = ["/bin/false"]\n[run]\ncommand = ["/out/bot"]\n'
    )
    match = ("match", "reversi", folder, "random", "--jail", "plain", "--jobs", jobs, "--bouts", 2)
    ran = cli(*match)
    assert ran.code == 2, ran.err
    warned, failed = (ran.err.index(each) for each in ("cannot prevent everything", "not compile"))
    assert warned < failed
    assert ran.err.count("not compile") == 1
