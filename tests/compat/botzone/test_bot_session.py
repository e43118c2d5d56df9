"""Bots of Botzone keep what they save, and those that ask for it keep running."""

import time
from pathlib import Path

import pytest

from ludus.bots.players.base import SeatBout, TimeLimit
from ludus.games.base import ClockView
from ludus.match.series import series
from tests.support import botzone
from tests.support.botzone import GAME, MARKER, RULES

READ_BOARD = """
first = json.loads(input())
mine = BLACK if first["requests"][0]["x"] < 0 else WHITE
board = {(3, 4): BLACK, (4, 3): BLACK, (3, 3): WHITE, (4, 4): WHITE}
for request, response in zip(first["requests"], first["responses"]):
    play(board, request, -mine)
    play(board, response, mine)
play(board, first["requests"][-1], -mine)
move = choose(board, mine)
"""


def write(folder: Path, code: str) -> Path:
    return botzone.write_bot(folder, RULES + READ_BOARD + code)


def test_data_comes_back_in_the_next_turn_and_debug_reaches_the_owner() -> None:
    seat = botzone.player(botzone.EXAMPLES / "reversi_traditional.py")
    record = botzone.bout(seat, botzone.house())

    assert record.verdict == "rules", record.faults
    shown = seat.output()["stdout"].splitlines()
    assert shown == [f"[{turn}] turn {turn}" for turn in range(1, len(shown) + 1)]
    assert len(shown) > 10


def test_data_is_forgotten_by_a_turn_that_saves_none(tmp_path: Path) -> None:
    code = """
    answer = {"response": move, "debug": [len(first["responses"]), first.get("data")]}
    if len(first["responses"]) % 2 == 0:
        answer["data"] = len(first["responses"])
    print(json.dumps(answer))
    """
    seat = botzone.player(write(tmp_path, code.replace("\n    ", "\n")))
    botzone.bout(seat, botzone.house())

    assert seat.output()["stdout"].splitlines()[:4] == [
        *("[1] [0,null]", "[2] [1,0]", "[3] [2,null]", "[4] [3,2]"),
    ]


def test_globaldata_is_kept_over_the_bouts_of_a_match(tmp_path: Path) -> None:
    code = """
print(json.dumps({"response": move, "globaldata": (first.get("globaldata") or 0) + 1,
                  "debug": first.get("globaldata") or 0}))
"""
    seat, rival = botzone.player(write(tmp_path, code)), botzone.house()
    seen = []
    for _ in series(GAME, GAME.Options(), [seat, rival], 2, seed=1):
        seen.append([int(line.split()[1]) for line in seat.output()["stdout"].splitlines()])

    first, second = seen
    assert first[0] == 0
    assert second[0] == first[-1] + 1


def test_a_bot_that_keeps_running_is_asked_in_the_same_process(tmp_path: Path) -> None:
    seat = botzone.player(write(tmp_path, KEEPS_RUNNING.replace("LAST", "99")))
    record = botzone.bout(seat, botzone.house())

    assert record.verdict == "rules", record.faults
    shown = seat.output()["stdout"].splitlines()
    assert shown == [f"[{n}] asked {n} times" for n in range(1, len(shown) + 1)]


KEEPS_RUNNING = f"""
asked = 0
while True:
    asked += 1
    print(json.dumps({{"response": move, "debug": f"asked {{asked}} times"}}))
    print("{MARKER}", flush=True)
    if asked == LAST:
        sys.exit() if "sys" in globals() else exit(0)
    play(board, move, mine)
    play(board, json.loads(input()), -mine)
    move = choose(board, mine)
"""


def test_a_bot_that_ends_after_all_is_started_again_with_its_history(tmp_path: Path) -> None:
    seat = botzone.player(write(tmp_path, KEEPS_RUNNING.replace("LAST", "3")))
    record = botzone.bout(seat, botzone.house())

    assert record.verdict == "rules", record.faults
    shown = [line.split()[2] for line in seat.output()["stdout"].splitlines()]
    assert shown[:6] == ["1", "2", "3", "1", "2", "3"]


def test_a_bot_that_ends_instead_of_answering_is_started_again(tmp_path: Path) -> None:
    code = KEEPS_RUNNING.replace("LAST", "-1").replace(
        "    play(board, json",
        "    request = input()\n    if asked == 2: exit(0)\n    play(board, json",
    )
    seat = botzone.player(
        write(tmp_path, code.replace("json.loads(input())", "json.loads(request)"))
    )
    record = botzone.bout(seat, botzone.house())

    shown = [line.split()[2] for line in seat.output()["stdout"].splitlines() if "asked" in line]
    assert record.verdict == "rules", record.faults
    assert shown[:4] == ["1", "2", "1", "2"]


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_program_is_stopped_between_its_turns(tmp_path: Path) -> None:
    seat = botzone.player(botzone.EXAMPLES / "reversi_keep_running.py")
    limit = TimeLimit(20.0, "cpu", 20.0)
    try:
        seat.start(SeatBout(GAME, GAME.Options(), 1, 0, GAME.clock, 20.0), limit)
        answer = seat.turn([], ClockView((20.0, 20.0), 0, 20.0), limit)

        assert answer.move in GAME.start(GAME.Options(), 1).legal(0)
        until = time.monotonic() + 10
        while state_of(seat.pid) != "T":
            assert time.monotonic() < until
            time.sleep(0.005)
    finally:
        seat.close()


def test_the_time_of_a_turn_that_ends_with_its_process_is_charged(tmp_path: Path) -> None:
    code = "import time\nwhile time.process_time() < 0.05: pass\nprint(json.dumps(move))\n"
    seat = botzone.player(write(tmp_path, code))
    record = botzone.bout(seat, botzone.house())

    turns = sum(1 for ply in record.moves if ply)
    assert record.times.used[0][0] > 0.04 * turns / 3


@pytest.mark.parametrize("name", ["reversi_traditional.py", "reversi_keep_running.py"])
def test_the_same_bout_again_has_the_same_moves(name: str) -> None:
    records = [
        botzone.bout(botzone.player(botzone.EXAMPLES / name), botzone.house()) for _ in range(2)
    ]
    assert records[0].moves == records[1].moves
