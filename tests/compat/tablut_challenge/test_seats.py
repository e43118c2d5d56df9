"""``tcp:`` seats: players of the challenge in the bouts of Ludus, good ones and bad ones."""

import contextlib
import os
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.tablut_challenge import seat as tcp_seat
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.base import Clock
from ludus.games.tablut.variants import TablutOptions
from ludus.match.record import Record
from ludus.match.referee import play
from ludus.match.replay import verify
from tests.support.challenge_clients import BAD_PLAYER, EXAMPLE, PYTHON

GAME = get("tablut")
ASHTON = TablutOptions(variant="ashton")
SLOW = Clock(budget=600.0, per_move=20.0, measure="wall")
QUICK = Clock(budget=600.0, per_move=0.6, measure="wall")
EXAMPLE_SEAT = f"tcp:{PYTHON} {EXAMPLE}"

VERDICTS = {
    "exits at once": ("load", "exited with code 1 before it connected"),
    "never connects": ("load", "did not connect within"),
    "has no name": ("crash", "closed the connection"),
    "moves before its turn": ("output", "not its turn"),
    "exits when asked": ("crash", "closed the connection and exited with code 7"),
    "sends half a message": ("crash", "in the middle of a message"),
    "sends half a message and waits": ("timeout", "no complete move came within 0.6 s"),
    "hangs": ("timeout", "no move came within 0.6 s"),
    "announces 2 GB": ("output", "2147483647 bytes"),
    "sends no JSON": ("output", "got 'e4f4'"),
    "sends another JSON": ("output", "a move is"),
    "sends numbers": ("output", "a move is"),
    "sends bytes that are no text": ("output", "a move is"),
    "plays an illegal move": ("illegal", "it answered 'e6e1': a piece, the throne or a camp"),
    "moves the other side's piece": ("illegal", "no piece of yours on d9"),
    "names cells that do not exist": ("illegal", "expected two cells"),
    "floods": ("illegal", "it answered 'e6e1'"),
}


def own_sockets_and_children() -> tuple[int, set[str]]:
    sockets = 0
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            sockets += os.readlink(link).startswith(("socket:", "anon_inode:[pidfd]", "pipe:"))
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return sockets, set(children)


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """No descriptor and no process more than before, once threads of earlier tests are done."""
    before = own_sockets_and_children()
    yield
    deadline = time.monotonic() + 10
    while own_sockets_and_children() != before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert own_sockets_and_children() == before


def bout(white: str, black: str, clock: Clock = SLOW, options: TablutOptions = ASHTON) -> Record:
    players = [create_player(resolve_bot(name, GAME, trust=True), GAME) for name in (white, black)]
    try:
        record = play(GAME, options, 5, players, clock, opening=())
        verify(record)
        return record
    finally:
        for player in players:
            player.close()


@pytest.mark.parametrize("how", VERDICTS)
@pytest.mark.usefixtures("nothing_left")
def test_a_bad_player_loses_by_its_fault_and_leaves_nothing(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tcp_seat, "CONNECT_TIMEOUT_S", 1.0 if how == "never connects" else 30.0)
    script = tmp_path / "bad.py"
    script.write_text(BAD_PLAYER)
    seat = f"tcp:{PYTHON} {script} {shlex.quote(how)} {{side}} {{address}}"
    waits = how in ("hangs", "sends half a message and waits")
    record = bout(seat, "random", QUICK if waits else SLOW)
    [fault] = record.faults
    kind, words = VERDICTS[how]
    assert (fault.seat, fault.kind, record.scores) == (0, kind, [0.0, 1.0])
    assert words in fault.why["en"] and fault.why["zh"]
    if how == "exits when asked":
        assert "tired" in fault.trace


@pytest.mark.usefixtures("nothing_left")
def test_two_players_of_the_challenge_play_a_whole_bout() -> None:
    record = bout(EXAMPLE_SEAT, EXAMPLE_SEAT)
    assert record.faults == [] and len(record.moves) > 4
    assert {recorded.isolation for recorded in record.bots} == {"unjailed"}
    assert {recorded.name for recorded in record.bots} == {"player"}


@pytest.mark.parametrize("opening", [("e4f4", "d9c9"), ("e4f4", "d9c9", "f4e4")])
@pytest.mark.usefixtures("nothing_left")
def test_a_bout_begins_for_them_after_its_opening(opening: tuple[str, ...]) -> None:
    players = [create_player(resolve_bot(EXAMPLE_SEAT, GAME, trust=True), GAME) for _ in range(2)]
    try:
        record = play(GAME, ASHTON, 5, players, SLOW, opening=opening)
    finally:
        for player in players:
            player.close()
    assert record.faults == [] and record.moves[: len(opening)] == list(opening)
    verify(record)


@pytest.mark.usefixtures("nothing_left")
def test_other_variants_are_refused_by_name() -> None:
    record = bout(EXAMPLE_SEAT, "random", options=TablutOptions())
    assert "-o variant=ashton" in record.faults[0].why["en"]


def test_a_seat_needs_trust_and_the_right_game() -> None:
    source = resolve_bot(EXAMPLE_SEAT, GAME)
    with pytest.raises(LudusError, match="--trust"):
        create_player(source, GAME)
    with pytest.raises(LudusError, match="not reversi"):
        resolve_bot(EXAMPLE_SEAT, get("reversi"))
    with pytest.raises(LudusError, match="needs a command"):
        resolve_bot("tcp:", GAME)


def test_the_command_gets_side_seconds_and_address_in_the_places_it_names() -> None:
    fill = tcp_seat.fill_command
    assert fill(("./p",), "WHITE", 9, "127.77.1.2", 5800) == ("./p", "WHITE", "9", "127.77.1.2")
    command = ("./p", "--at={address}:{port}", "{side}")
    assert fill(command, "BLACK", 9, "127.77.1.2", 5801) == ("./p", "--at=127.77.1.2:5801", "BLACK")
    assert tcp_seat.move_seconds(Clock(budget=60.0, per_move=7.9)) == 7
    assert tcp_seat.move_seconds(Clock(budget=60.0)) == 1
