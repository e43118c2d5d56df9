"""What a record is compared by to find copies."""

from __future__ import annotations

import msgspec
import pytest

from ludus.games import get
from ludus.match import play, replay
from ludus.match.bout_key import compute_bout_key
from ludus.match.record import Record, RecordedBot, pack, unpack
from ludus.match.verdict import SeatFault
from ludus.rating.copies import UNKNOWN
from ludus.sandbox.bot_fault import BotFault, FaultKind
from tests.support.scripted_player import Scripted

REVERSI, DUEL = get("reversi"), get("duel2048")
OPENING = ("d3", "c3", "c4")


class Program(Scripted):
    """A player that is known by its digest."""

    def __init__(self, digest: str, fault: BotFault | None = None) -> None:
        super().__init__(digest, fault=fault)
        self.digest = digest


def bout(
    seed: int = 1,
    programs: tuple[str, str] = ("a", "b"),
    opening: tuple[str, ...] = (),
    size: int = 8,
) -> Record:
    players = [Program(digest) for digest in programs]
    return play(REVERSI, REVERSI.Options(size=size), seed, players, opening=opening)


def test_the_same_bout_again_has_the_same_key_whatever_its_seed_names_and_times() -> None:
    key = compute_bout_key(bout())
    assert compute_bout_key(bout(seed=2)) == key
    again = bout()
    renamed = [RecordedBot("another name", each.digest, "jail") for each in again.bots]
    assert compute_bout_key(msgspec.structs.replace(again, bots=renamed)) == key


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"programs": ("a", "c")}, id="program"),
        pytest.param({"programs": ("b", "a")}, id="seats"),
        pytest.param({"opening": OPENING}, id="opening"),
        pytest.param({"size": 6}, id="options"),
    ],
)
def test_programs_seats_opening_and_options_make_another_start(other: dict[str, object]) -> None:
    assert compute_bout_key(bout(**other)).start != compute_bout_key(bout()).start  # type: ignore[arg-type]


def test_a_game_that_depends_on_its_seed_starts_anew_with_every_seed() -> None:
    def start(seed: int) -> str:
        record = play(DUEL, DUEL.Options(rounds=4), seed, [Program("a"), Program("b")])
        return compute_bout_key(record).start

    assert start(1) == start(1) != start(2)


def test_moves_and_faults_say_how_it_went_but_not_what_a_fault_is_called() -> None:
    record = bout()
    key = compute_bout_key(record)

    def changed(**facts: object) -> Record:
        return msgspec.structs.replace(record, **facts)

    shorter = compute_bout_key(changed(moves=record.moves[:-1]))
    assert shorter.start == key.start and shorter.moves != key.moves
    crash = SeatFault(0, FaultKind.CRASH, {"en": "it crashed", "zh": "崩溃"}, "line 1")
    crashed = compute_bout_key(changed(faults=[crash]))
    assert crashed.moves != key.moves
    told_otherwise = msgspec.structs.replace(crash, trace="", why={"en": "?", "zh": "?"})
    assert compute_bout_key(changed(faults=[told_otherwise])) == crashed


def test_a_person_a_bot_without_a_digest_and_unknown_rules_have_no_key() -> None:
    assert compute_bout_key(bout(programs=("", "b"))) == UNKNOWN
    record = bout()
    assert compute_bout_key(msgspec.structs.replace(record, game="gone")) == UNKNOWN
    assert compute_bout_key(msgspec.structs.replace(record, version=0)) == UNKNOWN


def test_a_record_holds_no_key_so_old_ones_are_as_good_as_new_ones() -> None:
    record = bout()
    replay.verify(record)
    assert compute_bout_key(unpack(pack(record), "it")) == compute_bout_key(record)
