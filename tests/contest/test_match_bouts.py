"""The bouts of a match: which are played, and what they come to."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.contest.match_bouts import BoutScore, MatchRules, compute_state, plan_bout
from ludus.contest.model import Pairing, Result
from ludus.errors import LudusError

LEAGUE = Pairing("rr/1/ada/bob", ("ada", "bob"))
FINAL = Pairing("ko/w1.1/ada/bob", ("ada", "bob"), stage="final")
WON, LOST, DRAWN = (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)


def play(
    rules: MatchRules,
    pairing: Pairing,
    outcomes: list[tuple[float, float]],
    seed: int,
    rng: random.Random | None = None,
) -> Result:
    """Play a match bout by bout in any order; the outcome of a bout depends on its number."""
    rng = rng or random.Random(seed)
    done: dict[int, BoutScore] = {}
    while (now := compute_state(rules, pairing, done, seed)).result is None:
        assert now.batches, "nothing to play, and no result"
        leg = rng.choice(now.batches)
        wins = [0, 0]
        for planned in leg.bouts:
            scores = outcomes[planned.number % len(outcomes)]
            done[planned.number] = BoutScore(planned.number, scores, scores, scores)
            wins = [w + (s == 1) for w, s in zip(wins, scores, strict=True)]
            if leg.wins_needed and any(w >= e for w, e in zip(wins, leg.wins_needed, strict=True)):
                break
    return now.result


OUTCOMES = st.lists(st.sampled_from([WON, LOST, DRAWN]), min_size=1, max_size=30)
RULES = st.builds(
    MatchRules,
    bouts=st.integers(1, 10).map(lambda half: 2 * half),
    seats=st.sampled_from(["mirrored", "halves", "fixed"]),
    early_end=st.booleans(),
    memory=st.booleans(),
    extra=st.integers(0, 5),
    extra_seats=st.sampled_from(["mirrored", "drawn"]),
    last=st.sampled_from(["lot", "first", "second"]),
)


@settings(max_examples=150, deadline=None)
@given(rules=RULES, outcomes=OUTCOMES, seed=st.integers(0, 999))
def test_a_match_ends_the_same_in_whatever_order_its_bouts_end(
    rules: MatchRules, outcomes: list[tuple[float, float]], seed: int
) -> None:
    results = [play(rules, FINAL, outcomes, seed, random.Random(order)) for order in range(3)]
    in_order = [outcomes[n % len(outcomes)] for n in range(rules.bouts)]
    assert results[0] == results[1] == results[2]
    result = results[0]
    assert result.winner is not None, "a final has a winner"
    if not rules.early_end:
        regular = [sum(s[i] == 1 for s in in_order) for i in range(2)]
        if regular[0] != regular[1]:
            assert result.winner == regular.index(max(regular))
            assert result.bouts == rules.bouts


@settings(max_examples=100, deadline=None)
@given(rules=RULES, outcomes=OUTCOMES, order=st.randoms())
def test_a_match_ends_early_exactly_when_somebody_has_more_than_half(
    rules: MatchRules, outcomes: list[tuple[float, float]], order: random.Random
) -> None:
    result = play(rules, LEAGUE, outcomes, order.randrange(100))
    wins = Counter[int]()
    for number in range(rules.bouts):
        scores = outcomes[number % len(outcomes)]
        if scores != DRAWN:
            wins[scores.index(1.0)] += 1
        if rules.early_end and max(wins.values(), default=0) > rules.bouts // 2:
            assert result.bouts == number + 1
            break
    else:
        assert result.bouts == rules.bouts
    assert result.wins == (wins[0], wins[1])


@given(bouts=st.integers(1, 12).map(lambda half: 2 * half))
def test_every_seed_is_played_once_on_each_seat(bouts: int) -> None:
    for seats in ("mirrored", "halves"):
        rules = MatchRules(bouts=bouts, seats=seats)  # type: ignore[arg-type]
        planned = [plan_bout(rules, LEAGUE, number, 3) for number in range(bouts)]
        seen = Counter((each.seed, each.order) for each in planned)
        assert set(seen.values()) == {1}
        assert Counter(each.order for each in planned) == {(0, 1): bouts // 2, (1, 0): bouts // 2}
        assert len({each.seed for each in planned}) == bouts // 2


def test_halves_are_played_one_after_the_other() -> None:
    rules = MatchRules(bouts=6, seats="halves")
    assert [plan_bout(rules, LEAGUE, n, 0).order[0] for n in range(6)] == [0, 0, 0, 1, 1, 1]


def test_no_bout_is_played_that_an_early_end_may_make_needless() -> None:
    rules = MatchRules(bouts=20, early_end=True)
    first = compute_state(rules, LEAGUE, {}, 0)
    assert sum(len(leg.bouts) for leg in first.batches) == 11
    done = {n: BoutScore(n, WON if n < 8 else LOST) for n in range(11)}
    then = compute_state(rules, LEAGUE, done, 0)
    assert [b.number for leg in then.batches for b in leg.bouts] == [11, 12, 13]


def test_a_half_whose_bots_remember_is_played_again_as_a_whole() -> None:
    rules = MatchRules(bouts=8, seats="halves", memory=True, early_end=True)
    done = {0: BoutScore(0, WON), 1: BoutScore(1, WON)}
    (leg,) = compute_state(rules, LEAGUE, done, 0).batches
    assert [b.number for b in leg.bouts] == [0, 1, 2, 3]
    done |= {2: BoutScore(2, WON), 3: BoutScore(3, LOST), 4: BoutScore(4, LOST)}
    (leg,) = compute_state(rules, LEAGUE, done, 0).batches
    assert [b.number for b in leg.bouts] == [4, 5, 6, 7]
    assert leg.wins_needed == (2, 4)


def test_a_bot_that_hangs_ends_the_match_for_both_if_the_rules_say_so() -> None:
    done = {0: BoutScore(0, WON), 1: BoutScore(1, LOST, hung=True)}
    result = compute_state(MatchRules(bouts=4, timeout="match"), LEAGUE, done, 0).result
    assert result is not None
    assert (result.ending, result.winner, result.bouts) == ("timeout", None, 1)
    assert compute_state(MatchRules(bouts=4), LEAGUE, done, 0).result is None


def test_equal_wins_are_decided_by_figures_and_then_by_time() -> None:
    done = {0: BoutScore(0, WON, (30, 10), (1, 2)), 1: BoutScore(1, LOST, (10, 25), (1, 2))}
    for criteria, winner in ((("figure",), 0), (("time",), 0), ((), None)):
        result = compute_state(MatchRules(decide=criteria), LEAGUE, done, 0).result  # type: ignore[arg-type]
        assert result is not None
        assert (result.winner, result.ending) == (winner, "".join(criteria) or "played")
    even = {n: BoutScore(n, s, (20, 20), (3, 2)) for n, s in enumerate((WON, LOST))}
    result = compute_state(MatchRules(decide=("figure", "time")), LEAGUE, even, 0).result
    assert result is not None
    assert result.winner == 1


def test_a_drawn_final_has_extra_bouts_and_then_a_last_resort() -> None:
    rules = MatchRules(bouts=2, extra=1, extra_seats="drawn", last="second")
    done = {0: BoutScore(0, DRAWN), 1: BoutScore(1, DRAWN)}
    (leg,) = compute_state(rules, FINAL, done, 4).batches
    assert [b.number for b in leg.bouts] == [2]
    done[2] = BoutScore(2, LOST)
    result = compute_state(rules, FINAL, done, 4).result
    assert result is not None
    assert (result.winner, result.ending, result.extra) == (1, "extra", 1)
    done[2] = BoutScore(2, DRAWN)
    result = compute_state(rules, FINAL, done, 4).result
    assert result is not None
    assert result.winner == leg.bouts[0].order[1]
    assert (result.ending, result.extra) == ("seat", 1)
    league = compute_state(rules, LEAGUE, done, 4).result
    assert league is not None
    assert league.winner is None


@settings(max_examples=150, deadline=None)
@given(
    half=st.integers(1, 4),
    pairs=st.integers(0, 5),
    outcomes=st.lists(st.sampled_from([WON, LOST, DRAWN]), min_size=10, max_size=10),
    seed=st.integers(0, 999),
)
def test_whoever_leads_after_a_pair_of_extra_bouts_wins_and_lots_come_last(
    half: int, pairs: int, outcomes: list[tuple[float, float]], seed: int
) -> None:
    rules = MatchRules(bouts=2 * half, extra=2 * pairs)
    result = play(rules, FINAL, [WON, LOST] * half + outcomes, seed)
    for pair in range(pairs):
        balance = sum(scores[0] - scores[1] for scores in outcomes[2 * pair : 2 * pair + 2])
        if balance:
            assert (result.winner, result.ending) == (0 if balance > 0 else 1, "extra")
            assert result.extra == 2 * pair + 2
            break
    else:
        assert (result.ending, result.extra) == ("lot", rules.extra)
    assert result.bouts == rules.bouts + result.extra


def test_extra_bouts_come_in_pairs_with_seeds_of_their_own_on_both_seats() -> None:
    rules = MatchRules(bouts=4)
    numbers = range(rules.bouts + rules.extra)
    planned = [plan_bout(rules, FINAL, number, 3) for number in numbers]
    for first, second in zip(planned[::2], planned[1::2], strict=True):
        assert first.seed == second.seed
        assert (first.order, second.order) == ((0, 1), (1, 0))
    assert len({each.seed for each in planned}) == len(planned) / 2
    done = {n: BoutScore(n, DRAWN) for n in range(6)}
    (leg,) = compute_state(rules, FINAL, done, 3).batches
    assert leg.bouts == tuple(planned[6:8]), "played together, one pair at a time"
    (rest,) = compute_state(rules, FINAL, done | {7: BoutScore(7, WON)}, 3).batches
    assert rest.bouts == (planned[6],)


def test_a_pair_of_extra_bouts_is_decided_as_the_match_itself() -> None:
    rules = MatchRules(decide=("figure",))
    done = {n: BoutScore(n, s, (9, 9)) for n, s in enumerate((WON, LOST))}
    done |= {2: BoutScore(2, WON, (9, 8)), 3: BoutScore(3, LOST, (5, 8))}
    result = compute_state(rules, FINAL, done, 0).result
    assert result is not None
    assert (result.winner, result.ending, result.extra) == (1, "extra", 2)


def test_without_extra_bouts_a_lot_decides_at_once() -> None:
    done = {n: BoutScore(n, DRAWN) for n in range(2)}
    results = [compute_state(MatchRules(extra=0), FINAL, done, seed).result for seed in range(20)]
    assert {each.ending for each in results if each} == {"lot"}
    assert {each.winner for each in results if each} == {0, 1}


def test_extra_bouts_one_at_a_time_are_drawn_as_they_always_were() -> None:
    """Contests and presets of before have seeds and seats that must not change."""
    before = [(23256921494833, (1, 0)), (161899991897041, (1, 0)), (205269888870801, (0, 1))]
    rules = MatchRules(bouts=20, extra=3, extra_seats="drawn")
    planned = [plan_bout(rules, FINAL, number, 42) for number in (20, 21, 22)]
    assert [(each.seed, each.order) for each in planned] == before
    odd = plan_bout(MatchRules(bouts=20, extra=3), FINAL, 22, 42)
    assert (odd.seed, odd.order) == before[2], "an odd one at the end has no other of its pair"
    rules = MatchRules(extra=1, extra_seats="drawn")
    done = {n: BoutScore(n, DRAWN) for n in range(3)}
    results = [compute_state(rules, FINAL, done, seed).result for seed in range(8)]
    assert [each.winner for each in results if each] == [0, 0, 0, 1, 1, 1, 1, 1]


def test_nonsense_is_refused() -> None:
    for given_rules in ({"bouts": 0}, {"bouts": 3, "seats": "halves"}, {"extra": -1}):
        with pytest.raises(LudusError):
            MatchRules(**given_rules)  # type: ignore[arg-type]
