"""Record files of the original become Ludus records and back."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.bots.load import load_bot
from ludus.bots.players.local import LocalPlayer
from ludus.compat.duel2048 import plat, records
from ludus.errors import LudusError
from ludus.games.duel2048 import GAME, DuelOptions
from ludus.match import referee, replay
from ludus.match.record import Record
from ludus.sandbox.bot_fault import BotFault, FaultKind
from tests.support.duel2048_scripts import (
    EXAMPLE,
    RECORDS,
    bout,
    golden_games,
    platform_of,
    record_files,
    scripted,
)

NORMAL = (RECORDS / "normal_40_rounds.txt").read_text()


@pytest.mark.parametrize("path", record_files(), ids=lambda path: path.stem)
def test_a_golden_record_is_read_and_written_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    assert records.is_record(data)
    record = records.parse(data)
    replay.verify(record)
    assert records.write(record).encode() == data
    assert (record.seed, record.game) == (0, "duel2048")
    assert {(bot.digest, bot.isolation) for bot in record.bots} == {("", "imported")}


def test_an_imported_record_says_who_played_and_why_it_ended() -> None:
    record = records.read(RECORDS / "violate_occupied.txt")
    assert [bot.name for bot in record.bots] == ["cheater.py", "steady.py"]
    assert [(fault.seat, fault.kind, fault.move) for fault in record.faults] == [
        (0, FaultKind.ILLEGAL, "1,3")
    ]
    assert (record.winner, record.verdict) == (1, "illegal")
    assert record.times.began == "2026-11-15T06:07:15"
    assert len(record.moves) == 8

    record = records.read(RECORDS / "timeout.txt")
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(1, FaultKind.TIMEOUT)]
    record = records.read(RECORDS / "error_in_init.txt")
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(0, FaultKind.CRASH)]
    assert record.moves == []
    record = records.read(RECORDS / "normal_40_rounds.txt")
    assert (record.faults, record.options["rounds"], record.reason) == ([], 40, "level")


def can_be_saved(game: dict[str, Any]) -> bool:
    """It starts from an empty board, nobody has to wait for it, and there are few so long."""
    if game["tags"] == ["full"] and game["id"] not in (1, 3, 101):
        return False
    return not game["prefill"] and "sleep" not in str([game["steps"], game["init"]])


@pytest.mark.parametrize(
    "game", list(filter(can_be_saved, golden_games())), ids=lambda game: f"game {game['id']}"
)
def test_the_record_of_every_golden_game_can_be_converted(game: dict[str, Any]) -> None:
    """Also of bouts that ended on a dead board, by any fault, or while loading."""
    platform = platform_of(game, scripted(game["steps"], game["init"]))
    platform.play()
    text = saved(platform)
    record = records.parse(text)
    replay.verify(record)
    assert records.write(record) == text
    assert str(replay.last_position(record)) == game["final"]
    assert record.winner == {True: 0, False: 1, None: None}[platform.winner]


def saved(platform: plat.Platform) -> str:
    kept: list[str] = []
    original = plat.files.write
    plat.files.write = lambda folder, name, text: kept.append(text)
    try:
        platform.save()
    finally:
        plat.files.write = original
    return kept[0]


class TestBoutsOfLudus:
    """Records of the referee go to the original's form and come back."""

    @pytest.mark.parametrize("seed", range(5))
    def test_a_whole_bout_keeps_moves_and_outcome(self, seed: int) -> None:
        self.check(self.play(seed, rounds=[1, 2, 30, 120, 510][seed]))

    @pytest.mark.parametrize("when", [0, 1, 7, 30])
    @pytest.mark.parametrize("kind", list(FaultKind))
    def test_a_fault_keeps_its_kind(self, kind: FaultKind, when: int) -> None:
        record = self.play(3, rounds=200, fault=kind, when=when)
        back = self.check(record)
        shown = kind if kind in (FaultKind.ILLEGAL, FaultKind.TIMEOUT) else FaultKind.CRASH
        assert [fault.kind for fault in back.faults] == [shown]

    @pytest.mark.parametrize(
        "kinds", [("crash", "crash"), ("timeout", "crash"), ("load", "timeout")]
    )
    def test_two_faults_while_loading_stay_two(self, kinds: tuple[str, str]) -> None:
        players = [Failing(self.bot(seat), FaultKind(kind), -1) for seat, kind in enumerate(kinds)]
        record = referee.play(GAME, DuelOptions(), 1, players)
        back = self.check(record)
        assert len(back.faults) == 2 and back.winner is None
        assert "&e:tied" in records.write(record)

    def play(self, seed: int, rounds: int, fault: FaultKind | None = None, when: int = 0) -> Record:
        players = [self.bot(0), Failing(self.bot(1), fault, when)]
        return referee.play(GAME, DuelOptions(rounds=rounds), seed, players)

    def bot(self, seat: int) -> LocalPlayer:
        path = GAME.bots()["random"]
        return LocalPlayer(["甲.py", "player two.py"][seat], lambda: load_bot(path, GAME))

    def check(self, record: Record) -> Record:
        replay.verify(record)
        text = records.write(record)
        back = records.parse(text)
        replay.verify(back)
        assert back.moves == record.moves
        assert (back.scores, back.winner) == (record.scores, record.winner)
        assert [bot.name for bot in back.bots] == [bot.name for bot in record.bots]
        assert [fault.seat for fault in back.faults] == [fault.seat for fault in record.faults]
        if not record.faults:
            assert back.outcome == record.outcome
        assert records.write(back) == text
        assert records.parse(text.encode("gb18030")) == back
        return back


class Failing:
    """A player that does something wrong at its n-th turn, at its start with -1."""

    digest = isolation = ""

    def __init__(self, player: LocalPlayer, kind: FaultKind | None, when: int) -> None:
        self.player, self.kind, self.when, self.turns = player, kind, when, 0
        self.name = player.name
        self.end, self.output, self.close = player.end, player.output, player.close

    def start(self, bout: object, limit: object) -> object:
        if self.kind and self.when < 0:
            raise BotFault(self.kind, "on purpose", "故意")
        return self.player.start(bout, limit)  # type: ignore[arg-type]

    def turn(self, plies: object, clock: object, limit: object) -> object:
        answer = self.player.turn(plies, clock, limit)  # type: ignore[arg-type]
        if self.kind and self.turns == self.when:
            if self.kind is not FaultKind.ILLEGAL:
                raise BotFault(self.kind, "on purpose", "故意")
            answer.move = random.Random(self.when).choice(["?nothing", "0,9"])
        self.turns += 1
        return answer


def test_a_violation_in_the_own_territory_gets_a_sequence_that_forbids_it() -> None:
    platform = bout(
        lambda now, board, mode: next(
            cell for cell in board.getNone(True) if cell != board.getNext(True, now)
        )
    )
    platform.play()
    record = records.parse(saved(platform))
    replay.verify(record)
    assert record.faults[0].kind is FaultKind.ILLEGAL


class TestWhatEditorsAndTheDocumentDo:
    record = records.parse(NORMAL)

    def test_line_ends_and_marks_of_windows(self) -> None:
        assert records.parse(NORMAL.replace("\n", "\r\n").encode("utf-8-sig")) == self.record
        assert records.is_record(NORMAL.replace("\n", "\r\n").encode("utf-8-sig"))

    def test_a_missing_last_line_end(self) -> None:
        assert records.parse(NORMAL.rstrip("\n")) == self.record

    def test_the_documents_spacing_and_minus(self) -> None:
        head, ruler, log = NORMAL.partition("complete record")
        log = re.sub(r"(&[de]\d*:)", r"\1 ", log).replace("-", "\u2212")
        assert records.parse(head + ruler + log) == self.record

    def test_paths_in_either_encoding(self) -> None:
        text = NORMAL.replace("steady.py", "D:/作业 2048/选手−.py", 1)
        wanted = records.parse(text)
        assert wanted.bots[0].name == "D:/作业 2048/选手−.py"
        assert records.parse(text.encode()) == wanted
        assert records.parse(text.encode("gb18030")) == wanted
        assert records.write(wanted) == text

    def test_odd_but_legal_positions(self) -> None:
        odd = NORMAL.replace("position (0, 2)", "position (False, 2.0)", 1)
        assert records.parse(odd) == self.record
        odd = NORMAL.replace("position (0, 2)", "position (np.int64(0), np.int64(2))", 1)
        assert records.parse(odd) == self.record
        odd = NORMAL.replace("position (0, 2)", "position Cell(row=0, column=2)", 1)
        assert records.parse(odd) == self.record


def lines_changed(find: str, replace: str, count: int = 1) -> str:
    assert find in NORMAL
    return NORMAL.replace(find, replace, count)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n\n",
        "hello",
        b"\xff\xfe\x00\x01" * 50,
        b"\x1f\x8b\x08" + bytes(range(256)),
        NORMAL[:40],
        NORMAL[: len(NORMAL) // 2],
        NORMAL[: NORMAL.index("&d3:")],
        NORMAL[: NORMAL.index("&e:")],
        NORMAL[: NORMAL.index("****")],
        NORMAL[:-10],
        NORMAL + "&e:tied\n",
        NORMAL + NORMAL,
        lines_changed("&d1:player 0", "&d1:player 1"),
        lines_changed("&d1:player 0", "&d2:player 0"),
        lines_changed("&d1:player 0", "&d99999999999:player 0"),
        lines_changed("&d1:player 0", "&d999999:player 0"),
        lines_changed("&d1:player 0", "&d99999:player 0"),
        lines_changed("position (0, 2)", "position (0, 3)"),
        lines_changed("position (0, 2)", "position (0, 9)"),
        lines_changed("position (0, 2)", "position (5, 2)"),
        lines_changed("position (0, 2)", "position unknown"),
        lines_changed("position (0, 2)", "somewhere (0, 2)"),
        lines_changed("direction down", "direction up"),
        lines_changed("direction down", "direction downwards"),
        lines_changed("direction down", "direction unknown"),
        lines_changed("+01", "+02"),
        lines_changed("+01", "-01"),
        lines_changed("| player 0 |", "| player 1 |"),
        lines_changed("|   None   |", "| player 0 |"),
        lines_changed("|     0|  ", "|     0| 1"),
        lines_changed("time: 2026", "time: once upon"),
        lines_changed("time: 2026-11", "time: 2026-13"),
        lines_changed("&e:check level 13", "&e:player 0 time out\n&e:check level 13"),
        lines_changed("&e:check level 13", "&e:player 0 violate by magic\n&e:check level 13"),
        lines_changed("player0: 0", "player0: zero"),
        lines_changed("player0: 0", "player0: 00"),
        lines_changed("player0: 0", "player0: " + "9" * 5000),
        (RECORDS / "error_in_init.txt").read_text().replace("run time error", "violate by x"),
        (RECORDS / "violate_occupied.txt")
        .read_text()
        .replace("not achievable", "illegal output of"),
        (RECORDS / "timeout.txt").read_text().replace("&e:player 0 win\n", ""),
        (EXAMPLE / "_.txt").read_bytes(),
        (EXAMPLE / "_Exceptions.txt").read_bytes(),
    ],
)
def test_what_is_not_a_true_record_is_refused_in_one_sentence(text: str | bytes) -> None:
    with pytest.raises(LudusError) as caught:
        records.parse(text)
    for sentence in caught.value.text.values():
        assert sentence and "\n" not in sentence and len(sentence) < 400


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_a_damaged_record_never_raises_anything_but_a_sentence(data: st.DataObject) -> None:
    """Lines removed, doubled, swapped; characters changed; sometimes nothing at all."""
    path = data.draw(st.sampled_from(SMALL))
    lines = path.read_text().split("\n")
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        other = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from("rdsc")):
            case "r" if len(lines) > 1:
                del lines[at]
            case "d":
                lines.insert(other, lines[at])
            case "s":
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                cut = data.draw(st.integers(0, len(lines[at])))
                piece = data.draw(st.text(max_size=4))
                lines[at] = lines[at][:cut] + piece + lines[at][cut + len(piece) :]
    try:
        record = records.parse("\n".join(lines))
    except LudusError:
        return
    replay.verify(record)


SMALL = [path for path in record_files() if path.stat().st_size < 4000]


@given(st.text() | st.binary())
@settings(max_examples=100)
def test_any_text_and_any_bytes_are_refused_in_a_sentence(text: str | bytes) -> None:
    with pytest.raises(LudusError):
        records.parse(text)
    if isinstance(text, bytes):
        assert not records.is_record(text)


def test_sniffing_tells_records_from_other_files() -> None:
    assert not records.is_record(b"")
    assert not records.is_record((EXAMPLE / "_.txt").read_bytes())
    assert not records.is_record(b"player0: me from path x\n" * 2)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match="nothing"):
        records.read(tmp_path / "nothing.txt")
    with pytest.raises(LudusError, match="cannot read"):
        records.read(tmp_path)


def test_an_untrue_record_and_another_game_are_not_written() -> None:
    record = records.parse(NORMAL)
    record.moves[0] = "3,3"
    with pytest.raises(LudusError, match="verification failed"):
        records.write(record)
    record.game = "chess"
    with pytest.raises(LudusError, match="chess"):
        records.write(record)


def test_a_bout_of_500_rounds_is_read_in_a_moment() -> None:
    random.seed(5)
    record = TestBoutsOfLudus().play(5, rounds=500)
    text = records.write(record)
    began = time.process_time()
    records.parse(text)
    assert time.process_time() - began < 2
