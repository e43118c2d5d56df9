"""Records: small, whole or not there at all, and true."""

import gzip
import json
import os
import pickle
import pickletools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.base import Clock
from ludus.match import record as records
from ludus.match.record import Record, pack, read, save, unpack
from ludus.match.replay import last_position, replay_steps, verify
from ludus.match.series import series
from ludus.match.verdict import SeatFault, decide_fault_outcome
from ludus.sandbox.bot_fault import FaultKind

GAME = get("duel2048")


def bout(rounds: int = 60, seed: int = 3, bots: tuple[str, str] = ("random", "random")) -> Record:
    players = [create_player(resolve_bot(name, GAME), GAME) for name in bots]
    (played,) = series(GAME, GAME.Options(rounds=rounds), players, 1, seed)
    return played.record


def faulty() -> Record:
    bad = Path(__file__).parents[1] / "bots" / "bad" / "occupied_cell.py"
    return bout(30, 5, (str(bad), "random"))


def test_a_record_survives_the_disk(tmp_path: Path) -> None:
    record = bout()
    save(record, tmp_path / "a.ludus")
    assert read(tmp_path / "a.ludus") == record
    assert [p.name for p in tmp_path.iterdir()] == ["a.ludus"]


def test_a_clock_of_whole_numbers_is_as_good_as_one_of_floats(tmp_path: Path) -> None:
    whole = Clock(budget=60, increment=1, per_move=5, patience=2)
    save(msgspec.structs.replace(bout(), clock=whole).with_checksum(), tmp_path / "a.ludus")
    kept = read(tmp_path / "a.ludus")
    assert records.compute_checksum(kept) == kept.seal
    floats = Clock(budget=60.0, increment=1.0, per_move=5.0, patience=2.0)
    assert repr(whole) == repr(floats)
    assert Clock(budget=60).per_move is None


def test_a_record_travels_between_processes_without_a_search_through_all_modules() -> None:
    record = bout()
    assert record.opening is msgspec.UNSET
    sent = pickle.dumps(record)
    assert pickle.loads(sent) == record and pickle.loads(sent).opening is msgspec.UNSET
    globals_named = {arg for op, arg, _ in pickletools.genops(sent) if op.name.endswith("UNICODE")}
    assert "ludus.match.record" in globals_named, "pickle is told where UNSET is found"
    assert "_get_unset" in globals_named


def test_the_same_record_gives_the_same_bytes() -> None:
    record = bout()
    assert pack(record) == pack(unpack(pack(record), "x"))


def test_a_full_bout_takes_under_two_kilobytes() -> None:
    record = bout(rounds=500)
    assert len(record.moves) > 400
    assert len(pack(record)) < 2000


def test_replaying_gives_every_position() -> None:
    record = bout(rounds=10)
    boards = [str(position) for _, position in replay_steps(record)]
    assert len(boards) == len(record.moves) + 1
    assert last_position(record).digest() == record.digest


def test_true_records_verify() -> None:
    verify(bout())
    verify(faulty())


def altered(record: Record, change: Callable[[dict[str, Any]], None], seal: bool) -> Record:
    facts = msgspec.to_builtins(record)
    change(facts)
    edited = msgspec.convert(facts, Record)
    return edited.with_checksum() if seal else edited


def swap_two_moves(facts: dict[str, Any]) -> None:
    i = next(i for i, m in enumerate(facts["moves"]) if m != facts["moves"][i + 4])
    moves = facts["moves"]
    moves[i], moves[i + 4] = moves[i + 4], moves[i]


EDITS: dict[str, Callable[[dict[str, Any]], None]] = {
    "a changed move": lambda f: f["moves"].__setitem__(0, "0,4"),
    "swapped moves": swap_two_moves,
    "a missing last move": lambda f: f["moves"].pop(),
    "a move too many": lambda f: f["moves"].append("up"),
    "another seed": lambda f: f.__setitem__("seed", f["seed"] + 1),
    "another option": lambda f: f["options"].__setitem__("rounds", 61),
    "another winner": lambda f: f["scores"].reverse(),
    "another reason": lambda f: f.__setitem__("reason", "tied"),
    "other facts about the end": lambda f: f["detail"].__setitem__("level", 13),
    "another last position": lambda f: f.__setitem__("digest", "0" * 32),
    "another game version": lambda f: f.__setitem__("version", 2),
    "an invented fault": lambda f: f["faults"].append(
        {"seat": 0, "kind": "crash", "why": {"en": "x", "zh": "x"}}
    ),
    "a missing seat": lambda f: f["bots"].pop(),
    "missing times": lambda f: f["times"]["cpu"].pop(),
}


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("seal", [False, True], ids=["seal kept", "seal made anew"])
def test_an_edited_record_is_refused_even_with_a_new_seal(name: str, seal: bool) -> None:
    with pytest.raises(LudusError):
        verify(altered(bout(), EDITS[name], seal))


def test_an_edited_name_or_time_breaks_the_seal() -> None:
    record = bout()
    renamed = altered(record, lambda f: f["bots"][0].__setitem__("name", "champion"), False)
    retimed = altered(record, lambda f: f["times"]["cpu"].__setitem__(0, 99), False)
    for edited in (renamed, retimed):
        with pytest.raises(LudusError, match="checksum mismatch"):
            verify(edited)


def test_a_legal_move_cannot_be_passed_off_as_illegal() -> None:
    record = faulty()

    def blame_a_legal_move(facts: dict[str, Any]) -> None:
        facts["faults"][0]["move"] = last_position(record).legal(0)[0]

    with pytest.raises(LudusError, match="was legal"):
        verify(altered(record, blame_a_legal_move, True))


def damage(data: bytes) -> dict[str, bytes]:
    body = gzip.decompress(data)
    return {
        "empty": b"",
        "cut off": data[: len(data) // 2],
        "last byte missing": data[:-1],
        "a flipped byte": data[:100] + bytes([data[100] ^ 255]) + data[101:],
        "no gzip": body,
        "no json": gzip.compress(b"hello"),
        "json of another kind": gzip.compress(json.dumps({"a": 1}).encode()),
        "text": "这不是录像".encode(),
        "wrong type": gzip.compress(body.replace(b'"seed":', b'"seed":"x","s":')),
    }


@pytest.mark.parametrize("kind", damage(pack(bout(rounds=2))))
def test_a_damaged_file_is_refused_in_one_sentence(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.ludus"
    path.write_bytes(damage(pack(bout(rounds=2)))[kind])
    with pytest.raises(LudusError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_UNPACKED_BYTES", 1 << 20)
    with pytest.raises(LudusError, match="more than 1 MB"):
        unpack(gzip.compress(b"[" * (64 << 20)), "bomb")


def test_nothing_half_written_is_left_when_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(LudusError, match="No space left"):
        save(bout(rounds=2), tmp_path / "a.ludus")
    assert list(tmp_path.iterdir()) == []


def test_an_older_record_is_not_harmed_by_a_failed_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = bout(rounds=2), bout(rounds=3)
    save(old, tmp_path / "a.ludus")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(5, "broken disk")))
    with pytest.raises(LudusError, match="broken disk"):
        save(new, tmp_path / "a.ludus")
    assert read(tmp_path / "a.ludus") == old


def test_a_fault_of_a_seat_that_was_not_to_move_is_a_lie() -> None:
    record = bout(rounds=10)
    cut = len(record.moves) - 2
    position = next(p.copy() for n, (_, p) in enumerate(replay_steps(record)) if n == cut)
    (mover,) = position.to_move
    facts = msgspec.structs.replace(
        record,
        moves=record.moves[:cut],
        times=msgspec.structs.replace(
            record.times, cpu=record.times.cpu[:cut], wall=record.times.wall[:cut]
        ),
        digest=position.digest(),
    )

    def blaming(seat: int) -> Record:
        faults = [SeatFault(seat, FaultKind.CRASH, {"en": "it fell", "zh": "崩溃"})]
        outcome = decide_fault_outcome(faults, 2)
        return msgspec.structs.replace(
            facts,
            faults=faults,
            scores=list(outcome.scores),
            reason=outcome.reason,
            detail=dict(outcome.detail),
        ).with_checksum()

    verify(blaming(mover))
    with pytest.raises(LudusError, match="a fault belongs to a seat that was not to move"):
        verify(blaming(1 - mover))


@pytest.mark.parametrize("key", ["format", "digest", "seal"])
def test_a_mark_of_megabytes_is_not_repeated(key: str) -> None:
    """A thousand bytes unpack to it, and a sentence about it would be as long."""
    record = msgspec.structs.replace(bout(1), **{key: "x" * 1_000_000})
    with pytest.raises(LudusError, match="more than 300 characters") as refusal:
        unpack(pack(record), "some.ludus")
    assert len(str(refusal.value)) < 200


def test_a_record_of_an_unknown_game_says_where_games_in_folders_are_found() -> None:
    """It may have been played by the path of a folder, as ``./rock_paper_scissors``."""
    record = msgspec.structs.replace(bout(1), game="rock_paper_scissors_of_mine")
    with pytest.raises(LudusError, match=r"no game .* put that folder into .*LUDUS_GAMES"):
        records.load_game(record)
