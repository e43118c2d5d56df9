"""A contest's database that others have written into, or that is not where it seems to be."""

import sqlite3
from pathlib import Path

import pytest

from ludus.cli.contest.run import warn_about_weak_jails
from ludus.errors import LudusError
from ludus.scheduling.contest_loading import ContestFile
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.ledger_loading import LedgerReader
from tests.support.stored_bouts import PAIRING, SETTINGS, brought, facts


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("odd") / "contest.db"
    store = ContestStore.create(str(path), SETTINGS)
    store.save_bouts([brought(1)])
    assert store.load_bouts() == [(PAIRING, facts(1))]
    store.close()
    return path


@pytest.mark.parametrize(
    "odd",
    [
        """scores = '[1e999, "x"]'""",
        "scores = '[1e999, 0]'",
        "scores = '[NaN, 0]'",
        "scores = '[1]'",
        "cpu = 'null'",
        "plies = -1",
        "faults = '[[[]]]'",
        """faults = '[{"seat": 7, "kind": "x", "why": {}}]'""",
        "names = '{}'",
        "reason = '3'",
        "wall = 'no JSON'",
    ],
)
def test_odd_figures_of_a_bout_are_told_in_a_sentence(odd: str, file: Path) -> None:
    with sqlite3.connect(file) as database:
        before = database.execute("SELECT * FROM bouts").fetchall()
        database.execute(f"UPDATE bouts SET {odd}")
        database.commit()
        found = ContestStore.open(str(file))
        assert found is not None
        with pytest.raises(LudusError) as caught:
            LedgerReader(found).refresh()
        found.close()
        marks = ",".join("?" * len(before[0]))
        database.execute("DELETE FROM bouts")
        database.executemany(f"INSERT INTO bouts VALUES ({marks})", before)
    en, zh = caught.value.text["en"], caught.value.text["zh"]
    assert "damaged" in en and "已损坏" in zh
    if "JSON" not in odd:
        assert str(file) in en and "bout 1 of match rr/1/ada/bob" in en and str(file) in zh


@pytest.mark.parametrize("name", ["contest.db", "contest.db-wal"])
def test_a_database_that_is_a_link_out_of_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "contest"
    folder.mkdir()
    (folder / "contest.toml").write_text(
        'name = "x"\ngame = "reversi"\n\n[[entrants]]\nbot = "random"\n'
    )
    link = folder / name
    link.symlink_to("../VICTIM")
    for exists in (False, True):
        if exists:
            (tmp_path / "VICTIM").write_bytes(b"")
        with pytest.raises(LudusError, match="leads out of the contest's folder"):
            ContestFile(folder).open_or_create_store()
        assert (tmp_path / "VICTIM").exists() is exists


@pytest.mark.parametrize(("lang", "words"), [("en", "without a jail"), ("zh", "没有沙箱")])
def test_a_contest_whose_bots_run_without_a_jail_says_so(
    lang: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LUDUS_LANG", lang)
    monkeypatch.setenv("COLUMNS", "400")
    file = tmp_path / "contest.toml"
    for bot, said in (("stranger.py", 1), ("random", 0)):
        text = f'name = "x"\ngame = "reversi"\nisolate = false\n[[entrants]]\nbot = "{bot}"\n'
        file.write_text(text)
        warn_about_weak_jails(ContestFile(file))
        assert capsys.readouterr().err.count(words) == said
