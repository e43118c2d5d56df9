"""Where Ludus prints one line, a stranger's words do not make two of it."""

from pathlib import Path

import pytest

from ludus.bots.manifest import read_manifest
from ludus.cli.judge import print_report
from ludus.compat.saiblo.game import open_game
from ludus.compat.saiblo.report import JudgerReport, SeatReport
from ludus.errors import LudusError
from tests.support.cli import Ludus

FALSE = "ludus: all is well"
EVIL = f"x\n{FALSE}\r\x85\u2028{FALSE}\x0b{FALSE}"


def lines_that_begin_falsely(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.lstrip().startswith(FALSE)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_verdicts_of_a_logic_are_a_line_each(
    lang: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LUDUS_LANG", lang)
    monkeypatch.setenv("COLUMNS", "400")
    seat = SeatReport(kind=1, verdict=EVIL, exit_code=0, cpu=0.0, memory=0, stderr=EVIL)
    why = {"en": EVIL, "zh": EVIL}
    report = JudgerReport(
        version="v2",
        reason="failed",
        why=why,
        end_info=None,
        scores=None,
        rounds=1,
        seconds=1.0,
        seats=[seat],
        logic_exit_code=0,
        logic_stderr=EVIL,
        notes=[why],
    )
    print_report(report, "replay.json")
    told = capsys.readouterr()
    assert told.out.count("all is well") == 9 and told.err.count("all is well") == 6
    assert lines_that_begin_falsely(told.out + told.err) == []


@pytest.mark.parametrize(
    "said",
    ['title = {en = "T\\nludus: all is well"}', 'seats = ["a", "b\\u001b[2J"]', 'seats = ["\\t"]'],
)
@pytest.mark.parametrize(("lang", "words"), [("en", "in one line"), ("zh", "无法在一行中显示")])
def test_a_games_title_and_seats_are_a_line_each(
    said: str, lang: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_LANG", lang)
    (tmp_path / "saiblo.toml").write_text(f'name = "x"\nlogic = "logic.py"\n{said}\n')
    with pytest.raises(LudusError, match=words):
        open_game(tmp_path)


def test_a_sentence_about_what_went_wrong_is_one_line(cli: Ludus, tmp_path: Path) -> None:
    ran = cli("replay", "show", str(tmp_path / f"x\n{FALSE}"))
    assert ran.code == 2 and lines_that_begin_falsely(ran.err) == []


@pytest.mark.parametrize(("lang", "words"), [("en", "at most {} kB"), ("zh", "最多 {} kB")])
def test_a_manifest_that_is_too_long_is_told_the_limit(
    lang: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_LANG", lang)
    path = tmp_path / "ludus.toml"
    path.write_text("#" * (16 << 10) + "\n")
    with pytest.raises(LudusError, match=words.format(16)):
        read_manifest(path, path)
    (tmp_path / "saiblo.toml").write_text("#" * (1 << 20) + "\n")
    with pytest.raises(LudusError, match=words.format(1024)):
        open_game(tmp_path)
