"""The parts of a match that need no program: its timers and the answers that come early."""

import math

from ludus.compat.saiblo.early_answers import MAX_HELD_ANSWER_BYTES, EarlyAnswers
from ludus.compat.saiblo.logic_error import LogicErrorCode
from ludus.compat.saiblo.timers import MAX_CHECK_INTERVAL_S, MatchTimers


def test_a_round_expires_once_until_the_next_one_begins() -> None:
    timers = MatchTimers(round_s=3.0, silence_s=60.0, match_s=math.inf)
    assert not timers.stop_expired_round(1e9), "no round has begun"
    timers.start_round(100.0)
    assert timers.round_left(101.0) == 2.0
    assert not timers.stop_expired_round(102.9)
    assert timers.stop_expired_round(103.0)
    assert not timers.stop_expired_round(104.0)
    assert timers.round_left(104.0) is None
    timers.start_round(200.0)
    assert timers.stop_expired_round(203.0)


def test_a_new_round_time_counts_for_the_round_under_way() -> None:
    timers = MatchTimers(round_s=3.0, silence_s=60.0, match_s=math.inf)
    timers.start_round(100.0)
    timers.schedule_check(100.0, 100.0, math.inf)
    assert timers.next_check == 103.0
    timers.set_round_time(1.0)
    assert timers.next_check == 0.0, "the timers have to be looked at again"
    assert timers.stop_expired_round(101.0)


def test_the_logic_may_be_silent_while_the_players_think() -> None:
    timers = MatchTimers(round_s=10.0, silence_s=2.0, match_s=math.inf)
    assert timers.find_expired(103.0, last_message_at=100.0) is not None
    timers.start_round(100.0)
    assert timers.find_expired(111.9, last_message_at=100.0) is None
    error = timers.find_expired(112.0, last_message_at=100.0)
    assert error is not None and error.code is LogicErrorCode.TIMEOUT
    assert timers.find_expired(112.0, last_message_at=111.0) is None
    assert timers.stop_expired_round(112.0)
    assert timers.find_expired(112.0, last_message_at=100.0) is not None


def test_the_timers_are_looked_at_when_the_first_of_them_is_due() -> None:
    timers = MatchTimers(round_s=10.0, silence_s=2.0, match_s=math.inf)
    timers.schedule_check(100.0, 100.0, math.inf)
    assert timers.next_check == 102.0
    timers.schedule_check(100.0, 100.0, 101.0)
    assert timers.next_check == 101.0
    patient = MatchTimers(round_s=10.0, silence_s=math.inf, match_s=math.inf)
    patient.schedule_check(100.0, 100.0, math.inf)
    assert patient.next_check == 100.0 + MAX_CHECK_INTERVAL_S


def test_early_answers_are_taken_in_their_order_by_seats_that_are_listened_to() -> None:
    early = EarlyAnswers("hold", 3)
    for seat, text in [(0, "a"), (1, "b"), (0, "c"), (2, "d")]:
        early.hold(seat, text)
    assert early.take({0, 2}) == [(0, "a"), (0, "c"), (2, "d")]
    assert early.held == [(1, "b")]


def test_a_seat_is_full_until_its_answers_are_taken() -> None:
    early = EarlyAnswers("hold", 2)
    early.hold(1, "x" * MAX_HELD_ANSWER_BYTES)
    assert early.is_full(1) and not early.is_full(0)
    early.take({1})
    assert not early.is_full(1)


def test_dropped_answers_are_counted_for_the_report() -> None:
    early = EarlyAnswers("drop", 2)
    early.count_dropped(1)
    early.count_dropped(1)
    (note,) = early.describe_dropped()
    assert "seat 1" in note["en"] and "2" in note["en"]
