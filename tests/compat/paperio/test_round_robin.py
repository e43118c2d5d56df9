"""The original's round robin on its toy group: what it recorded is what we write."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from ludus.compat.paperio import round_robin
from ludus.compat.paperio.match_interface import load_match_log
from ludus.compat.paperio.schedule import schedule

GOLDEN = Path(__file__).parent.parent.parent / "golden" / "paperio" / "rr_toy"
PARAMS = (25, 51, 60, 0.25)
"""A quarter of a second for a bot that hangs; the recorded games gave it two."""
TAGS: dict[str, round_robin.Revision] = {"final": "event", "0607": "document"}


@dataclass(frozen=True)
class Played:
    """The group, played with a revision of the tool."""

    tag: str
    team: Path
    screens: list[str]


def golden(name: str) -> str:
    return (GOLDEN / name).read_text(encoding="utf-8")


def rows(team: Path, table: str) -> list[str]:
    with sqlite3.connect(team.parent / "toy.db") as database:
        return ["|".join(map(str, row)) for row in database.execute(f"SELECT * FROM {table}")]


def players_and_errors_are_those_recorded(played: Played) -> None:
    tag, team = played.tag, played.team
    assert (team / "players.txt").read_text() == golden(f"players_{tag}.txt")
    assert sorted((team / "errors.txt").read_text().splitlines()) == sorted(
        golden(f"errors_{tag}.txt").splitlines()
    )


def the_result_is_the_recorded_screen(played: Played) -> None:
    tag, team = played.tag, played.team
    *screen, _ = (team / "RESULT.txt").read_text().splitlines()
    *recorded, timing = golden(f"RESULT_{tag}.txt").splitlines()
    assert screen == recorded
    assert timing.startswith("running time: ")


def the_database_has_the_recorded_tables_and_rows(played: Played) -> None:
    tag, team = played.tag, played.team
    with sqlite3.connect(team.parent / "toy.db") as database:
        made = [row[0] for row in database.execute("SELECT sql FROM sqlite_master")]
    assert [f"{line};" for line in made if line] == golden(f"schema_{tag}.sql").splitlines()
    found, recorded = rows(team, "match_result"), golden(f"match_result_{tag}.psv").splitlines()
    assert sorted(map(_pair, found)) == sorted(map(_pair, recorded))
    raw, wanted = rows(team, "match_raw"), golden(f"match_raw_{tag}.psv").splitlines()
    assert len(raw) == len(wanted)
    if tag == "final":  # the other drew lots that nobody knows: who was first is by chance
        assert sorted(found) == sorted(recorded)
        assert Counter(map(_but_bravo, raw)) == Counter(map(_but_bravo, wanted))


def _pair(row: str) -> tuple[str, ...]:
    """A row without the order of seats: an early end leaves the second half shorter."""
    one, other, flag, *_ = row.split("|")
    return (*sorted((one, other)), flag)


def _but_bravo(row: str) -> str:
    """How t_toy_bravo dies depends on where it starts."""
    return row.rpartition("|")[0] if "bravo" in row and "echo" not in row else row


def the_bouts_are_written_under_the_recorded_names(played: Played) -> None:
    tag, team = played.tag, played.team
    written = [path.name for path in (team / "log").iterdir()]
    recorded = golden(f"log_files_{tag}.txt").splitlines()
    assert Counter(map(_kind, written)) == Counter(map(_kind, recorded))
    if tag == "final":
        assert sorted(written) == sorted(recorded)
    log = load_match_log(team / "log" / "t_toy_Alpha-t_toy_golf(1).zlog")
    assert log["players"] == ("t_toy_Alpha", "t_toy_golf")
    assert log["maxturn"] == 60
    if tag == "final":
        last = (team / "log" / "t_toy_Alpha-t_toy_golf(1).pkl").read_bytes()
        assert b"band_route" in zlib.decompress(last)


def _kind(name: str) -> str:
    """A file without the order of its players and its number."""
    stem, _, rest = name.partition("(")
    return "-".join(sorted(stem.split("-"))) + rest[1:]


def pairs_start_in_the_recorded_order(played: Played) -> None:
    planned = schedule(golden(f"players_{played.tag}.txt").split())
    firsts = [tuple(row.split("|")[:2]) for row in rows(played.team, "match_raw")]
    started = list(dict.fromkeys(tuple(sorted(pair)) for pair in firsts))
    assert set(firsts) >= set(planned)
    assert started == [tuple(sorted(pair)) for pair in planned]


def screens_in_between_look_like_the_recorded_ones(played: Played) -> None:
    tag, screens = played.tag, played.screens
    running = " 0:0 " if tag == "final" else "00-00"
    assert running in golden(f"console_midrun_{tag}.txt")
    assert any(running in screen for screen in screens)
    recorded = golden(f"console_midrun_{tag}.txt").splitlines()
    for screen in screens:
        assert len(screen.splitlines()) in (len(recorded) - 1, len(recorded))


@pytest.mark.parametrize("tag", TAGS)
def test_what_is_left_is_what_was_recorded(tmp_path: Path, tag: str) -> None:
    """All in one, for the group takes long; one pair at a time, so that their order is certain."""
    team = tmp_path / "toy"
    shutil.copytree(GOLDEN / "bots", team)
    screens: list[str] = []
    round_robin.main(
        team,
        promoted=2 if tag == "final" else 3,
        rounds=2,
        params=PARAMS,
        jobs=1,
        revision=TAGS[tag],
        order=golden(f"players_{tag}.txt").split(),
        show=screens.append,
    )
    played = Played(tag, team, screens)
    players_and_errors_are_those_recorded(played)
    the_result_is_the_recorded_screen(played)
    the_database_has_the_recorded_tables_and_rows(played)
    the_bouts_are_written_under_the_recorded_names(played)
    pairs_start_in_the_recorded_order(played)
    screens_in_between_look_like_the_recorded_ones(played)


def test_a_folder_without_two_players_is_refused(tmp_path: Path) -> None:
    (tmp_path / "only.py").write_text("def play(stat, storage):\n    return 'L'\n")
    with pytest.raises(round_robin.LudusError, match="has 1 valid player"):
        round_robin.main(tmp_path)
    assert (tmp_path / "players.txt").read_text() == "only\n"


def test_a_file_that_raises_without_a_message_is_not_a_player(tmp_path: Path) -> None:
    (tmp_path / "silent.py").write_text("def play(stat, storage):\n    pass\nraise ValueError\n")
    (tmp_path / "wordy.py").write_text("play = print\nraise ValueError('a: b')\n")
    with pytest.raises(round_robin.LudusError, match="has 0 valid players"):
        round_robin.main(tmp_path)
    told = (tmp_path / "errors.txt").read_text(encoding="utf-8")
    assert told == "读取'silent.py'时出错：\n读取'wordy.py'时出错：a: b\n"


def test_asking_for_help_makes_no_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ludus.compat.paperio.round_robin", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "round_robin" in done.stderr
    assert list(tmp_path.iterdir()) == []
