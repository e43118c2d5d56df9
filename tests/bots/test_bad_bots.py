"""Every bot of tests/bots/bad gets its verdict, and the next bout of the series is unharmed."""

import os
import re
from pathlib import Path

import pytest

from ludus.bots.enter import enter
from ludus.bots.find import Source
from ludus.bots.process import ProcessPlayer
from ludus.bots.sandbox import Limits, python_bot
from ludus.games import Clock, get
from ludus.games.duel2048 import board
from ludus.match.series import series

BAD = sorted(Path(__file__).parent.glob("bad/*.py"))
NORMAL = Path(__file__).parent / "bad" / "normal.py"
GAME = get("duel2048")
PLAIN = str(board.__file__).endswith(".py")
CLOCK = Clock(budget=1.0, patience=1.0)


def word(path: Path, name: str) -> str:
    found = re.search(rf'^{name} = "(.*)"', path.read_text(), re.MULTILINE)
    return found[1] if found else ""


def processes_of(folder: Path) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(folder) in line:
            found.append(line.decode())
    return found


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_bad_bot_gets_its_verdict_and_harms_nobody(path: Path) -> None:
    bad = ProcessPlayer(path.stem, python_bot(path, NORMAL), limits=Limits(memory=1 << 30))
    house = enter(Source("random", GAME.house / "random.py", (), True, ""), GAME)
    options = GAME.Options(rounds=30)
    first, second = series(GAME, options, [bad, house], 2, seed=5, clock=CLOCK)

    wanted = (PLAIN and word(path, "UNCOMPILED")) or word(path, "VERDICT")
    assert first.record.verdict == wanted, first.record.faults
    if wanted != "rules":
        fault = first.record.faults[0]
        assert fault.seat == 0
        assert word(path, "SAYS") in fault.why["en"]
        assert fault.why["zh"]
        assert first.score(1) == 1.0
    if wanted != "load":
        assert second.record.verdict == "rules", second.record.faults
    assert not [line for line in processes_of(path) if "runner" in line]


def test_what_a_bot_prints_is_kept_for_its_owner() -> None:
    path = Path(__file__).parent / "bad" / "chatters.py"
    bad = ProcessPlayer("chatters", python_bot(path, NORMAL))
    house = enter(Source("random", GAME.house / "random.py", (), True, ""), GAME)
    (played,) = series(GAME, GAME.Options(rounds=3), [bad, house], 1, seed=1)
    assert played.outputs[0]["stdout"].startswith("round 0 position\nround 0 direction\n")
    assert "+00" in played.outputs[0]["stderr"]
    assert played.outputs[1] == {"stdout": "", "stderr": ""}


def test_only_the_beginning_and_the_end_of_a_flood_are_kept() -> None:
    path = Path(__file__).parent / "bad" / "prints_100_megabytes.py"
    bad = ProcessPlayer("flood", python_bot(path, NORMAL))
    house = enter(Source("random", GAME.house / "random.py", (), True, ""), GAME)
    (played,) = series(GAME, GAME.Options(rounds=30), [bad, house], 1, seed=1)
    kept = played.outputs[0]["stdout"]
    assert len(kept) < 70_000
    assert "bytes left out" in kept
