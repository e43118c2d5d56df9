"""The original's round robin on its toy group: what it recorded is what we write."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path

import pytest

from ludus.originals.paperio import round_robin
from ludus.originals.paperio.match_interface import load_match_log
from ludus.originals.paperio.schedule import schedule

GOLDEN = Path(__file__).parent.parent.parent / "golden" / "paperio" / "rr_toy"
PARAMS = (25, 51, 60, 2.0)
Revision = round_robin.Revision
TAGS: dict[str, Revision] = {"final": "event", "0607": "document"}


@pytest.fixture(scope="module", params=["final", "0607"])
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, list[str]]:
    """The group, played once with each revision of the tool: tag, folder, screens."""
    tag: str = request.param
    team = tmp_path_factory.mktemp(tag) / "toy"
    shutil.copytree(GOLDEN / "bots", team)
    screens: list[str] = []
    round_robin.main(
        team,
        promoted=2 if tag == "final" else 3,
        rounds=2,
        params=PARAMS,
        revision=TAGS[tag],
        order=golden(f"players_{tag}.txt").split(),
        show=screens.append,
    )
    return tag, team, screens


def golden(name: str) -> str:
    return (GOLDEN / name).read_text(encoding="utf-8")


def rows(team: Path, table: str) -> list[str]:
    with sqlite3.connect(team.parent / "toy.db") as database:
        return ["|".join(map(str, row)) for row in database.execute(f"SELECT * FROM {table}")]


def test_players_and_errors_are_those_recorded(played: tuple[str, Path, list[str]]) -> None:
    tag, team, _ = played
    assert (team / "players.txt").read_text() == golden(f"players_{tag}.txt")
    assert sorted((team / "errors.txt").read_text().splitlines()) == sorted(
        golden(f"errors_{tag}.txt").splitlines()
    )


def test_the_result_is_the_recorded_screen(played: tuple[str, Path, list[str]]) -> None:
    tag, team, _ = played
    *screen, _ = (team / "RESULT.txt").read_text().splitlines()
    *recorded, timing = golden(f"RESULT_{tag}.txt").splitlines()
    assert screen == recorded
    assert timing.startswith("running time: ")


def test_the_database_has_the_recorded_tables_and_rows(
    played: tuple[str, Path, list[str]],
) -> None:
    tag, team, _ = played
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


def test_the_bouts_are_written_under_the_recorded_names(
    played: tuple[str, Path, list[str]],
) -> None:
    tag, team, _ = played
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


def test_pairs_start_in_the_recorded_order(played: tuple[str, Path, list[str]]) -> None:
    tag, team, _ = played
    planned = schedule(golden(f"players_{tag}.txt").split())
    firsts = [tuple(row.split("|")[:2]) for row in rows(team, "match_raw")]
    started = list(dict.fromkeys(tuple(sorted(pair)) for pair in firsts))
    ranks = [started.index(tuple(sorted(pair))) for pair in planned]
    assert set(firsts) >= set(planned)
    assert all(abs(rank - place) <= 2 for place, rank in enumerate(ranks)), "two at a time"


def test_screens_in_between_look_like_the_recorded_ones(
    played: tuple[str, Path, list[str]],
) -> None:
    tag, _, screens = played
    running = " 0:0 " if tag == "final" else "00-00"
    assert running in golden(f"console_midrun_{tag}.txt")
    assert any(running in screen for screen in screens)
    recorded = golden(f"console_midrun_{tag}.txt").splitlines()
    for screen in screens:
        assert len(screen.splitlines()) in (len(recorded) - 1, len(recorded))


def test_a_folder_without_two_players_is_refused(tmp_path: Path) -> None:
    (tmp_path / "only.py").write_text("def play(stat, storage):\n    return 'L'\n")
    with pytest.raises(round_robin.LudusError, match="holds 1 valid player"):
        round_robin.main(tmp_path)
    assert (tmp_path / "players.txt").read_text() == "only\n"


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_asking_for_help_makes_no_folder(tmp_path: Path, word: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ludus.originals.paperio.round_robin", word],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "round_robin" in done.stderr
    assert list(tmp_path.iterdir()) == []
