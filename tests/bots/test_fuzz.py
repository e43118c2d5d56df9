"""Whatever a bot sends: the referee does not crash, hang or bloat, and ends with a verdict."""

import itertools
import json
import shutil
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.create import create_player
from ludus.bots.players.local import fault_from_exception
from ludus.bots.players.process import ProcessPlayer
from ludus.bots.protocol import (
    MAX_FRAME_BYTES,
    ErrorReply,
    Hello,
    MoveReply,
    ReadyReply,
    Reply,
    ReplyReader,
    pack_frame,
)
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, ClockView, IllegalMove, Outcome, get, names
from ludus.games.host import Ply
from ludus.match.journal import Journal
from ludus.match.record import Record, unpack
from ludus.match.record import pack as pack_record
from ludus.match.referee import play
from ludus.match.series import series
from ludus.sandbox import BOT_FOLDER, Program
from ludus.sandbox.bot_fault import BotFault, FaultKind

CHUNK = 65536
"""The most that the referee reads at once."""
GAME = get("duel2048")
ROUNDS = GAME.Options(rounds=3)

any_text = st.text(st.characters(codec=None), max_size=40)  # surrogates too
fit_text = st.text(max_size=40)
long_text = st.builds(lambda text, times: text * times, fit_text, st.sampled_from([1, 100, 5000]))
numbers = st.integers() | st.floats() | st.integers(0, 9).map(lambda n: 10 ** (500 * n))
values = st.recursive(
    st.none() | st.booleans() | numbers | any_text | long_text,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(any_text, inner, max_size=5),
    max_leaves=15,
)
deep = st.integers(1, 3000).map(
    lambda depth: json.loads("[" * 500 + "]" * 500) if depth > 500 else []
)
fields = st.sampled_from(
    ["type", "n", "move", "kind", "en", "zh", "trace", "protocol", "name", "want", "legal"]
)
kinds = st.sampled_from(
    ["hello", "ready", "move", "error", "turn", "start", "end", "match", "Move"]
)
objects = st.builds(
    lambda kind, rest: {**rest, "type": kind},
    kinds | values,
    st.dictionaries(fields | any_text, values | deep, max_size=8),
)
replies: st.SearchStrategy[Reply] = st.one_of(
    st.builds(ReadyReply),
    st.builds(MoveReply, st.integers(-(2**63), 2**64 - 1), long_text),
    st.builds(ErrorReply, *[long_text] * 6),
    st.builds(Hello, st.just("ludus/1"), fit_text, st.lists(fit_text, max_size=40)),
)
lengths = st.sampled_from(
    [0, 1, 3, 4, 80, MAX_FRAME_BYTES, MAX_FRAME_BYTES + 1, 2**31 - 1, 2**31, 2**32 - 1]
)
heads = lengths.map(lambda size: size.to_bytes(4, "big"))


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def as_json(value: Any) -> bytes:
    """As Python's own writer has it: NaN, lone surrogates and endless integers included."""
    try:
        return json.dumps(value).encode()
    except ValueError:  # an integer too long for Python to write
        return b'{"n":' + b"9" * 5000 + b"}"


streams = st.lists(
    st.one_of(
        st.binary(max_size=300),
        heads,
        objects.map(as_json).map(frame),
        values.map(as_json).map(frame),
        replies.map(pack_frame),
        st.binary(max_size=200).map(frame),
    ),
    max_size=6,
).map(b"".join)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    """The same bytes as they may come out of a pipe."""
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    whole = [data[a:b] for a, b in itertools.pairwise(edges)]
    return [part[i : i + CHUNK] for part in whole for i in range(0, len(part), CHUNK)]


def read_all(data: bytes, cuts: list[int]) -> tuple[list[Reply], BotFault | None]:
    """What a reader makes of a stream; whatever it raises but Fault goes through."""
    reader, found = ReplyReader(), []
    for piece in pieces(data, cuts):
        try:
            reply = reader.feed(piece)
        except BotFault as fault:
            return found, fault
        assert reader.held <= 4 + MAX_FRAME_BYTES + CHUNK
        if reply is not None:
            assert reader.held == 0
            found.append(reply)
    return found, None


@settings(max_examples=200)
@given(streams, st.lists(st.integers(0, 10**6), max_size=12))
@example(frame(b"[" * 100_000), [])
@example(frame(b'{"type":"move","n":' + b"[" * 100_000), [5])
@example(frame(b'{"type":"move","n":1,"move":"\\ud800"}'), [])
@example(frame(b"\xff\xfe\xfd"), [1])
@example(b"\xff\xff\xff\xfb{}", [])
def test_any_bytes_in_any_pieces_give_replies_or_one_fault(data: bytes, cuts: list[int]) -> None:
    found, fault = read_all(data, cuts)
    assert all(isinstance(reply, Hello | ReadyReply | MoveReply | ErrorReply) for reply in found)
    if fault is not None:
        assert fault.kind is FaultKind.OUTPUT
        assert all(0 < len(text) < 2000 for text in fault.why.values())


@given(st.lists(replies, min_size=1, max_size=5), st.lists(st.integers(0, 10**6), max_size=12))
def test_every_reply_arrives_however_it_is_cut(sent: list[Reply], cuts: list[int]) -> None:
    ends, at = [], 0
    for reply in sent:
        at += len(pack_frame(reply))
        ends.append(at)
    found, fault = read_all(b"".join(map(pack_frame, sent)), [*cuts, *ends])
    assert (found, fault) == (sent, None)


@given(objects, st.lists(st.integers(0, 10**6), max_size=4))
def test_any_object_gives_one_reply_or_one_fault(value: dict[str, Any], cuts: list[int]) -> None:
    found, fault = read_all(frame(as_json(value)), cuts)
    assert (len(found) == 1) != (fault is not None)


def seconds_to_read(size: int, piece: int) -> float:
    """CPU time for one frame of a size, fed in small pieces."""
    data = frame(b'{"type":"move","n":1,"move":"' + b"x" * (size - 31) + b'"}')
    parts = [data[i : i + piece] for i in range(0, len(data), piece)]

    def once() -> float:
        reader = ReplyReader()
        began = time.process_time()
        replies = [reader.feed(part) for part in parts]
        assert replies[-1] is not None and not any(replies[:-1])
        return time.process_time() - began

    return min(once() for _ in range(3))


def test_the_work_of_reading_grows_with_the_bytes_and_not_with_their_square() -> None:
    eighth, whole = (
        seconds_to_read(MAX_FRAME_BYTES // 8, 16),
        seconds_to_read(MAX_FRAME_BYTES - 8, 16),
    )
    assert whole < 24 * eighth  # 8 times the bytes; a square would be 64


# What comes after the reader


class Teller:
    """Answers a turn with whatever it was made with."""

    digest, isolation = "", "in-process"

    def __init__(self, answer: str | BotFault, name: str = "teller") -> None:
        self.answer, self.name = answer, name

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: list[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        if isinstance(self.answer, BotFault):
            raise self.answer
        return MoveAnswer(0.0, 0.0, self.answer)

    def end(self, plies: list[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        """It holds nothing."""


def bout_with(answer: str | BotFault, name: str, folder: Path) -> tuple[Record, int]:
    """The record of a bout, and the size of its journal."""
    journal = Journal(folder / "bout.jsonl")
    house = create_player(resolve_bot("random", GAME), GAME)
    record = play(GAME, ROUNDS, 1, [Teller(answer, name), house], watch=journal)  # type: ignore[list-item]
    journal.close(keep=True)
    return record, journal.path.stat().st_size


def assert_small_and_clean(record: Record, journal: int) -> None:
    packed = pack_record(record)
    assert unpack(packed, "it") == record
    assert len(msgspec.json.encode(record)) < 120_000
    assert journal < 150_000
    said = [*record.faults[0].why.values(), record.faults[0].trace, record.bots[0].name]
    assert not [c for text in said for c in text if c < " " and c not in "\n\t"]
    assert not any("\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" for t in said for c in t)


quick = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
huge = st.builds(lambda text, times: text * times, any_text, st.sampled_from([1, 50, 50_000]))


@quick
@given(huge, any_text)
@example("\x1b[2J" * 250_000, "\x1b]0;owned\x07")
@example("\ud800", "\udcff")
@example("9" * 1_000_000, "n")
@example("?", "two\nlines")
@example("?", "long" * 100)
def test_any_move_leaves_a_small_and_clean_record(tmp_path: Path, move: str, name: str) -> None:
    assume(move not in GAME.start(ROUNDS, 1).legal(0))
    record, journal = bout_with(move, name, tmp_path)
    assert record.verdict == "illegal"
    assert_small_and_clean(record, journal)


@quick
@given(huge, huge, huge)
@example("\x1b[2J", "\x9b2J", "\ud800" * 100_000)
def test_any_error_leaves_a_small_and_clean_record(
    tmp_path: Path, en: str, zh: str, trace: str
) -> None:
    record, journal = bout_with(BotFault(FaultKind.CRASH, en, zh, trace=trace), "it", tmp_path)
    assert record.verdict == "crash"
    assert_small_and_clean(record, journal)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("error", [ValueError("x" * 10_000_000), Unspeakable()])
def test_an_exception_of_any_size_fits_into_a_frame(error: Exception) -> None:
    try:
        raise error
    except Exception as caught:
        fault = fault_from_exception(FaultKind.CRASH, caught)
    why = fault.why
    sent = pack_frame(
        ErrorReply(fault.kind, why["en"], why["zh"], fault.trace, str(fault.cause), fault.message)
    )
    assert len(sent) < MAX_FRAME_BYTES // 8
    assert type(error).__name__ in fault.why["en"]


@pytest.mark.parametrize("name", names())
@settings(max_examples=80, deadline=None)
@given(move=huge | st.from_regex(r"[a-z0-9,. -]{0,12}", fullmatch=True), seed=st.integers(0, 9))
@example(move="9" * 10_000 + "," + "9" * 10_000, seed=0)
@example(move="²,³", seed=0)
@example(move="-1,-1", seed=0)
@example(move="", seed=0)
def test_any_text_is_a_legal_move_or_an_illegal_one(name: str, move: str, seed: int) -> None:
    game = get(name)
    position = game.start(game.Options(), seed)
    seats = position.to_move
    before = position.digest()
    ply = {seat: move if seat == seats[0] else position.legal(seat)[0] for seat in seats}
    legal = move in position.legal(seats[0])
    try:
        position.play(ply)
    except IllegalMove as error:
        assert not legal and error.seat == seats[0]
        assert position.digest() == before
    else:
        assert legal


# A process that sends it

PROGRAM = r"""
sub take {{
    my ($left, $all) = ($_[0], "");
    while ($left > 0) {{
        my $got = sysread(STDIN, my $part, $left) or exit;
        $left -= $got;
        $all .= $part;
    }}
    return $all;
}}
for my $answer ({answers}) {{
    take(unpack("N", take(4)));
    my ($bytes, $at) = (pack("H*", $answer), 0);
    $at += syswrite(STDOUT, $bytes, 65536, $at) while $at < length($bytes);
}}
sleep({sleep});
"""
PERL = shutil.which("perl")
LOADED = [pack_frame(Hello("ludus/1")), pack_frame(ReadyReply())]


@pytest.mark.skipif(PERL is None, reason="no perl, which every Debian has")
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 3), st.lists(streams, min_size=1, max_size=3))
@example(2, [b"\0\0\1\0half a frame"])
@example(3, [pack_frame(ReadyReply())])
@example(3, [pack_frame(MoveReply(1, "x" * 500_000))])
@example(3, [pack_frame(ErrorReply("\0", "\x1b[2J" * 50_000, "", "\x9b"))])
@example(0, [b""])
def test_a_process_that_sends_anything_ends_with_a_verdict(
    tmp_path_factory: pytest.TempPathFactory, good: int, bad: list[bytes]
) -> None:
    """First some answers as they should be, then others; then it sleeps or leaves.

    It leaves while it is being loaded, for which a bot has a minute.
    """
    file = tmp_path_factory.mktemp("fuzz") / "program.pl"
    loaded = good >= len(LOADED)
    answers = [*LOADED, pack_frame(ReadyReply())][:good] + (bad if loaded else bad[:1])
    written = ", ".join(f"'{answer.hex()}'" for answer in answers)
    file.write_text(PROGRAM.format(answers=written, sleep=1000 if loaded else 0))
    inside = f"{BOT_FOLDER}/{file.name}"
    program = Program(argv=(str(PERL), inside), files={inside: file})
    players = [ProcessPlayer("fuzz", program), create_player(resolve_bot("random", GAME), GAME)]
    clock = Clock(budget=0.2, patience=1.0)
    (played,) = series(GAME, ROUNDS, players, 1, 1, clock=clock)
    assert played.record.verdict in set(FaultKind)
    assert played.score(1) == 1.0
    assert_small_and_clean(played.record, 0)
