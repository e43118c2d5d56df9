"""The judger's own promises: early answers, limits, verdicts, and that nothing is left behind."""

import gc
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from ludus import sandbox
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.run import judge_match
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.versions import V1, V1_1, V2, EarlyAnswerPolicy
from ludus.sandbox import JailLevel, Limits
from tests.support.leftovers import jailed_processes
from tests.support.talking import ECHO, script


def play(folder: Path, logic: str, *ais: str, **terms: Any) -> JudgerReport:
    players = [script(folder, f"ai{seat}", code) for seat, code in enumerate(ais)]
    replay = str(folder / "replay.json")
    return judge_match(script(folder, "logic", logic), players, replay, JudgerSettings(**terms))


def replay(folder: Path) -> Any:
    return json.loads((folder / "replay.json").read_text())


EARLY = """
init = receive()
ask(1, 0, "wake")  # what has been started answers at once
tell({"state": 2, "listen": [], "player": [], "content": []})
tell(b"data", target=0)
time.sleep(0.4)
tell({"state": 3, "listen": [0], "player": [], "content": []})
said = receive()
tell({"state": 4, "listen": [], "player": [], "content": []})
open("/replay/replay.json", "w").write(json.dumps(said))
end(1)
"""


@pytest.mark.parametrize(
    ("early", "answered"), [("hold", True), ("forward", True), ("drop", False)]
)
def test_an_early_answer_is_held_forwarded_or_dropped(
    early: EarlyAnswerPolicy, answered: bool, tmp_path: Path
) -> None:
    report = play(tmp_path, EARLY, ECHO, early=early, time=1.0)
    assert report.ended, report
    said = replay(tmp_path)
    assert said["player"] == (0 if answered else -1)
    notes = [note["en"] for note in report.notes]
    assert notes == [] if answered else "answers of seat 0 dropped" in notes[0], notes


@pytest.mark.parametrize("freeze", [True, False])
def test_a_frozen_ai_does_not_think_in_somebody_elses_time(freeze: bool, tmp_path: Path) -> None:
    thinking = """
        import threading
        thought = [0]
        def think():
            while True:
                thought[0] += 1
                time.sleep(0.01)
        threading.Thread(target=think, daemon=True).start()
        while True:
            read(4)
            answer(str(thought[0]))
    """
    slow = "while True:\n    read(4)\n    time.sleep(1.5)\n    answer('slow')"
    logic = """
        init = receive()
        tell({"state": 0, "time": 20, "length": 2048})
        first = int(ask(1, 0, "go!!")["content"])
        ask(2, 1, "go!!")
        again = int(ask(3, 0, "go!!")["content"])
        with open(init["replay"], "w") as file:
            json.dump({"thought": again - first}, file)
        end(1, 0)
    """
    report = play(tmp_path, logic, thinking, slow, freeze=freeze)
    assert report.ended, report
    assert [seat.verdict for seat in report.seats] == ["OK", "OK"]
    thought = replay(tmp_path)["thought"]
    assert thought < 10 if freeze else thought > 10


@pytest.mark.parametrize(
    ("version", "answered"), [(V1, False), (V1_1, False), (V2, True)], ids=["v1", "v1.1", "v2"]
)
def test_early_answers_are_dropped_in_the_old_versions_and_held_in_the_new(
    version: Any, answered: bool, tmp_path: Path
) -> None:
    logic = EARLY.replace("/replay/replay.json", "replay.json")
    report = play(tmp_path, logic, ECHO, version=version, time=1.0)
    assert report.ended, report
    assert (replay(tmp_path)["player"] == 0) is answered


def test_held_answers_come_in_the_order_in_which_they_were_given(tmp_path: Path) -> None:
    report = play(
        tmp_path,
        """
        receive()
        for number in range(100):
            tell(b"%04d" % number, target=number % 2)
        time.sleep(0.5)
        tell({"state": 1, "listen": [0, 1], "player": [], "content": []})
        answers = [receive() for _ in range(100)]
        open("/replay/replay.json", "w").write(json.dumps(answers))
        end(1, 0)
        """,
        ECHO,
        ECHO,
    )
    assert report.ended, report
    for seat in (0, 1):
        said = [each["content"] for each in replay(tmp_path) if each["player"] == seat]
        assert said == [f"{number:04d}" for number in range(seat, 100, 2)]


def test_an_ai_that_floods_before_it_is_listened_to_waits(tmp_path: Path) -> None:
    report = play(
        tmp_path,
        """
        receive()
        time.sleep(1)
        tell({"state": 1, "listen": [0], "player": [], "content": []})
        for number in range(20000):
            assert receive()["content"] == f"{number:0500d}"
        end(1)
        """,
        "for number in range(20000):\n    answer(f'{number:0500d}')\nread(1)",
        time=60.0,
    )
    assert report.ended, report


def test_a_logic_that_reads_slowly_makes_the_ais_wait(tmp_path: Path) -> None:
    """Twenty megabytes of answers, a megabyte of which may wait for the logic."""
    report = play(
        tmp_path,
        """
        receive()
        tell({"state": 1, "listen": [0], "player": [], "content": []})
        for number in range(10000):
            if number < 20:
                time.sleep(0.02)
            assert len(receive()["content"]) == 2000
        end(1)
        """,
        "for number in range(10000):\n    answer('x' * 2000)\nread(1)",
        time=60.0,
    )
    assert report.ended, report


def test_an_ai_that_does_not_read_blocks_nobody(tmp_path: Path) -> None:
    report = play(
        tmp_path,
        """
        receive()
        for _ in range(100):
            tell(b"x" * 100000, target=0)
        end(0, len(ask(1, 1, "okay")["content"]))
        """,
        "time.sleep(60)",
        ECHO,
    )
    assert report.scores == [0.0, 4.0], report


def test_much_stderr_blocks_nobody_and_its_ends_are_kept(tmp_path: Path) -> None:
    report = play(
        tmp_path,
        'receive()\nos.write(2, b"logic\\n")\nend(len(ask(1, 0, "okay")["content"]))',
        """
        os.write(2, b"beginning")
        for _ in range(100):
            os.write(2, b"x" * 65536)
        os.write(2, b"end")
        answer(read(4).decode())
        read(1)
        """,
        time=30.0,
    )
    assert report.scores == [4.0], report
    said = report.seats[0].stderr
    assert said.startswith("beginning") and said.endswith("end")
    assert len(said) < 70000
    assert report.logic_stderr == "logic\n"


@pytest.mark.parametrize(
    ("ai", "verdict", "error"),
    [
        ("read(4)\nsys.exit(0)", "EXIT", 0),
        ("read(4)\nsys.exit(3)", "RE", 0),
        ("read(4)\nos.abort()", "RE", 0),
        ("read(4)\nos.close(1)\ntime.sleep(60)", "RE", 0),
        ("read(4)\ntime.sleep(60)", "TLE", 1),
        ("read(4)\nanswer('x' * 3000)\nread(1)", "OLE", 2),
        ("read(4)\nprint('hello', flush=True)\nread(1)", "OLE", 2),
    ],
)
def test_the_logic_and_the_report_tell_what_an_ai_did_wrong(
    ai: str, verdict: str, error: int, tmp_path: Path
) -> None:
    report = play(
        tmp_path,
        """
        receive()
        said = ask(1, 0, "okay")
        assert said["player"] == -1, said
        end(json.loads(said["content"])["error"], 0)
        """,
        ai,
        ECHO,
        time=1.0,
    )
    assert report.scores == [float(error), 0.0], report
    assert [seat.verdict for seat in report.seats] == [verdict, "OK"]


@pytest.mark.parametrize("version", [V1, V2], ids=["v1", "v2"])
def test_an_ai_that_died_before_the_first_round_is_not_called_late(
    version: Any, tmp_path: Path
) -> None:
    """Although the logic waits for its answer until the time is over."""
    logic = """
        receive()
        tell({"state": 1, "listen": [0], "player": [], "content": []})
        while json.loads(receive()["content"])["error"] != 1:
            pass
        end(0)
    """
    report = play(tmp_path, logic, "sys.exit(3)", version=version, time=0.3)
    assert report.ended, report
    assert (report.seats[0].verdict, report.seats[0].exit_code) == ("RE", 3)


def test_an_ai_that_eats_memory_is_told_apart(tmp_path: Path) -> None:
    if JailLevel.STRONG not in sandbox.list_levels():
        pytest.skip("without control groups nobody counts its memory")
    report = play(
        tmp_path,
        'receive()\nask(1, 0, "okay")\nend(0)',
        "read(4)\nhog = bytearray(300 << 20)\nread(1)",
        ai_limits=Limits(memory=64 << 20, processes=8),
        time=20.0,
    )
    assert report.seats[0].verdict == "MLE", report


def test_the_logic_may_ask_how_the_ais_ended(tmp_path: Path) -> None:
    report = play(
        tmp_path,
        """
        receive()
        ask(1, 0, "okay")
        time.sleep(0.5)
        tell({"action": "request_end_state"})
        said = receive()
        while "end_state" not in said:
            said = receive()
        open("/replay/replay.json", "w").write(said["end_state"])
        end(0, 0)
        """,
        "answer(read(4).decode())\nsys.exit(5)",
        ECHO,
    )
    assert replay(tmp_path) == ["RE", "OK"], report


def test_the_logic_has_the_last_word_about_verdicts(tmp_path: Path) -> None:
    report = play(
        tmp_path,
        """
        receive()
        tell({"state": -1, "end_info": '{"0": 1, "1": 0}', "end_state": '["OK", "IA"]'})
        """,
        ECHO,
        ECHO,
    )
    assert [seat.verdict for seat in report.seats] == ["OK", "IA"]


def test_settings_apply_at_once_to_the_running_timer(tmp_path: Path) -> None:
    began = time.monotonic()
    report = play(
        tmp_path,
        """
        receive()
        tell({"state": 0, "time": 50})
        tell({"state": 1, "listen": [0], "player": [], "content": []})
        tell({"state": 0, "time": 0.3})
        end(json.loads(receive()["content"])["error"])
        """,
        "time.sleep(60)",
    )
    assert report.scores == [1.0], report
    assert time.monotonic() - began < 25


def test_odd_messages_are_noted_in_version_2(tmp_path: Path) -> None:
    report = play(tmp_path, 'receive()\ntell(b"{not json")\ntell(b"x", target=7)\nend(1)', ECHO)
    assert report.ended
    assert "not json" in report.notes[0]["en"]
    assert "player 7" in report.notes[1]["en"]


def test_a_replay_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    report = play(
        tmp_path, f'receive()\nos.symlink("{secret}", "/replay/replay.json")\nend(1)', ECHO
    )
    assert report.ended
    assert not (tmp_path / "replay.json").exists()


def test_a_logic_finds_the_files_beside_it_and_cannot_change_them(tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_text("here be dragons")
    report = play(
        tmp_path,
        """
        receive()
        size = len(open("map.txt").read())
        try:
            open(os.path.realpath("map.txt"), "w")
        except OSError:
            end(size)
        """,
        ECHO,
    )
    assert report.scores == [15.0], report
    assert (tmp_path / "map.txt").read_text() == "here be dragons"


def test_no_process_outlives_its_match(tmp_path: Path) -> None:
    stubborn = """
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        while True:
            time.sleep(1)
    while True:
        time.sleep(1)
    """
    began = time.monotonic()
    report = play(tmp_path, "receive()\nend(1, 1)", stubborn, stubborn)
    assert report.ended
    assert time.monotonic() - began < 20
    assert jailed_processes(str(tmp_path)) == []


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    play(tmp_path, "receive()\nend(1)", ECHO)
    gc.collect()  # what earlier tests left open may be closed at any time
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        play(tmp_path, "receive()\nend(1)", ECHO)
    assert len(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize("level", list(JailLevel))
def test_a_match_goes_the_same_in_every_jail(level: JailLevel, tmp_path: Path) -> None:
    if level not in sandbox.list_levels():
        pytest.skip(f"no jail of level {level} on this machine")
    tmp_path.chmod(0o755)
    (tmp_path / "map.txt").write_text("map!")
    report = play(
        tmp_path,
        """
        init = receive()
        text = open("map.txt").read()
        said = ask(1, 0, text)["content"]
        open(init["replay"], "w").write(json.dumps(said))
        end(len(said))
        """,
        ECHO,
        level=level,
    )
    assert report.scores == [4.0], report
    assert replay(tmp_path) == "map!"
