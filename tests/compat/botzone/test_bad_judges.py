"""Judges that misbehave: the bout is void, the message says why, and nobody is left."""

from pathlib import Path

import pytest

from ludus.errors import GameProgramFault, LudusError
from ludus.match.referee import play
from tests.support.judged_games import Responder, open_judged, write_game
from tests.support.leftovers import jailed_processes, none_left

LATE = "did not end within 0.3 s"
BAD = {
    "exits_with_a_code": ("sys.exit(3)", "exited with code 3"),
    "raises": ("raise RuntimeError('the map is missing')", "the map is missing"),
    "is_killed": ("os.kill(os.getpid(), 9)", "killed by SIGKILL"),
    "prints_nothing": ("input()", "it printed nothing"),
    "prints_garbage": ("print('hello')", "not one JSON value .*: hello"),
    "prints_half_a_line": ("""print('{"command": "req', end='')""", "not one JSON value"),
    "prints_twice": ("ask(_0=1); ask(_0=2)", "not one JSON value"),
    "prints_a_list": ("print([1])", '"command": "request" or "finish"'),
    "prints_nan": ("finish(float('nan'), 1)", "not one JSON value"),
    "has_an_unknown_command": ("""print('{"command": "wait", "content": {"0": 1}}')""", "wait"),
    "asks_nobody": ("ask()", "at least one seat"),
    "asks_a_stranger": ("ask(_2=1)", "names '2'; the seats are 0 to 1"),
    "asks_by_name": ("ask(black=1)", "names 'black'"),
    "forgets_a_score": ("finish(2)", "the score of seat 1 must be a number"),
    "gives_words_for_scores": ("finish('won', 'lost')", "the score of seat 0 must be a number"),
    "gives_endless_scores": (
        'print(\'{"command":"finish","content":{"0":1e300,"1":0}}\')',
        "seat 0",
    ),
    "prints_two_megabytes": ("print('9' * 2_000_000)", "more than 1024 kB in one turn"),
    "floods": ("while True: print('9' * 1000)", "more than 1024 kB in one turn"),
    "hangs": ("time.sleep(600)", LATE),
    "spins": ("while True: pass", LATE),
    "does_not_end": ("ask(_0=1); time.sleep(600)", f"{LATE}; it has printed"),
    "leaves_children": ("if os.fork(): os._exit(4)\ntime.sleep(600)", "exited with code 4"),
    "closes_its_stdout": ("os.close(1); time.sleep(600)", "closed its stdout"),
    "asks_for_ever": ("ask(_0=1)", "did not end the bout in 3 turns"),
    "ends_after_it_was_kept": ("ask(_0=1); keep(); input(); sys.exit(5)", "exited with code 5"),
    "forgets_the_marker": ("ask(_0=1); keep(); input(); ask(_0=1); time.sleep(600)", LATE),
    # Killed by its control group, or refused memory where there is none.
    "takes_all_memory": ("x = bytearray(200 << 20); time.sleep(600)", "memory|MemoryError"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_judge_voids_the_bout(name: str, tmp_path: Path) -> None:
    judge, why = BAD[name]
    seconds = 0.3 if LATE in why else 60
    kept = str("keep()" in judge).lower()
    manifest = f"judge_time = {seconds}\nturns = 3\njudge_memory = 64\nkeep_running = {kept}"
    folder = write_game(tmp_path, judge, manifest)
    game = open_judged(folder)
    players = [Responder(lambda request: request), Responder(lambda request: request)]
    with pytest.raises(GameProgramFault, match=why) as caught:
        play(game, game.Options(), 1, players)
    text = caught.value.text
    assert text["en"].startswith("the judge of judged ")
    assert text["zh"].startswith("judged 的裁判程序")
    assert jailed_processes(game.manifest.judge) == []


def test_bad_judges_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    with none_left(tmp_path / "tmp"):
        for name in ("leaves_children", "hangs", "ends_after_it_was_kept"):
            test_a_bad_judge_voids_the_bout(name, tmp_path / name)


def test_a_judge_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "botzone.toml").write_text('name = "judged"\njudge = "judge.py"\n')
    game = open_judged(tmp_path)
    players = [Responder(lambda request: request), Responder(lambda request: request)]
    with pytest.raises(LudusError, match=r"the judge of judged, 'judge\.py', is not in"):
        play(game, game.Options(), 1, players)
