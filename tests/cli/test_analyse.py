"""``ludus analyse``: what people and programs are told about a bout."""

import json
from pathlib import Path

import msgspec
import pytest

from ludus.analysis.evaluate import analyse
from ludus.analysis.model import Grade, MoveAnalysis
from ludus.cli.analyse_view import mark_of, render_curve
from ludus.games.registry import get
from ludus.match.record import read, save
from tests.support.bouts import fixed_bout
from tests.support.cli import LEGAL, Ludus, WriteBot

GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "bout.ludus"
    save(fixed_bout(), path)
    return path


@pytest.mark.parametrize(("after", "sign"), [(0.84, "?"), (0.5, "??")])
def test_a_missed_win_has_the_sign_of_its_loss(after: float, sign: str) -> None:
    move = MoveAnalysis(
        step=1,
        seat=0,
        move="a",
        before=1.0,
        after=after,
        loss=1 - after,
        grade=Grade.MISSED_WIN,
        best="b",
        line=["b"],
        certain=True,
        level=0,
    )
    assert mark_of(move)[0] == sign


def test_moves_accuracy_and_the_turning_point_are_shown(cli: Ludus, record: Path) -> None:
    ran = cli("analyse", record, "--level", 0)
    assert ran.code == 0
    assert "alpha-beta search" in ran.out
    assert "expected score of black" in ran.out
    assert "accuracy" in ran.out
    assert "better" in ran.out


def test_marks_side_by_side_under_the_curve_read_as_two_mistakes(record: Path) -> None:
    game = get("reversi")
    *_, found = analyse(read(record), seconds=None, level=0)
    moves = [
        msgspec.structs.replace(move, step=step, grade=grade)
        for move, step, grade in zip(
            found.moves, (1, 2, 3), (Grade.MISTAKE, Grade.MISTAKE, Grade.BLUNDER), strict=False
        )
    ]
    curve = render_curve(msgspec.structs.replace(found, moves=moves, steps=10), game)
    _, marks = curve.plain.splitlines()
    assert marks.split() == ["○○●", "○", "mistake", "?", "●", "blunder", "??"]


def test_the_same_in_chinese(cli: Ludus, record: Path, chinese: None) -> None:
    ran = cli("analyse", record, "--level", 0)
    assert "准确率" in ran.out and "期望得分" in ran.out


def test_a_result_is_kept_beside_the_record_and_used_again(cli: Ludus, record: Path) -> None:
    first = json.loads(cli("analyse", record, "--seconds", 0.3, "--json").out)
    assert record.with_name("bout.ludus.analysis").is_file()
    again = json.loads(cli("analyse", record, "--seconds", 0.2, "--json").out)
    assert again == first
    longer = json.loads(cli("analyse", record, "--seconds", 0.4, "--json").out)
    assert longer["budget"]["limit"] == 0.4


def test_a_kept_result_of_another_record_is_not_used(cli: Ludus, record: Path) -> None:
    first = json.loads(cli("analyse", record, "--seconds", 0.2, "--json").out)
    save(fixed_bout("reversi", ("random", "greedy")), record)
    second = json.loads(cli("analyse", record, "--seconds", 0.2, "--json").out)
    assert first["record"] != second["record"]


def test_a_damaged_kept_result_is_made_again(cli: Ludus, record: Path) -> None:
    record.with_name("bout.ludus.analysis").write_bytes(b"{")
    ran = cli("analyse", record, "--seconds", 0.2, "--json")
    assert json.loads(ran.out)["complete"]


def test_where_nothing_can_be_written_the_result_is_kept_at_home(
    cli: Ludus, record: Path, home: Path
) -> None:
    record.with_name("bout.ludus.analysis").mkdir()  # so that no file can have this name
    assert cli("analyse", record, "--seconds", 0.2).code == 0
    assert [path.suffix for path in (home / "analyses").iterdir()] == [".analysis"]


def test_no_time_at_all_is_refused(cli: Ludus, record: Path) -> None:
    ran = cli("analyse", record, "--seconds", 0)
    assert ran.code == 2 and "--seconds must be above 0" in ran.err


def test_mistakes_of_a_bot_are_found_over_a_folder(cli: Ludus, record: Path) -> None:
    ask = ("analyse", record.parent, "--bot", "random", "--level", 0)
    ran = cli(*ask)
    assert ran.code == 0
    assert "random: 1 bouts" in ran.out
    assert "last third" in ran.out and "against greedy" in ran.out
    facts = json.loads(cli(*ask, "--json").out)
    assert facts["bot"] == "random" and facts["groups"]


def test_versions_of_one_name_are_said_to_be_counted_together(cli: Ludus, record: Path) -> None:
    ask = ("analyse", record.parent, "--bot", "random", "--level", 0)
    assert "different programs" not in cli(*ask).err
    other = read(record)
    other.bots = [msgspec.structs.replace(bot, digest="0" * 64) for bot in other.bots]
    save(other.with_checksum(), record.with_name("other.ludus"))
    ran = cli(*ask)
    assert ran.code == 0, ran.err
    assert "2 different programs are called random in these records" in ran.err


def test_a_folder_needs_the_name_of_a_bot_that_played(cli: Ludus, record: Path) -> None:
    for more in ([], ["--bot", "nobody"]):
        ran = cli("analyse", record.parent, *more)
        assert ran.code == 2
        assert "greedy, random" in ran.err


def test_mistakes_are_written_as_test_positions(cli: Ludus, record: Path, tmp_path: Path) -> None:
    from ludus.analysis.test_positions import read_test_positions

    file = tmp_path / "mistakes.jsonl"
    ran = cli("analyse", record, "--level", 0, "--positions", file)
    assert ran.code == 0 and "positions written to" in ran.err
    tests = read_test_positions(file)
    assert tests and all(test.loss >= 0.1 and test.record == "bout.ludus" for test in tests)


def test_a_record_of_an_original_is_analysed(cli: Ludus, tmp_path: Path) -> None:
    source = GOLDEN / "duel2048" / "records" / "normal_40_rounds.txt"
    copy = tmp_path / source.name
    copy.write_bytes(source.read_bytes())
    ran = cli("analyse", copy, "--seconds", 0.5, "--json")
    assert json.loads(ran.out)["game"] == "duel2048"
    assert copy.with_name(f"{copy.name}.analysis").is_file()


def test_a_loss_by_a_fault_is_told(cli: Ludus, bot: WriteBot) -> None:
    wrong = bot(LEGAL.replace("return", "return '' or 'a1' or"))
    assert cli("play", "reversi", wrong, "random", "-o", "size=4").code == 0
    said = " ".join(cli("analyse").out.split())
    assert "mine lost the bout by a fault, whatever its moves were worth: illegal move" in said
    assert "No single move" not in said
