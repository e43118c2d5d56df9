"""``match`` of the original: recorded games again, with results, clocks, frames and calls."""

import random
import time
from types import SimpleNamespace
from typing import Any

import pytest

from ludus.compat.paperio import match_core
from tests.support import paperio_games as golden
from tests.support.paperio_scripts import FakeClock, Script

GAMES = golden.games()
SMALL = {"k": 9, "h": 17, "max_turn": 30, "max_time": 5}


@pytest.fixture(autouse=True)
def fresh_globals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_core, "STORAGE", [{}, {}])
    monkeypatch.setattr(match_core, "FRAME_FUNC", match_core.NULL)


def played(game: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A recorded game again, with bots that follow the script."""
    clock = FakeClock()
    monkeypatch.setattr(match_core, "perf_counter", clock)
    if game["seed"] is not None:
        random.seed(game["seed"])
    return match_core.match(
        Script(game, clock).bots(),
        tuple(game["names"]),
        game["k"],
        game["h"],
        game["maxturn"],
        game["maxtime"],
        game["overrides"],
    )


def circling(**more: Any) -> Any:
    return SimpleNamespace(play=lambda stat, storage: "L", **more)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game["id"])
def test_recorded_games_have_the_originals_result(
    game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = played(game, monkeypatch)
    assert list(log) == ["players", "size", "maxturn", "maxtime", "result", "log"]
    assert log["players"] == tuple(game["names"])
    assert list(log["size"]) == game["size"]
    assert len(log["log"]) == game["steps"] + 1
    wanted = game["result"]
    result = log["result"]
    assert type(result) is tuple and len(result) == wanted["len"]
    assert result[:2] == (wanted["winner"], wanted["type"])
    if wanted["type"] == -1:
        assert type(result[2]).__name__ == wanted["extra"]["exception"]
        assert str(result[2]) == wanted["extra"]["str"]
    elif len(result) == 3:
        extra = wanted["extra"]
        assert result[2] == (tuple(extra) if isinstance(extra, list) else extra)
        assert type(result[2]) is not int or wanted["type"] == 1


@pytest.mark.parametrize("game", [g for g in GAMES if "timeleft" in g], ids=lambda game: game["id"])
def test_a_replaced_clock_gives_the_recorded_times(
    game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = played(game, monkeypatch)
    assert [list(frame["timeleft"]) for frame in log["log"]] == game["timeleft"]


@pytest.mark.parametrize("game", GAMES[::7], ids=lambda game: game["id"])
def test_public_frames_are_the_recorded_states(
    game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = played(game, monkeypatch)["log"]
    assert list(log[0]) == ["turnleft", "timeleft", "fields", "players", "bands", "band_route"]
    for number, state in game["states"].items():
        frame = log[int(number)]
        heads = [[p["x"], p["y"], p["direction"]] for p in frame["players"]]
        assert (heads, list(frame["turnleft"])) == (state["p"], state["t"])
        assert ["".join(map(str, route)) for route in frame["band_route"]] == state["r"]
        for layer, text in (("fields", state["f"]), ("bands", state["b"])):
            cells = [cell for column in frame[layer] for cell in column]
            assert cells == expanded(text)
            assert type(frame[layer]) is tuple and type(frame[layer][0]) is tuple


def expanded(text: str) -> list[int | None]:
    """Run-length coded cells."""
    cells: list[int | None] = []
    count = ""
    for sign in text:
        if sign.isdecimal():
            count += sign
        else:
            cells += [{".": None, "A": 1, "B": 2}[sign]] * int(count or 1)
            count = ""
    return cells


def test_bots_are_called_as_the_original_calls_them() -> None:
    calls: list[Any] = []

    def bot(name: str) -> Any:
        return SimpleNamespace(
            load=lambda stat, storage: calls.append((name, "load", len(stat["log"]))),
            play=lambda stat, storage: calls.append((name, "play", len(stat["log"]))),
            summary=lambda result, stat, storage: calls.append((name, "summary", result)),
        )

    overrides = [{"x": 4, "y": 8, "init_direction": 1}, {"x": 13, "y": 8, "init_direction": 0}]
    log = match_core.match([bot("a"), bot("b")], plr_overrides=overrides, **SMALL)
    assert calls[:5] == [
        ("a", "load", 1),
        ("b", "load", 1),
        ("a", "play", 1),
        ("b", "play", 2),
        ("a", "play", 3),
    ]
    assert log["result"] == (0, 0)
    assert calls[-2:] == [("a", "summary", (0, 0)), ("b", "summary", (0, 0))]


def test_storages_are_the_modules_and_survive_bouts() -> None:
    def play(stat: Any, storage: Any) -> str:
        storage["n"] = storage.get("n", 0) + 1
        return "L"

    bots = [SimpleNamespace(play=play), circling()]
    for _ in range(2):
        match_core.match(bots, **SMALL)
    assert match_core.STORAGE == [{"n": 60}, {}]


def test_every_public_frame_is_shown_live(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(match_core, "FRAME_FUNC", shown.append)
    log = match_core.match([circling(), circling()], **SMALL)
    assert [id(frame) for frame in shown] == [id(frame) for frame in log["log"]]


def test_grids_are_the_same_objects_for_both_bots_and_the_record() -> None:
    seen: list[Any] = []
    bots = [
        SimpleNamespace(play=lambda stat, storage: seen.append(stat["log"]) or "L"),
        SimpleNamespace(play=lambda stat, storage: seen.append(stat["log"]) or "L"),
    ]
    log = match_core.match(bots, **SMALL)["log"]
    first, second = seen[0], seen[1]
    for mine, yours, public in zip(first, second, log, strict=True):
        assert mine["fields"] is yours["fields"] is public["fields"]
        assert mine["bands"] is yours["bands"] is public["bands"]
        assert mine["players"] is not yours["players"]


def test_a_timer_without_time_out_lets_times_go_below_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_core, "timer", lambda left, func, params: (func(*params), 2.0))
    log = match_core.match([circling(), circling()], **SMALL)
    assert log["result"][1] == -3
    assert log["log"][-1]["timeleft"] == (5 - 60.0, 5 - 60.0)


def test_an_exception_leaves_its_traceback() -> None:
    def play(stat: Any, storage: Any) -> str:
        raise ValueError("gives up")

    log = match_core.match([circling(), SimpleNamespace(play=play)], **SMALL)
    assert log["result"][:2] == (0, -1)
    assert "gives up" in match_core.match.DEBUG_TRACEBACK
    assert len(log["log"]) == 2


def test_the_second_bot_does_not_load_when_the_first_could_not() -> None:
    calls: list[str] = []

    def fail(stat: Any, storage: Any) -> None:
        raise ValueError

    bots = [circling(load=fail), circling(load=lambda stat, storage: calls.append("load"))]
    assert match_core.match(bots, **SMALL)["result"][:2] == (1, -1)
    assert calls == []


def test_an_endless_loop_is_out_of_time() -> None:
    def play(stat: Any, storage: Any) -> str:
        while True:
            time.sleep(0.001)

    began = time.perf_counter()
    bots = [SimpleNamespace(play=play), circling()]
    log = match_core.match(bots, **SMALL | {"max_time": 0.2})
    assert log["result"] == (1, -2)
    assert time.perf_counter() - began < 5


def test_leaving_the_interpreter_leaves_the_match() -> None:
    def play(stat: Any, storage: Any) -> str:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        match_core.match([SimpleNamespace(play=play), circling()], **SMALL)


def test_a_missing_play_is_the_callers_mistake() -> None:
    with pytest.raises(AttributeError):
        match_core.match([SimpleNamespace(), circling()], **SMALL)


def test_what_fails_in_a_summary_is_ignored() -> None:
    def summary(result: Any, stat: Any, storage: Any) -> None:
        raise SystemExit

    assert match_core.match([circling(summary=summary), circling()], **SMALL)["result"][1] == -3
