"""What every format promises, over all sizes and results."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.contest.formats import (
    ContestFormat,
    DoubleElimination,
    Gauntlet,
    Groups,
    Knockout,
    Ladder,
    RoundRobin,
    Staged,
    Swiss,
    get_bracket,
    next_round,
)
from ludus.contest.formats.matching import Matching
from ludus.contest.formats.swiss import SwissEntrant, _build_graph, pair_round
from ludus.contest.model import Entrant, Result
from ludus.errors import LudusError
from tests.support.contests import by_name, chance, entrants, names, play_out, result

FORMATS: list[ContestFormat] = [
    RoundRobin(),
    RoundRobin(cycles=2, schedule="drawn", points=(3, 1, 0)),
    Groups(),
    Groups(draw="lots", groups=("N", "E", "W")),
    Staged(),
    Staged(league=Swiss(rounds=3), through=4),
    Knockout(),
    Knockout(third="shared"),
    DoubleElimination(),
    DoubleElimination(second_final=False),
    Swiss(),
    Swiss(rounds=2),
    Gauntlet(),
    Ladder(rounds=6),
]
SIZES = st.integers(2, 13)
SEEDS = st.integers(0, 10**6)


def said(form: ContestFormat) -> str:
    return repr(form)[:60]


@pytest.mark.parametrize("form", FORMATS, ids=said)
@settings(max_examples=8, deadline=None)
@given(size=SIZES, seed=SEEDS, at_once=st.integers(1, 5))
def test_standings_do_not_depend_on_the_order_of_results(
    form: ContestFormat, size: int, seed: int, at_once: int
) -> None:
    field = entrants(size)
    done = play_out(form, field, chance(seed), at_once)
    shuffled = random.Random(seed).sample(done, len(done))
    assert form.standings(field, shuffled) == form.standings(field, done)
    assert form.tables(field, shuffled) == form.tables(field, done)
    assert form.pairings(field, shuffled) == []
    assert sorted(form.standings(field, done).names) == names(size)
    assert len(done) <= form.max_matches(field)


@pytest.mark.parametrize("form", FORMATS, ids=said)
@settings(max_examples=8, deadline=None)
@given(size=SIZES, seed=SEEDS, at_once=st.integers(2, 7))
def test_a_contest_played_in_parallel_or_resumed_pairs_as_an_unbroken_one(
    form: ContestFormat, size: int, seed: int, at_once: int
) -> None:
    field = entrants(size)
    decide = chance(seed)
    one_by_one = play_out(form, field, decide)
    assert set(play_out(form, field, decide, at_once)) == set(one_by_one)
    assert len({result.id for result in one_by_one}) == len(one_by_one)
    cut = random.Random(seed).randrange(len(one_by_one) + 1)
    resumed = list(one_by_one[:cut])
    ahead = form.pairings(field, resumed)
    assert ahead == form.pairings(field, list(reversed(resumed)))
    assert {pairing.id for pairing in ahead} <= {r.id for r in one_by_one[cut:]}


@settings(max_examples=20, deadline=None)
@given(size=st.integers(2, 20), cycles=st.integers(1, 3))
def test_in_a_round_robin_everybody_meets_everybody_and_seats_balance(
    size: int, cycles: int
) -> None:
    plan = RoundRobin(cycles=cycles).plan(names(size))
    met = Counter(frozenset(pairing.entrants) for pairing in plan)
    assert met == Counter({frozenset(p): cycles for p in itertools.combinations(names(size), 2)})
    firsts = Counter(pairing.entrants[0] for pairing in plan)
    for name in names(size):
        games = cycles * (size - 1)
        assert abs(2 * firsts[name] - games) <= cycles % 2
    by_round = Counter((p.id.split("/")[1], p.round, n) for p in plan for n in p.entrants)
    assert set(by_round.values()) == {1}, "nobody plays twice in a round"


@settings(max_examples=20, deadline=None)
@given(size=st.integers(4, 9))
def test_a_round_robin_of_three_seats_brings_all_threes_together(size: int) -> None:
    plan = RoundRobin(seats=3).plan(names(size))
    met = Counter(frozenset(pairing.entrants) for pairing in plan)
    assert met == Counter(map(frozenset, itertools.combinations(names(size), 3)))


@settings(max_examples=30, deadline=None)
@given(size=st.integers(2, 40), seed=SEEDS, third=st.booleans())
def test_a_bracket_of_n_has_n_minus_1_matches_and_one_for_the_third_place(
    size: int, seed: int, third: bool
) -> None:
    form = Knockout(third="match" if third else "shared")
    done = play_out(form, entrants(size), chance(seed))
    assert len(done) == size - 1 + (third and size >= 4)
    table = form.standings(entrants(size), done)
    assert [row.note for row in table.rows].count("champion") == 1
    assert table.rows[0].note == "champion"
    assert table.rows[0].losses == 0
    ranks = [row.rank for row in table.rows]
    assert ranks[:2] == [1, 2]
    if size >= 4:
        assert ranks[2:4] == ([3, 4] if third else [3, 3])


@settings(max_examples=20, deadline=None)
@given(size=st.integers(2, 33), seed=SEEDS)
def test_in_double_elimination_everybody_but_the_champion_loses_twice(size: int, seed: int) -> None:
    form = DoubleElimination()
    done = play_out(form, entrants(size), chance(seed))
    lost = Counter(r.pairing.entrants[1 - (r.winner or 0)] for r in done)
    table = form.standings(entrants(size), done)
    champion = table.rows[0].name
    assert lost[champion] <= 1
    assert all(lost[name] == 2 for name in names(size) if name != champion)
    assert len(done) == 2 * size - 2 + lost[champion]
    assert [row.rank for row in table.rows][:3] == [1, 2, 3][:size]


def test_the_best_two_seeds_meet_only_in_the_final_and_favourites_keep_their_places() -> None:
    field = [replace(e, seed=number) for number, e in enumerate(entrants(12), 1)]
    done = play_out(Knockout(), field, by_name)
    first = [r.pairing.entrants for r in done if r.pairing.round == 1]
    assert sorted(first) == [
        ("bot05", "bot12"),
        ("bot06", "bot11"),
        ("bot07", "bot10"),
        ("bot08", "bot09"),
    ]
    final = next(r for r in done if r.pairing.stage == "final")
    assert set(final.pairing.entrants) == {"bot01", "bot02"}
    table = Knockout().standings(field, done)
    assert table.names[:4] == names(4)
    assert [row.rank for row in table.rows] == [1, 2, 3, 4, 5, 5, 5, 5, 9, 9, 9, 9]


def test_a_dropped_entrant_gives_its_opponent_a_walkover() -> None:
    field = [replace(e, dropped=e.name == "bot01") for e in entrants(4)]
    done = play_out(Knockout(), field, by_name)
    assert all("bot01" not in r.pairing.entrants for r in done)
    assert Knockout().standings(field, done).rows[0].name == "bot02"


def test_what_a_dropped_entrant_has_played_stands() -> None:
    field = entrants(5)
    done = play_out(RoundRobin(), field, by_name)[:4]
    gone = done[0].pairing.entrants[0]
    field = [replace(e, dropped=e.name == gone) for e in field]
    left = RoundRobin().pairings(field, done)
    assert all(gone not in pairing.entrants for pairing in left)
    row = RoundRobin().standings(field, done).row(gone)
    assert row.note == "dropped"
    assert row.wins + row.losses == sum(gone in r.pairing.entrants for r in done)


# Disqualification


def disqualify(field: list[Entrant], name: str, left: int = 1) -> list[Entrant]:
    """The field after ``name`` was disqualified; it plays no more from round ``left`` on."""
    return [
        replace(e, dropped=True, left=left, disqualified="copied") if e.name == name else e
        for e in field
    ]


def play_on(form: ContestFormat, field: list[Entrant], done: list[Result], seed: int) -> None:
    """Play what a contest still asks for."""
    while pairings := form.pairings(field, done):
        done += [result(pairing, chance(seed)(pairing)) for pairing in pairings]


@pytest.mark.parametrize("form", FORMATS, ids=said)
@settings(max_examples=10, deadline=None)
@given(size=st.integers(3, 13), seed=SEEDS, after=st.floats(0, 1))
def test_a_disqualified_entrant_stands_behind_all_others_and_the_contest_ends(
    form: ContestFormat, size: int, seed: int, after: float
) -> None:
    field = entrants(size)
    done = play_out(form, field, chance(seed))
    done = done[: round(after * len(done))]
    out = f"bot{1 + seed % size:02d}"
    field = disqualify(field, out, next_round(form, field, done))
    play_on(form, field, done, seed)
    table = form.standings(field, done)
    assert sorted(table.names) == names(size) and table.names[-1] == out
    last = table.rows[-1]
    assert (last.note, last.why, last.points, last.bouts) == ("disqualified", "copied", 0, 0)
    assert last.rank == size
    assert not any(row.note == "disqualified" for row in table.rows[:-1])


@pytest.mark.parametrize("form", [RoundRobin(), Groups(), Gauntlet(), Knockout(), Ladder(rounds=6)])
@settings(max_examples=10, deadline=None)
@given(size=st.integers(4, 9), seed=SEEDS)
def test_what_the_disqualified_has_played_counts_for_nobody(
    form: ContestFormat, size: int, seed: int
) -> None:
    """However those bouts ended, the others get nothing from them."""
    field = entrants(size)
    done = play_out(form, field, chance(seed))
    out = f"bot{1 + seed % size:02d}"
    field = disqualify(field, out, next_round(form, field, done))
    play_on(form, field, done, seed)
    other_way = [
        result(each.pairing, 1 - (each.winner or 0)) if out in each.pairing.entrants else each
        for each in done
    ]
    if not isinstance(form, Ladder):  # its rounds are paired by what was played then
        assert form.standings(field, other_way) == form.standings(field, done)
    if not isinstance(form, Knockout):  # where a match may have another in its place by now
        bouts = Counter(
            name
            for each in done
            if out not in each.pairing.entrants
            for name in each.pairing.entrants
        )
        rows = form.standings(field, done).rows
        assert [row.bouts for row in rows] == [2 * bouts[row.name] for row in rows]


@settings(max_examples=10, deadline=None)
@given(size=st.integers(4, 9), seed=SEEDS)
def test_after_a_disqualification_a_rejudged_entrant_is_compared_by_the_same_bouts(
    size: int, seed: int
) -> None:
    form, field = RoundRobin(), entrants(size)
    done = play_out(form, field, chance(seed))
    field = disqualify(field, "bot02")
    before = form.standings(field, done)
    kept = [e for e in done if "bot01" not in e.pairing.entrants or "bot02" in e.pairing.entrants]
    assert len(form.pairings(field, kept)) == size - 2
    play_on(form, field, kept, seed)
    again = form.standings(field, kept)
    assert again == before
    assert {row.bouts for row in again.rows[:-1]} == {2 * (size - 2)}


def test_the_final_of_a_disqualified_champion_is_played_anew() -> None:
    """Whoever it had put out goes on in its stead."""
    field = entrants(8)
    done = play_out(Knockout(third="shared"), field, by_name)
    field = disqualify(field, "bot01")
    form = Knockout(third="shared")
    (semi,) = form.pairings(field, done)
    assert set(semi.entrants) == {"bot08", "bot04"}, "bot01 had beaten both"
    play_on(form, field, done, 1)
    table = form.standings(field, done)
    assert table.rows[0].note == "champion" and table.rows[-1].name == "bot01"
    stages = [each.result for each in get_bracket(form, field, done) if each.result]
    assert all("bot01" not in each.pairing.entrants for each in stages)


@pytest.mark.parametrize(
    "form",
    [
        Staged(),
        Staged(pairs=(("A1", "B2"), ("B1", "A2"))),
        Staged(league=Swiss(rounds=3), through=4),
        Staged(league=Ladder(rounds=5), through=4),
    ],
    ids=said,
)
@settings(max_examples=10, deadline=None)
@given(size=st.integers(6, 13), seed=SEEDS, after=st.integers(1, 4))
def test_a_knockout_that_has_begun_stays_as_drawn_without_the_disqualified(
    form: Staged, size: int, seed: int, after: int
) -> None:
    """Whether they had advanced or not, and whoever would have advanced without them."""
    field = entrants(size)
    done = play_out(form, field, chance(seed))
    ended = form.standings(field, done).names
    league = [each for each in done if not each.pairing.decisive]
    done = [*league, *(each for each in done if each.pairing.decisive)][: len(league) + after]

    def draw() -> list[tuple[str | None, str | None]]:
        filled = form.bracket(field, done)
        return [each.names for each in filled if each.node.key.startswith("w1.")]

    drawn = draw()
    for out in (ended[-1], ended[0]):
        field = disqualify(field, out, next_round(form, field, done))
        assert draw() == drawn
    play_on(form, field, done, seed)
    assert draw() == drawn
    table = form.standings(field, done)
    assert table.rows[0].note == "champion" and set(table.names[-2:]) == {ended[0], ended[-1]}
    marked = [row.name for one in form.tables(field, done)[:-1] for row in one.rows if row.note]
    assert set(marked) == {name for pair in drawn for name in pair if name} | {ended[-1]}


@pytest.mark.parametrize("form", [Knockout(), DoubleElimination(), DoubleElimination(False)])
@settings(max_examples=20, deadline=None)
@given(size=st.integers(2, 13), seed=SEEDS)
def test_no_place_of_a_bracket_is_missing_after_a_disqualification(
    form: Knockout | DoubleElimination, size: int, seed: int
) -> None:
    field = disqualify(entrants(size), f"bot{1 + seed % size:02d}")
    done = play_out(form, field, chance(seed))
    ranks = [row.rank for row in form.standings(field, done).rows]
    assert all(rank == ranks.index(rank) + 1 for rank in ranks), ranks


@settings(max_examples=20, deadline=None)
@given(size=st.integers(4, 13), seed=SEEDS, rounds=st.integers(1, 4))
def test_who_met_the_disqualified_in_a_swiss_contest_has_won(
    size: int, seed: int, rounds: int
) -> None:
    form = Swiss(rounds=5)
    field = entrants(size)
    done = [e for e in play_out(form, field, chance(seed)) if e.pairing.round <= rounds]
    out = f"bot{1 + seed % size:02d}"
    field = disqualify(field, out, next_round(form, field, done))
    known = {each.id for each in done}
    assert all(each.round == rounds + 1 for each in form.pairings(field, done))
    play_on(form, field, done, seed)
    history = list(form.history(field, done))
    assert known <= {each.id for one in history for each in one.results}, "rounds stay as played"
    assert len(history) == 5
    table = form.standings(field, done)
    for name in set(names(size)) - {out}:
        theirs = [each for each in done if name in each.pairing.entrants]
        met = [each for each in theirs if out in each.pairing.entrants]
        rest = [each for each in theirs if out not in each.pairing.entrants]
        won = sum(
            0.5 if each.winner is None else each.pairing.entrants[each.winner] == name
            for each in rest
        )
        byes = sum(one.bye == name for one in history)
        assert table.row(name).points == len(met) + won + byes
        assert table.row(name).bouts == 2 * len(rest)


def test_a_swiss_round_is_paired_by_points_without_the_disqualified() -> None:
    form, field = Swiss(rounds=3), entrants(8)
    first = form.pairings(field, [])
    done = [result(pairing, by_name(pairing)) for pairing in first]
    out, loser = (
        "bot01",
        next(
            name for p in first if "bot01" in p.entrants for name in p.entrants if name != "bot01"
        ),
    )
    field = disqualify(field, out, 2)
    met = next(p for p in form.pairings(field, done) if loser in p.entrants)
    winners = {e.pairing.entrants[e.winner or 0] for e in done} | {loser}
    assert set(met.entrants) <= winners


# Swiss


@settings(max_examples=15, deadline=None)
@given(size=st.integers(2, 12), rounds=st.integers(1, 12), seed=SEEDS)
def test_swiss_repeats_no_pair_while_avoidable(size: int, rounds: int, seed: int) -> None:
    field = entrants(size)
    form = Swiss(rounds=rounds)
    done = play_out(form, field, chance(seed))
    history = list(form.history(field, done))
    assert len(history) == rounds
    met: Counter[frozenset[str]] = Counter()
    for each in history:
        pairs = [frozenset(p.entrants) for p in each.pairings]
        busy = [name for p in each.pairings for name in p.entrants]
        assert sorted([*busy, *([each.bye] if each.bye else [])]) == names(size)
        if any(met[p] for p in pairs):
            assert not _fresh_round_exists(busy, met), f"round {each.number} repeats a pair"
        met.update(pairs)


def _fresh_round_exists(left: list[str], met: Counter[frozenset[str]]) -> bool:
    """By trying everything."""
    if not left:
        return True
    first, *rest = left
    return any(
        not met[frozenset((first, other))]
        and _fresh_round_exists([name for name in rest if name != other], met)
        for other in rest
    )


@settings(max_examples=15, deadline=None)
@given(size=st.integers(4, 16), seed=SEEDS)
def test_swiss_pauses_nobody_twice_and_keeps_seats_even(size: int, seed: int) -> None:
    field = entrants(size)
    form = Swiss(rounds=min(5, size - 1))
    done = play_out(form, field, chance(seed))
    history = list(form.history(field, done))
    byes = Counter(each.bye for each in history if each.bye)
    assert max(byes.values(), default=0) <= 1
    if size >= 10:  # with few entrants nothing else may be left
        for name in names(size):
            seats = [
                pairing.entrants.index(name)
                for each in history
                for pairing in each.pairings
                if name in pairing.entrants
            ]
            assert abs(2 * sum(seats) - len(seats)) <= 2


def test_swiss_pairs_the_upper_half_against_the_lower_half_at_first() -> None:
    first = Swiss().pairings(entrants(8), [])
    assert [sorted(p.entrants) for p in first] == [
        ["bot01", "bot05"],
        ["bot02", "bot06"],
        ["bot03", "bot07"],
        ["bot04", "bot08"],
    ]
    assert [p.entrants.index(min(p.entrants)) for p in first] == [0, 1, 0, 1]


def test_swiss_brings_winners_together_whose_seats_fit() -> None:
    field = entrants(8)
    done = play_out(Swiss(rounds=1), field, by_name)
    second = Swiss(rounds=2).pairings(field, done)
    assert [sorted(p.entrants) for p in second] == [
        ["bot01", "bot04"],
        ["bot02", "bot03"],
        ["bot05", "bot08"],
        ["bot06", "bot07"],
    ]


def test_swiss_goes_on_without_those_who_left_and_with_those_who_came() -> None:
    field = entrants(6)
    done = play_out(Swiss(rounds=2), field, chance(3))
    changed = [replace(e, dropped=True, left=3) if e.name == "bot02" else e for e in field]
    changed.append(Entrant("late", joined=3))
    form = Swiss(rounds=4)
    kept = [each.pairings for each in form.history(changed, done)][:2]
    assert kept == [each.pairings for each in form.history(field, done)][:2]
    done = play_out(form, changed, chance(3))
    later = [r.pairing.entrants for r in done if r.pairing.round >= 3]
    assert all("bot02" not in pair for pair in later)
    assert sum("late" in pair for pair in later) == 2


@settings(max_examples=30, deadline=None)
@given(
    size=st.integers(1, 5).map(lambda half: 2 * half),
    edges=st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30),
)
def test_a_matching_is_perfect_exactly_when_one_exists(
    size: int, edges: set[tuple[int, int]]
) -> None:
    graph: list[set[int]] = [set() for _ in range(size)]
    for i, j in edges:
        if i != j and max(i, j) < size:
            graph[i].add(j)
            graph[j].add(i)
    found = Matching(graph)
    if size <= 6:
        assert found.perfect == any(
            all(order[k + 1] in graph[order[k]] for k in range(0, size, 2))
            for order in itertools.permutations(range(size))
        )
    for vertex, mate in enumerate(found.mate):
        assert mate is None or (mate in graph[vertex] and found.mate[mate] == vertex)


def test_swiss_relaxes_seats_before_it_repeats_a_pair() -> None:
    cards = [SwissEntrant(name, firsts=[True, True]) for name in ("a", "b")]
    assert not Matching(_build_graph(cards, repeats=0, seats=True)).perfect
    assert pair_round(cards)[0] in ([("a", "b")], [("b", "a")])


# Groups, gauntlet, ladder


@settings(max_examples=20, deadline=None)
@given(size=st.integers(4, 26), draw=st.sampled_from(["seeded", "lots", "md5"]))
def test_groups_differ_by_one_at_most(size: int, draw: str) -> None:
    form = Groups(groups=("N", "E", "W", "S"), draw=draw)  # type: ignore[arg-type]
    sizes = [len(members) for members in form.draw_groups(entrants(size)).values()]
    assert sum(sizes) == size
    assert max(sizes) - min(sizes) <= 1


def test_entrants_of_an_unknown_group_are_refused_by_name() -> None:
    with pytest.raises(LudusError, match="bot01 is in group 'Q'"):
        Groups(draw="given").pairings([Entrant("bot01", group="Q")], [])


def test_the_best_of_the_groups_meet_as_the_bracket_says() -> None:
    pairs = (("E1", "W2"), ("S1", "N2"), ("E2", "W1"), ("S2", "N1"))
    league = Groups(groups=("N", "E", "W", "S"), draw="seeded")
    form = Staged(league=league, through=2, pairs=pairs)
    field = entrants(16)
    done = play_out(form, field, by_name)
    labels = form.labels(field, done)
    first = [each.names for each in get_bracket(form, field, done) if each.node.round == 1]
    assert first == [(labels[a], labels[b]) for a, b in pairs]
    assert len(done) == 4 * 6 + 7 + 1
    table = form.standings(field, done)
    assert table.rows[0].name == "bot01"
    assert table.rows[0].note == "champion"
    assert sorted(table.names) == names(16)
    champion = table.rows[0]
    assert (champion.points, champion.wins, champion.losses) == (3, 3 + 3, 0), "of both stages"
    played = [each for each in done if "bot01" in each.pairing.entrants]
    assert champion.bouts == sum(each.bouts for each in played)
    assert [row.note for row in form.tables(field, done)[0].rows] == ["through", "through", "", ""]
    for played in (0, 4 * 6 - 1):
        tables = form.tables(field, done[:played])
        assert {row.note for table in tables for row in table.rows} == {""}, "nobody has advanced"
        assert [table.through for table in tables] == [2] * 4


def test_a_gauntlet_is_one_against_all() -> None:
    form = Gauntlet(challengers=("bot03",))
    plan = form.plan(names(6))
    assert len(plan) == 5
    assert all("bot03" in pairing.entrants for pairing in plan)
    with pytest.raises(LudusError, match="not among the entrants"):
        Gauntlet(challengers=("nobody",)).pairings(entrants(3), [])


def test_a_ladder_finds_the_order_and_stops_when_it_knows_enough() -> None:
    field = entrants(8)
    form = Ladder(rounds=30)
    done = play_out(form, field, by_name, at_once=4)
    assert len(done) == 30 * 4
    assert form.standings(field, done).names == names(8)
    short = play_out(Ladder(rounds=60, enough=200), field, chance(1), at_once=4)
    assert 5 * 4 < len(short) < 60 * 4


def test_on_a_ladder_those_of_one_owner_never_meet() -> None:
    field, apart = entrants(6), (("bot01", "bot02", "bot03"), ("bot03", "bot04"))

    def met(form: Ladder) -> set[frozenset[str]]:
        done = play_out(form, field, by_name, at_once=4)
        return {frozenset(each.pairing.entrants) for each in done}

    together = {frozenset(pair) for group in apart for pair in itertools.combinations(group, 2)}
    assert together & met(Ladder(rounds=30)), "else they do"
    kept = met(Ladder(rounds=30, apart=apart))
    assert not together & kept and len(kept) >= 8, "all others do"
    endless = play_endlessly(Ladder(rounds=0, apart=apart), field, 60)
    assert not together & {frozenset(each.pairing.entrants) for each in endless}
    assert Ladder(rounds=3, apart=(tuple(names(6)),)).pairings(field, []) == []


def test_rounds_of_a_ladder_that_were_planned_otherwise_stay_as_they_were_played() -> None:
    field = entrants(8)
    done = play_out(Ladder(rounds=4, seed=1), field, by_name, at_once=4)
    other = Ladder(rounds=5, seed=2)
    assert not {each.id for each in other.pairings(field, [])} <= {each.id for each in done}
    left = other.pairings(field, done)
    assert [each.round for each in left] == [5] * 4, "as if another version had planned them"
    rows = other.standings(field, done).rows
    assert sum(row.wins + row.draws + row.losses for row in rows) == 2 * len(done)
    assert Ladder(rounds=4, seed=2).pairings(field, done) == []


def test_on_a_ladder_of_odd_size_nobody_starves() -> None:
    field = entrants(5)
    done = play_out(Ladder(rounds=40), field, chance(1), at_once=2)
    played = Counter(name for r in done for name in r.pairing.entrants)
    assert len(played) == 5 and min(played.values()) >= 20, "nobody pauses twice in a row"


def play_endlessly(form: Ladder, field: list[Entrant], matches: int) -> list[Result]:
    done: list[Result] = []
    while len(done) < matches:
        for pairing in form.pairings(field, done):
            done.append(result(pairing, by_name(pairing)))
    return done


def test_a_ladder_without_end_goes_on_takes_in_newcomers_and_finds_the_order() -> None:
    form, field = Ladder(rounds=0), entrants(7)
    done = play_endlessly(form, field, 200)
    assert len({each.id for each in done}) == len(done)
    assert form.standings(field, done).names == names(7)
    played = Counter(name for each in done for name in each.pairing.entrants)
    assert max(played.values()) <= 4 * min(played.values()), "nobody starves"
    newcomer = [*field, Entrant("late")]
    assert "late" in form.pairings(newcomer, done)[0].entrants
    gone = [replace(each, dropped=each.name == "bot03") for each in field]
    assert all("bot03" not in each.entrants for each in form.pairings(gone, done))


def test_on_a_ladder_without_end_the_same_two_change_seats() -> None:
    done = play_endlessly(Ladder(rounds=0), entrants(2), 6)
    assert [each.pairing.entrants[0] for each in done] == ["bot01", "bot02"] * 3


def test_a_knockout_cannot_follow_a_ladder_without_end() -> None:
    with pytest.raises(LudusError, match="needs an end"):
        Staged(league=Ladder(rounds=0))
