"""Every bot of tests/bots/bad gets its verdict in the jail, and harms nobody."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus import sandbox
from ludus.bots.build import python_bot
from ludus.bots.players.base import Player
from ludus.bots.players.create import create_player
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, get
from ludus.match.bot_check.observed_player import list_children
from ludus.match.series import series
from ludus.sandbox import JailLevel, Limits
from tests.support.jail import HELD_BY_THE_JAIL, MEET_A_LIMIT
from tests.support.leftovers import is_deaf, none_left

FOLDER = Path(__file__).parent / "bad"
SHARED = [FOLDER / f"{name}.py" for name in ("normal", "attack", "wire")]
GAME = get("duel2048")
CLOCK = Clock(budget=5.0, patience=2.0)
"""To fill the memory takes a slow machine more than half a second of CPU time."""
SHORT = Clock(budget=0.2, patience=2.0)
"""For bots that use up whatever they get."""
LIMITS = Limits(memory=256 << 20)


def word(path: Path, name: str) -> str:
    found = re.search(rf'^{name} = "(.*)"', path.read_text(), re.MULTILINE)
    return found[1].replace("\\\\", "\\") if found else ""


BAD = [path for path in sorted(FOLDER.glob("*.py")) if word(path, "VERDICT")]
WHOLLY = sandbox.list_levels()[0]
"""The level that every bad bot is tried at."""
HANDFUL = {"endless_loop", "garbage", "raises"}
ELSEWHERE = {
    JailLevel.USERNS: HANDFUL.union(MEET_A_LIMIT),  # all else is as at level strong
    JailLevel.PLAIN: HANDFUL.union(HELD_BY_THE_JAIL),
}
TRIED = [
    pytest.param(path, level, id=f"{level}-{path.stem}")
    for level in JailLevel
    for path in BAD
    if level is WHOLLY or path.stem in ELSEWHERE.get(level, ())
]


@pytest.fixture(params=list(JailLevel))
def level(request: pytest.FixtureRequest) -> JailLevel:
    if request.param not in sandbox.list_levels():
        pytest.skip(f"no jail of level {request.param} on this machine")
    return JailLevel(request.param)


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """After all of them: no process, no file, no mount and no control group of ours."""
    usual, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("temporary"))
    os.chmod(tempfile.tempdir, 0o755)
    try:
        with none_left(Path(tempfile.tempdir)):
            yield
    finally:
        tempfile.tempdir = usual


@pytest.fixture(scope="module", autouse=True)
def opponents_code() -> Iterator[Path]:
    """A file that nobody but its owner should find, where everybody may read it."""
    with tempfile.TemporaryDirectory(prefix="opponent-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / "opponent.py"
        path.write_text("# THE OPPONENT'S CODE\n")
        path.chmod(0o644)
        yield path


def jailed(path: Path, level: JailLevel | None = None) -> ProcessPlayer:
    return ProcessPlayer(path.stem, python_bot(path, *SHARED), limits=LIMITS, jail=level)


def house() -> Player:
    return create_player(resolve_bot("random", GAME), GAME)


def wanted(path: Path, level: JailLevel) -> str:
    return (level is JailLevel.PLAIN and word(path, "PLAIN")) or word(path, "VERDICT")


def test_the_jail_holds_bots_that_there_are() -> None:
    assert HANDFUL.union(HELD_BY_THE_JAIL) <= {path.stem for path in BAD}
    assert set(MEET_A_LIMIT) <= set(HELD_BY_THE_JAIL)


@pytest.mark.parametrize(("path", "level"), TRIED, indirect=["level"])
def test_a_bad_bot_gets_its_verdict_and_harms_nobody(path: Path, level: JailLevel) -> None:
    players = [jailed(path, level), house()]
    verdict = wanted(path, level)
    clock = SHORT if verdict == "timeout" else CLOCK
    first, second = series(GAME, GAME.Options(rounds=10), players, 2, seed=5, clock=clock)

    assert first.record.verdict in verdict.split("|"), first.record.faults
    assert first.record.bots[0].isolation == level
    if verdict != "rules":
        fault = first.record.faults[0]
        assert fault.seat == 0
        assert word(path, "SAYS") in fault.why["en"]
        assert fault.why["zh"]
        assert first.score(1) == 1.0
    if verdict != "load":
        assert second.record.verdict == "rules", second.record.faults


ATTACKS = (
    *("opens_sockets", "reads_other_processes", "reads_secrets", "reads_the_environment"),
    "reads_the_opponent",
)
UNJAILED = f"""
import json
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.match.bot_check.observed_player import list_children
from ludus.games import get
from ludus.match.series import series
game, said = get("duel2048"), {{}}
for name in {ATTACKS!r}:
    specs = (f"{FOLDER}/{{name}}.py", "random")
    players = [create_player(resolve_bot(spec, game), game, isolate=False) for spec in specs]
    (played,) = series(game, game.Options(rounds=30), players, 1, 5)
    said[name] = [fault.why["en"] for fault in played.record.faults]
print(json.dumps(said))
"""
"""Every attack, in a process of their own."""


@pytest.fixture(scope="module")
def gained() -> dict[str, list[str]]:
    ran = subprocess.run([sys.executable, "-c", UNJAILED], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_succeeds_where_there_is_no_jail(name: str, gained: dict[str, list[str]]) -> None:
    """Else a refusal would prove nothing."""
    assert gained[name] and "BREACH" in gained[name][0]


def is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def descendants(pid: int) -> set[int]:
    found = list_children(pid)
    return found.union(*map(descendants, found))


REFEREE = f"""
import sys
from pathlib import Path
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.build import python_bot
from ludus.games import Clock, get
from ludus.match.series import series
game, folder = get("duel2048"), Path({str(FOLDER)!r})
shared = [folder / f"{{name}}.py" for name in ("normal", "attack", "wire")]
players = [
    ProcessPlayer(name, python_bot(folder / f"{{name}}.py", *shared), jail=sys.argv[1])
    for name in ("sheds_its_ties", "ignores_terminate")
]
list(series(game, game.Options(rounds=5), players, 2, 1, clock=Clock(budget=600, patience=600)))
"""
"""Of two bouts: who moves first misbehaves."""


def test_a_bot_without_ties_dies_with_its_referee_all_the_same(level: JailLevel) -> None:
    referee = subprocess.Popen([sys.executable, "-c", REFEREE, level.value])
    until = time.monotonic() + 30
    while sum(map(is_deaf, started := descendants(referee.pid))) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    assert sum(map(is_deaf, started)) == 2
    assert len(started) >= 5  # the zygote, two keepers, two bots
    referee.send_signal(signal.SIGKILL)
    referee.wait()
    until = time.monotonic() + 20
    while any(map(is_running, started)) and time.monotonic() < until:
        time.sleep(0.02)
    left = [pid for pid in started if is_running(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def test_what_a_bot_prints_is_kept_for_its_owner() -> None:
    players = [jailed(FOLDER / "chatters.py"), house()]
    (played,) = series(GAME, GAME.Options(rounds=3), players, 1, seed=1)
    assert played.outputs[0]["stdout"].startswith("round 0 position\nround 0 direction\n")
    assert "+00" in played.outputs[0]["stderr"]
    assert played.outputs[1] == {"stdout": "", "stderr": ""}


def test_only_the_beginning_and_the_end_of_a_flood_are_kept() -> None:
    players = [jailed(FOLDER / "prints_100_megabytes.py"), house()]
    (played,) = series(GAME, GAME.Options(rounds=30), players, 1, seed=1)
    kept = played.outputs[0]["stdout"]
    assert len(kept) < 70_000
    assert "bytes left out" in kept
