"""Reading the answers of GTP engines, however they arrive."""

import pytest

from ludus.compat.gtp.answers import MAX_ANSWER_BYTES, GtpAnswer, GtpAnswerReader
from ludus.sandbox.bot_fault import BotFault, FaultKind


def feed(*pieces: bytes) -> list[GtpAnswer | None]:
    reader = GtpAnswerReader()
    return [reader.feed(piece) for piece in pieces]


def test_an_answer_ends_with_an_empty_line() -> None:
    assert feed(b"= d3\n\n") == [GtpAnswer(True, "d3")]
    assert feed(b"=\n\n") == [GtpAnswer(True, "")]
    assert feed(b"? unknown command\n\n") == [GtpAnswer(False, "unknown command")]
    assert feed(b"=17 a\nb\n\n") == [GtpAnswer(True, "a\nb")]


def test_an_answer_may_come_byte_by_byte_with_carriage_returns_and_empty_lines_before_it() -> None:
    data = b"\r\n\n=3 d3\r\n\r\n"
    answers = feed(*(data[i : i + 1] for i in range(len(data))))
    assert answers[-1] == GtpAnswer(True, "d3") and answers[:-1] == [None] * (len(data) - 1)


def test_one_reader_reads_one_answer_after_the_other() -> None:
    reader = GtpAnswerReader()
    assert reader.feed(b"= one\n\n\n") == GtpAnswer(True, "one")
    reader.feed_unasked(b"\n \r\n")
    assert reader.feed(b"= tw") is None and reader.incomplete == "= tw"
    assert reader.feed(b"o\n\n") == GtpAnswer(True, "two") and not reader.incomplete


@pytest.mark.parametrize(
    ("pieces", "says"),
    [
        ([b"d3\n\n"], "begins with = or ?"),
        ([b"= d3\n\n= c4\n\n"], "before it was asked"),
        ([b"= " + b"x" * MAX_ANSWER_BYTES], "longer than"),
        ([b"= ", b"x" * MAX_ANSWER_BYTES + b"\n\n"], "longer than"),
    ],
)
def test_what_is_no_answer_is_a_fault(pieces: list[bytes], says: str) -> None:
    with pytest.raises(BotFault, match=says) as caught:
        feed(*pieces)
    assert caught.value.kind is FaultKind.OUTPUT
