"""No bot sees the code of one that it plays against."""

from pathlib import Path

import pytest

from ludus.compat.saiblo.lobby import Lobby
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.errors import LudusError
from ludus.server.bots.catalogue import BotCatalogue
from tests.support.cli import LEGAL, Ludus

WORDS = "which is another bot of this match or contest"
CURIOUS = f"import alice\n{LEGAL}"


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder into which somebody has collected bots."""
    folder = tmp_path / "bots"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "alice.py").write_text(LEGAL)
    (folder / "bob.py").write_text(CURIOUS)
    return folder


def test_a_contest_refuses_whoever_imports_another_entrant(cli: Ludus, bots: Path) -> None:
    ran = cli("contest", "new", "reversi", "alice.py", "bob.py")
    assert ran.code != 0 and WORDS in ran.err and "bob.py would see" in ran.err
    assert not (bots / "contest.toml").exists()
    ran = cli("contest", "new", "reversi", "alice.py", "bob.py", "random", "--skip")
    assert ran.code == 0 and "left out" in ran.err and "2 entrants" in ran.out


def test_an_entrant_that_comes_late_is_refused_too(cli: Ludus, bots: Path) -> None:
    assert cli("contest", "new", "reversi", "alice.py", "random").code == 0
    assert WORDS in cli("contest", "add", "bob.py").err
    (bots / "contest.toml").unlink()
    (bots / "contest.db").unlink(missing_ok=True)
    assert cli("contest", "new", "reversi", "bob.py", "random").code == 0
    assert WORDS in cli("contest", "add", "alice.py").err


def test_a_match_refuses_it_in_both_languages(
    cli: Ludus, bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WORDS in cli("play", "reversi", "bob.py", "alice.py", "--no-save").err
    monkeypatch.setenv("LUDUS_LANG", "zh")
    ran = cli("match", "reversi", "alice.py", "bob.py", "--bouts", "2", "--no-save")
    assert "AI 不得看到对手的文件" in ran.err and ran.code != 0


@pytest.mark.parametrize("rival", ["alice.py", "cmd:python3 alice.py", "nested", "nick.py"])
def test_whatever_the_other_is_called(cli: Ludus, bots: Path, rival: str) -> None:
    (bots / "nick.py").symlink_to("alice.py")
    mine = "bob.py"
    if rival == "nested":  # a folder comes whole, and this one holds another bot
        (bots / "ludus.toml").write_text('language = "python"\nmain = "alice.py"\n')
        mine, rival = ".", "bob.py"
    assert WORDS in cli("play", "reversi", mine, rival, "--no-save").err


def test_a_server_and_a_judger_refuse_it_too(cli: Ludus, bots: Path) -> None:
    with pytest.raises(LudusError, match=WORDS):
        BotCatalogue([("reversi", "alice.py"), ("reversi", "bob.py")])
    (bots / "logic.py").write_text("")
    assert WORDS in cli("judge", "logic.py", "alice.py", "bob.py", "replay.json").err


def test_at_a_desk_those_who_sit_there_already_count(home: Path, bots: Path) -> None:
    desk = Lobby(JudgerSettings(), bots, lambda _: None)
    try:
        assert desk.add_ai(0, "alice.py")
        with pytest.raises(LudusError, match=WORDS):
            desk.add_ai(1, "bob.py")
        desk.remove(0)
        assert desk.add_ai(1, "bob.py")
        with pytest.raises(LudusError, match=WORDS):
            desk.add_ai(0, "alice.py")
    finally:
        desk.close()


def test_what_is_shared_and_is_no_entrant_may_be_imported(cli: Ludus, bots: Path) -> None:
    """Two versions of one bot with their common module; and one bot against itself."""
    (bots / "carol.py").write_text(CURIOUS)
    for pair in (("bob.py", "carol.py"), ("bob.py", "bob.py")):
        ran = cli("contest", "new", "reversi", *pair, "-f", "round-robin")
        assert WORDS not in ran.err
        (bots / "contest.toml").unlink(missing_ok=True)
