"""``ludus contest`` and ``ludus sprt`` as a person types them."""

from __future__ import annotations

import csv
import json
import os
import pty
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

import ludus
from ludus.cli.contest.file import open_begun_store, open_contest
from ludus.contest.settings import parse_contest_settings
from ludus.home import ludus_home
from ludus.match import record, replay
from ludus.scheduling.cluster_key import make_key
from ludus.server.web import static
from tests.support.cli import LEGAL, Ludus, WriteBot, start

TINY = ("-o", "size=4", "--seed", "3")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commands look for contest.toml where one is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(cli: Ludus, *more: str) -> None:
    ran = cli("contest", "new", "reversi", "greedy", "random", "random", *TINY, *more)
    assert ran.code == 0, ran.err


def test_two_bots_that_are_never_apart_are_parted_by_lot_after_the_named_number(
    cli: Ludus, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the small board the second seat wins whenever nobody errs."""
    made = cli("contest", "new", "reversi", "strong", "strong", "--format", "knockout", *TINY)
    assert made.code == 0, made.err
    text = (here / "contest.toml").read_text()
    assert tomllib.loads(text)["match"]["extra"] == 20
    (here / "contest.toml").write_text(text.replace("extra = 20 ", "extra = 6 "))
    with monkeypatch.context() as chinese:
        chinese.setenv("LUDUS_LANG", "zh")
        ran = cli("contest", "run", "--jobs", "1")
    winner = json.loads(cli("contest", "status", "--json").out)["standings"]["rows"][0]["name"]
    assert f"决赛：strong#1 – strong#2 4:4，加赛 6 局后抽签，胜者：{winner}" in ran.out
    told = cli("contest", "status").out
    assert f"Final: strong#1 – strong#2 4:4, decided by lot after 6 extra bouts: {winner}" in told
    assert cli("contest", "report", "--no-records").code == 0
    (row,) = csv.DictReader((here / "report" / "matches.csv").open())
    assert (row["ending"], row["extra"], row["winner"]) == ("lot", "6", winner)
    assert "(by lot after 6 extra bouts: " in (here / "report" / "report.md").read_text()


def test_the_file_says_how_to_change_what_it_leaves_to_the_game(cli: Ludus, here: Path) -> None:
    assert cli("contest", "new", "paperio", "hunter", "random").code == 0
    text = (here / "contest.toml").read_text()
    assert "# Clock: 30 s of thinking for a bout" in text and '# Openings: "none"' in text
    ours = 'openings = "random:4"\n\n[clock]\nbudget = 5\n'
    changed = text.replace("\n[format]", f"\n{ours}\n[format]")
    settings = parse_contest_settings(tomllib.loads(changed), "contest.toml")
    assert (settings.clock.budget, settings.openings) == (5, "random:4")


def test_a_contest_from_its_file_to_its_report(cli: Ludus, here: Path) -> None:
    new(cli, "--bouts", "4", "--name", "night")
    made = tomllib.loads((here / "contest.toml").read_text())
    assert [each["name"] for each in made["entrants"]] == ["greedy", "random#1", "random#2"]
    ran = cli("contest", "run", "--jobs", "1")
    assert ran.code == 0, ran.err
    assert "night · Reversi · 3 matches, 12 bouts · over" in ran.out
    assert "no significant difference" in ran.out
    status = cli("contest", "status").out
    assert ran.out == f"{status}All of it as one HTML file: ludus contest report contest.toml\n"
    data = json.loads(cli("contest", "status", "--json").out)
    assert data["over"]
    assert len(data["bouts"]) == 12
    anchored = json.loads(cli("contest", "status", "--json", "--anchor", "greedy=1000").out)
    elo = {row["name"]: row["elo"] for row in anchored["ratings"]["ratings"]}
    assert elo["greedy"] == 1000
    assert "is not an entrant" in cli("contest", "status", "--anchor", "eve=0").err
    assert cli("contest", "report", "--lang", "zh").code == 0
    report = here / "report"
    assert "循环赛" in (report / "report.html").read_text()
    written = json.loads((report / "report.json").read_text())
    assert written.pop("made") >= data["last_bout"] >= data["first_bout"] > ""
    assert written == {key: value for key, value in data.items() if key != "made"}
    rows = list(csv.DictReader((report / "bouts.csv").open()))
    assert len(rows) == 12
    for row in rows:
        found = record.read(report / row["record"])
        replay.verify(found)
        assert found.seed == int(row["seed"])
    markdown = (report / "report.md").read_text()
    assert "| 贪心 |" in markdown and "| 随机#2 |" in markdown
    assert "greedy" in (report / "standings.csv").read_text()
    assert data["turning_points"] is None
    assert cli("contest", "report", "--turning-points", "1.5", "--no-records").code == 0
    turned = json.loads((report / "report.json").read_text())["turning_points"]
    assert 0 < turned["judged"] <= turned["bouts"] == 12
    swings = [point["before"] - point["after"] for point in turned["points"]]
    assert swings and swings == sorted(swings, reverse=True)
    assert {point["record"] for point in turned["points"]} <= {row["record"] for row in rows}
    assert "## Turning points" in (report / "report.md").read_text()
    assert turned["points"][0]["sentence"]["zh"] in (report / "report.html").read_text()


def test_searchers_take_part_by_their_name(cli: Ludus, here: Path) -> None:
    bots = ("search:2", "search:4", "random")
    made = cli("contest", "new", "reversi", *bots, "-o", "size=4")
    assert made.code == 0, made.err
    assert cli("contest", "run", "--jobs", "1").code == 0
    assert "search:4" in cli("contest", "status").out
    ran = cli(
        *("sprt", "search:4", "random", "--game", "reversi", "-o", "size=4", "--bouts", 4, "--json")
    )
    assert "answer" in ran.out, ran.err


def test_without_the_page_a_report_is_text_and_the_command_says_so(
    cli: Ludus, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new(cli)
    assert cli("contest", "run", "--jobs", "1").code == 0
    monkeypatch.setattr(static, "REPORT_PAGE", here / "nothing.html")
    ran = cli("contest", "report", "--no-records")
    assert ran.code == 0 and "report.html" in ran.out
    assert "only text" in ran.err and "--rebuild" in ran.err
    html = (here / "report" / "report.html").read_text()
    assert "| One move ahead |" in html and "was not built" in html


def test_a_contest_that_has_not_begun_says_how(cli: Ludus) -> None:
    assert "contest new" in cli("contest", "run").err
    new(cli)
    for command in ("status", "resume", "report"):
        ran = cli("contest", command)
        assert ran.code == 2
        assert "has not begun" in ran.err
    assert "exists already" in cli("contest", "new", "reversi", "greedy", "random").err


@pytest.mark.parametrize(
    "form",
    ["double-round-robin", "groups", "knockout", "double-elimination", "swiss", "gauntlet"],
)
def test_every_format_is_played_to_its_end(cli: Ludus, form: str) -> None:
    new(cli, "--format", form)
    ran = cli("contest", "run", "--jobs", "1")
    assert ran.code == 0, ran.err
    assert "over" in ran.out
    report = cli("contest", "report", "--no-records")
    assert report.code == 0


def test_files_that_hold_no_bot_are_left_out_if_asked(
    cli: Ludus, bot: WriteBot, here: Path
) -> None:
    broken, sound = str(bot("class Bot", "broken.py")), str(bot(LEGAL, "sound.py"))
    asked = ("contest", "new", "reversi", "greedy", broken, sound)
    ran = cli(*asked)
    assert ran.code == 2 and "--skip leaves out" in ran.err
    ran = cli("contest", "new", "reversi", "greedy", str(Path(sound).parent))
    assert ran.code == 2 and f"contest new reversi {Path(sound).parent}/*.py" in ran.err
    ran = cli(*asked, "--skip")
    assert ran.code == 0
    assert "left out:" in ran.err
    assert "broken.py" in ran.err
    made = tomllib.loads((here / "contest.toml").read_text())
    assert [each["name"] for each in made["entrants"]] == ["greedy", "sound"]


@pytest.mark.parametrize("preset", ["duel2048-2020", "eraser2023"])
def test_presets_are_written_for_their_own_game(cli: Ludus, here: Path, preset: str) -> None:
    game = preset.partition("2")[0].rstrip("-") if "eraser" in preset else "duel2048"
    assert cli("contest", "new", game, "greedy", "random", "--preset", preset).code == 0
    assert tomllib.loads((here / "contest.toml").read_text())["match"]["bouts"] == 20
    (here / "contest.toml").unlink()
    ran = cli("contest", "new", "reversi", "greedy", "random", "--preset", preset)
    assert f"the preset {preset} is for {game}" in ran.err


def test_the_layouts_of_the_event_can_be_shown(cli: Ludus) -> None:
    new(cli)
    event = cli("contest", "run", "--jobs", "1", "--layout", "event").out
    assert "   +-----+-----+-----+" in event
    assert "Ranking:" in event
    document = cli("contest", "run", "--layout", "document").out
    assert "  greedy: |*****|" in document


def test_entrants_come_late_and_leave_early(cli: Ludus, bot: WriteBot) -> None:
    new(cli)
    assert cli("contest", "run", "--jobs", "1").code == 0
    ran = cli("contest", "add", str(bot(LEGAL, "late.py")))
    assert "late takes part" in ran.out, ran.err
    assert cli("contest", "drop", "random#1").code == 0
    assert cli("contest", "resume", "--jobs", "1").code == 0
    data = json.loads(cli("contest", "status", "--json").out)
    met = {frozenset(match["entrants"]) for match in data["matches"]}
    assert frozenset(("late", "greedy")) in met
    assert frozenset(("late", "random#1")) not in met
    notes = {row["name"]: row["note"] for row in data["standings"]["rows"]}
    assert notes["random#1"] == "dropped"
    assert "no entrant 'eve'" in cli("contest", "drop", "eve").err


def test_a_champion_that_withdraws_after_a_league_and_a_knockout_stays_the_champion(
    cli: Ludus, here: Path
) -> None:
    (here / "contest.toml").write_text(
        'name = "x"\ngame = "reversi"\noptions = { size = 4 }\n'
        '[format]\nname = "staged"\nleague = { name = "round-robin" }\n'
        '[[entrants]]\nbot = "greedy"\n' + '[[entrants]]\nbot = "random"\n' * 3
    )
    assert cli("contest", "run", "--jobs", "1").code == 0

    def standings() -> list[tuple[str, str]]:
        told = json.loads(cli("contest", "status", "--json").out)["standings"]["rows"]
        return [(row["name"], row["note"]) for row in told]

    before = standings()
    assert before[0][1] == "champion"
    assert cli("contest", "drop", before[0][0]).code == 0
    assert standings() == before


def test_before_the_first_bout_entrants_are_added_to_the_file(
    cli: Ludus, bot: WriteBot, here: Path
) -> None:
    new(cli)
    file = here / "contest.toml"
    before = file.read_text()
    for typed, said in (("gredy", "did you mean 'greedy'?"), ("nofile.py", "called 'nofile.py'")):
        refused = cli("contest", "add", typed)
        assert refused.code == 2 and said in refused.err
    assert file.read_text() == before and not (here / "contest.db").exists()
    bot(LEGAL, "late.py")
    assert "late takes part" in cli("contest", "add", "late.py", "greedy").out
    assert file.read_text().startswith(before), "comments are kept"
    entries = tomllib.loads(file.read_text())["entrants"]
    assert entries[3:] == [
        {"bot": "late.py", "name": "late"},
        {"bot": "greedy", "name": "greedy#1"},
    ]
    assert not (here / "contest.db").exists()
    assert "two entrants" not in cli("contest", "run", "--jobs", "1").err
    assert len(json.loads(cli("contest", "status", "--json").out)["standings"]["rows"]) == 5


def test_paths_of_entrants_are_kept_as_they_were_typed(
    cli: Ludus, bot: WriteBot, here: Path
) -> None:
    outside = bot(LEGAL, "other.py").rename(here.parent / f"{here.name}-other.py")
    inside = bot(LEGAL, "own.py")
    made = cli("contest", "new", "reversi", str(outside), str(inside))
    assert made.code == 0, made.err
    entries = tomllib.loads((here / "contest.toml").read_text())["entrants"]
    assert [each["bot"] for each in entries] == [str(outside), "own.py"]


TALKER = """
class Bot:
    def move(self, position, clock):
        self.note(f"MURMUR {len(position.legal(position.to_move[0]))} moves", score=0.25)
        return position.legal(position.to_move[0])[0]
"""


def test_notes_are_kept_with_the_bouts_and_come_beside_the_records_if_wished(
    cli: Ludus, bot: WriteBot, here: Path
) -> None:
    mine = bot(TALKER)
    assert cli("contest", "new", "reversi", str(mine), "random", *TINY).code == 0
    assert cli("contest", "run", "--jobs", "1").code == 0
    written = here / "report"
    assert cli("contest", "report", "--notes").code == 0
    records = sorted((written / "records").glob("*.ludus"))
    assert len(records) > 1
    for path in records:
        seat = [each.name for each in record.read(path).bots].index("mine")
        shown = cli("replay", "show", str(path), "--all").out
        assert "MURMUR " in shown and "expects 25%" in shown
        notes = ludus.load(path).notes
        assert notes[seat].notes and not notes[1 - seat].notes, "the rival said nothing"
    assert "--no-records" in cli("contest", "report", "--notes", "--no-records").err
    assert cli("contest", "report").code == 0
    for path in written.rglob("*"):
        assert path.suffix != ".notes" and (path.is_dir() or b"MURMUR" not in path.read_bytes())


def test_bouts_are_judged_again(cli: Ludus, bot: WriteBot, here: Path) -> None:
    mine = bot("class Bot:\n    def move(self, position, clock):\n        return 1 / 0\n")
    assert cli("contest", "new", "reversi", "greedy", str(mine), *TINY).code == 0
    assert cli("contest", "run", "--jobs", "1").code == 0
    broken = json.loads(cli("contest", "status", "--json").out)
    assert {bout["verdict"] for bout in broken["bouts"]} == {"crash"}
    assert "ZeroDivisionError" in cli("contest", "status").out
    mine.write_text(LEGAL)
    refused = cli("contest", "resume")
    assert refused.code == 2
    assert "rejudge --bot mine" in refused.err
    assert "2 bouts will be played again" in cli("contest", "rejudge", "--bot", "mine").out
    assert cli("contest", "resume", "--jobs", "1").code == 0
    mended = json.loads(cli("contest", "status", "--json").out)
    assert {bout["verdict"] for bout in mended["bouts"]} == {"rules"}
    assert [b["seed"] for b in mended["bouts"]] == [b["seed"] for b in broken["bouts"]]
    match = mended["matches"][0]["id"]
    assert "2 bouts" in cli("contest", "rejudge", match).out
    assert "what is to be played again?" in cli("contest", "rejudge").err
    assert "match 'x' has no played bouts" in cli("contest", "rejudge", "x").err
    assert cli("contest", "resume", "--jobs", "1").code == 0
    assert cli("contest", "drop", "greedy").code == 0
    before = read_digests(here)
    [match, *_] = json.loads(cli("contest", "status", "--json").out)["bouts"]
    mine.write_text(f"{LEGAL}# another version\n")
    refused = cli("contest", "rejudge", match["match"], "--bot", "nobody")
    assert refused.code == 2 and read_digests(here) == before, "nothing of it was accepted"
    assert "entrants that have left" in cli("contest", "rejudge", match["match"]).err
    assert "no bout is played again" in cli("contest", "rejudge", "--bot", "mine").out
    assert read_digests(here)["mine"] != before["mine"], "or the contest could never go on"


def read_digests(folder: Path) -> dict[str, str]:
    store = open_begun_store(open_contest(str(folder / "contest.toml")))
    return {each.entrant.name: each.digest for each in store.load_entrants()}


def test_a_person_stops_a_contest_and_goes_on(cli: Ludus, here: Path, bot: WriteBot) -> None:
    slow = LEGAL.replace("        return", "        import time; time.sleep(0.2)\n        return")
    mine = bot(slow, "slow.py")
    assert cli("contest", "new", "reversi", "greedy", str(mine), *TINY, "--bouts", "8").code == 0
    process = start("contest", "run", "--jobs", "2", LUDUS_LANG="en")
    until = time.monotonic() + 60
    while not json_bouts(cli) and time.monotonic() < until:
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    saved = "All results are saved. Continue with: ludus contest resume contest.toml"
    assert said == f"interrupted. {saved}\n"
    played = json_bouts(cli)
    assert 0 < played < 8
    assert cli("contest", "resume", "--jobs", "2").code == 0
    assert json_bouts(cli) == 8


def json_bouts(cli: Ludus) -> int:
    ran = cli("contest", "status", "--json")
    return len(json.loads(ran.out)["bouts"]) if ran.code == 0 else 0


def test_a_terminal_shows_the_table_while_it_is_played(cli: Ludus, here: Path) -> None:
    new(cli, "--bouts", "4")
    main, side = pty.openpty()
    command = [sys.executable, "-m", "ludus", "contest", "run", "--jobs", "1"]
    environment = {**os.environ, "LUDUS_LANG": "en", "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=side, stdin=side, env=environment
    ) as process:
        os.close(side)
        shown = b""
        try:
            while data := os.read(main, 65536):
                shown += data
        except OSError:
            pass
        os.close(main)
    assert process.returncode == 0
    assert b"bouts played" in shown
    assert b"greedy" in shown


# sprt


def test_sprt_finds_the_better_version_and_goes_on_where_it_was(cli: Ludus) -> None:
    asked = ("sprt", "greedy", "random", "--game", "reversi", "-o", "size=4", "--elo1", "60")
    first = cli(*asked, "--jobs", "1", "--json")
    found = json.loads(first.out)
    assert (first.code, found["answer"]) == (0, "better")
    assert found["llr"] >= found["bounds"][1]
    assert found["interval"][0] > 0
    again = json.loads(cli(*asked, "--json").out)
    assert again == found, "nothing was left to play"
    stricter = json.loads(cli(*asked, "--alpha", "0.001", "--jobs", "1", "--json").out)
    assert sum(stricter["pairs"]) > sum(found["pairs"])
    fresh = json.loads(cli(*asked, "--fresh", "--jobs", "1", "--json").out)
    assert fresh["pairs"] == found["pairs"]


def test_sprt_says_no_and_says_that_it_does_not_know(
    cli: Ludus, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("random", "greedy", "--game", "reversi", "-o", "size=4", "--jobs", "1")
    monkeypatch.setattr("ludus.cli.sprt.PROGRESS_PAUSE_S", 0.0)
    ran = cli("sprt", *asked, "--elo1", "60")
    assert ran.code == 1
    told = ran.err.splitlines()
    assert told[-1].startswith("LLR ") and " pairs (0, ½, 1" in told[-1], "seen in a file, too"
    assert "The new version is not better." in ran.out
    ran = cli("sprt", *asked, "--bouts", "4", "--elo1", "0.5", "--fresh")
    assert ran.code == 1
    assert "Not decided yet" in ran.out
    assert "2 pairs" in ran.out
    assert "are the same" in cli("sprt", "greedy", "greedy", "--game", "reversi").err
    assert "elo1 must be above elo0" in cli("sprt", *asked, "--elo1", "-5").err


def test_no_cluster_is_explained(cli: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.scheduling.cluster.CONNECT_TIMEOUT", "1s")
    new(cli)
    key = ludus_home() / "cluster.pem"
    asked = ("contest", "run", "--cluster", "tls://127.0.0.1:9")
    assert f"the cluster's key {key} cannot be read" in cli(*asked).err
    make_key(key)
    ran = cli(*asked)
    assert ran.code == 2
    assert "no cluster answers at tls://127.0.0.1:9" in ran.err
    key.chmod(0o640)
    assert f"other users can read the cluster's key {key}" in cli(*asked).err


@pytest.mark.parametrize("option", [["--cluster-key", "key.pem"], ["--insecure"]])
def test_an_option_of_a_cluster_needs_the_cluster(
    cli: Ludus, monkeypatch: pytest.MonkeyPatch, option: list[str]
) -> None:
    ran = cli("contest", "run", *option)
    assert (ran.code, ran.out) == (2, "")
    assert f"{option[0]} belongs to --cluster, which is missing" in ran.err
    monkeypatch.setenv("LUDUS_LANG", "zh")
    assert f"{option[0]} 需与 --cluster 合用" in cli("contest", "run", *option).err


def test_an_open_cluster_is_refused_unless_asked_for(
    cli: Ludus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ludus.scheduling.cluster.CONNECT_TIMEOUT", "1s")
    new(cli)
    asked = ("contest", "run", "--cluster", "tcp://127.0.0.1:9")
    assert "tcp://127.0.0.1:9 is not encrypted" in cli(*asked).err
    assert "no cluster answers at tcp://127.0.0.1:9" in cli(*asked, "--insecure").err
    assert "is not encrypted" in cli("worker", "tcp://127.0.0.1:0", "--serve").err


def test_chinese_people_read_chinese(cli: Ludus, chinese: None) -> None:
    new(cli)
    ran = cli("contest", "run", "--jobs", "1")
    assert "参赛者" in ran.out
    assert "先手优势" in ran.out
    assert "新版本更强吗" in cli("sprt", "--help").out
