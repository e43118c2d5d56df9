"""Series of bouts and their files, as the original's ``match_interface`` has them."""

import copyreg
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ludus.compat.paperio import match_core, match_interface
from ludus.errors import LudusError

SMALL = {"k": 9, "h": 17, "max_turn": 20, "max_time": 5}


class Tracer:
    """A bot that notes its calls and what is in its storage."""

    def __init__(self, name: str, calls: list[Any]) -> None:
        self.name, self.calls = name, calls

    def init(self, storage: dict[str, int]) -> None:
        self.note("init", storage)

    def load(self, stat: Any, storage: dict[str, int]) -> None:
        self.note("load", storage)

    def play(self, stat: Any, storage: dict[str, int]) -> str:
        storage["play"] = storage.get("play", 0) + 1
        return "L"

    def summary(self, result: Any, stat: Any, storage: dict[str, int]) -> None:
        self.note("summary", storage)

    def summaryall(self, storage: dict[str, int]) -> None:
        self.note("summaryall", storage)

    def note(self, call: str, storage: dict[str, int]) -> None:
        self.calls.append((self.name, call, dict(storage)))
        storage[call] = storage.get(call, 0) + 1


def circling(**more: Any) -> Any:
    return SimpleNamespace(play=lambda stat, storage: "L", **more)


def test_a_series_keeps_seats_and_storages_and_ends_with_summaryall() -> None:
    calls: list[Any] = []
    wins, found = match_interface.repeated_match(
        [Tracer("a", calls), Tracer("b", calls)], ("a", "b"), 2, **SMALL
    )
    assert wins == {0: 0, 1: 0, None: 2}
    assert found == [(None, -3, (9, 9))] * 2
    for name in "ab":
        own = [(call, storage) for who, call, storage in calls if who == name]
        assert own == [
            ("init", {}),
            ("load", {"init": 1}),
            ("summary", {"init": 1, "load": 1, "play": 20}),
            ("load", {"init": 1, "load": 1, "play": 20, "summary": 1}),
            ("summary", {"init": 1, "load": 2, "play": 40, "summary": 1}),
            ("summaryall", {"init": 1, "load": 2, "play": 40, "summary": 2}),
        ]


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_bots_whose_init_and_summaryall_fail_play_all_the_same(error: type[BaseException]) -> None:
    def fail(storage: Any) -> None:
        raise error

    wins, _ = match_interface.repeated_match(
        [circling(init=fail, summaryall=fail), circling()], ("a", "b"), 1, False, 9, 17, 4, 5
    )
    assert wins[None] == 1


def test_storages_are_cleared_and_swapped() -> None:
    match_core.STORAGE[0]["x"] = 1
    match_interface.clear_storage()
    assert match_core.STORAGE == [{}, {}]
    match_core.STORAGE[0]["x"] = 1
    match_interface.swap_storage()
    assert match_core.STORAGE == [{}, {"x": 1}]
    match_interface.clear_storage()


def test_a_series_writes_its_zlogs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    match_interface.repeated_match([circling(), circling()], ("a", "b"), 2, True, **SMALL)
    assert sorted(path.name for path in (tmp_path / "log").iterdir()) == [
        "a-VS-b_0.zlog",
        "a-VS-b_1.zlog",
    ]
    log = match_interface.load_match_log("log/a-VS-b_1.zlog")
    assert log["result"] == (None, -3, (9, 9))
    assert len(log["log"]) == 41


@pytest.mark.parametrize("suffix", ["zlog", "clog"])
def test_what_was_saved_is_loaded_the_same(suffix: str, tmp_path: Path) -> None:
    log = match_core.match([circling(), circling()], ("甲", "乙"), **SMALL)
    path = tmp_path / "new" / f"bout.{suffix}"
    save = {"zlog": match_interface.save_match_log, "clog": match_interface.save_compact_log}
    save[suffix](log, path)
    again = match_interface.load_match_log(path)
    assert list(again) == list(log)
    for one, other in zip(again["log"], log["log"], strict=True):
        assert one["timeleft"] == pytest.approx(other["timeleft"])
        assert one | {"timeleft": ()} == other | {"timeleft": ()}
    assert again | {"log": []} == log | {"log": []}


def test_an_exception_that_cannot_be_pickled_is_saved_in_words(tmp_path: Path) -> None:
    class Private(Exception):
        pass

    def play(stat: Any, storage: Any) -> str:
        raise Private("secret")

    log = match_core.match([circling(), SimpleNamespace(play=play)], **SMALL)
    match_interface.save_match_log(log, tmp_path / "bout.zlog")
    again = match_interface.load_match_log(tmp_path / "bout.zlog")
    assert again["result"][:2] == (0, -1)
    assert str(again["result"][2]) == "Private: secret"
    assert isinstance(log["result"][2], Private)


def test_libraries_that_pickle_exceptions_their_own_way_change_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(copyreg.dispatch_table, KeyError, lambda error: (str, ("changed",)))
    test_pythons_own_exceptions_come_back(tmp_path)


def test_pythons_own_exceptions_come_back(tmp_path: Path) -> None:
    def play(stat: Any, storage: Any) -> str:
        raise KeyError("size")

    log = match_core.match([circling(), SimpleNamespace(play=play)], **SMALL)
    for save in (match_interface.save_match_log, match_interface.save_compact_log):
        save(log, tmp_path / "bout")
        raised = match_interface.load_match_log(tmp_path / "bout")["result"][2]
        assert type(raised) is KeyError and raised.args == ("size",)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match="cannot read"):
        match_interface.load_match_log(tmp_path / "none.zlog")
