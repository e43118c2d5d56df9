"""Records looked at again."""

import gzip
import json
from pathlib import Path

import msgspec
import pytest

from ludus.match.record import pack, read
from tests.support.cli import Ludus

ORIGINAL = Path(__file__).parent.parent / "golden" / "duel2048" / "records"


@pytest.fixture
def record(cli: Ludus, home: Path) -> Path:
    cli("play", "duel2048", "greedy", "random", "--seed", 7, "-o", "rounds=20")
    return next((home / "records").iterdir())


@pytest.fixture
def lost_by_a_fault(cli: Ludus, home: Path, tmp_path: Path) -> Path:
    bad = tmp_path / "bad.py"
    bad.write_text("class Bot:\n    def move(self, position, clock):\n        return 'nowhere'\n")
    cli("play", "duel2048", bad, "random", "--save", tmp_path / "faults")
    return next((tmp_path / "faults").iterdir())


def test_the_newest_record_is_shown(cli: Ludus, record: Path) -> None:
    ran = cli("replay", "show")
    assert ran.code == 0
    assert str(record) in ran.out
    assert "greedy" in ran.out
    assert "wins: more tiles of level" in ran.out
    assert "·  over" in ran.out or "· over" in ran.out


def test_the_same_in_chinese(cli: Ludus, record: Path, chinese: None) -> None:
    ran = cli("replay", "show", record)
    assert "录像" in ran.out
    assert "获胜" in ran.out
    said, closing = cli("replay", "verify").out.splitlines()  # the record saved last
    assert said == f"{record}：有效" and closing.startswith("已证明：着法")


def test_a_fault_is_told_with_chinese_colons(
    cli: Ludus, lost_by_a_fault: Path, chinese: None
) -> None:
    assert "✗ 先手：bad：违规：它回答了 'nowhere'：" in cli("replay", "show", lost_by_a_fault).out


def test_any_step_is_shown(cli: Ludus, record: Path) -> None:
    start = cli("replay", "show", record, "--step", 0).out
    assert "step 0 of" in start
    assert "[2]" not in start
    assert "[2]" in cli("replay", "show", record, "--step", 1).out
    steps = cli("replay", "show", record, "--all").out.count("Duel 2048 · step")
    assert steps == len(read(record).moves) + 1


def test_a_step_that_is_not_there_is_refused(cli: Ludus, record: Path) -> None:
    ran = cli("replay", "show", record, "--step", 10_000)
    assert ran.code == 2
    assert "step 10000 does not exist" in ran.err


def test_the_view_is_json(cli: Ludus, record: Path) -> None:
    view = json.loads(cli("replay", "show", record, "--view", "--step", 3).out)
    assert view["step"] == 3
    assert len(view["layers"]["tiles"]) == 32


def test_a_fault_is_shown_with_the_record(cli: Ludus, lost_by_a_fault: Path) -> None:
    ran = cli("replay", "show", lost_by_a_fault)
    assert "  in Ludus' own process  " in ran.out
    levels = {"jail: strong", "jail: userns", "jail: plain"}
    assert any(f"  {level}  " in ran.out for level in levels)
    assert "random wins: illegal move" in ran.out
    assert "it answered 'nowhere'" in ran.out


def test_without_records_there_is_nothing_to_show(cli: Ludus) -> None:
    ran = cli("replay", "show")
    assert ran.code == 2
    assert "no record has been saved yet" in ran.err


def test_true_records_are_verified(cli: Ludus, record: Path, lost_by_a_fault: Path) -> None:
    ran = cli("replay", "verify", record, lost_by_a_fault)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count(": ok\n") == 2
    assert cli("replay", "verify", record.parent).code == 0


def test_verify_says_what_it_has_proved_and_what_not(cli: Ludus, record: Path) -> None:
    """Who played and how fast is only said by whoever wrote the record."""
    facts = json.loads(gzip.decompress(record.read_bytes()))
    bots = [bot | {"name": "a champion"} for bot in facts["bots"]]
    other = edited(record, bots=bots, times=facts["times"] | {"used": [[0.0, 0.0]] * 2})
    other.write_bytes(pack(read(other).with_checksum()))
    ran = cli("replay", "verify", record, other)
    assert ran.code == 0
    proved, _, unproved = ran.out.splitlines()[-1].partition(" Not proved: ")
    assert "the moves" in proved and "the result" in proved
    assert "who played" in unproved and "the times" in unproved
    bad = edited(record, seed=1)
    assert "Proved" not in cli("replay", "verify", bad).out
    ran = cli("replay", "verify", "--json", record, bad)
    good, wrong = json.loads(ran.out)["records"]
    assert ran.code == 2 and good == {"file": str(record), "valid": True, "error": None}
    assert not wrong["valid"] and wrong["error"]["zh"]


def edited(record: Path, **changes: object) -> Path:
    facts = json.loads(gzip.decompress(record.read_bytes()))
    path = record.with_name("edited.ludus")
    path.write_bytes(gzip.compress(json.dumps(facts | changes).encode()))
    return path


def test_an_edited_record_is_refused_with_exit_code_1(cli: Ludus, record: Path) -> None:
    path = edited(record, scores=[0.0, 1.0])
    ran = cli("replay", "verify", record, path)
    assert ran.code == 2
    assert f"{record}: ok" in ran.out
    assert f"{path}: record verification failed: checksum mismatch" in ran.out


@pytest.mark.parametrize("command", ["show", "stats", "verify"])
def test_a_name_that_fills_the_terminal_is_refused(cli: Ludus, record: Path, command: str) -> None:
    bots = json.loads(gzip.decompress(record.read_bytes()))["bots"]
    path = edited(record, bots=[bots[0] | {"name": "a\n" * 1000}, bots[1]])
    ran = cli("replay", command, path)
    assert ran.code == 2 and "a name in it has several lines" in ran.out + ran.err


def test_a_fault_that_fills_the_terminal_is_refused(cli: Ludus, lost_by_a_fault: Path) -> None:
    (fault,) = json.loads(gzip.decompress(lost_by_a_fault.read_bytes()))["faults"]
    path = edited(lost_by_a_fault, faults=[fault | {"why": {"en": "a" * 500_000, "zh": ""}}])
    ran = cli("replay", "show", path)
    assert ran.code == 2 and "the description of a fault has more than" in ran.err


def test_a_resealed_lie_is_refused_too(cli: Ludus, record: Path) -> None:
    path = edited(record, seed=1)
    path.write_bytes(pack(read(path).with_checksum()))
    ran = cli("replay", "verify", path)
    assert ran.code == 2
    assert "record verification failed: " in ran.out


@pytest.mark.parametrize("command", ["show", "stats", "convert"])
def test_an_edited_record_is_not_used(cli: Ludus, record: Path, command: str) -> None:
    path = edited(record, seed=1)
    ran = cli("replay", command, path)
    assert ran.code == 2
    assert "record verification failed" in ran.err
    assert not path.with_suffix(".txt").exists()


@pytest.mark.parametrize("command", ["show", "verify", "stats", "convert"])
def test_a_record_that_cannot_be_read_gets_a_sentence_and_exit_code_2(
    cli: Ludus, record: Path, command: str
) -> None:
    cut = record.with_name("cut.ludus")
    cut.write_bytes(record.read_bytes()[:-20])
    ran = cli("replay", command, cut)
    assert ran.code == 2
    assert f"{cut} is cut off" in ran.err
    other = record.with_name("other.ludus")
    other.write_text("hello")
    assert cli("replay", command, other).code == 2
    missing = cli("replay", command, record.with_name("missing.ludus"))
    assert missing.code == 2
    assert "No such file" in missing.err


def test_a_record_becomes_an_original_file_and_comes_back(cli: Ludus, record: Path) -> None:
    assert cli("replay", "convert", record).code == 0
    text = record.with_suffix(".txt")
    assert text.read_text().startswith("player0: 0 from path greedy\n")
    back = record.with_name("back.ludus")
    assert cli("replay", "convert", text, back).code == 0
    assert read(back).moves == read(record).moves
    assert cli("replay", "verify", back, text).code == 0


def test_converting_replaces_no_file_unless_forced(cli: Ludus, record: Path) -> None:
    record.with_suffix(".txt").write_text("mine")
    ran = cli("replay", "convert", record)
    assert ran.code == 2
    assert "exists already" in ran.err
    assert record.with_suffix(".txt").read_text() == "mine"
    assert cli("replay", "convert", record, "--force").code == 0


def test_converting_to_the_same_kind_is_refused(cli: Ludus, record: Path) -> None:
    ran = cli("replay", "convert", record, record.with_name("x.ludus"))
    assert ran.code == 2
    assert "can be converted to .txt" in ran.err


def test_a_bot_that_fails_to_start_where_nothing_is_played_leaves_a_true_record(
    cli: Ludus, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "def load(stat, storage):\n    1 / 0\n\n\ndef play(stat, storage):\n    return 'S'\n"
    )
    ran = cli("play", "paperio", bad, "random", "-o", "turns=0", "--save", tmp_path / "saved")
    assert "random wins" in ran.out
    ran = cli("replay", "verify", tmp_path / "saved")
    assert (ran.code, ran.out.count(": ok\n")) == (0, 1)


def test_original_files_are_shown_and_verified(cli: Ludus) -> None:
    path = ORIGINAL / "tied_1_round.txt"
    assert "draw: equal tiles at every level" in cli("replay", "show", path).out
    assert cli("replay", "verify", path).code == 0


def test_verifying_a_folder_without_records_is_refused(cli: Ludus, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see")
    ran = cli("replay", "verify", tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert f"there are no records in {tmp_path}" in ran.err


def test_original_files_in_a_folder_are_verified_too(cli: Ludus, tmp_path: Path) -> None:
    true, false, cut = (tmp_path / name for name in ("true.txt", "false.txt", "cut.zlog"))
    text = (ORIGINAL / "tied_1_round.txt").read_text()
    true.write_text(text)
    (tmp_path / "notes.txt").write_text("nothing to see")
    ran = cli("replay", "verify", tmp_path)
    assert (ran.code, ran.out.splitlines()[:-1]) == (0, [f"{true}: ok"])
    false.write_text(text.replace("&p0:\n+00", "&p0:\n+05", 1))
    cut.write_bytes(b"")
    ran = cli("replay", "verify", tmp_path)
    assert ran.code == 2
    assert str(false) in ran.err
    assert str(cut) in ran.err
    assert f"{true}: ok" in ran.out


def test_an_edited_original_file_is_refused(cli: Ludus, tmp_path: Path) -> None:
    text = (ORIGINAL / "tied_1_round.txt").read_text()
    path = tmp_path / "edited.txt"
    path.write_text(text.replace("&p0:\n+00", "&p0:\n+05", 1))
    ran = cli("replay", "show", path)
    assert ran.code == 2
    assert str(path) in ran.err


def test_stats_count_every_bot(
    cli: Ludus, record: Path, lost_by_a_fault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = cli("replay", "stats", record.parent, lost_by_a_fault)
    assert ran.code == 0
    assert ran.out.startswith("2 records, ")
    assert "illegal move 1" in ran.out
    told = json.loads(cli("replay", "stats", record, lost_by_a_fault, "--json").out)
    bots = {bot["name"]: bot for bot in told["bots"]}
    assert bots["random"]["bouts"] == 2
    assert bots["bad"]["faults"] == {"illegal": 1}
    assert bots["bad"]["moves"] == 0
    assert sum(bot["moves"] for bot in bots.values()) == told["plies"]
    monkeypatch.setenv("LUDUS_LANG", "zh")
    assert "违规 1" in cli("replay", "stats", record.parent, lost_by_a_fault).out


def test_stats_of_a_folder_count_records_of_other_rules_in_one_line(
    cli: Ludus, record: Path
) -> None:
    for name in ("old.ludus", "older.ludus"):
        old = record.with_name(name)
        old.write_bytes(pack(msgspec.structs.replace(read(record), version=99).with_checksum()))
    ran = cli("replay", "stats", record.parent)
    assert ran.code == 0 and ran.out.startswith("1 records, ")
    assert ran.err.startswith("ludus: 2 records of other versions of the rules are not counted; ")
    assert ran.err.endswith(f"replay verify {record.parent}\n")
    named = cli("replay", "stats", record, old)
    assert named.code == 2 and f"{old}: the record uses rules version 99" in named.err
    record.unlink()
    ran = cli("replay", "stats", record.parent)
    assert (ran.code, ran.out) == (2, "")


def test_stats_of_nothing_are_refused(cli: Ludus, tmp_path: Path) -> None:
    ran = cli("replay", "stats", tmp_path)
    assert ran.code == 2
    assert "there are no records in" in ran.err
